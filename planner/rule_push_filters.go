package planner

import (
	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/expr"
)

// pushFilters moves conditions as near to the scans as they may go, and into the
// scans as far as the index can evaluate them. One that the index gets only
// roughly right is pushed and stays above the scan too.
//
//	Filter level = 'error' AND soundex(msg) = 'x'
//	  Scan logs
//
// becomes
//
//	Filter soundex(msg) = 'x'
//	  Scan logs where level = 'error'
func pushFilters(n Node) Node {
	return sink(inSubqueries(n, pushFilters), nil)
}

// sink brings conds, which refer to the output of n, below n or puts a Filter
// above it.
func sink(n Node, conds []expr.Expr) Node {
	n = inSubqueries(n, pushFilters)
	switch n := n.(type) {
	case *Filter:
		return sink(n.Input, append(expr.Conjuncts(n.Cond), conds...))
	case *Scan:
		return sinkScan(n, conds)
	case *Project:
		below, above := split(conds, func(e expr.Expr) bool { return movable(e) && !windowed(n) && within(e, n.Output()) })
		for i, e := range below {
			below[i] = substitute(e, n.Items)
		}
		return filtered(&Project{Input: sink(n.Input, below), Items: n.Items}, above)
	case *Join:
		return sinkJoin(n, conds)
	case *SetOp:
		return sinkSetOp(n, conds)
	case *Aggregate:
		below, above := split(conds, func(e expr.Expr) bool {
			return movable(e) && n.Sets == nil && len(n.Keys) > 0 && within(e, n.Keys)
		})
		return filtered(n.withChildren([]Node{sink(n.Input, below)}), above)
	case *Sort, *Distinct:
		return n.withChildren([]Node{sink(n.Children()[0], conds)})
	case *Generate:
		below, above := split(conds, func(e expr.Expr) bool { return movable(e) && within(e, n.Input.Output()) })
		return filtered(n.withChildren([]Node{sink(n.Input, below)}), above)
	default:
		children := n.Children()
		next := make([]Node, len(children))
		for i, c := range children {
			next[i] = sink(c, nil)
		}
		return filtered(n.withChildren(next), conds)
	}
}

func filtered(n Node, conds []expr.Expr) Node {
	if len(conds) == 0 {
		return n
	}
	return &Filter{Input: n, Cond: expr.And(conds...)}
}

func split(conds []expr.Expr, may func(expr.Expr) bool) (yes, no []expr.Expr) {
	for _, e := range conds {
		if may(e) {
			yes = append(yes, e)
		} else {
			no = append(no, e)
		}
	}
	return yes, no
}

// movable reports whether a condition gives the same wherever it is evaluated:
// no random function, and no subquery, whose references would have to move too.
func movable(e expr.Expr) bool {
	return expr.Deterministic(e) && !hasSubquery(e) && findWindow(e) == nil
}

func windowed(n *Project) bool {
	for _, it := range n.Items {
		if findWindow(it.X) != nil || !movable(it.X) {
			return true
		}
	}
	return false
}

func sinkScan(n *Scan, conds []expr.Expr) Node {
	if n.Limit > 0 || n.NoPushdown { // a limit comes first
		return filtered(n, conds)
	}
	scan := *n
	var keep []expr.Expr
	for _, e := range conds {
		p := esds.No
		if movable(e) && within(e, n.Cols) {
			p = n.Index.Pushdown(e)
		}
		if p != esds.No {
			scan.Filter = append(scan.Filter, e)
		}
		if p != esds.Exact {
			keep = append(keep, e)
		}
	}
	return filtered(&scan, keep)
}

// sinkJoin gives each side the conditions that are only about it. An outer join
// lets only those of its kept side through, and its ON only those of the other.
func sinkJoin(n *Join, conds []expr.Expr) Node {
	keepsLeft := n.Kind != "RIGHT OUTER" && n.Kind != "FULL OUTER"
	keepsRight := (n.Kind == "INNER" || n.Kind == "CROSS" || n.Kind == "RIGHT OUTER") && !n.semi()
	side := func(of Node) func(expr.Expr) bool {
		return func(e expr.Expr) bool { return movable(e) && within(e, of.Output()) && refersTo(e) }
	}
	var left, right, on []expr.Expr
	if keepsLeft {
		left, conds = split(conds, side(n.Left))
	}
	if keepsRight {
		right, conds = split(conds, side(n.Right))
	}
	if n.On != nil {
		on = expr.Conjuncts(n.On)
	}
	if n.Kind == "INNER" || n.Kind == "CROSS" {
		var both []expr.Expr
		both, conds = split(conds, func(e expr.Expr) bool { return !hasSubquery(e) && within(e, n.Output()) })
		on = append(on, both...)
	}
	if n.Kind == "INNER" || n.Kind == "CROSS" || n.Kind == "LEFT SEMI" || n.Kind == "RIGHT OUTER" {
		var more []expr.Expr
		more, on = split(on, side(n.Left))
		left = append(left, more...)
	}
	if n.Kind != "FULL OUTER" && n.Kind != "RIGHT OUTER" {
		var more []expr.Expr
		more, on = split(on, side(n.Right))
		right = append(right, more...)
	}
	out := *n
	out.Left, out.Right, out.On = sink(n.Left, left), sink(n.Right, right), nil
	if len(on) > 0 {
		out.On = expr.And(on...)
	}
	if out.On != nil && out.Kind == "CROSS" {
		out.Kind = "INNER"
	}
	return filtered(&out, conds)
}

// refersTo reports whether e refers to a column at all.
func refersTo(e expr.Expr) bool {
	refs := map[int]bool{}
	columnsOf(e, refs)
	return len(refs) > 0
}

// sinkSetOp filters both sides: true of UNION, INTERSECT and EXCEPT alike.
func sinkSetOp(n *SetOp, conds []expr.Expr) Node {
	below, above := split(conds, func(e expr.Expr) bool { return movable(e) && within(e, n.Cols) })
	out := *n
	for _, side := range []*Node{&out.Left, &out.Right} {
		items := make([]Item, len(n.Cols))
		for i, c := range (*side).Output() {
			items[i] = Item{Out: n.Cols[i], X: c}
		}
		conds := make([]expr.Expr, len(below))
		for i, e := range below {
			conds[i] = substitute(e, items)
		}
		*side = sink(*side, conds)
	}
	return filtered(&out, above)
}
