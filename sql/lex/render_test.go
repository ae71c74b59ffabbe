package lex_test

import (
	"strings"
	"testing"

	"github.com/eslake/eslake/sql/lex"
)

// at returns the span of the first what in src.
func at(src, what string) lex.Span {
	start := strings.Index(src, what)
	return lex.Span{File: "fix.sql", Line: 1, Column: 1}.Inside(src, start, start+len(what))
}

func TestRender(t *testing.T) {
	long := "INSERT INTO t VALUES " + strings.Repeat("(1, 'abc'), ", 40) + "(oops), " + strings.Repeat("(2, 'x'), ", 40)
	tests := []struct {
		name, src, what string
		want            string
	}{
		{"later line, statement", "SELECT 1;\nSELECT * FORM t;\n", "FORM", ` --> fix.sql:2:10 (statement 2)
  |
2 | SELECT * FORM t;
  |          ^^^^
`},
		{"tabs stay tabs", "\tSELECT\ta FORM", "FORM", " --> fix.sql:1:11 (statement 2)\n  |\n1 | \tSELECT\ta FORM\n  | \t      \t  ^^^^\n"},
		{"double width", "SELECT '日本😀é' FORM 表", "FORM", ` --> fix.sql:1:15 (statement 2)
  |
1 | SELECT '日本😀é' FORM 表
  |                  ^^^^
`},
		{"double width marked", "SELECT 日本 x", "日本", ` --> fix.sql:1:8 (statement 2)
  |
1 | SELECT 日本 x
  |        ^^^^
`},
		{"combining mark", "SELECT 'e\u0301' FORM", "FORM", " --> fix.sql:1:13 (statement 2)\n  |\n1 | SELECT 'e\u0301' FORM\n  |            ^^^^\n"},
		{"to the end of the line", "SELECT (a\r\nb)", "(a\r\nb)", " --> fix.sql:1:8 (statement 2)\n  |\n1 | SELECT (a\n  |        ^^\n"},
		{"long line", long, "oops", " --> fix.sql:1:503 (statement 2)\n  |\n" +
			"1 | … 'abc'), (1, 'abc'), (1, 'abc'), (1, 'abc'), (1, 'abc'), (oops), (2, 'x'), (2, 'x'), (2, 'x'), (2, 'x'), (2, 'x'), (2, '…\n" +
			"  |                                                            ^^^^\n"},
		{"control characters", "SELECT \x1b[31m FORM", "FORM", " --> fix.sql:1:14 (statement 2)\n  |\n1 | SELECT \ufffd[31m FORM\n  |              ^^^^\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := &lex.Error{Code: "E2001", Span: at(tt.src, tt.what), Message: "no", Hint: "hint", Statement: 2}
			want := "error[E2001]: no\n" + tt.want + "  = hint\n"
			if got := lex.Render(e, []byte(tt.src)); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestRenderWithoutPlace(t *testing.T) {
	e := &lex.Error{Code: "E2001", Message: "no"}
	if got, want := lex.Render(e, nil), "error[E2001]: no\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	e.Span = lex.Span{Line: 1, Column: 5, Start: 4, End: 9}
	if got, want := lex.Render(e, nil), "error[E2001]: no\n --> 1:5\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
