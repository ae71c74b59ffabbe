package session

import (
	"context"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/planner"
	"github.com/eslake/eslake/planner/duck"
)

// Progress is how far a running write is.
type Progress struct {
	Statement string // and the table
	Done      esds.Report
	Part      float64 // of the rows, from 0 to 1; 0 when it is not known
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

func partOf(done, of int64) float64 {
	if of <= 0 {
		return 0
	}
	return min(1, float64(done)/float64(of))
}
