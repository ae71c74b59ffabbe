package planner

import (
	"fmt"
	"strings"

	"github.com/eslake/eslake/sql"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// pivoting is a PIVOT while it is bound. It becomes two GROUP BYs, as in Spark:
// the first by the other columns and the pivot's, the second puts what the first
// computed for a value into that value's column, NULL where it has no row.
type pivoting struct {
	*builder
	t      *sql.Pivot
	scope  *scope
	node   Node
	pivots []*expr.Column // of FOR
	groups []*expr.Column // neither of FOR nor in an aggregate
	plain  bool           // every aggregate is a number or a boolean
}

func (b *builder) pivot(t *sql.Pivot, around *scope) (Node, *scope, error) {
	node, sc, err := b.table(t.Input, around)
	if err != nil {
		return nil, nil, err
	}
	p := &pivoting{builder: b, t: t, scope: sc, node: node}
	if err := p.columns(); err != nil {
		return nil, nil, err
	}
	from, pivots := p.node, p.pivots
	var aggs []expr.Expr // of the second GROUP BY, without the condition
	if p.plain {
		if from, pivots, aggs, err = p.first(); err != nil {
			return nil, nil, err
		}
	} else {
		for _, a := range t.Aggs {
			aggs = append(aggs, a.X)
		}
	}
	out, err := p.second(from, pivots, aggs)
	if err != nil {
		return nil, nil, err
	}
	return out, &scope{rels: []relation{{cols: out.Output()}}}, nil
}

// columns finds the columns of FOR, and those that are left to group by.
func (p *pivoting) columns() error {
	used := map[int]bool{}
	for _, id := range p.t.For {
		c, err := p.column(&expr.Name{Node: expr.Node{At: id.At}, Parts: []string{id.Name}}, p.scope)
		if err != nil {
			return err
		}
		used[c.ID] = true
		p.pivots = append(p.pivots, c)
	}
	bind := &binding{builder: p.builder, scope: p.scope}
	p.plain = true
	for _, a := range p.t.Aggs {
		x, err := bind.expr(a.X)
		if err != nil {
			return err
		}
		if findAggregate(x) == nil {
			return errorAt(a.X.Span(), codeAggregate, fmt.Sprintf("%s is no aggregate: PIVOT needs one, such as sum(%s)", a.X, a.X), "")
		}
		expr.Walk(x, func(e expr.Expr) bool {
			if c, ok := e.(*expr.Column); ok {
				used[c.ID] = true
			}
			return true
		})
		p.plain = p.plain && (x.Type().Numeric() || x.Type().Kind == row.Boolean)
	}
	for _, c := range p.scope.columns() {
		if !used[c.ID] {
			p.groups = append(p.groups, c)
		}
	}
	return nil
}

// column resolves the name of a plain column.
func (b *builder) column(n *expr.Name, sc *scope) (*expr.Column, error) {
	e, err := sc.resolve(n)
	if err != nil {
		return nil, err
	}
	c, ok := e.(*expr.Column)
	if !ok {
		return nil, errorAt(n.At, codePlace, fmt.Sprintf("%s is a field; only a column may stand here", n), "give it a name in a subquery")
	}
	return c, nil
}

// first groups by the pivot's columns too. It changes the groups to its own
// columns.
func (p *pivoting) first() (Node, []*expr.Column, []expr.Expr, error) {
	keys := append(append([]*expr.Column{}, p.groups...), p.pivots...)
	out, err := p.grouped(p.node, p.scope, keys, p.t.Aggs)
	if err != nil {
		return nil, nil, nil, err
	}
	cols := out.Output()
	p.groups = cols[:len(p.groups):len(p.groups)]
	pivots := cols[len(p.groups):len(keys):len(keys)]
	p.scope = &scope{rels: []relation{{cols: cols}}, outer: p.scope.outer}
	var aggs []expr.Expr
	for _, c := range cols[len(keys):] {
		aggs = append(aggs, &expr.Call{Node: expr.Node{At: p.t.At}, Func: "any_value", Args: []expr.Expr{c}})
	}
	return out, pivots, aggs, nil
}

// grouped is SELECT keys, items GROUP BY keys.
func (p *pivoting) grouped(node Node, sc *scope, keys []*expr.Column, items []sql.SelectItem) (Node, error) {
	sel := &sql.Select{}
	if len(keys) > 0 {
		sel.GroupBy = &sql.GroupBy{}
	}
	for _, c := range keys {
		sel.Items = append(sel.Items, sql.SelectItem{X: c, Alias: c.Name})
		sel.GroupBy.Keys = append(sel.GroupBy.Keys, c)
	}
	sel.Items = append(sel.Items, items...)
	k := &block{binding: &binding{builder: p.builder, scope: sc}, sel: sel, node: node}
	for _, step := range []func() error{k.list, k.grouped} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return k.finish(nil)
}

// second makes a column of each value and aggregate.
func (p *pivoting) second(from Node, pivots []*expr.Column, aggs []expr.Expr) (Node, error) {
	var items []sql.SelectItem
	for _, v := range p.t.Values {
		cond, text, err := p.value(v, pivots)
		if err != nil {
			return nil, err
		}
		for i, a := range aggs {
			name := text
			if len(aggs) > 1 {
				name += "_" + p.aggregateName(p.t.Aggs[i])
			}
			items = append(items, sql.SelectItem{X: onlyWhere(a, cond), Alias: name})
		}
	}
	return p.grouped(from, p.scope, p.groups, items)
}

func (p *pivoting) aggregateName(a sql.SelectItem) string {
	return namer{bind: p.scope.resolve, zone: p.zone()}.itemName(a)
}

// value is the condition that a row belongs to a value, and the value's name.
func (p *pivoting) value(v sql.PivotValue, pivots []*expr.Column) (expr.Expr, string, error) {
	bind := &binding{builder: p.builder, scope: &scope{}}
	var cond expr.Expr
	var texts []string
	for i, cell := range v.Cells {
		x, err := bind.expr(cell)
		if err != nil {
			return nil, "", err
		}
		lit, ok := x.(*expr.Literal)
		if !ok {
			return nil, "", errorAt(cell.Span(), codePlace, "the values of PIVOT are constants", "")
		}
		if !expr.CastAllowed(lit.T, pivots[i].T, expr.LegacyCast) {
			return nil, "", errorAt(cell.Span(), codeStore, fmt.Sprintf("%s is compared with column %s of type %s", cell, pivots[i].Name, pivots[i].T.SQL()), "")
		}
		texts = append(texts, valueText(lit, p.zone()))
		var eq expr.Expr = &expr.Call{Node: expr.Node{At: cell.Span()}, Func: "<=>", Args: []expr.Expr{pivots[i], expr.Convert(lit, pivots[i].T)}}
		if cond != nil {
			eq = &expr.Call{Node: expr.Node{At: cell.Span()}, Func: "and", Args: []expr.Expr{cond, eq}}
		}
		cond = eq
	}
	name := strings.Join(texts, ", ")
	switch {
	case v.Alias != "":
		name = v.Alias
	case len(texts) > 1:
		name = "{" + name + "}"
	}
	return cond, name, nil
}

// valueText is a constant as a cast to STRING writes it.
func valueText(l *expr.Literal, z *row.Zone) string {
	switch v := l.Value.(type) {
	case nil:
		return "null"
	case int64:
		switch l.T.Kind {
		case row.Date:
			return string(row.AppendDate(nil, v))
		case row.Timestamp:
			if !l.Wall {
				v = z.Wall(v)
			}
			return string(row.AppendTimestamp(nil, v, ' '))
		case row.TimestampNTZ:
			return string(row.AppendTimestamp(nil, v, ' '))
		}
	}
	return literalName(l)
}

// onlyWhere gives the condition to every aggregate of an expression.
func onlyWhere(e, cond expr.Expr) expr.Expr {
	return expr.Map(e, func(x expr.Expr) expr.Expr {
		c, ok := x.(*expr.Call)
		if !ok || c.Over != nil || !expr.IsAggregate(c.Func) {
			return x
		}
		out := *c
		out.Filter = cond
		if c.Filter != nil {
			out.Filter = &expr.Call{Node: c.Node, Func: "and", Args: []expr.Expr{c.Filter, cond}}
		}
		return &out
	})
}

// unpivot binds UNPIVOT as stack over the rows, without the columns that it takes.
func (b *builder) unpivot(t *sql.Unpivot, around *scope) (Node, *scope, error) {
	node, sc, err := b.table(t.Input, around)
	if err != nil {
		return nil, nil, err
	}
	taken := map[int]bool{}
	call := &expr.Call{Node: expr.Node{At: t.At}, Func: "stack", Args: []expr.Expr{intConstant(t, int64(len(t.In)))}}
	types := make([][]*expr.Column, len(t.Values))
	for _, in := range t.In {
		var names []string
		var cells []expr.Expr
		for i, n := range in.Columns {
			c, err := b.column(n, sc)
			if err != nil {
				return nil, nil, err
			}
			taken[c.ID] = true
			types[i] = append(types[i], c)
			names, cells = append(names, c.Name), append(cells, c)
		}
		name := in.Alias
		if name == "" {
			name = strings.Join(names, "_")
		}
		call.Args = append(append(call.Args, &expr.Literal{Node: expr.Node{At: t.At, T: row.StringType}, Value: name}), cells...)
	}
	for i, cols := range types {
		if err := oneKind(cols); err != nil {
			return nil, nil, err
		}
		widenCells(call.Args[2+i:], len(types)+1, cols)
	}
	g, err := b.generate(&binding{builder: b, scope: sc}, node, call, false, identNames(append([]sql.Ident{t.Name}, t.Values...)))
	if err != nil {
		return nil, nil, err
	}
	node = g
	if !t.IncludeNulls {
		node = &Filter{Input: g, Cond: anyValue(g.Cols[1:])}
	}
	var items []Item
	for _, c := range append(sc.columns(), g.Cols...) {
		if !taken[c.ID] {
			items = append(items, Item{Out: b.newColumn(c.Name, c.T), X: c})
		}
	}
	node = &Project{Input: node, Items: items}
	return b.aliased(node, relation{cols: node.Output()}, t.Alias, sql.Sample{}, 0)
}

func intConstant(t *sql.Unpivot, v int64) *expr.Literal {
	return &expr.Literal{Node: expr.Node{At: t.At, T: row.IntType}, Value: v}
}

// oneKind refuses text beside other types, which Spark does not put in one column.
func oneKind(cols []*expr.Column) error {
	for _, c := range cols[1:] {
		if (c.T.Kind == row.String) != (cols[0].T.Kind == row.String) {
			return errorAt(c.At, codeStore, fmt.Sprintf("UNPIVOT puts %s (%s) and %s (%s) in one column", cols[0].Name, cols[0].T.SQL(), c.Name, c.T.SQL()), "cast one of them in a subquery")
		}
	}
	return nil
}

// widenCells brings what goes into one column, every so many cells, to one type.
func widenCells(cells []expr.Expr, step int, cols []*expr.Column) {
	kinds := make([]row.Type, len(cols))
	for i, c := range cols {
		kinds[i] = c.T
	}
	t, ok := expr.CommonType(false, kinds...)
	for i := 0; ok && i < len(cells); i += step {
		cells[i] = expr.Convert(cells[i], t)
	}
}

// anyValue is true when one of the columns is not NULL.
func anyValue(cols []*expr.Column) expr.Expr {
	var cond expr.Expr
	for _, c := range cols {
		var given expr.Expr = &expr.Call{Node: expr.Node{T: row.BooleanType}, Func: "isnotnull", Args: []expr.Expr{c}}
		if cond != nil {
			given = &expr.Call{Node: expr.Node{T: row.BooleanType}, Func: "or", Args: []expr.Expr{cond, given}}
		}
		cond = given
	}
	return cond
}
