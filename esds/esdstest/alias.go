package esdstest

import (
	"maps"
	"net/http"
	"slices"
	"strings"
)

func aliasDef(v any) *alias {
	def, _ := v.(object)
	a := &alias{filter: obj(def, "filter")}
	if w, found := def["is_write_index"].(bool); found {
		a.write = &w
	}
	return a
}

func (c *cluster) addAlias(name, index string, a *alias) {
	if c.aliases[name] == nil {
		c.aliases[name] = map[string]*alias{}
	}
	c.aliases[name][index] = a
}

func (c *cluster) checkAlias(name string) *failure {
	if c.indices[name] != nil {
		return fail(400, "invalid_alias_name_exception", "Invalid alias name [%s]: an index or data stream exists with the same name as the alias", name)
	}
	return nil
}

// aliasesOf returns the aliases of an index that match a pattern, all for "".
func (c *cluster) aliasesOf(index, pattern string) object {
	found := object{}
	for name, members := range c.aliases {
		a := members[index]
		if a == nil || pattern != "" && !slices.ContainsFunc(strings.Split(pattern, ","), func(p string) bool { return wildcard(p, name) }) {
			continue
		}
		def := object{}
		if a.write != nil {
			def["is_write_index"] = *a.write
		}
		if a.filter != nil {
			def["filter"] = a.filter
		}
		found[name] = def
	}
	return found
}

func getAlias(c *cluster, req Request) (reply, *failure) {
	pattern := last(req, "_alias")
	if strings.HasPrefix(req.Path, "/_alias/") {
		pattern = strings.TrimPrefix(req.Path, "/_alias/")
	}
	if c.streams[target(req)] != nil && !c.flavour.openSearch {
		return ok(object{}), nil // neither the stream nor what is behind it
	}
	list, err := c.resolve(target(req), req.flag("ignore_unavailable"))
	if err != nil {
		return reply{}, err
	}
	for _, name := range c.expandAll(target(req)) { // here wildcards find hidden ones
		if x := c.indices[name]; !slices.Contains(list, x) {
			list = append(list, x)
		}
	}
	body := object{}
	for _, x := range list {
		found := c.aliasesOf(x.name, pattern)
		if len(found) > 0 || pattern == "" {
			body[x.name] = object{"aliases": found}
		}
	}
	if len(body) == 0 && pattern != "" && !strings.Contains(pattern, "*") {
		return reply{status: 404, body: object{"error": "alias [" + pattern + "] missing", "status": 404}}, nil
	}
	return ok(body), nil
}

func putAlias(c *cluster, req Request) (reply, *failure) {
	name := last(req, strings.Split(strings.Trim(req.Path, "/"), "/")[1])
	list, err := c.resolve(target(req), false)
	if err != nil {
		return reply{}, err
	}
	if err := c.checkAlias(name); err != nil {
		return reply{}, err
	}
	for _, x := range list {
		if req.Method == http.MethodDelete {
			if c.aliases[name][x.name] == nil {
				return reply{}, fail(404, c.flavour.noAlias, "aliases [%s] missing", name)
			}
			c.dropAlias(name, x.name)
			continue
		}
		c.addAlias(name, x.name, aliasDef(any(req.JSON())))
	}
	return ok(object{"acknowledged": true}), nil
}

// filtered puts the filters of aliases before the shards of a snapshot. An index
// that is also named itself, or by an alias without a filter, is read whole.
func (c *cluster) filtered(s *snapshot, expression string) (*snapshot, *failure) {
	for i := range s.shards {
		x := s.shards[i].index
		def := c.filterOf(x.name, expression)
		if def == nil {
			continue
		}
		q, err := parseQuery(c, object{"bool": object{"should": def}})
		if err != nil {
			return nil, err
		}
		if s.shards[i].filter, err = q.bind(x); err != nil {
			return nil, phase(err)
		}
	}
	return s, nil
}

// filterOf returns the filters of the aliases that an expression finds an index
// by, nil when one of the names has none.
func (c *cluster) filterOf(index, expression string) []any {
	var filters []any
	for part := range strings.SplitSeq(expression, ",") {
		if wildcard(part, index) && (part == index || c.indices[index].setting("hidden") != "true") {
			return nil
		}
		for name, members := range c.aliases {
			a := members[index]
			if a == nil || !wildcard(part, name) {
				continue
			}
			if a.filter == nil {
				return nil
			}
			filters = append(filters, a.filter)
		}
	}
	return filters
}

func (c *cluster) dropAlias(name, index string) {
	delete(c.aliases[name], index)
	if len(c.aliases[name]) == 0 {
		delete(c.aliases, name)
	}
}

// updateAliases does all actions or none.
func updateAliases(c *cluster, req Request) (reply, *failure) {
	actions, _ := req.JSON()["actions"].([]any)
	if len(actions) == 0 {
		return reply{}, fail(400, "action_request_validation_exception", "Validation Failed: 1: Must specify at least one alias action;")
	}
	draft := &cluster{flavour: c.flavour, indices: maps.Clone(c.indices), aliases: map[string]map[string]*alias{}}
	for name, members := range c.aliases {
		draft.aliases[name] = maps.Clone(members)
	}
	var gone []string
	// Indices that go leave their names to aliases of the same request.
	for _, pass := range []bool{true, false} {
		for _, v := range actions {
			for kind, body := range v.(object) {
				def, _ := body.(object)
				if (kind == "remove_index") != pass {
					continue
				}
				removed, err := draft.aliasAction(kind, def)
				if err != nil {
					return reply{}, err
				}
				gone = append(gone, removed...)
			}
		}
	}
	for _, name := range gone {
		c.remove(name)
	}
	c.aliases = draft.aliases
	return ok(object{"acknowledged": true}), nil
}

func (c *cluster) aliasAction(kind string, def object) (gone []string, err *failure) {
	indices, aliases := texts(def["index"]), texts(def["alias"])
	indices, aliases = append(indices, texts(def["indices"])...), append(aliases, texts(def["aliases"])...)
	list, err := c.resolve(strings.Join(indices, ","), false)
	if err != nil {
		return nil, err
	}
	for _, x := range list {
		if err := c.aliasActionOn(x, kind, def, indices, aliases); err != nil {
			return nil, err
		}
		if kind == "remove_index" {
			gone = append(gone, x.name)
		}
	}
	return gone, c.checkWriters()
}

func (c *cluster) aliasActionOn(x *index, kind string, def object, indices, aliases []string) *failure {
	switch kind {
	case "remove_index":
		if !slices.ContainsFunc(indices, func(p string) bool { return wildcard(p, x.name) }) {
			return fail(400, "illegal_argument_exception", "The provided expression [%s] matches an alias, specify the corresponding concrete indices instead.", strings.Join(indices, ","))
		}
		c.remove(x.name)
	case "add":
		for _, a := range aliases {
			if err := c.checkAlias(a); err != nil {
				return err
			}
			c.addAlias(a, x.name, aliasDef(any(def)))
		}
	case "remove":
		for _, a := range aliases {
			if c.aliases[a][x.name] == nil && def["must_exist"] != false && !strings.Contains(a, "*") {
				return fail(404, c.flavour.noAlias, "aliases [%s] missing", a)
			}
			c.dropAlias(a, x.name)
		}
	default:
		return fail(400, "x_content_parse_exception", "[aliases] unknown field [%s]", kind)
	}
	return nil
}

// checkWriters finds an alias with two write indices.
func (c *cluster) checkWriters() *failure {
	for name, members := range c.aliases {
		writers := []string{}
		for x, a := range members {
			if a.write != nil && *a.write {
				writers = append(writers, x)
			}
		}
		if len(writers) > 1 {
			slices.Sort(writers)
			return fail(500, "illegal_state_exception", "alias [%s] has more than one write index [%s]", name, strings.Join(writers, ","))
		}
	}
	return nil
}

// resolved describes an index.
func (c *cluster) resolved(name string) object {
	x := object{"name": name, "attributes": []string{"open"}}
	if a := slices.Sorted(maps.Keys(c.aliasesOf(name, ""))); len(a) > 0 {
		x["aliases"] = a
	}
	return x
}

// resolvedStreams describes the data streams behind an expression.
func (c *cluster) resolvedStreams(expression string) []any {
	streams := []any{}
	for _, name := range slices.Sorted(maps.Keys(c.streams)) {
		if slices.ContainsFunc(strings.Split(expression, ","), func(p string) bool { return wildcard(p, name) }) {
			streams = append(streams, object{"name": name, "backing_indices": c.streams[name], "timestamp_field": "@timestamp"})
		}
	}
	return streams
}

func resolve(c *cluster, req Request) (reply, *failure) {
	indices, aliases := []any{}, []any{}
	for part := range strings.SplitSeq(last(req, "index"), ",") {
		names := c.expand(part)
		if len(names) == 0 && !strings.Contains(part, "*") && c.flavour.vendor == "8" {
			return reply{}, noIndex(part)
		}
		all := req.Query.Get("expand_wildcards") == "all" || !strings.Contains(part, "*")
		for _, name := range slices.Sorted(maps.Keys(c.indices)) {
			if wildcard(part, name) && (all || c.indices[name].setting("hidden") != "true") {
				indices = append(indices, c.resolved(name))
			}
		}
		for _, name := range slices.Sorted(maps.Keys(c.aliases)) {
			if wildcard(part, name) {
				aliases = append(aliases, object{"name": name, "indices": slices.Sorted(maps.Keys(c.aliases[name]))})
			}
		}
	}
	return ok(object{"indices": indices, "aliases": aliases, "data_streams": c.resolvedStreams(last(req, "index"))}), nil
}
