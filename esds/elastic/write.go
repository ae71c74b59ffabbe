package elastic

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"sync"
	"time"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

// Write sends rows to one index, in bulk requests on several connections.
//
// Rows of one id always go through the same connection, and a connection sends
// the next request when the one before is settled, retries included: so rows of
// one id take effect in their order.
func (s *Source) Write(ctx context.Context, w esds.Write, rows row.Reader) (report esds.Report, err error) {
	defer rows.Close()
	fields, err := s.writtenFields(ctx, &w)
	if err != nil {
		return report, err
	}
	enc, err := newEncoder(w, rows.Schema(), fields)
	if err != nil {
		return report, &esds.Error{Op: "write", Index: w.Index, Err: err}
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	wr := newWriter(s, w, enc, stop)
	var group sync.WaitGroup
	for i := range wr.connections {
		group.Go(func() { wr.run(ctx, wr.lanes[i%len(wr.lanes)]) })
	}
	readErr := wr.feed(ctx, rows)
	group.Wait()
	err = context.Cause(ctx)
	if err == nil {
		err = readErr
	}
	if err == nil && w.Options.Bool("es.batch.write.refresh") && wr.report.Accepted() > 0 {
		err = s.Refresh(ctx, w.Index)
	}
	if err == nil {
		if check := wr.report.Check(); check != nil {
			err = &esds.Error{Op: "write", Index: w.Index, Err: check}
		}
	}
	return wr.report, err
}

// writtenFields returns the mapping that the documents will meet. It also finds
// an absent index before a bulk request makes it, with a guessed mapping.
func (s *Source) writtenFields(ctx context.Context, w *esds.Write) ([]esds.Field, error) {
	if w.ID == "" && (w.Action == "" || w.Action == esds.IndexDoc) {
		w.Action = esds.CreateDoc // an id of our own that is there already was written by an earlier try
	}
	found, err := s.describe(ctx, "write", w.Index)
	if errors.Is(err, esds.ErrForbidden) {
		return nil, nil // a user who may only write
	}
	if err != nil {
		return nil, err
	}
	if _, concrete := found[w.Index]; !concrete {
		if err := s.checkTarget(ctx, w); err != nil {
			return nil, err
		}
	}
	byIndex := map[string][]esds.Field{}
	for name, d := range found {
		if byIndex[name], err = esds.ParseMapping(d.mapping); err != nil {
			return nil, &esds.Error{Op: "write", Index: name, Err: err}
		}
	}
	return esds.MergeMappings(byIndex), nil
}

// checkTarget finds out whether an alias or a data stream can be written.
func (s *Source) checkTarget(ctx context.Context, w *esds.Write) error {
	t, err := s.Resolve(ctx, w.Index)
	switch {
	case err != nil:
		return err
	case t.Write == "":
		return &esds.Error{
			Op: "write", Index: w.Index, Err: fmt.Errorf("the alias stands for %d indices and none is marked for writing", len(t.Indices)),
			Hint: "es.resource.write names the index to write",
		}
	case t.Kind == esds.DataStream && (w.Action == "" || w.Action == esds.IndexDoc):
		w.Action = esds.CreateDoc // all that a data stream takes
	}
	return nil
}

// writer is a running Write.
type writer struct {
	source      *Source
	write       esds.Write
	enc         *encoder
	lanes       []chan *batch
	connections int
	whole400    int         // rows that were refused by a refused request
	free        chan *batch // empty batches, so that memory is bounded
	stop        context.CancelCauseFunc
	seed        maphash.Seed

	maxBytes, maxItems int

	mu     sync.Mutex // of what follows, and of the callbacks
	report esds.Report
	told   bool // that a request failed and is sent again
}

// batch is the rows of one bulk request.
type batch struct {
	buf   bytes.Buffer
	ids   []byte
	items []item
}

func (b *batch) reset() {
	b.buf.Reset()
	b.ids, b.items = b.ids[:0], b.items[:0]
}

func (b *batch) id(it *item) []byte { return b.ids[it.idStart:it.idEnd] }

func newWriter(s *Source, w esds.Write, enc *encoder, stop context.CancelCauseFunc) *writer {
	n := w.Options.Int("eslake.write.connections")
	lanes := n
	if enc.id < 0 {
		lanes = 1 // ids of our own all differ: any connection may take any batch
	}
	wr := &writer{
		source: s, write: w, enc: enc, stop: stop, seed: maphash.MakeSeed(),
		connections: n, lanes: make([]chan *batch, lanes), free: make(chan *batch, 3*n),
		maxBytes: int(w.Options.Size("es.batch.size.bytes")), maxItems: w.Options.Int("es.batch.size.entries"),
	}
	for i := range wr.lanes {
		wr.lanes[i] = make(chan *batch)
	}
	for range cap(wr.free) {
		wr.free <- &batch{}
	}
	return wr
}

// feed turns rows into batches and deals them out; it ends the lanes.
func (w *writer) feed(ctx context.Context, rows row.Reader) error {
	open := make([]*batch, len(w.lanes))
	defer func() {
		for _, lane := range w.lanes {
			close(lane)
		}
	}()
	for n := int64(0); ; {
		b, err := rows.Next(ctx)
		if row.Ended(err) {
			break
		}
		if err != nil {
			return err
		}
		for i := range b.Len {
			n++
			if err := w.add(ctx, open, b, i, n); err != nil {
				return err
			}
		}
	}
	for lane, b := range open {
		if b != nil && len(b.items) > 0 {
			if err := w.hand(ctx, lane, b); err != nil {
				return err
			}
		}
	}
	return nil
}

// add appends a row to the batch of its lane.
func (w *writer) add(ctx context.Context, open []*batch, b *row.Batch, i int, n int64) error {
	w.mu.Lock()
	w.report.Rows++
	w.mu.Unlock()
	var scratch [64]byte
	id, idErr := w.enc.appendID(scratch[:0], b, i, n)
	lane := w.lane(id)
	if open[lane] == nil {
		select {
		case open[lane] = <-w.free:
			open[lane].reset()
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	to := open[lane]
	full, err := w.encode(to, b, i, n, id, idErr)
	if err != nil || !full {
		return err
	}
	open[lane] = nil
	return w.hand(ctx, lane, to)
}

// lane keeps rows of one id together.
func (w *writer) lane(id []byte) int {
	if len(w.lanes) == 1 {
		return 0
	}
	return int(maphash.Bytes(w.seed, id) % uint64(len(w.lanes)))
}

// encode appends a row to a batch, or rejects it.
func (w *writer) encode(to *batch, b *row.Batch, i int, n int64, id []byte, idErr error) (full bool, err error) {
	it := item{row: n, start: to.buf.Len(), idStart: len(to.ids)}
	buf := w.enc.appendAction(to.buf.AvailableBuffer(), id)
	actionLen := len(buf)
	buf, docErr := w.enc.appendLines(buf, b, i)
	if idErr != nil {
		docErr = idErr
	}
	if docErr != nil {
		shown := ""
		if w.enc.id >= 0 && idErr == nil {
			shown = string(id)
		}
		return false, w.reject(esds.Reject{Row: n, ID: shown, Index: w.write.Index, Reason: docErr.Error(), Document: document(buf[actionLen:])})
	}
	to.buf.Write(buf)
	to.ids = append(to.ids, id...)
	it.doc, it.end, it.idEnd = it.start+actionLen, to.buf.Len(), len(to.ids)
	to.items = append(to.items, it)
	return to.buf.Len() >= w.maxBytes || w.maxItems > 0 && len(to.items) >= w.maxItems, nil
}

// document returns a copy of what belongs into a file of rejects.
func document(line []byte) []byte { return bytes.Clone(bytes.TrimSuffix(line, []byte("\n"))) }

func (w *writer) hand(ctx context.Context, lane int, b *batch) error {
	select {
	case w.lanes[lane] <- b:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// run sends the batches of a lane.
func (w *writer) run(ctx context.Context, lane <-chan *batch) {
	for b := range lane {
		if ctx.Err() == nil {
			if err := w.settle(ctx, b); err != nil {
				w.stop(err)
			}
		}
		w.free <- b
	}
}

// reject counts and reports a row that is not accepted.
func (w *writer) reject(r esds.Reject) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.report.Rejected++
	if w.write.Reject == nil {
		return nil
	}
	if err := w.write.Reject(r); err != nil {
		return fmt.Errorf("the rejected row %d cannot be kept: %w", r.Row, err)
	}
	return nil
}

// patience is how long and how often a batch is sent again.
type patience struct {
	base    time.Duration
	budget  time.Duration
	tries   int // further tries; negative for as long as the budget lasts
	waited  time.Duration
	retries int
}

func (w *writer) patience() patience {
	opts := w.write.Options
	p := patience{
		base: opts.Duration("es.batch.write.retry.wait"), budget: opts.Duration("eslake.retry.budget"),
		tries: opts.Int("es.batch.write.retry.count"),
	}
	if !opts.Has("es.batch.write.retry.count") {
		p.tries = -1 // time is the better bound
	}
	if opts.String("es.batch.write.retry.policy") == "none" {
		p.tries = 0
	}
	return p
}

// again waits before the next try. It is false when patience is at its end.
func (p *patience) again(ctx context.Context, cfg Config) (bool, error) {
	if p.tries >= 0 && p.retries >= p.tries || p.waited >= p.budget {
		return false, nil
	}
	p.retries++
	d := cfg.backoff(p.base, p.retries)
	p.waited += d
	return true, cfg.wait(ctx, d)
}
