package planner

import (
	"github.com/eslake/eslake/sql/expr"
)

// Rule is one rewriting of plans. It returns a new plan and never changes the
// one it was given.
type Rule struct {
	Name  string
	Apply func(Node) Node
}

// rules run in this order, each once: every rule works through the whole plan.
var rules = []Rule{
	{"join subqueries", joinSubqueries},
	{"push filters", pushFilters},
	{"count without documents", countDocuments},
	{"push limits", pushLimits},
	{"prune columns", pruneColumns},
	{"push keys", pushKeys},
	{"push sorts", pushSorts},
	{"push aggregates", pushAggregates},
}

// Optimize applies the rules, subqueries included.
func Optimize(n Node) Node {
	for _, r := range rules {
		n = r.Apply(n)
	}
	return n
}

// transform applies f to every node from the leaves up, to those of subqueries
// in expressions too.
func transform(n Node, f func(Node) Node) Node {
	children := n.Children()
	if len(children) > 0 {
		next := make([]Node, len(children))
		for i, c := range children {
			next[i] = transform(c, f)
		}
		n = n.withChildren(next)
	}
	return f(inSubqueries(n, func(sub Node) Node { return transform(sub, f) }))
}

// inSubqueries applies f to the plans of the subqueries in a node's expressions.
func inSubqueries(n Node, f func(Node) Node) Node {
	return mapExprs(n, func(e expr.Expr) expr.Expr { return mapSubplans(e, f) })
}

func mapSubplans(e expr.Expr, f func(Node) Node) expr.Expr {
	if e == nil || !hasSubquery(e) {
		return e
	}
	return expr.Map(e, func(x expr.Expr) expr.Expr {
		s, ok := x.(*expr.Subquery)
		if !ok {
			return x
		}
		out := *s
		out.Query = f(s.Query.(Node))
		return &out
	})
}

func hasSubquery(e expr.Expr) bool {
	found := false
	expr.Walk(e, func(x expr.Expr) bool {
		_, is := x.(*expr.Subquery)
		found = found || is
		return !found
	})
	return found
}

// mapExprs returns the node with f applied to each of its expressions.
func mapExprs(n Node, f func(expr.Expr) expr.Expr) Node {
	switch n := n.(type) {
	case *Filter:
		return &Filter{Input: n.Input, Cond: f(n.Cond)}
	case *Project:
		return &Project{Input: n.Input, Items: mapItems(n.Items, f)}
	case *Aggregate:
		return &Aggregate{Input: n.Input, Keys: n.Keys, Sets: n.Sets, Aggs: mapItems(n.Aggs, f)}
	case *Join:
		out := *n
		if n.On != nil {
			out.On = f(n.On)
		}
		return &out
	case *Sort:
		keys := make([]expr.Order, len(n.Keys))
		for i, k := range n.Keys {
			keys[i] = expr.Order{X: f(k.X), Desc: k.Desc, NullsFirst: k.NullsFirst}
		}
		return &Sort{Input: n.Input, Keys: keys}
	case *Generate:
		out := *n
		out.Call = f(n.Call).(*expr.Call)
		return &out
	case *Values:
		rows := make([][]expr.Expr, len(n.Rows))
		for i, r := range n.Rows {
			rows[i] = make([]expr.Expr, len(r))
			for k, e := range r {
				rows[i][k] = f(e)
			}
		}
		return &Values{Cols: n.Cols, Rows: rows}
	default:
		return n
	}
}

func mapItems(items []Item, f func(expr.Expr) expr.Expr) []Item {
	out := make([]Item, len(items))
	for i, it := range items {
		out[i] = Item{Out: it.Out, X: f(it.X)}
	}
	return out
}

// exprsOf returns the expressions of a node.
func exprsOf(n Node) []expr.Expr {
	var out []expr.Expr
	mapExprs(n, func(e expr.Expr) expr.Expr {
		out = append(out, e)
		return e
	})
	return out
}

// columnsOf adds the IDs of the columns that e refers to, in subqueries too.
func columnsOf(e expr.Expr, into map[int]bool) {
	expr.Walk(e, func(x expr.Expr) bool {
		switch x := x.(type) {
		case *expr.Column:
			into[x.ID] = true
		case *expr.Subquery:
			if sub, ok := x.Query.(Node); ok {
				planColumns(sub, into)
			}
		}
		return true
	})
}

// planColumns adds every column that a plan refers to.
func planColumns(n Node, into map[int]bool) {
	for _, e := range exprsOf(n) {
		columnsOf(e, into)
	}
	for _, c := range n.Children() {
		planColumns(c, into)
	}
}

// outerNames returns the names of the columns that a plan uses and does not have,
// in the order of their first use.
func outerNames(n Node) []string {
	var names []string
	seen := map[int]bool{}
	own(n, seen)
	var visit func(n Node)
	visit = func(n Node) {
		for _, c := range n.Children() {
			visit(c)
		}
		for _, e := range exprsOf(n) {
			expr.Walk(e, func(x expr.Expr) bool {
				if c, ok := x.(*expr.Column); ok && c.ID > 0 && !seen[c.ID] {
					seen[c.ID] = true
					names = append(names, c.Name)
				}
				return true
			})
		}
	}
	visit(n)
	return names
}

// own adds the IDs of all columns that a plan or a part of it yields.
func own(n Node, into map[int]bool) {
	for _, c := range n.Output() {
		into[c.ID] = true
	}
	for _, c := range n.Children() {
		own(c, into)
	}
}

// within reports whether e refers only to the given columns.
func within(e expr.Expr, cols []*expr.Column) bool {
	have := map[int]bool{}
	for _, c := range cols {
		have[c.ID] = true
	}
	refs := map[int]bool{}
	columnsOf(e, refs)
	for id := range refs {
		if id >= 0 && !have[id] {
			return false
		}
	}
	return true
}

// substitute replaces the outputs of items by what computes them.
func substitute(e expr.Expr, items []Item) expr.Expr {
	byID := make(map[int]expr.Expr, len(items))
	for _, it := range items {
		byID[it.Out.ID] = it.X
	}
	return expr.Map(e, func(x expr.Expr) expr.Expr {
		if c, ok := x.(*expr.Column); ok {
			if by, ok := byID[c.ID]; ok {
				return by
			}
		}
		return x
	})
}
