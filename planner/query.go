package planner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/eslake/eslake/sql"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// cteScope is the names that WITH clauses define, innermost first.
type cteScope struct {
	cte   sql.CTE
	outer *cteScope
}

func (c *cteScope) find(name string) *cteScope {
	for ; c != nil; c = c.outer {
		if strings.EqualFold(c.cte.Name.Name, name) {
			return c
		}
	}
	return nil
}

// query binds a whole query. Outer is the scope around a subquery, nil for none.
func (b *builder) query(q *sql.Query, outer *scope) (Node, error) {
	inner := *b
	for _, c := range q.With {
		inner.ctes = &cteScope{cte: c, outer: inner.ctes}
	}
	node, err := inner.ordered(q, outer)
	if err != nil {
		return nil, err
	}
	return inner.limit(node, q)
}

func (b *builder) ordered(q *sql.Query, outer *scope) (Node, error) {
	if s, ok := q.Body.(*sql.Select); ok {
		return b.selectBlock(s, q.OrderBy, outer)
	}
	node, err := b.body(q.Body, outer)
	if err != nil || len(q.OrderBy) == 0 {
		return node, err
	}
	bind := &binding{builder: b, scope: &scope{rels: []relation{{cols: node.Output()}}, outer: outer}}
	var keys []expr.Order
	for _, k := range q.OrderBy {
		if x, ok, err := ordinal(k.X, node.Output()); ok || err != nil {
			if err != nil {
				return nil, err
			}
			keys = append(keys, expr.Order{X: x, Desc: k.Desc, NullsFirst: k.NullsFirst})
			continue
		}
		x, err := bind.expr(k.X)
		if err != nil {
			return nil, err
		}
		keys = append(keys, expr.Order{X: x, Desc: k.Desc, NullsFirst: k.NullsFirst})
	}
	return &Sort{Input: node, Keys: keys}, nil
}

// ordinal is the column that a whole number in ORDER BY or GROUP BY names.
func ordinal(e expr.Expr, cols []*expr.Column) (expr.Expr, bool, error) {
	lit, ok := e.(*expr.Literal)
	if !ok || !lit.T.Integral() {
		return nil, false, nil
	}
	n, ok := lit.Value.(int64)
	if !ok {
		return nil, false, nil
	}
	if n < 1 || n > int64(len(cols)) {
		return nil, true, errorAt(lit.At, codeColumn, fmt.Sprintf("position %d is not in the select list, which has %d columns", n, len(cols)), "")
	}
	return cols[n-1], true, nil
}

func (b *builder) limit(node Node, q *sql.Query) (Node, error) {
	if q.Limit == nil && q.Offset == nil {
		return node, nil
	}
	out := &Limit{Input: node, N: -1}
	for _, part := range []struct {
		x    expr.Expr
		into *int64
		word string
	}{{q.Limit, &out.N, "LIMIT"}, {q.Offset, &out.Offset, "OFFSET"}} {
		if part.x == nil {
			continue
		}
		lit, ok := part.x.(*expr.Literal)
		n, whole := int64(0), false
		if ok {
			n, whole = lit.Value.(int64)
		}
		if !whole || n < 0 {
			return nil, errorAt(part.x.Span(), codePlace, part.word+" takes a whole number that is not negative", "")
		}
		*part.into = n
	}
	return out, nil
}

func (b *builder) body(body sql.Body, outer *scope) (Node, error) {
	switch body := body.(type) {
	case *sql.Query:
		return b.query(body, outer)
	case *sql.Select:
		return b.selectBlock(body, nil, outer)
	case *sql.Values:
		return b.values(body, outer)
	case *sql.Table:
		return b.selectBlock(&sql.Select{
			Items: []sql.SelectItem{{X: &expr.Star{}}},
			From:  []sql.TableExpr{&sql.NamedTable{Name: body.Name}},
		}, nil, outer)
	case *sql.SetOperation:
		return b.setOperation(body, outer)
	default:
		return nil, fmt.Errorf("query body %T", body)
	}
}

func (b *builder) values(v *sql.Values, outer *scope) (Node, error) {
	bind := &binding{builder: b, scope: &scope{outer: outer}}
	rows := make([][]expr.Expr, len(v.Rows))
	for i, r := range v.Rows {
		if len(r) != len(v.Rows[0]) {
			at := v.At
			if len(r) > 0 {
				at = r[0].Span()
			}
			return nil, errorAt(at, codeArity, fmt.Sprintf("row %d has %d values, row 1 has %d", i+1, len(r), len(v.Rows[0])), "")
		}
		bound, err := bind.exprs(r)
		if err != nil {
			return nil, err
		}
		rows[i] = bound
	}
	node := &Values{Rows: rows}
	for k := range rows[0] {
		t, err := b.sameType(rows, k)
		if err != nil {
			return nil, err
		}
		node.Cols = append(node.Cols, b.newColumn(fmt.Sprintf("col%d", k+1), t))
	}
	return node, nil
}

// sameType brings column k of all rows to one type and returns it. With ANSI the rules
// are the same, as in Spark: there FLOAT and whole numbers stay FLOAT.
func (b *builder) sameType(rows [][]expr.Expr, k int) (row.Type, error) {
	t := rows[0][k].Type()
	for _, r := range rows[1:] {
		wide, ok := expr.CommonType(false, t, r[k].Type())
		if !ok || wide.Kind == row.String && !textOrNull(t, r[k].Type()) {
			return t, errorAt(r[k].Span(), codeStore, fmt.Sprintf("a value of type %s stands in a column of %s", r[k].Type(), t), "cast one of them")
		}
		t = wide
	}
	for _, r := range rows {
		r[k] = expr.Convert(r[k], t)
	}
	return t, nil
}

// textOrNull reports whether no type is made a text that is none (Spark,
// findWiderTypeWithoutStringPromotion).
func textOrNull(types ...row.Type) bool {
	return !slices.ContainsFunc(types, func(t row.Type) bool { return t.Kind != row.String && t.Kind != row.Void })
}

func (b *builder) setOperation(s *sql.SetOperation, outer *scope) (Node, error) {
	left, err := b.body(s.Left, outer)
	if err != nil {
		return nil, err
	}
	right, err := b.body(s.Right, outer)
	if err != nil {
		return nil, err
	}
	lc, rc := left.Output(), right.Output()
	if len(lc) != len(rc) {
		return nil, errorAt(s.At, codeArity, fmt.Sprintf("%s needs as many columns on both sides: %d and %d", s.Op, len(lc), len(rc)), "")
	}
	node := &SetOp{Op: string(s.Op), All: s.All, Left: left, Right: right}
	var types []row.Type
	for i := range lc {
		wide, ok := expr.CommonType(b.env.ANSI(), lc[i].T, rc[i].T)
		if !ok {
			return nil, errorAt(s.At, codeStore, fmt.Sprintf("column %d of %s is %s on the left and %s on the right", i+1, s.Op, lc[i].T, rc[i].T), "")
		}
		types = append(types, wide)
		node.Cols = append(node.Cols, b.newColumn(lc[i].Name, wide))
	}
	node.Left, node.Right = b.convert(left, types), b.convert(right, types)
	return node, nil
}

// convert casts the columns of a node to types.
func (b *builder) convert(node Node, types []row.Type) Node {
	cols := node.Output()
	same := true
	items := make([]Item, len(cols))
	for i, c := range cols {
		items[i] = Item{Out: c, X: c}
		if !c.T.Equal(types[i]) {
			same = false
			items[i] = Item{Out: b.newColumn(c.Name, types[i]), X: expr.Convert(c, types[i])}
		}
	}
	if same {
		return node
	}
	return &Project{Input: node, Items: items}
}
