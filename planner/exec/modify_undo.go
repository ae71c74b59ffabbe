package exec

import (
	"context"
	"errors"
	"io/fs"
	"math"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/planner/job"
)

// Undo is the Changer that puts the documents of a job back: those that are
// still as the job left them.
type Undo struct {
	Source esds.Source
	Write  esds.Write               // of the job's table
	Path   func(name string) string // of the files of the job that is undone
	Sent   int64                    // changes of the first file that were sent for certain, when the job was broken off; 0 for all
}

// All reads the job's files of changes, the last round first: a document of a
// later round was not changed by the round before.
func (u *Undo) All(ctx context.Context, out *Sink) error {
	later := map[docKey]bool{}
	for round := u.last(); round >= 0; round-- {
		if err := u.round(ctx, round, later, out); err != nil {
			return err
		}
	}
	return nil
}

func (u *Undo) file(round int) string {
	if round == 0 {
		return u.Path(job.ChangesFile)
	}
	return u.Path(job.AgainFile(round))
}

// last returns the last round that was begun.
func (u *Undo) last() int {
	for round := modifyRounds; round > 0; round-- {
		if file, err := job.OpenChanges(u.file(round)); err == nil {
			_ = file.Close()
			return round
		} else if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, job.ErrIncomplete) {
			return round // which then says what is wrong with it
		}
	}
	return 0
}

func (u *Undo) round(ctx context.Context, round int, later map[docKey]bool, out *Sink) error {
	file, err := job.OpenChanges(u.file(round))
	if err != nil {
		return err
	}
	defer file.Close()
	clashes, err := clashNumbers(u.Path(clashName(round)), math.MaxInt64)
	if err != nil {
		return err
	}
	var chunk []job.Change
	unsure := map[docKey]bool{} // the job may not have changed it
	flush := func() error {
		err := eachCurrent(ctx, u.Source, u.Write, chunk, func(c job.Change, now *current) error {
			return u.undo(c, now, unsure[docKey{c.Index, c.ID}], out)
		})
		chunk = chunk[:0]
		clear(unsure)
		return err
	}
	for n := int64(1); ; n++ {
		c, err := file.Next()
		if isEnd(err) || round > 0 && errors.Is(err, job.ErrIncomplete) { // a round that was not begun
			return flush()
		}
		if err != nil {
			return err
		}
		if key := (docKey{indexOf(c, u.Write), c.ID}); later[key] {
			continue
		} else if round > 0 {
			later[key] = true
		}
		unsure[docKey{c.Index, c.ID}] = clashes[n] || round == 0 && u.Sent > 0 && n > u.Sent
		if chunk = append(chunk, c); len(chunk) == readChunk {
			if err := flush(); err != nil {
				return err
			}
		}
	}
}

// undo decides about one document.
func (u *Undo) undo(c job.Change, now *current, unsure bool, out *Sink) error {
	var source []byte
	if now != nil {
		source = now.source
	}
	switch {
	case sameDocument(source, c.After):
		return out.Add(back(c, now))
	case sameDocument(source, c.Before), unsure:
		out.Preview.Unchanged++
	case now == nil:
		out.Refuse(c, "it was deleted since")
	default:
		out.Refuse(c, "it was changed since")
	}
	return nil
}

// back is the change that takes a change back.
func back(c job.Change, now *current) job.Change {
	r := job.Change{Row: c.Row, Action: esds.IndexDoc, Index: c.Index, ID: c.ID, Routing: c.Routing, After: c.Before}
	switch {
	case now == nil:
		r.Action = esds.CreateDoc
		return r
	case c.Before == nil:
		r.Action = esds.DeleteDoc
	}
	r.Before, r.SeqNo, r.PrimaryTerm, r.Routing = now.source, now.seqNo, now.term, now.routing
	return r
}

// Again looks at the documents that were changed while they were put back.
func (u *Undo) Again(ctx context.Context, conflict []job.Change, out *Sink) error {
	return eachCurrent(ctx, u.Source, u.Write, conflict, func(c job.Change, now *current) error {
		var source []byte
		if now != nil {
			source = now.source
		}
		switch {
		case sameDocument(source, c.After):
			out.Done(c)
		case sameDocument(source, c.Before) && now == nil:
			return out.Add(c)
		case sameDocument(source, c.Before):
			c.SeqNo, c.PrimaryTerm = now.seqNo, now.term
			return out.Add(c)
		default:
			out.Refuse(c, "it was changed since")
		}
		return nil
	})
}
