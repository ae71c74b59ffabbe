package esdstest

import (
	"encoding/json"
	"math"
	"math/big"
	"slices"
)

// sortKey is one key of a sort.
type sortKey struct {
	field   string
	desc    bool
	first   bool // missing values come first
	implied bool // not asked for: the tiebreak under a PIT
}

func (p *searchPlan) planSort(flavour Flavour, body object, pit bool) *failure {
	list := flatten(body["sort"])
	if body["sort"] == nil {
		list = nil
	}
	for _, e := range list {
		key, err := parseSortKey(e)
		if err != nil {
			return err
		}
		switch {
		case key.field == "_shard_doc" && (!pit || !flavour.shardDoc):
			return phase(fail(400, "illegal_argument_exception", "No mapping found for [_shard_doc] in order to sort on"))
		case key.field == "_id" && !flavour.idSort:
			return phase(fail(400, "illegal_argument_exception", "Fielddata access on the _id field is disallowed, you can re-enable it by updating the dynamic cluster setting: indices.id_field_data.enabled"))
		}
		p.sort = append(p.sort, key)
	}
	if pit && flavour.shardDoc && !flavour.openSearch && !slices.ContainsFunc(p.sort, func(k sortKey) bool { return k.field == "_shard_doc" }) {
		p.sort = append(p.sort, sortKey{field: "_shard_doc", implied: true})
	}
	after, asked := body["search_after"].([]any)
	if !asked {
		return nil
	}
	if len(p.sort) == 0 {
		return fail(400, "illegal_argument_exception", "Sort must contain at least one field.")
	}
	if len(after) > len(p.sort) || len(after) < len(list) {
		return phase(fail(400, "illegal_argument_exception", "search_after has %d value(s) but sort has %d.", len(after), len(p.sort)))
	}
	if p.from > 0 {
		return fail(500, "illegal_argument_exception", "`from` parameter must be set to 0 when `search_after` is used.")
	}
	p.after = []any{}
	for _, v := range after {
		p.after = append(p.after, afterValue(v))
	}
	return nil
}

func parseSortKey(e any) (sortKey, *failure) {
	if name, isText := e.(string); isText {
		return sortKey{field: name, desc: name == "_score"}, nil
	}
	def, _ := e.(object)
	for name, how := range def {
		key := sortKey{field: name}
		if order, isText := how.(string); isText {
			key.desc = order == "desc"
		}
		if o, isObject := how.(object); isObject {
			key.desc, key.first = str(o, "order") == "desc", str(o, "missing") == "_first"
		}
		return key, nil
	}
	return sortKey{}, fail(400, "illegal_argument_exception", "malformed sort")
}

// value returns what a hit is sorted by, nil when it has nothing.
func (k sortKey) value(h hit, snap *snapshot) any {
	switch k.field {
	case "_shard_doc":
		if snap.openSearch { // counts shards anew in every index
			return int64(snap.shards[h.shard].shard)<<32 | int64(h.ord)
		}
		return int64(h.shard)<<32 | int64(h.ord)
	case "_doc":
		return int64(h.ord) // not unique over shards, as in the real servers
	case "_id":
		return h.doc.id
	case "_score":
		return 1.0
	case "_seq_no":
		return h.doc.seqNo
	}
	values := h.doc.values[k.field]
	if f := snap.shards[h.shard].index.fields[k.field]; f == nil || len(values) == 0 {
		return k.missing(f)
	}
	if k.desc {
		return slices.MaxFunc(values, compare)
	}
	return slices.MinFunc(values, compare)
}

// order compares sort keys.
func (p *searchPlan) order(a, b []any) int {
	for i := range min(len(a), len(b)) {
		k := p.sort[i]
		switch {
		case a[i] == nil && b[i] == nil:
			continue
		case a[i] == nil || b[i] == nil:
			if (a[i] == nil) == k.first {
				return -1
			}
			return 1
		}
		n := compareMixed(a[i], b[i])
		if k.desc {
			n = -n
		}
		if n != 0 {
			return n
		}
	}
	return 0
}

// afterValue reads a value of search_after.
func afterValue(v any) any {
	n, isNumber := v.(json.Number)
	if !isNumber {
		return v
	}
	if i, err := n.Int64(); err == nil {
		return i
	}
	f, err := n.Float64()
	if err != nil {
		return math.NaN()
	}
	return f
}

// compareMixed is compare where numbers may come from JSON.
func compareMixed(a, b any) int {
	_, aText := a.(string)
	_, bText := b.(string)
	if aText && bText {
		return compare(a, b)
	}
	if ai, ok := a.(int64); ok {
		if bi, ok := b.(int64); ok {
			return compare(ai, bi)
		}
	}
	return asRat(a).Cmp(asRat(b))
}

func asRat(v any) *big.Rat {
	r := new(big.Rat)
	switch v := v.(type) {
	case int64:
		r.SetInt64(v)
	case float64:
		r.SetFloat64(v)
	case *big.Int:
		r.SetInt(v)
	}
	return r
}

// missing returns what stands for a value that is not there: the greatest or
// least number for whole numbers and dates, else nil.
func (k sortKey) missing(f *field) any {
	switch {
	case f == nil || !contains([]string{"long", "integer", "short", "byte", "date", "date_nanos", "boolean"}, f.typ):
		return nil
	case k.desc != k.first:
		return int64(math.MinInt64)
	default:
		return int64(math.MaxInt64)
	}
}
