package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/planner"
	"github.com/eslake/eslake/planner/exec"
	"github.com/eslake/eslake/sql"
)

func (s *Session) insert(ctx context.Context, st *sql.Insert) (Result, error) {
	env := s.env()
	plan, err := planner.PlanInsert(ctx, env, st, s.jobID())
	if err != nil {
		return Result{}, err
	}
	return s.write(ctx, env, plan, "INSERT")
}

func (s *Session) truncate(ctx context.Context, st *sql.TruncateTable) (Result, error) {
	env := s.env()
	plan, err := planner.PlanTruncate(ctx, env, st, s.jobID())
	if err != nil {
		return Result{}, err
	}
	return s.write(ctx, env, plan, "TRUNCATE")
}

// write runs a planned write and words what it did.
func (s *Session) write(ctx context.Context, env *planner.Env, plan *planner.Insert, word string) (Result, error) {
	job := &plan.Job
	if job.Rejects == "" {
		job.Rejects = s.rejectsFile(job.ID)
	}
	if s.cfg.Progress != nil {
		job.Write.Progress = func(r esds.Report) { s.cfg.Progress(word+" "+plan.Table.Name, r) }
	}
	job.Write.Notice = s.cfg.Warn
	if s.cfg.Warn == nil {
		job.Write.Notice = s.notice
	}
	started := s.cfg.Now()
	out, err := plan.Run(ctx, env)
	res := Result{}
	var partial *exec.PartialError
	if err == nil || errors.As(err, &partial) && !partial.Kept {
		res.Message = written(word, plan, out, s.cfg.Now().Sub(started))
	}
	if err == nil && plan.Job.Write.ID == "" && job.Overwrite == "" && out.Report.Created > 0 {
		res.Notices = append(res.Notices, fmt.Sprintf("table %s has no es.mapping.id: running this statement again adds the rows again", plan.Table.Name))
	}
	return res, err
}

// written words a write: what went where, and how fast.
func written(word string, plan *planner.Insert, out exec.Outcome, took time.Duration) string {
	r := out.Report
	if word == "TRUNCATE" {
		return fmt.Sprintf("TRUNCATE %s (%s documents deleted)", plan.Table.Name, thousands(out.Before))
	}
	var counts []string
	if plan.Job.Overwrite != "" {
		word = "INSERT OVERWRITE"
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
	text := fmt.Sprintf("%s %s -> %s (%s)", word, thousands(r.Accepted()), plan.Table.Name, strings.Join(counts, ", "))
	if out.Made {
		text += fmt.Sprintf(", index %s made", out.Target.Name)
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
