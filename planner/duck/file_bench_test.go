package duck_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eslake/eslake/esds/esdstest/gencsv"
	"github.com/eslake/eslake/planner/duck"
	"github.com/eslake/eslake/sql/row"
)

func BenchmarkCSV(b *testing.B) {
	path := filepath.Join(b.TempDir(), "x.csv")
	var text strings.Builder
	for i := range 300000 {
		fmt.Fprintf(&text, "%d,name %d,%d.25,2020-01-02T03:04:05Z,true,\"quoted, %d\",%d,,x%d,2020-02-03\n", i, i, i, i, i*7, i%10)
	}
	must(b, os.WriteFile(path, []byte(text.String()), 0o600))
	s := schemaOf(b, "a: INT, b: STRING, c: DOUBLE, d: TIMESTAMP, e: BOOLEAN, f: STRING, g: BIGINT, h: INT, i: STRING, j: DATE")
	e := engine(b)
	b.SetBytes(int64(text.Len()))
	for range b.N {
		sql, _ := duck.FileSQL("csv", path, nil, s)
		if got := queryB(b, e, "SELECT count(a) + count(b) + count(c) + count(d) + count(e) + count(f) + count(g) + count(h) + count(i) + count(j) FROM "+sql); got != "[[2700000]]" {
			b.Fatal(got)
		}
	}
}

// BenchmarkCSVRows reads 30 columns of many types, without the engine.
func BenchmarkCSVRows(b *testing.B) {
	path := filepath.Join(b.TempDir(), "x.csv")
	var text bytes.Buffer
	must(b, gencsv.Write(&text, 50_000, 1, gencsv.Options{}))
	must(b, os.WriteFile(path, text.Bytes(), 0o600))
	var columns []string
	for _, c := range gencsv.Columns() {
		columns = append(columns, c.Name+": "+c.Type)
	}
	s := schemaOf(b, strings.Join(columns, ", "))
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		r, err := duck.OpenFile("csv", path, map[string]string{"header": "true", "escape": `"`}, s)
		must(b, err)
		for err == nil {
			_, err = r.Next(b.Context())
		}
		if !errors.Is(err, io.EOF) {
			b.Fatal(err)
		}
		must(b, r.Close())
	}
}

func queryB(b *testing.B, e *duck.Engine, sql string) string {
	r, err := e.Query(b.Context(), sql, nil)
	if err != nil {
		b.Fatal(err)
	}
	rows, err := row.ReadAll(b.Context(), r)
	if err != nil {
		b.Fatal(err)
	}
	return fmt.Sprint(rows)
}

// BenchmarkCSVLines prints the same columns as members of documents.
func BenchmarkCSVLines(b *testing.B) {
	path := filepath.Join(b.TempDir(), "x.csv")
	var text bytes.Buffer
	must(b, gencsv.Write(&text, 50_000, 1, gencsv.Options{}))
	must(b, os.WriteFile(path, text.Bytes(), 0o600))
	lines := &row.Lines{JSON: true, Omit: true, Text: row.AppendQuoted[[]byte], Close: []byte("}\n")}
	var columns []string
	for i, c := range gencsv.Columns() {
		columns = append(columns, c.Name+": "+c.Type)
		lines.Columns, lines.Open = append(lines.Columns, i), append(lines.Open, fmt.Appendf(nil, ",%q:", c.Name))
	}
	s := schemaOf(b, strings.Join(columns, ", "))
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		r, err := duck.OpenFile("csv", path, map[string]string{"header": "true", "escape": `"`}, s)
		must(b, err)
		for err == nil {
			_, err = row.Print(b.Context(), r, lines)
		}
		if !errors.Is(err, io.EOF) {
			b.Fatal(err)
		}
		must(b, r.Close())
	}
}
