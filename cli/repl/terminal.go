package repl

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/chzyer/readline"
)

// newlineMark stands for a line end in the one line that readline can edit.
const newlineMark = '⏎'

// Editor is a Terminal with line editing, on the process's own terminal.
type Editor struct {
	instance *readline.Instance
	filter   *filter
	out      io.Writer
	names    Names
	before   string // earlier lines of the statement, for completion
	rest     string // pasted behind the last line end, to be edited
}

// NewEditor starts line editing from in to out. The caller closes it.
func NewEditor(in io.Reader, out io.Writer, names Names) (*Editor, error) {
	e := &Editor{filter: &filter{in: in}, out: out, names: names}
	instance, err := readline.NewEx(&readline.Config{
		Stdin:                  readline.NewCancelableStdin(e.filter),
		Stdout:                 out,
		Stderr:                 out,
		HistoryLimit:           maxHistory,
		DisableAutoSaveHistory: true,
		HistorySearchFold:      true,
		InterruptPrompt:        "^C",
		EOFPrompt:              "\n",
		AutoComplete:           e,
		Listener:               readline.FuncListener(e.inserted),
	})
	if err != nil {
		return nil, err
	}
	e.instance = instance
	fmt.Fprint(out, pasteOn)
	return e, nil
}

// Close gives the terminal back as it was.
func (e *Editor) Close() error {
	fmt.Fprint(e.out, pasteOff)
	return e.instance.Close()
}

// ReadLine lets the user edit a line.
func (e *Editor) ReadLine(prompt, before string) (string, error) {
	e.before = before
	e.instance.SetPrompt(prompt)
	if e.rest != "" {
		e.instance.Operation.SetBuffer(e.rest)
		e.rest = ""
	}
	line, err := e.instance.Readline()
	switch {
	case errors.Is(err, readline.ErrInterrupt):
		return line, ErrInterrupt
	case err != nil:
		return "", err
	}
	return e.lines(line), nil
}

// lines puts what was pasted in the place of its mark, and the line ends of a
// recalled statement in theirs.
func (e *Editor) lines(line string) string {
	line = strings.ReplaceAll(line, string(newlineMark), "\n")
	before, after, found := strings.Cut(line, string(pasteMark))
	if !found {
		return line
	}
	text, ok := e.filter.take()
	if !ok {
		return line
	}
	fmt.Fprint(e.out, text, "\n")
	if i := strings.LastIndexByte(text, '\n'); i >= 0 && after == "" {
		text, e.rest = text[:i], text[i+1:]
	}
	return before + text + after
}

// inserted is called after each key: a pasted text without line ends comes into
// the line at once.
func (e *Editor) inserted(line []rune, pos int, key rune) ([]rune, int, bool) {
	if key != pasteMark || pos == 0 || line[pos-1] != pasteMark {
		return nil, 0, false
	}
	if text, ok := e.filter.peek(); !ok || strings.Contains(text, "\n") {
		return nil, 0, false
	}
	text, _ := e.filter.take()
	insert := []rune(text)
	all := append(append(append([]rune{}, line[:pos-1]...), insert...), line[pos:]...)
	return all, pos - 1 + len(insert), true
}

// Remember offers a statement when the user goes back, its line ends as marks.
func (e *Editor) Remember(statement string) {
	if strings.ContainsRune(statement, newlineMark) {
		return
	}
	_ = e.instance.SaveHistory(strings.ReplaceAll(statement, "\n", string(newlineMark))) // without a file nothing can fail
}

// Do completes the word before the cursor, for readline.
func (e *Editor) Do(line []rune, pos int) ([][]rune, int) {
	candidates, typed := e.names.complete(e.before + string(line[:pos]))
	suffixes := make([][]rune, len(candidates))
	for i, c := range candidates {
		suffixes[i] = []rune(c[len(typed):])
	}
	return suffixes, len([]rune(typed))
}
