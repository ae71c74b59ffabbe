package elastic

import (
	"context"
	"errors"
	"fmt"

	"github.com/eslake/eslake/esds"
)

// readAll reads every slice. When the cluster has dropped the scroll or the point
// in time (it expired, or its node was lost), the read begins anew, as long as no
// row was given out: another moment has other rows, and those given out before
// would come again.
func (s *scan) readAll(ctx context.Context, first *page) error {
	read := s.runScroll
	if s.mode == pagingPIT {
		read = s.runPIT
	}
	err := read(ctx, first)
	if !expired(err) {
		return err
	}
	if !s.given.Load() {
		esds.TraceOf(ctx).Note("the cluster dropped the read before it gave a row: it was begun anew")
		if err = read(ctx, first); !expired(err) {
			return err
		}
	}
	x := s.plan.index
	return &esds.Error{
		Op: "scan", Index: x.resource, Err: fmt.Errorf("the cluster dropped the read before its end: %w", err),
		Hint: fmt.Sprintf("run the statement again; es.scroll.keepalive, %s here, says how long the cluster keeps a read between two pages", x.opts.Duration("es.scroll.keepalive")),
	}
}

// expired reports whether the cluster has dropped a scroll or a point in time.
func expired(err error) bool {
	var c *cause
	return errors.As(err, &c) && c.Type == "search_context_missing_exception"
}
