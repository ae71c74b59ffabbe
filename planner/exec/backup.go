package exec

import (
	"context"
	"hash/maphash"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/planner/job"
)

// StepBackup is the journal's step of a job that saved all documents of its index
// before it replaced them.
const StepBackup = "backup"

// Backup saves all documents of an index in the job's file of changes. Nothing
// may have been written before. An index that is not there has none. It is done
// once: a resumed job finds it in its record, which is nil for a new one.
func Backup(ctx context.Context, src esds.Source, write esds.Write, journal *job.Journal, earlier *job.Record) error {
	if earlier != nil {
		if _, ok := earlier.Step(StepBackup); ok {
			return nil
		}
	}
	file, err := job.CreateChanges(journal.Path(job.ChangesFile))
	if err != nil {
		return err
	}
	defer file.Close()
	target, err := src.Resolve(ctx, write.Index)
	if err != nil {
		return err
	}
	if target.Kind != esds.Absent {
		err = eachDocument(ctx, src, write, func(id string, d *current) error {
			return file.Add(job.Change{Row: file.Rows() + 1, Action: esds.DeleteDoc, ID: id, Routing: d.routing, SeqNo: d.seqNo, PrimaryTerm: d.term, Before: d.source})
		})
		if err != nil {
			return err
		}
	}
	if err := file.Complete(); err != nil {
		return err
	}
	return journal.Step(StepBackup, map[string]any{"documents": file.Rows()})
}

// eachDocument calls f with every document of an index.
func eachDocument(ctx context.Context, src esds.Source, write esds.Write, f func(id string, d *current) error) error {
	open, err := src.Open(ctx, write.Index, write.Options)
	if err != nil {
		return err
	}
	return eachScanned(ctx, open, esds.Scan{Columns: documentColumns}, func(id string, d *current) error {
		if d.source == nil {
			return &esds.Error{Op: "save document " + id, Index: write.Index, Err: errNoSource}
		}
		return f(id, d)
	})
}

// Restore is the Changer that puts the documents of a backup in the place of all
// that are there.
type Restore struct{ Undo }

// All hands out what is not as in the backup: documents that are missing or
// others, and those that the backup does not have.
func (r *Restore) All(ctx context.Context, out *Sink) error {
	file, err := job.OpenChanges(r.Path(job.ChangesFile))
	if err != nil {
		return err
	}
	defer file.Close()
	seeds := [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}
	key := func(id string) [2]uint64 {
		return [2]uint64{maphash.String(seeds[0], id), maphash.String(seeds[1], id)}
	}
	saved := map[[2]uint64]struct{}{}
	var chunk []job.Change
	flush := func() error {
		err := eachCurrent(ctx, r.Source, r.Write, chunk, func(c job.Change, now *current) error { return restore(c, now, out) })
		chunk = chunk[:0]
		return err
	}
	for {
		c, err := file.Next()
		if isEnd(err) {
			break
		}
		if err != nil {
			return err
		}
		saved[key(c.ID)] = struct{}{}
		if chunk = append(chunk, c); len(chunk) == readChunk {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if err := flush(); err != nil {
		return err
	}
	return eachDocument(ctx, r.Source, r.Write, func(id string, d *current) error {
		if _, ok := saved[key(id)]; ok {
			return nil
		}
		return out.Add(job.Change{Action: esds.DeleteDoc, ID: id, Routing: d.routing, SeqNo: d.seqNo, PrimaryTerm: d.term, Before: d.source})
	})
}

// restore brings one document to what the backup has.
func restore(c job.Change, now *current, out *Sink) error {
	back := job.Change{Action: esds.IndexDoc, ID: c.ID, Routing: c.Routing, After: c.Before}
	switch {
	case now == nil:
		back.Action = esds.CreateDoc
	case sameDocument(now.source, c.Before):
		out.Preview.Unchanged++
		return nil
	default:
		back.Before, back.SeqNo, back.PrimaryTerm, back.Routing = now.source, now.seqNo, now.term, now.routing
	}
	return out.Add(back)
}
