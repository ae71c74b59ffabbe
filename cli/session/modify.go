package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/planner"
	"github.com/eslake/eslake/planner/exec"
	"github.com/eslake/eslake/planner/job"
	"github.com/eslake/eslake/sql"
)

// changing is an UPDATE, DELETE, MERGE or UNDO that is about to run.
type changing struct {
	kind      string // job.Update and the like
	statement string
	id        string // of the job
	table     string // with its database
	name      string // of the table, for messages
	source    esds.Source
	write     esds.Write
	changer   exec.Changer
	prepare   func(ctx context.Context) error // before the first change is written; nil for nothing
	expect    func(ctx context.Context) int64 // documents that are read, about, 0 where nobody knows; nil for that too
}

// modify runs an UPDATE, DELETE or MERGE.
func (s *Session) modify(ctx context.Context, st sql.Statement) (Result, error) {
	if err := s.wholeTable(st); err != nil {
		return Result{}, err
	}
	id := s.jobID()
	plan, err := s.planChange(ctx, st, id)
	if err != nil {
		return Result{}, err
	}
	return s.run(ctx, changingOf(plan, st, id))
}

// planChange plans an UPDATE, DELETE or MERGE.
func (s *Session) planChange(ctx context.Context, st sql.Statement, id string) (*planner.Modify, error) {
	switch st := st.(type) {
	case *sql.Update:
		return planner.PlanUpdate(ctx, s.env(), st, id)
	case *sql.Delete:
		return planner.PlanDelete(ctx, s.env(), st, id)
	case *sql.Merge:
		return planner.PlanMerge(ctx, s.env(), st, id)
	default:
		return nil, fmt.Errorf("%T changes no documents", st)
	}
}

func changingOf(plan *planner.Modify, st sql.Statement, id string) *changing {
	return &changing{
		kind: plan.Word, statement: st.String(), id: id, table: plan.Table.Database + "." + plan.Table.Name, name: plan.Table.Name,
		source: plan.Source, write: plan.Write, changer: plan.Changer, expect: plan.Expect,
	}
}

// run runs a change as a job and words what it did. A job that changed nothing is
// forgotten, unless a series counts on it.
func (s *Session) run(ctx context.Context, c *changing) (Result, error) {
	start := job.Start{ID: c.id, Kind: c.kind, Statement: c.statement, Table: c.table, Source: c.source.String(), Index: c.write.Index}
	start.Rejects = c.write.Options.String("eslake.rejects.file")
	if start.Rejects == "" {
		start.Rejects = filepath.Join(s.jobs.store.Dir(), c.id, job.RejectsFile)
	}
	if info, err := os.Stat(start.Rejects); err == nil {
		start.RejectsAt = info.Size()
	}
	earlier := s.earlier()
	if earlier != nil {
		if err := check(earlier, start); err != nil {
			return Result{}, err
		}
	}
	journal, err := s.begin(start)
	if err != nil {
		return Result{}, err
	}
	m, err := s.modification(c, journal)
	if err != nil {
		return Result{}, errors.Join(err, journal.Close())
	}
	s.watchChange(ctx, c, m)
	m.Resumed, m.Rejects = earlier, start.Rejects
	out, err := m.Run(ctx)
	var dry *dryError
	if errors.As(err, &dry) {
		return rehearsed(c, dry.preview), errors.Join(journal.Close(), s.jobs.store.Remove(c.id))
	}
	var partial *exec.PartialError
	done := err == nil || errors.As(err, &partial) && partial.Limit == ""
	if !m.Began() || done && out.Report.Rows == 0 && s.jobs.running.name == "" {
		res := Result{}
		if done {
			res.Message = changed(c, out)
		}
		return res, errors.Join(err, journal.Close(), s.jobs.store.Remove(c.id))
	}
	outcome := job.Outcome{Message: changed(c, out), Counts: out.Report, Changes: journal.Path(job.ChangesFile)}
	res := Result{}
	if done {
		res.Message = outcome.Message
	} else {
		outcome.Error, outcome.Message = err.Error(), ""
	}
	if partial != nil {
		outcome.Rejects = partial.File
	}
	s.finish(journal, outcome)
	var stopped *exec.StoppedError
	if errors.As(err, &stopped) {
		stopped.Job = c.id
	}
	return res, err
}

// modification is what runs a change.
func (s *Session) modification(c *changing, journal *job.Journal) (*exec.Modify, error) {
	most, err := exec.ParseMaxRejects(c.write.Options.String("eslake.max.rejects"))
	if err != nil {
		return nil, &esds.OptionError{Key: "eslake.max.rejects", Value: c.write.Options.String("eslake.max.rejects"), Reason: err.Error()}
	}
	m := &exec.Modify{
		Kind: c.kind, Source: c.source, Write: c.write, Changer: c.changer, Journal: journal, MaxRejects: &most,
		Confirm: func(ctx context.Context, p exec.Preview) error { return s.confirm(ctx, c, p) },
	}
	m.Write.Notice = s.warn
	return m, nil
}

// changed words what a change did.
func changed(c *changing, out exec.ModifyOutcome) string {
	r := out.Report
	var counts []string
	add := func(n int64, word string) {
		if n > 0 {
			counts = append(counts, thousands(n)+" "+word)
		}
	}
	if c.kind == job.Merge || c.kind == job.Undo {
		add(r.Created, "created")
		add(r.Updated, "updated")
		add(r.Deleted, "deleted")
	}
	add(out.Unchanged, "unchanged")
	add(out.Skipped, "no longer selected")
	add(r.Rejected, "rejected")
	text := fmt.Sprintf("%s %s -> %s", c.kind, thousands(r.Created+r.Updated+r.Deleted), c.name)
	if len(counts) > 0 {
		text += " (" + strings.Join(counts, ", ") + ")"
	}
	if r.Created+r.Updated+r.Deleted > 0 {
		text += takesBack(c.id)
	}
	return text
}

// confirm keeps a change from being written that is larger than it may be, or
// that the person does not want.
func (s *Session) confirm(ctx context.Context, c *changing, p exec.Preview) error {
	if s.dry(c.write.Options) {
		return &dryError{p}
	}
	told := Change{Statement: c.kind, Table: c.name, Index: c.write.Index, Source: c.source.String(), Preview: p}
	if err := s.allowed(ctx, p.Affected(), "narrow the condition, or raise --max-affected", told); err != nil || c.prepare == nil {
		return err
	}
	return c.prepare(ctx)
}
