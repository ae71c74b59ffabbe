package planner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/eslake/eslake/sql"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

func (b *builder) join(t *sql.Join, around *scope) (Node, *scope, error) {
	left, ls, err := b.table(t.Left, around)
	if err != nil {
		return nil, nil, err
	}
	seen := *ls
	seen.outer = around.outer
	right, rs, err := b.table(t.Right, &scope{outer: lateralScope(t.Right, &seen, around.outer)})
	if err != nil {
		return nil, nil, err
	}
	node := &Join{Kind: string(t.Kind), Left: left, Right: right, Lateral: isLateral(t.Right)}
	if t.Natural || len(t.Using) > 0 {
		return b.using(t, node, ls, rs)
	}
	both := ls.join(rs)
	both.outer = around.outer
	if t.On != nil {
		bind := &binding{builder: b, scope: both}
		if node.On, err = bind.condition(t.On, "ON"); err != nil {
			return nil, nil, err
		}
	}
	out, err := b.besideRows(node)
	if err != nil {
		return nil, nil, err
	}
	if node.semi() {
		return out, ls, nil
	}
	return out, both, nil
}

// besideRows computes the subqueries of ON beside the rows of the side that they are
// about: DuckDB takes them there, and in the ON of inner joins, but not of others.
func (b *builder) besideRows(j *Join) (Node, error) {
	if j.On == nil || j.Kind == string(sql.InnerJoin) || j.Kind == string(sql.CrossJoin) || !hasSubquery(j.On) {
		return j, nil
	}
	var err error
	var left, right []Item
	out := *j
	out.On = expr.Map(j.On, func(x expr.Expr) expr.Expr {
		s, ok := x.(*expr.Subquery)
		if !ok {
			return x
		}
		it := Item{Out: b.newColumn("_subquery", s.T), X: s}
		switch l, r := refersInto(s, j.Left), refersInto(s, j.Right); {
		case l && r:
			err = errorAt(s.At, codePlace, "a subquery in the ON of a join that is no inner join uses columns of both sides", "let it use those of one side, or move it to WHERE")
		case r:
			right = append(right, it)
		default:
			left = append(left, it)
		}
		return it.Out
	})
	out.Left, out.Right = beside(j.Left, left), beside(j.Right, right)
	return &Project{Input: &out, Items: kept(j.Output())}, err
}

// refersInto reports whether e refers to columns of a plan.
func refersInto(e expr.Expr, n Node) bool {
	refs := map[int]bool{}
	columnsOf(e, refs)
	return slices.ContainsFunc(n.Output(), func(c *expr.Column) bool { return refs[c.ID] })
}

func beside(n Node, items []Item) Node {
	if len(items) == 0 {
		return n
	}
	return &Project{Input: n, Items: append(kept(n.Output()), items...)}
}

// kept are items that leave columns as they are.
func kept(columns []*expr.Column) []Item {
	items := make([]Item, len(columns))
	for i, c := range columns {
		items[i] = Item{Out: c, X: c}
	}
	return items
}

// using binds USING (…) and NATURAL: the shared columns come once, first, and
// stay reachable through either side's name.
func (b *builder) using(t *sql.Join, node *Join, ls, rs *scope) (Node, *scope, error) {
	shared := t.Using
	if t.Natural {
		shared = sharedNames(ls, rs)
	}
	var conds []expr.Expr
	var items []Item
	merged := map[string]bool{}
	for _, id := range shared {
		name := &expr.Name{Node: expr.Node{At: id.At}, Parts: []string{id.Name}}
		l, err := ls.resolve(name)
		if err != nil {
			return nil, nil, err
		}
		r, err := rs.resolve(name)
		if err != nil {
			return nil, nil, err
		}
		eq, err := expr.Resolve(&expr.Call{Node: expr.Node{At: id.At}, Func: "=", Args: []expr.Expr{l, r}})
		if err != nil {
			return nil, nil, err
		}
		conds = append(conds, eq)
		x, err := b.usingValue(t.Kind, l, r)
		if err != nil {
			return nil, nil, err
		}
		items = append(items, Item{Out: b.newColumn(l.(*expr.Column).Name, x.Type()), X: x})
		merged[strings.ToLower(id.Name)] = true
	}
	if len(conds) > 0 {
		node.On = expr.And(conds...)
	}
	if node.semi() {
		return node, ls, nil
	}
	return b.usingScope(node, items, merged, ls, rs)
}

// usingScope projects the shared columns in front of the others. The sides keep
// their own columns: those that were merged only by their qualified name.
func (b *builder) usingScope(node *Join, items []Item, merged map[string]bool, ls, rs *scope) (Node, *scope, error) {
	common := relation{cols: outs(items)}
	out := &scope{rels: []relation{common}}
	for _, r := range append(append([]relation{}, ls.rels...), rs.rels...) {
		kept := r
		kept.cols = nil
		for _, c := range r.cols {
			items = append(items, Item{Out: c, X: c})
			if !merged[strings.ToLower(c.Name)] {
				kept.cols = append(kept.cols, c)
			}
		}
		for _, c := range r.hidden {
			items = append(items, Item{Out: c, X: c})
		}
		out.rels = append(out.rels, kept)
	}
	return &Project{Input: node, Items: items}, out, nil
}

func (b *builder) usingValue(kind sql.JoinKind, l, r expr.Expr) (expr.Expr, error) {
	switch kind {
	case sql.RightJoin:
		return r, nil
	case sql.FullJoin:
		return expr.Resolve(&expr.Call{Func: "coalesce", Args: []expr.Expr{l, r}})
	default:
		return l, nil
	}
}

func sharedNames(ls, rs *scope) []sql.Ident {
	var shared []sql.Ident
	for _, l := range ls.columns() {
		for _, r := range rs.columns() {
			if strings.EqualFold(l.Name, r.Name) {
				shared = append(shared, sql.Ident{Name: l.Name})
			}
		}
	}
	return shared
}

// condition binds a boolean expression without aggregates.
func (b *binding) condition(e expr.Expr, clause string) (expr.Expr, error) {
	bound, err := b.expr(e)
	if err != nil {
		return nil, err
	}
	if at := findAggregate(bound); at != nil {
		return nil, errorAt(at.Span(), codeAggregate, fmt.Sprintf("the aggregate %s may not stand in %s", at, clause), "use HAVING, or a subquery")
	}
	if at := findWindow(bound); at != nil {
		return nil, errorAt(at.Span(), codeAggregate, fmt.Sprintf("a window function may not stand in %s", clause), "use QUALIFY, or a subquery")
	}
	return b.boolean(bound, clause)
}

func (b *binding) boolean(e expr.Expr, clause string) (expr.Expr, error) {
	if e.Type().Kind != row.Boolean {
		return nil, errorAt(e.Span(), "E2112", fmt.Sprintf("%s needs a condition, %s is of type %s", clause, e, e.Type()), "")
	}
	return e, nil
}

// findAggregate returns the first aggregate call outside of a window, nil for none.
func findAggregate(e expr.Expr) expr.Expr {
	return findCall(e, func(c *expr.Call) bool { return c.Over == nil && expr.IsAggregate(c.Func) })
}

// findWindow returns the first call with OVER, nil for none.
func findWindow(e expr.Expr) expr.Expr {
	return findCall(e, func(c *expr.Call) bool { return c.Over != nil })
}

func findCall(e expr.Expr, is func(*expr.Call) bool) expr.Expr {
	var found expr.Expr
	expr.Walk(e, func(x expr.Expr) bool {
		if c, ok := x.(*expr.Call); ok && found == nil && is(c) {
			found = c
		}
		return found == nil
	})
	return found
}
