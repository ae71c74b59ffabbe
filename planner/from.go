package planner

import (
	"fmt"
	"strings"

	"github.com/eslake/eslake/catalog"
	"github.com/eslake/eslake/sql"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/lex"
	"github.com/eslake/eslake/sql/row"
)

// from binds the FROM clause: its items joined from left to right.
func (b *builder) from(items []sql.TableExpr, outer *scope) (Node, *scope, error) {
	if len(items) == 0 {
		return &Values{Rows: [][]expr.Expr{{}}}, &scope{outer: outer}, nil
	}
	node, sc, err := b.table(items[0], &scope{outer: outer})
	if err != nil {
		return nil, nil, err
	}
	for _, item := range items[1:] {
		left := *sc
		left.outer = outer
		right, rs, err := b.table(item, &scope{outer: lateralScope(item, &left, outer)})
		if err != nil {
			return nil, nil, err
		}
		node = &Join{Kind: string(sql.CrossJoin), Left: node, Right: right, Lateral: isLateral(item)}
		sc = sc.join(rs)
	}
	sc.outer = outer
	return node, sc, nil
}

func isLateral(t sql.TableExpr) bool {
	s, ok := t.(*sql.SubqueryTable)
	return ok && s.Lateral
}

// lateralScope is what a right side may refer to.
func lateralScope(t sql.TableExpr, left, outer *scope) *scope {
	if isLateral(t) {
		return left
	}
	return outer
}

// table binds one item of FROM. around holds the outer scope.
func (b *builder) table(t sql.TableExpr, around *scope) (Node, *scope, error) {
	switch t := t.(type) {
	case *sql.NamedTable:
		node, rel, err := b.namedTable(t)
		if err != nil {
			return nil, nil, err
		}
		return b.aliased(node, rel, t.Alias, t.Sample, t.Span().Line)
	case *sql.FileTable:
		node, err := b.fileTable(t)
		if err != nil {
			return nil, nil, err
		}
		return b.aliased(node, relation{cols: node.Output()}, t.Alias, t.Sample, 0)
	case *sql.SubqueryTable:
		node, err := b.query(t.Query, around.outer)
		if err != nil {
			return nil, nil, err
		}
		return b.aliased(node, relation{cols: node.Output()}, t.Alias, t.Sample, 0)
	case *sql.FunctionTable:
		return b.functionTable(t, around)
	case *sql.Join:
		return b.join(t, around)
	case *sql.Pivot:
		return b.pivot(t, around)
	case *sql.Unpivot:
		return b.unpivot(t, around)
	default:
		return nil, nil, fmt.Errorf("table expression %T", t)
	}
}

// aliased gives the columns of a FROM item their alias and names.
func (b *builder) aliased(node Node, rel relation, a sql.Alias, sample sql.Sample, _ int) (Node, *scope, error) {
	if sample.Set {
		node = &Sample{Input: node, Rows: sample.Rows, Percent: sample.Percent}
	}
	if a.Name != "" {
		rel.name, rel.database = a.Name, ""
	}
	if len(a.Columns) > 0 {
		if len(a.Columns) != len(rel.cols) {
			return nil, nil, fmt.Errorf("%s names %d columns of %d", a.Name, len(a.Columns), len(rel.cols))
		}
		rel.cols = renamed(rel.cols, a.Columns)
	}
	return node, &scope{rels: []relation{rel}}, nil
}

// renamed returns the same columns under other names.
func renamed(cols []*expr.Column, names []string) []*expr.Column {
	out := make([]*expr.Column, len(cols))
	for i, c := range cols {
		r := *c
		r.Name = names[i]
		out[i] = &r
	}
	return out
}

func (b *builder) namedTable(t *sql.NamedTable) (Node, relation, error) {
	name := t.Name.Table.Name
	if t.Name.Database.Name == "" {
		if c := b.ctes.find(name); c != nil {
			return b.cte(c)
		}
	}
	found, err := b.env.Resolver.Lookup(t.Name.Database.Name, name)
	if err != nil {
		return nil, relation{}, Located(err, t.Name.Span())
	}
	if found.View != nil {
		return b.view(found.View, t)
	}
	node, rel, err := b.openTable(found.Table)
	if err != nil {
		return nil, relation{}, Located(err, t.Name.Span())
	}
	rel.database, rel.name = found.Table.Database, found.Table.Name
	return node, rel, nil
}

// cte binds the query of a WITH name afresh, so that each use has its own IDs.
func (b *builder) cte(c *cteScope) (Node, relation, error) {
	inner := *b
	inner.ctes = c.outer
	node, err := inner.query(c.cte.Query, nil)
	if err != nil {
		return nil, relation{}, err
	}
	rel := relation{name: c.cte.Name.Name, cols: node.Output()}
	if len(c.cte.Columns) > 0 {
		if len(c.cte.Columns) != len(rel.cols) {
			return nil, relation{}, errorAt(c.cte.Name.At, codeArity, fmt.Sprintf("%s names %d columns, its query has %d", rel.name, len(c.cte.Columns), len(rel.cols)), "")
		}
		rel.cols = renamed(rel.cols, identNames(c.cte.Columns))
	}
	return node, rel, nil
}

func identNames(ids []sql.Ident) []string {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = id.Name
	}
	return names
}

func (b *builder) view(v *catalog.View, t *sql.NamedTable) (Node, relation, error) {
	key := strings.ToLower(v.Database + "." + v.Name)
	if b.views[key] {
		return nil, relation{}, errorAt(t.Name.Span(), codeTable, fmt.Sprintf("view %s reads itself", v.Name), "")
	}
	b.views[key] = true
	defer delete(b.views, key)
	q, err := parseQuery(v.Text, "view "+v.Name)
	if err != nil {
		return nil, relation{}, err
	}
	env := *b.env
	env.Database = v.Database
	env.Resolver = inDatabase{b.env.Resolver, v.Database}
	inner := *b
	inner.ctes, inner.env = nil, &env
	node, err := inner.query(q, nil)
	if err != nil {
		return nil, relation{}, err
	}
	rel := relation{database: v.Database, name: v.Name, cols: node.Output()}
	if len(v.Columns) > 0 {
		names := make([]string, len(v.Columns))
		for i, c := range v.Columns {
			names[i] = c.Name
		}
		if len(names) != len(rel.cols) {
			return nil, relation{}, errorAt(t.Name.Span(), codeArity, fmt.Sprintf("view %s names %d columns, its query has %d", v.Name, len(names), len(rel.cols)), "")
		}
		rel.cols = renamed(rel.cols, names)
	}
	return node, rel, nil
}

// inDatabase looks names without a database up in a view's own.
type inDatabase struct {
	Resolver
	database string
}

func (r inDatabase) Lookup(database, name string) (catalog.Relation, error) {
	if database == "" {
		if found, err := r.Resolver.Lookup("", name); err == nil && found.View != nil && found.View.Temporary {
			return found, nil
		}
		database = r.database
	}
	return r.Resolver.Lookup(database, name)
}

// parseQuery parses the text of a view.
func parseQuery(text, name string) (*sql.Query, error) {
	t, err := lex.One(name, text)
	if err != nil {
		return nil, err
	}
	st, err := sql.Parse(t)
	if err != nil {
		return nil, err
	}
	s, ok := st.(*sql.SelectStmt)
	if !ok {
		return nil, fmt.Errorf("%s is not a query", name)
	}
	return s.Query, nil
}

func (b *builder) functionTable(t *sql.FunctionTable, around *scope) (Node, *scope, error) {
	bind := &binding{builder: b, scope: &scope{outer: around.outer}}
	if t.Call.Func == "range" {
		node, err := b.rangeTable(bind, t.Call)
		if err != nil {
			return nil, nil, err
		}
		return b.aliased(node, relation{cols: node.Output()}, t.Alias, sql.Sample{}, 0)
	}
	if !expr.IsGenerator(t.Call.Func) {
		return nil, nil, errorAt(t.At, codePlace, fmt.Sprintf("%s is not a table function", t.Call.Func), "range, explode, inline, posexplode and stack are")
	}
	node, err := b.generate(bind, &Values{Rows: [][]expr.Expr{{}}}, t.Call, false, nil)
	if err != nil {
		return nil, nil, err
	}
	return b.aliased(node, relation{cols: node.Cols}, t.Alias, sql.Sample{}, 0)
}

func (b *builder) rangeTable(bind *binding, c *expr.Call) (Node, error) {
	if len(c.Args) < 1 || len(c.Args) > 4 {
		return nil, errorAt(c.At, codeArity, "range takes an end, or a start, an end and a step", "")
	}
	var nums []int64
	for _, a := range c.Args {
		e, err := bind.expr(a)
		if err != nil {
			return nil, err
		}
		n, ok := wholeConstant(e)
		if !ok {
			return nil, errorAt(a.Span(), codePlace, "range takes whole numbers", "")
		}
		nums = append(nums, n)
	}
	node := &Range{End: nums[0], Step: 1, Out: b.newColumn("id", row.BigIntType)}
	if len(nums) > 1 {
		node.Start, node.End = nums[0], nums[1]
	}
	if len(nums) > 2 {
		node.Step = nums[2]
	}
	if node.Step == 0 {
		return nil, errorAt(c.At, codePlace, "the step of range is not 0", "")
	}
	return node, nil
}

func wholeConstant(e expr.Expr) (int64, bool) {
	switch e := e.(type) {
	case *expr.Literal:
		n, ok := e.Value.(int64)
		return n, ok
	case *expr.Cast:
		return wholeConstant(e.X)
	case *expr.Call:
		if e.Func == "negative" {
			n, ok := wholeConstant(e.Args[0])
			return -n, ok
		}
	}
	return 0, false
}

// generate binds a generator over the rows of node. Names are those of its
// columns, nil for the generator's own.
func (b *builder) generate(bind *binding, node Node, c *expr.Call, outer bool, names []string) (*Generate, error) {
	e, err := bind.expr(c)
	if err != nil {
		return nil, err
	}
	call, ok := e.(*expr.Call)
	if !ok || !expr.IsGenerator(call.Func) {
		return nil, errorAt(c.At, codePlace, fmt.Sprintf("%s does not make rows", c.Func), "explode, posexplode, inline and stack do")
	}
	fields, err := expr.GeneratorColumns(call)
	if err != nil {
		return nil, err
	}
	if names != nil && len(names) != len(fields) {
		return nil, errorAt(c.At, codeArity, fmt.Sprintf("%s makes %d columns, %d names are given", c.Func, len(fields), len(names)), "")
	}
	g := &Generate{Input: node, Call: call, Outer: outer}
	for i, f := range fields {
		name := f.Name
		if names != nil {
			name = names[i]
		}
		g.Cols = append(g.Cols, b.newColumn(name, f.Type))
	}
	return g, nil
}
