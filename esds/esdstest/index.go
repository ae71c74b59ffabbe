package esdstest

import (
	"encoding/json"
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
		body[x.name] = object{"aliases": c.aliasesOf(x.name, ""), "mappings": x.mappings, "settings": x.shownSettings(req)}
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
	x := &index{name: name, uuid: c.newID("uuid-"), settings: object{"number_of_shards": "1", "number_of_replicas": "1"}}
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
		case c.indices[name] == nil && req.flag("ignore_unavailable"):
		case c.indices[name] == nil:
			return reply{}, noIndex(name)
		default:
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
	maps.DeleteFunc(c.pits, func(_ string, s *snapshot) bool { return s.reads(name) })
}

// set changes settings, nested or with dots, with or without "index.". A null
// takes a setting back.
func (x *index) set(settings object, creating bool) *failure {
	flat := map[string]any{}
	flattenSettings(flat, "", settings)
	for key, v := range flat {
		key = strings.TrimPrefix(key, "index.")
		fixed := key == "number_of_shards" || strings.HasPrefix(key, "sort.") || key == "uuid" || key == "creation_date"
		switch {
		case fixed && !creating:
			return fail(400, "illegal_argument_exception", "Can't update non dynamic settings [[index.%s]] for open indices [[%s/%s]]", key, x.name, x.uuid)
		case creating && (key == "uuid" || key == "creation_date" || key == "provided_name" || strings.HasPrefix(key, "version.")):
			return fail(400, "illegal_argument_exception", "private index setting [index.%s] can not be set explicitly", key)
		case !knownSetting(key):
			return fail(400, "illegal_argument_exception", "unknown setting [index.%s] please check that any required plugins are installed, or check the breaking changes documentation for removed settings", key)
		case v == nil && creating:
			x.settings[key] = nil // the servers show it so
		case v == nil:
			delete(x.settings, key)
		default:
			x.settings[key] = text(v)
		}
	}
	return nil
}

func knownSetting(key string) bool {
	head, _, _ := strings.Cut(key, ".")
	switch head {
	case "number_of_shards", "number_of_replicas", "refresh_interval", "blocks", "mapping", "analysis", "max_result_window", "max_slices_per_scroll",
		"sort", "codec", "routing", "translog", "merge", "query", "lifecycle", "hidden", "auto_expand_replicas", "default_pipeline", "final_pipeline",
		"priority", "unassigned", "search", "resize", "mode", "number_of_routing_shards", "max_docvalue_fields_search", "knn", "soft_deletes", "highlight", "routing_partition_size", "replication":
		return true
	}
	return false
}

func flattenSettings(flat map[string]any, prefix string, settings object) {
	for key, v := range settings {
		if inner, isObject := v.(object); isObject {
			flattenSettings(flat, prefix+key+".", inner)
			continue
		}
		flat[prefix+key] = v
	}
}

// shownSettings returns the settings as the API shows them, all as text.
func (x *index) shownSettings(req Request) object {
	flat := object{"index.uuid": x.uuid, "index.provided_name": x.name, "index.creation_date": "1700000000000", "index.version.created": "8190799"}
	for key, v := range x.settings {
		flat["index."+key] = v
	}
	if req.flag("flat_settings") {
		return flat
	}
	out := object{}
	for key, v := range flat {
		node := out
		parts := strings.Split(key, ".")
		for _, part := range parts[:len(parts)-1] {
			inner := obj(node, part)
			if inner == nil {
				inner = object{}
				node[part] = inner
			}
			node = inner
		}
		node[parts[len(parts)-1]] = v
	}
	return out
}

func getSettings(c *cluster, req Request) (reply, *failure) {
	list, err := c.resolve(target(req), req.flag("ignore_unavailable"))
	if err != nil {
		return reply{}, err
	}
	body := object{}
	for _, x := range list {
		body[x.name] = object{"settings": x.shownSettings(req)}
	}
	return ok(body), nil
}

func putSettings(c *cluster, req Request) (reply, *failure) {
	list, err := c.resolve(target(req), req.flag("ignore_unavailable"))
	if err != nil {
		return reply{}, err
	}
	settings := req.JSON()
	if inner := obj(settings, "settings"); inner != nil {
		settings = inner
	}
	for _, x := range list {
		if err := x.set(settings, false); err != nil {
			return reply{}, err
		}
	}
	return ok(object{"acknowledged": true}), nil
}

// blocked returns the error of a write to an index that takes none.
func (x *index) blocked() *failure {
	if x.setting("blocks.write") == "true" || x.setting("blocks.read_only") == "true" {
		return fail(403, "cluster_block_exception", "index [%s] blocked by: [FORBIDDEN/8/index write (api)];", x.name)
	}
	return nil
}

func clone(c *cluster, req Request) (reply, *failure) {
	source, name := c.indices[target(req)], last(req, "_clone")
	switch {
	case source == nil:
		return reply{}, noIndex(target(req))
	case source.blocked() == nil:
		return reply{}, fail(500, "illegal_state_exception", "index %s must be read-only to resize index. use \"index.blocks.write=true\"", source.name)
	}
	settings := object{}
	for key, v := range source.settings {
		settings["index."+key] = v
	}
	// What the servers do not carry over, and what they add.
	delete(settings, "index.number_of_replicas")
	settings["index.routing_partition_size"] = "1"
	flattenSettings(settings, "", obj(req.JSON(), "settings"))
	x, err := c.newIndex(name, settings, source.mappings)
	if err != nil {
		return reply{}, err
	}
	if len(x.shards) != len(source.shards) {
		return reply{}, fail(400, "illegal_argument_exception", "cannot provide a routing partition size value when cloning")
	}
	for i, s := range source.shards {
		for _, d := range s.order {
			if d.deleted {
				continue
			}
			own := *d
			own.index = name
			x.shards[i].put(&own)
		}
	}
	x.seqNo = source.seqNo
	x.refresh()
	for a, def := range obj(req.JSON(), "aliases") {
		c.addAlias(a, name, aliasDef(def))
	}
	c.indices[name] = x
	return ok(object{"acknowledged": true, "shards_acknowledged": true, "index": name}), nil
}

func refresh(c *cluster, req Request) (reply, *failure) {
	list, err := c.resolve(target(req), req.flag("ignore_unavailable"))
	if err != nil {
		return reply{}, err
	}
	shards := 0
	for _, x := range list {
		x.refresh()
		shards += len(x.shards)
	}
	return ok(object{"_shards": object{"total": shards, "successful": shards, "failed": 0}}), nil
}

func health(c *cluster, req Request) (reply, *failure) {
	list, err := c.resolve(last(req, "health"), true)
	if err != nil {
		return reply{}, err
	}
	return ok(object{
		"cluster_name": "fake", "status": "green", "timed_out": false, "number_of_nodes": 1, "number_of_data_nodes": 1,
		"active_primary_shards": shardCount(list), "active_shards": shardCount(list), "unassigned_shards": 0,
	}), nil
}

func shardCount(list []*index) int {
	n := 0
	for _, x := range list {
		n += len(x.shards)
	}
	return n
}

func cat(c *cluster, req Request) (reply, *failure) {
	if !strings.HasPrefix(strings.Trim(req.Path, "/"), "_cat/indices") || req.Query.Get("format") != "json" {
		return unknown(c, req)
	}
	list, err := c.resolve(last(req, "indices"), false)
	if err != nil {
		return reply{}, err
	}
	rows := []any{}
	for _, x := range list {
		docs, size := 0, 0
		for _, s := range x.shards {
			for _, d := range s.visible {
				docs, size = docs+1, size+len(d.source)
			}
		}
		row := object{
			"health": "green", "status": "open", "index": x.name, "uuid": x.uuid, "pri": strconv.Itoa(len(x.shards)), "rep": x.setting("number_of_replicas"),
			"docs.count": strconv.Itoa(docs), "docs.deleted": "0", "store.size": strconv.Itoa(size), "pri.store.size": strconv.Itoa(size),
		}
		if columns := req.Query.Get("h"); columns != "" {
			keep := strings.Split(columns, ",")
			maps.DeleteFunc(row, func(k string, _ any) bool { return !contains(keep, k) })
		}
		rows = append(rows, row)
	}
	return ok(rows), nil
}

func contains(list []string, s string) bool {
	for _, e := range list {
		if e == s {
			return true
		}
	}
	return false
}

func searchShards(c *cluster, req Request) (reply, *failure) {
	list, err := c.resolve(target(req), req.flag("ignore_unavailable"))
	if err != nil {
		return reply{}, err
	}
	shards, indices := []any{}, object{}
	for _, x := range list {
		indices[x.name] = object{}
		for i := range x.shards {
			shards = append(shards, []any{object{"state": "STARTED", "primary": true, "node": "node", "relocating_node": nil, "shard": i, "index": x.name}})
		}
	}
	return ok(object{"nodes": object{"node": object{"name": "node"}}, "indices": indices, "shards": shards}), nil
}

func fieldCaps(c *cluster, req Request) (reply, *failure) {
	list, err := c.resolve(target(req), req.flag("ignore_unavailable"))
	if err != nil {
		return reply{}, err
	}
	patterns := texts(req.Query.Get("fields"))
	if v, found := req.JSON()["fields"]; found {
		patterns = texts(v)
	}
	names, caps := []string{}, map[string]map[string][]string{}
	for _, x := range list {
		names = append(names, x.name)
		for path, f := range x.fields {
			for _, p := range patterns {
				if wildcard(p, path) {
					if caps[path] == nil {
						caps[path] = map[string][]string{}
					}
					caps[path][f.typ] = append(caps[path][f.typ], x.name)
					break
				}
			}
		}
	}
	fields := object{}
	for path, types := range caps {
		kinds := object{}
		for typ, in := range types {
			kind := object{"type": typ, "metadata_field": false, "searchable": typ != "object", "aggregatable": typ != "object" && typ != "text"}
			if len(types) > 1 {
				kind["indices"] = in
			}
			kinds[typ] = kind
		}
		fields[path] = kinds
	}
	return ok(object{"indices": names, "fields": fields}), nil
}

func getDocument(c *cluster, req Request) (reply, *failure) {
	list, err := c.resolve(target(req), false)
	if err != nil {
		return reply{}, err
	}
	id := last(req, "_doc")
	for _, x := range list {
		for _, s := range x.shards {
			if d := s.live[id]; d != nil {
				return ok(object{"_index": x.name, "_id": id, "_version": d.version, "_seq_no": d.seqNo, "_primary_term": 1, "found": true, "_source": json.RawMessage(d.source)}), nil
			}
		}
	}
	return reply{status: 404, body: object{"_index": target(req), "_id": id, "found": false}}, nil
}
