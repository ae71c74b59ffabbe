package planner

import (
	"context"
	"errors"
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

// Insert is a planned INSERT: the rows, in the columns that are written, and the
// job that takes them.
type Insert struct {
	Table   *catalog.Table
	Input   Node
	Job     exec.Job
	notNull []int // positions of columns that are declared NOT NULL
}

// Run writes the rows. See exec.Job.Run for the errors.
func (n *Insert) Run(ctx context.Context, env *Env) (exec.Outcome, error) {
	return n.Job.Run(ctx, exec.NewNotNull(env.Run(n.Input), n.notNull))
}

// Rehearse shows what Run would write, and writes nothing.
func (n *Insert) Rehearse(ctx context.Context, env *Env) (exec.Rehearsal, error) {
	return n.Job.Rehearse(ctx, exec.NewNotNull(env.Run(n.Input), n.notNull))
}

// String is the plan's first line, and one on how the job is resumed.
func (n *Insert) String() string {
	word := "Insert into "
	if n.Job.Overwrite != "" {
		word = "Overwrite (" + n.Job.Overwrite + ") "
	}
	id := "ids made by eslake"
	if n.Job.Write.ID != "" {
		id = "ids from " + row.QuoteName(n.Job.Write.ID)
	}
	return fmt.Sprintf("%s%s -> index %s, %s\nResume %s", word, n.Table.Name, n.Job.Write.Index, id, n.Job.Way)
}

// target is a table that is written, with its checked options and columns.
type target struct {
	table   *catalog.Table
	opts    esds.Options
	source  esds.Source
	index   string
	columns row.Schema // of the table
}

// PlanInsert binds an INSERT INTO or INSERT OVERWRITE.
func PlanInsert(ctx context.Context, env *Env, st *sql.Insert, jobID string) (*Insert, error) {
	b := newBuilder(ctx, env)
	b.overwrites = st.Overwrite
	to, err := b.target(st.Table)
	if err != nil {
		return nil, err
	}
	var node Node
	if to.columns == nil {
		if node, err = b.query(st.Query, nil); err != nil {
			return nil, err
		}
	} else if node, err = b.rowsFor(st, to); err != nil {
		return nil, err
	}
	return b.planWrite(st, to, node, jobID)
}

// target finds the table of a write. A table without declared columns has those
// of its index, which then must be there.
func (b *builder) target(name sql.TableName) (*target, error) {
	found, err := b.env.Resolver.Lookup(name.Database.Name, name.Table.Name)
	if err != nil {
		return nil, Located(err, name.Span())
	}
	if found.View != nil {
		return nil, errorAt(name.Span(), codePlace, fmt.Sprintf("%s is a view, rows are written to tables", name.Table.Name), "")
	}
	t := found.Table
	if t.Provider != "es" {
		return nil, errorAt(name.Span(), codePlace, fmt.Sprintf("%s reads %s files; only a table of provider es can be written", t.Name, t.Provider), "")
	}
	to := &target{table: t, columns: t.Columns}
	if to.opts, err = b.env.Options(t); err != nil {
		return nil, Located(err, name.Span())
	}
	if to.index, err = to.opts.Resource(esds.WriteSide); err != nil {
		return nil, Located(err, name.Span())
	}
	if to.source, err = b.env.Sources.Source(b.ctx, to.opts); err != nil {
		return nil, err
	}
	switch {
	case to.columns != nil:
	case to.opts.Bool("es.input.json"):
		to.columns = row.Schema{{Name: "document", Type: row.StringType}}
	default:
		return to, b.inferTarget(to)
	}
	return to, nil
}

func (b *builder) inferTarget(to *target) error {
	name := to.index
	if esds.Dynamic(name) { // what it is read by has the columns
		var err error
		if name, err = to.opts.Resource(esds.ReadSide); err != nil {
			return err
		}
	}
	index, err := to.source.Open(b.ctx, name, to.opts)
	if err != nil {
		if b.overwrites {
			if to.columns = b.stagedSchema(err, to.source, to.index, to.opts); to.columns != nil {
				return nil
			}
		}
		return b.absent(err, to.table, to.source, to.index)
	}
	if to.columns = index.Schema(); len(to.columns) == 0 {
		to.columns = nil // an index without a mapping takes what the rows have
	}
	return nil
}

// rowsFor binds the rows of an INSERT and brings them to the table's columns.
func (b *builder) rowsFor(st *sql.Insert, to *target) (Node, error) {
	if err := b.setDefaults(st, to); err != nil {
		return nil, err
	}
	node, err := b.query(st.Query, nil)
	if err != nil {
		return nil, err
	}
	cols := node.Output()
	named, err := insertColumns(st, to, cols)
	if err != nil {
		return nil, err
	}
	if len(named) != len(cols) {
		at := st.Query.At
		if v, ok := st.Query.Body.(*sql.Values); ok && len(v.Rows[0]) > 0 {
			at = v.Rows[0][0].Span()
		}
		return nil, errorAt(at, codeArity, fmt.Sprintf("%d values for %d columns of %s (%s)", len(cols), len(named), to.table.Name, strings.Join(named.Names(), ", ")), "")
	}
	policy, err := b.env.storePolicy()
	if err != nil {
		return nil, err
	}
	items, err := b.stored(st, node, named, policy)
	if err != nil {
		return nil, err
	}
	left, err := b.missing(to, named, st.Table.Span())
	if err != nil {
		return nil, err
	}
	items = append(items, left...)
	if v, ok := node.(*Values); ok {
		return storedValues(v, items), nil
	}
	return &Project{Input: node, Items: items}, nil
}

// insertColumns is the columns that the values go to, by position.
func insertColumns(st *sql.Insert, to *target, cols []*expr.Column) (row.Schema, error) {
	var named row.Schema
	switch {
	case st.ByName:
		for _, c := range cols {
			i := to.columns.Index(c.Name)
			if i < 0 {
				return nil, unknownColumn(st.Table.Span(), c.Name, to)
			}
			named = append(named, to.columns[i])
		}
	case st.Columns != nil:
		for _, id := range st.Columns {
			i := to.columns.Index(id.Name)
			if i < 0 {
				return nil, unknownColumn(id.At, id.Name, to)
			}
			named = append(named, to.columns[i])
		}
	default:
		return to.columns, nil
	}
	for i, f := range named {
		if named[:i].Index(f.Name) >= 0 {
			return nil, errorAt(st.Table.Span(), codeArity, fmt.Sprintf("column %s is given twice", f.Name), "")
		}
	}
	return named, nil
}

func unknownColumn(at lex.Span, name string, to *target) error {
	hint := ""
	if near := lex.Near(name, to.columns.Names()); near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	return errorAt(at, codeColumn, fmt.Sprintf("%q is not a column of %s", name, to.table.Name), hint)
}

// planWrite makes the job of a write.
func (b *builder) planWrite(st *sql.Insert, to *target, node Node, jobID string) (*Insert, error) {
	columns := to.columns
	if columns == nil {
		columns = schemaOf(node.Output())
	}
	write := esds.Write{Index: to.index, Action: esds.Action(to.opts.String("es.write.operation")), Options: to.opts}
	if err := setID(&write, to, node, st.Table.Span(), jobID); err != nil {
		return nil, err
	}
	job := exec.Job{
		ID: jobID, Source: to.source, Write: write,
		AutoCreate: to.opts.Bool("es.index.auto.create"),
		Rejects:    to.opts.String("eslake.rejects.file"),
		Relax:      exec.Relax(to.opts.String("eslake.write.relax")),
	}
	var err error
	if job.Definition.Mappings, err = esds.MappingOf(columns, to.opts); err != nil {
		return nil, err
	}
	if job.Definition.Settings, err = esds.SettingsOf(to.opts); err != nil {
		return nil, err
	}
	job.Write.Definition = job.Definition
	if st.Overwrite {
		job.Overwrite = to.opts.String("eslake.overwrite.mode")
	}
	if node, err = b.env.optimize(node); err != nil {
		return nil, err
	}
	copied(node, to.source)
	if job.Way, err = wayOf(b.ctx, to, &job, node); err != nil {
		return nil, err
	}
	if job.MaxRejects, err = exec.ParseMaxRejects(to.opts.String("eslake.max.rejects")); err != nil {
		return nil, Located(&esds.OptionError{Key: "eslake.max.rejects", Value: to.opts.String("eslake.max.rejects"), Reason: err.Error()}, st.Table.Span())
	}
	if err := b.checkTruncate(to, &job, node); err != nil {
		return nil, err
	}
	insert := &Insert{Table: to.table, Input: node, Job: job}
	insert.notNull, err = notNull(columns, node.Output(), st.Table.Span())
	return insert, err
}

// copied tells scans whose rows go straight into a cluster that they do.
func copied(node Node, to esds.Source) {
	if _, local := to.(esds.Atomic); local {
		return
	}
	if _, ok := direct(node); !ok {
		return
	}
	each(node, func(n Node) {
		if scan, ok := n.(*Scan); ok {
			scan.Copied = true
		}
	})
}

// checkTruncate says that mode truncate is not atomic, and refuses rows that come
// from the documents that it deletes.
func (b *builder) checkTruncate(to *target, job *exec.Job, node Node) error {
	if job.Overwrite != "truncate" || esds.Dynamic(to.index) { // which the job refuses
		return nil
	}
	var scans []*Scan
	each(node, func(n Node) {
		if s, ok := n.(*Scan); ok {
			scans = append(scans, s)
		}
	})
	alone, err := apart(b.ctx, to, scans)
	if err != nil {
		return err
	}
	if !alone {
		return &esds.Error{
			Op: "overwrite", Index: to.index, Err: errors.New("the rows are read from the index, whose documents eslake.overwrite.mode = truncate deletes first"),
			Hint: "write them to another table first, or use another mode",
		}
	}
	b.env.notice("eslake.overwrite.mode = truncate is not atomic: the old documents of " + to.index + " are deleted first, and readers see the new ones come")
	return nil
}

// notNull returns the positions of the written columns that may not be NULL. A
// NOT NULL column that is not written at all is an error.
func notNull(columns row.Schema, written []*expr.Column, at lex.Span) ([]int, error) {
	var positions []int
	cols := schemaOf(written)
	for _, f := range columns {
		if !f.NotNull {
			continue
		}
		i := cols.Index(f.Name)
		if i < 0 {
			return nil, errorAt(at, codeStore, fmt.Sprintf("column %s is NOT NULL and gets no value", row.QuoteName(f.Name)), "")
		}
		positions = append(positions, i)
	}
	return positions, nil
}

// setID says where the ids come from: a column, or the job and the row number.
func setID(w *esds.Write, to *target, node Node, at lex.Span, jobID string) error {
	id := to.opts.String("es.mapping.id")
	if id == "" {
		if w.Action != esds.IndexDoc && w.Action != esds.CreateDoc {
			return errorAt(at, codeColumn, fmt.Sprintf("es.write.operation %s of %s needs es.mapping.id", w.Action, to.table.Name), "it says which documents the rows are for")
		}
		w.IDPrefix = jobID + "-"
		if w.Action == esds.IndexDoc {
			w.Action = esds.CreateDoc
		}
		return nil
	}
	if to.opts.Bool("es.input.json") || strings.HasPrefix(id, "<") && strings.HasSuffix(id, ">") {
		w.ID = id // of the document, or the same for all rows
		return nil
	}
	cols := schemaOf(node.Output())
	f, found := findPath(cols, id)
	if !found {
		return errorAt(at, codeColumn, fmt.Sprintf("es.mapping.id of %s is %q, which is not among the columns written (%s)", to.table.Name, id, strings.Join(cols.Names(), ", ")), "every row needs its id")
	}
	if k := f.Type.Kind; slices.Contains([]row.Kind{row.Float, row.Double, row.Binary, row.Array, row.Map, row.Struct}, k) {
		return errorAt(at, codeStore, fmt.Sprintf("column %s of type %s cannot be an id", row.QuoteName(f.Name), f.Type.SQL()), "ids are text, whole numbers, decimals, dates or booleans")
	}
	w.ID = f.Name
	return nil
}

// findPath finds a column, or what a dotted path leads to within a struct.
func findPath(cols row.Schema, path string) (row.Field, bool) {
	if i := cols.Index(path); i >= 0 {
		return cols[i], true
	}
	for end := strings.LastIndexByte(path, '.'); end > 0; end = strings.LastIndexByte(path[:end], '.') {
		if i := cols.Index(path[:end]); i >= 0 && cols[i].Type.Kind == row.Struct {
			f, found := findPath(cols[i].Type.Fields, path[end+1:])
			f.Name = path
			return f, found
		}
	}
	return row.Field{}, false
}

// PlanTruncate plans TRUNCATE TABLE: an overwrite by no rows.
func PlanTruncate(ctx context.Context, env *Env, st *sql.TruncateTable, jobID string) (*Insert, error) {
	b := newBuilder(ctx, env)
	to, err := b.target(st.Name)
	if err != nil {
		return nil, err
	}
	if esds.Dynamic(to.index) {
		return nil, &esds.Error{
			Op: "truncate", Index: to.index, Err: errors.New("the name has braces, which only rows complete"),
			Hint: "DELETE FROM deletes rows, DROP INDEX an index",
		}
	}
	node := &Values{}
	for _, f := range to.columns {
		node.Cols = append(node.Cols, b.newColumn(f.Name, f.Type))
	}
	insert := &sql.Insert{Table: st.Name, Overwrite: true}
	return b.planWrite(insert, to, node, jobID)
}
