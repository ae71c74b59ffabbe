package esdstest

import (
	"encoding/json"
	"math"
	"math/big"
	"net/netip"
	"regexp"
	"slices"
	"strings"
)

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
	if _, whole := intBits[f.typ]; whole || f.typ == "unsigned_long" {
		r, ok := new(big.Rat).SetString(text(e))
		if !ok {
			return nil, fail(400, "query_shard_exception", "failed to create query: For input string: %q", text(e))
		}
		return func(v any) bool { return accept(asRat(v).Cmp(r)) }, nil
	}
	limit, err := f.limit(key, e, format)
	if err != nil {
		return nil, err
	}
	if addr, isIP := limit.(netip.Addr); isIP {
		return func(v any) bool { return accept(netip.MustParseAddr(text(v)).Compare(addr)) }, nil
	}
	return func(v any) bool { return accept(compare(v, limit)) }, nil
}

// limit returns what the values of a field are compared with.
func (f *field) limit(key string, e any, format string) (any, *failure) {
	bad := func(format string, args ...any) *failure {
		return fail(400, "query_shard_exception", "failed to create query: "+format, args...)
	}
	switch f.typ {
	case "date", "date_nanos":
		if format == "" {
			format = f.format()
		}
		n, ok := f.dateIn(text(e), format, key == "gt" || key == "lte")
		if !ok {
			return nil, fail(400, "parse_exception", "failed to parse date field [%s] with format [%s]", text(e), format)
		}
		return n, nil
	case "float", "double", "half_float", "scaled_float":
		v, ok := number(json.Number(text(e)))
		if !ok {
			return nil, bad("For input string: %q", text(e))
		}
		if v = f.round(v); math.IsInf(v, 0) && f.typ == "half_float" {
			return nil, bad("[half_float] supports only finite values, but got [%s]", text(e))
		}
		return v, nil
	case "keyword", "text", "wildcard", "constant_keyword", "flattened":
		return text(e), nil
	case "ip":
		addr, err := netip.ParseAddr(text(e))
		if err != nil {
			return nil, bad("'%s' is not an IP string literal.", text(e))
		}
		return addr, nil
	case "boolean":
		want, err := f.index(e)
		if err != nil {
			return nil, bad("%s", err.reason)
		}
		return want[0], nil
	}
	return nil, bad("Field [%s] of type [%s] does not support range queries", f.path, f.typ)
}

// luceneRegexp is a regexp query without optional operators: Go's syntax covers
// what is left, but for quotes.
func luceneRegexp(pattern string) (func([]any) bool, *failure) {
	re, err := regexp.Compile(`^(?s:` + pattern + `)$`)
	if err != nil || len(pattern) > 1000 {
		return nil, fail(400, "query_shard_exception", "failed to create query: %s", pattern)
	}
	return func(values []any) bool {
		return slices.ContainsFunc(values, func(v any) bool { return re.MatchString(text(v)) })
	}, nil
}

// like is a prefix or wildcard query.
func (f *field) like(kind string, params object) (func([]any) bool, *failure) {
	if !contains([]string{"keyword", "text", "wildcard", "constant_keyword"}, f.typ) {
		return nil, fail(400, "query_shard_exception", "failed to create query: Can only use %s queries on keyword, text and wildcard fields - not on [%s] which is of type [%s]", kind, f.path, f.typ)
	}
	pattern := text(params["value"])
	if kind == "regexp" {
		return luceneRegexp(pattern)
	}
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
