package planner

import (
	"strings"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// pushAggregates lets the index group documents and compute over the groups where
// it can do so exactly. What stands above stays local: HAVING, ORDER BY, LIMIT,
// expressions over aggregates.
//
//	Aggregate count(*) by level
//	  Project level, level
//	    Scan logs [level] where size > 3
//
// becomes
//
//	AggregateScan logs count(*) by level where size > 3
func pushAggregates(n Node) Node {
	ids := lastID(n)
	return transform(n, func(n Node) Node {
		pushed, err := aggregateScan(n)
		if pushed != nil && err == nil {
			return pushed
		}
		if agg, ok := n.(*Aggregate); ok && err != nil {
			if regrouped := regroup(agg, &ids); regrouped != nil {
				return regrouped
			}
		}
		return n
	})
}

// aggregateScan returns the scan that gives the rows of an Aggregate or Distinct.
// It is nil, without an error, for a node that no index could answer, and an error
// says why the index below cannot.
func aggregateScan(n Node) (*AggregateScan, error) {
	var input Node
	switch n := n.(type) {
	case *Aggregate:
		input = n.Input
	case *Distinct:
		input = n.Input
	default:
		return nil, nil
	}
	scan, items, checked := plainScan(input)
	if scan == nil {
		return nil, nil
	}
	index, ok := scan.Index.(esds.Aggregator)
	if !ok {
		return nil, nil
	}
	if err := groupable(scan, checked); err != nil {
		return nil, err
	}
	out := &AggregateScan{Table: scan.Table, Source: scan.Source, Index: index, Cols: n.Output(), Fallback: n}
	out.Want.Filter = scan.Filter
	if err := out.fill(n, items); err != nil {
		return nil, err
	}
	return out, index.Aggregable(out.Want)
}

// plainScan returns the scan under projections, and what each column above them
// is in terms of it. It is nil where something else lies between but conditions,
// of which checked tells: the index answers them not at all, or roughly.
func plainScan(n Node) (scan *Scan, items []Item, checked bool) {
	switch n := n.(type) {
	case *Scan:
		return n, kept(n.Cols), false
	case *Filter:
		scan, items, _ := plainScan(n.Input)
		return scan, items, true
	case *Project:
		if windowed(n) {
			return nil, nil, false
		}
		scan, below, checked := plainScan(n.Input)
		if scan == nil {
			return nil, nil, false
		}
		items := make([]Item, len(n.Items))
		for i, it := range n.Items {
			items[i] = Item{Out: it.Out, X: substitute(it.X, below)}
		}
		return scan, items, checked
	}
	return nil, nil, false
}

// groupable says why a scan's documents are not grouped by the index, whatever the
// groups are.
func groupable(s *Scan, checked bool) error {
	switch {
	case s.NoPushdown:
		return esds.Inexact("eslake.pushdown is false")
	case s.Limit > 0:
		return esds.Inexact("a limit comes first")
	case checked || !allExact(s):
		return esds.Inexact("a condition is checked here")
	}
	return nil
}

// fill takes over the keys and aggregates of n.
func (s *AggregateScan) fill(n Node, items []Item) error {
	for _, c := range keysOf(n) {
		key, err := groupKey(substitute(c, items))
		if err != nil {
			return err
		}
		s.Want.Keys = append(s.Want.Keys, key)
	}
	agg, ok := n.(*Aggregate)
	if !ok {
		return nil
	}
	if agg.Sets != nil {
		return esds.Inexact("several grouping sets")
	}
	for _, it := range agg.Aggs {
		m, err := metric(it.X, items)
		if err != nil {
			return err
		}
		s.Want.Metrics = append(s.Want.Metrics, m)
	}
	if len(s.Want.Keys)+len(s.Want.Metrics) == 0 {
		return esds.Inexact("nothing is asked of the groups")
	}
	return nil
}

func keysOf(n Node) []*expr.Column {
	if agg, ok := n.(*Aggregate); ok {
		return agg.Keys
	}
	return n.Output()
}

// groupKey is a key as an index can be asked for it: a column, or the start of the
// day, month and the like of one.
func groupKey(e expr.Expr) (esds.GroupKey, error) {
	e = unwrap(e)
	if c, ok := plainColumn(e); ok {
		return esds.GroupKey{Column: c, Type: c.Type}, nil
	}
	if x, unit := truncation(e); x != nil {
		if c, ok := plainColumn(timeOf(x)); ok && isTimeKind(c.Type.Kind) {
			return esds.GroupKey{Column: c, Trunc: unit, Type: e.Type()}, nil
		}
	}
	return esds.GroupKey{}, esds.Inexact("%s is computed here", e)
}

// truncation is the time that an expression cuts, and the unit to which; nil for
// other expressions.
func truncation(e expr.Expr) (x expr.Expr, unit string) {
	switch e := e.(type) {
	case *expr.Cast:
		if e.T.Kind == row.Date && isTimeKind(e.X.Type().Kind) {
			return e.X, "day"
		}
	case *expr.Call:
		switch {
		case e.Func == "date_trunc" && len(e.Args) == 2:
			if unit = truncUnit(e.Args[0]); unit != "" {
				return e.Args[1], unit
			}
		case e.Func == "trunc" && len(e.Args) == 2:
			switch unit = truncUnit(e.Args[1]); unit {
			case "year", "quarter", "month", "week":
				return e.Args[0], unit
			}
		}
	}
	return nil, ""
}

// timeOf strips conversions between kinds of times, which keep the day and, in
// UTC, the time.
func timeOf(e expr.Expr) expr.Expr {
	for {
		c, ok := e.(*expr.Cast)
		if !ok || !isTimeKind(c.T.Kind) || !isTimeKind(c.X.Type().Kind) {
			return e
		}
		e = c.X
	}
}

func isTimeKind(k row.Kind) bool { return k == row.Date || k == row.Timestamp || k == row.TimestampNTZ }

func truncUnit(e expr.Expr) string {
	lit, ok := e.(*expr.Literal)
	if !ok {
		return ""
	}
	text, _ := lit.Value.(string)
	switch unit := strings.ToLower(text); unit {
	case "year", "yyyy", "yy":
		return "year"
	case "month", "mon", "mm":
		return "month"
	case "day", "dd":
		return "day"
	case "quarter", "week", "hour", "minute", "second":
		return unit
	}
	return ""
}

// unwrap strips casts that change nothing.
func unwrap(e expr.Expr) expr.Expr {
	for {
		c, ok := e.(*expr.Cast)
		if !ok || !c.X.Type().Equal(c.T) {
			return e
		}
		e = c.X
	}
}

// plainColumn is a column of a scan, or a field of a struct in one, by its path.
func plainColumn(e expr.Expr) (row.Field, bool) {
	switch e := e.(type) {
	case *expr.Column:
		return row.Field{Name: e.Name, Type: e.T}, e.ID >= 0
	case *expr.Field:
		in, ok := plainColumn(e.X)
		return row.Field{Name: in.Name + "." + e.Name, Type: e.T}, ok && in.Type.Kind == row.Struct
	}
	return row.Field{}, false
}

// metric is an aggregate as an index can be asked for it.
func metric(e expr.Expr, items []Item) (esds.Metric, error) {
	e = unwrap(e)
	call, ok := e.(*expr.Call)
	if !ok || call.Over != nil || len(call.Within) > 0 || len(call.Args) != 1 {
		return esds.Metric{}, esds.Inexact("%s is computed here", e)
	}
	m := esds.Metric{Func: call.Func, Distinct: call.Distinct, Type: call.T}
	switch call.Func {
	case "mean":
		m.Func = "avg"
	case "count", "sum", "avg":
	case "count_if":
		m.Func = "count"
		m.Filter = expr.Conjuncts(substitute(call.Args[0], items))
	case "min", "max":
		m.Distinct = false
	default:
		return m, esds.Inexact("the index has no exact %s", call.Func)
	}
	if call.Filter != nil {
		m.Filter = append(m.Filter, expr.Conjuncts(substitute(call.Filter, items))...)
	}
	if m.Distinct && (m.Func != "count" || m.Filter != nil) {
		return m, esds.Inexact("%s is computed here", e)
	}
	if lit, ok := call.Args[0].(*expr.Literal); call.Func == "count_if" || call.Func == "count" && !m.Distinct && (isStar(call.Args[0]) || ok && lit.Value != nil) {
		return m, nil
	}
	arg := unwrap(substitute(call.Args[0], items))
	if m.Column, ok = plainColumn(arg); !ok {
		return m, esds.Inexact("%s is computed here", arg)
	}
	return m, nil
}

func isStar(e expr.Expr) bool {
	_, ok := e.(*expr.Star)
	return ok
}
