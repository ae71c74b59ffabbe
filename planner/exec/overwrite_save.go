package exec

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/planner/job"
)

// save saves the documents that the overwrite is about to replace, and keeps others
// from changing them until that is done. It comes last before the exchange, so that
// the index can be written as long as possible.
func (o *overwrite) save(ctx context.Context) error {
	if o.job.Saves == nil {
		return nil
	}
	done, err := o.replaced(ctx)
	if err != nil || done {
		return err
	}
	o.forbidden = o.state.Target.Indices
	_, err = SaveIndex(ctx, o.job.Source, Saved{Write: *o.job.Saves, Like: o.state.like(), Forbid: o.forbidden, Told: o.told}, o.job.journal)
	return err
}

// told tells of documents that are saved.
func (o *overwrite) told(documents int64) {
	if o.job.Saving != nil {
		o.job.Saving(documents, o.state.Before)
	}
}

// replaced reports whether an earlier run exchanged the indices, and did not come to
// say so.
func (o *overwrite) replaced(ctx context.Context) (bool, error) {
	if o.job.Earlier == nil {
		return false, nil
	}
	if o.state.after(StepOldRemoved) {
		return true, nil
	}
	untouched, err := o.unexchanged(ctx)
	return !untouched, err
}

func (o *overwrite) unexchanged(ctx context.Context) (bool, error) {
	src, target := o.job.Source, o.state.Target
	now, err := src.Resolve(ctx, target.Name)
	if err != nil || now.Kind != target.Kind || !slices.Equal(now.Indices, target.Indices) {
		return false, err
	}
	staged, err := src.Resolve(ctx, o.state.Staging)
	if err != nil || staged.Kind == esds.Absent {
		return false, err
	}
	if target.Kind != esds.Concrete || o.state.Identity == "" {
		return true, nil
	}
	def, err := src.Definition(ctx, target.Name)
	return def.Identity == o.state.Identity, err
}

// allow lets the index be written again that was not replaced.
func (o *overwrite) allow(ctx context.Context) error {
	indices := o.forbidden
	if indices == nil && o.job.Earlier != nil {
		indices = o.job.Earlier.Forbidden()
	}
	o.forbidden = nil
	if len(indices) == 0 {
		return nil
	}
	return Allow(ctx, o.job.Source, o.job.journal, indices)
}

// like is the index whose definition the new one takes over.
func (o Overwriting) like() string {
	switch t := o.Target; {
	case t.Write != "":
		return t.Write
	case len(t.Indices) > 0:
		return t.Indices[0]
	}
	return ""
}

// clear deletes every document of the target, for mode truncate.
func (o *overwrite) clear(ctx context.Context) (int64, error) {
	if o.job.Saves == nil {
		return o.job.Source.Clear(ctx, o.state.Target.Name)
	}
	return o.clearSaved(ctx)
}

// clearSaved saves the documents and deletes exactly those, each when it is still as
// it was saved. What another writer changed or added meanwhile is saved in a round
// of its own. It returns how many there were.
func (o *overwrite) clearSaved(ctx context.Context) (before int64, err error) {
	last, documents := -1, int64(0)
	if s, ok := o.job.earlier(StepBackup); ok {
		last, documents, before = int(fact(s, "round")), fact(s, "documents"), fact(s, "before")
	}
	saved := Saved{Write: *o.job.Saves, Like: o.state.like(), Told: o.told}
	conflicts := int64(0)
	for round := max(last, 0); ; round++ {
		if round > last {
			saved.Round, saved.Before = round, max(before-conflicts, 0)
			if documents, err = SaveIndex(ctx, o.job.Source, saved, o.job.journal); err != nil {
				return before, err
			}
			before = saved.Before + documents
		}
		switch {
		case documents == 0:
			return before, nil
		case round == modifyRounds:
			return before, &esds.Error{
				Op: "delete documents of", Index: o.state.Target.Name, Err: fmt.Errorf("another writer adds or changes documents all the time; %d are there now", documents),
				Hint: "stop it, and resume the job",
			}
		}
		if conflicts, err = o.deleteSaved(ctx, round); err != nil {
			return before, err
		}
	}
}

// deleteSaved deletes the documents of a round, and returns how many were no longer
// as they had been saved.
func (o *overwrite) deleteSaved(ctx context.Context, round int) (conflicts int64, err error) {
	file, err := job.OpenChanges(o.job.journal.Path(changesFile(round)))
	if err != nil {
		return 0, err
	}
	w := *o.job.Saves
	w.Changes = true
	w.Reject = func(r esds.Reject) error {
		if r.Status == http.StatusConflict || r.Status == http.StatusNotFound {
			conflicts++
			return nil
		}
		return &esds.Error{Op: "delete documents of", Index: w.Index, Status: r.Status, Err: fmt.Errorf("document %s: %s", r.ID, r.Reason)}
	}
	_, err = o.job.Source.Write(ctx, w, file.Rows())
	return conflicts, err
}

// changesFile names the file of changes of a round.
func changesFile(round int) string {
	if round == 0 {
		return job.ChangesFile
	}
	return job.AgainFile(round)
}

// fact is a fact of a step, 0 when it has none of that name.
func fact(s job.Step, name string) int64 {
	n, _ := s.Facts[name].(float64)
	return int64(n)
}
