package planner

import (
	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// countDocuments answers COUNT(*) by the index alone where every filter is exact.
//
//	Aggregate count(*)
//	  Scan logs where level = 'error'
//
// becomes
//
//	Count logs where level = 'error'
func countDocuments(n Node) Node {
	return transform(n, func(n Node) Node {
		agg, ok := n.(*Aggregate)
		if !ok || len(agg.Keys) > 0 || agg.Sets != nil || len(agg.Aggs) != 1 || !countsRows(agg.Aggs[0].X) {
			return n
		}
		scan, ok := plainInput(agg.Input).(*Scan)
		if !ok || scan.Limit > 0 || scan.NoPushdown || !allExact(scan) {
			return n
		}
		return &CountScan{Table: scan.Table, Index: scan.Index, Filter: scan.Filter, Out: agg.Aggs[0].Out}
	})
}

// plainInput skips projections, which keep the number of rows.
func plainInput(n Node) Node {
	for {
		p, ok := n.(*Project)
		if !ok {
			return n
		}
		n = p.Input
	}
}

func countsRows(e expr.Expr) bool {
	for {
		cast, ok := e.(*expr.Cast)
		if !ok {
			break
		}
		e = cast.X
	}
	c, ok := e.(*expr.Call)
	if !ok || c.Func != "count" || c.Distinct || c.Filter != nil || len(c.Args) != 1 {
		return false
	}
	switch a := c.Args[0].(type) {
	case *expr.Star:
		return true
	case *expr.Literal:
		return a.Value != nil
	}
	return false
}

func allExact(s *Scan) bool {
	for _, e := range s.Filter {
		if s.Index.Pushdown(e) != esds.Exact {
			return false
		}
	}
	return true
}

// pushLimits lets a scan stop early where nothing above it drops or reorders
// rows before the limit.
func pushLimits(n Node) Node {
	return transform(n, func(n Node) Node {
		l, ok := n.(*Limit)
		if !ok || l.N < 0 {
			return n
		}
		if pushed, ok := limitInput(l.Input, l.N+l.Offset); ok {
			return l.withChildren([]Node{pushed})
		}
		return n
	})
}

func limitInput(n Node, limit int64) (Node, bool) {
	switch n := n.(type) {
	case *Project:
		if windowed(n) {
			return n, false
		}
		in, ok := limitInput(n.Input, limit)
		return n.withChildren([]Node{in}), ok
	case *Scan:
		if limit == 0 || n.Limit > 0 && n.Limit <= limit {
			return n, false
		}
		scan := *n
		scan.Limit = limit
		return &scan, true
	default:
		return n, false
	}
}

// pruneColumns drops what nothing above needs: columns of scans, items of
// projections, aggregates.
func pruneColumns(n Node) Node {
	needed := map[int]bool{}
	for _, c := range n.Output() {
		needed[c.ID] = true
	}
	mark(n, needed)
	return drop(n, needed)
}

// mark adds the columns that n and what is below it need, given those needed of
// its output. References point downwards, so one pass from the top finds all.
func mark(n Node, needed map[int]bool) {
	switch n := n.(type) {
	case *Project:
		for _, it := range n.Items {
			if needed[it.Out.ID] {
				markExpr(it.X, needed)
			}
		}
	case *Aggregate:
		for _, k := range n.Keys {
			needed[k.ID] = true
		}
		for _, it := range n.Aggs {
			if needed[it.Out.ID] {
				markExpr(it.X, needed)
			}
		}
	case *Distinct:
		markAll(n.Input, needed)
	case *SetOp:
		markAll(n.Left, needed)
		markAll(n.Right, needed)
	default:
		for _, e := range exprsOf(n) {
			markExpr(e, needed)
		}
	}
	for _, c := range n.Children() {
		mark(c, needed)
	}
}

func markAll(n Node, needed map[int]bool) {
	for _, c := range n.Output() {
		needed[c.ID] = true
	}
}

// markExpr marks the columns of an expression; those of a subquery with all that
// it puts out.
func markExpr(e expr.Expr, needed map[int]bool) {
	expr.Walk(e, func(x expr.Expr) bool {
		switch x := x.(type) {
		case *expr.Column:
			needed[x.ID] = true
		case *expr.Subquery:
			if sub, ok := x.Query.(Node); ok {
				markAll(sub, needed)
				mark(sub, needed)
			}
		}
		return true
	})
}

func drop(n Node, needed map[int]bool) Node {
	n = inSubqueries(n, func(sub Node) Node { return drop(sub, needed) })
	children := n.Children()
	next := make([]Node, len(children))
	for i, c := range children {
		next[i] = drop(c, needed)
	}
	n = n.withChildren(next)
	switch n := n.(type) {
	case *Scan:
		scan := *n
		if scan.Cols = keepColumns(n.Cols, needed); len(scan.Cols) == 0 {
			scan.Cols = cheapest(n.Cols)
		}
		return &scan
	case *FileScan:
		scan := *n
		scan.Cols = keepColumns(n.Cols, needed)
		return &scan
	case *Project:
		return &Project{Input: n.Input, Items: keepItems(n.Items, needed)}
	case *Aggregate:
		return &Aggregate{Input: n.Input, Keys: n.Keys, Sets: n.Sets, Aggs: keepItems(n.Aggs, needed)}
	}
	return n
}

// cheapest is the column that a scan reads when only the number of its rows is
// wanted: the id, which every source has at hand.
func cheapest(cols []*expr.Column) []*expr.Column {
	for _, c := range cols {
		if c.Name == "_id" {
			return []*expr.Column{c}
		}
	}
	return cols[:min(1, len(cols))]
}

func keepItems(items []Item, needed map[int]bool) []Item {
	var out []Item
	for _, it := range items {
		if needed[it.Out.ID] {
			out = append(out, it)
		}
	}
	return out
}

// schemaFor names the columns of a scan by their IDs, as the local engine sees
// them.
func schemaFor(cols []*expr.Column) row.Schema {
	s := make(row.Schema, len(cols))
	for i, c := range cols {
		s[i] = row.Field{Name: columnName(c), Type: c.T}
	}
	return s
}
