package session

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/eslake/eslake/catalog"
	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/planner"
	"github.com/eslake/eslake/planner/exec"
	"github.com/eslake/eslake/planner/job"
	"github.com/eslake/eslake/sql"
	"github.com/eslake/eslake/sql/lex"
)

// Codes of errors of UNDO, see docs/errors.md.
const (
	codeNoJob  = "E4401" // there is no such job
	codeNoUndo = "E4402" // a job that cannot be undone
)

// undo puts the documents of a job back.
func (s *Session) undo(ctx context.Context, st *sql.UndoJob) (Result, error) {
	store := s.jobs.store
	old, err := store.Read(st.ID.Name)
	if errors.Is(err, job.ErrNotFound) {
		return Result{}, &lex.Error{Code: codeNoJob, Span: st.ID.At, Message: fmt.Sprintf("there is no job %s", st.ID.Name), Hint: "SHOW JOBS lists them"}
	}
	if err != nil {
		return Result{}, err
	}
	if why, hint := undoable(old); why != "" {
		return Result{}, &lex.Error{Code: codeNoUndo, Span: st.ID.At, Message: fmt.Sprintf("job %s cannot be undone: %s", old.ID, why), Hint: hint}
	}
	t, create, err := s.tableOf(old)
	if err != nil {
		return Result{}, cannotUndo(st, old, "%v", err)
	}
	source, write, err := s.targetOf(ctx, st, old, t)
	if err != nil {
		return Result{}, err
	}
	changer, err := s.undoOf(ctx, st, old, source, write)
	if err != nil {
		return Result{}, err
	}
	prepare := func(context.Context) error { return nil }
	if remake, ok := changer.(*exec.Remake); ok {
		prepare = func(ctx context.Context) error {
			if err := remake.Make(ctx); err != nil {
				return err
			}
			return create()
		}
	}
	undone, _, err := store.Reopen(old.ID) // its lock keeps it from being resumed meanwhile
	if err != nil {
		return Result{}, err
	}
	id := s.jobID()
	var res Result
	if def, found := s.savedIndex(ctx, old, source, write.Index); found != nil {
		err = found
	} else if def != nil {
		res, err = s.undoAnew(ctx, old, id, source, write, def)
	} else {
		res, err = s.run(ctx, &changing{
			kind: job.Undo, statement: fmt.Sprintf("UNDO JOB '%s'", old.ID), id: id, table: old.Table, name: tableName(old.Table),
			source: source, write: write, changer: changer, prepare: prepare, expect: func(context.Context) int64 { return savedChanges(old) },
		})
	}
	if err == nil && !s.dry(write.Options) {
		err = undone.Undone(id)
	}
	return res, errors.Join(err, undone.Close())
}

// savedChanges is how many documents are read to undo a job.
func savedChanges(old *job.Record) (n int64) {
	for _, s := range old.Steps {
		for _, name := range []string{"rows", "documents"} {
			if v, ok := s.Facts[name].(float64); ok && (s.Name == exec.StepChanges || s.Name == exec.StepBackup) {
				n += int64(v)
			}
		}
	}
	if overwrote(old) { // what is there now is read too
		n += old.Outcome.Counts.Created
	}
	return n
}

// createdAndDeleted reports whether a job set out to make documents and to delete
// some.
func createdAndDeleted(old *job.Record) bool {
	s, _ := old.Step(exec.StepChanges)
	made, _ := s.Facts["created"].(float64)
	deleted, _ := s.Facts["deleted"].(float64)
	return made > 0 && deleted > 0
}

// overwrote reports whether a job replaced all documents of an index.
func overwrote(r *job.Record) bool {
	_, planned := r.Step(exec.StepPlanned)
	return r.Kind == job.Overwrite || r.Kind == job.Truncate || r.Kind == job.Undo && planned
}

// undoOf is what puts the documents of a job back.
func (s *Session) undoOf(ctx context.Context, st *sql.UndoJob, old *job.Record, source esds.Source, write esds.Write) (exec.Changer, error) {
	u := exec.Undo{Source: source, Write: write, Once: old.Runs == 1, Replaces: createdAndDeleted(old), Path: func(name string) string { return filepath.Join(old.Dir, name) }}
	if old.Kind == job.Drop {
		index, err := exec.ReadSavedIndex(old.Dir)
		return &exec.Remake{Undo: u, Index: index}, err
	}
	if !overwrote(old) {
		if !old.Finished() {
			u.Sent = max(1, old.Acked)
		}
		return &u, nil
	}
	if s.earlier() != nil { // which found them all, and has changed them since
		return &exec.Restore{Undo: u}, nil
	}
	count, err := source.Count(ctx, write.Index)
	if err != nil {
		return nil, err
	}
	if left := old.Outcome.Counts.Created + old.Outcome.Counts.Noop; count != left {
		return nil, &lex.Error{
			Code: codeNoUndo, Span: st.ID.At, Message: fmt.Sprintf("job %s cannot be undone: it left %s documents in %s, now there are %s: someone wrote there since", old.ID, thousands(left), write.Index, thousands(count)),
			Hint: "the documents that it replaced are in " + job.ChangesFile + " of the job's folder",
		}
	}
	return &exec.Restore{Undo: u}, nil
}

// undoable says why a job cannot be undone, "" when it can.
func undoable(r *job.Record) (why, hint string) {
	switch r.State {
	case job.Running:
		return "it is running", ""
	case job.Undone:
		return "job " + r.UndoneBy + " did that already", fmt.Sprintf("UNDO JOB '%s' brings its changes back", r.UndoneBy)
	}
	switch kind := r.Kind; {
	case kind == job.Update, kind == job.Delete, kind == job.Merge, kind == job.Undo && !overwrote(r):
		if _, ok := r.Step(exec.StepChanges); !ok {
			return "it ended before it wrote anything", "there is nothing to put back"
		}
		return "", ""
	case overwrote(r), kind == job.Drop:
		if _, ok := r.Step(exec.StepBackup); !ok {
			return "it saved no documents", "SET eslake.backup = true before the next one"
		}
		if r.State != job.Done {
			return "it did not come to its end", "eslake jobs resume " + r.ID + " brings it there"
		}
		return "", ""
	}
	return "it is an " + r.Kind + ", which saves no documents", ""
}

// targetOf finds the source of a job's table, as the table is bound now, which
// must be where the job wrote.
func (s *Session) targetOf(ctx context.Context, st *sql.UndoJob, old *job.Record, t *catalog.Table) (esds.Source, esds.Write, error) {
	env := s.env()
	opts, err := env.Options(t)
	if err != nil {
		return nil, esds.Write{}, planner.Located(err, st.ID.At)
	}
	index, err := opts.Resource(esds.ReadSide)
	if err != nil {
		return nil, esds.Write{}, planner.Located(err, st.ID.At)
	}
	source, err := s.cfg.Sources.Source(ctx, opts)
	if err != nil {
		return nil, esds.Write{}, err
	}
	if index != old.Index || place(source.String()) != place(old.Source) {
		return nil, esds.Write{}, cannotUndo(st, old, "table %s is now bound to %s at %s, the job wrote to %s at %s", old.Table, index, source, old.Index, old.Source)
	}
	return source, esds.Write{Index: index, Options: planner.DocumentOptions(opts), Changes: true}, nil
}

// cannotUndo says why the table of a job is not to be used.
func cannotUndo(st *sql.UndoJob, old *job.Record, format string, args ...any) error {
	return &lex.Error{
		Code: codeNoUndo, Span: st.ID.At, Message: fmt.Sprintf("job %s cannot be undone: ", old.ID) + fmt.Sprintf(format, args...),
		Hint: "bind a table of the name " + old.Table + " to index " + old.Index,
	}
}

// tableName is the name without its database.
func tableName(full string) string { return full[strings.LastIndexByte(full, '.')+1:] }
