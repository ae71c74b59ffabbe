package esdstest

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
)

// maxBuckets is search.max_buckets.
const maxBuckets = 65536

// aggregator computes one aggregation over documents.
type aggregator func(docs []*document) object

// aggregations are those of a request or a bucket, by name.
type aggregations map[string]aggregator

func (a aggregations) answer(docs []*document) object {
	out := object{}
	for name, f := range a {
		out[name] = f(docs)
	}
	return out
}

// parseAggs reads the aggregations of a search or a bucket, bound to the indices
// that it reads.
func (c *cluster) parseAggs(v any, snap *snapshot) (aggregations, *failure) {
	defs, _ := v.(object)
	out := aggregations{}
	for name, v := range defs {
		def, _ := v.(object)
		f, err := c.parseAgg(name, def, snap)
		if err != nil {
			return nil, err
		}
		out[name] = f
	}
	return out, nil
}

func (c *cluster) parseAgg(name string, def object, snap *snapshot) (aggregator, *failure) {
	inner, err := c.parseAggs(def["aggs"], snap)
	if err != nil {
		return nil, err
	}
	for kind, v := range def {
		body, _ := v.(object)
		switch kind {
		case "aggs":
			continue
		case "filter":
			return c.filterAgg(body, inner, snap)
		case "missing":
			return func(docs []*document) object {
				docs = slices.DeleteFunc(slices.Clone(docs), func(d *document) bool { return len(d.values[str(body, "field")]) > 0 })
				return bucketOf(docs, inner)
			}, nil
		case "composite":
			return parseComposite(body, inner, snap)
		}
		field := str(body, "field")
		if err := snap.checkValues(field); err != nil {
			return nil, err
		}
		switch kind {
		case "value_count":
			return func(docs []*document) object { return object{"value": len(snap.docValues(docs, field))} }, nil
		case "stats":
			if f := snap.fieldOf(field); f != nil && slices.Contains([]string{"keyword", "ip", "binary"}, f.typ) {
				return nil, phase(fail(400, "illegal_argument_exception", "Field [%s] of type [%s] is not supported for aggregation [stats]", field, f.typ))
			}
			return func(docs []*document) object { return stats(snap.docValues(docs, field)) }, nil
		case "terms":
			return termsAgg(body, inner, snap)
		}
		return nil, fail(400, "parsing_exception", "Unknown aggregation type [%s], or the fake does not know it, in [%s]", kind, name)
	}
	return nil, fail(400, "parsing_exception", "Missing definition for aggregation [%s]", name)
}

func bucketOf(docs []*document, inner aggregations) object {
	out := object{"doc_count": len(docs)}
	maps.Copy(out, inner.answer(docs))
	return out
}

func (c *cluster) filterAgg(body object, inner aggregations, snap *snapshot) (aggregator, *failure) {
	q, err := parseQuery(c, body)
	if err != nil {
		return nil, err
	}
	tests := map[*index]test{}
	byName := map[string]*index{}
	for _, sh := range snap.shards {
		if tests[sh.index] != nil {
			continue
		}
		if tests[sh.index], err = q.bind(sh.index); err != nil {
			return nil, phase(err)
		}
		byName[sh.index.name] = sh.index
	}
	return func(docs []*document) object {
		docs = slices.DeleteFunc(slices.Clone(docs), func(d *document) bool { return !tests[byName[d.index]](d) })
		return bucketOf(docs, inner)
	}, nil
}

// checkValues refuses a field without doc values.
func (s *snapshot) checkValues(field string) *failure {
	p := searchPlan{fields: []docvalue{{field: field}}}
	for _, sh := range s.shards {
		if err := p.checkFields(sh.index); err != nil {
			return phase(err)
		}
	}
	return nil
}

// fieldOf returns a field of the first index that has it.
func (s *snapshot) fieldOf(name string) *field {
	for _, sh := range s.shards {
		if f := sh.index.fields[name]; f != nil {
			return f
		}
	}
	return nil
}

// valuesOf returns the doc values of a document: those of text each once.
func (s *snapshot) valuesOf(d *document, name string) []any {
	values := slices.Clone(d.values[name])
	slices.SortFunc(values, compare)
	if len(values) > 0 {
		if _, isText := values[0].(string); isText {
			values = slices.Compact(values)
		}
	}
	return values
}

func (s *snapshot) docValues(docs []*document, name string) []any {
	var all []any
	for _, d := range docs {
		all = append(all, s.valuesOf(d, name)...)
	}
	return all
}

// stats computes in doubles, as the real servers do.
func stats(values []any) object {
	if len(values) == 0 {
		return object{"count": 0, "min": nil, "max": nil, "avg": nil, "sum": json.Number("0.0")}
	}
	least, greatest, sum := double(values[0]), double(values[0]), 0.0
	for _, v := range values {
		n := double(v)
		least, greatest, sum = min(least, n), max(greatest, n), sum+n
	}
	return object{
		"count": len(values), "min": javaFloat(least), "max": javaFloat(greatest), "sum": javaFloat(sum),
		"avg": javaFloat(sum / float64(len(values))),
	}
}

func double(v any) float64 {
	switch v := v.(type) {
	case float64:
		return v
	case *big.Int:
		f, _ := new(big.Float).SetInt(v).Float64()
		return f
	}
	return float64(v.(int64))
}

// termsAgg orders by key, or by the number of documents.
func termsAgg(body object, inner aggregations, snap *snapshot) (aggregator, *failure) {
	name, size := str(body, "field"), 10
	if n, ok := number(body["size"]); ok {
		size = int(n)
	}
	order := obj(body, "order")
	if order != nil && (len(order) != 1 || order["_key"] == nil) {
		return nil, fail(400, "parsing_exception", "the fake knows terms in the order of _key or _count only")
	}
	return func(docs []*document) object {
		groups := map[any][]*document{}
		for _, d := range docs {
			for _, v := range slices.CompactFunc(snap.valuesOf(d, name), func(a, b any) bool { return compareKeys(a, b) == 0 }) {
				groups[v] = append(groups[v], d)
			}
		}
		keys := slices.SortedFunc(maps.Keys(groups), compare)
		switch {
		case order == nil:
			slices.SortStableFunc(keys, func(a, b any) int { return len(groups[b]) - len(groups[a]) })
		case order["_key"] == "desc":
			slices.Reverse(keys)
		}
		buckets, other := []any{}, 0
		for i, k := range keys {
			if i >= size {
				other += len(groups[k])
				continue
			}
			b := bucketOf(groups[k], inner)
			b["key"] = showKey(k)
			if f := snap.fieldOf(name); f.typ == "boolean" {
				b["key_as_string"] = fmt.Sprint(k == int64(1))
			}
			buckets = append(buckets, b)
		}
		return object{"doc_count_error_upper_bound": 0, "sum_other_doc_count": other, "buckets": buckets}
	}, nil
}
