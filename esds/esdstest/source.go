package esdstest

import (
	"encoding/json"
	"slices"
	"strings"
)

// sourceFilter says which parts of the source come back.
type sourceFilter struct {
	all               bool
	includes, exclude []string
	keeps             bool // objects that were emptied
}

func parseSource(v any) sourceFilter {
	switch v := v.(type) {
	case bool:
		return sourceFilter{all: v}
	case object:
		s := sourceFilter{all: true}
		for _, key := range []string{"includes", "include"} {
			s.includes = append(s.includes, texts(v[key])...)
		}
		for _, key := range []string{"excludes", "exclude"} {
			s.exclude = append(s.exclude, texts(v[key])...)
		}
		return s
	}
	return sourceFilter{all: true, includes: texts(v)}
}

func (s sourceFilter) apply(d *document) (any, bool) {
	switch {
	case !s.all:
		return nil, false
	case len(s.includes) == 0 && len(s.exclude) == 0:
		return json.RawMessage(d.source), true
	}
	return s.members("", d.fields), true
}

func (s sourceFilter) members(prefix string, fields object) object {
	out := object{}
	for name, v := range fields {
		path := prefix + name
		if matchesPath(s.exclude, path) {
			continue
		}
		whole := len(s.includes) == 0 || matchesPath(s.includes, path)
		if !whole && !leadsTo(s.includes, path) {
			continue
		}
		inner := s
		if whole {
			inner.includes = nil
		}
		if kept, some := inner.value(path, v, whole); some {
			out[name] = kept
		}
	}
	return out
}

func (s sourceFilter) value(path string, v any, whole bool) (any, bool) {
	switch v := v.(type) {
	case object:
		kept := s.members(path+".", v)
		return kept, whole && (len(v) == 0 || s.keeps) || len(kept) > 0
	case []any:
		kept := []any{}
		for _, e := range v {
			if k, some := s.value(path, e, whole); some {
				kept = append(kept, k)
			}
		}
		return kept, whole || len(kept) > 0
	}
	if n, isNumber := v.(json.Number); isNumber && strings.ContainsAny(n.String(), ".eE") {
		// The servers read and write a source that they filter: fractions pass
		// through a double, and lose digits.
		if f, err := n.Float64(); err == nil {
			v = javaFloat(f)
		}
	}
	return v, whole
}

func matchesPath(patterns []string, path string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return wildcard(p, path) || wildcard(p+".*", path) })
}

// leadsTo reports whether something below the path may be included.
func leadsTo(patterns []string, path string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		return strings.HasPrefix(p, path+".") || strings.Contains(p, "*") && wildcard(p, path+".x")
	})
}
