package elastic_test

import (
	"testing"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/esds/esdstest"
	"github.com/eslake/eslake/sql/row"
)

// A trace counts what a read asked for: the first page, the cursor's opening,
// and the pages of every slice.
func TestTrace(t *testing.T) {
	for _, f := range []esdstest.Flavour{esdstest.Elasticsearch8, esdstest.OpenSearch2} {
		t.Run(f.Name, func(t *testing.T) {
			b := newBed(t, f)
			if _, err := b.write(30, esds.Write{ID: "id"}); err != nil {
				t.Fatal(err)
			}
			x, err := b.source.Open(t.Context(), "idx", options(t, "es.scroll.size", "10"))
			if err != nil {
				t.Fatal(err)
			}
			trace := &esds.Trace{}
			r, err := x.Scan(esds.WithTrace(t.Context(), trace), esds.Scan{Columns: idAndN})
			if err != nil {
				t.Fatal(err)
			}
			rows, err := row.ReadAll(t.Context(), r)
			got := trace.Totals()
			if err != nil || len(rows) != 30 {
				t.Fatalf("%d rows, %v", len(rows), err)
			}
			if got.Pages < 4 || got.Documents != 40 || got.Requests <= got.Pages || got.Bytes < 40*20 || got.Waited <= 0 || got.Cluster <= 0 {
				t.Errorf("totals = %+v", got)
			}
		})
	}
}
