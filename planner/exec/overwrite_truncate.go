package exec

import (
	"context"
	"errors"

	"github.com/eslake/eslake/sql/row"
)

// truncate deletes every document and then writes. It is for users who may not
// make indices, and it is not atomic: what breaks it off leaves a part of the new
// rows, and readers see it grow.
func (o *overwrite) truncate(ctx context.Context, rows row.Reader) (Outcome, error) {
	n, err := o.clear(ctx)
	if err == nil {
		o.state.Before, o.out.Before = n, n
		err = o.step(StepOldRemoved)
	}
	if err != nil {
		if n > 0 {
			err = &StoppedError{Err: err, Index: o.state.Target.Name, Cleared: n}
		}
		return o.out, errors.Join(err, rows.Close())
	}
	if o.out.Report, err = o.job.send(ctx, o.job.Write, rows); err != nil {
		var partial *PartialError
		if !errors.As(err, &partial) {
			err = &StoppedError{Err: err, Index: o.state.Target.Name, Written: o.out.Report.Accepted(), Cleared: o.out.Before}
		}
		return o.out, err
	}
	if err := o.step(StepLoaded); err != nil {
		return o.out, err
	}
	return o.out, o.finish(ctx)
}
