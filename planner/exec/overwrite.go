package exec

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

// cleanupTime is how long a stopped job tries to remove its staging index.
const cleanupTime = 10 * time.Second

// overwrite loads a staging index, proves that it holds every row, and puts it
// in the place of the target. Before that the target is not touched.
func (j *Job) overwrite(ctx context.Context, target esds.Target, rows row.Reader) (Outcome, error) {
	out := Outcome{Target: target}
	mode, err := j.mode(target)
	if err != nil {
		return out, errors.Join(err, rows.Close())
	}
	def, before, err := j.old(ctx, target)
	if err != nil {
		return out, errors.Join(err, rows.Close())
	}
	out.Before, out.Made, out.Swapped = before, target.Kind == esds.Absent, mode == esds.Swap
	staging := stagingName(target, j.ID)
	def.Hidden = true
	if err := j.Source.Create(ctx, staging, def); err != nil {
		err = errors.Join(err, rows.Close())
		if ctx.Err() != nil { // it may have been made all the same
			err = errors.Join(kept(err, target.Name), j.discard(ctx, staging))
		}
		return out, err
	}
	out.Report, err = j.stage(ctx, staging, rows)
	if err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return out, errors.Join(kept(err, target.Name), j.discard(ctx, staging))
	}
	// From here on it comes to its end: half of it would leave no rows.
	ctx = context.WithoutCancel(ctx)
	if err := j.Source.Replace(ctx, staging, target, mode); err != nil {
		return out, j.unreplaced(ctx, staging, target, err)
	}
	return out, nil
}

// unreplaced tells what is left when the exchange failed. The staging index is
// removed only when the old one is seen to be there still: what is not known may
// be lost otherwise.
func (j *Job) unreplaced(ctx context.Context, staging string, target esds.Target, err error) error {
	if errors.Is(err, esds.ErrOldGone) {
		return err
	}
	now, unknown := j.Source.Resolve(ctx, target.Name)
	if unknown == nil && now.Kind == target.Kind && slices.Equal(now.Indices, target.Indices) {
		return errors.Join(kept(err, target.Name), j.discard(ctx, staging))
	}
	return fmt.Errorf("%w; the new rows are complete in index %s", err, staging)
}

// stagingName begins as the target's name does, so that index templates for the
// one also meet the other.
func stagingName(t esds.Target, job string) string { return t.Name + "-eslake-" + job }

// StagingPattern matches the staging indices of a name.
func StagingPattern(name string) string { return name + "-eslake-*" }

func (j *Job) mode(t esds.Target) (esds.ReplaceMode, error) {
	switch j.Overwrite {
	case "swap":
		return esds.Swap, nil
	case "recreate":
		if t.Kind == esds.Alias {
			return "", &esds.Error{Op: "overwrite", Index: t.Name, Err: errors.New("recreate needs an index, this is an alias"), Hint: "use eslake.overwrite.mode = swap"}
		}
		return esds.Recreate, nil
	case "truncate":
		return "", &esds.Error{Op: "overwrite", Index: t.Name, Err: errors.New("eslake.overwrite.mode = truncate is not supported yet"), Hint: "use auto, swap or recreate"}
	}
	if t.Kind == esds.Alias {
		return esds.Swap, nil
	}
	return esds.Recreate, nil
}

// old returns the definition that the new index takes over, and the count of the
// documents that it replaces.
func (j *Job) old(ctx context.Context, t esds.Target) (esds.Definition, int64, error) {
	if t.Kind == esds.Absent {
		return j.Definition, 0, nil
	}
	like := t.Write
	if like == "" {
		like = t.Indices[0]
	}
	def, err := j.Source.Definition(ctx, like)
	if err != nil {
		return def, 0, err
	}
	before, err := j.Source.Count(ctx, t.Name)
	def.Aliases = nil // Replace moves them when the staged index takes its place
	return def, before, err
}

func (j *Job) stage(ctx context.Context, staging string, rows row.Reader) (esds.Report, error) {
	w := j.Write
	w.Index = staging
	report, err := j.send(ctx, w, rows)
	if err != nil {
		return report, err
	}
	if err := j.Source.Refresh(ctx, staging); err != nil {
		return report, err
	}
	count, err := j.Source.Count(ctx, staging)
	if err != nil {
		return report, err
	}
	if want := report.Created; count != want {
		return report, fmt.Errorf("the staged index %s holds %d documents, %d were created", staging, count, want)
	}
	return report, nil
}

// kept words an error of an overwrite that left the old rows.
func kept(err error, index string) error {
	var partial *PartialError
	if errors.As(err, &partial) {
		partial.Kept = true
		return err
	}
	return &StoppedError{Err: err, Index: index, Kept: true}
}

// discard removes the staging index, also when the statement was cancelled.
func (j *Job) discard(ctx context.Context, staging string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTime)
	defer cancel()
	if err := j.Source.Drop(ctx, staging); err != nil && !errors.Is(err, esds.ErrIndexNotFound) {
		return fmt.Errorf("the staging index %s was left behind: %w", staging, err)
	}
	return nil
}
