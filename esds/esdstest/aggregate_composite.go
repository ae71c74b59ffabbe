package esdstest

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"time"
)

// keySource is one key of a composite aggregation.
type keySource struct {
	name    string
	field   *field // nil when no index has it
	path    string
	missing bool
	cut     func(ms int64) int64 // nil for none
}

// parseComposite reads a composite aggregation. As in the real servers, a
// document with several values is in several buckets, in each of them once.
func parseComposite(body object, inner aggregations, snap *snapshot) (aggregator, *failure) {
	size := 10
	if n, ok := number(body["size"]); ok {
		size = int(n)
	}
	if size > maxBuckets {
		return nil, phase(fail(400, "too_many_buckets_exception", "Trying to create too many buckets. Must be less than or equal to: [%d] but was [%d].", maxBuckets, size))
	}
	var sources []keySource
	for _, e := range flatten(body["sources"]) {
		def, _ := e.(object)
		for name, v := range def {
			s, err := parseKeySource(name, v.(object), snap)
			if err != nil {
				return nil, err
			}
			sources = append(sources, s)
		}
	}
	if len(sources) == 0 {
		return nil, fail(400, "parsing_exception", "Required [sources]")
	}
	var after []any
	if a := obj(body, "after"); a != nil {
		for _, s := range sources {
			after = append(after, s.read(a[s.name]))
		}
	}
	return func(docs []*document) object { return compositeOf(docs, sources, after, size, inner, snap) }, nil
}

func parseKeySource(name string, def object, snap *snapshot) (keySource, *failure) {
	for kind, v := range def {
		body, _ := v.(object)
		s := keySource{name: name, path: str(body, "field"), missing: body["missing_bucket"] == true}
		if err := snap.checkValues(s.path); err != nil {
			return s, err
		}
		s.field = snap.fieldOf(s.path)
		switch kind {
		case "terms":
			return s, nil
		case "date_histogram":
			if s.cut = cutter(str(body, "fixed_interval"), str(body, "calendar_interval")); s.cut == nil {
				return s, fail(400, "illegal_argument_exception", "the fake does not know this interval of a date_histogram")
			}
			return s, nil
		}
	}
	return keySource{}, fail(400, "parsing_exception", "the fake does not know this source of a composite aggregation")
}

// cutter returns what brings milliseconds to the start of their interval.
func cutter(fixed, calendar string) func(int64) int64 {
	units := map[string]int64{"1s": 1000, "1m": 60_000, "1h": 3_600_000, "1d": 86_400_000}
	if unit := units[fixed]; unit > 0 {
		return func(ms int64) int64 { return int64(math.Floor(float64(ms)/float64(unit))) * unit }
	}
	return map[string]func(int64) int64{
		"week": func(ms int64) int64 {
			t := time.UnixMilli(ms).UTC()
			return time.Date(t.Year(), t.Month(), t.Day()-(int(t.Weekday())+6)%7, 0, 0, 0, 0, time.UTC).UnixMilli()
		},
		"month": func(ms int64) int64 {
			t := time.UnixMilli(ms).UTC()
			return time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC).UnixMilli()
		},
		"quarter": func(ms int64) int64 {
			t := time.UnixMilli(ms).UTC()
			return time.Date(t.Year(), (t.Month()-1)/3*3+1, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
		},
		"year": func(ms int64) int64 {
			return time.Date(time.UnixMilli(ms).UTC().Year(), 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
		},
	}[calendar]
}

// values are the keys that a document has, nil for a missing one.
func (s keySource) values(d *document, snap *snapshot) []any {
	values := snap.valuesOf(d, s.path)
	for i, v := range values {
		if s.cut != nil {
			values[i] = s.cut(v.(int64))
		}
	}
	values = slices.CompactFunc(values, func(a, b any) bool { return compareKeys(a, b) == 0 })
	if len(values) == 0 && s.missing {
		return []any{nil}
	}
	return values
}

func (s keySource) show(v any) any {
	if b, isInt := v.(int64); isInt && s.field != nil && s.field.typ == "boolean" {
		return b == 1
	}
	return showKey(v)
}

// read takes a value of after, as it was shown.
func (s keySource) read(v any) any {
	switch v := v.(type) {
	case bool:
		if v {
			return int64(1)
		}
		return int64(0)
	case json.Number:
		if s.field != nil && (s.field.typ == "double" || s.field.typ == "float" || s.field.typ == "half_float" || s.field.typ == "scaled_float") {
			f, _ := strconv.ParseFloat(v.String(), 64)
			return f
		}
		n, _ := v.Int64()
		return n
	}
	return v
}

// compareKeys orders keys: a missing one first, -0.0 before 0.0.
func compareKeys(a, b any) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	}
	if x, isFloat := a.(float64); isFloat && x == b.(float64) {
		return compare(int64(math.Float64bits(x)>>63^1), int64(math.Float64bits(b.(float64))>>63^1))
	}
	return compare(a, b)
}

func compareTuples(a, b []any) int { return slices.CompareFunc(a, b, compareKeys) }

type compositeBucket struct {
	key  []any
	docs []*document
}

func compositeOf(docs []*document, sources []keySource, after []any, size int, inner aggregations, snap *snapshot) object {
	var found []*compositeBucket
	for _, d := range docs {
		for _, key := range tuples(sources, d, snap) {
			if after != nil && compareTuples(key, after) <= 0 {
				continue
			}
			i, have := slices.BinarySearchFunc(found, key, func(b *compositeBucket, key []any) int { return compareTuples(b.key, key) })
			if !have {
				found = slices.Insert(found, i, &compositeBucket{key: key})
			}
			found[i].docs = append(found[i].docs, d)
		}
	}
	found = found[:min(size, len(found))]
	buckets := []any{}
	out := object{}
	for _, b := range found {
		key := object{}
		for i, s := range sources {
			key[s.name] = s.show(b.key[i])
		}
		bucket := bucketOf(b.docs, inner)
		bucket["key"] = key
		buckets = append(buckets, bucket)
		out["after_key"] = key
	}
	out["buckets"] = buckets
	return out
}

// tuples returns every combination of a document's keys.
func tuples(sources []keySource, d *document, snap *snapshot) [][]any {
	all := [][]any{{}}
	for _, s := range sources {
		var next [][]any
		for _, v := range s.values(d, snap) {
			for _, t := range all {
				next = append(next, append(slices.Clone(t), v))
			}
		}
		all = next
	}
	return all
}
