package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/eslake/eslake/cli/render"
	"github.com/eslake/eslake/cli/session"
	"github.com/eslake/eslake/sql"
	"github.com/spf13/cobra"
)

const jobsLong = `Every statement that writes is a job. Its journal says what it was to do, how far
it came and how it ended. A job that broke off goes on with resume, where the last
acknowledged row was, and with the same ids. A job is given by its id, by the
beginning of it, or by the name of --job-id with the statement's number: load/2.`

// jobKeeper is what a session does with jobs; *session.Session is one.
type jobKeeper interface {
	executor
	SetSeries(name string)
	Resume(ctx context.Context, id string) (session.Result, error)
	ShowJob(ctx context.Context, id string) (session.Result, error)
	CleanJobs(ctx context.Context, c session.Clean) (session.Result, error)
}

func newJobsCommand(app *App, o *options) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "jobs",
		Short:   "List, show, resume, undo and clean the jobs of writing statements",
		Long:    jobsLong,
		Example: "  eslake jobs list\n  eslake jobs resume 20261129t2043\n  eslake jobs undo 20261129t2043\n  eslake jobs clean --older 30d --dry-run",
		Args:    noCommand,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newJobsList(app, o), newJobsShow(app, o), newJobsResume(app, o), newJobsUndo(app, o), newJobsClean(app, o))
	return cmd
}

func newJobsList(app *App, o *options) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the jobs, the newest first; as SHOW JOBS does", Args: checked(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return app.withJobs(o, cmd, o.wantedFormat, func(ctx context.Context, jobs jobKeeper) (session.Result, error) {
				return jobs.Exec(ctx, &sql.Show{Kind: sql.ShowJobs})
			})
		},
	}
}

func newJobsShow(app *App, o *options) *cobra.Command {
	return &cobra.Command{
		Use: "show ID", Short: "Tell what a job did, what is in its index, and what to do next", Args: checked(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.output.Quiet = true // that it is one row says nothing
			return app.withJobs(o, cmd, raw, func(ctx context.Context, jobs jobKeeper) (session.Result, error) {
				return jobs.ShowJob(ctx, args[0])
			})
		},
	}
}

func newJobsResume(app *App, o *options) *cobra.Command {
	return &cobra.Command{
		Use: "resume ID", Short: "Go on with a job that broke off or failed", Args: checked(cobra.ExactArgs(1)),
		Long: "Go on with a job that broke off or failed, behind the last row that was acknowledged.\n" +
			"It refuses when a file that the statement reads was changed. Of two resumes at once\none goes on.",
		RunE: func(cmd *cobra.Command, args []string) error {
			return app.withJobs(o, cmd, o.wantedFormat, func(ctx context.Context, jobs jobKeeper) (session.Result, error) {
				if o.protected() && !o.safety.Yes {
					return session.Result{}, &session.SafetyError{
						Code: codeProtected, Message: fmt.Sprintf("profile %s is protected, and resuming a job writes", o.profile.Name),
						Hint: "--yes lets it; nothing was run",
					}
				}
				return jobs.Resume(ctx, args[0])
			})
		},
	}
}

func newJobsUndo(app *App, o *options) *cobra.Command {
	return &cobra.Command{
		Use: "undo ID", Short: "Put back the documents that an UPDATE, DELETE or MERGE changed; as UNDO JOB does", Args: checked(cobra.ExactArgs(1)),
		Long: "Put back the documents that a job changed, each when it is still as the job left it. The\nothers stay, and are listed. The undo is a job itself, and can be undone.",
		RunE: func(cmd *cobra.Command, args []string) error {
			return app.withJobs(o, cmd, o.wantedFormat, func(ctx context.Context, jobs jobKeeper) (session.Result, error) {
				if o.protected() && !o.safety.Yes {
					return session.Result{}, &session.SafetyError{Code: codeProtected, Message: fmt.Sprintf("profile %s is protected, and an undo writes", o.profile.Name), Hint: "--yes lets it"}
				}
				return jobs.Exec(ctx, &sql.UndoJob{ID: sql.Ident{Name: args[0]}})
			})
		},
	}
}

func newJobsClean(app *App, o *options) *cobra.Command {
	c, older := session.Clean{}, days(30*24*time.Hour)
	cmd := &cobra.Command{
		Use: "clean [ID]", Short: "Remove journals of jobs that are done, and what dead processes left", Args: checked(cobra.MaximumNArgs(1)),
		Long: "Remove the journals of jobs that have been done for some time, the staging indices that\n" +
			"they name, and the temporary folders of processes that are gone. With ID one job is\n" +
			"removed whatever its state: it can neither be resumed nor undone after that. What a job\nwrote stays.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				c.ID = args[0]
			}
			c.Older = time.Duration(older)
			var failed error
			err := app.withJobs(o, cmd, o.wantedFormat, func(ctx context.Context, jobs jobKeeper) (res session.Result, err error) {
				if res, failed = jobs.CleanJobs(ctx, c); res.Rows == nil {
					return res, failed
				}
				return res, nil
			})
			if err != nil {
				return err
			}
			return failed
		},
	}
	cmd.Flags().Var(&older, "older", "only jobs that ended so long ago: 30d, 12h, 0 for all")
	cmd.Flags().BoolVar(&c.All, "all", false, "also jobs that failed or broke off; they cannot be resumed after that")
	cmd.Flags().BoolVar(&c.DryRun, "dry-run", false, "list what would be removed, and remove nothing")
	return cmd
}

func raw() render.Format { return render.Raw }

// wantedFormat is that of --format.
func (o *options) wantedFormat() render.Format { return o.format }

// withJobs opens a session, and shows what f answers.
func (app *App) withJobs(o *options, cmd *cobra.Command, format func() render.Format, f func(context.Context, jobKeeper) (session.Result, error)) (err error) {
	if err := o.prepare(app, cmd.Flags()); err != nil {
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
	r := newRunner(app, o, s, out)
	err = r.show(format(), func(ctx context.Context) (session.Result, error) { return f(ctx, s.jobs) })
	return errors.Join(err, s.close(), out.finish(err == nil || exitCode(err) == exitPartly))
}

// days is a duration that may be given in days.
type days time.Duration

// Set reads 30d, 12h, 90m or 0.
func (d *days) Set(text string) error {
	if n, ok := strings.CutSuffix(text, "d"); ok {
		count, err := strconv.Atoi(n)
		if err != nil || count < 0 {
			return fmt.Errorf("%q is no number of days", text)
		}
		*d = days(time.Duration(count) * 24 * time.Hour)
		return nil
	}
	v, err := time.ParseDuration(text)
	if err != nil || v < 0 {
		return fmt.Errorf("%q is no duration, like 30d or 12h", text)
	}
	*d = days(v)
	return nil
}

// String is the default as --help shows it.
func (d *days) String() string {
	if v := time.Duration(*d); v%(24*time.Hour) == 0 {
		return fmt.Sprintf("%dd", v/(24*time.Hour))
	}
	return time.Duration(*d).String()
}

// Type names the value in --help.
func (d *days) Type() string { return "duration" }
