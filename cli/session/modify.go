package session

import (
	"context"
	"errors"
	"fmt"
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
		source: plan.Source, write: plan.Write, changer: plan.Changer,
	}
}

// run begins the job of a change, runs it and words what it did. A job that
// changed nothing is forgotten.
func (s *Session) run(ctx context.Context, c *changing) (Result, error) {
	store := s.jobStore()
	journal, err := store.Begin(job.Start{
		ID: c.id, Kind: c.kind, Statement: c.statement, Database: s.cfg.Catalog.Current(), Settings: s.shownSettings(), Now: s.cfg.Now(),
		Table: c.table, Source: c.source.String(), Index: c.write.Index,
	})
	if err != nil {
		return Result{}, err
	}
	res, began, err := s.runIn(ctx, c, journal, nil)
	if closed := journal.Close(); err == nil {
		err = closed
	}
	if !began {
		if removed := store.Remove(c.id); err == nil {
			err = removed
		}
	}
	return res, err
}

// runIn runs a change in a journal, from the beginning or where an earlier run
// of the job stopped. Began tells whether anything may have been written.
func (s *Session) runIn(ctx context.Context, c *changing, journal *job.Journal, resumed *job.Record) (res Result, began bool, err error) {
	m := &exec.Modify{
		Kind: c.kind, Source: c.source, Write: c.write, Changer: c.changer, Journal: journal, Resumed: resumed, Rejects: journal.Path(job.RejectsFile),
		Confirm: func(ctx context.Context, p exec.Preview) error { return s.confirm(ctx, c, p) },
	}
	if s.cfg.Progress != nil {
		m.Write.Progress = func(r esds.Report) { s.cfg.Progress(c.kind+" "+c.name, r) }
	}
	m.Write.Notice = s.cfg.Warn
	if s.cfg.Warn == nil {
		m.Write.Notice = s.notice
	}
	out, err := m.Run(ctx)
	if !m.Began() || err == nil && out.Report.Rows == 0 {
		if err == nil {
			res.Message = changed(c, out)
		}
		return res, false, err
	}
	outcome := job.Outcome{Message: changed(c, out), Counts: out.Report, Changes: journal.Path(job.ChangesFile)}
	var partial *exec.PartialError
	switch {
	case errors.As(err, &partial):
		outcome.Rejects = partial.File
		res.Message = outcome.Message
	case err != nil:
		outcome.Error = err.Error()
	default:
		res.Message = outcome.Message
	}
	return res, true, errors.Join(err, journal.Finish(outcome))
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
		text += fmt.Sprintf("; UNDO JOB '%s' takes it back", c.id)
	}
	return text
}

func (s *Session) jobStore() *job.Store { return job.Open(filepath.Join(s.cfg.StateDir, "jobs")) }

// confirm keeps a change from being written that is larger than it may be, or
// that the person does not want.
func (s *Session) confirm(ctx context.Context, c *changing, p exec.Preview) error {
	n := p.Affected()
	if most := s.cfg.Safety.MaxAffected; most > 0 && n > most {
		return &SafetyError{
			Code: codeMaxAffected, Message: fmt.Sprintf("%s would change %s documents of %s, --max-affected allows %s; nothing was changed", c.kind, thousands(n), c.name, thousands(most)),
			Hint: "narrow the condition, or raise --max-affected",
		}
	}
	if s.cfg.Safety.Confirm == nil || n == 0 {
		return nil
	}
	ok, err := s.cfg.Safety.Confirm(ctx, Change{Statement: c.kind, Table: c.name, Index: c.write.Index, Source: c.source.String(), Preview: p})
	if err != nil {
		return err
	}
	if !ok {
		return &SafetyError{Code: codeDeclined, Message: fmt.Sprintf("%s of %s was not confirmed; nothing was changed", c.kind, c.name)}
	}
	return nil
}
