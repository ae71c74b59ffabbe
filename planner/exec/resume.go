package exec

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/planner/job"
	"github.com/eslake/eslake/sql/row"
)

// Way is how a resumed job comes to the rows that it began with.
type Way string

// The ways. Each text says what a resume does.
const (
	// Reread is for rows that come in the same order each time.
	Reread Way = "reads the rows again, and goes on behind those that were acknowledged"
	// Again is for rows whose ids are in a column: written twice they are there once.
	Again Way = "runs the statement again; rows that are there are written once more under the same ids"
	// Spooled is for all other rows: they are kept in the job's folder first.
	Spooled Way = "goes on behind the rows that were acknowledged; the rows are kept in the job's folder before the first one is sent"
	// Anew is for an overwrite.
	Anew Way = "runs the statement again; the old rows stay until the new ones are complete"
	// Emptied is for an overwrite that deletes before it writes.
	Emptied Way = "runs the statement again, which deletes the old rows before it writes"
	// Whole is for a source that takes all rows of a statement or none.
	Whole Way = "runs the statement again, unless all of its rows are there: the rows are written in one transaction"
	// Never is for rows that the user does not want kept.
	Never Way = "is refused: the rows cannot be read again in the same order, and eslake.spool is false"
	// Scripted is for documents that a script changes, which must not happen twice.
	Scripted Way = "is refused: the script may have been applied to rows whose answer was lost, and would be applied to them again"
)

// Resumable reports whether a job can be resumed.
func (w Way) Resumable() bool { return w != Never && w != Scripted }

// restarts reports whether a resume begins at the first row again.
func (w Way) restarts() bool { return w == Again || w == Anew || w == Emptied || w == Whole }

// begin reads the first rows, opens the journal, and sees to it that a resume
// comes to the same rows. It closes rows when it fails.
func (j *Job) begin(ctx context.Context, target esds.Target, rows row.Reader) (row.Reader, error) {
	if step, kept := j.earlier(job.StepSpooled); kept {
		return j.spooled(target, rows, step)
	}
	in, err := Prime(ctx, rows)
	if err != nil {
		return nil, &StoppedError{Err: err, Index: target.Name, Kept: j.Overwrite != ""}
	}
	if j.Begin == nil {
		return in, nil
	}
	if j.journal, err = j.Begin(target); err != nil {
		return nil, errors.Join(err, in.Close())
	}
	if j.Way.restarts() {
		if err := j.beginAgain(); err != nil {
			return nil, errors.Join(err, in.Close())
		}
	}
	if err := j.trimRejects(); err != nil {
		return nil, errors.Join(err, in.Close())
	}
	if j.Way == Spooled {
		return j.spool(ctx, in)
	}
	return in, nil
}

// spool keeps all rows in the job's folder and returns them from there.
func (j *Job) spool(ctx context.Context, in row.Reader) (row.Reader, error) {
	path := j.journal.Path(job.SpoolFile)
	n, err := WriteSpool(ctx, path, in)
	if err == nil {
		err = j.journal.Step(job.StepSpooled, map[string]any{"rows": n})
	}
	if err != nil {
		return nil, &StoppedError{Err: err, Index: j.Write.Index}
	}
	j.Expected = n
	return OpenSpool(path, in.Schema())
}

// spooled returns the rows that an earlier run kept.
func (j *Job) spooled(target esds.Target, rows row.Reader, step job.Step) (row.Reader, error) {
	schema := rows.Schema()
	if err := rows.Close(); err != nil {
		return nil, err
	}
	journal, err := j.Begin(target)
	if err != nil {
		return nil, err
	}
	j.journal = journal
	if n, ok := step.Facts["rows"].(float64); ok {
		j.Expected = int64(n)
	}
	in, err := OpenSpool(journal.Path(job.SpoolFile), schema)
	if err != nil {
		return nil, fmt.Errorf("%w; %v rows had been kept", err, step.Facts["rows"])
	}
	if err := j.trimRejects(); err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return in, nil
}

// earlier returns a step of an earlier run.
func (j *Job) earlier(step string) (job.Step, bool) {
	if j.Earlier == nil {
		return job.Step{}, false
	}
	return j.Earlier.Step(step)
}

// step writes a step into the journal, when there is one.
func (j *Job) step(name string, facts map[string]any) error {
	if j.journal == nil {
		return nil
	}
	return j.journal.Step(name, facts)
}

// resumed says where a write goes on.
func (j *Job) resumed(w esds.Write) esds.Write {
	if j.Earlier == nil {
		return w
	}
	w.Resumed = true
	if j.Way == Reread || j.Way == Spooled {
		w.From, w.Doubt = j.Earlier.Acked, j.Earlier.Sent
		if j.Earlier.Cut {
			w.Doubt = math.MaxInt64
		}
	}
	return w
}

// trimRejects takes back the rejects of rows that are sent again.
func (j *Job) trimRejects() error {
	if j.Earlier == nil {
		return nil
	}
	return TrimRejects(j.Earlier.Rejects, j.Earlier.RejectsAt, j.resumed(esds.Write{}).From)
}
