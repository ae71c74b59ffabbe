package sql_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/eslake/eslake/sql"
	"github.com/eslake/eslake/sql/lex"
)

func benchmark(b *testing.B, src string) {
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		for text, err := range lex.Split("", []byte(src)) {
			if err != nil {
				b.Fatal(err)
			}
			if _, err := sql.Parse(text); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkInsert parses rows of literals, as generated scripts have them.
func BenchmarkInsert(b *testing.B) {
	var rows []string
	for i := range 10_000 {
		rows = append(rows, fmt.Sprintf("(%d, 'name %d', %d.5, TRUE, NULL, DATE '2024-01-02', 'some longer text for the row')", i, i, i))
	}
	benchmark(b, "INSERT INTO t VALUES "+strings.Join(rows, ", "))
}

// BenchmarkStatements parses the statements that must be accepted.
func BenchmarkStatements(b *testing.B) {
	src, err := os.ReadFile("../cli/testdata/spark/accept.sql")
	if err != nil {
		b.Fatal(err)
	}
	benchmark(b, string(src))
}
