package sql_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/eslake/eslake/sql"
	"github.com/eslake/eslake/sql/lex"
)

// TestDepth parses what stands within itself: allowed up to a limit, then
// refused, and quick in any case.
func TestDepth(t *testing.T) {
	tests := []struct{ name, open, inner, shut string }{
		{"parentheses", "(", "1", ")"},
		{"functions", "f(", "1", ")"},
		{"minus and functions", "-f(", "1", ")"},
		{"CASE", "CASE WHEN a THEN ", "1", " END"},
		{"casts", "CAST(", "1", " AS INT)"},
		{"lists", "a IN (", "1", ")"},
		{"lambdas", "f(x -> ", "1", ")"},
		{"keys", "a[", "1", "]"},
		{"queries", "(SELECT ", "1", ")"},
		{"queries as tables", "(SELECT a FROM (SELECT ", "1", "))"},
		{"windows", "f() OVER (ORDER BY ", "1", ")"},
		{"conditions", "(a = b = ", "1", ")"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for depth, deep := range map[int]bool{10: false, 300: true, 20_000: true} {
				text, err := lex.One("", "SELECT "+strings.Repeat(tt.open, depth)+tt.inner+strings.Repeat(tt.shut, depth))
				if err != nil {
					t.Fatal(err)
				}
				s, err := sql.Parse(text)
				var e *sql.Error
				if got := errors.As(err, &e) && e.Code == lex.CodeDepth; got != deep {
					t.Fatalf("depth %d: %v", depth, err)
				}
				if err == nil {
					checkStable(t, s.String())
				}
			}
		})
	}
}

// TestLong parses long runs that do not stand within each other.
func TestLong(t *testing.T) {
	const n = 2000
	tests := []struct{ name, src string }{
		{"AND", "SELECT a" + strings.Repeat(" AND a = 1", n)},
		{"sum", "SELECT a" + strings.Repeat(" + a", n)},
		{"NOT", "SELECT " + strings.Repeat("NOT ", n) + "a"},
		{"minus", "SELECT " + strings.Repeat("- ", n) + "a"},
		{"list", "SELECT a IN (a" + strings.Repeat(", 1", n) + ")"},
		{"joins", "SELECT * FROM a" + strings.Repeat(" JOIN b ON a.x = b.x", n)},
		{"UNION", "SELECT 1" + strings.Repeat(" UNION ALL SELECT 2", n)},
		{"comparisons of comparisons", "SELECT a" + strings.Repeat(" OR a = b = c", n)},
		{"postfixes", "SELECT a" + strings.Repeat("[0]", n)},
		{"names", "SELECT a" + strings.Repeat(".a", n)},
		{"select list", "SELECT a" + strings.Repeat(", f(a) AS b", n)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text, err := lex.One("", tt.src)
			if err != nil {
				t.Fatal(err)
			}
			s, err := sql.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			checkStable(t, s.String())
		})
	}
}
