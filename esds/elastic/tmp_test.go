package elastic_test

import (
	"io"
	"testing"

	"github.com/eslake/eslake/cli/render"
	"github.com/eslake/eslake/esds"
)

func BenchmarkTmp(b *testing.B) {
	s := benchOpen(b)
	x, err := s.Open(b.Context(), benchIndex, nil)
	if err != nil {
		b.Fatal(err)
	}
	for _, f := range []render.Format{render.NDJSON, render.CSV} {
		b.Run(string(f), func(b *testing.B) {
			for b.Loop() {
				r, err := x.Scan(b.Context(), esds.Scan{Columns: x.Schema()})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := render.Write(b.Context(), io.Discard, f, r, render.Options{}); err != nil {
					b.Fatal(err)
				}
				r.Close()
			}
		})
	}
}
