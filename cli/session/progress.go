package session

import (
	"context"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/planner"
	"github.com/eslake/eslake/planner/duck"
	"github.com/eslake/eslake/planner/exec"
)

// Progress is how far a running write is.
type Progress struct {
	Statement string // and the table
	Done      esds.Report
	// Read is how many documents were read so far by a statement that reads all
	// before it writes, and Found how many of them change, -1 where they are saved and
	// not changed. Both are 0 once it writes.
	Read, Found int64
	Part        float64 // of the rows, from 0 to 1; 0 when it is not known
}

// watch has the progress of a write told, and returns the context that it runs
// under.
func (s *Session) watch(ctx context.Context, plan *planner.Insert, word string) context.Context {
	if s.cfg.Progress == nil {
		return ctx
	}
	rows, files := plan.Expect(ctx)
	w := &plan.Job
	w.Expected = rows
	read := &duck.Reading{}
	read.Expect(files)
	w.Write.Progress = func(r esds.Report) {
		p := Progress{Statement: word + " " + plan.Table.Name, Done: r, Part: read.Part()}
		if w.Expected > 0 { // of a spool, say, which is written when all files are read
			p.Part = partOf(r.Settled(), w.Expected)
		}
		s.cfg.Progress(p)
	}
	return duck.WithReading(ctx, read)
}

// tellSaving returns what tells of documents that are saved, nil when nobody listens.
func (s *Session) tellSaving(statement string) func(documents, of int64) {
	if s.cfg.Progress == nil {
		return nil
	}
	return func(documents, of int64) {
		s.cfg.Progress(Progress{Statement: statement + ", saving", Read: documents, Found: -1, Part: partOf(documents, of)})
	}
}

// watchChange has the progress of a change told: first of reading, then of writing.
func (s *Session) watchChange(ctx context.Context, c *changing, m *exec.Modify) {
	if s.cfg.Progress == nil {
		return
	}
	what := c.kind + " " + c.name
	expected := int64(0)
	if c.expect != nil {
		expected = c.expect(ctx)
	}
	m.Reading = func(read, found int64) {
		s.cfg.Progress(Progress{Statement: what, Read: max(read, found), Found: found, Part: partOf(read, expected)})
	}
	m.Write.Progress = func(r esds.Report) {
		s.cfg.Progress(Progress{Statement: what, Done: r, Part: partOf(r.Settled(), m.Expected())})
	}
}

func partOf(done, of int64) float64 {
	if of <= 0 {
		return 0
	}
	return min(1, float64(done)/float64(of))
}
