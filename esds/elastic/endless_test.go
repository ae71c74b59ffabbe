package elastic_test

import (
	"io"
	"net/http/httptest"
	"testing"

	"github.com/eslake/eslake/cli/render"
	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/esds/elastic"
	"github.com/eslake/eslake/esds/esdstest/bench"
	"github.com/eslake/eslake/sql/row"
)

// BenchmarkEndless reads generated answers: what the client costs.
func BenchmarkEndless(b *testing.B) {
	const docs = 200_000
	server := httptest.NewServer(bench.NewEndless(docs, 0))
	defer server.Close()
	source, err := elastic.Open(b.Context(), elastic.Config{Addresses: []string{server.URL}})
	if err != nil {
		b.Fatal(err)
	}
	x, err := source.Open(b.Context(), bench.EndlessIndex, nil)
	if err != nil {
		b.Fatal(err)
	}
	all := x.Schema()
	all = all[:len(all)-1] // without wide
	var few row.Schema
	for _, f := range all {
		if f.Name == "price" || f.Name == "status" || f.Name == "account" {
			few = append(few, f)
		}
	}
	for _, tt := range []struct {
		name    string
		columns row.Schema
		format  render.Format
	}{{"all to ndjson", all, render.NDJSON}, {"all to csv", all, render.CSV}, {"3 to csv", few, render.CSV}} {
		b.Run(tt.name, func(b *testing.B) {
			for b.Loop() {
				r, err := x.Scan(b.Context(), esds.Scan{Columns: tt.columns})
				if err != nil {
					b.Fatal(err)
				}
				s, err := render.Write(b.Context(), io.Discard, tt.format, r, render.Options{})
				if err != nil || s.Rows != docs {
					b.Fatalf("%d rows, %v", s.Rows, err)
				}
				r.Close()
			}
			b.ReportMetric(float64(b.N)*docs/b.Elapsed().Seconds(), "docs/s")
		})
	}
}
