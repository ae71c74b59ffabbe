package planner

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/planner/duck"
	"github.com/eslake/eslake/planner/exec"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// generator writes a plan as one query of the local engine. Every node is a
// SELECT over those below it; every column is named by its ID, so a name means
// the same in each of them, also where a subquery refers to a query around it.
type generator struct {
	ctx     context.Context
	engine  *duck.Engine
	mode    duck.Mode
	aliases int
	release []func()                                   // what the scans registered with the engine
	watch   func(name string, r row.Reader) row.Reader // of every reader that the engine gets; nil for none
}

// columnName is the engine's name of a column.
func columnName(c *expr.Column) string {
	if c.ID < 0 {
		return fmt.Sprintf("p%d", -c.ID)
	}
	return fmt.Sprintf("c%d", c.ID)
}

func (g *generator) close() {
	for _, f := range g.release {
		f()
	}
	g.release = nil
}

func (g *generator) alias() string {
	g.aliases++
	return fmt.Sprintf("t%d", g.aliases)
}

// from wraps a node's query as an item of FROM.
func (g *generator) from(n Node) (string, error) {
	q, err := g.query(n)
	return "(" + q + ") AS " + g.alias(), err
}

func (g *generator) expr(e expr.Expr) (string, error) {
	return duck.Spell(e, g.mode, columnName, g.subquery)
}

func (g *generator) exprs(es []expr.Expr) ([]string, error) {
	out := make([]string, len(es))
	for i, e := range es {
		text, err := g.expr(e)
		if err != nil {
			return nil, err
		}
		out[i] = text
	}
	return out, nil
}

// result is the query of the whole plan: its columns renamed by position and
// cast to the types that the plan promises.
func (g *generator) result(n Node) (string, error) {
	items := make([]string, len(n.Output()))
	for i, c := range n.Output() {
		items[i] = fmt.Sprintf("%s AS r%d", columnName(c), i)
		if c.T.Kind != row.Interval && c.T.Kind != row.Void {
			items[i] = fmt.Sprintf("CAST(%s AS %s) AS r%d", columnName(c), duck.TypeSQL(c.T), i)
		}
	}
	return g.over(n, strings.Join(items, ", "))
}

// namedResult is the query of the whole plan under the names of its columns.
func (g *generator) namedResult(n Node) (string, error) {
	items := make([]string, len(n.Output()))
	for i, c := range n.Output() {
		items[i] = fmt.Sprintf("CAST(%s AS %s) AS %s", columnName(c), duck.TypeSQL(c.T), duck.QuoteName(c.Name))
	}
	return g.over(n, strings.Join(items, ", "))
}

// over selects from a node while it keeps the node's order: ORDER BY and LIMIT
// stand in the same SELECT, since a query around another may lose its order.
func (g *generator) over(n Node, list string) (string, error) {
	if list == "" {
		list = "1 AS c0"
	}
	tail := ""
	if l, ok := n.(*Limit); ok {
		if l.N >= 0 {
			tail += fmt.Sprintf(" LIMIT %d", l.N)
		}
		if l.Offset > 0 {
			tail += fmt.Sprintf(" OFFSET %d", l.Offset)
		}
		n = l.Input
	}
	if s, ok := n.(*Sort); ok {
		order, err := g.orderBy(s.Keys)
		if err != nil {
			return "", err
		}
		tail, n = order+tail, s.Input
	}
	from, err := g.from(n)
	return "SELECT " + list + " FROM " + from + tail, err
}

func (g *generator) orderBy(keys []expr.Order) (string, error) {
	parts := make([]string, len(keys))
	for i, k := range keys {
		x, err := duck.SpellOrder(k.X, g.mode, columnName, g.subquery)
		if err != nil {
			return "", err
		}
		parts[i] = x + orderWords(k)
	}
	return " ORDER BY " + strings.Join(parts, ", "), nil
}

func (g *generator) query(n Node) (string, error) {
	switch n := n.(type) {
	case *Scan:
		return g.scan(n)
	case *CountScan:
		return g.register(n, 1, func(ctx context.Context) (row.Reader, error) { return countReader(ctx, n) })
	case *Rows:
		return g.register(n, n.Len, func(context.Context) (row.Reader, error) { return n.open(), nil })
	case *FileScan:
		return g.file(n)
	case *Values:
		return g.values(n)
	case *Range:
		return fmt.Sprintf("SELECT range AS %s FROM range(%d, %d, %d)", columnName(n.Out), n.Start, n.End, n.Step), nil
	case *Project:
		return g.project(n)
	case *Filter:
		return g.filter(n)
	case *Aggregate:
		return g.aggregate(n)
	case *Join:
		return g.join(n)
	case *Sort, *Limit:
		return g.over(n, "*")
	case *Distinct:
		return g.distinct(n)
	case *SetOp:
		return g.setOp(n)
	case *Generate:
		return g.generate(n)
	case *Sample:
		return g.sample(n)
	default:
		return "", fmt.Errorf("no local query for %T", n)
	}
}

func (g *generator) filter(n *Filter) (string, error) {
	cond, err := g.expr(n.Cond)
	if err != nil {
		return "", err
	}
	from, err := g.from(n.Input)
	return "SELECT * FROM " + from + " WHERE " + cond, err
}

func (g *generator) distinct(n *Distinct) (string, error) {
	items := make([]string, len(n.Output()))
	for i, c := range n.Output() {
		items[i] = oneZero(c) + " AS " + columnName(c)
	}
	from, err := g.from(n.Input)
	return "SELECT DISTINCT " + cmp.Or(strings.Join(items, ", "), "*") + " FROM " + from, err
}

func (g *generator) sample(n *Sample) (string, error) {
	from, err := g.from(n.Input)
	if n.Rows > 0 {
		return fmt.Sprintf("SELECT * FROM %s LIMIT %d", from, n.Rows), err
	}
	return fmt.Sprintf("SELECT * FROM %s USING SAMPLE %g PERCENT (bernoulli)", from, n.Percent), err
}

// scan reads an index: in place where it lives in this process's engine, else
// as a stream of batches.
func (g *generator) scan(n *Scan) (string, error) {
	want := scanOf(n)
	if rel, ok := n.Index.(esds.Relation); ok {
		text, err := rel.Relation(want)
		if err != nil {
			return "", err
		}
		return selectFrom(n.Cols, text), nil
	}
	estimate, err := n.Index.Estimate(g.ctx, nil)
	if err != nil {
		return "", err
	}
	return g.register(n, estimate, func(ctx context.Context) (row.Reader, error) { return n.Index.Scan(ctx, want) })
}

// selectFrom names the columns of a table expression as the plan does.
func selectFrom(cols []*expr.Column, from string) string {
	items := make([]string, len(cols))
	for i, c := range cols {
		items[i] = duck.QuoteName(c.Name) + " AS " + columnName(c)
	}
	if len(items) == 0 {
		items = []string{"1 AS c0"}
	}
	return "SELECT " + strings.Join(items, ", ") + " FROM " + from
}

func scanOf(n *Scan) esds.Scan {
	return esds.Scan{Columns: schemaOf(n.Cols), Filter: n.Filter, Limit: n.Limit, Sort: n.Sort, SortTies: n.SortTies, Copied: n.Copied}
}

func (g *generator) register(n Node, estimate int64, open opener) (string, error) {
	if g.watch != nil {
		unwatched := open
		open = func(ctx context.Context) (row.Reader, error) {
			r, err := unwatched(ctx)
			if err != nil {
				return nil, err
			}
			return g.watch(n.String(), r), nil
		}
	}
	text, release := g.engine.Register(schemaFor(n.Output()), open, estimate)
	g.release = append(g.release, release)
	return "SELECT * FROM " + text, nil
}

func (g *generator) file(n *FileScan) (string, error) {
	text, err := duck.FileSQL(n.Format, n.Path, n.Options, n.Schema)
	if err != nil {
		return "", err
	}
	return selectFrom(n.Cols, text), nil
}

func (g *generator) values(n *Values) (string, error) {
	if len(n.Cols) == 0 {
		return "SELECT 1 AS c0", nil
	}
	rows := make([]string, len(n.Rows))
	for i, r := range n.Rows {
		cells, err := g.exprs(r)
		if err != nil {
			return "", err
		}
		if i == 0 { // the first row gives the columns their types
			for k, c := range n.Cols {
				if c.T.Kind != row.Interval && c.T.Kind != row.Void {
					cells[k] = fmt.Sprintf("CAST(%s AS %s)", cells[k], duck.TypeSQL(c.T))
				}
			}
		}
		rows[i] = "(" + strings.Join(cells, ", ") + ")"
	}
	names := make([]string, len(n.Cols))
	for i, c := range n.Cols {
		names[i] = columnName(c)
	}
	return fmt.Sprintf("SELECT * FROM (VALUES %s) AS %s(%s)", strings.Join(rows, ", "), g.alias(), strings.Join(names, ", ")), nil
}

func (g *generator) items(items []Item) (string, error) {
	parts := make([]string, len(items))
	for i, it := range items {
		x, err := g.expr(it.X)
		if err != nil {
			return "", err
		}
		parts[i] = x + " AS " + columnName(it.Out)
	}
	return strings.Join(parts, ", "), nil
}

func (g *generator) project(n *Project) (string, error) {
	list, err := g.items(n.Items)
	if err != nil {
		return "", err
	}
	return g.over(n.Input, list)
}

func (g *generator) aggregate(n *Aggregate) (string, error) {
	list, err := g.items(n.Aggs)
	if err != nil {
		return "", err
	}
	var parts, shown []string
	for _, k := range n.Keys {
		parts = append(parts, columnName(k))
		shown = append(shown, oneZero(k)+" AS "+columnName(k))
	}
	group := ""
	if len(parts) > 0 {
		group = " GROUP BY " + strings.Join(parts, ", ")
	}
	if n.Sets != nil {
		sets := make([]string, len(n.Sets))
		for i, s := range n.Sets {
			var in []string
			for _, k := range s {
				in = append(in, columnName(n.Keys[k]))
			}
			sets[i] = "(" + strings.Join(in, ", ") + ")"
		}
		group = " GROUP BY GROUPING SETS (" + strings.Join(sets, ", ") + ")"
	}
	if list != "" {
		shown = append(shown, list)
	}
	if len(shown) == 0 {
		shown = []string{"count(*) AS c0"} // one row, whatever the input
	}
	from, err := g.from(n.Input)
	return "SELECT " + strings.Join(shown, ", ") + " FROM " + from + group, err
}

// oneZero is a column where -0.0 is 0.0, as Spark shows what it groups by, also
// in DISTINCT and set operations: both are one value, and either could be first.
func oneZero(c *expr.Column) string {
	if c.T.Kind == row.Double || c.T.Kind == row.Float {
		return fmt.Sprintf("(%s + 0.0::%s)", columnName(c), duck.TypeSQL(c.T))
	}
	return columnName(c)
}

func (g *generator) subquery(s *expr.Subquery) (string, error) { return g.query(s.Query.(Node)) }

// Run returns the rows of an optimized plan. Nothing is read before the first
// Next. The caller closes the reader.
func (e *Env) Run(n Node) *exec.Lazy {
	schema := schemaOf(n.Output())
	return exec.NewLazy(schema, func(ctx context.Context) (row.Reader, error) {
		n, err := e.settle(ctx, n)
		if err != nil {
			return nil, err
		}
		if open, ok := direct(n); ok {
			return open(ctx)
		}
		return e.query(ctx, n, schema)
	})
}

// generator returns a generator for the session's modes.
func (e *Env) generator(ctx context.Context) (*generator, error) {
	z, err := e.Zone()
	return &generator{ctx: ctx, engine: e.Engine, mode: duck.Mode{ANSI: e.ANSI(), Zone: z}}, err
}

// query runs a plan in the local engine.
func (e *Env) query(ctx context.Context, n Node, schema row.Schema) (row.Reader, error) {
	g, err := e.generator(ctx)
	if err != nil {
		return nil, err
	}
	text, err := g.result(n)
	if err != nil {
		g.close()
		return nil, err
	}
	rows, err := e.Engine.Query(ctx, text, schema)
	if err != nil {
		g.close()
		return nil, located(err, n)
	}
	return exec.NewClosing(&valueReader{Reader: rows, plan: n}, g.close), nil
}
