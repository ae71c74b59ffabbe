package esdstest

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
)

func exists(c *cluster, req Request) (reply, *failure) {
	list, err := c.resolve(target(req), false)
	if err != nil || len(list) == 0 {
		return reply{status: 404}, nil
	}
	return reply{status: 200}, nil
}

func getIndex(c *cluster, req Request) (reply, *failure) {
	list, err := c.resolve(target(req), req.flag("ignore_unavailable"))
	if err != nil {
		return reply{}, err
	}
	body := object{}
	for _, x := range list {
		settings := x.shownSettings(req)
		body[x.name] = object{"aliases": c.aliasesOf(x.name, ""), "mappings": x.shownMappings(), "settings": settings}
	}
	return ok(body), nil
}

func createIndex(c *cluster, req Request) (reply, *failure) {
	name := target(req)
	body := req.JSON()
	if body == nil && len(req.Body) > 0 {
		return reply{}, fail(400, "parse_exception", "request body is not a JSON object")
	}
	for key := range body {
		if key != "settings" && key != "mappings" && key != "aliases" {
			return reply{}, fail(400, "parse_exception", "unknown key [%s] for create index", key)
		}
	}
	x, err := c.newIndex(name, obj(body, "settings"), obj(body, "mappings"))
	if err != nil {
		return reply{}, err
	}
	for a, def := range obj(body, "aliases") {
		if err := c.checkAlias(a); err != nil {
			return reply{}, err
		}
		c.addAlias(a, x.name, aliasDef(def))
	}
	c.indices[name] = x
	return ok(object{"acknowledged": true, "shards_acknowledged": true, "index": name}), nil
}

// newIndex makes an index without adding it to the cluster.
func (c *cluster) newIndex(name string, settings, mappings object) (*index, *failure) {
	if err := c.checkName(name); err != nil {
		return nil, err
	}
	x := &index{name: name, uuid: c.newID("uuid-"), created: c.flavour.created, settings: object{"number_of_shards": "1", "number_of_replicas": "1"}}
	switch {
	case c.flavour.openSearch:
		x.settings["replication.type"] = "DOCUMENT"
	case c.flavour.vendor == "8":
		x.settings["routing.allocation.include._tier_preference"] = "data_content"
	}
	if err := x.set(settings, true); err != nil {
		return nil, err
	}
	n, _ := strconv.Atoi(x.setting("number_of_shards"))
	if n < 1 || n > 1024 {
		return nil, fail(400, "illegal_argument_exception", "Failed to parse value [%s] for setting [index.number_of_shards] must be >= 1", x.setting("number_of_shards"))
	}
	for range n {
		x.shards = append(x.shards, &shard{live: map[string]*document{}})
	}
	return x, x.setMappings(mappings)
}

func (c *cluster) checkName(name string) *failure {
	bad := func(format string, args ...any) *failure {
		return fail(400, "invalid_index_name_exception", "Invalid index name [%s], %s", name, fmt.Sprintf(format, args...))
	}
	switch {
	case c.indices[name] != nil:
		f := fail(400, "resource_already_exists_exception", "index [%s/%s] already exists", name, c.indices[name].uuid)
		f.more = object{"index": name, "index_uuid": c.indices[name].uuid}
		return f
	case c.aliases[name] != nil:
		return bad("already exists as alias")
	case name != strings.ToLower(name):
		return bad("must be lowercase")
	case strings.ContainsAny(name, " \"*\\<|,>/?#:"):
		return bad("must not contain the following characters [ , \", *, \\, <, |, ,, >, /, ?]")
	case c.streams[name] != nil:
		return fail(400, "resource_already_exists_exception", "data_stream [%s] already exists", name)
	case name == "" || strings.ContainsAny(name[:1], "_-+"):
		return bad("must not start with '_', '-', or '+'")
	case len(name) > 255:
		return bad("index name is too long, (%d > 255)", len(name))
	}
	return nil
}

func deleteIndex(c *cluster, req Request) (reply, *failure) {
	var gone []string
	for name := range strings.SplitSeq(target(req), ",") {
		switch {
		case strings.Contains(name, "*"):
			return reply{}, fail(400, "illegal_argument_exception", "Wildcard expressions or all indices are not allowed")
		case c.aliases[name] != nil:
			return reply{}, fail(400, "illegal_argument_exception", "The provided expression [%s] matches an alias, specify the corresponding concrete indices instead.", name)
		case c.streams[name] != nil && c.flavour.openSearch:
			return reply{}, noIndex(name)
		case c.streams[name] != nil:
			return reply{}, fail(400, "illegal_argument_exception", "The provided expression [%s] matches a data stream, specify the corresponding concrete indices instead.", name)
		case c.indices[name] == nil && req.flag("ignore_unavailable"):
		case c.indices[name] == nil:
			return reply{}, noIndex(name)
		default:
			if f := c.indices[name].blockedDelete(); f != nil {
				return reply{}, f
			}
			gone = append(gone, name)
		}
	}
	for _, name := range gone {
		c.remove(name)
	}
	return ok(object{"acknowledged": true}), nil
}

// remove takes an index away, with its aliases. Reads of it end.
func (c *cluster) remove(name string) {
	delete(c.indices, name)
	for a, members := range c.aliases {
		delete(members, name)
		if len(members) == 0 {
			delete(c.aliases, a)
		}
	}
	maps.DeleteFunc(c.scrolls, func(_ string, cur *cursor) bool { return cur.snap.reads(name) })
	for id, s := range c.pits {
		if s.reads(name) {
			c.pits[id] = &snapshot{gone: name, openSearch: s.openSearch}
		}
	}
}
