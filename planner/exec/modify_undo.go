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
	Once   bool                     // the job ran once: a document that it found in the place of a new one is not its own
	Sent   int64                    // changes of the first file that were sent for certain, when the job was broken off; 0 for all
	// Replaces says that the job may have deleted a document and made another of its
	// id, as a MERGE may.
	Replaces bool
}

// All reads the job's files of changes, the last round first: a document of a
// later round was not changed by the round before.
func (u *Undo) All(ctx context.Context, out *Sink) error {
	replaced, err := u.replaced()
	if err != nil {
		return err
	}
	later := map[docKey]bool{}
	for round := u.last(); round >= 0; round-- {
		if err := u.round(ctx, round, later, replaced, out); err != nil {
			return err
		}
	}
	return u.undoReplaced(ctx, replaced, out)
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

func (u *Undo) round(ctx context.Context, round int, later map[docKey]bool, replaced map[docKey]*replacement, out *Sink) error {
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
	err := u.sentChanges(round, func(c job.Change, perhaps bool) error {
		key := docKey{indexOf(c, u.Write), c.ID}
		if r := replaced[key]; r != nil {
			r.take(c, perhaps)
			return nil
		}
		if later[key] {
			return nil
		}
		if round > 0 {
			later[key] = true
		}
		unsure[docKey{c.Index, c.ID}] = perhaps
		if chunk = append(chunk, c); len(chunk) < readChunk {
			return nil
		}
		return flush()
	})
	if err != nil {
		return err
	}
	return flush()
}

// sentChanges calls f with the changes of a round that the job may have made, and
// whether it perhaps did not.
func (u *Undo) sentChanges(round int, f func(c job.Change, perhaps bool) error) error {
	file, err := job.OpenChanges(u.file(round))
	if err != nil {
		return err
	}
	defer file.Close()
	clashes, err := clashNumbers(u.Path(clashName(round)), math.MaxInt64)
	if err != nil {
		return err
	}
	for n := int64(1); ; n++ {
		c, err := file.Next()
		if isEnd(err) || round > 0 && errors.Is(err, job.ErrIncomplete) { // a round that was not begun
			return nil
		}
		if err != nil {
			return err
		}
		if u.Once && clashes[n] && c.Action == esds.CreateDoc {
			continue // it was there before
		}
		if err := f(c, clashes[n] || round == 0 && u.Sent > 0 && n > u.Sent); err != nil {
			return err
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
