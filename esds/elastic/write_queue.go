package elastic

import (
	"context"
	"sync"
)

// queue holds batches that are ready to be sent, in their order.
type queue struct {
	mu      sync.Mutex
	changed sync.Cond
	ready   []*batch
	busy    []int // batches on their way, by lane
	most    int
	closed  bool
}

// newQueue returns a queue that ends with ctx.
func newQueue(ctx context.Context, lanes int) *queue {
	q := &queue{busy: make([]int, lanes), most: 2*lanes - 1}
	q.changed.L = &q.mu
	context.AfterFunc(ctx, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.changed.Broadcast()
	})
	return q
}

// put waits for room and adds a batch.
func (q *queue) put(ctx context.Context, b *batch) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.ready) >= q.most && ctx.Err() == nil {
		q.changed.Wait()
	}
	q.ready = append(q.ready, b)
	q.changed.Broadcast()
	return context.Cause(ctx)
}

// close tells that no batch follows.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.changed.Broadcast()
}

// take waits for a batch, which is on its way until it is given to done; nil when none
// follows or the write has ended.
func (q *queue) take(ctx context.Context) *batch {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.ready) == 0 && !q.closed && ctx.Err() == nil {
		q.changed.Wait()
	}
	if len(q.ready) == 0 || ctx.Err() != nil {
		return nil
	}
	i := q.pick()
	b := q.ready[i]
	q.ready = append(q.ready[:i], q.ready[i+1:]...)
	q.busy[b.lane]++
	q.changed.Broadcast()
	return b
}

// pick returns which batch is next: the first of a lane that has none on its way, or
// else the first. One that waits for others is not taken before its turn: those could
// be without a slot then, and all slots with such that wait.
func (q *queue) pick() int {
	for i, b := range q.ready {
		if q.busy[b.lane] == 0 && (i == 0 || !b.waits()) {
			return i
		}
	}
	return 0
}

func (q *queue) done(b *batch) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.busy[b.lane]--
}
