package esdstest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

var writeTests = map[string]func(*env){
	"write/again":          testWriteAgain,
	"write/last wins":      testLastWins,
	"write/create":         testCreateDocs,
	"write/client ids":     testClientIDs,
	"write/bad ids":        testBadIDs,
	"write/bad values":     testBadValues,
	"write/not finite":     testNotFinite,
	"write/reject stops":   testRejectStops,
	"write/reader fails":   testReaderFails,
	"write/cancel":         testWriteCancel,
	"write/progress":       testProgress,
	"write/nothing":        testWriteNothing,
	"write/exclude":        testExclude,
	"write/nulls":          testWriteNull,
	"write/update":         testUpdate,
	"write/delete":         testDelete,
	"write/ids of numbers": testNumberIDs,
}

func testWriteAgain(e *env) {
	name := e.fill("a", idAndN, numbered(20)...)
	report := e.write(esds.Write{Index: name, ID: "id", Action: esds.IndexDoc}, idAndN, numbered(25)...)
	if report.Created != 5 || report.Updated != 20 {
		e.Errorf("created, updated = %d, %d, want 5, 20", report.Created, report.Updated)
	}
	e.wantCount(name, 25)
}

func (e *env) wantCount(name string, want int64) {
	e.Helper()
	if n, err := e.src.Count(e.ctx, name); n != want || err != nil {
		e.Errorf("documents = %d, %v, want %d", n, err, want)
	}
}

// testLastWins writes each id many times, over many requests.
func testLastWins(e *env) {
	name := e.make("a", idAndN)
	const ids, times = 5, 40
	var rows [][]any
	for i := range ids * times {
		rows = append(rows, []any{fmt.Sprint("id", i%ids), int64(i)})
	}
	opts := e.options("es.batch.size.entries", "3", "eslake.write.connections", "4")
	report := e.write(esds.Write{Index: name, ID: "id", Options: opts}, idAndN, rows...)
	if report.Created != ids || report.Updated != ids*(times-1) {
		e.Errorf("created, updated = %d, %d, want %d, %d", report.Created, report.Updated, ids, ids*(times-1))
	}
	var want [][]any
	for i := range ids {
		want = append(want, []any{fmt.Sprint("id", i), int64(ids*(times-1) + i)})
	}
	e.wantRows("last values", e.scan(e.open(name), esds.Scan{Columns: idAndN}), want...)
}

func testCreateDocs(e *env) {
	name := e.fill("a", idAndN, numbered(3)...)
	var rejects []esds.Reject
	w := esds.Write{Index: name, ID: "id", Action: esds.CreateDoc, Reject: keep(&rejects)}
	report, err := e.tryWrite(w, idAndN, []any{"new1", int64(7)}, []any{"x00001", int64(8)}, []any{"new2", int64(9)})
	e.must(err)
	if report.Created != 2 || report.Rejected != 1 || len(rejects) != 1 {
		e.Fatalf("report = %+v, rejects = %+v, want 2 created, 1 rejected", report, rejects)
	}
	if r := rejects[0]; r.Row != 2 || r.ID != "x00001" || r.Status != 409 || r.Reason == "" {
		e.Errorf("reject = %+v, want row 2 with status 409", r)
	}
	e.wantCount(name, 5)
}

func keep(list *[]esds.Reject) func(esds.Reject) error {
	return func(r esds.Reject) error {
		r.Document = slices.Clone(r.Document)
		*list = append(*list, r)
		return nil
	}
}

func testClientIDs(e *env) {
	schema := fields("n", row.BigIntType)
	name := e.make("a", schema)
	w := esds.Write{Index: name, IDPrefix: "job7-", Action: esds.CreateDoc}
	rows := [][]any{{int64(10)}, {int64(20)}, {int64(30)}}
	report := e.write(w, schema, rows...)
	if report.Created != 3 {
		e.Errorf("created = %d, want 3", report.Created)
	}
	columns := fields("_id", row.StringType, "n", row.BigIntType)
	want := [][]any{{"job7-1", int64(10)}, {"job7-2", int64(20)}, {"job7-3", int64(30)}}
	e.wantRows("ids", e.scan(e.open(name), esds.Scan{Columns: columns}), want...)
	// The same job again changes nothing, whatever the report calls it.
	w.Reject = nil
	_, err := e.tryWrite(w, schema, rows...)
	e.must(err)
	e.wantRows("ids after the second run", e.scan(e.open(name), esds.Scan{Columns: columns}), want...)
}

func testBadIDs(e *env) {
	name := e.make("a", idAndN)
	long := strings.Repeat("x", 513)
	var rejects []esds.Reject
	rows := [][]any{{"a", int64(1)}, {nil, int64(2)}, {"", int64(3)}, {long, int64(4)}, {strings.Repeat("y", 512), int64(5)}, {"ü \"\\/\n", int64(6)}}
	report, err := e.tryWrite(esds.Write{Index: name, ID: "id", Reject: keep(&rejects)}, idAndN, rows...)
	e.must(err)
	if report.Created != 3 || report.Rejected != 3 {
		e.Errorf("report = %+v, want 3 created, 3 rejected", report)
	}
	var at []int64
	for _, r := range rejects {
		at = append(at, r.Row)
		if r.Reason == "" {
			e.Errorf("reject of row %d has no reason", r.Row)
		}
	}
	slices.Sort(at)
	if !slices.Equal(at, []int64{2, 3, 4}) {
		e.Errorf("rejected rows = %v, want 2, 3, 4", at)
	}
	got := e.ids(e.open(name))
	slices.Sort(got)
	want := []string{"a", strings.Repeat("y", 512), "ü \"\\/\n"}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		e.Errorf("ids = %q, want %q", got, want)
	}
}

// testBadValues writes text into a column that the mapping has as a number.
func testBadValues(e *env) {
	mapping := `{"properties": {"id": {"type": "keyword"}, "n": {"type": "integer"}}}`
	name := e.makeMapped("a", []byte(mapping))
	schema := fields("id", row.StringType, "n", row.StringType)
	var rejects []esds.Reject
	opts := e.options("es.batch.size.entries", "4")
	rows := [][]any{{"a", "1"}, {"b", "two"}, {"c", "3"}, {"d", "4"}, {"e", "5"}, {"f", nil}, {"g", "3000000000"}}
	report, err := e.tryWrite(esds.Write{Index: name, ID: "id", Options: opts, Reject: keep(&rejects)}, schema, rows...)
	e.must(err)
	if report.Created != 5 || report.Rejected != 2 || len(rejects) != 2 {
		e.Fatalf("report = %+v with %d rejects, want 5 created, 2 rejected", report, len(rejects))
	}
	slices.SortFunc(rejects, func(a, b esds.Reject) int { return int(a.Row - b.Row) })
	for i, want := range []struct {
		row int64
		id  string
	}{{2, "b"}, {7, "g"}} {
		r := rejects[i]
		if r.Row != want.row || r.ID != want.id || r.Status != 400 && r.Status != 0 || r.Reason == "" || r.Index != name {
			e.Errorf("reject = %+v, want row %d, id %s, the index and a reason", r, want.row, want.id)
		}
		if !json.Valid(r.Document) || !strings.Contains(string(r.Document), `"n"`) {
			e.Errorf("rejected document = %s", r.Document)
		}
	}
	e.wantRows("what was taken", e.scan(e.open(name), esds.Scan{Columns: fields("id", row.StringType, "n", row.IntType)}),
		[]any{"a", int64(1)}, []any{"c", int64(3)}, []any{"d", int64(4)}, []any{"e", int64(5)}, []any{"f", nil})
}

// testNotFinite writes numbers that JSON does not have, alone and within others.
func testNotFinite(e *env) {
	inner := row.StructType(fields("y", row.FloatType)...)
	schema := fields("id", row.StringType, "x", row.DoubleType, "l", row.ArrayType(row.DoubleType), "o", inner)
	name := e.make("a", schema)
	var rejects []esds.Reject
	report, err := e.tryWrite(esds.Write{Index: name, ID: "id", Reject: keep(&rejects)}, schema,
		[]any{"a", 1.5, []any{2.5, nil}, map[string]any{"y": 0.5}},
		[]any{"b", math.NaN(), nil, nil},
		[]any{"c", math.Inf(1), nil, nil},
		[]any{"d", nil, []any{1.5, math.Inf(-1)}, nil},
		[]any{"e", nil, nil, map[string]any{"y": math.NaN()}},
		[]any{"f", nil, nil, nil})
	e.must(err)
	if report.Created != 2 || report.Rejected != 4 {
		e.Errorf("report = %+v, want 2 created, 4 rejected", report)
	}
	slices.SortFunc(rejects, func(a, b esds.Reject) int { return int(a.Row - b.Row) })
	for i, r := range rejects {
		if r.Row != int64(i)+2 || !strings.Contains(r.Reason, "NaN or infinite") || len(r.Document) > 0 && !json.Valid(r.Document) {
			e.Errorf("reject = %+v (%s), want row %d, the reason and JSON", r, r.Document, i+2)
		}
	}
	e.wantCount(name, 2)
}

var errEnough = errors.New("enough")

func testRejectStops(e *env) {
	name := e.make("a", idAndN)
	rows := append([][]any{{nil, int64(1)}}, numbered(100)...)
	calls := 0
	_, err := e.tryWrite(esds.Write{Index: name, ID: "id", Options: e.options("es.batch.size.entries", "5"), Reject: func(esds.Reject) error {
		calls++
		return errEnough
	}}, idAndN, rows...)
	e.wantError("write", err, errEnough)
	if calls != 1 {
		e.Errorf("reject was called %d times after its error, want 1", calls)
	}
}

// broken yields a batch and then fails.
type broken struct {
	row.Reader
	after int
	then  func(ctx context.Context) error
}

func (b *broken) Next(ctx context.Context) (*row.Batch, error) {
	if b.after == 0 {
		return nil, b.then(ctx)
	}
	b.after--
	return b.Reader.Next(ctx)
}

func testReaderFails(e *env) {
	name := e.make("a", idAndN)
	rows := e.batches(idAndN, numbered(50))
	in := &watched{Reader: &broken{Reader: row.NewBatches(idAndN, rows...), after: 3, then: func(context.Context) error { return io.ErrUnexpectedEOF }}}
	report, err := e.src.Write(e.ctx, esds.Write{Index: name, ID: "id"}, in)
	e.wantError("write", err, io.ErrUnexpectedEOF)
	if !in.closed {
		e.Error("write did not close its reader")
	}
	if report.Rows > 21 || report.Accepted() > report.Rows {
		e.Errorf("report = %+v of 21 rows", report)
	}
	e.must(e.src.Refresh(e.ctx, name))
	if n, err := e.src.Count(e.ctx, name); err != nil || n < report.Accepted() {
		e.Errorf("documents = %d, %v, fewer than the %d that were accepted", n, err, report.Accepted())
	}
}

func testWriteCancel(e *env) {
	name := e.make("a", idAndN)
	ctx, cancel := context.WithCancel(e.ctx)
	in := &watched{Reader: &broken{Reader: row.NewBatches(idAndN, e.batches(idAndN, numbered(50))...), after: 3, then: func(ctx context.Context) error {
		cancel()
		return ctx.Err()
	}}}
	_, err := e.src.Write(ctx, esds.Write{Index: name, ID: "id", Options: e.options("es.batch.size.entries", "5")}, in)
	e.wantError("write", err, context.Canceled)
	if !in.closed {
		e.Error("write did not close its reader")
	}
	// What was sent may be there or not; the source goes on working.
	e.write(esds.Write{Index: name, ID: "id"}, idAndN, numbered(50)...)
	e.wantCount(name, 50)
}

func testProgress(e *env) {
	name := e.make("a", idAndN)
	var last esds.Report
	calls := 0
	w := esds.Write{Index: name, ID: "id", Options: e.options("es.batch.size.entries", "10"), Progress: func(r esds.Report) {
		if r.Rows < last.Rows || r.Accepted() < last.Accepted() {
			e.Errorf("progress went back from %+v to %+v", last, r)
		}
		last, calls = r, calls+1
	}}
	report := e.write(w, idAndN, numbered(60)...)
	if calls < 2 || last.Rows != report.Rows { // what is accepted may be known at the end only
		e.Errorf("progress was called %d times, last with %+v; the report is %+v", calls, last, report)
	}
}

func testWriteNothing(e *env) {
	name := e.make("a", idAndN)
	if report := e.write(esds.Write{Index: name, ID: "id"}, idAndN); report != (esds.Report{}) {
		e.Errorf("report of no rows = %+v", report)
	}
	e.wantCount(name, 0)
}

func (e *env) source(name, id string) map[string]any {
	e.Helper()
	for _, r := range e.scan(e.open(name), esds.Scan{Columns: fields("_id", row.StringType, "_source", row.StringType)}) {
		if r[0] == id {
			doc, isObject := decode([]byte(fmt.Sprint(r[1]))).(object)
			if !isObject {
				e.Errorf("_source of %s = %v", id, r[1])
			}
			return doc
		}
	}
	e.Errorf("there is no document %s", id)
	return nil
}

func testExclude(e *env) {
	schema := fields("key", row.StringType, "a", row.BigIntType, "b", row.BigIntType)
	name := e.make("a", schema)
	e.write(esds.Write{Index: name, ID: "key", Options: e.options("es.mapping.exclude", "key,b*")}, schema, []any{"x", int64(1), int64(2)})
	if doc := e.source(name, "x"); len(doc) != 1 || fmt.Sprint(doc["a"]) != "1" {
		e.Errorf("document = %v, want only a", doc)
	}
	e.write(esds.Write{Index: name, ID: "key", Options: e.options("es.mapping.include", "b")}, schema, []any{"y", int64(1), int64(2)})
	if doc := e.source(name, "y"); len(doc) != 1 || fmt.Sprint(doc["b"]) != "2" {
		e.Errorf("document = %v, want only b", doc)
	}
}

func testWriteNull(e *env) {
	name := e.make("a", idAndN)
	e.write(esds.Write{Index: name, ID: "id"}, idAndN, []any{"omit", nil})
	if doc := e.source(name, "omit"); len(doc) != 1 {
		e.Errorf("document = %v, want the NULL left out", doc)
	}
	e.write(esds.Write{Index: name, ID: "id", Options: e.options("es.spark.dataframe.write.null", "true")}, idAndN, []any{"null", nil})
	if v, found := e.source(name, "null")["n"]; !found || v != nil {
		e.Errorf("n = %v, %v, want null written", v, found)
	}
	e.wantRows("both", e.scan(e.open(name), esds.Scan{Columns: idAndN}), []any{"null", nil}, []any{"omit", nil})
}

func testUpdate(e *env) {
	schema := fields("id", row.StringType, "a", row.BigIntType, "b", row.BigIntType)
	name := e.fill("a", schema, []any{"x", int64(1), int64(1)})
	part := fields("id", row.StringType, "a", row.BigIntType)
	var rejects []esds.Reject
	w := esds.Write{Index: name, ID: "id", Action: esds.UpdateDoc, Reject: keep(&rejects)}
	report, err := e.tryWrite(w, part, []any{"x", int64(5)}, []any{"absent", int64(6)})
	e.must(err)
	if report.Updated != 1 || report.Rejected != 1 || len(rejects) != 1 || rejects[0].Row != 2 || rejects[0].Status != 404 {
		e.Errorf("report = %+v, rejects = %+v, want 1 updated and row 2 rejected with 404", report, rejects)
	}
	w = esds.Write{Index: name, ID: "id", Action: esds.UpsertDoc}
	report = e.write(w, part, []any{"x", int64(7)}, []any{"new", int64(8)})
	if report.Updated != 1 || report.Created != 1 {
		e.Errorf("report of upsert = %+v, want 1 updated, 1 created", report)
	}
	e.wantRows("merged", e.scan(e.open(name), esds.Scan{Columns: schema}), []any{"new", int64(8), nil}, []any{"x", int64(7), int64(1)})
}

func testDelete(e *env) {
	name := e.fill("a", idAndN, numbered(5)...)
	only := fields("id", row.StringType)
	report, err := e.tryWrite(esds.Write{Index: name, ID: "id", Action: esds.DeleteDoc}, only, []any{"x00001"}, []any{"x00003"}, []any{"absent"})
	e.must(err)
	if report.Deleted != 2 {
		e.Errorf("deleted = %d, want 2", report.Deleted)
	}
	e.wantCount(name, 3)
}

func testNumberIDs(e *env) {
	schema := fields("id", row.BigIntType, "s", row.StringType)
	name := e.fill("a", schema, []any{int64(9007199254740993), "big"}, []any{int64(-1), "minus"})
	if got := e.ids(e.open(name)); !slices.Equal(got, []string{"-1", "9007199254740993"}) {
		e.Errorf("ids = %v", got)
	}
}
