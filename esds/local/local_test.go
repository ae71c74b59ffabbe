package local_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/esds/duckdb"
	"github.com/eslake/eslake/esds/local"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// open returns a lake in a file of its own, on a database of its own.
func open(t testing.TB, path string) *local.Source {
	t.Helper()
	db := duckdb.New(duckdb.Config{TempDir: t.TempDir()})
	s := local.Open(db, path)
	t.Cleanup(func() {
		if err := errors.Join(s.Close(), db.Close()); err != nil {
			t.Error(err)
		}
	})
	return s
}

func fresh(t testing.TB) *local.Source {
	return open(t, filepath.Join(t.TempDir(), "a folder", "lake.db"))
}

var people = row.Schema{
	{Name: "id", Type: row.StringType},
	{Name: "name", Type: row.StringType},
	{Name: "age", Type: row.IntType},
	{Name: "tags", Type: row.ArrayType(row.StringType)},
	{Name: "home", Type: row.StructType(row.Field{Name: "city", Type: row.StringType}, row.Field{Name: "zip", Type: row.IntType})},
	{Name: "ts", Type: row.TimestampType},
	{Name: "day", Type: row.DateType},
	{Name: "pay", Type: row.DecimalType(10, 2)},
}

func rows(t testing.TB, s row.Schema, values ...[]any) row.Reader {
	t.Helper()
	b := row.NewBatch(s)
	for _, v := range values {
		if err := b.AppendRow(v...); err != nil {
			t.Fatal(err)
		}
	}
	return row.NewBatches(s, b)
}

func person(id, name string, age int) []any {
	return []any{id, name, age, []any{"a", id}, map[string]any{"city": "Rome", "zip": 7}, "2020-01-02T03:04:05.5Z", "2020-01-02", "12.50"}
}

// result is what a write did, as text.
func result(r esds.Report, err error, rejects []esds.Reject) string {
	text := fmt.Sprintf("rows %d created %d updated %d deleted %d noop %d rejected %d", r.Rows, r.Created, r.Updated, r.Deleted, r.Noop, r.Rejected)
	for _, x := range rejects {
		text += fmt.Sprintf("\nrow %d id %s: %d %s: %s %s", x.Row, x.ID, x.Status, x.Type, x.Reason, x.Document)
	}
	if err != nil {
		text += "\nerror: " + err.Error()
	}
	return text
}

func write(t testing.TB, s esds.Source, w esds.Write, r row.Reader) string {
	t.Helper()
	var rejects []esds.Reject
	w.Reject = func(x esds.Reject) error {
		rejects = append(rejects, x)
		return nil
	}
	report, err := s.Write(t.Context(), w, r)
	return result(report, err, rejects)
}

// read returns the documents of a resource, sorted by their first column.
func read(t testing.TB, s esds.Source, resource string, columns row.Schema, filter ...expr.Expr) string {
	t.Helper()
	x, err := s.Open(t.Context(), resource, nil)
	if err != nil {
		return "error: " + err.Error()
	}
	r, err := x.Scan(t.Context(), esds.Scan{Columns: columns, Filter: filter})
	if err != nil {
		return "error: " + err.Error()
	}
	all, err := row.ReadAll(t.Context(), r)
	if err != nil {
		return "error: " + err.Error()
	}
	lines := make([]string, len(all))
	for i, v := range all {
		lines[i] = fmt.Sprint(v)
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func check(t testing.TB, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n%s\nwant:\n%s", what, got, want)
	}
}

func text(names ...string) row.Schema {
	s := make(row.Schema, len(names))
	for i, n := range names {
		s[i] = row.Field{Name: n, Type: row.StringType}
	}
	return s
}

func TestLazy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lake.db")
	db := duckdb.New(duckdb.Config{})
	s := local.Open(db, path)
	if _, err := os.Stat(path); err == nil || db.Opened() {
		t.Error("opening makes the file")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestIndexAndRead(t *testing.T) {
	s := fresh(t)
	w := esds.Write{Index: "people", ID: "id"}
	check(t, "first", write(t, s, w, rows(t, people, person("1", "Ann", 30), person("2", "Bob", 40))), "rows 2 created 2 updated 0 deleted 0 noop 0 rejected 0")
	check(t, "again", write(t, s, w, rows(t, people, person("2", "Bert", 41), person("3", "Cy", 50), person("3", "Cyd", 51))), "rows 3 created 1 updated 2 deleted 0 noop 0 rejected 0")
	check(t, "read", read(t, s, "people", append(people, esds.Metadata()[:4]...)),
		`[1 Ann 30 [a 1] map[city:Rome zip:7] 2020-01-02T03:04:05.5Z 2020-01-02 12.50 1 people <nil> 1]
[2 Bert 41 [a 2] map[city:Rome zip:7] 2020-01-02T03:04:05.5Z 2020-01-02 12.50 2 people <nil> 2]
[3 Cyd 51 [a 3] map[city:Rome zip:7] 2020-01-02T03:04:05.5Z 2020-01-02 12.50 3 people <nil> 2]`)
	check(t, "source", read(t, s, "people", text("_source"), compare("=", row.Field{Name: "_id", Type: row.StringType}, "1")),
		`[{"age":30,"day":"2020-01-02","home":{"city":"Rome","zip":7},"id":"1","name":"Ann","pay":12.5,"tags":["a","1"],"ts":"2020-01-02T03:04:05.5Z"}]`)
	x, err := s.Open(t.Context(), "people", nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range x.Schema() {
		names = append(names, f.Name+" "+f.Type.String())
	}
	check(t, "schema", strings.Join(names, ", "), "age int, day date, home struct<city:string,zip:int>, id string, name string, pay decimal(10,2), tags array<string>, ts timestamp")
	if n, err := s.Count(t.Context(), "people"); n != 3 || err != nil {
		t.Errorf("count = %d, %v", n, err)
	}
	if n, err := x.Estimate(t.Context(), nil); n < 3 || err != nil {
		t.Errorf("estimate = %d, %v", n, err)
	}
	if n, err := x.Count(t.Context(), nil); n != 3 || err != nil {
		t.Errorf("count = %d, %v", n, err)
	}
	check(t, "no columns", read(t, s, "people", nil), "[]\n[]\n[]")
}

func TestActions(t *testing.T) {
	s := fresh(t)
	narrow := row.Schema{people[0], people[1], people[2]}
	load := func(a esds.Action, values ...[]any) string {
		return write(t, s, esds.Write{Index: "p", ID: "id", Action: a}, rows(t, narrow, values...))
	}
	check(t, "create", load(esds.CreateDoc, []any{"1", "Ann", 1}, []any{"2", "Bob", 2}, []any{"1", "Again", 3}),
		"rows 3 created 2 updated 0 deleted 0 noop 0 rejected 1\nrow 3 id 1: 409 version_conflict_engine_exception: [1]: version conflict, document already exists "+`{"age":3,"id":"1","name":"Again"}`)
	check(t, "create existing", load(esds.CreateDoc, []any{"3", "Cy", 3}, []any{"2", "Twice", 4}),
		"rows 2 created 1 updated 0 deleted 0 noop 0 rejected 1\nrow 2 id 2: 409 version_conflict_engine_exception: [2]: version conflict, document already exists "+`{"age":4,"id":"2","name":"Twice"}`)
	check(t, "update", load(esds.UpdateDoc, []any{"1", nil, 10}, []any{"9", "No", 9}, []any{"2", "Bob", 2}, []any{"3", "Cyd", nil}, []any{"3", nil, 33}),
		"rows 5 created 0 updated 3 deleted 0 noop 1 rejected 1\nrow 2 id 9: 404 document_missing_exception: [9]: document missing "+`{"age":9,"id":"9","name":"No"}`)
	check(t, "read", read(t, s, "p", append(narrow, row.Field{Name: "_version", Type: row.BigIntType})), "[1 Ann 10 2]\n[2 Bob 2 1]\n[3 Cyd 33 3]")
	check(t, "upsert", load(esds.UpsertDoc, []any{"1", "Anna", nil}, []any{"4", "Di", 4}, []any{"4", nil, 5}), "rows 3 created 1 updated 2 deleted 0 noop 0 rejected 0")
	check(t, "delete", load(esds.DeleteDoc, []any{"2", nil, nil}, []any{"2", nil, nil}, []any{"8", nil, nil}), "rows 3 created 0 updated 0 deleted 1 noop 2 rejected 0")
	check(t, "read", read(t, s, "p", narrow), "[1 Anna 10]\n[3 Cyd 33]\n[4 Di 5]")
}

func TestUpdateMergesObjects(t *testing.T) {
	s := fresh(t)
	check(t, "index", write(t, s, esds.Write{Index: "p", ID: "id"}, rows(t, people, person("1", "Ann", 30))), "rows 1 created 1 updated 0 deleted 0 noop 0 rejected 0")
	dotted := row.Schema{people[0], {Name: "home.zip", Type: row.IntType}, {Name: "tags", Type: row.StringType}}
	w := esds.Write{Index: "p", ID: "id", Action: esds.UpdateDoc}
	check(t, "update", write(t, s, w, rows(t, dotted, []any{"1", 99, "one"})), "rows 1 created 0 updated 1 deleted 0 noop 0 rejected 0")
	check(t, "read", read(t, s, "p", row.Schema{people[3], people[4], {Name: "home.city", Type: row.StringType}}), "[[one] map[city:Rome zip:99] Rome]")
	w.Options = esds.Options{"es.spark.dataframe.write.null": "true"}
	check(t, "null", write(t, s, w, rows(t, dotted, []any{"1", 100, nil})), "rows 1 created 0 updated 1 deleted 0 noop 0 rejected 0")
	check(t, "read", read(t, s, "p", row.Schema{people[3], people[4]}), "[<nil> map[city:Rome zip:100]]")
}

func TestOwnIDs(t *testing.T) {
	s := fresh(t)
	w := esds.Write{Index: "p", IDPrefix: "job-"}
	narrow := row.Schema{people[1]}
	check(t, "first", write(t, s, w, rows(t, narrow, []any{"a"}, []any{"a"})), "rows 2 created 2 updated 0 deleted 0 noop 0 rejected 0")
	got := write(t, s, w, rows(t, narrow, []any{"b"}))
	check(t, "again", got, "rows 1 created 0 updated 0 deleted 0 noop 0 rejected 1\nrow 1 id job-1: 409 version_conflict_engine_exception: [job-1]: version conflict, document already exists "+`{"name":"b"}`)
	w.IDPrefix = "other-"
	check(t, "other", write(t, s, w, rows(t, narrow, []any{"b"})), "rows 1 created 1 updated 0 deleted 0 noop 0 rejected 0")
	check(t, "read", read(t, s, "p", text("_id", "name")), "[job-1 a]\n[job-2 a]\n[other-1 b]")
}

func TestRejects(t *testing.T) {
	s := fresh(t)
	mapping := `{"dynamic":"strict","properties":{"id":{"type":"keyword"},"n":{"type":"integer"}}}`
	if err := s.Create(t.Context(), "p", esds.Definition{Mappings: []byte(mapping)}); err != nil {
		t.Fatal(err)
	}
	in := row.Schema{{Name: "id", Type: row.StringType}, {Name: "n", Type: row.StringType}, {Name: "extra", Type: row.IntType}}
	got := write(t, s, esds.Write{Index: "p", ID: "id"}, rows(t, in, []any{nil, "1", nil}, []any{"", "1", nil}, []any{strings.Repeat("x", 513), "1", nil},
		[]any{"a", "12", nil}, []any{"b", "x", nil}, []any{"c", "99999999999", nil}, []any{"d", "1", 5}))
	check(t, "write", got, `rows 7 created 1 updated 0 deleted 0 noop 0 rejected 6
row 1 id : 0 : the id is NULL {"n":"1"}
row 2 id : 0 : the id is empty {"id":"","n":"1"}
row 3 id `+strings.Repeat("x", 513)+`: 0 : the id has 513 bytes, 512 are the most {"id":"`+strings.Repeat("x", 513)+`","n":"1"}
row 5 id b: 400 document_parsing_exception: failed to parse field [n] of type [int]: "x" is not a whole number in the range of int {"id":"b","n":"x"}
row 6 id c: 400 document_parsing_exception: failed to parse field [n] of type [int]: 99999999999 is out of range for int {"id":"c","n":"99999999999"}
row 7 id d: 400 strict_dynamic_mapping_exception: mapping set to strict, dynamic introduction of [extra] within [_doc] is not allowed {"id":"d","n":"1","extra":5}`)
	check(t, "read", read(t, s, "p", text("_id", "n")), "[a 12]")
}

func TestNewFields(t *testing.T) {
	s := fresh(t)
	write(t, s, esds.Write{Index: "p", ID: "id"}, rows(t, row.Schema{people[0], people[1], people[4]}, []any{"1", "Ann", map[string]any{"city": "Rome"}}))
	more := row.Schema{people[0], {Name: "name", Type: row.ArrayType(row.StringType)}, {Name: "home.geo.lat", Type: row.DoubleType}, {Name: "x.y", Type: row.DateType}, {Name: "n", Type: row.BigIntType}}
	check(t, "write", write(t, s, esds.Write{Index: "p", ID: "id"}, rows(t, more, []any{"2", []any{"B", "C"}, 1.5, "2020-02-03", 5})), "rows 1 created 1 updated 0 deleted 0 noop 0 rejected 0")
	check(t, "read", read(t, s, "p", text("_id", "name", "home", "x.y", "home.geo.lat", "nothing", "_source")), "error: index p, document 2, field name: [\"B\",\"C\"]: a list of values does not fit string: declare the column as ARRAY<STRING>")
	check(t, "read", read(t, s, "p", append(text("_id", "home", "x.y", "home.geo.lat", "nothing", "_source"), row.Field{Name: "name", Type: row.ArrayType(row.StringType)})),
		`[1 {"city":"Rome","zip":null,"geo":null} <nil> <nil> <nil> {"home":{"city":"Rome","zip":null,"geo":null},"id":"1","name":["Ann"]} [Ann]]
[2 {"city":null,"zip":null,"geo":{"lat":1.5}} 2020-02-03 1.5 <nil> {"home":{"city":null,"zip":null,"geo":{"lat":1.5}},"id":"2","name":["B","C"],"x":{"y":"2020-02-03"},"n":5} [B C]]`)
	def, err := s.Definition(t.Context(), "p")
	if err != nil || !strings.Contains(string(def.Mappings), `"lat":{"type":"double"}`) {
		t.Errorf("definition = %s, %v", def.Mappings, err)
	}
}

func TestSurvivesReopening(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lake.db")
	db := duckdb.New(duckdb.Config{})
	s := local.Open(db, path)
	write(t, s, esds.Write{Index: "p.1", ID: "id"}, rows(t, people, person("1", "Ann", 30)))
	want := read(t, s, "p.1", people)
	if err := errors.Join(s.Close(), db.Close()); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("file: %v, %v", info, err)
	}
	s = open(t, path)
	check(t, "read", read(t, s, "p.1", people), want)
	check(t, "write", write(t, s, esds.Write{Index: "p.1", ID: "id"}, rows(t, people, person("1", "Ann", 31))), "rows 1 created 0 updated 1 deleted 0 noop 0 rejected 0")
}

func TestAllOrNothing(t *testing.T) {
	s := fresh(t)
	w := esds.Write{Index: "p", ID: "id"}
	write(t, s, w, rows(t, people, person("1", "Ann", 30)))
	broken := errors.New("line 7 is torn")
	r := &failing{Reader: rows(t, append(people, row.Field{Name: "fresh", Type: row.IntType}), append(person("1", "New", 1), 5)), err: broken}
	report, err := s.Write(t.Context(), w, r)
	if !errors.Is(err, broken) || report.Rows != 1 || report.Accepted() != 0 || !r.closed {
		t.Errorf("report = %+v, %v", report, err)
	}
	check(t, "read", read(t, s, "p", text("name", "fresh")), "[Ann <nil>]")
	stop := errors.New("enough")
	w.Reject = func(esds.Reject) error { return stop }
	if _, err := s.Write(t.Context(), w, rows(t, people, person("2", "Bob", 2), append([]any{nil}, person("", "", 0)[1:]...))); !errors.Is(err, stop) {
		t.Errorf("error = %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	w.Progress = func(esds.Report) { cancel() }
	if _, err := s.Write(ctx, w, rows(t, people, person("2", "Bob", 2))); !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v", err)
	}
	check(t, "read", read(t, s, "p", text("name")), "[Ann]")
}

// failing ends with an error.
type failing struct {
	row.Reader
	err    error
	closed bool
}

func (f *failing) Next(ctx context.Context) (*row.Batch, error) {
	b, err := f.Reader.Next(ctx)
	if err != nil {
		return nil, f.err
	}
	return b, nil
}

func (f *failing) Close() error {
	f.closed = true
	return f.Reader.Close()
}

func TestReadsWhileItWritesItself(t *testing.T) {
	s := fresh(t)
	w := esds.Write{Index: "p", ID: "id"}
	write(t, s, w, rows(t, people, person("1", "Ann", 30), person("2", "Bob", 31)))
	x, err := s.Open(t.Context(), "p", nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := x.Scan(t.Context(), esds.Scan{Columns: people})
	if err != nil {
		t.Fatal(err)
	}
	check(t, "onto itself", write(t, s, w, r), "rows 2 created 0 updated 2 deleted 0 noop 0 rejected 0")
}

func TestForeignFiles(t *testing.T) {
	dir := t.TempDir()
	torn := filepath.Join(dir, "torn.db")
	if err := os.WriteFile(torn, []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(dir, "foreign.db")
	db := duckdb.New(duckdb.Config{})
	c, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Exec(t.Context(), "ATTACH "+duckdb.Text(foreign)+" AS f; CREATE TABLE f.x AS SELECT 1; DETACH f"); err != nil {
		t.Fatal(err)
	}
	c.Close()
	db.Close()
	for path, want := range map[string]string{torn: "is not a lake, or it is damaged", foreign: "a database that eslake did not make"} {
		before, _ := os.ReadFile(path)
		_, err := open(t, path).Resolve(t.Context(), "x")
		var e *esds.Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), want) {
			t.Errorf("error = %v, want %s", err, want)
		}
		if after, _ := os.ReadFile(path); string(after) != string(before) {
			t.Errorf("%s was changed", path)
		}
	}
}

func TestRelation(t *testing.T) {
	db := duckdb.New(duckdb.Config{})
	s := local.Open(db, filepath.Join(t.TempDir(), "lake.db"))
	defer db.Close()
	defer s.Close()
	write(t, s, esds.Write{Index: "p", ID: "id"}, rows(t, people, person("1", "Ann", 30), person("2", "x", 31)))
	x, err := s.Open(t.Context(), "p", nil)
	if err != nil {
		t.Fatal(err)
	}
	sql, err := x.(esds.Relation).Relation(esds.Scan{Columns: row.Schema{{Name: "name", Type: row.IntType}}, Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	r, err := db.Query(t.Context(), "SELECT name FROM "+sql+" AS t", nil)
	if err == nil {
		_, err = row.ReadAll(t.Context(), r)
	}
	var bad *esds.ValueError
	if !errors.As(err, &bad) || bad.Index != "p" || bad.ID != "1" || bad.Field != "name" || bad.Value != `"Ann"` {
		t.Errorf("error = %v", err)
	}
}
