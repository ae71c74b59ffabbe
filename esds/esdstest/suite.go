package esdstest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// Suite holds a source to the contract of esds. The indices that it makes have
// a random prefix and are dropped at the end.
type Suite struct {
	Name string
	// Open returns a source for one test, which closes it. All of them may be of
	// the same place.
	Open func(t *testing.T) esds.Source
	// OpenContexts returns how many cursors are open in that place. Nil when it
	// has no such thing.
	OpenContexts func() int
	// Skip names tests that the source does not pass, with the reason.
	Skip map[string]string
}

// Run runs every test of the suite.
func (s Suite) Run(t *testing.T) {
	for _, group := range []map[string]func(*env){
		adminTests, writeTests, resumeTests, changeTests, inputTests, scanTests, typeTests, filterTests, replaceTests,
	} {
		for _, name := range sortedNames(group) {
			t.Run(name, func(t *testing.T) {
				if reason := s.Skip[name]; reason != "" {
					t.Skip(reason)
				}
				s.run(t, group[name])
			})
		}
	}
}

func sortedNames(m map[string]func(*env)) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (s Suite) run(t *testing.T, test func(*env)) {
	e := &env{T: t, ctx: t.Context(), src: s.Open(t), prefix: fmt.Sprintf("%s-%08x-", strings.ToLower(s.Name), rand.Uint32())}
	t.Cleanup(func() {
		e.dropAll()
		if err := e.src.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	test(e)
	if s.OpenContexts != nil {
		if n := s.OpenContexts(); n != 0 {
			t.Errorf("%d cursors were left open", n)
		}
	}
}

// env is what one test works with.
type env struct {
	*testing.T

	ctx    context.Context
	src    esds.Source
	prefix string
	made   []string
	wrong  int // predicates answered wrongly so far
}

// name returns the name of an index that is dropped when the test ends.
func (e *env) name(short string) string {
	name := e.prefix + short
	if !slices.Contains(e.made, name) {
		e.made = append(e.made, name)
	}
	return name
}

func (e *env) dropAll() {
	ctx := context.WithoutCancel(e.ctx)
	for _, name := range e.made {
		// A name may be gone, or an alias of another one that is dropped.
		if target, err := e.src.Resolve(ctx, name); err == nil {
			for _, index := range target.Indices {
				_ = e.src.Drop(ctx, index)
			}
		}
	}
}

// must ends the test unless err is nil.
func (e *env) must(err error) {
	e.Helper()
	if err != nil {
		e.Fatal(err)
	}
}

// wantError ends the test unless err is the one wanted.
func (e *env) wantError(what string, err, want error) {
	e.Helper()
	if !errors.Is(err, want) {
		e.Errorf("%s: error = %v, want %v", what, err, want)
	}
}

// options parses options as a user writes them.
func (e *env) options(pairs ...string) esds.Options {
	e.Helper()
	raw := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		raw[pairs[i]] = pairs[i+1]
	}
	opts, _, err := esds.ParseOptions(raw)
	e.must(err)
	return opts
}

// make makes an index with the mapping of a schema.
func (e *env) make(short string, schema row.Schema) string {
	e.Helper()
	mapping, err := esds.MappingOf(schema, nil)
	e.must(err)
	return e.makeMapped(short, mapping)
}

func (e *env) makeMapped(short string, mapping []byte) string {
	e.Helper()
	name := e.name(short)
	e.must(e.src.Create(e.ctx, name, esds.Definition{Mappings: mapping, Settings: []byte(twoShards)}))
	return name
}

const twoShards = `{"index": {"number_of_shards": "2", "number_of_replicas": "0"}}`

// fill makes an index and writes rows with the first column as id.
func (e *env) fill(short string, schema row.Schema, rows ...[]any) string {
	e.Helper()
	name := e.make(short, schema)
	e.write(esds.Write{Index: name, ID: schema[0].Name}, schema, rows...)
	return name
}

// write writes rows, all of which must be taken, and makes them visible.
func (e *env) write(w esds.Write, schema row.Schema, rows ...[]any) esds.Report {
	e.Helper()
	w.Reject = func(r esds.Reject) error {
		e.Errorf("row %d (id %q) was rejected: %d %s: %s", r.Row, r.ID, r.Status, r.Type, r.Reason)
		return nil
	}
	report, err := e.tryWrite(w, schema, rows...)
	e.must(err)
	return report
}

// tryWrite writes rows and checks that each is accounted for.
func (e *env) tryWrite(w esds.Write, schema row.Schema, rows ...[]any) (esds.Report, error) {
	e.Helper()
	in := &watched{Reader: row.NewBatches(schema, e.batches(schema, rows)...)}
	report, err := e.src.Write(e.ctx, w, in)
	if !in.closed {
		e.Error("write did not close its reader")
	}
	if err == nil {
		if bad := report.Check(); bad != nil {
			e.Error(bad)
		}
		if report.Rows != int64(len(rows)) {
			e.Errorf("report.Rows = %d, want %d", report.Rows, len(rows))
		}
		e.must(e.src.Refresh(e.ctx, w.Index))
	}
	return report, err
}

// batches cuts rows into batches of some size.
func (e *env) batches(schema row.Schema, rows [][]any) []*row.Batch {
	e.Helper()
	const size = 7
	var out []*row.Batch
	for i, r := range rows {
		if i%size == 0 {
			out = append(out, row.NewBatch(schema))
		}
		if err := out[len(out)-1].AppendRow(r...); err != nil {
			e.Fatalf("row %d of the test: %v", i+1, err)
		}
	}
	return out
}

// watched knows whether it was closed.
type watched struct {
	row.Reader
	closed bool
}

func (w *watched) Close() error {
	w.closed = true
	return w.Reader.Close()
}

func (e *env) open(resource string, pairs ...string) esds.Index {
	e.Helper()
	index, err := e.src.Open(e.ctx, resource, e.options(pairs...))
	e.must(err)
	return index
}

// scan returns all rows of a scan, sorted by their text. Batches are
// overwritten once they are read, as a caller may do.
func (e *env) scan(index esds.Index, s esds.Scan) [][]any {
	e.Helper()
	rows, err := e.tryScan(index, s)
	e.must(err)
	slices.SortFunc(rows, func(a, b []any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	return rows
}

func (e *env) tryScan(index esds.Index, s esds.Scan) ([][]any, error) {
	r, err := index.Scan(e.ctx, s)
	if err != nil {
		return nil, err
	}
	if got := r.Schema(); !sameColumns(got, s.Columns) {
		e.Errorf("schema of the scan = %v, want %v", got.Names(), s.Columns.Names())
	}
	var rows [][]any
	for {
		b, err := r.Next(e.ctx)
		if err != nil {
			if again := r.Close(); again != nil {
				e.Errorf("close after the end: %v", again)
			}
			if errors.Is(err, io.EOF) {
				return rows, nil
			}
			return rows, err
		}
		for i := range b.Len {
			rows = append(rows, b.Row(i))
		}
		scribble(b)
	}
}

func sameColumns(a, b row.Schema) bool {
	return slices.EqualFunc(a, b, func(x, y row.Field) bool { return x.Name == y.Name && x.Type.Equal(y.Type) })
}

// scribble overwrites a batch.
func scribble(b *row.Batch) {
	for _, c := range b.Columns {
		scribbleColumn(c)
	}
	b.Truncate(0)
}

func scribbleColumn(c *row.Column) {
	for i := range c.Bytes {
		c.Bytes[i] = '#'
	}
	for i := range c.Ints {
		c.Ints[i] = -99
	}
	for i := range c.Floats {
		c.Floats[i] = -99
	}
	for i := range c.Decimals {
		c.Decimals[i] = row.Int128From(-99)
	}
	for _, child := range c.Children {
		scribbleColumn(child)
	}
}

// ids returns the ids of the documents that a filter selects.
func (e *env) ids(index esds.Index, filter ...expr.Expr) []string {
	e.Helper()
	var ids []string
	for _, r := range e.scan(index, esds.Scan{Columns: row.Schema{{Name: "_id", Type: row.StringType}}, Filter: filter}) {
		ids = append(ids, fmt.Sprint(r[0]))
	}
	return ids
}

// wantRows compares rows.
func (e *env) wantRows(what string, got [][]any, want ...[]any) {
	e.Helper()
	if len(got) == 0 && len(want) == 0 {
		return
	}
	if !reflect.DeepEqual(got, want) {
		e.Errorf("%s:\ngot  %s\nwant %s", what, showRows(got), showRows(want))
	}
}

func showRows(rows [][]any) string {
	var out strings.Builder
	for _, r := range rows {
		fmt.Fprintf(&out, "\n  %#v", r)
	}
	return out.String()
}

// fields returns a schema of name and type, turn by turn.
func fields(parts ...any) row.Schema {
	var s row.Schema
	for i := 0; i < len(parts); i += 2 {
		s = append(s, row.Field{Name: parts[i].(string), Type: parts[i+1].(row.Type)})
	}
	return s
}

// numbered returns rows (id, n) with n from 0.
func numbered(count int) [][]any {
	rows := make([][]any, count)
	for i := range rows {
		rows[i] = []any{fmt.Sprintf("x%05d", i), int64(i)}
	}
	return rows
}

var idAndN = fields("id", row.StringType, "n", row.BigIntType)
