package elastic

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/eslake/eslake/esds"
)

// fetched is a page that was asked for ahead.
type fetched struct {
	page *page
	err  error
}

// readSlice reads one cursor to its end: the next page is under way while one is
// decoded. It returns how many documents the slice has.
func (s *scan) readSlice(ctx context.Context, cur cursor, size int) (int64, error) {
	ctx, cancel := context.WithCancel(ctx)
	var ahead chan fetched
	fetch := func(size int) {
		ahead = make(chan fetched, 1)
		go func(to chan<- fetched) {
			p, err := cur.next(ctx, size)
			to <- fetched{p, err}
		}(ahead)
	}
	defer func() {
		cancel()
		if ahead != nil {
			<-ahead
		}
		cur.close(ctx)
	}()
	r := s.plan.rows()
	total, seen := int64(-1), int64(0)
	fetch(size)
	for {
		got := <-ahead
		ahead = nil
		if got.err != nil {
			return seen, got.err
		}
		p := got.page
		if total < 0 {
			total = p.total
		}
		p.skim.documents = int(min(int64(p.asked), total-seen))
		next := s.plan.sizeAfter(p)
		if n := int64(p.documents()); n > 0 && seen+n < total {
			fetch(next)
		}
		n, err := s.emit(ctx, r, p)
		if err != nil {
			return seen, err
		}
		seen += int64(n)
		if err := s.check(n, seen, total); err != nil {
			return seen, err
		}
		s.reuse(p)
		if seen == total {
			return seen, nil
		}
		if ahead == nil { // fewer came than were asked for
			fetch(next)
		}
	}
}

// check holds a slice to the number of documents that its first answer named: n
// came with the last one, seen in all.
func (s *scan) check(n int, seen, total int64) error {
	var err error
	switch {
	case total < 0:
		err = errors.New("the answer has no total")
	case n == 0 && seen < total:
		err = fmt.Errorf("the cluster ended the read after %d of %d documents", seen, total)
	case seen > total:
		err = fmt.Errorf("the cluster returned %d documents where it had counted %d", seen, total)
	default:
		return nil
	}
	return &esds.Error{Op: "scan", Index: s.plan.index.resource, Err: err}
}

// readSlices reads every slice, several at a time, and returns the number of
// documents. The first error stops all.
func (s *scan) readSlices(ctx context.Context, slices, atOnce, size int, open func(slice int) cursor) (int64, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var next, total atomic.Int64
	var group sync.WaitGroup
	for range min(slices, atOnce) {
		group.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= slices {
					return
				}
				n, err := s.readSlice(ctx, open(i), size)
				total.Add(n)
				if err != nil {
					stop(err)
				}
			}
		})
	}
	group.Wait()
	return total.Load(), context.Cause(ctx)
}
