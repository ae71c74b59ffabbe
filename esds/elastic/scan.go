package elastic

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

// paging is how the pages of a long read are asked for.
type paging uint8

const (
	pagingUnknown paging = iota
	pagingPIT            // point in time, search_after on _doc and _shard_doc, slices
	pagingScroll         // sliced scroll
)

// reader yields what the goroutines of a scan decode.
type reader struct {
	schema row.Schema
	scan   *scan
	out    chan row.Printed
	spent  []byte // the text that Print gave last
	stop   context.CancelCauseFunc
	done   chan struct{} // closed when every goroutine has ended and the cluster holds nothing more
	left   int64         // rows of the limit; negative for no limit
	err    error         // valid once out is closed
	ended  bool
}

// errClosed ends a scan that nobody reads any more.
var errClosed = errors.New("the reader was closed")

// Scan begins to read at once; its goroutines end with ctx, with Close, or at
// the end of the rows.
func (x *index) Scan(ctx context.Context, s esds.Scan) (row.Reader, error) {
	p, err := x.plan(s)
	if err == nil {
		_, err = p.forced(nil)
	}
	if err != nil {
		return nil, err
	}
	p.tellUnknown(ctx)
	limit := s.Limit
	if len(s.Sort) > 0 {
		limit = 0 // says how many come first, not how many may come
	}
	if cap := int64(x.opts.Int("es.scroll.limit")); cap >= 0 && (limit == 0 || cap < limit) {
		limit = cap
		if limit == 0 {
			return row.NewBatches(s.Columns), nil
		}
	}
	if len(x.names) == 0 {
		return row.NewBatches(s.Columns), nil
	}
	ctx, stop := context.WithCancelCause(ctx)
	r := &reader{schema: s.Columns, out: make(chan row.Printed, 4), stop: stop, done: make(chan struct{}), left: -1}
	if limit > 0 {
		r.left = limit
	}
	sc := &scan{plan: p, client: x.source.client, out: r.out, stop: stop, limit: limit}
	r.scan = sc
	go func() {
		defer close(r.done)
		err := sc.run(ctx)
		if why := context.Cause(ctx); why != nil {
			err = why
		}
		if !errors.Is(err, errClosed) {
			r.err = err
		}
		close(r.out)
	}()
	return r, nil
}

// Schema returns the columns that were asked for.
func (r *reader) Schema() row.Schema { return r.schema }

// Next returns the next batch.
func (r *reader) Next(ctx context.Context) (*row.Batch, error) {
	p, err := r.next(ctx)
	return p.Batch, err
}

// Print is Next for the lines of a row.Printer. Pages that were decoded before
// the first call come as batches.
func (r *reader) Print(ctx context.Context, l *row.Lines) (row.Printed, error) {
	if r.left < 0 {
		r.scan.lines.Store(l)
	}
	if old := r.spent; old != nil {
		r.scan.texts.Put(&old)
		r.spent = nil
	}
	p, err := r.next(ctx)
	r.spent = p.Text
	return p, err
}

func (r *reader) next(ctx context.Context) (p row.Printed, err error) {
	if r.ended || r.left == 0 {
		return p, io.EOF
	}
	r.scan.asked.Add(1)
	select {
	case <-ctx.Done():
		r.ended = true
		return p, context.Cause(ctx)
	case p, ok := <-r.out:
		if ok {
			if p.Batch != nil {
				r.cut(p.Batch)
			}
			return p, nil
		}
		r.ended = true
		<-r.done
		if r.err != nil {
			return p, r.err
		}
		return p, io.EOF
	}
}

// cut ends the scan at the limit.
func (r *reader) cut(b *row.Batch) {
	if r.left < 0 {
		return
	}
	if int64(b.Len) > r.left {
		b.Truncate(int(r.left))
	}
	r.left -= int64(b.Len)
	if r.left == 0 {
		r.stop(errClosed)
	}
}

// Close ends the scan and waits until the cluster holds nothing for it.
func (r *reader) Close() error {
	r.ended = true
	r.stop(errClosed)
	for {
		select {
		case <-r.out:
		case <-r.done:
			return nil
		}
	}
}

// scan is the running part of a reader.
type scan struct {
	plan   *plan
	client *client
	out    chan<- row.Printed
	lines  atomic.Pointer[row.Lines] // that the reader wants; nil for batches
	asked  atomic.Int64              // calls of Next and Print
	texts  sync.Pool                 // of *[]byte: lines that were read
	stop   context.CancelCauseFunc
	limit  int64       // 0 for none
	given  atomic.Bool // a row was given out

	// What is settled before the slices are read.
	mode   paging
	held   string    // a point in time that is open for the read to come
	bytes  int       // of an answer by document, about; 0 when nobody knows
	spare  sync.Pool // of *[]byte: answers that were decoded, for the next ones
	packed bool      // answers should be compressed
}

// cursor yields the pages of one slice. A page is asked for when the one before
// has come.
type cursor interface {
	next(ctx context.Context, size int) (*page, error)
	close(ctx context.Context)
}

func (s *scan) run(ctx context.Context) error {
	if len(s.plan.scan.Sort) > 0 {
		if done, err := s.runSorted(ctx); done || err != nil {
			return err
		}
	}
	defer func() {
		if s.held != "" {
			s.plan.index.source.closePIT(ctx, s.held)
		}
	}()
	first, err := s.begin(ctx)
	if err != nil {
		return err
	}
	if n := int64(len(first.hits)); n == first.total || s.limit > 0 && n >= s.limit {
		_, err := s.emit(ctx, s.plan.rows(), first)
		return err
	}
	if err = s.settle(ctx); err != nil {
		return err
	}
	if err := s.choose(ctx, first); err != nil {
		return err
	}
	return s.readAll(ctx, first)
}

// settle finds how the pages are asked for.
func (s *scan) settle(ctx context.Context) (err error) {
	switch x := s.plan.index; {
	case s.mode != pagingUnknown:
	case x.partial():
		s.mode = pagingScroll // a point in time needs every shard
	default:
		s.mode, s.held, err = x.source.paging(ctx, x, s.keepAlive())
	}
	return err
}

// size returns how many documents the first page of a slice has.
func (s *scan) size() int {
	if s.bytes == 0 {
		return s.plan.firstSize()
	}
	return s.plan.sizeFor(s.bytes)
}

// first asks for the first rows in one plain request. A small result is complete
// with that; for a large one it tells how many documents there are, how large
// they are, and in how many shards they lie.
func (s *scan) first(ctx context.Context, size int) (*page, error) {
	body := s.plan.body()
	body["sort"] = []string{"_doc"}
	body["track_total_hits"] = true
	size = min(size, maxPage)
	if s.limit > 0 {
		size = int(min(int64(size), s.limit))
	}
	x := s.plan.index
	for {
		body["size"] = size
		p, err := s.search(ctx, request{path: "/" + x.resource + "/_search", query: x.params(), body: marshal(body)}, true)
		if err == nil || !errors.Is(err, errTooLong) || size <= 1 {
			return p, err
		}
		size = max(1, size/10)
	}
}

// search does a search and splits its answer. One that may be repeated is, and
// has a limit of bytes: errTooLong says to ask for less.
func (s *scan) search(ctx context.Context, r request, repeatable bool) (*page, error) {
	x := s.plan.index
	r.op, r.index, r.method = "scan", x.resource, http.MethodPost
	r.packed = s.packed
	var came time.Duration
	r.came = &came
	do := s.client.send
	if repeatable {
		do = s.client.read
		if r.path != "/_search" { // else it is a page of what is open already
			do = x.source.readIndex
		}
		r.limit = pageCeiling
	}
	if r.skim {
		r.room = min(r.size*s.bytes, 2*pageBytes)
	}
	r.into = s.storage
	text, err := do(ctx, r)
	if err != nil {
		return nil, err
	}
	parse := x.parse
	if s.limit == 0 && r.skim {
		parse = x.skim
	}
	p, err := parse(ctx, r.op, text)
	if err == nil {
		p.came, p.asked = came, r.size
	}
	if err == nil && p.skim.begin == 0 && (len(p.hits) > 0 || p.total == 0) { // not of a request that only counts
		esds.TraceOf(ctx).Page(int64(len(p.hits)), p.took)
	}
	return p, err
}

// keepAlive returns how long the cluster keeps a cursor between two requests.
func (s *scan) keepAlive() string {
	d := s.plan.index.opts.Duration("es.scroll.keepalive")
	return fmt.Sprintf("%ds", max(1, int(d/time.Second)))
}

// releasing returns a context for giving a cursor back: the statement's own may
// have ended already.
func releasing(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
}
