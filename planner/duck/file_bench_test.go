package duck_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
