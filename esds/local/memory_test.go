package local_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

// TestManyColumns writes a table of more columns than DuckDB can write with the
// memory that it has as a rule, and changes all of them.
func TestManyColumns(t *testing.T) {
	const columns, n = 600, 600
	s := open(t, filepath.Join(t.TempDir(), "lake.db"))
	schema := row.Schema{{Name: "id", Type: row.IntType}}
	for i := range columns {
		schema = append(schema, row.Field{Name: fmt.Sprint("c", i), Type: row.StringType})
	}
	many := func() row.Reader {
		var batches []*row.Batch
		for i := range n {
			if i%500 == 0 {
				batches = append(batches, row.NewBatch(schema))
			}
			b := batches[len(batches)-1]
			b.Columns[0].AppendInt(int64(i))
			for k, c := range b.Columns[1:] {
				c.AppendString(fmt.Sprint(i * k))
			}
			b.Len++
		}
		return row.NewBatches(schema, batches...)
	}
	for _, w := range []esds.Write{
		{Index: "many", ID: "id"},
		{Index: "many", ID: "id", Action: esds.UpsertDoc},
	} {
		report, err := s.Write(t.Context(), w, many())
		if err != nil || report.Rows != n || report.Rejected > 0 {
			t.Fatalf("%s: %+v, %v", w.Action, report, err)
		}
	}
}
