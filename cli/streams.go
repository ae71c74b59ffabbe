package cli

import (
	"io"
	"os"
	"strconv"

	"golang.org/x/term"
)

// Streams are where input comes from and output goes to.
type Streams struct {
	In  io.Reader
	Out io.Writer // results only
	Err io.Writer // all else

	InTerminal, OutTerminal, ErrTerminal bool
	// Columns returns the width of the terminal behind Out. Nil is 80.
	Columns func() int
}

// system returns the streams of the process.
func system() Streams {
	return Streams{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		InTerminal:  term.IsTerminal(int(os.Stdin.Fd())),
		OutTerminal: term.IsTerminal(int(os.Stdout.Fd())),
		ErrTerminal: term.IsTerminal(int(os.Stderr.Fd())),
		Columns:     columns,
	}
}

// columns returns the width of the terminal: what COLUMNS says, or it says.
func columns() int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	if n, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil && n > 0 {
		return n
	}
	return 80
}

// width returns the columns that a result may take, 0 where there is no limit.
func (s Streams) width() int {
	switch {
	case !s.OutTerminal:
		return 0
	case s.Columns == nil:
		return 80
	default:
		return s.Columns()
	}
}

// colorful decides what --color auto means.
func (s Streams) colorful(lookup func(string) (string, bool)) bool {
	set := func(name string) bool { v, ok := lookup(name); return ok && v != "" && v != "0" }
	if v, ok := lookup("NO_COLOR"); ok && v != "" {
		return false
	}
	if set("CLICOLOR_FORCE") || set("FORCE_COLOR") {
		return true
	}
	terminal, _ := lookup("TERM")
	return s.OutTerminal && terminal != "dumb"
}
