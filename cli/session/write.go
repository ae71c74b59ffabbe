package session

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/planner"
	"github.com/eslake/eslake/planner/duck"
	"github.com/eslake/eslake/planner/exec"
	"github.com/eslake/eslake/planner/job"
	"github.com/eslake/eslake/sql"
)

func (s *Session) insert(ctx context.Context, st *sql.Insert) (Result, error) {
	env := s.env()
	plan, err := planner.PlanInsert(ctx, env, st, s.jobID())
	if err != nil {
		return Result{}, err
	}
	if st.Overwrite {
		return s.write(ctx, env, plan, job.Overwrite, st.String())
	}
	return s.write(ctx, env, plan, job.Insert, st.String())
}

// insertDirectory writes a query's rows to files.
func (s *Session) insertDirectory(ctx context.Context, st *sql.InsertDirectory) (Result, error) {
	env := s.env()
	plan, err := planner.PlanDirectory(ctx, env, st)
	if err != nil {
		return Result{}, err
	}
	n, err := plan.Run(ctx, env)
	if err != nil {
		return Result{}, err
	}
	return Result{Message: fmt.Sprintf("INSERT OVERWRITE DIRECTORY %s (%s rows, %s)", plan.Path, thousands(n), plan.Format)}, nil
}

func (s *Session) truncate(ctx context.Context, st *sql.TruncateTable) (Result, error) {
	env := s.env()
	plan, err := planner.PlanTruncate(ctx, env, st, s.jobID())
	if err != nil {
		return Result{}, err
	}
	return s.write(ctx, env, plan, job.Truncate, st.String())
}

// write runs a planned write as a job and words what it did.
func (s *Session) write(ctx context.Context, env *planner.Env, plan *planner.Insert, kind, text string) (Result, error) {
	w := &plan.Job
	if s.dry(w.Write.Options) {
		return s.rehearse(ctx, env, plan, kind)
	}
	if w.Rejects == "" {
		w.Rejects = filepath.Join(s.jobs.store.Dir(), w.ID, job.RejectsFile)
	}
	if plan.Positions() {
		lines := &duck.Lines{}
		ctx, w.Line = duck.WithLines(ctx, lines), lines.At
	}
	ctx = s.watch(ctx, plan, wordOf(kind))
	w.Write.Notice = s.warn
	if backed(w) {
		w.Saving = s.tellSaving(wordOf(kind) + " " + plan.Table.Name)
		w.Saves = &esds.Write{Index: w.Write.Index, Options: planner.DocumentOptions(w.Write.Options)}
	}
	var journal *job.Journal
	w.Earlier = s.earlier()
	change := Change{Statement: wordOf(kind), Table: plan.Table.Name}
	w.Replacing = func(ctx context.Context, n int64) error {
		return s.mayRemoveAll(ctx, w.Source, w.Write.Index, n, change)
	}
	w.Begin = func(target esds.Target) (j *job.Journal, err error) {
		journal, err = s.beginWrite(ctx, plan, kind, text, target)
		return journal, err
	}
	started := s.cfg.Now()
	out, err := s.runJob(ctx, env, plan, w.Begin)
	res := Result{}
	var partial *exec.PartialError
	if err == nil || errors.As(err, &partial) && !partial.Kept && partial.Limit == "" {
		res.Message = written(kind, plan, out, s.cfg.Now().Sub(started))
		if backed(w) {
			res.Message += takesBack(w.ID)
		}
	}
	if journal != nil {
		s.ended(journal, w, res.Message, out, err)
	}
	if note := w.AgainNote(); err == nil && note != "" && out.Report.Updated+out.Report.Noop > 0 {
		res.Notices = append(res.Notices, note)
	}
	if err == nil && w.Write.ID == "" && w.Overwrite == "" && out.Report.Created > 0 {
		res.Notices = append(res.Notices, fmt.Sprintf("table %s has no es.mapping.id: running this statement again adds the rows again", plan.Table.Name))
	}
	return res, err
}

// beginWrite asks whether a write may begin, and opens its journal.
func (s *Session) beginWrite(ctx context.Context, plan *planner.Insert, kind, text string, target esds.Target) (*job.Journal, error) {
	w := &plan.Job
	if w.Overwrite != "" && w.Earlier == nil {
		if err := s.mayRemove(ctx, w.Source, target, Change{Statement: wordOf(kind), Table: plan.Table.Name}); err != nil {
			return nil, err
		}
	}
	start, err := s.startOf(ctx, plan, kind, text)
	if err == nil && w.Earlier != nil {
		err = check(w.Earlier, start)
	}
	if err != nil {
		return nil, err
	}
	return s.begin(start)
}

// backed reports whether a write saves what it replaces.
func backed(w *exec.Job) bool { return w.Overwrite != "" && w.Write.Options.Bool("eslake.backup") }

// takesBack ends the message of a job that can be undone.
func takesBack(id string) string { return fmt.Sprintf("; UNDO JOB '%s' takes it back", id) }

// runJob runs the plan, unless an earlier run of the job wrote everything and did
// not come to say so.
func (s *Session) runJob(ctx context.Context, env *planner.Env, plan *planner.Insert, begin func(esds.Target) (*job.Journal, error)) (exec.Outcome, error) {
	report, err := s.committed(ctx, plan.Job.Source, plan.Job.ID)
	if err != nil {
		return exec.Outcome{}, err
	}
	if report == nil {
		return plan.Run(ctx, env)
	}
	out := exec.Outcome{Report: *report}
	_, err = begin(out.Target)
	return out, err
}

// ended writes the outcome of a job. A statement that stopped tells how it goes on.
func (s *Session) ended(journal *job.Journal, w *exec.Job, message string, out exec.Outcome, err error) {
	outcome := job.Outcome{Message: message, Counts: out.Report, Replaced: out.Before}
	if out.Report.Rejected > 0 {
		outcome.Rejects = w.Rejects
	}
	if err != nil && message == "" {
		outcome.Error = err.Error()
	}
	s.finish(journal, outcome)
	var stopped *exec.StoppedError
	if errors.As(err, &stopped) && w.Way.Resumable() && s.advanced(w.ID) {
		stopped.Job = w.ID
	}
}

// advanced reports whether a job came as far as to do something that a resume goes
// on from.
func (s *Session) advanced(id string) bool {
	r, err := s.jobs.store.Read(id)
	return err != nil || len(r.Steps) > 0 || r.Sent > 0 || r.Acked > 0
}

// wordOf begins the message about a job.
func wordOf(kind string) string {
	if kind == job.Overwrite {
		return "INSERT OVERWRITE"
	}
	return kind
}

// written words a write: what went where, and how fast.
func written(kind string, plan *planner.Insert, out exec.Outcome, took time.Duration) string {
	r := out.Report
	if kind == job.Truncate {
		return fmt.Sprintf("TRUNCATE %s (%s documents deleted)", plan.Table.Name, thousands(out.Before))
	}
	var counts []string
	if plan.Job.Overwrite != "" {
		counts = append(counts, thousands(out.Before)+" old documents replaced")
	}
	counts = append(counts, thousands(r.Created)+" created")
	if plan.Job.Overwrite == "" || r.Updated > 0 {
		counts = append(counts, thousands(r.Updated)+" updated")
	}
	if r.Deleted > 0 {
		counts = append(counts, thousands(r.Deleted)+" deleted")
	}
	if r.Noop > 0 {
		counts = append(counts, thousands(r.Noop)+" unchanged")
	}
	counts = append(counts, thousands(r.Rejected)+" rejected")
	text := fmt.Sprintf("%s %s -> %s (%s)", wordOf(kind), thousands(r.Accepted()), plan.Table.Name, strings.Join(counts, ", "))
	if out.Made {
		text += fmt.Sprintf(", index %s made", out.Target.Name)
	}
	if plan.Job.Overwrite != "" && out.Target.Kind == esds.Dynamically {
		text += fmt.Sprintf(", in %d indices", out.Indices)
	}
	if s := took.Seconds(); s >= 0.001 && r.Rows >= 1000 {
		text += fmt.Sprintf(", %s documents/s", thousands(int64(float64(r.Rows)/s)))
	}
	return text
}

// thousands writes a number with commas.
func thousands(n int64) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
