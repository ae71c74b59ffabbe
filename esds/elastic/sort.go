package elastic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

// The first documents of an order come from one sorted search. The cluster sorts
// by doc values, which may be coarser than SQL's values (dates of milliseconds) or
// finer (-0.0 and 0.0, the time of a day), so it is asked for the keys up to the
// first such one only, and for documents until one comes that is behind the last
// wanted one for certain. The same request proves, as for aggregations, that every
// document has one value a key and that none was ignored. Where it cannot, all
// documents are read: whoever asked sorts them anyway.

var _ esds.Sorter = (*index)(nil)

// sortKey is a key as the index sorts by it.
type sortKey struct {
	*target
	order esds.Order
	value func(raw []byte) (any, bool) // a sort value as SQL compares it: int64, float64 or string; nil is NULL
	exact bool                         // equal sort values are equal in SQL, and the other way round
	last  bool                         // may stand only where no further key follows
}

// Sortable says why the index cannot find the first documents of an order.
func (x *index) Sortable(keys []esds.Order, limit int64) error {
	switch {
	case len(x.names) == 0:
		return esds.Inexact("there is no index")
	case x.opts.Int("es.scroll.limit") >= 0:
		return esds.Inexact("es.scroll.limit cuts what is read")
	case limit > maxPage:
		return esds.Inexact("more than %d rows are asked for", maxPage)
	}
	_, err := x.sortKeys(keys, false)
	return err
}

// sortKeys returns the keys that the cluster sorts by: the first of them, up to one
// that is not exact.
func (x *index) sortKeys(keys []esds.Order, more bool) ([]sortKey, error) {
	var out []sortKey
	for i, o := range keys {
		k, err := x.sortKey(o)
		if err == nil && k.last && (more || i < len(keys)-1) {
			err = esds.Inexact("the index holds %s as %s, which rounds", o.Column.Name, k.field.Kind)
		}
		if err != nil {
			if i == 0 {
				return nil, err
			}
			return out, nil
		}
		out = append(out, k)
		if !k.exact {
			break
		}
	}
	return out, nil
}

func (x *index) sortKey(o esds.Order) (sortKey, error) {
	t, err := x.valued(o.Column)
	k := sortKey{target: t, order: o}
	if err != nil {
		return k, err
	}
	switch kind, d := t.field.Kind, t.declared; {
	case kind == "keyword" && d.Kind == row.String:
		k.value, k.exact = textValue, true
	case kind == "boolean" && d.Kind == row.Boolean, isWhole(kind) && kind != "unsigned_long" && d.Integral():
		k.value, k.exact = wholeValue(1), true
	case isDate(kind) && d.Kind == row.Date:
		k.value = wholeValue(86_400_000)
		if kind == "date_nanos" {
			k.value = wholeValue(86_400_000_000_000)
		}
	case kind == "date" && (d.Kind == row.Timestamp || d.Kind == row.TimestampNTZ):
		k.value, k.exact = wholeValue(1), wholeMillis(t.field.Format)
	case kind == "date_nanos" && (d.Kind == row.Timestamp || d.Kind == row.TimestampNTZ):
		k.value = wholeValue(1000)
	case kind == "double" && d.Kind == row.Double:
		k.value = floatValue
	case isFloating(kind) && (d.Kind == row.Double || d.Kind == row.Float || d.Kind == row.Decimal):
		k.value, k.last = floatValue, true
	default:
		return k, esds.Inexact("the index holds %s as %s, the column is %s", o.Column.Name, kind, d)
	}
	return k, nil
}

func textValue(raw []byte) (any, bool) {
	var s string
	err := unquoteInto(&s, raw)
	return s, err == nil
}

func wholeValue(unit int64) func([]byte) (any, bool) {
	return func(raw []byte) (any, bool) {
		n, ok := parseInt(raw)
		if ok && (n == 1<<63-1 || n == -1<<63) {
			return n, true // stands for NULL
		}
		return floorDiv(n, unit), ok
	}
}

func floatValue(raw []byte) (any, bool) {
	var v float64
	text := string(raw)
	if raw[0] == '"' {
		text = text[1 : len(text)-1]
	}
	_, err := fmt.Sscan(text, &v)
	return v + 0, err == nil // + 0 makes 0 of -0
}

// sorted is a search for the first documents.
type sorted struct {
	*scan
	keys []sortKey
	ties bool // all that are equal to the last wanted one must come
}

// runSorted reads the first documents. It is not done when they cannot be told for
// certain.
func (s *scan) runSorted(ctx context.Context) (done bool, err error) {
	want := s.plan.scan
	x := s.plan.index
	if s.plan.readable() != nil { // without documents only a cursor proves what doc values hold
		return false, nil
	}
	p, err := s.firstSorted(ctx)
	var inexact *esds.InexactError
	if errors.As(err, &inexact) {
		esds.TraceOf(ctx).Note(fmt.Sprintf("documents of %s are read instead of the first %d: %s", x.resource, want.Limit, inexact.Reason))
		return false, nil
	}
	if err != nil {
		return false, err
	}
	_, err = s.emit(ctx, s.plan.rows(), p)
	return true, err
}

func (s *scan) firstSorted(ctx context.Context) (*page, error) {
	want := s.plan.scan
	x := s.plan.index
	if err := x.Sortable(want.Sort, want.Limit); err != nil {
		return nil, err
	}
	keys, err := x.sortKeys(want.Sort, want.SortTies)
	if err != nil {
		return nil, err
	}
	q := &sorted{scan: s, keys: keys, ties: want.SortTies || len(keys) < len(want.Sort) || !keys[len(keys)-1].exact}
	for size := q.size(); ; size = min(size*4, maxPage) {
		p, err := q.ask(ctx, size)
		if err != nil {
			return nil, err
		}
		enough, err := q.enough(p)
		if err != nil {
			return nil, err
		}
		if enough {
			return p, nil
		}
		if size == maxPage {
			return nil, esds.Inexact("more than %d documents are alike by %s", maxPage-want.Limit, keys[len(keys)-1].path)
		}
	}
}

// size is how many documents are asked for first.
func (q *sorted) size() int {
	size := int(q.plan.scan.Limit)
	if q.ties {
		size += 10
	}
	return min(max(size, 1), maxPage)
}

// body is the search for so many documents.
func (q *sorted) body(size int) object {
	body := q.plan.body()
	var sort []any
	for _, k := range q.keys {
		how := object{"order": "asc", "missing": "_last"}
		if k.order.Desc {
			how["order"] = "desc"
		}
		if k.order.NullsFirst {
			how["missing"] = "_first"
		}
		if len(q.plan.index.names) > 1 {
			how["unmapped_type"] = k.field.Kind
		}
		sort = append(sort, object{k.path: how})
	}
	body["sort"], body["size"], body["track_total_hits"] = sort, size, true
	body["aggs"] = q.proofs()
	return body
}

// proofs asks what tells whether documents are sorted by what they hold.
func (q *sorted) proofs() object {
	g := q.grouping()
	aggs := object{}
	g.proofs(aggs)
	return aggs
}

func (q *sorted) grouping() *grouping {
	g := &grouping{index: q.plan.index}
	for _, k := range q.keys {
		g.field(k.target)
	}
	return g
}

func (q *sorted) ask(ctx context.Context, size int) (*page, error) {
	x := q.plan.index
	r := request{path: "/" + x.resource + "/_search", query: x.params(), body: marshal(q.body(size))}
	p, err := q.search(ctx, r, true)
	if errors.Is(err, errTooLong) {
		return nil, esds.Inexact("%d documents are more than %d MB", size, pageCeiling>>20)
	}
	if err != nil {
		return nil, inexactUnlessFatal(err, "the cluster refused to sort")
	}
	if p.total < 0 || !p.exact {
		return nil, &esds.Error{Op: "scan", Index: x.resource, Err: errors.New("the answer has no total")}
	}
	proof := newGrouped(q.grouping())
	proof.begun, proof.total = true, p.total
	if err := json.Unmarshal(p.aggs, &proof.proofs); err != nil {
		return nil, proof.unreadable(err)
	}
	if err := proof.reveal(ctx, nil); err != nil {
		return nil, err
	}
	return p, proof.prove()
}

// enough reports whether the first documents are among the hits for certain: there
// are no others, or the last hit is behind them by a key.
func (q *sorted) enough(p *page) (bool, error) {
	n := int(q.plan.scan.Limit)
	if int64(len(p.hits)) >= p.total {
		return true, nil
	}
	if len(p.hits) < n || n == 0 {
		return false, esds.Inexact("the cluster returned %d documents", len(p.hits))
	}
	edge, err := q.values(p.hits[n-1])
	if err != nil {
		return false, err
	}
	count := len(q.keys)
	for i, k := range q.keys {
		if k.standsForNull(edge[i]) {
			count = i + 1
			break
		}
	}
	if !q.ties && count == len(q.keys) && !q.keys[count-1].standsForNull(edge[count-1]) {
		return true, nil
	}
	end, err := q.values(p.hits[len(p.hits)-1])
	return err == nil && !slices.Equal(edge[:count], end[:count]), err
}

// standsForNull reports whether a number may be one or a missing value, which the
// cluster sorts as the greatest or least number.
func (k sortKey) standsForNull(v any) bool {
	n, ok := v.(int64)
	return ok && (n == 1<<63-1 || n == -1<<63 || n == 1<<31-1 || n == -1<<31 || n == 1<<15-1 || n == -1<<15 || n == 1<<7-1 || n == -1<<7)
}

// values returns the sort values of a hit.
func (q *sorted) values(hit []byte) ([]any, error) {
	var values []any
	err := eachMember(hit, func(name, v []byte) error {
		if string(name) != "sort" {
			return nil
		}
		return eachElement(v, func(e []byte) error {
			if len(values) >= len(q.keys) {
				return nil
			}
			if e[0] == 'n' {
				values = append(values, nil)
				return nil
			}
			value, ok := q.keys[len(values)].value(e)
			if !ok {
				return esds.Inexact("the sort value %s of %s cannot be read", e, q.keys[len(values)].path)
			}
			values = append(values, value)
			return nil
		})
	})
	if err == nil && len(values) < len(q.keys) {
		err = esds.Inexact("the answer has no sort values")
	}
	return values, err
}
