package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"syscall"
	"testing"

	"github.com/eslake/eslake/catalog"
	"github.com/eslake/eslake/cli/session"
	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/planner/exec"
	"github.com/eslake/eslake/sql/lex"
)

func TestExitCode(t *testing.T) {
	down := &esds.Error{Op: "scan", Err: fmt.Errorf("dial tcp: %w", esds.ErrUnreachable)}
	tests := []struct {
		name string
		err  error
		want int
	}{
		{"nothing", nil, 0},
		{"a server's refusal", &esds.Error{Op: "scan", Status: 400, Err: errors.New("x")}, 1},
		{"index not found", &esds.Error{Op: "open", Status: 404, Err: esds.ErrIndexNotFound}, 1},
		{"forbidden", &esds.Error{Op: "open", Status: 403, Err: esds.ErrForbidden}, 1},
		{"the catalog's file", &catalog.FileError{Path: "p", Err: errors.New("x")}, 1},
		{"usage", usagef("", "x"), 2},
		{"unreachable", down, 3},
		{"certificate", &esds.Error{Err: esds.ErrUntrusted}, 3},
		{"password", &esds.Error{Err: esds.ErrUnauthorized, Status: 401}, 3},
		{"lake in use", esds.ErrLocked, 3},
		{"unreachable after some rows", &exec.StoppedError{Err: down, Written: 5}, 1},
		{"unreachable before any row", &exec.StoppedError{Err: down}, 3},
		{"SQL", &lex.Error{Code: "E2001"}, 4},
		{"unknown table", &catalog.NotFoundError{Kind: "table"}, 4},
		{"table exists", &catalog.ExistsError{Kind: "table"}, 4},
		{"option", &esds.OptionError{Key: "k"}, 4},
		{"rejects", &exec.PartialError{}, 5},
		{"safety", &session.SafetyError{}, 6},
		{"assertion", &session.AssertionError{}, 7},
		{"timeout", &canceledError{err: down, cause: errTimeout}, 124},
		{"another deadline", context.DeadlineExceeded, 124},
		{"Ctrl-C", &canceledError{err: &exec.PartialError{}, cause: &signalError{os.Interrupt}}, 130},
		{"terminated", &canceledError{err: context.Canceled, cause: &signalError{syscall.SIGTERM}}, 143},
		{"told already", &toldError{&exec.PartialError{}}, 5},
		{"placed", &placedError{placed{err: &lex.Error{}}}, 4},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := exitCode(tt.err); got != tt.want {
				t.Errorf("code = %d, want %d", got, tt.want)
			}
		})
	}
}

func TestExitCodesAreDocumented(t *testing.T) {
	doc, err := os.ReadFile("../docs/exit-codes.md")
	if err != nil {
		t.Fatal(err)
	}
	var documented []int
	for _, m := range regexp.MustCompile(`(?m)^\| (\d+) \|`).FindAllStringSubmatch(string(doc), -1) {
		n, _ := strconv.Atoi(m[1])
		documented = append(documented, n)
	}
	codes := []int{
		exitDone, exitFailed, exitUsage, exitConnection, exitSQL, exitPartly, exitSafety, exitAssertion, exitBug, exitTimeout,
		exitInterrupt, exitTerminated,
	}
	if !slices.Equal(documented, codes) {
		t.Errorf("docs/exit-codes.md has %v, the code has %v", documented, codes)
	}
}
