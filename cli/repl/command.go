package repl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/eslake/eslake/cli/render"
	"github.com/eslake/eslake/sql/lex"
)

// command is a meta command. Help is made of the same table, so it cannot say
// what is not there.
type command struct {
	names []string // as typed: \q, exit
	args  string
	help  string
	run   func(s *Shell, arg string)
}

func commands() []command {
	return []command{
		{[]string{`\?`, `\h`, "help"}, "", "this list", (*Shell).help},
		{[]string{`\q`, "quit", "exit", ":q"}, "", "leave (Ctrl-D too)", func(s *Shell, _ string) { s.leave = true }},
		{[]string{`\dt`, ".tables"}, "[PATTERN]", "tables and views; * stands for any text", (*Shell).listTables},
		{[]string{`\d`, ".schema"}, "[TABLE]", "the columns of a table", (*Shell).describe},
		{[]string{`\dn`}, "", "databases", func(s *Shell, _ string) { s.run("SHOW DATABASES", false) }},
		{[]string{`\conninfo`}, "", "where tables without a cluster of their own are", (*Shell).where},
		{[]string{`\x`}, "[on|off|auto]", "a line a value; auto where a table does not fit", (*Shell).expanded},
		{[]string{`\format`, `\f`, ".mode"}, "[FORMAT]", "how results look: " + formats(), (*Shell).format},
		{[]string{`\timing`, ".timer"}, "[on|off]", "how long a statement took", (*Shell).timing},
		{[]string{`\i`, ".read"}, "FILE", "run a script", (*Shell).script},
		{[]string{`\p`}, "", "show what is typed and not run yet", func(s *Shell, _ string) { s.say("%s", s.buf.Text()) }},
		{[]string{`\r`}, "", "drop what is typed and not run yet", func(s *Shell, _ string) { s.buf.Reset() }},
	}
}

// command runs a line that is a meta command; false when it is none. A word like
// exit is one only where a statement would begin.
func (s *Shell) command(line string) bool {
	line = strings.TrimSpace(line)
	word, arg, _ := strings.Cut(line, " ")
	if !strings.HasPrefix(word, `\`) {
		return s.buf.Empty() && s.bareCommand(line)
	}
	if word == `\g` || word == `\G` || within(s.buf.State()) {
		return false
	}
	c, ok := find(word)
	if !ok {
		s.say("%s", unknown(word))
		return true
	}
	c.run(s, strings.TrimSpace(strings.TrimSuffix(arg, ";")))
	return true
}

func (s *Shell) bareCommand(line string) bool {
	word, arg, _ := strings.Cut(strings.TrimSuffix(line, ";"), " ")
	word, arg = strings.TrimSpace(word), strings.TrimSpace(arg)
	c, ok := find(strings.ToLower(word))
	if !ok || arg != "" && !strings.HasPrefix(word, ".") {
		return false
	}
	c.run(s, arg)
	return true
}

// within reports whether a backslash would stand in a string, name or comment.
func within(state lex.State) bool {
	return slices.Contains([]lex.State{lex.OpenString, lex.OpenDouble, lex.OpenName, lex.OpenComment}, state)
}

func find(word string) (command, bool) {
	for _, c := range commands() {
		if slices.Contains(c.names, word) {
			return c, true
		}
	}
	return command{}, false
}

func unknown(word string) string {
	var names []string
	for _, c := range commands() {
		names = append(names, c.names...)
	}
	for _, w := range []string{`\begin`, `\commit`, `\rollback`} {
		if word == w {
			return word + ": there are no transactions; each statement stands for itself"
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, `\`) })
	if near := lex.Near(word, names); near != "" {
		return fmt.Sprintf(`%s is not a command; did you mean %s? (\? lists all)`, word, near)
	}
	return word + ` is not a command; \? lists all`
}

func (s *Shell) help(string) {
	s.say("Statements end with ; or with \\G for a line a value. Enter before that begins another line.")
	s.say("Ctrl-C drops what is typed, or ends the statement that runs; Ctrl-R searches; Tab completes.\n")
	for _, c := range commands() {
		s.say("  %-34s %s", strings.TrimSpace(strings.Join(c.names, "  ")+" "+c.args), c.help)
	}
}

func (s *Shell) listTables(pattern string) {
	if pattern == "" {
		s.run("SHOW TABLES", false)
		return
	}
	s.run("SHOW TABLES LIKE "+lex.QuoteString(pattern), false)
}

func (s *Shell) describe(table string) {
	if table == "" {
		s.run("SHOW TABLES", false)
		return
	}
	s.run("DESCRIBE "+table, false)
}

func (s *Shell) where(string) { s.say("%s", s.config.Where()) }

func (s *Shell) expanded(arg string) {
	d := s.config.Display
	switch {
	case arg == "on" || arg == "" && d.Format != render.Vertical:
		d.Format = render.Vertical
	case arg == "off":
		d.Format = render.Table
	case arg == "auto" || arg == "":
		d.Format = render.Auto
	default:
		s.say(`\x takes on, off or auto, not %q`, arg)
		return
	}
	s.say("Format is %s.", d.Format)
}

func (s *Shell) format(arg string) {
	if arg != "" {
		if err := s.config.Display.Format.Set(arg); err != nil {
			s.say("%v", err)
			return
		}
	}
	s.say("Format is %s.", s.config.Display.Format)
}

func (s *Shell) timing(arg string) {
	d := s.config.Display
	switch arg {
	case "on", "off":
		d.Timing = arg == "on"
	case "":
		d.Timing = !d.Timing
	default:
		s.say(`\timing takes on or off, not %q`, arg)
		return
	}
	s.say("Timing is %s.", map[bool]string{true: "on", false: "off"}[d.Timing])
}

func (s *Shell) script(file string) {
	if file == "" {
		s.say(`\i needs the name of a file`)
		return
	}
	s.run("SOURCE "+lex.QuoteString(strings.Trim(file, `'"`)), false)
}

func formats() string {
	var names []string
	for _, f := range render.Formats() {
		names = append(names, string(f))
	}
	return strings.Join(names, " ")
}
