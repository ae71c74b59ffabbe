package cli

import (
	"context"
	"errors"

	"github.com/eslake/eslake/catalog"
	"github.com/eslake/eslake/cli/session"
	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/planner"
	"github.com/eslake/eslake/planner/exec"
	"github.com/eslake/eslake/sql/lex"
)

// The exit codes. docs/exit-codes.md says what each means to a script.
const (
	exitDone       = 0
	exitFailed     = 1
	exitUsage      = 2
	exitConnection = 3
	exitSQL        = 4
	exitPartly     = 5
	exitSafety     = 6
	exitAssertion  = 7
	exitBug        = 70
	exitTimeout    = 124
	exitInterrupt  = 130
	exitTerminated = 143
)

// exitCode is the one place that turns errors into codes.
func exitCode(err error) int {
	var (
		signalled *signalError
		usage     *usageError
		stopped   *exec.StoppedError
	)
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &signalled):
		return signalled.code()
	case errors.As(err, &usage):
		return exitUsage
	case errors.Is(err, errTimeout):
		return exitTimeout
	case errors.As(err, new(*exec.PartialError)):
		return exitPartly
	case errors.As(err, new(*session.SafetyError)):
		return exitSafety
	case errors.As(err, new(*session.AssertionError)):
		return exitAssertion
	case errors.As(err, &stopped) && stopped.Written > 0:
		return exitFailed
	case errors.As(err, new(*planner.ValueError)):
		return exitFailed
	case isConnection(err):
		return exitConnection
	case isSQL(err):
		return exitSQL
	case errors.Is(err, context.DeadlineExceeded):
		return exitTimeout
	default:
		return exitFailed
	}
}

// isConnection reports whether a source was never reached.
func isConnection(err error) bool {
	for _, target := range []error{esds.ErrUnreachable, esds.ErrUntrusted, esds.ErrUnauthorized, esds.ErrLocked} {
		if errors.Is(err, target) {
			return true
		}
	}
	return false
}

// isSQL reports whether the mistake is in the statement.
func isSQL(err error) bool {
	return errors.As(err, new(*lex.Error)) || errors.As(err, new(*catalog.NotFoundError)) ||
		errors.As(err, new(*catalog.ExistsError)) || errors.As(err, new(*esds.OptionError))
}
