package exec

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/planner/job"
)

// Modify changes documents that are there: UPDATE, DELETE, MERGE, and UNDO.
//
// First all that is to happen is read into a file of changes in the job's
// folder, with every document as it is and as it is to be. Then the file is
// sent, each change on condition that its document is still the one that was
// read. What another writer changed meanwhile is read again, tried against the
// statement again, and sent again, a bounded number of times.
type Modify struct {
	Kind    string // job.Update and the like
	Source  esds.Source
	Write   esds.Write   // Index as the table reads it, Options, Progress, Notice
	Changer Changer      // what is to happen
	Journal *job.Journal // of the job
	Resumed *job.Record  // what an earlier run of the job did; nil for none
	Rejects string       // path of the rejects file
	// MaxRejects is how many rejected rows it bears; beyond, it stops with a
	// *PartialError that has a Limit. Nil bears any number.
	MaxRejects *MaxRejects
	// Reading is told, from one goroutine at a time, how far the reading is before
	// anything is written: how many documents came from the indices, where their
	// source counts them, and how many changes were found. Nil for none.
	Reading func(read, found int64)
	// Confirm is called with what is to happen before anything is written. Its
	// error ends the job. It is not called again by a resumed job.
	Confirm func(ctx context.Context, p Preview) error

	sent esds.Report // by the rounds of this run that are over
	sums sums
}

// Changer says which documents change, and how.
type Changer interface {
	// All hands every change to out, each document once.
	All(ctx context.Context, out *Sink) error
	// Again hands out what is left to do for documents of which the change in
	// conflict did not take effect, since they were no longer as they had been.
	Again(ctx context.Context, conflict []job.Change, out *Sink) error
}

// ModifyOutcome is what a modification did.
type ModifyOutcome struct {
	Report    esds.Report // of the documents of the first file, each counted once
	Unchanged int64       // documents that were selected and are as they are to be already
	Skipped   int64       // changed by another writer, and then no longer selected
	Repeated  int64       // changed by another writer, read again and then changed
}

// modifyRounds is how often documents that another writer changed are tried
// again.
const modifyRounds = 5

// sums is what rounds before left, over all runs.
type sums struct {
	rows                     []int64   // of each round's file
	conflicts                int64     // rows that the source refused, and that a round took up
	skipped, refused, redone int64     // what became of them
	done                     doneCount // of them are as they were to be: an earlier try came to its end
	unchanged                int64     // selected, and as they are to be already
	never                    int64     // refused before anything was sent
}

// doneCount counts changes by what they did.
type doneCount struct{ created, updated, deleted int64 }

func (d doneCount) add(o doneCount) doneCount {
	return doneCount{d.created + o.created, d.updated + o.updated, d.deleted + o.deleted}
}

// Steps of the journal: up to StepChanges nothing is written.
const (
	StepChanges = "changes" // the first file is complete, and confirmed
	stepAgain   = "again"   // the file of a further round is complete
)

// Run reads the changes, has them confirmed, and sends them. With rejects the
// error is a *PartialError, when it stopped while it was sending a *StoppedError;
// the outcome is valid with both.
func (m *Modify) Run(ctx context.Context) (ModifyOutcome, error) {
	m.restore()
	if len(m.sums.rows) == 1 { // those of rows that come again
		if err := TrimRejects(m.Rejects, m.Resumed.RejectsAt, m.Resumed.Acked); err != nil {
			return ModifyOutcome{}, err
		}
	}
	rejects := NewRejects(m.Rejects)
	rejects.most = m.MaxRejects
	var err error
	if len(m.sums.rows) == 0 {
		if err = m.first(ctx, rejects); err != nil && !errors.Is(err, errTooMany) {
			return ModifyOutcome{}, err
		}
	}
	if err == nil {
		err = m.rounds(ctx, rejects)
	}
	if err == nil && m.Resumed != nil && m.Write.Options.Bool("es.batch.write.refresh") { // the run that was broken off may not have come to it
		err = m.Source.Refresh(ctx, m.Write.Index)
	}
	return m.end(err, rejects)
}

// end counts what was done, and words how it ended.
func (m *Modify) end(err error, rejects *Rejects) (ModifyOutcome, error) {
	out := m.outcome()
	if errors.Is(err, errTooMany) {
		out.Report.Rows = out.Report.Settled()
		_ = rejects.Close(out.Report) // every line is written
		return out, rejects.stopped(err, out.Report)
	}
	if closed := rejects.Close(out.Report); err == nil {
		err = closed
	} else {
		err = &StoppedError{Err: err, Index: m.Write.Index, Written: out.Report.Accepted()}
	}
	var partial *PartialError
	if err == nil || errors.As(err, &partial) {
		if check := m.check(out); check != nil {
			return out, check
		}
	}
	return out, err
}

// Expected is how many changes are to be sent, in all rounds that are known; 0
// before they are.
func (m *Modify) Expected() int64 { return sum(m.sums.rows) }

// Began reports whether changes were confirmed: something may have been written.
func (m *Modify) Began() bool { return len(m.sums.rows) > 0 }

// restore takes up what the journal tells of an earlier run.
func (m *Modify) restore() {
	if m.Resumed == nil {
		return
	}
	for _, s := range m.Resumed.Steps {
		number := func(name string) int64 { n, _ := s.Facts[name].(float64); return int64(n) }
		switch s.Name {
		case StepChanges:
			m.sums = sums{rows: []int64{number("rows")}, unchanged: number("unchanged"), never: number("refused")}
		case stepAgain:
			m.sums.rows = append(m.sums.rows, number("rows"))
			m.sums.conflicts += number("conflicts")
			m.sums.done = m.sums.done.add(doneCount{number("created"), number("updated"), number("deleted")})
			m.sums.skipped += number("skipped")
			m.sums.refused += number("refused")
			m.sums.redone += number("rows")
		}
	}
}

// first makes the first file of changes.
func (m *Modify) first(ctx context.Context, rejects *Rejects) error {
	out, err := m.fill(job.ChangesFile, func(out *Sink) error { return m.Changer.All(m.watched(ctx, out), out) })
	if err != nil {
		return err
	}
	p := out.Preview
	if m.Confirm != nil {
		if err := m.Confirm(ctx, p); err != nil {
			return err
		}
	}
	facts := map[string]any{"rows": out.rows(), "created": p.Created, "updated": p.Updated, "deleted": p.Deleted, "unchanged": p.Unchanged, "refused": len(out.refused)}
	if err := m.Journal.Step(StepChanges, facts); err != nil {
		return err
	}
	m.sums = sums{rows: []int64{out.rows()}, unchanged: p.Unchanged, never: int64(len(out.refused))}
	return addAll(rejects, out.refused)
}

// watched has the reading of all changes told.
func (m *Modify) watched(ctx context.Context, out *Sink) context.Context {
	if m.Reading == nil {
		return ctx
	}
	var mu sync.Mutex
	read, found := int64(0), int64(0)
	out.found = func(n int64) {
		mu.Lock()
		defer mu.Unlock()
		found = n
		m.Reading(read, found)
	}
	return esds.WithTrace(ctx, &esds.Trace{Paged: func(n int64) {
		mu.Lock()
		defer mu.Unlock()
		read = max(read, n)
		m.Reading(read, found)
	}})
}

func addAll(rejects *Rejects, list []esds.Reject) error {
	for _, r := range list {
		if err := rejects.Add(r); err != nil {
			return err
		}
	}
	return nil
}

// fill makes a file of changes.
func (m *Modify) fill(name string, changes func(*Sink) error) (*Sink, error) {
	file, err := job.CreateChanges(m.Journal.Path(name))
	if err != nil {
		return nil, err
	}
	out := &Sink{file: file, resumed: m.Resumed != nil}
	err = changes(out)
	if err == nil {
		err = file.Complete()
	}
	return out, errors.Join(err, file.Close())
}

// rounds sends the files of changes, and makes further ones of the conflicts.
func (m *Modify) rounds(ctx context.Context, rejects *Rejects) error {
	acked := int64(0)
	if m.Resumed != nil {
		acked = m.Resumed.Acked
	}
	for round := 0; ; round++ {
		offset := sum(m.sums.rows[:round])
		s := &sending{m: m, round: round, offset: offset, rejects: rejects}
		if acked < offset+m.sums.rows[round] {
			if err := s.send(ctx, max(0, acked-offset)); err != nil {
				return err
			}
		}
		if round+1 < len(m.sums.rows) {
			continue // an earlier run went on from here
		}
		conflicts, err := s.conflicts()
		if err != nil || len(conflicts) == 0 {
			return err
		}
		if round == modifyRounds {
			return s.giveUp(conflicts)
		}
		if err := m.again(ctx, round+1, conflicts, rejects); err != nil {
			return err
		}
	}
}

// again makes the file of the next round.
func (m *Modify) again(ctx context.Context, round int, conflicts []job.Change, rejects *Rejects) error {
	if err := m.Source.Refresh(ctx, m.Write.Index); err != nil && !errors.Is(err, esds.ErrForbidden) {
		return err
	}
	out, err := m.fill(job.AgainFile(round), func(out *Sink) error { return m.Changer.Again(ctx, conflicts, out) })
	if err != nil {
		return err
	}
	facts := map[string]any{
		"round": round, "rows": out.rows(), "conflicts": len(conflicts),
		"created": out.done.created, "updated": out.done.updated, "deleted": out.done.deleted, "skipped": out.skipped, "refused": len(out.refused),
	}
	if err := m.Journal.Step(stepAgain, facts); err != nil {
		return err
	}
	if err := addAll(rejects, out.refused); err != nil {
		return err
	}
	m.sums.rows = append(m.sums.rows, out.rows())
	m.sums.conflicts += int64(len(conflicts))
	m.sums.done = m.sums.done.add(out.done)
	m.sums.skipped += out.skipped
	m.sums.refused += int64(len(out.refused))
	m.sums.redone += out.rows()
	return nil
}

func sum(list []int64) (n int64) {
	for _, v := range list {
		n += v
	}
	return n
}

// outcome counts each document of the first file once.
func (m *Modify) outcome() ModifyOutcome {
	r := job.Sum(m.Journal.Base(), m.sent)
	r.Rejected += m.sums.never + m.sums.refused - m.sums.conflicts
	r.Rows = m.sums.never
	if len(m.sums.rows) > 0 {
		r.Rows += m.sums.rows[0]
	}
	r.Created += m.sums.done.created
	r.Updated += m.sums.done.updated
	r.Deleted += m.sums.done.deleted
	r.Noop += m.sums.skipped
	return ModifyOutcome{Report: r, Unchanged: m.sums.unchanged, Skipped: m.sums.skipped, Repeated: m.sums.redone}
}

// check proves that no document is missing in the counts.
func (m *Modify) check(out ModifyOutcome) error {
	if err := out.Report.Check(); err != nil {
		return fmt.Errorf("%s of %s: %w", m.Kind, m.Write.Index, err)
	}
	return nil
}

// isEnd reports whether a file of changes is at its end.
func isEnd(err error) bool { return errors.Is(err, io.EOF) && !errors.Is(err, job.ErrIncomplete) }

// DryRun returns what would happen, and writes nothing.
func (m *Modify) DryRun(ctx context.Context) (Preview, error) {
	out := &Sink{}
	err := m.Changer.All(ctx, out)
	return out.Preview, err
}
