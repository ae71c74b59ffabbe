package repl

import (
	"bytes"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/eslake/eslake/cli/render"
)

// script is a Terminal that types given lines. "^C" is Ctrl-C.
type script struct {
	lines      []string
	prompts    []string
	remembered []string
}

func (s *script) ReadLine(prompt, _ string) (string, error) {
	s.prompts = append(s.prompts, prompt)
	if len(s.lines) == 0 {
		return "", io.EOF
	}
	line := s.lines[0]
	s.lines = s.lines[1:]
	if typed, ok := strings.CutSuffix(line, "^C"); ok {
		return typed, ErrInterrupt
	}
	return line, nil
}

func (s *script) Remember(statement string) { s.remembered = append(s.remembered, statement) }

// session runs lines in a shell and returns what it ran and said. Statements
// with "bad" in them fail.
func session(t *testing.T, lines ...string) (ran []string, said string, term *script, d *Display) {
	t.Helper()
	term = &script{lines: lines}
	d = &Display{Format: render.Auto}
	var out bytes.Buffer
	history, err := OpenHistory("", hide)
	if err != nil {
		t.Fatal(err)
	}
	shell := New(Config{
		Terminal: term, Out: &out, Name: "eslake", Greeting: "hello", Display: d, History: history,
		Where: func() string { return "nowhere" },
		Run: func(sql string, vertical bool) bool {
			if vertical {
				sql += `\G`
			}
			ran = append(ran, sql)
			return !strings.Contains(sql, "bad")
		},
	})
	if err := shell.Run(); err != nil {
		t.Fatal(err)
	}
	return ran, out.String(), term, d
}

func TestShell(t *testing.T) {
	tests := []struct {
		name  string
		lines []string
		ran   []string
		said  string
	}{
		{name: "a statement of two lines", lines: []string{"select", "1;"}, ran: []string{"select\n1"}},
		{name: "vertical", lines: []string{`select 1\G`}, ran: []string{`select 1\G`}},
		{name: "Ctrl-C drops the line", lines: []string{"select", "x^C", "select 2;"}, ran: []string{"select 2"}, said: "(cleared; Ctrl-D leaves)\n"},
		{name: "Ctrl-C on nothing", lines: []string{"^C"}, said: "(Ctrl-D leaves)\n"},
		{name: "a paste", lines: []string{"select 1;\nselect 2;\nselect"}, ran: []string{"select 1", "select 2"}},
		{name: "what follows an error is dropped", lines: []string{"select 1; bad; select 2;\nselect 3;\nselect", "select 4;"}, ran: []string{"select 1", "bad", "select 4"}, said: "(3 more of what you entered was not run)\n"},
		{name: "an error at the end drops nothing", lines: []string{"bad;", "select 1;"}, ran: []string{"bad", "select 1"}},
		{name: "quit", lines: []string{`\q`, "select 1;"}},
		{name: "exit with a semicolon", lines: []string{"exit;", "select 1;"}},
		{name: "exit within a statement is text", lines: []string{"select", "exit", ";"}, ran: []string{"select\nexit"}},
		{name: "a word that is a command with more behind it", lines: []string{"help me;"}, ran: []string{"help me"}},
		{name: "tables", lines: []string{`\dt`, `\dt c*`, `\d clicks`, `\d`}, ran: []string{"SHOW TABLES", "SHOW TABLES LIKE 'c*'", "DESCRIBE clicks", "SHOW TABLES"}},
		{name: "script", lines: []string{`\i it's.sql`, `\i 'b.sql';`, `\i`}, ran: []string{`SOURCE 'it\'s.sql'`, "SOURCE 'b.sql'"}, said: "\\i needs the name of a file\n"},
		{name: "unknown", lines: []string{`\tables`, `\timin`, `\begin`}, said: "\\tables is not a command; \\? lists all\n\\timin is not a command; did you mean \\timing? (\\? lists all)\n\\begin: there are no transactions; each statement stands for itself\n"},
		{name: "show and reset", lines: []string{"select", `\p`, `\r`, "select 1;"}, ran: []string{"select 1"}, said: "select\n"},
		{name: "a backslash in a string is text", lines: []string{"select 'a", `\q'`, ";"}, ran: []string{"select 'a\n\\q'"}},
		{name: "where", lines: []string{`\conninfo`}, said: "nowhere\n"},
		{name: "dot words", lines: []string{".tables", ".mode csv"}, ran: []string{"SHOW TABLES"}, said: "Format is csv.\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ran, said, _, _ := session(t, tt.lines...)
			if !reflect.DeepEqual(ran, tt.ran) || said != "hello\n"+tt.said {
				t.Errorf("ran %q, said %q; want %q, %q", ran, said, tt.ran, tt.said)
			}
		})
	}
}

func TestDisplayCommands(t *testing.T) {
	_, said, _, d := session(t, `\x`, `\timing`, `\format pdf`)
	if d.Format != render.Vertical || !d.Timing || !strings.Contains(said, `unknown format "pdf"`) {
		t.Errorf("%+v, said %q", d, said)
	}
	if _, _, _, d = session(t, `\x`, `\x`, `\timing on`, `\timing off`); d.Format != render.Auto || d.Timing {
		t.Errorf("%+v", d)
	}
	if _, _, _, d = session(t, `\x off`, `\x maybe`); d.Format != render.Table {
		t.Errorf("%+v", d)
	}
}

func TestHelpNamesEveryCommand(t *testing.T) {
	_, said, _, _ := session(t, `\?`)
	for _, c := range commands() {
		if !strings.Contains(said, c.names[0]) {
			t.Errorf("%s is not in the help", c.names[0])
		}
	}
}

func TestStatementsAreRememberedWhole(t *testing.T) {
	_, _, term, _ := session(t, "select", "1; select 2\\G", `\timing`, "SET es.pass = geheim;", "bad;")
	want := []string{"select\n1;", `select 2\G`, `\timing`, "SET es.pass = '***';", "bad;"}
	if !reflect.DeepEqual(term.remembered, want) {
		t.Errorf("remembered %q", term.remembered)
	}
	if term.prompts[1] != "     -> " {
		t.Errorf("prompts %q", term.prompts)
	}
}

func TestComplete(t *testing.T) {
	n := Names{
		Tables:  func() []string { return []string{"clicks", "Clients", "users"} },
		Columns: func(table string) []string { return map[string][]string{"clicks": {"url", "user_id"}}[table] },
		Options: []string{"es.mapping.id", "es.nodes", "es.nodes.wan.only"},
	}
	tests := []struct {
		before string
		want   []string
		typed  string
	}{
		{"", nil, ""},
		{"SEL", []string{"SELECT"}, "SEL"},
		{"sel", []string{"select"}, "sel"},
		{"select * from cl", []string{"Clients", "clicks"}, "cl"},
		{"select * from ", []string{"Clients", "clicks", "users"}, ""},
		{`\d us`, []string{"users"}, "us"},
		{`\ti`, []string{`\timing`}, `\ti`},
		{"select * from clicks where u", []string{"url", "user_id", "unbounded", "undo", "union", "unset", "update", "use", "users", "using"}, "u"},
		{"select count(*) from clicks group by user", []string{"user_id", "users"}, "user"},
		{"create table t using es options ('es.no", []string{"es.nodes", "es.nodes.wan.only"}, "es.no"},
		{"create table t using es options (es.map", []string{"es.mapping.id"}, "es.map"},
		{"select 'es.no", nil, "es.no"},
		{"select übe", nil, "übe"},
	}
	for _, tt := range tests {
		got, typed := n.complete(tt.before)
		if len(got)+len(tt.want) > 0 && !reflect.DeepEqual(got, tt.want) || typed != tt.typed {
			t.Errorf("%q: %q, %q; want %q, %q", tt.before, got, typed, tt.want, tt.typed)
		}
	}
	if got, _ := (Names{}).complete("select * from cl"); len(got) != 0 {
		t.Errorf("without names: %q", got)
	}
}
