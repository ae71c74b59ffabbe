package lex_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/eslake/eslake/sql/lex"
)

var kinds = map[lex.Kind]string{
	lex.Word: "word", lex.Quoted: "quoted", lex.String: "string", lex.Raw: "raw", lex.Number: "number", lex.Hex: "hex", lex.Variable: "variable",
	lex.Operator: "operator", lex.Hint: "hint", lex.Comment: "comment", lex.Other: "other",
}

// TestGolden runs the files of testdata. tokens shows every token with its
// place; split the statements of a script; expand a statement with variables,
// given as arguments; error an error as a user reads it.
func TestGolden(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		if strings.Contains(path, "fuzz") {
			return
		}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "tokens":
				return showTokens(d.Input)
			case "split":
				return showSplit(d.Input)
			case "expand":
				return showExpanded(d)
			default:
				d.Fatalf(t, "no command %s", d.Cmd)
				return ""
			}
		})
	})
}

func render(err error, src string) string {
	var e *lex.Error
	if !errors.As(err, &e) {
		return "no *lex.Error: " + err.Error()
	}
	return lex.Render(e, []byte(src))
}

func showTokens(src string) string {
	var b strings.Builder
	tokens, err := lex.Tokens("", src)
	for _, t := range tokens {
		touch := ""
		if t.Touch {
			touch = " touch"
		}
		fmt.Fprintf(&b, "%d:%d %s %q", t.Span.Line, t.Span.Column, kinds[t.Kind], t.Text)
		if err == nil && t.Value() != t.Text {
			fmt.Fprintf(&b, " = %q", t.Value())
		}
		b.WriteString(touch + "\n")
	}
	if err != nil {
		b.WriteString(lex.Render(err, []byte(src)))
	}
	return b.String()
}

func showSplit(src string) string {
	var b strings.Builder
	for text, err := range lex.Split("x.sql", []byte(src)) {
		if err != nil {
			return b.String() + render(err, src)
		}
		fmt.Fprintf(&b, "%d:%d %q rest %q\n", text.Span.Line, text.Span.Column, src[text.Span.Start:text.Span.End], src[text.Rest:])
	}
	return b.String()
}

func showExpanded(d *datadriven.TestData) string {
	vars := map[string]string{}
	for _, a := range d.CmdArgs {
		vars[a.Key] = strings.Join(a.Vals, ",")
	}
	vars["quote"], vars["cond"], vars["open"], vars["op"] = "it's \"a\\b\"", "a > 1 -- or so", "'x", "= 1"
	text, err := lex.One("", d.Input)
	if err == nil {
		text, err = lex.Expand(text, vars)
	}
	if err != nil {
		return render(err, d.Input)
	}
	var b strings.Builder
	for _, t := range text.Tokens {
		fmt.Fprintf(&b, "%d:%d %s %q from %q\n", t.Span.Line, t.Span.Column, kinds[t.Kind], t.Text, d.Input[t.Span.Start:t.Span.End])
	}
	return b.String()
}

func TestSplitBytes(t *testing.T) {
	tests := []struct {
		name, src string
		want      []string
	}{
		{"empty", "", nil},
		{"only space and comments", " \t\r\n-- x\n/* ; */;;", nil},
		{"no final semicolon", "SELECT 1; SELECT 2", []string{"SELECT 1", "SELECT 2"}},
		{"byte order mark", "\ufeffSELECT 1;\ufeff SELECT 2", []string{"SELECT 1", "SELECT 2"}},
		{"CRLF", "SELECT 1 -- a;\r\n, 2;\r\nSELECT\r\n3\r\n", []string{"SELECT 1 -- a;\r\n, 2", "SELECT\r\n3"}},
		{"semicolons that do not split", "SELECT ';', \";\", `;`, r';\\' /* ; */ -- ;\n;SELECT 2", []string{"SELECT ';', \";\", `;`, r';\\'", "SELECT 2"}},
		{"escapes", `SELECT 'a\';b', 'c''; d', "e\";", '\\';SELECT 2`, []string{`SELECT 'a\';b', 'c''; d', "e\";", '\\'`, "SELECT 2"}},
		{"comments do not nest", "SELECT 1 /* a /* b */; SELECT 2", []string{"SELECT 1", "SELECT 2"}},
		{"invalid UTF-8", "SELECT \xff\xfe;SELECT 2", []string{"SELECT \xff\xfe", "SELECT 2"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for text, err := range lex.Split("", []byte(tt.src)) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, text.Src[text.Span.Start:text.Span.End])
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestSplitStopsEarly(t *testing.T) {
	for text, err := range lex.Split("", []byte("SELECT 1; SELECT 'x")) {
		if err != nil || text.Rest != len("SELECT 1;") {
			t.Errorf("text %+v, error %v", text, err)
		}
		break
	}
}

func TestSplitError(t *testing.T) {
	n := 0
	for _, err := range lex.Split("a.sql", []byte("SELECT 1;\n SELECT 'x; SELECT 2;")) {
		n++
		var e *lex.Error
		if n == 2 && (!errors.As(err, &e) || e.Code != lex.CodeUnclosed || e.Span.Line != 2 || e.Span.Column != 9 || e.Span.File != "a.sql") {
			t.Errorf("error = %#v", err)
		}
	}
	if n != 2 {
		t.Errorf("%d results, want a statement and an error", n)
	}
}

func TestStateOf(t *testing.T) {
	tests := []struct {
		src  string
		want lex.State
	}{
		{"", lex.Empty},
		{" -- x\n/* y */", lex.Empty},
		{"SELECT 1;", lex.Complete},
		{"SELECT 1; -- done", lex.Complete},
		{"SELECT 1; SELECT", lex.Unfinished},
		{"SELECT 1\n", lex.Unfinished},
		{"SELECT 'a", lex.OpenString},
		{"SELECT r'a", lex.OpenString},
		{"SELECT \"a';", lex.OpenDouble},
		{"SELECT `a;", lex.OpenName},
		{"SELECT 1 /* ;", lex.OpenComment},
		{"SELECT f(a, b[1", lex.OpenBracket},
		{"SELECT f(a)", lex.Unfinished},
		{"SELECT f(a;", lex.Complete},
		{"SELECT ')'", lex.Unfinished},
	}
	for _, tt := range tests {
		if got := lex.StateOf(tt.src); got != tt.want {
			t.Errorf("%q: %d, want %d", tt.src, got, tt.want)
		}
	}
}

func TestNear(t *testing.T) {
	names := []string{"people", "orders", "es.nodes", "upper", "FROM", "id"}
	tests := []struct{ word, want string }{
		{"peple", "people"},
		{"es.nodse", "es.nodes"},
		{"uper", "upper"},
		{"form", "FROM"},
		{"usr_id", ""},
		{"xy", ""},
		{"ORDERS", "orders"},
		{"", ""},
		{"cities", ""},
	}
	for _, tt := range tests {
		if got := lex.Near(tt.word, names); got != tt.want {
			t.Errorf("Near(%q) = %q, want %q", tt.word, got, tt.want)
		}
	}
}

func TestKeywords(t *testing.T) {
	if all := lex.Keywords(); !slices.IsSorted(all) {
		t.Error("keywords are not sorted")
	}
	for _, word := range []string{"select", "TBLPROPERTIES", "Timestamp_NTZ", "zone"} {
		if got, want := lex.Keyword(word), word != "zone"; got != want {
			t.Errorf("Keyword(%q) = %v", word, got)
		}
	}
	for _, word := range []string{"and", "WITH", "date", "key"} {
		if got, want := lex.Reserved(word), word == "and" || word == "WITH"; got != want {
			t.Errorf("Reserved(%q) = %v", word, got)
		}
	}
}

func TestQuoteString(t *testing.T) {
	for _, s := range []string{"", "it's", `a\b`, "a\nb\tc\rd\x00e\x001", `\%\_`, "日本😀", "\x1a"} {
		tokens, err := lex.Tokens("", lex.QuoteString(s))
		if err != nil || len(tokens) != 1 || tokens[0].Value() != s {
			t.Errorf("%q is written %s", s, lex.QuoteString(s))
		}
	}
}

func TestValueOfUnclosed(t *testing.T) {
	for _, src := range []string{"'", "\"", "`", "r'", "x'", "'a", "r'a"} {
		tokens, err := lex.Tokens("", src)
		if err == nil || len(tokens) != 1 {
			t.Fatalf("%q: tokens %v, error %v", src, tokens, err)
		}
		_ = tokens[0].Value() // highlighting asks while a string is still being typed
	}
}
