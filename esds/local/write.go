package local

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/esds/duckdb"
	"github.com/eslake/eslake/sql/row"
)

// Write sends rows to one index in one transaction: after an error, or when the
// process is killed, the lake is as it was before. The rows are added to the
// table as they come; when all are there, what they replace is removed.
func (s *Source) Write(ctx context.Context, w esds.Write, rows row.Reader) (esds.Report, error) {
	defer rows.Close()
	s.writing.Lock()
	defer s.writing.Unlock()
	c, err := s.conn(ctx)
	if err != nil {
		return esds.Report{}, err
	}
	defer c.Close() // rolls back what is not committed
	t := &transaction{source: s, conn: c, write: w, release: func() {}}
	defer func() { t.release() }()
	t.defaultAction()
	given := &given{Reader: rows}
	err = t.run(ctx, given)
	report := t.report
	if err != nil {
		if given.err == nil { // else it is not the lake that failed
			err = s.fail("write", w.Index, err)
		}
		return esds.Report{Rows: report.Rows, Rejected: report.Rejected}, err
	}
	s.mu.Lock()
	for _, x := range t.touched {
		s.indices[x.name] = x
	}
	s.mu.Unlock()
	if w.Acked != nil && report.Rows > 0 {
		err = w.Acked(t.taken, report)
	}
	return report, err
}

// given is the rows of a write; it remembers when they fail.
type given struct {
	row.Reader
	err error
}

// Next returns the next batch.
func (g *given) Next(ctx context.Context) (*row.Batch, error) {
	b, err := g.Reader.Next(ctx)
	if err != nil && !row.Ended(err) {
		g.err = err
	}
	return b, err
}

// transaction is one write.
type transaction struct {
	source  *Source
	conn    *duckdb.Conn
	write   esds.Write
	target  *stored
	table   string // SQL name of the target's table
	start   int64  // _seq_no of the first row
	allowed int64  // bytes that allow got
	release func() // gives them back
	report  esds.Report
	given   map[string]bool // columns of the table that the rows fill

	taken   int64     // rows, those of From included
	touched []*stored // the indices as they are after the commit
	made    *stored   // an index that this write has made, until it is committed
}

// defaultAction says what is done with the rows when nobody has said it.
func (t *transaction) defaultAction() {
	if t.write.ID == "" {
		t.write.Action = esds.CreateDoc
	} else if t.write.Action == "" {
		t.write.Action = esds.IndexDoc
	}
}

// take counts the rows of a batch, and returns the first that is for this write.
func (t *transaction) take(b *row.Batch) (from int) {
	from = int(min(int64(b.Len), max(0, t.write.From-t.taken)))
	t.taken += int64(b.Len)
	t.report.Rows += int64(b.Len - from)
	return from
}

func (t *transaction) run(ctx context.Context, rows row.Reader) error {
	if err := t.exec(ctx, "BEGIN"); err != nil {
		return err
	}
	if err := t.checkOptions(rows.Schema()); err != nil {
		return err
	}
	work := t.documents
	switch {
	case t.write.Changes:
		work = t.change
	case t.write.Options.Bool("es.input.json"):
		if err := t.makeAbsent(ctx); err != nil {
			return err
		}
		work, rows = t.change, &input{Reader: rows, write: t.write}
	}
	if err := work(ctx, rows); err != nil {
		return err
	}
	if err := t.report.Check(); err != nil {
		return err
	}
	if err := t.mark(ctx); err != nil {
		return err
	}
	return t.exec(context.WithoutCancel(ctx), "COMMIT")
}

// documents turns the rows of a table into documents.
func (t *transaction) documents(ctx context.Context, rows row.Reader) error {
	load, err := t.prepare(ctx, rows)
	if err != nil {
		return err
	}
	switch t.write.Action {
	case esds.IndexDoc, esds.CreateDoc:
		if _, err = t.conn.Append(ctx, t.table, load); err != nil {
			return err
		}
		err = t.settle(ctx)
	default:
		if err = t.stage(ctx, load); err != nil {
			return err
		}
		if err = t.allow(ctx, load.out, 2*load.bytes); err != nil {
			return err
		}
		err = t.merge(ctx, load)
	}
	t.touched = []*stored{t.target}
	return err
}

// prepare finds or makes the index, gives it the columns that the rows bring,
// and returns the rows as the table stores them.
func (t *transaction) prepare(ctx context.Context, rows row.Reader) (*loader, error) {
	load, err := newLoader(t, rows)
	if err != nil {
		return nil, err
	}
	s := t.source
	s.mu.Lock()
	defer s.mu.Unlock()
	old, err := s.writable("write", t.write.Index)
	if err != nil {
		return nil, err
	}
	if old == nil {
		if old, err = t.create(ctx, load.documentSchema()); err != nil {
			return nil, err
		}
	}
	t.table = s.table(old.name)
	if t.target, err = t.extend(ctx, old, t.table, load.documentSchema(), load.strict); err != nil {
		return nil, err
	}
	if t.start, err = t.conn.Count(ctx, "SELECT coalesce(max(_seq_no), -1) + 1 FROM "+t.table); err != nil {
		return nil, err
	}
	load.bind(t.target)
	return load, t.allow(ctx, load.out, 0)
}

// manyColumns is how many columns DuckDB writes with the memory that it has as a
// rule; each one more takes columnMemory bytes a thread while rows are added.
const (
	manyColumns  = 100
	columnMemory = 1 << 19
)

// allow gives the transaction memory for columns and so many bytes besides, when it
// does not have as much already.
func (t *transaction) allow(ctx context.Context, columns row.Schema, bytes int64) error {
	db := t.source.db
	want := bytes + int64(max(0, leaves(columns)-manyColumns))*columnMemory*int64(db.Threads())
	if want <= t.allowed {
		return nil
	}
	t.release()
	var err error
	t.release, err = db.Allow(ctx, want)
	t.allowed = want
	return err
}

// leaves counts columns as DuckDB stores them.
func leaves(s row.Schema) (n int) {
	for _, f := range s {
		n += leavesOf(f.Type)
	}
	return n
}

func leavesOf(t row.Type) int {
	switch t.Kind {
	case row.Array:
		return 1 + leavesOf(*t.Elem)
	case row.Map:
		return 1 + leavesOf(*t.Key) + leavesOf(*t.Elem)
	case row.Struct:
		return 1 + leaves(t.Fields)
	}
	return 1
}

// refusedOptions are what the embedded lake does not have.
var refusedOptions = []string{
	"es.ingest.pipeline", "es.mapping.version", "es.update.script.inline", "es.update.script.stored",
	"es.write.rest.error.handlers", "es.write.data.error.handlers",
}

// checkOptions refuses what the lake does not have, before anything is written.
func (t *transaction) checkOptions(s row.Schema) error {
	opts := t.write.Options
	for _, key := range refusedOptions {
		if opts.Has(key) {
			return t.bad("the embedded lake has no %s", key)
		}
	}
	if esds.Dynamic(t.write.Index) {
		return t.bad("the embedded lake writes one index at a time, not a name with braces")
	}
	if opts.Bool("eslake.write.require.alias") {
		t.source.mu.Lock()
		kind := t.source.resolve(t.write.Index).Kind
		t.source.mu.Unlock()
		if kind != esds.Alias {
			return t.bad("eslake.write.require.alias is set, and this is no alias")
		}
	}
	if (opts.Has("es.mapping.routing") || opts.Has("es.mapping.join")) && t.write.Notice != nil {
		t.write.Notice("the embedded lake keeps no routing: es.mapping.routing and es.mapping.join have no effect there")
	}
	if !opts.Bool("es.input.json") {
		return nil
	}
	switch a := t.write.Action; {
	case len(s) != 1 || s[0].Type.Kind != row.String:
		return t.bad("es.input.json needs rows of one STRING column, which holds the document")
	case len(opts.List("es.mapping.include"))+len(opts.List("es.mapping.exclude")) > 0:
		return t.bad("es.mapping.include and es.mapping.exclude have no meaning with es.input.json")
	case a == esds.UpdateDoc || a == esds.UpsertDoc:
		return t.bad("the embedded lake does not %s with es.input.json", a)
	}
	return nil
}

// makeAbsent makes the index when it is not there.
func (t *transaction) makeAbsent(ctx context.Context) error {
	s := t.source
	s.mu.Lock()
	defer s.mu.Unlock()
	old, err := s.writable("write", t.write.Index)
	if err != nil || old != nil {
		return err
	}
	made, err := t.create(ctx, nil)
	if err == nil {
		t.made = made
	}
	return err
}

// create makes an absent index for the rows, as a cluster does.
func (t *transaction) create(ctx context.Context, columns row.Schema) (*stored, error) {
	name := t.write.Index
	if err := checkName("create index", name); err != nil {
		return nil, err
	}
	mappings, err := esds.MappingOf(columns, nil)
	if err != nil {
		return nil, err
	}
	x, err := newStored(name, esds.Definition{Mappings: mappings}, nil)
	if err != nil {
		return nil, err
	}
	return x, t.exec(ctx, x.createSQL(t.source.table(name))+"; "+x.saveSQL(t.source.table(metaTable)))
}

func (t *transaction) exec(ctx context.Context, format string, args ...any) error {
	if len(args) > 0 {
		format = fmt.Sprintf(format, args...)
	}
	return t.conn.Exec(ctx, format)
}

func (t *transaction) count(ctx context.Context, format string, args ...any) (int64, error) {
	return t.conn.Count(ctx, fmt.Sprintf(format, args...))
}

// refused tells a row that was not accepted.
func (t *transaction) refused(r esds.Reject) error {
	t.report.Rejected++
	r.Index = t.target.name
	if t.write.Reject == nil {
		return nil
	}
	return t.write.Reject(r)
}

func (t *transaction) bad(format string, args ...any) error {
	return &esds.Error{Op: "write", Index: t.write.Index, Status: http.StatusBadRequest, Err: fmt.Errorf(format, args...)}
}

// settle makes the added rows documents: one for each id.
func (t *transaction) settle(ctx context.Context) error {
	added := t.report.Rows - t.report.Rejected
	if t.write.Action == esds.CreateDoc {
		conflicts, err := t.refuseConflicts(ctx)
		t.report.Created = added - conflicts
		return err
	}
	repeated, err := t.dropRepeated(ctx)
	if err != nil {
		return err
	}
	replaced, err := t.dropReplaced(ctx)
	t.report.Created = added - repeated - replaced
	t.report.Updated = repeated + replaced
	return err
}

// dropRepeated keeps of the added rows the last one for each id, with a version
// that counts the others.
func (t *transaction) dropRepeated(ctx context.Context) (int64, error) {
	groups, err := t.count(ctx, `CREATE TEMP TABLE repeated AS SELECT _id, max(_seq_no) AS last, count(*) AS n FROM %s WHERE _seq_no >= %d GROUP BY _id HAVING count(*) > 1`,
		t.table, t.start)
	if err != nil || groups == 0 {
		return 0, err
	}
	n, err := t.count(ctx, `DELETE FROM %s AS t USING repeated r WHERE t._id = r._id AND t._seq_no >= %d AND t._seq_no < r.last`, t.table, t.start)
	if err != nil {
		return 0, err
	}
	return n, t.exec(ctx, `UPDATE %s AS t SET _version = r.n FROM repeated r WHERE t._seq_no >= %d AND t._id = r._id`, t.table, t.start)
}

// dropReplaced removes the documents whose ids came again.
func (t *transaction) dropReplaced(ctx context.Context) (int64, error) {
	if t.start == 0 {
		return 0, nil
	}
	n, err := t.count(ctx, `CREATE TEMP TABLE replaced AS SELECT _id, _version FROM %s WHERE _seq_no < %d AND _id IN (SELECT _id FROM %[1]s WHERE _seq_no >= %[2]d)`, t.table, t.start)
	if err != nil || n == 0 {
		return n, err
	}
	if err := t.exec(ctx, `DELETE FROM %s WHERE _seq_no < %d AND _id IN (SELECT _id FROM replaced)`, t.table, t.start); err != nil {
		return n, err
	}
	return n, t.exec(ctx, `UPDATE %s AS t SET _version = t._version + r._version FROM replaced r WHERE t._seq_no >= %d AND t._id = r._id`, t.table, t.start)
}

var errNoID = errors.New("the id is NULL")
