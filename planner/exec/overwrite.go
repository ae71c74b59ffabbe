package exec

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/planner/job"
	"github.com/eslake/eslake/sql/row"
)

// cleanupTime is how long a stopped job tries to remove its staging index.
const cleanupTime = 10 * time.Second

// modeTruncate is the mode of an overwrite that stages nothing.
const modeTruncate = "truncate"

// overwrite is an INSERT OVERWRITE of one index. It loads a staging index, proves
// that it holds every row, and puts it in the place of the target; before that
// the target is not touched. Mode truncate empties the target instead.
type overwrite struct {
	job        *Job
	state      Overwriting
	def        esds.Definition // of the index to make
	out        Outcome
	relaxLater bool     // the staging index is relaxed once it is there
	noted      error    // of the journal, from when the overwrite had to go on
	forbidden  []string // indices that nobody may write for the moment
}

// overwrite replaces the documents of a target.
func (j *Job) overwrite(ctx context.Context, target esds.Target, in row.Reader) (Outcome, error) {
	o := &overwrite{job: j, state: Overwriting{Target: target}, out: Outcome{Target: target}}
	rows, err := Prime(ctx, in)
	if err != nil {
		return o.out, o.kept(err)
	}
	if err = o.allow(ctx); err == nil { // what an earlier run had forbidden
		err = o.plan(ctx)
	}
	if err == nil {
		err = o.step(StepPlanned)
	}
	if err != nil {
		return o.out, errors.Join(err, rows.Close())
	}
	return o.run(ctx, rows)
}

// resumeOverwrite goes on with an overwrite whose rows were all taken.
func (j *Job) resumeOverwrite(ctx context.Context, state *Overwriting) (_ Outcome, err error) {
	o := &overwrite{job: j, state: *state}
	o.out = Outcome{Target: state.Target, Before: state.Before, Made: state.Target.Kind == esds.Absent, Swapped: state.Mode == string(esds.Swap)}
	if j.Begin != nil {
		if j.journal, err = j.Begin(state.Target); err != nil {
			return o.out, err
		}
		o.out.Report = j.journal.Base()
	}
	return o.out, o.finish(ctx)
}

// run does what is left to do, with the rows that are left to load.
func (o *overwrite) run(ctx context.Context, rows *Primed) (Outcome, error) {
	if o.state.Mode == modeTruncate {
		return o.truncate(ctx, rows)
	}
	if err := o.stage(ctx, rows); err != nil {
		return o.out, err
	}
	err := o.load(ctx, rows)
	if err == nil {
		err = o.finish(ctx)
	} else {
		err = errors.Join(o.kept(err), o.discard(ctx))
	}
	return o.out, err
}

// finish verifies the staging index and puts it in place.
func (o *overwrite) finish(ctx context.Context) error {
	if o.state.Mode == modeTruncate {
		return o.reach(StepInPlace, StepCleaned)
	}
	if !o.state.after(StepVerified) {
		err := o.verify(ctx)
		if err == nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return errors.Join(o.kept(err), o.discard(ctx))
		}
	}
	if !o.state.after(StepCleaned) {
		if err := o.save(ctx); err != nil {
			return errors.Join(o.kept(err), o.discard(ctx))
		}
		// From here on it comes to its end: half of it would leave no rows.
		ctx = context.WithoutCancel(ctx)
		if err := o.place(ctx); err != nil {
			return err
		}
	}
	return o.reach(StepInPlace, StepCleaned)
}

// plan finds the mode and looks at the target, and changes nothing.
func (o *overwrite) plan(ctx context.Context) (err error) {
	target := o.state.Target
	if o.state.Mode, err = o.job.mode(target); err != nil {
		return err
	}
	if err := o.job.Source.Blocked(ctx, target.Name); err != nil {
		return err
	}
	o.out.Made, o.out.Swapped = target.Kind == esds.Absent, o.state.Mode == string(esds.Swap)
	if o.state.Mode == modeTruncate && target.Kind == esds.Absent {
		return &esds.Error{
			Op: "overwrite", Index: target.Name, Err: fmt.Errorf("%w, and eslake.overwrite.mode = truncate makes none", esds.ErrIndexNotFound),
			Hint: "make the index, or use another mode",
		}
	}
	if o.state.Mode != modeTruncate {
		o.state.Staging = esds.StagingName(target.Name, o.job.ID)
	}
	if o.state.Before, err = o.definition(ctx); err != nil {
		return err
	}
	o.out.Before = o.state.Before
	return nil
}

// definition finds what the new index takes over, and counts the documents that
// it replaces.
func (o *overwrite) definition(ctx context.Context) (before int64, err error) {
	t := o.state.Target
	if t.Kind == esds.Absent {
		o.def = o.job.Definition
		return 0, nil
	}
	if o.def, err = o.job.Source.Definition(ctx, o.state.like()); err != nil {
		return 0, err
	}
	if t.Kind == esds.Concrete {
		o.state.Aliases, o.state.Identity = o.def.Aliases, o.def.Identity
	}
	if like := o.job.Like; like != nil {
		o.def.Mappings, o.def.Settings = like.Mappings, like.Settings
	}
	o.def.Aliases = nil // Replace moves them when the staged index takes its place
	return o.job.Source.Count(ctx, t.Name)
}

// mode is how the target is replaced.
func (j *Job) mode(t esds.Target) (string, error) {
	switch j.Overwrite {
	case "swap", modeTruncate:
		return j.Overwrite, nil
	case "recreate":
		if t.Kind == esds.Alias {
			return "", &esds.Error{Op: "overwrite", Index: t.Name, Err: errors.New("recreate needs an index, this is an alias"), Hint: "use eslake.overwrite.mode = swap"}
		}
		return j.Overwrite, nil
	}
	if t.Kind == esds.Alias {
		return string(esds.Swap), nil
	}
	return string(esds.Recreate), nil
}

// stage makes the staging index.
func (o *overwrite) stage(ctx context.Context, rows *Primed) error {
	large, err := o.job.large(ctx, rows)
	if err == nil && o.job.Earlier != nil { // a run before may have left it, incomplete
		err = o.discard(ctx)
	}
	if err == nil {
		err = o.makeStaging(ctx, large)
	}
	if err == nil {
		return nil
	}
	err = errors.Join(err, rows.Close())
	if errors.Is(err, esds.ErrIndexExists) {
		return err
	}
	return errors.Join(o.kept(err), o.discard(ctx)) // it may have been made all the same
}

// makeStaging names the staging index in the journal and makes it.
func (o *overwrite) makeStaging(ctx context.Context, large bool) error {
	o.def.Hidden = true
	target := o.state.Target
	facts := map[string]any{"index": o.state.Staging, "for": target.Name, "absent": target.Kind == esds.Absent}
	if err := o.job.step(job.StepStaging, facts); err != nil {
		return err
	}
	def, err := o.relax(large)
	if err == nil {
		err = o.job.Source.Create(ctx, o.state.Staging, def)
	}
	if err == nil {
		err = o.relaxMade(ctx)
	}
	if err == nil {
		err = o.step(StepStaged)
	}
	return err
}

// load fills the staging index.
func (o *overwrite) load(ctx context.Context, rows row.Reader) error {
	w := o.job.Write
	w.Index = o.state.Staging
	var err error
	if o.out.Report, err = o.job.send(ctx, w, rows); err != nil {
		return err
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	o.state.Documents = o.out.Report.Created
	return o.step(StepLoaded)
}

// verify proves that the staging index holds every row.
func (o *overwrite) verify(ctx context.Context) error {
	count, err := o.counted(ctx)
	if err != nil {
		return err
	}
	if want := o.state.Documents; count != want {
		return fmt.Errorf("the staged index %s holds %d documents, %d were created", o.state.Staging, count, want)
	}
	return o.step(StepVerified)
}

// counted gives the staging index the settings that it is to have, and counts its
// documents.
func (o *overwrite) counted(ctx context.Context) (int64, error) {
	source, staging := o.job.Source, o.state.Staging
	if len(o.state.Restore) > 0 {
		if err := source.Configure(ctx, staging, o.state.Restore); err != nil {
			return 0, err
		}
	}
	if err := source.Refresh(ctx, staging); err != nil {
		return 0, err
	}
	return source.Count(ctx, staging)
}

// place exchanges the indices.
func (o *overwrite) place(ctx context.Context) error {
	if err := o.exchange(ctx); err != nil {
		return o.unreplaced(ctx, err)
	}
	if o.forbidden != nil { // their documents are gone
		o.noted = errors.Join(o.noted, o.job.step(job.StepAllowed, map[string]any{"indices": o.forbidden}))
	}
	return nil
}

func (o *overwrite) exchange(ctx context.Context) error {
	return o.job.Source.Replace(ctx, esds.Replacement{
		Staging: o.state.Staging, Target: o.state.Target, Mode: esds.ReplaceMode(o.state.Mode), Aliases: o.state.Aliases, Identity: o.state.Identity,
		Grace: o.job.Write.Options.Duration("eslake.overwrite.grace"), Placed: o.state.after(StepInPlace), Reached: func(s esds.ReplaceStep) { o.note(string(s)) },
	})
}

// unreplaced tells what is left when the exchange failed. The staging index is
// removed only when the old one is seen to be there still: what is not known may
// be lost otherwise.
func (o *overwrite) unreplaced(ctx context.Context, err error) error {
	switch {
	case errors.Is(err, esds.ErrOldGone):
		return err
	case o.untouched(ctx, err):
		return errors.Join(o.kept(err), o.discard(ctx))
	}
	return fmt.Errorf("%w; the new rows are complete in index %s", err, o.state.Staging)
}

// untouched reports whether the target is seen to be as before, after an exchange
// that failed.
func (o *overwrite) untouched(ctx context.Context, err error) bool {
	if errors.Is(err, esds.ErrOldGone) {
		return false
	}
	target := o.state.Target
	now, unknown := o.job.Source.Resolve(ctx, target.Name)
	return unknown == nil && now.Kind == target.Kind && slices.Equal(now.Indices, target.Indices)
}

// kept words an error of an overwrite that left the old rows.
func (o *overwrite) kept(err error) error {
	var partial *PartialError
	if errors.As(err, &partial) {
		partial.Kept = true
		return err
	}
	return &StoppedError{Err: err, Index: o.state.Target.Name, Kept: true}
}

// discard removes the staging index, also when the statement was cancelled. A
// resume has to begin again then.
func (o *overwrite) discard(ctx context.Context) error {
	err := o.allow(ctx)
	if o.state.Staging == "" {
		return err
	}
	if o.state.after(StepLoaded) {
		if err := errors.Join(err, o.step(StepPlanned)); err != nil {
			return err
		}
	}
	return errors.Join(err, o.job.discard(ctx, o.state.Staging))
}

// discard removes an index that need not be there.
func (j *Job) discard(ctx context.Context, staging string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTime)
	defer cancel()
	if err := j.Source.Drop(ctx, staging); err != nil && !errors.Is(err, esds.ErrIndexNotFound) {
		return fmt.Errorf("the staging index %s was left behind: %w", staging, err)
	}
	return nil
}

// step journals that a step is done.
func (o *overwrite) step(name string) error {
	o.state.Step = name
	return o.job.step(name, o.state.Facts())
}

// note is step where the overwrite has to go on without its journal; the error is
// told at the end.
func (o *overwrite) note(name string) {
	o.noted = errors.Join(o.noted, o.step(name))
}

// reach journals steps that are done, as far as they are not yet.
func (o *overwrite) reach(names ...string) error {
	for _, name := range names {
		if !o.state.after(name) {
			o.note(name)
		}
	}
	return o.noted
}
