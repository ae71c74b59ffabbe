// Package repl is the shell: it reads lines, collects them into statements and
// hands these on. It runs nothing itself.
package repl

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/eslake/eslake/cli/render"
)

// ErrInterrupt is Ctrl-C while a line is edited.
var ErrInterrupt = errors.New("interrupted")

// Terminal is where lines come from.
type Terminal interface {
	// ReadLine returns a line, or several that were pasted at once. Before is what
	// earlier lines of the statement hold. The error is ErrInterrupt with what was
	// typed, or io.EOF.
	ReadLine(prompt, before string) (string, error)
	// Remember offers a statement when the user goes back.
	Remember(statement string)
}

// Display is what the shell's commands change of how results look.
type Display struct {
	Format render.Format
	Timing bool
}

// Config is what a shell works with.
type Config struct {
	Terminal Terminal
	Out      io.Writer // for what the shell itself says
	Name     string    // begins the prompt
	Greeting string
	// Run runs one statement, shows what comes of it, and reports whether it went
	// well. Vertical asks for a line a value.
	Run     func(sql string, vertical bool) bool
	Where   func() string // what the shell is connected to
	Display *Display
	History *History
}

// Shell is one session at a terminal.
type Shell struct {
	config Config
	buf    Buffer
	leave  bool
}

// New returns a shell.
func New(c Config) *Shell { return &Shell{config: c} }

// Run reads and runs until the user leaves.
func (s *Shell) Run() error {
	s.say("%s", s.config.Greeting)
	for _, entry := range s.config.History.Entries() {
		s.config.Terminal.Remember(entry)
	}
	for !s.leave {
		line, err := s.config.Terminal.ReadLine(prompt(s.config.Name, &s.buf), s.before())
		switch {
		case errors.Is(err, ErrInterrupt):
			s.interrupted(line)
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		default:
			s.line(line)
		}
	}
	return nil
}

// before returns the lines typed so far, with their last line end.
func (s *Shell) before() string {
	if s.buf.Empty() {
		return ""
	}
	return s.buf.Text() + "\n"
}

func (s *Shell) interrupted(line string) {
	if s.buf.Empty() && strings.TrimSpace(line) == "" {
		s.say("(Ctrl-D leaves)")
		return
	}
	s.buf.Reset()
	s.say("(cleared; Ctrl-D leaves)")
}

// line takes what was typed or pasted. Statements behind one that failed are
// dropped: they may rely on it.
func (s *Shell) line(text string) {
	for i, line := range strings.Split(text, "\n") {
		if !s.command(line) {
			ready := s.buf.Add(line)
			for k, st := range ready {
				s.remember(st)
				if !s.run(st.SQL, st.Vertical) && s.drop(ready[k+1:], strings.Split(text, "\n")[i+1:]) {
					return
				}
			}
			continue
		}
		s.add(strings.TrimSpace(line))
		if s.leave {
			return
		}
	}
}

// drop forgets what was typed or pasted together with a statement that failed,
// and reports whether there was anything.
func (s *Shell) drop(ready []Statement, lines []string) bool {
	rest := Buffer{}
	left := len(ready) + len(rest.Add(strings.Join(append([]string{s.buf.Text()}, lines...), "\n")))
	if !rest.Empty() {
		left++
	}
	if left == 0 {
		return false
	}
	s.buf.Reset()
	s.say("(%d more of what you entered was not run)", left)
	return true
}

func (s *Shell) run(sql string, vertical bool) bool { return s.config.Run(sql, vertical) }

func (s *Shell) remember(st Statement) {
	end := ";"
	if st.Vertical {
		end = `\G`
	}
	s.add(st.SQL + end)
}

func (s *Shell) add(entry string) {
	added, err := s.config.History.Add(entry)
	if err != nil {
		s.say("history: %v", err)
	}
	if added != "" {
		s.config.Terminal.Remember(added)
	}
}

func (s *Shell) say(format string, args ...any) {
	fmt.Fprintf(s.config.Out, format+"\n", args...)
}
