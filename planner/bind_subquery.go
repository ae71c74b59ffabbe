package planner

import (
	"fmt"

	"github.com/eslake/eslake/sql"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

func (b *binding) subquery(s *expr.Subquery) (expr.Expr, error) {
	q, ok := s.Query.(*sql.Query)
	if !ok {
		return s, nil
	}
	x, err := b.expr(s.X)
	if err != nil {
		return nil, err
	}
	node, err := b.query(q, b.scope)
	if err != nil {
		return nil, err
	}
	cols := node.Output()
	bound := &expr.Subquery{Node: s.Node, Kind: s.Kind, X: x, Query: node}
	b.outer[s] = outerNames(node)
	bound.T = row.BooleanType
	switch s.Kind {
	case expr.Scalar:
		if len(cols) != 1 {
			return nil, errorAt(s.At, codeArity, fmt.Sprintf("a subquery used as a value has one column, this has %d", len(cols)), "")
		}
		bound.T = cols[0].T
	case expr.In:
		return b.inSubquery(bound, node)
	}
	return bound, nil
}

// inSubquery brings both sides of IN to one type, as = would.
func (b *binding) inSubquery(s *expr.Subquery, node Node) (expr.Expr, error) {
	left := []expr.Expr{s.X}
	tuple, ok := s.X.(*expr.Call)
	if ok = ok && tuple.Func == "struct"; ok {
		left = tuple.Args
	}
	cols := node.Output()
	if len(cols) != len(left) {
		return nil, errorAt(s.At, codeArity, fmt.Sprintf("IN compares %d values with %d columns", len(left), len(cols)), "")
	}
	items := make([]Item, len(cols))
	var xs []expr.Expr
	for i, c := range cols {
		eq, err := expr.Resolve(&expr.Call{Node: b.node(expr.Node{At: s.At}), Func: "=", Args: []expr.Expr{left[i], c}})
		if err != nil {
			return nil, err
		}
		sides := eq.(*expr.Call).Args
		xs = append(xs, sides[0])
		items[i] = Item{Out: b.newColumn(c.Name, sides[1].Type()), X: sides[1]}
	}
	s.Query = &Project{Input: node, Items: items}
	s.X = xs[0]
	if ok {
		t, err := expr.Resolve(&expr.Call{Node: tuple.Node, Func: "struct", Args: xs})
		if err != nil {
			return nil, err
		}
		s.X = t
	}
	return s, nil
}
