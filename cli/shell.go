package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/eslake/eslake/catalog"
	"github.com/eslake/eslake/cli/config"
	"github.com/eslake/eslake/cli/render"
	"github.com/eslake/eslake/cli/repl"
	"github.com/eslake/eslake/esds"
	"github.com/spf13/cobra"
)

func newShellCommand(app *App, o *options) *cobra.Command {
	return &cobra.Command{
		Use:   "shell",
		Short: "The shell, whatever the standard streams are",
		Args:  checked(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.prepare(app, cmd.Flags()); err != nil {
				return err
			}
			return app.shell(o)
		},
	}
}

// shell runs statements as they are typed. A statement that fails does not end
// it; the exit code tells of it only when nobody watched.
func (app *App) shell(o *options) (err error) {
	if o.run.JobID != "" {
		return usagef("give the script by -f, -e or run", "--job-id names the run of a script, not a shell")
	}
	out, err := newOutput(app.Out, o.output.File)
	if err != nil {
		return err
	}
	var term closingTerminal
	if app.watched() {
		app.ask = func(question string) (string, error) { return term.ReadLine(question, "") }
	}
	s, err := app.open(app, o)
	if err != nil {
		return errors.Join(err, out.finish(false))
	}
	defer func() { err = errors.Join(err, s.close(), out.finish(true)) }()
	r := newRunner(app, o, s, out)
	r.shell = app.watched()
	history, warning := repl.OpenHistory(app.historyFile(), catalog.Redact)
	if warning != nil {
		fmt.Fprintln(app.Err, warning)
	}
	if term, err = app.terminal(names(s.catalog)); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, term.Close()) }()
	app.signals.inShell(func() { _ = term.Close() })
	shell := repl.New(repl.Config{
		Terminal: term, Out: app.talk(), Name: o.promptName(), Greeting: r.greeting(), Display: r.display, History: history,
		Where: r.where,
		Run:   r.typed,
	})
	if err := shell.Run(); err != nil || app.watched() {
		return err
	}
	return r.failed
}

// watched reports whether a person sits at both ends.
func (app *App) watched() bool { return app.InTerminal && app.OutTerminal }

// talk is where the shell says things that are no results.
func (app *App) talk() io.Writer {
	if app.watched() {
		return app.Out
	}
	return app.Err
}

// terminal is line editing on a terminal, and plain lines elsewhere.
func (app *App) terminal(n repl.Names) (closingTerminal, error) {
	if !app.watched() {
		return repl.NewLines(app.In), nil
	}
	return repl.NewEditor(app.In, app.Out, n)
}

type closingTerminal interface {
	repl.Terminal
	Close() error
}

// historyFile is where statements are kept; an empty ESLAKE_HISTORY_FILE keeps
// none.
func (app *App) historyFile() string {
	if path, ok := app.Lookup(config.Prefix + "HISTORY_FILE"); ok {
		return path
	}
	return config.StateFile("history")
}

// patience is how long the shell waits for a cluster to say what it is.
const patience = 10 * time.Second

func (r *runner) greeting() string {
	return fmt.Sprintf("%s, %s. \\? for help, Ctrl-D to leave.", versionLine(), r.where())
}

// where says what the shell is connected to, or why it is not.
func (r *runner) where() string {
	ctx, end := r.app.signals.begin(0)
	defer end()
	ctx, cancel := context.WithTimeoutCause(ctx, patience, errors.New("no answer in "+patience.String()))
	defer cancel()
	name, err := r.session.where(ctx)
	if err != nil {
		return "not connected: " + because(ctx, err).Error()
	}
	return "connected to " + name
}

// typed runs what was typed, which may be a SOURCE of many statements.
func (r *runner) typed(sql string, vertical bool) bool {
	l := &loader{vars: r.opts.input.Define}
	steps, err := l.parse("", []byte(sql))
	if err != nil {
		r.app.report(placed{err: err})
		r.fail(err)
		return false
	}
	if err := r.app.confirmWrites(r.opts, steps); err != nil {
		r.app.report(placed{err: err})
		r.fail(err)
		return false
	}
	format := r.display.Format
	if vertical {
		r.display.Format = render.Vertical
		defer func() { r.display.Format = format }()
	}
	err = r.all(steps)
	r.fail(err)
	return err == nil
}

// fail keeps the first error.
func (r *runner) fail(err error) {
	if r.failed == nil && err != nil {
		r.failed = &toldError{err}
	}
}

// names are what Tab completes; the catalog's file is all that is read for it.
func names(c *catalog.Catalog) repl.Names {
	n := repl.Names{
		Tables: func() []string {
			var all []string
			tables, _ := c.Tables("", "") // what cannot be read is not completed
			for _, t := range tables {
				all = append(all, t.Name)
			}
			views, _ := c.Views("", "")
			for _, v := range views {
				all = append(all, v.Name)
			}
			return all
		},
		Columns: func(table string) []string {
			t, err := c.Table("", table)
			if err != nil {
				return nil
			}
			return t.Columns.Names()
		},
	}
	for _, o := range esds.Catalogue() {
		n.Options = append(n.Options, o.Key)
	}
	return n
}
