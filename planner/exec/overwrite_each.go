package exec

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/planner/job"
	"github.com/eslake/eslake/sql/row"
)

// overwriteEach is an INSERT OVERWRITE of the indices that the rows name. Each gets
// a staging index when the first row for it comes; when all rows are there, and
// counted, they are put in place one after the other. Indices that no row names
// stay as they are.
//
// The journal has the steps of the whole, whose target is the name with braces, and
// those of each index.
type overwriteEach struct {
	job   *Job
	state Overwriting           // of the whole
	parts map[string]*overwrite // by the name of their target
	large bool
	out   Outcome
}

// overwriteEach replaces the documents of each index that a row names.
func (j *Job) overwriteEach(ctx context.Context, target esds.Target, in row.Reader) (Outcome, error) {
	e := &overwriteEach{job: j, parts: map[string]*overwrite{}, out: Outcome{Target: target}}
	e.state = Overwriting{Target: target, Mode: j.Overwrite}
	rows, err := Prime(ctx, in)
	if err != nil {
		return e.out, e.kept(err)
	}
	if e.large, err = j.large(ctx, rows); err == nil {
		err = e.begin(ctx)
	}
	if err != nil {
		return e.out, errors.Join(e.kept(err), rows.Close())
	}
	if err := e.load(ctx, rows); err != nil {
		return e.out, errors.Join(e.kept(err), e.discard(ctx))
	}
	return e.out, e.finish(ctx)
}

// begin removes what a run before left, incomplete.
func (e *overwriteEach) begin(ctx context.Context) error {
	if e.job.Earlier != nil {
		for _, step := range e.job.Earlier.Steps {
			if index, ok := step.Facts["index"].(string); ok && step.Name == job.StepStaging {
				if err := e.job.discard(ctx, index); err != nil {
					return err
				}
			}
		}
	}
	return e.step(StepPlanned)
}

// load writes all rows into staging indices.
func (e *overwriteEach) load(ctx context.Context, rows row.Reader) (err error) {
	w := e.job.Write
	w.Place = e.stage
	if e.out.Report, err = e.job.send(ctx, w, rows); err != nil {
		return err
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	e.state.Documents = e.out.Report.Created
	return e.step(StepLoaded)
}

// stage makes the staging index of an index that a row names.
func (e *overwriteEach) stage(ctx context.Context, name string) (string, error) {
	target, err := e.job.Source.Resolve(ctx, name)
	if err == nil {
		err = e.job.check(target)
	}
	if err == nil {
		err = e.apart(target)
	}
	if err != nil {
		return "", err
	}
	o := &overwrite{job: e.job, state: Overwriting{Target: target}}
	if err := o.plan(ctx); err != nil {
		return "", err
	}
	if err = o.makeStaging(ctx, e.large); !errors.Is(err, esds.ErrIndexExists) {
		e.parts[name] = o // to be removed also when it was made all the same
	}
	e.out.Before += o.state.Before
	return o.state.Staging, err
}

// apart refuses two names of the rows that stand for the same index.
func (e *overwriteEach) apart(target esds.Target) error {
	for name, o := range e.parts {
		for _, index := range target.Indices {
			if slices.Contains(o.state.Target.Indices, index) {
				return &esds.Error{
					Op: "overwrite", Index: target.Name, Err: fmt.Errorf("the rows name %s and %s, and both stand for index %s", name, target.Name, index),
					Hint: "overwrite them by two statements",
				}
			}
		}
	}
	return nil
}

// finish verifies the staging indices and puts them in place.
func (e *overwriteEach) finish(ctx context.Context) error {
	if !e.state.after(StepVerified) {
		err := e.verify(ctx)
		if err == nil && e.job.Replacing != nil && e.out.Before > 0 {
			err = e.job.Replacing(ctx, e.out.Before)
		}
		if err == nil {
			err = context.Cause(ctx)
		}
		if err == nil {
			err = e.step(StepVerified)
		}
		if err != nil {
			return errors.Join(e.kept(err), e.discard(ctx))
		}
	}
	// From here on it comes to its end, as the overwrite of one index does.
	ctx = context.WithoutCancel(ctx)
	var noted error
	for done, name := range e.names() {
		o := e.parts[name]
		if !o.state.after(StepCleaned) {
			if err := o.exchange(ctx); err != nil {
				return e.broken(ctx, o, done, err)
			}
			noted = errors.Join(noted, o.reach(StepInPlace, StepCleaned))
		}
	}
	e.out.Indices = len(e.parts)
	return errors.Join(noted, e.step(StepInPlace), e.step(StepCleaned))
}

// verify proves that the staging indices hold every row.
func (e *overwriteEach) verify(ctx context.Context) error {
	sum := int64(0)
	for _, name := range e.names() {
		o := e.parts[name]
		count, err := o.counted(ctx)
		if err != nil {
			return err
		}
		o.state.Documents = count
		sum += count
	}
	if sum != e.state.Documents {
		return fmt.Errorf("the staged indices for %s hold %d documents, %d were created", e.state.Target.Name, sum, e.state.Documents)
	}
	return nil
}

// broken tells what is left when an exchange failed. Nothing was replaced when it is
// the first one and the index is as before; else the staging indices stay, for a
// resume.
func (e *overwriteEach) broken(ctx context.Context, o *overwrite, done int, err error) error {
	if done == 0 && o.untouched(ctx, err) {
		return errors.Join(e.kept(err), e.discard(ctx))
	}
	return &StoppedError{Err: err, Index: e.state.Target.Name, Replaced: done, Of: len(e.parts)}
}

// discard removes the staging indices.
func (e *overwriteEach) discard(ctx context.Context) error {
	var errs []error
	if e.state.after(StepLoaded) { // a resume begins again
		errs = append(errs, e.step(StepPlanned))
	}
	for _, name := range e.names() {
		errs = append(errs, e.job.discard(ctx, e.parts[name].state.Staging))
	}
	return errors.Join(errs...)
}

func (e *overwriteEach) names() []string { return slices.Sorted(maps.Keys(e.parts)) }

func (e *overwriteEach) kept(err error) error {
	return (&overwrite{state: e.state}).kept(err)
}

// step journals that a step of the whole is done.
func (e *overwriteEach) step(name string) error {
	e.state.Step = name
	return e.job.step(name, e.state.Facts())
}

// overwritingEach is how far an earlier run came; nil when there was none, or it has
// to begin again.
func (j *Job) overwritingEach() (*overwriteEach, error) {
	e := &overwriteEach{job: j, parts: map[string]*overwrite{}}
	for _, step := range j.Earlier.Steps {
		if !slices.Contains(OverwriteSteps(), step.Name) {
			continue
		}
		o, err := OverwritingOf(step.Name, step.Facts)
		if err != nil {
			return nil, err
		}
		if o.Target.Kind != esds.Dynamically {
			e.parts[o.Target.Name] = &overwrite{job: j, state: o}
			continue
		}
		if e.state = o; o.Step == StepPlanned {
			e.parts = map[string]*overwrite{}
		}
	}
	if !e.state.after(StepLoaded) {
		return nil, nil
	}
	return e, nil
}

// resumeEach goes on when all rows were taken.
func (j *Job) resumeEach(ctx context.Context, e *overwriteEach) (Outcome, error) {
	e.out = Outcome{Target: e.state.Target}
	for _, o := range e.parts {
		e.out.Before += o.state.Before
	}
	if j.Begin != nil {
		var err error
		if j.journal, err = j.Begin(e.state.Target); err != nil {
			return e.out, err
		}
		e.out.Report = j.journal.Base()
	}
	return e.out, e.finish(ctx)
}
