package planner

import (
	"fmt"
	"strings"

	"github.com/eslake/eslake/sql"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// block is one query block while it is bound: first what it reads, then its
// select list, then how rows are grouped.
type block struct {
	*binding
	sel   *sql.Select
	node  Node   // what the final projection reads
	items []Item // the select list
	group *grouping
	extra []Item // columns that only QUALIFY and ORDER BY need
}

// selectBlock binds a query block with its ORDER BY, which may use columns that
// are not in the select list.
func (b *builder) selectBlock(s *sql.Select, orderBy []expr.Order, outer *scope) (Node, error) {
	node, sc, err := b.from(s.From, outer)
	if err != nil {
		return nil, err
	}
	sc.search = searches(s.Where)
	k := &block{binding: &binding{builder: b, scope: sc, windows: map[string]expr.Window{}}, sel: s, node: node}
	for _, w := range s.Windows {
		k.windows[strings.ToLower(w.Name)] = w.Window
	}
	windows := func() error { return k.timeWindows(orderBy) }
	for _, step := range []func() error{k.views, k.where, windows, k.list, k.grouped} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return k.finish(orderBy)
}

// views adds the rows of LATERAL VIEW.
func (k *block) views() error {
	for _, v := range k.sel.Views {
		names := identNames(v.Columns)
		if len(names) == 0 {
			names = nil
		}
		g, err := k.generate(k.binding, k.node, v.Call, v.Outer, names)
		if err != nil {
			return err
		}
		k.node = g
		added := *k.scope
		added.rels = append(append([]relation{}, added.rels...), relation{name: v.Table.Name, cols: g.Cols})
		k.scope = &added
	}
	return nil
}

func (k *block) where() error {
	if k.sel.Where == nil {
		return nil
	}
	cond, err := k.condition(k.sel.Where, "WHERE")
	if err != nil {
		return err
	}
	k.node = &Filter{Input: k.node, Cond: cond}
	return nil
}

// list binds the select list. An item may use the alias of an earlier one.
func (k *block) list() error {
	withAliases := *k.scope
	withAliases.aliases = map[string]expr.Expr{}
	bind := &binding{builder: k.builder, scope: &withAliases, windows: k.windows}
	names := namer{bind: withAliases.resolve, windows: k.windows, outer: k.outer, zone: k.zone()}
	for _, it := range k.sel.Items {
		if star, ok := it.X.(*expr.Star); ok {
			if err := k.star(star); err != nil {
				return err
			}
			continue
		}
		if c, ok := it.X.(*expr.Call); ok && expr.IsGenerator(c.Func) {
			if err := k.generator(c, it); err != nil {
				return err
			}
			continue
		}
		x, err := bind.expr(it.X)
		if err != nil {
			return err
		}
		out := k.newColumn(names.itemName(it), x.Type())
		k.items = append(k.items, Item{Out: out, X: x})
		if it.Alias != "" {
			withAliases.aliases[strings.ToLower(it.Alias)] = x
		}
	}
	return nil
}

func (k *block) star(s *expr.Star) error {
	found := false
	for _, r := range k.scope.rels {
		if !r.named(s.Table) {
			continue
		}
		found = true
		for _, c := range r.cols {
			if !contains(s.Except, c.Name) {
				k.items = append(k.items, Item{Out: k.newColumn(c.Name, c.T), X: c})
			}
		}
	}
	switch {
	case found:
		return nil
	case len(s.Table) == 0:
		return errorAt(s.At, codeColumn, "* needs a FROM clause", "")
	}
	return k.fields(s)
}

// fields adds the fields of a struct, as column.* asks for.
func (k *block) fields(s *expr.Star) error {
	x, err := k.scope.resolve(&expr.Name{Node: s.Node, Parts: s.Table})
	if err != nil || x.Type().Kind != row.Struct {
		return errorAt(s.At, codeTable, fmt.Sprintf("%s is neither a table of this query nor a STRUCT", strings.Join(s.Table, ".")), "")
	}
	for _, f := range x.Type().Fields {
		if contains(s.Except, f.Name) {
			continue
		}
		field, err := expr.Resolve(&expr.Field{Node: s.Node, X: x, Name: f.Name})
		if err != nil {
			return err
		}
		k.items = append(k.items, Item{Out: k.newColumn(f.Name, f.Type), X: field})
	}
	return nil
}

func contains(names []string, name string) bool {
	for _, n := range names {
		if strings.EqualFold(n, name) {
			return true
		}
	}
	return false
}

// generator binds explode and the like in the select list.
func (k *block) generator(c *expr.Call, it sql.SelectItem) error {
	names := it.Names
	if it.Alias != "" {
		names = []string{it.Alias}
	}
	outer := strings.HasSuffix(c.Func, "_outer")
	g, err := k.generate(k.binding, k.node, c, outer, names)
	if err != nil {
		return err
	}
	k.node = g
	for _, col := range g.Cols {
		k.items = append(k.items, Item{Out: k.newColumn(col.Name, col.T), X: col})
	}
	return nil
}

// aliasScope is the block's scope in which the aliases of the select list may be
// used too, where no column has the name.
func (k *block) aliasScope() *binding {
	sc := *k.scope
	sc.aliases = map[string]expr.Expr{}
	for i, it := range k.sel.Items {
		if it.Alias != "" && i < len(k.items) && len(k.items) == len(k.sel.Items) {
			sc.aliases[strings.ToLower(it.Alias)] = k.items[i].X
		}
	}
	if len(k.items) != len(k.sel.Items) { // a star made more items than were written
		for _, it := range k.items {
			if _, plain := it.X.(*expr.Column); !plain {
				sc.aliases[strings.ToLower(it.Out.Name)] = it.X
			}
		}
	}
	return &binding{builder: k.builder, scope: &sc, windows: k.windows}
}

// finish adds QUALIFY, DISTINCT and ORDER BY over the select list.
func (k *block) finish(orderBy []expr.Order) (Node, error) {
	qualify, err := k.qualify()
	if err != nil {
		return nil, err
	}
	keys, err := k.orderKeys(orderBy)
	if err != nil {
		return nil, err
	}
	if err := k.checkGrouped(); err != nil {
		return nil, err
	}
	var node Node = &Project{Input: k.node, Items: append(append([]Item{}, k.items...), k.extra...)}
	if qualify != nil {
		node = &Filter{Input: node, Cond: qualify}
	}
	if k.sel.Distinct {
		if len(k.extra) > 0 && qualify == nil {
			return nil, errorAt(orderBy[0].X.Span(), codePlace, "ORDER BY of SELECT DISTINCT uses only columns of the select list", "")
		}
		node = &Distinct{Input: k.trim(node)}
	}
	if len(keys) > 0 {
		node = &Sort{Input: node, Keys: keys}
	}
	return k.trim(node), nil
}

// trim drops the extra columns again.
func (k *block) trim(node Node) Node {
	if len(k.extra) == 0 || len(node.Output()) == len(k.items) {
		return node
	}
	items := make([]Item, len(k.items))
	for i, it := range k.items {
		items[i] = Item{Out: it.Out, X: it.Out}
	}
	return &Project{Input: node, Items: items}
}

func (k *block) qualify() (expr.Expr, error) {
	if k.sel.Qualify == nil {
		return nil, nil
	}
	bind := k.aliasScope()
	cond, err := bind.expr(k.sel.Qualify)
	if err != nil {
		return nil, err
	}
	if findWindow(cond) == nil {
		return nil, errorAt(k.sel.Qualify.Span(), codePlace, "QUALIFY needs a window function", "use WHERE")
	}
	if cond, err = bind.boolean(cond, "QUALIFY"); err != nil {
		return nil, err
	}
	if cond, err = k.regroup(cond); err != nil {
		return nil, err
	}
	return k.extraColumn(cond), nil
}

// orderKeys brings ORDER BY to columns of the projection.
func (k *block) orderKeys(orderBy []expr.Order) ([]expr.Order, error) {
	var keys []expr.Order
	for _, o := range orderBy {
		x, err := k.orderKey(o.X)
		if err != nil {
			return nil, err
		}
		keys = append(keys, expr.Order{X: x, Desc: o.Desc, NullsFirst: o.NullsFirst})
	}
	return keys, nil
}

func (k *block) orderKey(e expr.Expr) (expr.Expr, error) {
	if x, ok, err := ordinal(e, outs(k.items)); ok || err != nil {
		return x, err
	}
	if n, ok := e.(*expr.Name); ok && len(n.Parts) == 1 {
		for _, it := range k.items {
			if strings.EqualFold(it.Out.Name, n.Parts[0]) {
				return it.Out, nil
			}
		}
	}
	bound, err := k.aliasScope().expr(e)
	if err != nil {
		return nil, err
	}
	if bound, err = k.regroup(bound); err != nil {
		return nil, err
	}
	return k.extraColumn(bound), nil
}

// extraColumn is the column of the projection that computes x: an item of the
// select list where one does, else a new one.
func (k *block) extraColumn(x expr.Expr) expr.Expr {
	want := fingerprint(x)
	for _, it := range append(append([]Item{}, k.items...), k.extra...) {
		if fingerprint(it.X) == want {
			return it.Out
		}
	}
	out := k.newColumn(x.String(), x.Type())
	k.extra = append(k.extra, Item{Out: out, X: x})
	return out
}

// fingerprint is equal for expressions that compute the same: their text with
// every column replaced by its ID, and every parameter of a lambda by its number.
func fingerprint(e expr.Expr) string {
	params := map[int]string{}
	expr.Walk(e, func(x expr.Expr) bool {
		if l, ok := x.(*expr.Lambda); ok {
			for _, p := range l.Bound {
				params[p.ID] = fmt.Sprintf("p%d", len(params)+1)
			}
		}
		return true
	})
	return expr.Map(e, func(x expr.Expr) expr.Expr {
		switch x := x.(type) {
		case *expr.Column:
			if name, ok := params[x.ID]; ok {
				return &expr.Column{ID: x.ID, Name: name}
			}
			return &expr.Column{ID: x.ID, Name: fmt.Sprintf("#%d", x.ID)}
		case *expr.Lambda:
			return &expr.Lambda{Params: make([]string, len(x.Params)), Body: x.Body}
		}
		return x
	}).String()
}
