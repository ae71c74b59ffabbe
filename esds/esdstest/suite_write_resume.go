package esdstest

import (
	"fmt"
	"slices"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

var resumeTests = map[string]func(*env){
	"resume/from":        testFrom,
	"resume/again":       testResumed,
	"resume/acked":       testAcked,
	"resume/acked stops": testAckedStops,
}

var onlyN = fields("n", row.BigIntType)

func counted(count int) [][]any {
	rows := make([][]any, count)
	for i := range rows {
		rows[i] = []any{int64(i + 1)}
	}
	return rows
}

// testFrom leaves out rows that were written before, within and between batches.
func testFrom(e *env) {
	name := e.make("a", onlyN)
	var rejects []esds.Reject
	report, err := e.src.Write(e.ctx, esds.Write{Index: name, IDPrefix: "j-", From: 10, Reject: keep(&rejects)}, row.NewBatches(onlyN, e.batches(onlyN, counted(16))...))
	e.must(err)
	if report.Rows != 6 || report.Created != 6 || len(rejects) != 0 {
		e.Errorf("report = %+v, rejects = %+v, want 6 created of 6", report, rejects)
	}
	e.must(e.src.Refresh(e.ctx, name))
	want := [][]any{}
	for n := int64(11); n <= 16; n++ {
		want = append(want, []any{fmt.Sprint("j-", n), n})
	}
	e.wantRows("rows after the tenth", e.scan(e.open(name), esds.Scan{Columns: fields("_id", row.StringType, "n", row.BigIntType)}), want...)

	rows := append(numbered(9), []any{nil, int64(9)})
	report, err = e.src.Write(e.ctx, esds.Write{Index: e.make("b", idAndN), ID: "id", From: 9, Reject: keep(&rejects)}, row.NewBatches(idAndN, e.batches(idAndN, rows)...))
	e.must(err)
	if report.Rows != 1 || report.Rejected != 1 || len(rejects) != 1 || rejects[0].Row != 10 {
		e.Errorf("report = %+v, rejects = %+v, want row 10 rejected", report, rejects)
	}
	report, err = e.src.Write(e.ctx, esds.Write{Index: name, IDPrefix: "j-", From: 99}, row.NewBatches(onlyN, e.batches(onlyN, counted(16))...))
	if err != nil || report != (esds.Report{}) {
		e.Errorf("a write of no more rows: %+v, %v", report, err)
	}
}

// testResumed goes on after a run that wrote more rows than were acknowledged.
func testResumed(e *env) {
	name := e.make("a", onlyN)
	e.write(esds.Write{Index: name, IDPrefix: "j-"}, onlyN, counted(20)...)
	var rejects []esds.Reject
	w := esds.Write{Index: name, IDPrefix: "j-", From: 5, Resumed: true, Reject: keep(&rejects)}
	report, err := e.src.Write(e.ctx, w, row.NewBatches(onlyN, e.batches(onlyN, counted(30))...))
	e.must(err)
	if report.Rows != 25 || report.Created != 25 || len(rejects) != 0 {
		e.Errorf("report = %+v, rejects = %+v, want all of 25 created", report, rejects)
	}
	e.must(e.src.Refresh(e.ctx, name))
	e.wantCount(name, 30)
}

// testAcked holds what is told while rows are written to what became of them.
func testAcked(e *env) {
	name := e.make("a", idAndN)
	rows := numbered(90)
	for _, i := range []int{3, 30, 31, 32, 77, 89} {
		rows[i] = []any{nil, int64(i)} // has no id
	}
	for i := 40; i < 60; i++ {
		rows[i][0] = fmt.Sprint("same", i%3)
	}
	const from = 8
	var rejected []int64
	upto := int64(from)
	w := esds.Write{
		Index: name, ID: "id", From: from, Options: e.options("es.batch.size.entries", "3", "eslake.write.connections", "4"),
		Reject: func(r esds.Reject) error {
			rejected = append(rejected, r.Row)
			return nil
		},
		Acked: func(n int64, settled esds.Report) error {
			told := int64(len(slices.DeleteFunc(slices.Clone(rejected), func(r int64) bool { return r > n })))
			if n <= upto || settled.Rows != n-from || settled.Check() != nil || settled.Rejected != told {
				e.Errorf("acknowledged row %d after %d with %+v, %d of them rejected", n, upto, settled, told)
			}
			upto = n
			return nil
		},
	}
	report, err := e.src.Write(e.ctx, w, row.NewBatches(idAndN, e.batches(idAndN, rows)...))
	e.must(err)
	if upto != 90 || report.Rejected != 5 || report.Updated != 17 || report.Rows != 82 {
		e.Errorf("acknowledged up to %d, report = %+v", upto, report)
	}
}

func testAckedStops(e *env) {
	name := e.make("a", idAndN)
	calls := 0
	w := esds.Write{Index: name, ID: "id", Options: e.options("es.batch.size.entries", "5", "eslake.write.connections", "1"), Acked: func(int64, esds.Report) error {
		calls++
		return errEnough
	}}
	_, err := e.tryWrite(w, idAndN, numbered(100)...)
	e.wantError("write", err, errEnough)
	if calls != 1 {
		e.Errorf("acked was called %d times after its error, want 1", calls)
	}
}
