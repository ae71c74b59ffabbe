package esdstest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// field is a leaf of a mapping, or a multi-field of one.
type field struct {
	path   string
	typ    string
	params object
	multi  []*field
	nested bool // inside a nested object: not searched from the root

	runtime bool // taken from the source when it is asked for
}

// types are the field types that the fake takes.
var types = map[string]bool{
	"keyword": true, "text": true, "byte": true, "short": true, "integer": true, "long": true, "unsigned_long": true,
	"float": true, "double": true, "half_float": true, "scaled_float": true, "boolean": true, "date": true, "date_nanos": true,
	"ip": true, "binary": true, "object": true, "nested": true, "geo_point": true, "geo_shape": true, "flattened": true,
	"flat_object": true, "alias": true, "wildcard": true, "constant_keyword": true, "integer_range": true, "long_range": true,
	"double_range": true, "float_range": true, "date_range": true, "ip_range": true, "dense_vector": true, "knn_vector": true, "join": true, "completion": true,
	"rank_feature": true, "rank_features": true, "sparse_vector": true, "histogram": true, "aggregate_metric_double": true, "token_count": true, "version": true,
	"match_only_text": true, "search_as_you_type": true, "murmur3": true, "shape": true, "point": true, "xy_point": true, "percolator": true, "xyz": true,
}

// setMappings replaces the mapping of an index.
func (x *index) setMappings(m object) *failure {
	if m == nil {
		m = object{}
	}
	fields := map[string]*field{}
	if f := collect(fields, "", m, false); f != nil {
		return f
	}
	for name, v := range obj(m, "runtime") {
		def, _ := v.(object)
		fields[name] = &field{path: name, typ: str(def, "type"), params: def, runtime: true}
	}
	x.mappings, x.fields = m, fields
	return nil
}

// collect fills fields with what the properties of a mapping hold.
func collect(fields map[string]*field, prefix string, node object, nested bool) *failure {
	for name, v := range obj(node, "properties") {
		def, isObject := v.(object)
		if !isObject {
			return fail(400, "mapper_parsing_exception", "Expected map for property [%s] but got a class %T", name, v)
		}
		path, typ := prefix+name, str(def, "type")
		if typ == "" {
			typ = "object"
		}
		if !types[typ] {
			return fail(400, "mapper_parsing_exception", "Failed to parse mapping: No handler for type [%s] declared on field [%s]", typ, name)
		}
		f := &field{path: path, typ: typ, params: def, nested: nested}
		fields[path] = f
		if typ == "object" || typ == "nested" {
			if err := collect(fields, path+".", def, nested || typ == "nested"); err != nil {
				return err
			}
			continue
		}
		for sub, v := range obj(def, "fields") {
			params, _ := v.(object)
			m := &field{path: path + "." + sub, typ: str(params, "type"), params: params, nested: nested}
			f.multi = append(f.multi, m)
			fields[m.path] = m
		}
	}
	return nil
}

// mergeMappings returns the mapping with more fields, or why they clash.
func mergeMappings(have, more object, prefix string) (object, *failure) {
	out := maps.Clone(have)
	if out == nil {
		out = object{}
	}
	for k, v := range more {
		if k != "properties" {
			out[k] = v
		}
	}
	if obj(more, "properties") == nil {
		return out, nil
	}
	props := maps.Clone(obj(have, "properties"))
	if props == nil {
		props = object{}
	}
	for name, v := range obj(more, "properties") {
		def, _ := v.(object)
		old := obj(props, name)
		if old == nil {
			props[name] = def
			continue
		}
		was, is := typeOf(old), typeOf(def)
		if was != is {
			return nil, fail(400, "illegal_argument_exception", "mapper [%s%s] cannot be changed from type [%s] to [%s]", prefix, name, was, is)
		}
		merged, err := mergeMappings(old, def, prefix+name+".")
		if err != nil {
			return nil, err
		}
		props[name] = merged
	}
	out["properties"] = props
	return out, nil
}

func typeOf(def object) string {
	if typ := str(def, "type"); typ != "" {
		return typ
	}
	return "object"
}

func getMapping(c *cluster, req Request) (reply, *failure) {
	list, err := c.resolve(target(req), req.flag("ignore_unavailable"))
	if err != nil {
		return reply{}, err
	}
	body := object{}
	for _, x := range list {
		body[x.name] = object{"mappings": x.shownMappings()}
	}
	return ok(body), nil
}

func putMapping(c *cluster, req Request) (reply, *failure) {
	list, err := c.resolve(target(req), false)
	if err != nil {
		return reply{}, err
	}
	for _, x := range list {
		merged, err := mergeMappings(x.mappings, req.JSON(), "")
		if err != nil {
			return reply{}, err
		}
		if err := x.setMappings(merged); err != nil {
			return reply{}, err
		}
	}
	return ok(object{"acknowledged": true}), nil
}

// parser reads one document by the mapping of its index, and finds what the
// mapping lacks.
type docParser struct {
	flavour Flavour
	index   *index
	id      string
	doc     *document
	more    object // properties to add, nested by objects
}

// parse fills a document with its values. The mapping grows by dynamic fields.
func (x *index) parse(flavour Flavour, d *document) *failure {
	v := decode(d.source)
	fields, isObject := v.(object)
	p := &docParser{flavour: flavour, index: x, id: d.id, doc: d, more: object{}}
	if !isObject {
		return p.bad("failed to parse", nil)
	}
	d.fields, d.values = fields, map[string][]any{}
	if err := p.object(x.mappings, p.more, "", fields, false, dynamicOf(x.mappings, "true")); err != nil {
		return err
	}
	slices.Sort(d.ignored)
	d.ignored = slices.Compact(d.ignored)
	if len(p.more) == 0 {
		return nil
	}
	merged, err := mergeMappings(x.mappings, p.more, "")
	if err != nil {
		return err
	}
	return x.setMappings(merged)
}

func dynamicOf(node object, inherited string) string {
	if v, found := node["dynamic"]; found {
		return fmt.Sprint(v)
	}
	return inherited
}

func (p *docParser) bad(reason string, cause *failure) *failure {
	f := fail(400, p.flavour.parseError, "%s", reason)
	if p.flavour.vendor == "8" {
		f.reason = "[1:1] " + reason
	}
	if cause != nil {
		f.more = object{"caused_by": cause.cause()}
	}
	return f
}

// object reads the members of an object. More collects new fields under it.
func (p *docParser) object(node, more object, prefix string, members object, nested bool, dynamic string) *failure {
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if err := p.member(node, more, prefix, name, members[name], nested, dynamic); err != nil {
			return err
		}
	}
	return nil
}

func (p *docParser) member(node, more object, prefix, name string, v any, nested bool, dynamic string) *failure {
	if head, rest, dots := strings.Cut(name, "."); dots {
		name, v = head, object{rest: v}
	}
	if prefix == "" && slices.Contains([]string{"_id", "_index", "_routing", "_source", "_seq_no", "_version"}, name) {
		return p.bad(fmt.Sprintf("Field [%s] is a metadata field and cannot be added inside a document. Use the index API request parameters.", name), nil)
	}
	path := prefix + name
	def := obj(obj(node, "properties"), name)
	if def == nil {
		def = obj(obj(more, "properties"), name) // a field that this document added
	}
	if def == nil {
		var err *failure
		if def, err = p.dynamic(prefix, name, v, dynamic); err != nil || def == nil {
			return err
		}
		add(more, name, def)
	}
	typ := typeOf(def)
	if typ != "object" && typ != "nested" {
		return p.leaf(p.fieldOf(path, def, nested), v)
	}
	if def["enabled"] == false {
		return nil
	}
	return p.inner(def, more, path, name, v, nested || typ == "nested", dynamicOf(def, dynamic))
}

// inner reads the objects that a member holds.
func (p *docParser) inner(def, more object, path, name string, v any, nested bool, dynamic string) *failure {
	inner := object{}
	for _, e := range flatten(v) {
		members, isObject := e.(object)
		switch {
		case e == nil:
		case typeOf(def) == "nested" && isObject:
			if err := p.element(def, inner, path, members, dynamic); err != nil {
				return err
			}
		case !isObject:
			return p.bad(fmt.Sprintf("object mapping for [%s] tried to parse field [%s] as object, but found a concrete value", path, name), nil)
		default:
			if err := p.object(merge(def, inner), inner, path+".", members, nested, dynamic); err != nil {
				return err
			}
		}
	}
	if len(inner) > 0 {
		if typeOf(def) == "nested" {
			inner["type"] = "nested"
		}
		old := obj(obj(more, "properties"), name)
		add(more, name, merge(old, inner))
	}
	return nil
}

// element reads an element of a nested object: a document of its own in the
// index.
func (p *docParser) element(def, inner object, path string, members object, dynamic string) *failure {
	outer := p.doc
	p.doc = &document{index: outer.index, id: outer.id, fields: members, values: map[string][]any{}, path: path}
	err := p.object(merge(def, inner), inner, path+".", members, true, dynamic)
	outer.nested = append(outer.nested, p.doc)
	p.doc = outer
	return err
}

// merge returns the properties of both, and what else a has.
func merge(a, b object) object {
	m, _ := mergeMappings(a, b, "")
	return m
}

func add(node object, name string, def object) {
	props := obj(node, "properties")
	if props == nil {
		props = object{}
		node["properties"] = props
	}
	props[name] = def
}

// fieldOf returns the field of a definition: the index's, or a new one.
func (p *docParser) fieldOf(path string, def object, nested bool) *field {
	if f := p.index.fields[path]; f != nil {
		return f
	}
	fields := map[string]*field{}
	parent, name := "", path
	if i := strings.LastIndex(path, "."); i >= 0 {
		parent, name = path[:i+1], path[i+1:]
	}
	_ = collect(fields, parent, object{"properties": object{name: def}}, nested)
	return fields[path]
}

// dynamic returns the definition of a new field, nil for none.
func (p *docParser) dynamic(prefix, name string, v any, dynamic string) (object, *failure) {
	switch dynamic {
	case "strict":
		within := strings.TrimSuffix(prefix, ".")
		if within == "" {
			within = "_doc"
		}
		f := p.bad(fmt.Sprintf("mapping set to strict, dynamic introduction of [%s] within [%s] is not allowed", name, within), nil)
		f.typ = "strict_dynamic_mapping_exception"
		return nil, f
	case "false", "runtime":
		return nil, nil
	}
	for _, e := range flatten(v) {
		switch e := e.(type) {
		case object:
			return object{"properties": object{}}, nil
		case bool:
			return object{"type": "boolean"}, nil
		case json.Number:
			if strings.ContainsAny(e.String(), ".eE") {
				return object{"type": "float"}, nil
			}
			return object{"type": "long"}, nil
		case string:
			if _, ok := parseDate(e, "strict_date_optional_time||yyyy/MM/dd HH:mm:ss||yyyy/MM/dd", false); ok {
				return object{"type": "date"}, nil
			}
			return object{"type": "text", "fields": object{"keyword": object{"type": "keyword", "ignore_above": json.Number("256")}}}, nil
		}
	}
	return nil, nil
}

// flatten returns the elements of a list, lists inside it included, or the one
// value.
func flatten(v any) []any {
	list, isList := v.([]any)
	if !isList {
		return []any{v}
	}
	var out []any
	for _, e := range list {
		out = append(out, flatten(e)...)
	}
	return out
}
