package esdstest

import (
	"encoding/json"
	"math"
	"math/big"
	"net/netip"
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
		case "term", "match", "match_phrase", "range", "prefix", "wildcard", "terms":
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
			for _, e := range flatten(v) {
				q, err := parseQuery(c, e)
				if err != nil {
					return query{}, err
				}
				parts[key] = append(parts[key], q)
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
	}}, nil
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

func existsQuery(name string) (query, *failure) {
	if name == "" {
		return query{}, fail(400, "parsing_exception", "[exists] must be provided with a [field]")
	}
	return query{bind: func(*index) (test, *failure) {
		return func(d *document) bool {
			if strings.HasPrefix(name, "_") && len(metaValues(d, name)) > 0 {
				return true
			}
			for _, path := range d.present {
				if path == name || strings.HasPrefix(path, name+".") {
					return true
				}
			}
			for path, values := range d.values {
				if len(values) > 0 && (path == name || strings.HasPrefix(path, name+".")) {
					return true
				}
			}
			return false
		}, nil
	}}, nil
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

// matcher returns the test of a field's values, nil when none can match.
func (f *field) matcher(kind string, params object) (func(values []any) bool, *failure) {
	switch kind {
	case "term":
		return f.terms([]any{params["value"]}, params["case_insensitive"] == true)
	case "terms":
		list, isList := params["values"].([]any)
		if !isList {
			return nil, fail(400, "parsing_exception", "[terms] query requires an array of terms")
		}
		return f.terms(list, false)
	case "match", "match_phrase":
		if f.typ == "text" {
			return f.match(params, kind == "match_phrase"), nil
		}
		return f.terms([]any{params["query"]}, false)
	case "range":
		return f.between(params)
	}
	return f.like(kind, params)
}

func (f *field) terms(list []any, fold bool) (func([]any) bool, *failure) {
	var tests []func([]any) bool
	for _, e := range list {
		if e == nil {
			return nil, fail(400, "parsing_exception", "No value specified for terms query")
		}
		t, err := f.term(e, fold)
		if err != nil {
			return nil, err
		}
		if t != nil {
			tests = append(tests, t)
		}
	}
	return func(values []any) bool {
		return slices.ContainsFunc(tests, func(t func([]any) bool) bool { return t(values) })
	}, nil
}

// term returns the test for one value, nil when nothing can equal it.
func (f *field) term(e any, fold bool) (func([]any) bool, *failure) {
	switch f.typ {
	case "date", "date_nanos":
		return f.between(object{"gte": e, "lte": e})
	case "text", "keyword", "wildcard", "constant_keyword":
		s := text(e)
		if f.params["normalizer"] != nil {
			s = strings.ToLower(s)
		}
		return func(values []any) bool {
			return slices.ContainsFunc(values, func(v any) bool { return v == s || fold && strings.EqualFold(text(v), s) })
		}, nil
	case "ip":
		if prefix, err := netip.ParsePrefix(text(e)); err == nil {
			return func(values []any) bool {
				return slices.ContainsFunc(values, func(v any) bool { return prefix.Contains(netip.MustParseAddr(text(v))) })
			}, nil
		}
	case "byte", "short", "integer", "long", "unsigned_long":
		r, ok := new(big.Rat).SetString(text(e))
		if ok && !r.IsInt() {
			return nil, nil
		}
		if want, err := f.index(e); ok && err != nil { // out of range
			return nil, nil
		} else if err != nil {
			return nil, fail(400, "number_format_exception", "%s", err.reason)
		} else {
			return equals(want[0]), nil
		}
	}
	want, err := f.index(e)
	if err != nil {
		return nil, fail(400, "query_shard_exception", "failed to create query: %s", err.reason)
	}
	if len(want) == 0 {
		return nil, fail(400, "query_shard_exception", "failed to create query: %s fields do not support searching", f.typ)
	}
	return equals(want[0]), nil
}

func equals(want any) func([]any) bool {
	return func(values []any) bool {
		return slices.ContainsFunc(values, func(v any) bool { return compare(v, want) == 0 })
	}
}

func (f *field) match(params object, phrase bool) func([]any) bool {
	words := tokens(text(params["query"]))
	every := phrase || strings.EqualFold(str(params, "operator"), "and")
	return func(values []any) bool {
		n := 0
		for _, w := range words {
			if slices.Contains(values, w) {
				n++
			}
		}
		if phrase && n == len(words) {
			return phraseIn(values, words)
		}
		return len(words) > 0 && (n == len(words) || !every && n > 0)
	}
}

func phraseIn(values, words []any) bool {
	for i := range values {
		if len(values)-i >= len(words) && slices.Equal(values[i:i+len(words)], words) {
			return len(words) > 0
		}
	}
	return false
}

// between is a range query.
func (f *field) between(params object) (func([]any) bool, *failure) {
	var tests []func(any) bool
	for key, e := range params {
		switch key {
		case "gt", "gte", "lt", "lte":
			if e == nil {
				continue
			}
			t, err := f.bound(key, e, str(params, "format"))
			if err != nil {
				return nil, err
			}
			tests = append(tests, t)
		case "format", "boost", "relation", "time_zone", "_name":
		default:
			return nil, fail(400, "parsing_exception", "[range] query does not support [%s]", key)
		}
	}
	return func(values []any) bool {
		return slices.ContainsFunc(values, func(v any) bool {
			for _, t := range tests {
				if !t(v) {
					return false
				}
			}
			return true
		})
	}, nil
}

func (f *field) bound(key string, e any, format string) (func(any) bool, *failure) {
	accept := func(n int) bool {
		return n > 0 && key[0] == 'g' || n < 0 && key[0] == 'l' || n == 0 && len(key) == 3
	}
	var limit any
	switch f.typ {
	case "date", "date_nanos":
		if format == "" {
			format = f.format()
		}
		n, ok := f.dateIn(text(e), format, key == "gt" || key == "lte")
		if !ok {
			return nil, fail(400, "parse_exception", "failed to parse date field [%s] with format [%s]", text(e), format)
		}
		limit = n
	case "float", "double", "half_float", "scaled_float":
		v, ok := number(json.Number(text(e)))
		if !ok {
			return nil, fail(400, "query_shard_exception", "failed to create query: For input string: %q", text(e))
		}
		if limit = f.round(v); math.IsInf(limit.(float64), 0) && f.typ == "half_float" {
			return nil, fail(400, "query_shard_exception", "failed to create query: [half_float] supports only finite values, but got [%s]", text(e))
		}
	case "byte", "short", "integer", "long", "unsigned_long":
		r, ok := new(big.Rat).SetString(text(e))
		if !ok {
			return nil, fail(400, "query_shard_exception", "failed to create query: For input string: %q", text(e))
		}
		return func(v any) bool { return accept(asRat(v).Cmp(r)) }, nil
	case "keyword", "text", "wildcard", "constant_keyword", "flattened":
		limit = text(e)
	case "ip":
		addr, err := netip.ParseAddr(text(e))
		if err != nil {
			return nil, fail(400, "query_shard_exception", "failed to create query: '%s' is not an IP string literal.", text(e))
		}
		return func(v any) bool { return accept(netip.MustParseAddr(text(v)).Compare(addr)) }, nil
	case "boolean":
		want, err := f.index(e)
		if err != nil {
			return nil, fail(400, "query_shard_exception", "failed to create query: %s", err.reason)
		}
		limit = want[0]
	default:
		return nil, fail(400, "query_shard_exception", "failed to create query: Field [%s] of type [%s] does not support range queries", f.path, f.typ)
	}
	return func(v any) bool { return accept(compare(v, limit)) }, nil
}

// like is a prefix or wildcard query.
func (f *field) like(kind string, params object) (func([]any) bool, *failure) {
	if !contains([]string{"keyword", "text", "wildcard", "constant_keyword"}, f.typ) {
		return nil, fail(400, "query_shard_exception", "failed to create query: Can only use %s queries on keyword, text and wildcard fields - not on [%s] which is of type [%s]", kind, f.path, f.typ)
	}
	pattern := text(params["value"])
	if w, found := params["wildcard"]; found {
		pattern = text(w)
	}
	fold := params["case_insensitive"] == true
	if fold || f.params["normalizer"] != nil {
		pattern = strings.ToLower(pattern)
	}
	return func(values []any) bool {
		return slices.ContainsFunc(values, func(v any) bool {
			s := text(v)
			if fold {
				s = strings.ToLower(s)
			}
			if kind == "prefix" {
				return strings.HasPrefix(s, pattern)
			}
			return like(pattern, s, true)
		})
	}, nil
}
