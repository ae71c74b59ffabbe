package planner

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/eslake/eslake/catalog"
	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/planner/exec"
	"github.com/eslake/eslake/sql"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/lex"
	"github.com/eslake/eslake/sql/row"
)

// Modify is a planned UPDATE, DELETE or MERGE: the query for the documents that
// change, and what changes in them.
type Modify struct {
	Word    string // UPDATE, DELETE or MERGE
	Table   *catalog.Table
	Source  esds.Source
	Index   string // as the table reads it
	Input   Node
	Changer *exec.Statement
	Write   esds.Write
}

// String is the plan's first line.
func (m *Modify) String() string {
	return fmt.Sprintf("%s %s -> documents of %s, each if it is still as it was read", m.Word, m.Table.Name, m.Index)
}

// modifying is a table whose documents change, and what its rows are in a plan.
type modifying struct {
	*builder
	word   string
	jobID  string
	only   []string // ids that the query is restricted to; nil for all
	into   *catalog.Table
	opts   esds.Options
	source esds.Source
	index  esds.Index
	name   string // of the index, as the table reads it
	node   Node
	rel    relation
	fields row.Schema // the table's columns
}

// modifyTable opens the table of an UPDATE, DELETE or MERGE.
func (m *modifying) modifyTable(name sql.TableName, alias string) error {
	found, err := m.env.Resolver.Lookup(name.Database.Name, name.Table.Name)
	if err != nil {
		return Located(err, name.Span())
	}
	if found.Table == nil || found.Table.Provider != esds.ProviderES {
		return errorAt(name.Span(), codePlace, fmt.Sprintf("%s needs a table of provider es, %s is none", m.word, name.Table.Name), "")
	}
	m.into = found.Table
	if m.opts, err = m.env.Options(m.into); err != nil {
		return Located(err, name.Span())
	}
	if m.name, err = m.opts.Resource(esds.ReadSide); err != nil {
		return Located(err, name.Span())
	}
	if m.source, err = m.env.Sources.Source(m.ctx, m.opts); err != nil {
		return err
	}
	node, rel, err := m.openTable(m.into)
	if err != nil {
		return Located(err, name.Span())
	}
	rel.database, rel.name = m.into.Database, m.into.Name
	if alias != "" {
		rel.database, rel.name = "", alias
	}
	m.node, m.rel = node, rel
	if scan, ok := plainInput(node).(*Scan); ok {
		m.index = scan.Index
	}
	m.fields = m.into.Columns
	if m.fields == nil {
		m.fields = m.index.Schema()
	}
	return m.keepsSource(name)
}

// keepsSource refuses an index that does not keep its documents whole: what is
// written back would lack what was left out.
func (m *modifying) keepsSource(name sql.TableName) error {
	target, err := m.source.Resolve(m.ctx, m.name)
	if err != nil {
		return err
	}
	for _, index := range target.Indices {
		def, err := m.source.Definition(m.ctx, index)
		if err != nil {
			return err
		}
		if why := esds.SourceLoss(def.Mappings); why != "" {
			return errorAt(name.Span(), codeOption, fmt.Sprintf("%s cannot change documents of index %s: %s", m.word, index, why), "write the rows anew with INSERT")
		}
	}
	return nil
}

// meta returns a metadata column of the table.
func (m *modifying) meta(f row.Field) (expr.Expr, error) {
	for _, list := range [][]*expr.Column{m.rel.hidden, m.rel.cols} {
		for _, c := range list {
			if c.Name == f.Name {
				return expr.Convert(c, f.Type), nil
			}
		}
	}
	return nil, fmt.Errorf("table %s has no column %s", m.into.Name, f.Name)
}

// restricted adds the condition on ids to the rows of the table.
func (m *modifying) restricted(n Node) (Node, error) {
	if m.only == nil {
		return n, nil
	}
	id, err := m.meta(row.Field{Name: "_id", Type: row.StringType})
	if err != nil {
		return nil, err
	}
	in := &expr.Call{Func: "in", Args: []expr.Expr{id}}
	for _, text := range m.only {
		in.Args = append(in.Args, &expr.Literal{Node: expr.Node{T: row.StringType}, Value: text})
	}
	cond, err := expr.Resolve(in)
	if err != nil {
		return nil, err
	}
	return &Filter{Input: n, Cond: cond}, nil
}

// metaItems are the first columns of exec.StatementColumns, and the given clause.
func (m *modifying) metaItems(clause expr.Expr) ([]Item, error) {
	var items []Item
	for _, f := range exec.StatementColumns() {
		if f.Name == "_clause" {
			items = append(items, Item{Out: m.newColumn(f.Name, f.Type), X: clause})
			continue
		}
		x, err := m.meta(f)
		if err != nil {
			return nil, err
		}
		items = append(items, Item{Out: m.newColumn(f.Name, f.Type), X: x})
	}
	return items, nil
}

// plan makes the result of what was bound.
func (m *modifying) plan(input Node, clauses []exec.Clause) (*Modify, error) {
	input, err := m.env.optimize(input)
	if err != nil {
		return nil, err
	}
	opts := DocumentOptions(m.opts)
	out := &Modify{
		Word: m.word, Table: m.into, Source: m.source, Index: m.name, Input: input,
		Write: esds.Write{Index: m.name, Options: opts, Changes: true},
	}
	out.Changer = &exec.Statement{Source: m.source, Write: esds.Write{Index: m.name, Options: opts}, Clauses: clauses, Insert: esds.Write{IDPrefix: m.jobID}}
	if id := m.opts.String("es.mapping.id"); id != "" {
		out.Changer.IDPath = m.mapped(strings.Split(id, "."))
	}
	return out, nil
}

// DocumentOptions are the options of a table for changes of its documents. It leaves out what says how a row becomes a document: here a
// document is changed as it is.
func DocumentOptions(opts esds.Options) esds.Options {
	out := esds.Options{}
	for k, v := range opts {
		switch {
		case strings.HasPrefix(k, "es.mapping.") && !strings.HasPrefix(k, "es.mapping.date."), strings.HasPrefix(k, "es.update."),
			k == "es.input.json", k == "es.write.operation", k == "es.ingest.pipeline",
			k == "es.query", strings.HasPrefix(k, "es.read."): // a document is looked up whatever it holds
		default:
			out[k] = v
		}
	}
	return out
}

// mapped spells the parts of a path as the mapping does.
func (m *modifying) mapped(path []string) []string {
	out, schema := slices.Clone(path), m.index.Schema()
	for from := 0; from < len(path); {
		next := 0
		for end := len(path); end > from && next == 0; end-- {
			i := schema.Index(strings.Join(path[from:end], "."))
			if i < 0 {
				continue
			}
			copy(out[from:], strings.Split(schema[i].Name, "."))
			schema, next = schema[i].Type.Fields, end
			if t := m.indexField(out[:end]); t.Kind == row.Array && t.Elem.Kind == row.Struct {
				schema = t.Elem.Fields
			}
		}
		if next == 0 {
			break
		}
		from = next
	}
	return out
}

// indexField returns the type of a field of the index, Void for none.
func (m *modifying) indexField(path []string) row.Type {
	schema, t := m.index.Schema(), row.Type{}
	for from := 0; from < len(path); {
		next := 0
		for end := len(path); end > from && next == 0; end-- {
			if i := schema.Index(strings.Join(path[from:end], ".")); i >= 0 {
				t, schema, next = schema[i].Type, schema[i].Type.Fields, end
			}
		}
		if next == 0 {
			return row.Type{}
		}
		from = next
	}
	return t
}

// again returns the rows of a plan for exec: as it was bound, or restricted to
// some ids, for which the statement is bound afresh.
func (m *Modify) again(env *Env, replan func(ctx context.Context, only []string) (*Modify, error)) {
	m.Changer.Rows = func(ctx context.Context, only []string) (row.Reader, error) {
		if only == nil {
			return env.Run(m.Input), nil
		}
		p, err := replan(ctx, only)
		if err != nil {
			return nil, err
		}
		return env.Run(p.Input), nil
	}
}

// assign binds a value for a field and remembers the column that it will be in.
// Case returns the value in one clause only.
func (m *modifying) assign(bind *binding, column *expr.Name, value expr.Expr) (exec.Assigned, expr.Expr, error) {
	a, err := m.assigned(column)
	if err != nil {
		return a, nil, err
	}
	if value == nil || value != expr.Expr(column) && isDefault(value) && !bind.knows(value) {
		x, err := m.defaultOf(m.field(a), column.At)
		return a, x, err
	}
	bound, err := bind.expr(value)
	if err != nil {
		return a, nil, err
	}
	if at := findAggregate(bound); at != nil {
		return a, nil, errorAt(at.Span(), codeAggregate, fmt.Sprintf("the aggregate %s may not stand in SET", at), "use a subquery")
	}
	if at := findWindow(bound); at != nil {
		return a, nil, errorAt(at.Span(), codeAggregate, "a window function may not stand in SET", "use MERGE with a subquery")
	}
	x, err := m.storable(bound, value, row.Field{Name: a.Name, Type: a.Type})
	return a, x, err
}

// storable converts a value by Spark's store assignment.
func (m *modifying) storable(x, written expr.Expr, f row.Field) (expr.Expr, error) {
	policy, err := m.env.storePolicy()
	if err != nil {
		return nil, err
	}
	from := x.Type()
	if !expr.StoreAssignment(from, f.Type, policy) {
		return nil, errorAt(written.Span(), codeStore, fmt.Sprintf("cannot store %s %s in column %s of type %s", from.SQL(), written, row.QuoteName(f.Name), f.Type.SQL()),
			fmt.Sprintf("write CAST(… AS %s), or SET spark.sql.storeAssignmentPolicy = LEGACY", f.Type.SQL()))
	}
	if from.Equal(f.Type) {
		return x, nil
	}
	return &expr.Cast{Node: expr.Node{At: written.Span(), T: f.Type}, X: x, Implicit: true, Strict: policy != expr.StoreLegacy}, nil
}

// assigned finds the field that the left side of an assignment names.
func (m *modifying) assigned(n *expr.Name) (exec.Assigned, error) {
	if last := n.Parts[len(n.Parts)-1]; m.isMeta(last) && m.fields.Index(last) < 0 {
		return exec.Assigned{}, errorAt(n.At, codePlace, fmt.Sprintf("%s is of the document itself and cannot be set", last), "")
	}
	sc := &scope{rels: []relation{{database: m.rel.database, name: m.rel.name, cols: m.rel.cols}}}
	x, err := sc.resolve(n)
	if err != nil {
		return exec.Assigned{}, err
	}
	var fields []string
	for {
		f, ok := x.(*expr.Field)
		if !ok {
			break
		}
		if t := f.X.Type(); t.Kind != row.Struct {
			return exec.Assigned{}, errorAt(n.At, codePlace, fmt.Sprintf("%s is a field of %s, an %s: its elements cannot be set one by one", strings.Join(n.Parts, "."), f.X, t.SQL()),
				"set the whole column: transform(…) makes the new list")
		}
		fields = append([]string{f.Name}, fields...)
		x = f.X
	}
	c, ok := x.(*expr.Column)
	if !ok || m.fields.Index(c.Name) < 0 {
		return exec.Assigned{}, errorAt(n.At, codePlace, fmt.Sprintf("%s cannot be set", strings.Join(n.Parts, ".")), "")
	}
	top := m.fields[m.fields.Index(c.Name)]
	a := exec.Assigned{Name: strings.Join(append([]string{c.Name}, fields...), "."), Dotted: strings.Contains(c.Name, "."), Type: fieldType(top.Type, fields)}
	a.NotNull = top.NotNull && len(fields) == 0
	a.Path = m.mapped(strings.Split(a.Name, "."))
	if m.isMeta(a.Name) {
		return a, errorAt(n.At, codePlace, fmt.Sprintf("%s is of the document itself and cannot be set", a.Name), "")
	}
	return a, m.excluded(a, n.At)
}

func (m *modifying) isMeta(name string) bool { return esds.Metadata().Index(name) >= 0 }

// excluded refuses fields that the table's options keep out of documents.
func (m *modifying) excluded(a exec.Assigned, at lex.Span) error {
	name := strings.Join(a.Path, ".")
	include := m.opts.List("es.mapping.include")
	if len(include) > 0 && !esds.MatchNames(include, name) || esds.MatchNames(m.opts.List("es.mapping.exclude"), name) {
		return errorAt(at, codeOption, fmt.Sprintf("column %s is kept out of the documents by es.mapping.include or exclude", row.QuoteName(a.Name)), "")
	}
	return nil
}

func fieldType(t row.Type, fields []string) row.Type {
	for _, name := range fields {
		i := t.Fields.Index(name)
		if i < 0 {
			return row.Type{}
		}
		t = t.Fields[i].Type
	}
	return t
}

// field is the column that an assignment sets; a field of a struct has no default.
func (m *modifying) field(a exec.Assigned) row.Field {
	f := row.Field{Name: a.Name, Type: a.Type}
	if i := m.fields.Index(a.Name); i >= 0 {
		f.Default = m.fields[i].Default
	}
	return f
}

// isID reports whether an assignment touches the field that ids come from.
func (m *modifying) isID(a exec.Assigned) bool {
	id := m.opts.String("es.mapping.id")
	name := strings.Join(a.Path, ".")
	return id != "" && (strings.EqualFold(name, id) || strings.HasPrefix(strings.ToLower(id), strings.ToLower(name)+"."))
}

// distinctFields refuses two assignments of one field, or of a struct and one of
// its fields.
func distinctFields(set []exec.Assigned, at []lex.Span) error {
	for i, a := range set {
		for _, b := range set[:i] {
			x, y := strings.ToLower(strings.Join(a.Path, "."))+".", strings.ToLower(strings.Join(b.Path, "."))+"."
			if strings.HasPrefix(x, y) || strings.HasPrefix(y, x) {
				return errorAt(at[i], codeTwice, fmt.Sprintf("%s and %s are set at once", b.Name, a.Name), "")
			}
		}
	}
	return nil
}
