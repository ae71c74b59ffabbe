package esdstest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// indexTemplate makes indices whose names match, or data streams.
type indexTemplate struct {
	patterns []string
	stream   bool
	template object // settings, mappings, aliases
}

func putIndexTemplate(c *cluster, req Request) (reply, *failure) {
	body := req.JSON()
	t := &indexTemplate{patterns: texts(body["index_patterns"]), stream: obj(body, "data_stream") != nil, template: obj(body, "template")}
	if len(t.patterns) == 0 {
		return reply{}, fail(400, "action_request_validation_exception", "Validation Failed: 1: index patterns are missing;")
	}
	c.templates[last(req, "_index_template")] = t
	return ok(object{"acknowledged": true}), nil
}

func deleteIndexTemplate(c *cluster, req Request) (reply, *failure) {
	name := last(req, "_index_template")
	if c.templates[name] == nil {
		return reply{}, fail(404, "index_template_missing_exception", "index_template [%s] missing", name)
	}
	delete(c.templates, name)
	return ok(object{"acknowledged": true}), nil
}

// templateFor returns the template of a name, nil for none.
func (c *cluster) templateFor(name string) *indexTemplate {
	for _, key := range slices.Sorted(maps.Keys(c.templates)) {
		t := c.templates[key]
		if slices.ContainsFunc(t.patterns, func(p string) bool { return wildcard(p, name) }) {
			return t
		}
	}
	return nil
}

func putDataStream(c *cluster, req Request) (reply, *failure) {
	name := last(req, "_data_stream")
	if c.streams[name] != nil {
		return reply{}, fail(400, "resource_already_exists_exception", "data_stream [%s] already exists", name)
	}
	t := c.templateFor(name)
	if t == nil || !t.stream {
		return reply{}, fail(400, "illegal_argument_exception", "no matching index template found for data stream [%s]", name)
	}
	if err := c.addBacking(name, t); err != nil {
		return reply{}, err
	}
	return ok(object{"acknowledged": true}), nil
}

// addBacking gives a stream one more backing index, which takes its writes.
func (c *cluster) addBacking(stream string, t *indexTemplate) *failure {
	name := fmt.Sprintf(".ds-%s-%06d", stream, len(c.streams[stream])+1)
	mappings := merge(object{"properties": object{"@timestamp": object{"type": "date"}}}, obj(t.template, "mappings"))
	x, err := c.newIndex(name, obj(t.template, "settings"), mappings)
	if err != nil {
		return err
	}
	x.settings["hidden"] = "true"
	c.indices[name] = x
	c.streams[stream] = append(c.streams[stream], name)
	return nil
}

func rollover(c *cluster, req Request) (reply, *failure) {
	name := target(req)
	if c.streams[name] == nil {
		return reply{}, fail(400, "illegal_argument_exception", "the fake rolls over data streams only")
	}
	if err := c.addBacking(name, c.templateFor(name)); err != nil {
		return reply{}, err
	}
	list := c.streams[name]
	return ok(object{"acknowledged": true, "rolled_over": true, "old_index": list[len(list)-2], "new_index": list[len(list)-1]}), nil
}

func getDataStream(c *cluster, req Request) (reply, *failure) {
	pattern := last(req, "_data_stream")
	if pattern == "" {
		pattern = "*"
	}
	found := []any{}
	for _, name := range slices.Sorted(maps.Keys(c.streams)) {
		if !slices.ContainsFunc(strings.Split(pattern, ","), func(p string) bool { return wildcard(p, name) }) {
			continue
		}
		indices := []any{}
		for _, x := range c.streams[name] {
			indices = append(indices, object{"index_name": x, "index_uuid": c.indices[x].uuid})
		}
		found = append(found, object{"name": name, "timestamp_field": object{"name": "@timestamp"}, "indices": indices, "generation": len(indices), "status": "GREEN"})
	}
	if len(found) == 0 && !strings.Contains(pattern, "*") {
		return reply{}, noIndex(pattern)
	}
	return ok(object{"data_streams": found}), nil
}

func deleteDataStream(c *cluster, req Request) (reply, *failure) {
	name := last(req, "_data_stream")
	if c.streams[name] == nil {
		return reply{}, fail(404, "resource_not_found_exception", "data_stream matching [%s] not found", name)
	}
	for _, x := range c.streams[name] {
		c.remove(x)
	}
	delete(c.streams, name)
	return ok(object{"acknowledged": true}), nil
}

// streamIndex returns the backing index that takes writes to a stream. A stream
// is made by its first write when a template asks for that.
func (c *cluster) streamIndex(name, action string) (x *index, isStream bool, err *failure) {
	if c.streams[name] == nil {
		t := c.templateFor(name)
		if t == nil || !t.stream || c.indices[name] != nil || c.aliases[name] != nil {
			return nil, false, nil
		}
		if err := c.addBacking(name, t); err != nil {
			return nil, true, err
		}
	}
	if action != "create" {
		return nil, true, fail(400, "illegal_argument_exception", "only write ops with an op_type of create are allowed in data streams")
	}
	list := c.streams[name]
	return c.indices[list[len(list)-1]], true, nil
}
