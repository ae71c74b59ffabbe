package elastic_test

import (
	"testing"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/esds/esdstest"
	"github.com/eslake/eslake/sql/row"
)

// TestLostAnswers loses the answer to a bulk request, before or after the server
// has acted, and holds the report to what happened.
func TestLostAnswers(t *testing.T) {
	acted, unseen := esdstest.After(esdstest.Drop()), esdstest.Drop()
	change := func(action esds.Action, id string, seq any, source any) []any {
		term := any(int64(1))
		if seq == nil {
			term = nil
		}
		return []any{string(action), id, nil, nil, seq, term, source}
	}
	tests := []struct {
		name string
		lose esdstest.Control
		rows [][]any // changes of an index that holds r1 to r3, of _seq_no 0 or 1 in their shards
		want esds.Report
	}{
		{"index, done", acted, [][]any{change("index", "new", nil, `{"n":1}`), change("index", "r1", nil, `{"n":2}`)}, esds.Report{Rows: 2, Created: 1, Updated: 1}},
		{"index, not done", unseen, [][]any{change("index", "new", nil, `{"n":1}`), change("index", "r1", nil, `{"n":2}`)}, esds.Report{Rows: 2, Created: 1, Updated: 1, Retried: 2}},
		{"index twice, done", acted, [][]any{change("index", "new", nil, `{"n":1}`), change("index", "new", nil, `{"n":2}`)}, esds.Report{Rows: 2, Created: 1, Updated: 1}},
		{"create, done", acted, [][]any{change("create", "new", nil, `{"n":1}`)}, esds.Report{Rows: 1, Created: 1}},
		{"create, not done", unseen, [][]any{change("create", "new", nil, `{"n":1}`)}, esds.Report{Rows: 1, Created: 1}},
		{"create of what was there", acted, [][]any{change("create", "r1", nil, `{"n":99}`)}, esds.Report{Rows: 1, Rejected: 1}},
		{"delete, done", acted, [][]any{change("delete", "r1", nil, nil)}, esds.Report{Rows: 1, Deleted: 1}},
		{"delete, not done", unseen, [][]any{change("delete", "r1", nil, nil)}, esds.Report{Rows: 1, Deleted: 1}},
		{"condition, done", acted, [][]any{change("index", "r1", int64(0), `{"n":2}`)}, esds.Report{Rows: 1, Updated: 1}},
		{"condition, not done", unseen, [][]any{change("index", "r1", int64(0), `{"n":2}`)}, esds.Report{Rows: 1, Updated: 1}},
		{"condition that does not hold", acted, [][]any{change("index", "r1", int64(77), `{"n":2}`)}, esds.Report{Rows: 1, Rejected: 1}},
		{"delete on a condition, done", acted, [][]any{change("delete", "r1", int64(0), nil)}, esds.Report{Rows: 1, Deleted: 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBed(t, esdstest.Elasticsearch8)
			if _, err := b.write(3, esds.Write{ID: "id"}); err != nil {
				t.Fatal(err)
			}
			b.fake.Next(esdstest.Bulk, tt.lose)
			batch := row.NewBatch(esds.ChangeSchema())
			for _, r := range tt.rows {
				if err := batch.AppendRow(r...); err != nil {
					t.Fatal(err)
				}
			}
			report, err := b.source.Write(t.Context(), esds.Write{Index: "idx", Changes: true}, row.NewBatches(esds.ChangeSchema(), batch))
			if err != nil {
				t.Fatal(err)
			}
			report.Bytes = 0
			if tt.want.Retried == 0 {
				report.Retried = 0
			}
			if report != tt.want {
				t.Errorf("report = %+v, want %+v", report, tt.want)
			}
			b.wantDocuments(3 + tt.want.Created - tt.want.Deleted)
		})
	}
}
