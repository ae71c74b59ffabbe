package esdstest

import (
	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

var inputTests = map[string]func(*env){
	"input/json":         testInputJSON,
	"input/json own ids": testInputJSONOwnIDs,
	"input/json refused": testInputRefused,
	"input/id in struct": testIDInStruct,
	"input/constant id":  testConstantID,
}

var oneDocument = fields("doc", row.StringType)

func testInputJSON(e *env) {
	name := e.fill("a", idAndN, numbered(2)...)
	var rejects []esds.Reject
	w := esds.Write{Index: name, ID: "key.id", Options: e.options("es.input.json", "true"), Reject: keep(&rejects)}
	report, err := e.tryWrite(w, oneDocument,
		[]any{`{"key": {"id": "x00001"}, "id": "x00001", "n": 10}`},
		[]any{"{\n \"key\": {\"id\": 17},\n \"id\": \"new\", \"n\": 11}"},
		[]any{`{"id": "no key", "n": 12}`},
		[]any{`{"key": {"id": "broken"`},
		[]any{nil},
		[]any{`{"key.id": "dotted", "id": "dotted", "n": 13}`})
	e.must(err)
	if report.Updated != 1 || report.Created != 2 || report.Rejected != 3 || len(rejects) != 3 {
		e.Fatalf("report = %+v, rejects = %+v", report, rejects)
	}
	e.wantRows("documents", e.scan(e.open(name), esds.Scan{Columns: fields("_id", row.StringType, "id", row.StringType, "n", row.BigIntType)}),
		[]any{"17", "new", int64(11)}, []any{"dotted", "dotted", int64(13)}, []any{"x00000", "x00000", int64(0)}, []any{"x00001", "x00001", int64(10)})
	report, err = e.tryWrite(esds.Write{Index: name, ID: "id", Action: esds.DeleteDoc, Options: e.options("es.input.json", "true")}, oneDocument, []any{`{"id":"17"}`}, []any{`{"id":"none"}`})
	if err != nil || report.Deleted != 1 || report.Noop != 1 {
		e.Errorf("delete: %+v, %v", report, err)
	}
}

func testInputJSONOwnIDs(e *env) {
	name := e.make("a", idAndN)
	w := esds.Write{Index: name, IDPrefix: "j-", Options: e.options("es.input.json", "true")}
	rows := [][]any{{`{"id":"a","n":1}`}, {`{"id":"b","n":2,"more":{"x":[1,2]}}`}}
	if report := e.write(w, oneDocument, rows...); report.Created != 2 {
		e.Errorf("report = %+v", report)
	}
	w.Resumed = true
	if report := e.write(w, oneDocument, append(rows, []any{`{"id":"c"}`})...); report.Created != 3 {
		e.Errorf("report of the resumed write = %+v, want 3 created", report)
	}
	e.wantRows("documents", e.scan(e.open(name), esds.Scan{Columns: fields("_id", row.StringType, "id", row.StringType, "more.x", row.ArrayType(row.BigIntType))}),
		[]any{"j-1", "a", nil}, []any{"j-2", "b", []any{int64(1), int64(2)}}, []any{"j-3", "c", nil})
}

func testInputRefused(e *env) {
	name := e.make("a", idAndN)
	for what, w := range map[string]struct {
		schema row.Schema
		opts   []string
	}{
		"two columns": {idAndN, []string{"es.input.json", "true"}},
		"exclude":     {oneDocument, []string{"es.input.json", "true", "es.mapping.exclude", "x"}},
	} {
		if _, err := e.src.Write(e.ctx, esds.Write{Index: name, IDPrefix: "j-", Options: e.options(w.opts...)}, row.NewBatches(w.schema)); err == nil {
			e.Errorf("%s: no error", what)
		}
	}
}

func testIDInStruct(e *env) {
	schema := fields("o", row.StructType(row.Field{Name: "p", Type: row.StructType(row.Field{Name: "id", Type: row.BigIntType})}), "n", row.BigIntType)
	name := e.make("a", schema)
	object := func(id any) any { return map[string]any{"p": map[string]any{"id": id}} }
	var rejects []esds.Reject
	report, err := e.tryWrite(esds.Write{Index: name, ID: "o.p.id", Reject: keep(&rejects)}, schema,
		[]any{object(int64(5)), int64(1)}, []any{object(nil), int64(2)}, []any{nil, int64(3)}, []any{object(int64(5)), int64(4)})
	e.must(err)
	if report.Created != 1 || report.Updated != 1 || report.Rejected != 2 {
		e.Errorf("report = %+v, rejects = %+v", report, rejects)
	}
	e.wantRows("documents", e.scan(e.open(name), esds.Scan{Columns: fields("_id", row.StringType, "n", row.BigIntType)}), []any{"5", int64(4)})
}

func testConstantID(e *env) {
	name := e.make("a", idAndN)
	report := e.write(esds.Write{Index: name, ID: "<-5>"}, idAndN, numbered(3)...)
	if report.Created != 1 || report.Updated != 2 {
		e.Errorf("report = %+v, want 1 created, 2 updated", report)
	}
	if got := e.ids(e.open(name)); len(got) != 1 || got[0] != "-5" {
		e.Errorf("ids = %q", got)
	}
}
