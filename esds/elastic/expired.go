package elastic

import (
	"context"
	"errors"
	"fmt"

	"github.com/eslake/eslake/esds"
)

// readAll reads every slice. When the read is lost (its scroll or point in time
// expired, a node was lost, an overwrite has put another index in the place) it
// begins anew, as long as no row was given out: another moment has other rows, and
// those given out before would come again.
func (s *scan) readAll(ctx context.Context, first *page) error {
	read := s.runScroll
	if s.mode == pagingPIT {
		read = s.runPIT
	}
	err := read(ctx, first)
	if !isLost(err) {
		return err
	}
	if !s.given.Load() {
		esds.TraceOf(ctx).Note("the cluster dropped the read before it gave a row: it was begun anew")
		if err = read(ctx, first); !isLost(err) {
			return err
		}
	}
	x := s.plan.index
	return readLost(x.resource, x.opts, err)
}

// readLost words an error of a read that was lost; other errors stay as they are.
func readLost(resource string, opts esds.Options, err error) error {
	if !isLost(err) {
		return err
	}
	hint := fmt.Sprintf("run the statement again; es.scroll.keepalive, %s here, says how long the cluster keeps a read between two pages", opts.Duration("es.scroll.keepalive"))
	if errors.Is(err, esds.ErrIndexNotFound) {
		hint = "the index was removed or replaced while it was read; run the statement again"
	}
	return &esds.Error{Op: "scan", Index: resource, Err: fmt.Errorf("%w: %w", esds.ErrReadLost, err), Hint: hint}
}

// isLost reports whether the cluster has dropped a scroll or a point in time, or the
// index that it reads. The servers say so in three ways.
func isLost(err error) bool {
	var c *cause
	return errors.Is(err, esds.ErrIndexNotFound) ||
		errors.As(err, &c) && (c.Type == "search_context_missing_exception" || c.Type == "no_shard_available_action_exception")
}
