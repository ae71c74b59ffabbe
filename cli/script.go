package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/eslake/eslake/cli/config"
	"github.com/eslake/eslake/sql"
	"github.com/eslake/eslake/sql/lex"
)

// step is one statement of a script.
type step struct {
	stmt   sql.Statement
	text   lex.Text
	number int      // in its file, from 1
	via    []string // where SOURCE statements brought it in, innermost first
}

// source returns the statement as it is written.
func (s step) source() string { return s.text.Src[s.text.Span.Start:s.text.Span.End] }

// loader reads and parses scripts, those that they bring in too, so that a
// mistake anywhere is known before the first statement runs.
type loader struct {
	stdin io.Reader
	vars  map[string]string
	chain []string // absolute paths of the files being read, outermost first
	via   []string
}

// loadAll reads what -e and -f name.
func (l *loader) loadAll(given []config.Step) ([]step, error) {
	var all []step
	for _, g := range given {
		steps, err := l.loadStep(g)
		if err != nil {
			return nil, err
		}
		all = append(all, steps...)
	}
	return all, nil
}

func (l *loader) loadStep(g config.Step) ([]step, error) {
	switch g.File {
	case "":
		return l.parse("-e", []byte(g.SQL))
	case "-":
		src, err := io.ReadAll(l.stdin)
		if err != nil {
			return nil, usagef("", "standard input: %w", err)
		}
		return l.parse("stdin", src)
	default:
		steps, err := l.file(g.File)
		var path *fs.PathError
		if errors.As(err, &path) {
			return nil, usagef("", "%s: %w", g.File, path.Err)
		}
		return steps, err
	}
}

func (l *loader) file(path string) ([]step, error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	l.chain = append(l.chain, abs)
	defer func() { l.chain = l.chain[:len(l.chain)-1] }()
	return l.parse(path, src)
}

// parse splits a text into statements, brings in what SOURCE names, and parses
// all of it.
func (l *loader) parse(name string, src []byte) ([]step, error) {
	if err := checkText(name, src); err != nil {
		return nil, err
	}
	var steps []step
	number := 0
	for text, err := range lex.Split(name, src) {
		number++
		if err != nil {
			return nil, l.placed(err, src, number)
		}
		text, err = lex.Expand(text, l.vars)
		if err != nil {
			return nil, l.placed(err, src, number)
		}
		st, err := sql.Parse(text)
		if err != nil {
			return nil, l.placed(err, src, number)
		}
		if include, ok := st.(*sql.Source); ok {
			more, err := l.include(include)
			if err != nil {
				return nil, l.placed(err, src, number)
			}
			steps = append(steps, more...)
			continue
		}
		steps = append(steps, step{stmt: st, text: text, number: number, via: l.via})
	}
	return steps, nil
}

// checkText refuses what is no text: a word of another encoding would come into
// the index as something else.
func checkText(name string, src []byte) error {
	if bytes.HasPrefix(src, []byte("\x1f\x8b")) {
		return usagef("gunzip it first", "%s: is compressed", name)
	}
	if utf8.Valid(src) {
		return nil
	}
	line, rest := 1, src
	for len(rest) > 0 {
		r, size := utf8.DecodeRune(rest)
		if r == utf8.RuneError && size == 1 {
			break
		}
		if r == '\n' {
			line++
		}
		rest = rest[size:]
	}
	return usagef("save it as UTF-8", "%s: is not UTF-8 text, first in line %d", name, line)
}

// include reads the file of a SOURCE statement, relative to the file that it
// stands in.
func (l *loader) include(st *sql.Source) ([]step, error) {
	path := st.Path.Name
	if !filepath.IsAbs(path) && len(l.chain) > 0 {
		path = filepath.Join(filepath.Dir(st.Span().File), path)
	}
	fail := func(code, format string, args ...any) error {
		return &lex.Error{Code: code, Span: st.Path.At, Message: fmt.Sprintf("SOURCE %s: ", st.Path.Name) + fmt.Sprintf(format, args...)}
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fail(codeFile, "%v", err)
	}
	if slices.Contains(l.chain, abs) {
		return nil, fail(codeCycle, "the file brings itself in: %s", cycle(append(l.chain, abs)))
	}
	outer := l.via
	l.via = append([]string{fmt.Sprintf("%s:%d:%d", st.Span().File, st.Span().Line, st.Span().Column)}, outer...)
	defer func() { l.via = outer }()
	steps, err := l.file(path)
	var missing *fs.PathError
	if errors.As(err, &missing) {
		return nil, fail(codeFile, "%v", missing.Err)
	}
	return steps, err
}

// cycle names the files of a circle by their last parts.
func cycle(paths []string) string {
	var names []string
	for _, p := range paths[slices.Index(paths, paths[len(paths)-1]):] {
		names = append(names, filepath.Base(p))
	}
	return strings.Join(names, " -> ")
}

// placed adds to a mistake where it stands, once.
func (l *loader) placed(err error, src []byte, number int) error {
	var done *placedError
	if errors.As(err, &done) || !errors.As(err, new(*lex.Error)) {
		return err
	}
	return &placedError{placed{err: err, src: string(src), number: number, via: l.via}}
}
