package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/eslake/eslake/catalog"
	"github.com/eslake/eslake/cli/config"
	"github.com/eslake/eslake/cli/render"
	"github.com/eslake/eslake/cli/repl"
	"github.com/eslake/eslake/cli/session"
	"github.com/eslake/eslake/sql"
	"github.com/spf13/cobra"
)

func newRunCommand(app *App, o *options) *cobra.Command {
	return &cobra.Command{
		Use:     "run FILE... | -",
		Short:   "Run scripts, in order",
		Long:    "Run scripts, in order. All are read and parsed before the first statement runs;\nthe first statement that fails ends the run.",
		Example: "  eslake run tables.sql load.sql -d day=2024-05-01",
		Args:    checked(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.prepare(app, cmd.Flags()); err != nil {
				return err
			}
			var steps []config.Step
			for _, file := range args {
				steps = append(steps, config.Step{File: file})
			}
			return app.runSteps(o, steps)
		},
	}
}

// runSteps parses everything, then runs it.
func (app *App) runSteps(o *options, given []config.Step) (err error) {
	l := &loader{stdin: app.In, vars: o.input.Define}
	steps, err := l.loadAll(given)
	if err != nil || len(steps) == 0 {
		return err
	}
	if err := checkSafety(o, steps); err != nil {
		return err
	}
	out, err := newOutput(app.Out, o.output.File)
	if err != nil {
		return err
	}
	s, err := app.open(app, o)
	if err != nil {
		return errors.Join(err, out.finish(false))
	}
	if o.run.JobID != "" {
		s.jobs.SetSeries(o.run.JobID)
	}
	r := newRunner(app, o, s, out)
	err = r.all(steps)
	closeErr := s.close()
	keep := err == nil || o.run.ContinueOnError || exitCode(err) == exitPartly
	if finishErr := out.finish(keep); err == nil {
		err = errors.Join(closeErr, finishErr)
	}
	return err
}

// runner runs statements and shows what comes of them.
type runner struct {
	app     *App
	opts    *options
	session *opened
	out     *output
	display *repl.Display
	shell   bool
	failed  error // the first, of a shell
}

func newRunner(app *App, o *options, s *opened, out *output) *runner {
	return &runner{app: app, opts: o, session: s, out: out, display: &repl.Display{Format: o.format, Timing: o.timing}}
}

// all runs statements up to the first that fails, or, when asked to go on, all;
// the error is that of the first.
func (r *runner) all(steps []step) error {
	var first error
	for _, s := range steps {
		err := r.one(s, r.display.Format)
		if err == nil {
			continue
		}
		r.app.report(placed{err: err, src: s.text.Src, at: s.text.Tokens[0].Span, number: s.number, via: s.via})
		if first == nil {
			first = &toldError{err}
		}
		var ended *signalError
		if errors.As(err, &ended) {
			return &toldError{err}
		}
		if !r.opts.run.ContinueOnError {
			break
		}
	}
	return first
}

// one runs a statement, shows its rows and says what it did.
func (r *runner) one(s step, f render.Format) error {
	return r.show(formatFor(s.stmt, f), func(ctx context.Context) (session.Result, error) {
		if r.opts.output.Verbose { // who reads it may already press Ctrl-C
			fmt.Fprintln(r.app.Err, repl.Redact(s.source(), catalog.Redact)+";")
		}
		return r.session.Exec(ctx, s.stmt)
	})
}

// show runs a statement or a command as one that a signal or --timeout ends, and
// shows what it gives.
func (r *runner) show(f render.Format, run func(ctx context.Context) (session.Result, error)) error {
	ctx, end := r.app.signals.begin(r.opts.run.Timeout)
	defer end()
	started := time.Now()
	if err := ctx.Err(); err != nil { // a signal came between two statements
		return because(ctx, err)
	}
	stop := r.session.meter.begin(r.opts.progress)
	res, err := run(ctx)
	stop()
	var summary render.Summary
	if res.Rows != nil {
		if err == nil {
			summary, err = r.out.write(ctx, f, res.Rows, r.renderOptions())
		}
		closeErr := res.Rows.Close()
		err = errors.Join(err, closeErr)
	}
	if err == nil || res.Message != "" && res.Rows == nil {
		r.message(res, summary, time.Since(started))
	}
	return because(ctx, err)
}

// renderOptions are those of the flags, for the output at hand.
func (r *runner) renderOptions() render.Options {
	width := 0
	if r.out.file == nil {
		width = r.app.width()
	}
	return render.Options{
		NoHeader: r.opts.output.NoHeader, Null: r.opts.output.NullText(), Width: width,
		MaxRows: r.opts.output.Limit(width > 0), Color: r.opts.color,
	}
}

// formatFor shows a plan or a statement as it is unless a format was asked for.
func formatFor(st sql.Statement, f render.Format) render.Format {
	if f != render.Auto {
		return f
	}
	switch st := st.(type) {
	case *sql.Explain:
		return render.Raw
	case *sql.Show:
		if st.Kind == sql.ShowCreateTable {
			return render.Raw
		}
	}
	return f
}
