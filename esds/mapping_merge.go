package esds

import (
	"fmt"
	"maps"
	"slices"

	"github.com/eslake/eslake/sql/row"
)

// MergeMappings returns the fields of several indices as those of one table, as
// elasticsearch-hadoop merges them: whole numbers and floating-point numbers
// widen, other scalar kinds meet at keyword, and a field that an index lacks is
// NULL there. Two kinds that cannot be one column, an object and a scalar, are
// remembered in Clash: that is an error only for who uses the column.
func MergeMappings(indices map[string][]Field) []Field {
	var all []Field
	origin := map[string]string{}
	for _, index := range slices.Sorted(maps.Keys(indices)) {
		all = mergeFields(all, indices[index], index, origin)
	}
	return all
}

func mergeFields(all, more []Field, index string, origin map[string]string) []Field {
	for _, f := range more {
		i, found := slices.BinarySearchFunc(all, f.Path, func(g Field, path string) int { return compare(g.Path, path) })
		if !found {
			all = slices.Insert(all, i, clone(f))
			all[i].remember(index, origin)
			continue
		}
		merge(&all[i], f, index, origin)
	}
	return all
}

func compare(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func clone(f Field) Field {
	f.Children = slices.Clone(f.Children)
	f.Multi = slices.Clone(f.Multi)
	for i := range f.Children {
		f.Children[i] = clone(f.Children[i])
	}
	return f
}

// merge makes one field of two, with the weaker of each property.
func merge(f *Field, g Field, index string, origin map[string]string) {
	if clash(f, g) {
		if f.Clash == "" {
			f.Clash = fmt.Sprintf("%s in index %s but %s in index %s", f.called(), origin[f.Path], g.called(), index)
		}
		f.Mixed = true
		return
	}
	mergeKinds(f, g)
	maps.Copy(f.Constants, g.constants(index))
	if g.IgnoreAbove > 0 && (f.IgnoreAbove == 0 || g.IgnoreAbove < f.IgnoreAbove) {
		f.IgnoreAbove = g.IgnoreAbove
	}
	if f.Normalizer != g.Normalizer {
		f.Normalizer += g.Normalizer
	}
	f.NullValue = f.NullValue || g.NullValue
	f.Indexed = f.Indexed && g.Indexed
	f.DocValues = f.DocValues && g.DocValues
	f.Malformed = f.Malformed || g.Malformed
	f.CopiedTo = f.CopiedTo || g.CopiedTo
	f.Late = f.Late || g.Late
	f.Disabled = f.Disabled || g.Disabled
	f.Children = mergeFields(f.Children, g.Children, index, origin)
	f.Multi = mergeMulti(f.Multi, g.Multi, index, origin)
}

func mergeKinds(f *Field, g Field) {
	if f.Kind != g.Kind || f.Runtime != g.Runtime || f.Format != g.Format || f.Scale != g.Scale || f.Alias != g.Alias {
		f.Mixed = true
	}
	f.Runtime = f.Runtime || g.Runtime
	f.Kind = widen(f.Kind, g.Kind)
	if f.Format != g.Format {
		f.Format = joinFormats(f.Format, g.Format)
	}
	if !f.Hint.Equal(g.Hint) {
		f.Hint = row.Type{}
	}
}

// mergeMulti keeps the multi-fields that every index has: only those can stand
// in for the field.
func mergeMulti(fs, gs []Field, index string, origin map[string]string) []Field {
	var kept []Field
	for _, f := range fs {
		for _, g := range gs {
			if f.Path == g.Path {
				merge(&f, g, index, origin)
				kept = append(kept, f)
			}
		}
	}
	return kept
}

// clash reports whether two kinds cannot be read as one column.
func clash(f *Field, g Field) bool {
	if f.Kind == "alias" || g.Kind == "alias" {
		return f.Kind != g.Kind || f.Alias != g.Alias // the documents hold the value elsewhere
	}
	if f.Kind != g.Kind && (compoundType(f.Kind).Kind != row.Void || compoundType(g.Kind).Kind != row.Void) {
		return true
	}
	return structured(f.Kind) != structured(g.Kind)
}

func structured(kind string) bool {
	return kind == "object" || kind == "nested" || kind == "passthrough"
}

// remember notes of a field and those below it which index they come from.
func (f *Field) remember(index string, origin map[string]string) {
	f.Constants = f.constants(index)
	origin[f.Path] = index
	for _, parts := range [][]Field{f.Children, f.Multi} {
		for i := range parts {
			parts[i].remember(index, origin)
		}
	}
}

// called names the kind for messages.
func (f *Field) called() string {
	if f.Kind == "alias" {
		return "alias of " + f.Alias
	}
	return f.Kind
}

// constants returns the one value of a constant_keyword under the name of its
// index.
func (f *Field) constants(index string) map[string]string {
	found := map[string]string{}
	if f.Kind == "constant_keyword" && f.Constant != "" {
		found[index] = f.Constant
	}
	return found
}

var chains = [][]string{
	{"byte", "short", "integer", "long"},
	{"half_float", "float", "double"},
	{"scaled_float", "double"},
	{"token_count", "long"},
	{"date", "date_nanos"},
	{"passthrough", "object", "nested"},
}

func widen(a, b string) string {
	if a == b {
		return a
	}
	for _, chain := range chains {
		i, j := slices.Index(chain, a), slices.Index(chain, b)
		if i >= 0 && j >= 0 {
			return chain[max(i, j)]
		}
	}
	return "keyword"
}

func joinFormats(a, b string) string {
	const usual = "strict_date_optional_time||epoch_millis"
	if a == "" {
		a = usual
	}
	if b == "" {
		b = usual
	}
	return a + "||" + b
}
