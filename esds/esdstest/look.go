package esdstest

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

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
	active, indices := 0, object{}
	for _, x := range list {
		primaries := len(x.shards)
		if x.recovering() {
			primaries = 0
		}
		active += primaries
		indices[x.name] = object{"status": "green", "number_of_shards": len(x.shards), "number_of_replicas": 0, "active_primary_shards": primaries, "active_shards": primaries}
	}
	body := object{
		"cluster_name": "fake", "status": "green", "timed_out": false, "number_of_nodes": 1, "number_of_data_nodes": 1,
		"active_primary_shards": active, "active_shards": active, "unassigned_shards": shardCount(list) - active,
	}
	if req.Query.Get("level") == "indices" {
		body["indices"] = indices
	}
	return ok(body), nil
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
			if routing, asked := req.Query["routing"]; asked && i != x.shardOf(routing[0]) {
				continue
			}
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
			if !slices.ContainsFunc(patterns, func(p string) bool { return wildcard(p, path) }) {
				continue
			}
			if caps[path] == nil {
				caps[path] = map[string][]string{}
			}
			caps[path][f.typ] = append(caps[path][f.typ], x.name)
		}
	}
	return ok(object{"indices": names, "fields": shownCaps(caps)}), nil
}

// shownCaps prints the indices of each type of each field.
func shownCaps(caps map[string]map[string][]string) object {
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
	return fields
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
				return ok(d.whole(x)), nil
			}
		}
	}
	return reply{status: 404, body: object{"_index": target(req), "_id": id, "found": false}}, nil
}

func (d *document) whole(x *index) object {
	return object{"_index": x.name, "_id": d.id, "_version": d.version, "_seq_no": d.seqNo, "_primary_term": 1, "found": true, "_source": json.RawMessage(d.source)}
}

// getDocuments answers for each document as it is now, refreshed or not.
func getDocuments(c *cluster, req Request) (reply, *failure) {
	body, _ := decode(req.Body).(object)
	asked, _ := body["docs"].([]any)
	found := []any{}
	for _, one := range asked {
		doc, _ := one.(object)
		name, id := str(doc, "_index"), text(doc["_id"])
		x, err := c.writeIndex(name)
		if err != nil {
			found = append(found, object{"_index": name, "_id": id, "error": err.cause()})
			continue
		}
		routing := id
		if doc["routing"] != nil {
			routing = text(doc["routing"])
		}
		if d := x.shards[x.shardOf(routing)].live[id]; d != nil {
			found = append(found, d.whole(x))
		} else {
			found = append(found, object{"_index": name, "_id": id, "found": false})
		}
	}
	return ok(object{"docs": found}), nil
}
