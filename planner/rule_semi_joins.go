package planner

import "github.com/eslake/eslake/sql/expr"

// joinSubqueries makes a semi-join of WHERE x IN (subquery), so that what is known
// of joins holds for it too: the values of the subquery can be looked up in the
// index. A subquery that refers to the query around it stays as it is.
//
//	Filter id IN (Project size)
//	  Scan logs
//
// becomes
//
//	Join LEFT SEMI on id = size
//	  Scan logs
//	  Project size
//	    Scan hosts
func joinSubqueries(n Node) Node {
	return transform(n, func(n Node) Node {
		f, ok := n.(*Filter)
		if !ok {
			return n
		}
		var rest []expr.Expr
		input := f.Input
		for _, cond := range expr.Conjuncts(f.Cond) {
			if j, ok := semiJoin(input, cond); ok {
				input = j
				continue
			}
			rest = append(rest, cond)
		}
		return filtered(input, rest)
	})
}

func semiJoin(input Node, cond expr.Expr) (Node, bool) {
	s, ok := cond.(*expr.Subquery)
	if !ok || s.Kind != expr.In || hasSubquery(s.X) {
		return nil, false
	}
	x, ok := unwrap(s.X).(*expr.Column)
	sub, isPlan := s.Query.(Node)
	if !ok || !isPlan || len(sub.Output()) != 1 || !within(x, input.Output()) || !selfContained(sub) {
		return nil, false
	}
	out := sub.Output()[0]
	if !out.T.Equal(x.T) {
		return nil, false
	}
	on := &expr.Call{Node: s.Node, Func: "=", Args: []expr.Expr{x, out}}
	return &Join{Kind: "LEFT SEMI", Left: input, Right: sub, On: on}, true
}

// selfContained reports whether a plan refers only to columns of its own.
func selfContained(n Node) bool {
	made, used := map[int]bool{}, map[int]bool{}
	each(n, func(n Node) {
		for _, c := range n.Output() {
			made[c.ID] = true
		}
		if agg, ok := n.(*Aggregate); ok {
			for _, k := range agg.Keys {
				used[k.ID] = true
			}
		}
	})
	planColumns(n, used)
	for id := range used {
		if id >= 0 && !made[id] {
			return false
		}
	}
	return true
}
