package lex_test

import (
	"os"
	"strings"
	"testing"
	"unicode"

	"github.com/eslake/eslake/sql/lex"
)

// FuzzSplit checks that tokens and the space between them give the text back,
// that statements lie one behind the other, and that variables filled in with
// anything do not panic.
func FuzzSplit(f *testing.F) {
	for _, file := range []string{"accept.sql", "reject.sql", "semantics.sql"} {
		src, err := os.ReadFile("../../cli/testdata/spark/" + file)
		if err != nil {
			f.Fatal(err)
		}
		for _, line := range strings.Split(string(src), "\n") {
			f.Add(line)
		}
	}
	f.Add("\ufeffSELECT 'a${x}' ${y:-1}_b; `${x}`;")
	f.Fuzz(func(t *testing.T, src string) {
		checkTokens(t, src)
		end := 0
		for text, err := range lex.Split("", []byte(src)) {
			if err != nil {
				render(err, src)
				break
			}
			if text.Span.Start < end || text.Span.End > text.Rest || len(text.Tokens) == 0 {
				t.Fatalf("%q: statement at %+v, rest %d, the last ended at %d", src, text.Span, text.Rest, end)
			}
			end = text.Rest
			expanded, err := lex.Expand(text, map[string]string{"x": src, "y": "1"})
			if err == nil && len(expanded.Tokens) > 0 && expanded.Tokens[0].Span.Start < text.Span.Start {
				t.Fatalf("%q: expanded outside of the statement", src)
			}
		}
		lex.StateOf(src)
	})
}

func checkTokens(t *testing.T, src string) {
	t.Helper()
	tokens, _ := lex.Tokens("", src)
	var b strings.Builder
	end := 0
	for _, token := range tokens {
		gap := src[end:token.Span.Start]
		if strings.IndexFunc(gap, func(r rune) bool { return !unicode.IsSpace(r) && r != '\ufeff' }) >= 0 {
			t.Fatalf("%q: %q is in no token", src, gap)
		}
		if src[token.Span.Start:token.Span.End] != token.Text {
			t.Fatalf("%q: token %q spans %+v", src, token.Text, token.Span)
		}
		line := 1 + strings.Count(src[:token.Span.Start], "\n")
		if token.Span.Line != line {
			t.Fatalf("%q: token %q in line %d, want %d", src, token.Text, token.Span.Line, line)
		}
		b.WriteString(gap + token.Text)
		end = token.Span.End
	}
	b.WriteString(src[end:])
	if b.String() != src {
		t.Fatalf("%q: tokens give %q", src, b.String())
	}
}
