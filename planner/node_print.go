package planner

import (
	"fmt"
	"strings"

	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

func names(cols []*expr.Column) string {
	parts := make([]string, len(cols))
	for i, c := range cols {
		parts[i] = row.QuoteName(c.Name)
	}
	return strings.Join(parts, ", ")
}

func itemList(items []Item) string {
	parts := make([]string, len(items))
	for i, it := range items {
		parts[i] = it.X.String()
		if name := row.QuoteName(it.Out.Name); name != parts[i] {
			parts[i] += " AS " + name
		}
	}
	return strings.Join(parts, ", ")
}

func exprList(es []expr.Expr, sep string) string {
	parts := make([]string, len(es))
	for i, e := range es {
		parts[i] = e.String()
	}
	return strings.Join(parts, sep)
}

func orderList(keys []expr.Order) string {
	parts := make([]string, len(keys))
	for i, k := range keys {
		parts[i] = k.X.String() + orderWords(k)
	}
	return strings.Join(parts, ", ")
}

// orderWords spells direction and the place of NULLs in full, since Spark's
// default (first for ASC, last for DESC) is not that of other engines.
func orderWords(k expr.Order) string {
	words := " ASC"
	if k.Desc {
		words = " DESC"
	}
	first := !k.Desc
	if k.NullsFirst != nil {
		first = *k.NullsFirst
	}
	if first {
		return words + " NULLS FIRST"
	}
	return words + " NULLS LAST"
}

func (n *Scan) String() string {
	s := fmt.Sprintf("Scan %s [%s]", n.Table, names(n.Cols))
	if len(n.Filter) > 0 {
		s += " where " + exprList(n.Filter, " AND ")
	}
	switch {
	case len(n.Sort) > 0:
		s += fmt.Sprintf(" first %d by %s", n.Limit, joined(n.Sort))
	case n.Limit > 0:
		s += fmt.Sprintf(" limit %d", n.Limit)
	}
	return s
}

func (n *CountScan) String() string {
	s := "Count " + n.Table
	if len(n.Filter) > 0 {
		s += " where " + exprList(n.Filter, " AND ")
	}
	return s
}

func (n *AggregateScan) String() string {
	s := "AggregateScan " + n.Table
	if len(n.Want.Metrics) > 0 {
		s += " " + joined(n.Want.Metrics)
	}
	if len(n.Want.Keys) > 0 {
		s += " by " + joined(n.Want.Keys)
	}
	if len(n.Want.Filter) > 0 {
		s += " where " + exprList(n.Want.Filter, " AND ")
	}
	return s
}

func joined[T fmt.Stringer](list []T) string {
	parts := make([]string, len(list))
	for i, e := range list {
		parts[i] = e.String()
	}
	return strings.Join(parts, ", ")
}

func (n *Rows) String() string { return fmt.Sprintf("Rows %d [%s]", n.Len, names(n.Cols)) }

func (n *FileScan) String() string {
	return fmt.Sprintf("Scan %s.%s [%s]", n.Format, row.QuoteName(n.Path), names(n.Cols))
}

func (n *Values) String() string {
	if len(n.Cols) == 0 {
		return "OneRow"
	}
	return fmt.Sprintf("Values %d rows [%s]", len(n.Rows), names(n.Cols))
}

func (n *Range) String() string { return fmt.Sprintf("Range %d to %d by %d", n.Start, n.End, n.Step) }

func (n *Project) String() string { return "Project " + itemList(n.Items) }

func (n *Filter) String() string { return "Filter " + n.Cond.String() }

func (n *Aggregate) String() string {
	s := "Aggregate " + itemList(n.Aggs)
	if len(n.Keys) > 0 {
		s += " by " + names(n.Keys)
	}
	if n.Sets != nil {
		s += fmt.Sprintf(" in %d grouping sets", len(n.Sets))
	}
	return s
}

func (n *Join) String() string {
	s := "Join " + n.Kind
	if n.On != nil {
		s += " on " + n.On.String()
	}
	if len(n.Keys) > 0 {
		s += ", looks up " + strings.ReplaceAll(joined(n.Keys), ", ", " or ")
	}
	return s
}

func (n *Sort) String() string { return "Sort " + orderList(n.Keys) }

func (n *Limit) String() string {
	s := "Limit"
	if n.N >= 0 {
		s += fmt.Sprintf(" %d", n.N)
	}
	if n.Offset > 0 {
		s += fmt.Sprintf(" offset %d", n.Offset)
	}
	return s
}

func (n *Distinct) String() string { return "Distinct" }

func (n *SetOp) String() string {
	if n.All {
		return n.Op + " ALL"
	}
	return n.Op
}

func (n *Generate) String() string {
	s := "Generate "
	if n.Outer {
		s += "outer "
	}
	return s + n.Call.String() + " AS " + names(n.Cols)
}

func (n *Sample) String() string {
	if n.Rows > 0 {
		return fmt.Sprintf("Sample %d rows", n.Rows)
	}
	return fmt.Sprintf("Sample %g percent", n.Percent)
}
