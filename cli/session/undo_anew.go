package session

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/planner/exec"
	"github.com/eslake/eslake/planner/job"
)

// An overwrite is taken back document by document, unless the mapping or the
// settings of the index are no longer those of before: then the index is made anew,
// by an overwrite with the saved documents. That is a job which saves what it
// replaces, and can be taken back like the one that it undoes.

// savedIndex is the definition that the index of a job had, nil when the index is as
// it was, or keeps what it is.
func (s *Session) savedIndex(ctx context.Context, old *job.Record, source esds.Source, index string) (*esds.Definition, error) {
	if !overwrote(old) || !replacing(old) {
		return nil, nil
	}
	saved, err := exec.ReadSavedIndex(old.Dir)
	if err != nil || saved.Name == "" {
		return nil, err
	}
	def := &esds.Definition{Mappings: saved.Mappings, Settings: saved.Settings}
	if r := s.earlier(); r != nil {
		if _, begun := r.Step(exec.StepPlanned); begun {
			return def, nil
		}
		if _, begun := r.Step(exec.StepChanges); begun {
			return nil, nil
		}
	}
	target, err := source.Resolve(ctx, index)
	if err != nil || target.Write == "" {
		return nil, err
	}
	now, err := source.Definition(ctx, target.Write)
	if err != nil || sameJSON(now.Mappings, def.Mappings) && sameJSON(now.Settings, def.Settings) {
		return nil, err
	}
	return def, nil
}

// replacing reports whether a job put an index in the place of another.
func replacing(r *job.Record) bool {
	for _, step := range r.Steps {
		if step.Name == exec.StepPlanned {
			o, err := exec.OverwritingOf(step.Name, step.Facts)
			return err == nil && o.Staging != ""
		}
	}
	return false
}

// sameJSON compares objects by what they say.
func sameJSON(a, b []byte) bool {
	var x, y any
	if len(bytes.TrimSpace(a)) == 0 || len(bytes.TrimSpace(b)) == 0 {
		return len(bytes.TrimSpace(a)) == len(bytes.TrimSpace(b))
	}
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// undoAnew makes the index of an overwrite anew as it was, with the documents that
// it had.
func (s *Session) undoAnew(ctx context.Context, old *job.Record, id string, source esds.Source, write esds.Write, def *esds.Definition) (Result, error) {
	table := tableName(old.Table)
	if s.dry(write.Options) {
		return rehearsedAnew(ctx, old, source, write.Index)
	}
	rows, err := exec.SavedRows(old.Dir)
	if err != nil {
		return Result{}, err
	}
	w := exec.Job{
		ID: id, Source: source, Write: write, Overwrite: "auto", Way: exec.Anew, Relax: exec.Relax(write.Options.String("eslake.write.relax")), Like: def, Saves: &write,
		Rejects: filepath.Join(s.jobs.store.Dir(), id, job.RejectsFile), Earlier: s.earlier(), // the old index took them all, so none may be rejected
	}
	if step, ok := old.Step(exec.StepBackup); ok {
		n, _ := step.Facts["documents"].(float64)
		w.Expected = int64(n)
	}
	w.Write.Notice, w.Saving = s.warn, s.tellSaving(job.Undo+" "+table)
	if s.cfg.Progress != nil {
		w.Write.Progress = func(r esds.Report) {
			s.cfg.Progress(Progress{Statement: job.Undo + " " + table, Done: r, Part: partOf(r.Settled(), w.Expected)})
		}
	}
	var journal *job.Journal
	w.Begin = func(target esds.Target) (j *job.Journal, err error) {
		journal, err = s.beginAnew(ctx, old, &w, target)
		return journal, err
	}
	out, err := w.Run(ctx, rows)
	res := Result{}
	if err == nil {
		res.Message = fmt.Sprintf("UNDO %s -> %s (%s documents replaced; the index was made anew, with its mapping and settings of before)", thousands(out.Report.Accepted()), table, thousands(out.Before)) + takesBack(id)
	}
	if journal != nil {
		s.ended(journal, &w, res.Message, out, err)
	}
	return res, err
}

// beginAnew asks whether the index may be made anew, and opens the journal.
func (s *Session) beginAnew(ctx context.Context, old *job.Record, w *exec.Job, target esds.Target) (*job.Journal, error) {
	start := job.Start{
		ID: w.ID, Kind: job.Undo, Statement: fmt.Sprintf("UNDO JOB '%s'", old.ID), Table: old.Table, Source: w.Source.String(), Index: w.Write.Index,
		Snapshot: &job.Snapshot{Way: string(exec.Anew)}, Rejects: w.Rejects,
	}
	if w.Earlier != nil {
		if err := check(w.Earlier, start); err != nil {
			return nil, err
		}
	} else if err := s.mayRemove(ctx, w.Source, target, Change{Statement: job.Undo, Table: tableName(old.Table)}); err != nil {
		return nil, err
	}
	return s.begin(start)
}

// rehearsedAnew shows what undoAnew would do.
func rehearsedAnew(ctx context.Context, old *job.Record, source esds.Source, index string) (Result, error) {
	n, err := source.Count(ctx, index)
	if err != nil {
		return Result{}, err
	}
	step, _ := old.Step(exec.StepBackup)
	lines := [][]any{
		{"statement", job.Undo + " " + tableName(old.Table)},
		{"index", fmt.Sprintf("%s of %s, which would be made anew with its mapping and settings of before", index, source)},
		{"documents there", thousands(n)},
		{"documents saved", fmt.Sprint(step.Facts["documents"])},
	}
	return Result{Rows: textRows([]string{"dry run", "value"}, lines), Message: dryMessage(job.Undo, tableName(old.Table))}, nil
}
