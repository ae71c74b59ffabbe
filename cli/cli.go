// Package cli is the eslake command: it wires the packages together, and turns
// what they return into output, messages and an exit code.
package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/eslake/eslake/catalog"
	"github.com/eslake/eslake/cli/session"
	"github.com/eslake/eslake/sql"
)

// App is what the commands work with.
type App struct {
	Streams
	Lookup func(name string) (string, bool) // of the environment

	open    func(app *App, o *options) (*opened, error)
	ask     func(question string) (string, error) // reads a line from the person; nil when there is nobody
	signals *interrupts
}

// executor runs statements; *session.Session is one.
type executor interface {
	Exec(ctx context.Context, st sql.Statement) (session.Result, error)
}

// opened is a session and what belongs to it.
type opened struct {
	executor
	jobs    jobKeeper
	catalog *catalog.Catalog
	meter   *meter
	where   func(ctx context.Context) (string, error) // what tables without a cluster of their own are on
	close   func() error
}

// Main runs the command that the arguments ask for and returns the exit code.
func Main(args []string) int {
	signal.Ignore(syscall.SIGPIPE) // a reader that has gone is met as an error of Write
	app := &App{Streams: system(), Lookup: os.LookupEnv, open: openSession, signals: &interrupts{exit: os.Exit, now: time.Now}}
	stop := app.signals.watch()
	defer stop()
	return app.Run(args)
}

// Run runs the command that the arguments ask for and returns the exit code.
func (app *App) Run(args []string) (code int) {
	defer func() {
		if r := recover(); r != nil {
			code = app.reportPanic(r)
		}
	}()
	err := app.execute(args)
	if err == nil {
		return exitDone
	}
	var told *toldError
	if !errors.As(err, &told) {
		app.report(placed{err: err})
	}
	return exitCode(err)
}

func (app *App) execute(args []string) error {
	root := newRootCommand(app)
	root.SetArgs(append([]string{}, args...)) // nil would be those of the process
	root.SetIn(app.In)
	root.SetOut(app.Out)
	root.SetErr(app.Err)
	return root.Execute()
}

// toldError is an error that the user has read already.
type toldError struct{ error }

func (e *toldError) Unwrap() error { return e.error }
