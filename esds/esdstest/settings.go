package esdstest

import (
	"maps"
	"net/http"
	"slices"
	"strings"
)

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
	flat := object{"index.uuid": x.uuid, "index.provided_name": x.name, "index.creation_date": "1700000000000", "index.version.created": x.created}
	for key, v := range x.settings {
		flat["index."+key] = v
	}
	if x.looks > 0 {
		maps.Copy(flat, x.clonedFrom)
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
	if req.Query.Get("expand_wildcards") == "all" {
		for _, name := range c.expandAll(target(req)) {
			if x := c.indices[name]; !slices.Contains(list, x) {
				list = append(list, x)
			}
		}
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

// putBlock sets a block by its name, the last part of the path.
func putBlock(c *cluster, req Request) (reply, *failure) {
	list, err := c.resolve(target(req), false)
	if err != nil {
		return reply{}, err
	}
	done := []any{}
	for _, x := range list {
		if x.setting("blocks."+last(req, "_block")) == "true" {
			continue
		}
		if err := x.set(object{"index.blocks." + last(req, "_block"): true}, false); err != nil {
			return reply{}, err
		}
		done = append(done, object{"name": x.name, "blocked": true})
	}
	return ok(object{"acknowledged": true, "shards_acknowledged": len(done) > 0, "indices": done}), nil
}

// clusterSettings keeps the persistent ones, and shows them.
func clusterSettings(c *cluster, req Request) (reply, *failure) {
	if req.Method == http.MethodPut {
		flat := map[string]any{}
		flattenSettings(flat, "", obj(req.JSON(), "persistent"))
		for key, v := range flat {
			delete(c.settings, key)
			if v != nil {
				c.settings[key] = text(v)
			}
		}
	}
	return ok(object{"acknowledged": true, "persistent": maps.Clone(c.settings), "transient": object{}}), nil
}

// blocked returns the error of a write to an index that takes none.
func (x *index) blocked() *failure {
	switch {
	case x.setting("blocks.read_only_allow_delete") == "true":
		return fail(429, "cluster_block_exception", "index [%s] blocked by: [TOO_MANY_REQUESTS/12/disk usage exceeded flood-stage watermark, index has read-only-allow-delete block];", x.name)
	case x.setting("blocks.read_only") == "true":
		return fail(403, "cluster_block_exception", "index [%s] blocked by: [FORBIDDEN/5/index read-only (api)];", x.name)
	case x.setting("blocks.write") == "true":
		return fail(403, "cluster_block_exception", "index [%s] blocked by: [FORBIDDEN/8/index write (api)];", x.name)
	}
	return nil
}

// blockedDelete returns the error of taking an index away that must stay.
func (x *index) blockedDelete() *failure {
	if x.setting("blocks.read_only") == "true" {
		return x.blocked()
	}
	return nil
}
