package esdstest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

var changeTests = map[string]func(*env){
	"change/actions":    testChangeActions,
	"change/conditions": testChangeConditions,
	"change/order":      testChangeOrder,
	"change/new fields": testChangeNewFields,
	"change/bad":        testBadChanges,
	"change/types":      testChangeTypes,
	"change/indices":    testChangeIndices,
	"encode/rows":       testEncode,
}

// changeOf returns a row of esds.ChangeSchema without a condition.
func changeOf(action esds.Action, id, source string) []any {
	var doc any
	if source != "" {
		doc = source
	}
	return []any{string(action), id, nil, nil, nil, nil, doc}
}

func (e *env) change(index string, rows ...[]any) (esds.Report, []esds.Reject) {
	e.Helper()
	var rejects []esds.Reject
	report, err := e.tryWrite(esds.Write{Index: index, Changes: true, Reject: keep(&rejects)}, esds.ChangeSchema(), rows...)
	e.must(err)
	slices.SortFunc(rejects, func(a, b esds.Reject) int { return int(a.Row - b.Row) })
	return report, rejects
}

func testChangeActions(e *env) {
	name := e.fill("a", idAndN, numbered(4)...)
	report, rejects := e.change(name,
		changeOf(esds.IndexDoc, "x00001", `{"id": "x00001", "n": 100}`),
		changeOf(esds.DeleteDoc, "x00002", ""),
		changeOf(esds.CreateDoc, "new", `{"id":"new","n":7}`),
		changeOf(esds.IndexDoc, "new2", "{\n  \"n\": 8,\n  \"id\": \"new2\"\n}"),
		changeOf(esds.DeleteDoc, "absent", ""),
		changeOf(esds.CreateDoc, "x00003", `{"n":9}`))
	report.Bytes, report.Retried = 0, 0
	if want := (esds.Report{Rows: 6, Created: 2, Updated: 1, Deleted: 1, Noop: 1, Rejected: 1}); report != want {
		e.Errorf("report = %+v, want %+v", report, want)
	}
	if len(rejects) != 1 || rejects[0].Row != 6 || rejects[0].Status != 409 || rejects[0].ID != "x00003" || string(rejects[0].Document) != `{"n":9}` {
		e.Errorf("rejects = %+v, want row 6 with status 409", rejects)
	}
	e.wantRows("documents", e.scan(e.open(name), esds.Scan{Columns: idAndN}),
		[]any{"new", int64(7)}, []any{"new2", int64(8)}, []any{"x00000", int64(0)}, []any{"x00001", int64(100)}, []any{"x00003", int64(3)})
}

// seqNos returns _seq_no and _primary_term of every document.
func (e *env) seqNos(name string) map[string][2]int64 {
	e.Helper()
	found := map[string][2]int64{}
	columns := fields("_id", row.StringType, "_seq_no", row.BigIntType, "_primary_term", row.BigIntType)
	for _, r := range e.scan(e.open(name), esds.Scan{Columns: columns}) {
		found[r[0].(string)] = [2]int64{r[1].(int64), r[2].(int64)}
	}
	return found
}

func testChangeConditions(e *env) {
	name := e.fill("a", idAndN, numbered(5)...)
	old := e.seqNos(name)
	e.write(esds.Write{Index: name, ID: "id"}, idAndN, []any{"x00001", int64(50)}) // by another writer
	when := func(action esds.Action, id, source string) []any {
		r := changeOf(action, id, source)
		r[4], r[5] = old[id][0], old[id][1]
		return r
	}
	gone := when(esds.DeleteDoc, "x00000", "")
	gone[1] = "absent"
	report, rejects := e.change(name,
		when(esds.IndexDoc, "x00000", `{"id":"x00000","n":100}`),
		when(esds.IndexDoc, "x00001", `{"id":"x00001","n":101}`),
		when(esds.DeleteDoc, "x00002", ""),
		gone,
		when(esds.IndexDoc, "x00000", `{"id":"x00000","n":102}`)) // no longer the one that was read
	report.Bytes, report.Retried = 0, 0
	if want := (esds.Report{Rows: 5, Updated: 1, Deleted: 1, Rejected: 3}); report != want {
		e.Errorf("report = %+v, want %+v", report, want)
	}
	for i, n := range []int64{2, 4, 5} {
		if i >= len(rejects) || rejects[i].Row != n || rejects[i].Status != 409 || rejects[i].Type != "version_conflict_engine_exception" || rejects[i].Index != name {
			e.Fatalf("rejects = %+v, want rows 2, 4, 5 with status 409", rejects)
		}
	}
	e.wantRows("documents", e.scan(e.open(name), esds.Scan{Columns: idAndN}),
		[]any{"x00000", int64(100)}, []any{"x00001", int64(50)}, []any{"x00003", int64(3)}, []any{"x00004", int64(4)})
}

func testChangeOrder(e *env) {
	name := e.fill("a", idAndN, numbered(1)...)
	var rows [][]any
	for i := range 30 {
		rows = append(rows,
			changeOf(esds.IndexDoc, "a", fmt.Sprintf(`{"id":"a","n":%d}`, i)),
			changeOf(esds.DeleteDoc, "a", ""),
			changeOf(esds.CreateDoc, "a", fmt.Sprintf(`{"id":"a","n":%d}`, 1000+i)))
	}
	var rejects []esds.Reject
	w := esds.Write{Index: name, Changes: true, Options: e.options("es.batch.size.entries", "4", "eslake.write.connections", "3"), Reject: keep(&rejects)}
	report, err := e.tryWrite(w, esds.ChangeSchema(), rows...)
	e.must(err)
	if report.Created != 31 || report.Updated != 29 || report.Deleted != 30 || len(rejects) != 0 {
		e.Errorf("report = %+v, rejects = %+v", report, rejects)
	}
	e.wantRows("documents", e.scan(e.open(name), esds.Scan{Columns: idAndN}), []any{"a", int64(1029)}, []any{"x00000", int64(0)})
}

func testChangeNewFields(e *env) {
	name := e.fill("a", idAndN, numbered(2)...)
	report, rejects := e.change(name,
		changeOf(esds.IndexDoc, "a", `{"id":"a","n":1,"flag":true,"big":9007199254740993,"name":"x","o":{"p":1,"q":{"r":"deep"}}}`),
		changeOf(esds.IndexDoc, "b", `{"id":"b","n":null,"tags":["x","y"],"o":{"s":2.5}}`))
	if report.Created != 2 || len(rejects) != 0 {
		e.Fatalf("report = %+v, rejects = %+v", report, rejects)
	}
	columns := fields("id", row.StringType, "flag", row.BooleanType, "big", row.BigIntType, "name", row.StringType,
		"o.p", row.BigIntType, "o.q.r", row.StringType, "o.s", row.DoubleType, "tags", row.ArrayType(row.StringType))
	none := []any{nil, nil, nil, nil, nil, nil, nil}
	e.wantRows("new fields", e.scan(e.open(name), esds.Scan{Columns: columns}),
		[]any{"a", true, int64(9007199254740993), "x", int64(1), "deep", nil, nil},
		[]any{"b", nil, nil, nil, nil, nil, 2.5, []any{"x", "y"}},
		append([]any{"x00000"}, none...), append([]any{"x00001"}, none...))
}

func testBadChanges(e *env) {
	name := e.makeMapped("a", []byte(`{"dynamic": "strict", "properties": {"id": {"type": "keyword"}, "n": {"type": "long"}}}`))
	noID := changeOf(esds.IndexDoc, "", `{"n":1}`)
	noID[1] = nil
	report, rejects := e.change(name,
		changeOf(esds.IndexDoc, "a", `{"n": "one"}`),
		changeOf(esds.IndexDoc, "b", `{"n": 1, "more": 2}`),
		changeOf(esds.IndexDoc, "c", `[1]`),
		noID,
		changeOf(esds.IndexDoc, strings.Repeat("x", 513), `{"n":1}`),
		changeOf(esds.IndexDoc, "d", ""),
		changeOf("renumber", "e", `{"n":1}`),
		changeOf(esds.IndexDoc, "f", `{"n":1}`))
	if report.Created != 1 || report.Rejected != 7 || len(rejects) != 7 {
		e.Fatalf("report = %+v, rejects = %+v, want 1 created, 7 rejected", report, rejects)
	}
	for i, r := range rejects {
		if r.Row != int64(i+1) || r.Reason == "" || r.Index != name || i < 2 && (r.Status != 400 || r.Type == "") {
			e.Errorf("reject %d = %+v", i+1, r)
		}
	}
	e.wantCount(name, 1)
	absent := e.name("absent")
	_, err := e.tryWrite(esds.Write{Index: absent, Changes: true}, esds.ChangeSchema(), changeOf(esds.IndexDoc, "a", `{"n":1}`))
	e.wantError("changes of an absent index", err, esds.ErrIndexNotFound)
}

// testChangeTypes writes documents back as they were read.
func testChangeTypes(e *env) {
	schema := fields("id", row.StringType, "b", row.BooleanType, "i", row.IntType, "l", row.BigIntType, "d", row.DoubleType, "dec", row.DecimalType(20, 4),
		"day", row.DateType, "at", row.TimestampType, "bin", row.BinaryType, "list", row.ArrayType(row.BigIntType),
		"o", row.StructType(row.Field{Name: "x", Type: row.IntType}, row.Field{Name: "y", Type: row.StringType}), "m", row.MapType(row.StringType, row.BigIntType))
	name := e.make("a", schema)
	batch := row.NewBatch(schema)
	for i, text := range []string{
		`["r1",true,-5,9007199254740993,2.5,"1234567890123456.7891","2024-02-29","2024-02-29T12:34:56.123Z","AP8=",[1,2,3],{"x":1,"y":"a\"b\\c\nü"},{"k":1}]`,
		`["r2",null,null,null,null,null,null,null,null,null,null,null]`,
		`["r3",false,0,-1,-0.5,"-0.0001","1969-12-31","1969-12-31T23:59:59Z","",[],{"x":null,"y":""},{}]`,
	} {
		e.appendJSON(batch, text)
		batch.Len = i + 1
	}
	_, err := e.src.Write(e.ctx, esds.Write{Index: name, ID: "id"}, row.NewBatches(schema, batch))
	e.must(err)
	e.must(e.src.Refresh(e.ctx, name))
	before := e.scan(e.open(name), esds.Scan{Columns: schema})
	var rows [][]any
	for _, r := range e.scan(e.open(name), esds.Scan{Columns: fields("_id", row.StringType, "_source", row.StringType, "_seq_no", row.BigIntType, "_primary_term", row.BigIntType)}) {
		rows = append(rows, []any{string(esds.IndexDoc), r[0], nil, nil, r[2], r[3], r[1]})
	}
	report, rejects := e.change(name, rows...)
	if report.Updated != 3 {
		e.Fatalf("report = %+v, rejects = %+v", report, rejects)
	}
	e.wantRows("rows that were written back", e.scan(e.open(name), esds.Scan{Columns: schema}), before...)
}

// appendJSON appends a row that is given as a JSON list.
func (e *env) appendJSON(b *row.Batch, text string) {
	e.Helper()
	list, isList := decode([]byte(text)).([]any)
	if !isList || len(list) != len(b.Columns) {
		e.Fatalf("%s is not a row", text)
	}
	for i, c := range b.Columns {
		e.must(row.ParseJSON(c, encode(list[i])))
	}
}

// testChangeIndices changes documents of two indices in one write.
func testChangeIndices(e *env) {
	a, b := e.fill("a", idAndN, numbered(2)...), e.fill("b", idAndN, numbered(2)...)
	in := func(index string, r []any) []any {
		r[2] = index
		return r
	}
	report, rejects := e.change(a,
		in(b, changeOf(esds.IndexDoc, "x00000", `{"id":"x00000","n":5}`)),
		changeOf(esds.DeleteDoc, "x00001", ""),
		in(a, changeOf(esds.IndexDoc, "x00000", `{"id":"x00000","n":6}`)))
	if report.Updated != 2 || report.Deleted != 1 || len(rejects) != 0 {
		e.Errorf("report = %+v, rejects = %+v", report, rejects)
	}
	e.must(e.src.Refresh(e.ctx, b))
	e.wantRows("first", e.scan(e.open(a), esds.Scan{Columns: idAndN}), []any{"x00000", int64(6)})
	e.wantRows("second", e.scan(e.open(b), esds.Scan{Columns: idAndN}), []any{"x00000", int64(5)}, []any{"x00001", int64(1)})
}

// testEncode compares documents that were encoded with those that were written.
func testEncode(e *env) {
	schema := fields("id", row.StringType, "d", row.DecimalType(10, 2), "at", row.TimestampType, "list", row.ArrayType(row.StringType), "skip", row.BigIntType)
	name := e.make("a", schema)
	rows := [][]any{
		{"r1", "1.25", "2024-02-29T12:34:56.123Z", []any{"a", "b"}, int64(1)},
		{"r2", nil, "1969-12-31T00:00:00Z", []any{}, int64(2)},
	}
	batch := row.NewBatch(schema)
	for _, r := range rows {
		e.appendJSON(batch, string(encode(r)))
		batch.Len++
	}
	w := esds.Write{Index: name, ID: "id", Options: e.options("es.mapping.exclude", "skip")}
	enc, err := e.src.Encode(e.ctx, w, schema)
	e.must(err)
	want := map[string]any{}
	for i := range rows {
		id, err := enc.AppendID(nil, batch, i, int64(i+1))
		e.must(err)
		doc, err := enc.AppendDocument(nil, batch, i)
		e.must(err)
		want[string(id)] = decode(doc)
	}
	_, err = e.src.Write(e.ctx, w, row.NewBatches(schema, batch))
	e.must(err)
	e.must(e.src.Refresh(e.ctx, name))
	for _, id := range []string{"r1", "r2"} {
		if got := e.source(name, id); fmt.Sprint(got) != fmt.Sprint(want[id]) {
			e.Errorf("document %s = %v, encoded as %v", id, got, want[id])
		}
	}
	own, err := e.src.Encode(e.ctx, esds.Write{Index: name, IDPrefix: "j-"}, schema)
	e.must(err)
	if id, err := own.AppendID(nil, batch, 0, 17); string(id) != "j-17" || err != nil {
		e.Errorf("id = %q, %v", id, err)
	}
}
