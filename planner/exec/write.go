package exec

import (
	"context"
	"errors"
	"fmt"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/planner/job"
	"github.com/eslake/eslake/sql/row"
)

// Job is a write of rows to an index.
type Job struct {
	ID         string // unique; part of staging names and of ids that eslake makes
	Source     esds.Source
	Write      esds.Write      // Index is the name as the table has it
	Definition esds.Definition // of the index, when it has to be made
	AutoCreate bool            // es.index.auto.create
	Rejects    string          // path of the rejects file
	Overwrite  string          // eslake.overwrite.mode, "" for an append
	MaxRejects MaxRejects      // rejected rows beyond which it stops; the zero value stops at the first
	Relax      Relax           // which new index is loaded with neither refresh nor replicas

	// Expected is how many rows there will be, 0 when it is not known. Run sets it
	// when it has counted them.
	Expected int64
	// Line returns the file and the line of a row of the rows, "" when they are not
	// known. Nil knows none.
	Line func(row int64) (path string, line int64)

	Way Way // to the same rows when the job is resumed
	// Begin opens the journal once the first rows are read and before anything is
	// written; the caller finishes it. Nil keeps none.
	Begin func(esds.Target) (*job.Journal, error)
	// Replacing is asked, when all new rows are staged, whether an overwrite of the
	// indices that the rows name may replace so many documents. Nil allows it.
	Replacing func(ctx context.Context, documents int64) error
	// Saves says how the documents of the index are read that an overwrite saves in
	// the job before it replaces them; nil when it does not.
	Saves *esds.Write
	// Saving is told of how many documents, of how many, are saved. Nil for none.
	Saving func(documents, of int64)
	// Like has the mapping and the settings of the index that an overwrite makes, in
	// the place of those of the index that it replaces. Nil takes those.
	Like    *esds.Definition
	Earlier *job.Record // what an earlier run of this job did; nil for the first

	journal *job.Journal
	done    esds.Report // by runs before, of a job that begins again
}

// Outcome is what a job did.
type Outcome struct {
	Report  esds.Report
	Target  esds.Target
	Made    bool  // the index was made by this job
	Before  int64 // Overwrite: documents that were replaced
	Swapped bool  // Overwrite: through an alias
	Indices int   // Overwrite of the indices that the rows name: how many
}

// StoppedError is a job that ended before all rows were written.
type StoppedError struct {
	Err     error
	Index   string
	Written int64  // rows that are in the index; with Kept none
	Kept    bool   // an overwrite that left the old rows as they were
	Made    bool   // the index was made before
	Job     string // id of the job that can be resumed; "" for none
	Cleared int64  // documents that were deleted before

	Replaced, Of int // of how many indices, which the rows name, how many were replaced; Of is 0 for another job
}

// Error says what was done before the cause.
func (e *StoppedError) Error() string {
	if e.Kept {
		return fmt.Sprintf("%v; %s keeps its old rows, nothing was put in place", e.Err, e.Index)
	}
	if e.Of > 0 {
		return fmt.Sprintf("%v; %d of %d indices of %s were replaced, the new rows of the others are complete in staging indices", e.Err, e.Replaced, e.Of, e.Index)
	}
	made := ""
	if e.Made {
		made = ", which was made"
	}
	if e.Cleared > 0 {
		made += fmt.Sprintf(", after its %d old documents were deleted", e.Cleared)
	}
	return fmt.Sprintf("%v; %d rows had been written to %s%s", e.Err, e.Written, e.Index, made)
}

func (e *StoppedError) Unwrap() error { return e.Err }

// Run writes rows, which it closes. With rejects the error is a *PartialError,
// when it stopped early a *StoppedError; the outcome is valid with both.
func (j *Job) Run(ctx context.Context, rows row.Reader) (Outcome, error) {
	if goOn, err := j.loaded(); err != nil || goOn != nil {
		if err = errors.Join(err, rows.Close()); err != nil {
			return Outcome{}, err
		}
		return goOn(ctx)
	}
	target, err := j.resolve(ctx)
	if err == nil {
		err = j.check(target)
	}
	if err != nil {
		return Outcome{}, errors.Join(err, rows.Close())
	}
	in, err := j.begin(ctx, target, rows)
	if err != nil {
		return Outcome{Target: target}, err
	}
	switch {
	case j.Overwrite != "" && target.Kind == esds.Dynamically:
		return j.overwriteEach(ctx, target, in)
	case j.Overwrite != "":
		return j.overwrite(ctx, target, in)
	}
	return j.append(ctx, target, in)
}

// resolve says what the name stands for. One that each row completes stands for
// nothing before the rows are seen, and its indices are made by the write.
func (j *Job) resolve(ctx context.Context) (esds.Target, error) {
	if esds.Dynamic(j.Write.Index) {
		return esds.Target{Name: j.Write.Index, Kind: esds.Dynamically}, nil
	}
	return j.Source.Resolve(ctx, j.Write.Index)
}

// check refuses targets that cannot be written.
func (j *Job) check(t esds.Target) error {
	refuse := func(why, hint string) error {
		return &esds.Error{Op: "write", Index: t.Name, Err: errors.New(why), Hint: hint}
	}
	switch {
	case t.Kind == esds.Pattern:
		return refuse("a wildcard or list of indices cannot be written", "bind the table to one index, or set es.resource.write")
	case t.Kind == esds.Dynamically && j.Overwrite == modeTruncate:
		return refuse("eslake.overwrite.mode = truncate is for one index, not for a name with braces", "use another mode")
	case t.Kind == esds.Dynamically && j.Overwrite != "" && j.Write.Options.Bool("eslake.backup"):
		return refuse("eslake.backup is for one index, not for a name with braces", "set eslake.backup = false, or overwrite each index by a statement of its own")
	case t.Kind == esds.Alias && t.Write == "":
		return refuse(fmt.Sprintf("the alias stands for %d indices and none of them is its write index", len(t.Indices)), "set is_write_index on one of them")
	case t.Kind == esds.DataStream && j.Overwrite != "":
		return refuse("a data stream cannot be overwritten", "INSERT INTO appends to it")
	case t.Kind == esds.Absent && !j.AutoCreate:
		return &esds.Error{Op: "write", Index: t.Name, Err: esds.ErrIndexNotFound, Hint: "make the index, or set es.index.auto.create = true"}
	}
	return nil
}

func (j *Job) append(ctx context.Context, target esds.Target, rows row.Reader) (Outcome, error) {
	out := Outcome{Target: target}
	if target.Kind == esds.Absent {
		if err := j.sameIndex(target.Name, ""); err != nil {
			return out, errors.Join(err, rows.Close())
		}
		err := j.Source.Create(ctx, target.Name, j.Definition)
		if err != nil && !errors.Is(err, esds.ErrIndexExists) { // another process may have been first
			return out, errors.Join(err, rows.Close())
		}
		if out.Made = err == nil; out.Made {
			if err := j.step(job.StepMade, map[string]any{"index": target.Name}); err != nil {
				return out, errors.Join(err, rows.Close())
			}
		}
	}
	w := j.resumed(j.Write)
	w.Job = j.ID
	if target.Kind == esds.DataStream {
		w.Action = esds.CreateDoc
	}
	var err error
	out.Report, err = j.send(ctx, w, rows)
	if err != nil {
		var partial *PartialError
		if !errors.As(err, &partial) && !errors.Is(err, esds.ErrReplaced) {
			err = &StoppedError{Err: err, Index: target.Name, Written: out.Report.Accepted(), Made: out.Made}
		}
	}
	return out, err
}

// placed says where the row of a reject came from.
func (j *Job) placed(r esds.Reject) esds.Reject {
	if j.Line == nil {
		return r
	}
	if path, line := j.Line(r.Row); path != "" {
		r.Source = fmt.Sprintf("%s:%d", path, line)
	}
	return r
}

// send writes the rows, collects rejects, and proves that no row is missing. The
// report is of all runs of the job.
func (j *Job) send(ctx context.Context, w esds.Write, rows row.Reader) (esds.Report, error) {
	rejects := NewRejects(j.Rejects)
	rejects.most = &j.MaxRejects
	w.Reject = func(r esds.Reject) error { return rejects.Add(j.placed(r)) }
	before := esds.Report{}
	if j.journal != nil {
		before, w.Meets = j.journal.Base(), j.meets
		w.Acked = func(upto int64, settled esds.Report) error {
			if err := rejects.Sync(); err != nil {
				return err
			}
			return j.journal.Ack(upto, settled)
		}
	}
	if told := w.Progress; told != nil {
		w.Progress = func(r esds.Report) { told(job.Sum(before, r)) }
	}
	report, err := j.Source.Write(ctx, j.keepSent(w), rows)
	report = j.withDone(job.Sum(before, report))
	partial := rejects.Close(report)
	if err != nil {
		return report, rejects.stopped(err, report)
	}
	if err := report.Check(); err != nil {
		return report, err
	}
	return report, partial
}
