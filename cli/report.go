package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/eslake/eslake/catalog"
	"github.com/eslake/eslake/cli/config"
	"github.com/eslake/eslake/cli/repl"
	"github.com/eslake/eslake/cli/session"
	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/planner/duck"
	"github.com/eslake/eslake/planner/exec"
	"github.com/eslake/eslake/planner/job"
	"github.com/eslake/eslake/sql/lex"
)

// Codes of errors that are not mistakes in SQL text; docs/errors.md has all.
const (
	codeUsage        = "E1001" // a flag, argument or variable of the environment
	codeUnreachable  = "E3001" // no answer
	codeUntrusted    = "E3002" // TLS certificate
	codeUnauthorized = "E3003" // user or password
	codeForbidden    = "E3004" // the user may not do this
	codeLocked       = "E3005" // the embedded lake is held by another process
	codeRefused      = "E4001" // the source refused a request
	codeNoIndex      = "E4002" // index not found
	codeIndexExists  = "E4003" // index exists already
	codeReadLost     = "E4004" // the cluster dropped a read
	codeValue        = "E4101" // a value does not fit its column
	codeRejected     = "E4203" // some rows were rejected
	codeTimeout      = "E4301" // --timeout
	codeInterrupted  = "E4302" // a signal
	codeFailed       = "E4900" // all other failures while a statement runs
	codeCatalog      = "E6001" // the catalog's file
	codeFile         = "E6002" // another file
	codeJob          = "E6004" // a job, or its journal
	codeCycle        = "E6003" // a script that brings itself in
	codeAssertion    = "E7001" // ASSERT
	codeBug          = "E9001" // a bug of eslake
)

// placed is an error with the statement that it belongs to; the zero values say
// that it belongs to none.
type placed struct {
	err    error
	src    string // of the whole file
	at     lex.Span
	number int
	via    []string
}

// placedError carries a placed through functions that return an error.
type placedError struct{ placed }

// Error returns the cause.
func (e *placedError) Error() string { return e.err.Error() }

func (e *placedError) Unwrap() error { return e.err }

// report writes an error to stderr: code, message, place, hints.
func (app *App) report(p placed) {
	var inner *placedError
	if errors.As(p.err, &inner) {
		p = inner.placed
	}
	e, hints := describe(p.err)
	e.Statement = p.number
	if e.Span.Line == 0 {
		e.Span = p.at
	}
	src := p.src
	if e.Span.File != p.at.File && p.at.Line > 0 { // a view's text, say: the source is not at hand
		src = ""
	}
	var stopped *exec.StoppedError
	if errors.As(p.err, &stopped) && stopped.Job != "" {
		hints = append(hints, "eslake jobs resume "+stopped.Job+" goes on where it stopped")
	}
	var b strings.Builder
	b.WriteString(lex.Render(&e, []byte(repl.Mask(src, catalog.Redact))))
	gutter := ""
	if e.Span.Line > 0 {
		gutter = strings.Repeat(" ", len(strconv.Itoa(e.Span.Line)))
	}
	for _, via := range p.via {
		hints = append(hints, "brought in by "+via)
	}
	for _, h := range hints {
		fmt.Fprintf(&b, "%s = %s\n", gutter, h)
	}
	fmt.Fprint(app.Err, b.String())
}

// describe gives an error its code, its words, and what to do about it.
func describe(err error) (e lex.Error, hints []string) {
	var (
		written  *lex.Error
		partial  *exec.PartialError
		usage    *usageError
		asserted *session.AssertionError
		stopped  *session.SafetyError
		canceled *canceledError
		source   *esds.Error
		kept     *job.Error
	)
	hint := ""
	if errors.As(err, &source) {
		hint = source.Hint
	} else if errors.As(err, &kept) {
		hint = kept.Hint
	}
	switch {
	case errors.As(err, &usage):
		return lex.Error{Code: codeUsage, Message: usage.Error(), Hint: usage.hint}, nil
	case errors.As(err, &canceled):
		return describeCanceled(canceled), nil
	case errors.As(err, &written):
		return *written, nil
	case errors.As(err, &stopped):
		return lex.Error{Code: stopped.Code, Message: stopped.Message, Hint: stopped.Hint}, nil
	case errors.As(err, &asserted):
		return lex.Error{Code: codeAssertion, Span: asserted.Span, Message: asserted.Error()}, nil
	case errors.As(err, &partial):
		return lex.Error{Code: codeRejected, Message: partial.Error()}, rejects(partial)
	default:
		return lex.Error{Code: codeOf(err), Message: err.Error(), Hint: hint}, hintsOf(err)
	}
}

// codeOf gives a code to the errors that say nothing but their kind.
func codeOf(err error) string {
	for _, known := range []struct {
		target error
		code   string
	}{
		{esds.ErrUnreachable, codeUnreachable},
		{esds.ErrUntrusted, codeUntrusted},
		{esds.ErrUnauthorized, codeUnauthorized},
		{esds.ErrForbidden, codeForbidden},
		{esds.ErrLocked, codeLocked},
		{esds.ErrReadLost, codeReadLost}, // also when its index is not there any more
		{esds.ErrIndexNotFound, codeNoIndex},
		{esds.ErrIndexExists, codeIndexExists},
	} {
		if errors.Is(err, known.target) {
			return known.code
		}
	}
	switch {
	case errors.As(err, new(*esds.ValueError)):
		return codeValue
	case errors.As(err, new(*esds.Error)):
		return codeRefused
	case errors.As(err, new(*catalog.FileError)), errors.As(err, new(*catalog.SecretError)):
		return codeCatalog
	case errors.As(err, new(*job.Error)), errors.As(err, new(*exec.SpoolError)):
		return codeJob
	case errors.As(err, new(*duck.FileError)), errors.As(err, new(*fs.PathError)), errors.Is(err, syscall.ENOSPC):
		return codeFile
	default:
		return codeFailed
	}
}

// hintsOf says what on the command line helps.
func hintsOf(err error) []string {
	switch {
	case errors.Is(err, esds.ErrUntrusted):
		return []string{"on the command line: --ca-cert FILE trusts a certificate authority"}
	case errors.Is(err, esds.ErrUnauthorized):
		return []string{"on the command line: --user NAME, with the password in ESLAKE_PASSWORD or --password-file"}
	case errors.Is(err, syscall.ENOSPC):
		return []string{"make room on the disk and run it again"}
	default:
		return nil
	}
}

// describeCanceled says what ended a statement and what it had done.
func describeCanceled(c *canceledError) lex.Error {
	code := codeInterrupted
	if errors.Is(c.cause, errTimeout) {
		code = codeTimeout
	}
	message := c.cause.Error()
	var stopped *exec.StoppedError
	if errors.As(c.err, &stopped) {
		told := *stopped
		told.Err = c.cause
		message = told.Error()
	}
	return lex.Error{Code: code, Message: message}
}

// rejects lists the first rows that were refused, and where all are.
func rejects(p *exec.PartialError) []string {
	var lines []string
	for _, r := range p.First {
		line := fmt.Sprintf("row %s", thousands(r.Row))
		if r.Source != "" {
			line += " (" + r.Source + ")"
		}
		if r.ID != "" {
			line += ", id " + r.ID
		}
		reason := r.Reason
		if r.Type != "" {
			reason = r.Type + ": " + reason
		}
		lines = append(lines, line+": "+shown(reason))
	}
	if more := p.Report.Rejected - int64(len(p.First)); more > 0 {
		lines = append(lines, fmt.Sprintf("and %s more", thousands(more)))
	}
	if p.File != "" {
		lines = append(lines, "all rejected rows: "+p.File)
	}
	return lines
}

// shown keeps a server's words on one line of a readable length.
func shown(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > 400 {
		text = string(runes[:400]) + "…"
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '\ufffd'
		}
		return r
	}, text)
}

// reportPanic writes what is needed to mend a bug to a file, and says where.
func (app *App) reportPanic(r any) int {
	hint := "please report it with what you did"
	path := config.StateFile("bug-" + time.Now().UTC().Format("20060102T150405") + ".txt")
	text := fmt.Sprintf("%s\n\npanic: %v\n\n%s", versionLine(), r, debug.Stack())
	if os.MkdirAll(filepath.Dir(path), 0o700) == nil && os.WriteFile(path, []byte(text), 0o600) == nil {
		hint = "please report it with " + path
	}
	fmt.Fprint(app.Err, lex.Render(&lex.Error{Code: codeBug, Message: fmt.Sprintf("a bug in eslake: %v", r), Hint: hint}, nil))
	return exitBug
}

func either(value, otherwise string) string {
	if value != "" {
		return value
	}
	return otherwise
}
