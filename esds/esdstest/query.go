package esdstest

import (
	"slices"
	"strconv"
	"strings"
)

// test reports whether a document matches.
type test func(d *document) bool

// query is a query that can be bound to the mapping of an index.
type query struct {
	bind func(x *index) (test, *failure)
}

func constant(v bool) query {
	return query{bind: func(*index) (test, *failure) { return func(*document) bool { return v }, nil }}
}

// parseQuery reads one clause of the query DSL. Nothing matches all.
func parseQuery(c *cluster, v any) (query, *failure) {
	if v == nil {
		return constant(true), nil
	}
	clause, isObject := v.(object)
	if !isObject || len(clause) != 1 {
		return query{}, fail(400, "parsing_exception", "[query] malformed query, expected one clause")
	}
	for name, body := range clause {
		def, _ := body.(object)
		switch name {
		case "match_all":
			return constant(true), nil
		case "match_none":
			return constant(false), nil
		case "bool":
			return parseBoolQuery(c, def)
		case "constant_score":
			return parseQuery(c, def["filter"])
		case "ids":
			ids := texts(def["values"])
			return query{bind: func(*index) (test, *failure) {
				return func(d *document) bool { return contains(ids, d.id) }, nil
			}}, nil
		case "exists":
			return existsQuery(str(def, "field"))
		case "nested":
			return nestedQuery(c, def)
		case "query_string":
			return queryString(c, def)
		case "term", "match", "match_phrase", "range", "prefix", "wildcard", "regexp", "terms":
			return fieldQuery(c, name, def)
		}
		return query{}, fail(400, "parsing_exception", "unknown query [%s], or the fake does not know it", name)
	}
	panic("unreachable")
}

// parseBoolQuery joins the clauses of a bool query.
func parseBoolQuery(c *cluster, def object) (query, *failure) {
	parts := map[string][]query{}
	least := -1
	for key, v := range def {
		switch key {
		case "must", "filter", "should", "must_not":
			var err *failure
			if parts[key], err = parseQueries(c, v); err != nil {
				return query{}, err
			}
		case "minimum_should_match":
			n, err := strconv.Atoi(text(v))
			if err != nil {
				return query{}, fail(400, "parsing_exception", "the fake knows whole numbers of minimum_should_match only")
			}
			least = n
		case "boost", "_name":
		default:
			return query{}, fail(400, "parsing_exception", "[bool] query does not support [%s]", key)
		}
	}
	return boolQuery(parts, least), nil
}

func parseQueries(c *cluster, v any) ([]query, *failure) {
	var list []query
	for _, e := range flatten(v) {
		q, err := parseQuery(c, e)
		if err != nil {
			return nil, err
		}
		list = append(list, q)
	}
	return list, nil
}

// boolQuery joins parts. Least is minimum_should_match, -1 for its default.
func boolQuery(parts map[string][]query, least int) query {
	all := slices.Concat(parts["must"], parts["filter"])
	if least < 0 {
		least = 0
		if len(all) == 0 && len(parts["should"]) > 0 {
			least = 1
		}
	}
	return query{bind: func(x *index) (test, *failure) {
		must, err := bindAll(x, all)
		if err != nil {
			return nil, err
		}
		should, err := bindAll(x, parts["should"])
		if err != nil {
			return nil, err
		}
		not, err := bindAll(x, parts["must_not"])
		return func(d *document) bool {
			return matching(must, d) == len(must) && matching(not, d) == 0 && matching(should, d) >= least
		}, err
	}}
}

func bindAll(x *index, qs []query) ([]test, *failure) {
	var tests []test
	for _, q := range qs {
		t, err := q.bind(x)
		if err != nil {
			return nil, err
		}
		tests = append(tests, t)
	}
	return tests, nil
}

func matching(tests []test, d *document) int {
	n := 0
	for _, t := range tests {
		if t(d) {
			n++
		}
	}
	return n
}

// nestedQuery finds documents with an element of a nested object that matches.
func nestedQuery(c *cluster, def object) (query, *failure) {
	path := str(def, "path")
	inner, err := parseQuery(c, def["query"])
	if err != nil || path == "" {
		return query{}, fail(400, "parsing_exception", "[nested] requires 'path' and 'query' fields")
	}
	return query{bind: func(x *index) (test, *failure) {
		f := x.fields[path]
		switch {
		case f == nil && def["ignore_unmapped"] == true:
			return func(*document) bool { return false }, nil
		case f == nil || f.typ != "nested":
			return nil, fail(400, "query_shard_exception", "failed to create query: [nested] failed to find nested object under path [%s]", path)
		}
		one, err := inner.bind(x)
		return func(d *document) bool { return anyNested(d, path, one) }, err
	}}, nil
}

func anyNested(d *document, path string, one test) bool {
	return slices.ContainsFunc(d.nested, func(e *document) bool { return e.path == path && one(e) || anyNested(e, path, one) })
}

func existsQuery(name string) (query, *failure) {
	if name == "" {
		return query{}, fail(400, "parsing_exception", "[exists] must be provided with a [field]")
	}
	return query{bind: func(*index) (test, *failure) {
		return func(d *document) bool { return d.has(name) }, nil
	}}, nil
}

// has reports whether a field, or one below it, was indexed.
func (d *document) has(name string) bool {
	if len(metaValues(d, name)) > 0 {
		return true
	}
	under := func(path string) bool { return path == name || strings.HasPrefix(path, name+".") }
	for path, values := range d.values {
		if len(values) > 0 && under(path) {
			return true
		}
	}
	return slices.ContainsFunc(d.present, under)
}

// metaValues returns the values of a metadata field.
func metaValues(d *document, name string) []any {
	switch name {
	case "_id":
		return []any{d.id}
	case "_index":
		return []any{d.index}
	case "_routing":
		if d.routing != "" {
			return []any{d.routing}
		}
	case "_ignored":
		var list []any
		for _, path := range d.ignored {
			list = append(list, path)
		}
		return list
	}
	return nil
}

// fieldQuery is a query about one field: {"term": {"f": {"value": v}}}.
func fieldQuery(c *cluster, kind string, def object) (query, *failure) {
	for name, body := range def {
		if name == "boost" || name == "_name" {
			continue
		}
		params, isObject := body.(object)
		if !isObject {
			params = object{shortForm(kind): body}
		}
		for _, key := range []string{"value", "query"} {
			if v, found := params[key]; found && v == nil {
				return query{}, fail(400, "parsing_exception", "Failed to parse")
			}
		}
		return query{bind: func(x *index) (test, *failure) { return bindField(c, x, kind, name, params) }}, nil
	}
	return query{}, fail(400, "parsing_exception", "[%s] query malformed, no field", kind)
}

// shortForm returns what the one value of a query without an object is.
func shortForm(kind string) string {
	switch kind {
	case "match", "match_phrase":
		return "query"
	case "terms":
		return "values"
	}
	return "value"
}

func bindField(c *cluster, x *index, kind, name string, params object) (test, *failure) {
	f := x.fields[name]
	if f != nil && f.typ == "alias" {
		name = str(f.params, "path")
		f = x.fields[name]
	}
	if strings.HasPrefix(name, "_") && f == nil {
		f = &field{path: name, typ: "keyword"}
		if name == "_index" {
			return indexTest(c, x, kind, params)
		}
		if (name == "_id" || name == "_routing") && kind != "term" && kind != "terms" && kind != "match" {
			return nil, fail(400, "illegal_argument_exception", "Can only use %s queries on keyword, text and wildcard fields - not on [%s] which is of type [%s]", kind, name, name)
		}
	}
	if f == nil {
		return func(*document) bool { return false }, nil
	}
	if f.params["index"] == false && (f.params["doc_values"] == false || f.typ == "text") {
		return nil, fail(400, "illegal_argument_exception", "Cannot search on field [%s] since it is not indexed.", name)
	}
	one, err := f.matcher(kind, params)
	if err != nil || one == nil {
		return func(*document) bool { return false }, err
	}
	return func(d *document) bool {
		values := d.values[name]
		if strings.HasPrefix(name, "_") {
			values = metaValues(d, name)
		}
		return one(values)
	}, nil
}

// indexTest matches the name of the index, which may be given as an alias.
func indexTest(c *cluster, x *index, kind string, params object) (test, *failure) {
	found := false
	for _, v := range append(flatten(params["value"]), append(flatten(params["values"]), params["query"])...) {
		if v == nil {
			continue
		}
		name := text(v)
		switch kind {
		case "prefix":
			found = found || strings.HasPrefix(x.name, name)
		case "range":
			return nil, fail(400, "illegal_argument_exception", "Field [_index] of type [_index] does not support range queries")
		default:
			found = found || wildcard(name, x.name) || c.aliases[name][x.name] != nil
		}
	}
	return func(*document) bool { return found }, nil
}
