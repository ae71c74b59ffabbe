package repl

import (
	"reflect"
	"strings"
	"testing"
)

func TestBuffer(t *testing.T) {
	tests := []struct {
		name   string
		lines  []string
		want   []Statement
		left   string
		prompt string
	}{
		{name: "one line", lines: []string{"select 1;"}, want: []Statement{{SQL: "select 1"}}, prompt: "x> "},
		{name: "two lines", lines: []string{"select", "1;"}, want: []Statement{{SQL: "select\n1"}}, prompt: "x> "},
		{name: "two in a line and a half", lines: []string{"select 1; select 2; select"}, want: []Statement{{SQL: "select 1"}, {SQL: "select 2"}}, left: "select", prompt: "-> "},
		{name: "vertical", lines: []string{`select 1\G`}, want: []Statement{{SQL: "select 1", Vertical: true}}, prompt: "x> "},
		{name: "vertical on its own line", lines: []string{"select 1", `\G`}, want: []Statement{{SQL: "select 1", Vertical: true}}, prompt: "x> "},
		{name: "go", lines: []string{`select 1\g`}, want: []Statement{{SQL: "select 1"}}, prompt: "x> "},
		{name: "marks in strings and comments", lines: []string{`select ';\G' /* ;\G */ -- ;`, ";"}, want: []Statement{{SQL: `select ';\G' /* ;\G */ -- ;`}}, prompt: "x> "},
		{name: "empty statements", lines: []string{";;", "  ", "-- nothing"}, prompt: "x> "},
		{name: "open string", lines: []string{"select 'a", "b"}, left: "select 'a\nb", prompt: "'> "},
		{name: "complete before an open string", lines: []string{"select 1; select 'a"}, want: []Statement{{SQL: "select 1"}}, left: "select 'a", prompt: "'> "},
		{name: "open name", lines: []string{"select `a"}, left: "select `a", prompt: "`> "},
		{name: "open double", lines: []string{`select "a`}, left: `select "a`, prompt: `"> `},
		{name: "open comment", lines: []string{"select /* a"}, left: "select /* a", prompt: "*> "},
		{name: "open bracket", lines: []string{"select (1"}, left: "select (1", prompt: "(> "},
		{name: "comment before a statement", lines: []string{"/* a */", "select 1;"}, want: []Statement{{SQL: "select 1"}}, prompt: "x> "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var b Buffer
			var got []Statement
			for _, line := range tt.lines {
				got = append(got, b.Add(line)...)
			}
			if !reflect.DeepEqual(got, tt.want) || b.Text() != tt.left {
				t.Errorf("got %+v, left %q; want %+v, left %q", got, b.Text(), tt.want, tt.left)
			}
			if p := prompt("x", &b); p != tt.prompt {
				t.Errorf("prompt = %q, want %q", p, tt.prompt)
			}
		})
	}
}

func TestLongPasteIsQuick(t *testing.T) {
	var b Buffer
	lines := 20_000
	b.Add("insert into t values")
	for range lines { // ten minutes when each line were read with all before it
		if done := b.Add("  (1, 'some text', 2),"); len(done) > 0 {
			t.Fatal(done)
		}
	}
	if done := b.Add("  (1, 'x', 2);"); len(done) != 1 || strings.Count(done[0].SQL, "\n") != lines+1 || !b.Empty() {
		t.Errorf("%d statements, left %q", len(done), b.Text())
	}
	if done := b.Add(strings.Repeat("select 1;\n", lines)); len(done) != lines {
		t.Errorf("%d statements", len(done))
	}
}

func TestPromptsLineUp(t *testing.T) {
	var b Buffer
	first := prompt("eslake", &b)
	b.Add("select (")
	if next := prompt("eslake", &b); len(first) != len(next) || next != "     (> " {
		t.Errorf("%q, %q", first, next)
	}
}

func FuzzBuffer(f *testing.F) {
	for _, seed := range []string{"select 1;", `a\G`, "'", "/*", "select ';' -- ;\n;", "`;`;", "$${", "\\", "a\\\\G;"} {
		f.Add(seed, "b;")
	}
	f.Fuzz(func(t *testing.T, first, second string) {
		var b Buffer
		done := append(b.Add(first), b.Add(second)...)
		for _, s := range done {
			if strings.TrimSpace(s.SQL) == "" {
				t.Errorf("an empty statement came of %q, %q", first, second)
			}
		}
		if again := b.Add(""); len(again) > 0 {
			t.Errorf("%+v was complete before an empty line", again)
		}
	})
}
