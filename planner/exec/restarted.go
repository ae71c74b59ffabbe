package exec

import (
	"context"
	"errors"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

// restarts is how often a query is begun anew.
const restarts = 3

// Restarted runs a query anew when its read is lost before the first row: while an
// overwrite exchanges the index, say. Nobody has seen a row then, so that all are of
// one moment.
type Restarted struct {
	*Lazy
	run   func() *Lazy
	left  int
	given bool
}

// NewRestarted returns the rows of a query that run begins.
func NewRestarted(run func() *Lazy) *Restarted {
	return &Restarted{Lazy: run(), run: run, left: restarts}
}

// Next returns the next batch.
func (r *Restarted) Next(ctx context.Context) (b *row.Batch, err error) {
	err = r.do(ctx, func() error {
		b, err = r.Lazy.Next(ctx)
		return err
	})
	return b, err
}

// Print is Next for the lines of a row.Printer.
func (r *Restarted) Print(ctx context.Context, l *row.Lines) (p row.Printed, err error) {
	err = r.do(ctx, func() error {
		p, err = r.Lazy.Print(ctx, l)
		return err
	})
	return p, err
}

// do reads, and begins anew where that is possible.
func (r *Restarted) do(ctx context.Context, read func() error) error {
	for {
		err := read()
		if err == nil {
			r.given = true
			return nil
		}
		if r.given || r.left == 0 || !errors.Is(err, esds.ErrReadLost) || ctx.Err() != nil {
			return err
		}
		r.left--
		if closed := r.Close(); closed != nil {
			return errors.Join(err, closed)
		}
		r.Lazy = r.run()
	}
}
