package exec

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"path/filepath"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/planner/job"
	"github.com/eslake/eslake/sql/row"
)

// StepBackup is the journal's step of a job that saved all documents of its index
// before it replaced them.
const StepBackup = "backup"

// Saved says what SaveIndex saves.
type Saved struct {
	Write  esds.Write      // Index names the index or alias; Options are those that its documents are read by
	Like   string          // concrete index whose definition is saved; "" for none
	Forbid []string        // indices that nobody may write until Allow, or until they are gone
	Table  json.RawMessage // see SavedIndex

	// Told is called now and then with how many documents were saved so far. Nil for
	// none.
	Told func(documents int64)

	Round  int   // 0, or the number of the file of changes: what is saved once more
	Before int64 // documents that rounds before saved
}

// SaveIndex saves an index and its documents in the job's folder, and returns how
// many they are. An index that is not there has none.
func SaveIndex(ctx context.Context, src esds.Source, s Saved, journal *job.Journal) (int64, error) {
	var def esds.Definition
	if s.Like != "" {
		var err error
		if def, err = src.Definition(ctx, s.Like); err != nil {
			return 0, err
		}
	}
	if err := forbid(ctx, src, journal, s.Forbid); err != nil {
		return 0, err
	}
	if s.Round == 0 {
		if err := saveDefinition(journal.Path(indexFile), s, def); err != nil {
			return 0, fmt.Errorf("save index %s: %w", s.Like, err)
		}
	}
	n, err := saveDocuments(ctx, src, s, journal.Path(changesFile(s.Round)))
	if err != nil {
		return 0, err
	}
	return n, journal.Step(StepBackup, map[string]any{"documents": n, "round": s.Round, "before": s.Before + n, "identity": def.Identity})
}

func saveDocuments(ctx context.Context, src esds.Source, s Saved, path string) (int64, error) {
	file, err := job.CreateChanges(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	if s.Like != "" {
		if err := src.Refresh(ctx, s.Write.Index); err != nil && !errors.Is(err, esds.ErrForbidden) {
			return 0, err
		}
		err := eachDocument(ctx, src, s.Write, func(id string, d *current) error {
			if n := file.Rows(); n > 0 && n%tellEvery == 0 && s.Told != nil {
				s.Told(n)
			}
			return file.Add(job.Change{Row: file.Rows() + 1, Action: esds.DeleteDoc, ID: id, Routing: d.routing, SeqNo: d.seqNo, PrimaryTerm: d.term, Before: d.source})
		})
		if err != nil {
			return 0, err
		}
	}
	return file.Rows(), file.Complete()
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
	seeds := [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}
	key := func(id string) [2]uint64 {
		return [2]uint64{maphash.String(seeds[0], id), maphash.String(seeds[1], id)}
	}
	saved := map[[2]uint64]struct{}{}
	for round := r.last(); round >= 0; round-- { // of a document that was saved again the last state counts
		err := r.each(ctx, round, func(c job.Change) bool {
			_, later := saved[key(c.ID)]
			saved[key(c.ID)] = struct{}{}
			return !later
		}, func(c job.Change, now *current) error { return restore(c, now, out) })
		if err != nil {
			return err
		}
	}
	return eachDocument(ctx, r.Source, r.Write, func(id string, d *current) error {
		if _, ok := saved[key(id)]; ok {
			return nil
		}
		return out.Add(job.Change{Action: esds.DeleteDoc, ID: id, Routing: d.routing, SeqNo: d.seqNo, PrimaryTerm: d.term, Before: d.source})
	})
}

// each calls f with the changes of a file that are wanted, and their documents as
// they are now.
func (u *Undo) each(ctx context.Context, round int, wanted func(job.Change) bool, f func(job.Change, *current) error) error {
	file, err := job.OpenChanges(u.file(round))
	if err != nil {
		return err
	}
	defer file.Close()
	var chunk []job.Change
	for {
		c, err := file.Next()
		switch {
		case isEnd(err):
			return eachCurrent(ctx, u.Source, u.Write, chunk, f)
		case err != nil:
			return err
		case !wanted(c):
			continue
		}
		if chunk = append(chunk, c); len(chunk) == readChunk {
			if err := eachCurrent(ctx, u.Source, u.Write, chunk, f); err != nil {
				return err
			}
			chunk = chunk[:0]
		}
	}
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

// SavedRows are the documents that a job saved, as rows of esds.ChangeSchema that
// make them. Closing them closes the file.
func SavedRows(dir string) (row.Reader, error) {
	file, err := job.OpenChanges(filepath.Join(dir, job.ChangesFile))
	if err != nil {
		return nil, err
	}
	return file.Made(), nil
}
