package planner

import (
	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// regroupMost is how many finer groups are asked for at most: they are a guess
// that there are far fewer of them than documents.
const regroupMost = 10_000

// regroup groups in two steps what an index cannot group in one: keys that are
// computed of columns, and several grouping sets. The index groups by the columns
// themselves, and the few groups are put together here.
//
//	Aggregate avg(size) by `upper(level)`
//	  Project upper(level), level, size
//	    Scan logs [level, size]
//
// becomes
//
//	Aggregate sum(`sum(size)`) / sum(`count(size)`) by `upper(level)`
//	  Project upper(level)
//	    AggregateScan logs sum(size), count(size) by level
func regroup(n *Aggregate, ids *int) Node {
	scan, items, checked := plainScan(n.Input)
	if scan == nil || groupable(scan, checked) != nil || len(n.Keys) == 0 {
		return nil
	}
	index, ok := scan.Index.(esds.Aggregator)
	if !ok {
		return nil
	}
	r := &regrouping{scan: scan, index: index, ids: ids, items: items}
	keys := make([]Item, len(n.Keys))
	for i, k := range n.Keys {
		x, ok := r.key(substitute(k, items))
		if !ok {
			return nil
		}
		keys[i] = Item{Out: k, X: x}
	}
	aggs := make([]Item, len(n.Aggs))
	for i, it := range n.Aggs {
		x, ok := r.aggregate(it.X)
		if !ok {
			return nil
		}
		aggs[i] = Item{Out: it.Out, X: x}
	}
	fine := r.fine(n)
	if len(fine.Want.Keys) == 0 || index.Aggregable(fine.Want) != nil {
		return nil
	}
	for _, c := range fine.Cols {
		keys = append(keys, Item{Out: c, X: c})
	}
	return &Aggregate{Input: &Project{Input: fine, Items: keys}, Keys: n.Keys, Sets: n.Sets, Aggs: aggs}
}

// regrouping is the finer groups while they are found.
type regrouping struct {
	scan    *Scan
	index   esds.Aggregator
	ids     *int
	items   []Item
	keys    []*expr.Column // of the finer groups
	wanted  []esds.GroupKey
	metrics []*expr.Column
	asked   []esds.Metric
}

func (r *regrouping) column(name string, t row.Type) *expr.Column {
	*r.ids++
	return &expr.Column{Node: expr.Node{T: t}, ID: *r.ids, Name: name}
}

// key returns a key in columns of the finer groups.
func (r *regrouping) key(e expr.Expr) (expr.Expr, bool) {
	if !movable(e) {
		return nil, false
	}
	ok := true
	return r.rewrite(e, &ok), ok
}

func (r *regrouping) rewrite(e expr.Expr, ok *bool) expr.Expr {
	if k, err := groupKey(e); err == nil && r.index.Aggregable(esds.Aggregation{Keys: []esds.GroupKey{k}}) == nil {
		return r.fineKey(k)
	}
	if expr.OfZone(e) { // an index cuts times in UTC
		*ok = false
		return e
	}
	if c, isCall := e.(*expr.Call); isCall && len(c.Args) == 1 {
		switch c.Func { // what they tell of a time does not change when it is cut to their unit
		case "hour", "minute", "second":
			if col, plain := plainColumn(timeOf(c.Args[0])); plain && isTimeKind(col.Type.Kind) {
				k := esds.GroupKey{Column: col, Trunc: c.Func, Type: c.Args[0].Type()}
				if r.index.Aggregable(esds.Aggregation{Keys: []esds.GroupKey{k}}) == nil {
					return &expr.Call{Node: c.Node, Func: c.Func, Args: []expr.Expr{r.fineKey(k)}}
				}
			}
		}
	}
	switch e.(type) {
	case *expr.Column, *expr.Field:
		*ok = false
		return e
	}
	return expr.MapChildren(e, func(x expr.Expr) expr.Expr { return r.rewrite(x, ok) })
}

func (r *regrouping) fineKey(k esds.GroupKey) *expr.Column {
	for i, have := range r.wanted {
		if have.String() == k.String() && have.Type.Equal(k.Type) {
			return r.keys[i]
		}
	}
	out := r.column(k.String(), k.Type)
	r.wanted, r.keys = append(r.wanted, k), append(r.keys, out)
	return out
}

// aggregate returns an aggregate over the finer groups.
func (r *regrouping) aggregate(e expr.Expr) (expr.Expr, bool) {
	call, ok := unwrap(e).(*expr.Call)
	if !ok {
		return nil, false
	}
	if call.Func == "grouping" || call.Func == "grouping_id" {
		return call, true
	}
	m, err := metric(call, r.items)
	if err != nil {
		return nil, false
	}
	if m.Distinct {
		k := esds.GroupKey{Column: m.Column, Type: m.Column.Type}
		if r.index.Aggregable(esds.Aggregation{Keys: []esds.GroupKey{k}}) != nil {
			return nil, false
		}
		x := r.fineKey(k)
		return &expr.Call{Node: call.Node, Func: "count", Args: []expr.Expr{x}, Distinct: true}, true
	}
	over := func(f string, c *expr.Column, t row.Type) expr.Expr {
		return &expr.Call{Node: expr.Node{T: t}, Func: f, Args: []expr.Expr{c}}
	}
	switch m.Func {
	case "count":
		zero := &expr.Literal{Node: expr.Node{T: row.BigIntType}, Value: int64(0)}
		total := over("sum", r.fineMetric(m), row.BigIntType)
		return &expr.Call{Node: expr.Node{T: row.BigIntType}, Func: "coalesce", Args: []expr.Expr{total, zero}}, true
	case "avg":
		return r.average(m, call)
	}
	return over(m.Func, r.fineMetric(m), call.T), true
}

// average is the sum of sums by the sum of counts.
func (r *regrouping) average(m esds.Metric, call *expr.Call) (expr.Expr, bool) {
	if !m.Column.Type.Integral() {
		return nil, false
	}
	part := func(f string) expr.Expr {
		p := m
		p.Func, p.Type = f, row.BigIntType
		total := &expr.Call{Node: expr.Node{T: row.BigIntType}, Func: "sum", Args: []expr.Expr{r.fineMetric(p)}}
		return &expr.Cast{Node: expr.Node{T: row.DoubleType}, X: total}
	}
	return &expr.Call{Node: expr.Node{At: call.At, T: row.DoubleType}, Func: "/", Args: []expr.Expr{part("sum"), part("count")}}, true
}

func (r *regrouping) fineMetric(m esds.Metric) *expr.Column {
	for i, have := range r.asked {
		if have.String() == m.String() {
			return r.metrics[i]
		}
	}
	out := r.column(m.String(), m.Type)
	r.asked, r.metrics = append(r.asked, m), append(r.metrics, out)
	return out
}

// fine is the scan of the finer groups of n.
func (r *regrouping) fine(n *Aggregate) *AggregateScan {
	return &AggregateScan{
		Table: r.scan.Table, Source: r.scan.Source, Index: r.index, Cols: append(append([]*expr.Column{}, r.keys...), r.metrics...), Whole: n,
		Want: esds.Aggregation{Keys: r.wanted, Metrics: r.asked, Filter: r.scan.Filter, Most: regroupMost},
	}
}

// lastID is the greatest ID of a plan's columns.
func lastID(n Node) int {
	last := 0
	each(n, func(n Node) {
		for _, c := range n.Output() {
			last = max(last, c.ID)
		}
	})
	return last
}
