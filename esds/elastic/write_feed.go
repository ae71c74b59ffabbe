package elastic

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"sync"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

// writer is a running Write.
type writer struct {
	source *Source
	write  esds.Write
	enc    coder
	text   *textual // of rows that come as text; nil when they must come as values
	slots  *slots
	work   chan *batch
	free   chan *batch // to be used again
	stop   context.CancelCauseFunc

	maxBytes, maxItems int
	many               bool     // each row names its index
	flights            *flights // nil when all ids differ

	mu      sync.Mutex // of what follows, and of the callbacks but Acked
	report  esds.Report
	told    bool  // that a request failed and is sent again
	sent    int64 // the last row that Sent was told of
	refused int   // rows that were refused by a request that was refused as a whole
	marks   []*mark
	acked   esds.Report // of the longest prefix of rows that are settled
	upto    int64       // number of its last row
	kept    int64       // the last one that Acked was told of
	acking  bool        // it is being told
}

func newWriter(s *Source, w esds.Write, enc coder, stop context.CancelCauseFunc) *writer {
	wr := &writer{
		source: s, write: w, enc: enc, text: enc.textual(), stop: stop, slots: newSlots(w.Options),
		work: make(chan *batch, 1), upto: w.From, kept: w.From,
		maxBytes: int(w.Options.Size("es.batch.size.bytes")), maxItems: w.Options.Int("es.batch.size.entries"),
	}
	wr.many = w.Changes || esds.Dynamic(w.Index)
	wr.free = make(chan *batch, wr.slots.most+2)
	if !enc.own() {
		wr.flights = &flights{seed: maphash.MakeSeed()}
	}
	return wr
}

// feed turns rows into batches.
func (w *writer) feed(ctx context.Context, rows row.Reader) error {
	defer close(w.work)
	var open *batch
	for n := int64(0); ; {
		p, err := w.next(ctx, rows)
		if row.Ended(err) {
			break
		}
		if err != nil {
			return err
		}
		count := p.Rows
		if p.Batch != nil {
			count = p.Batch.Len
		}
		skip := int(min(int64(count), max(0, w.write.From-n)))
		w.count(func(r *esds.Report) { r.Rows += int64(count - skip) })
		if open, err = w.addAll(ctx, open, p, skip, n); err != nil {
			return err
		}
		n += int64(count)
	}
	if open == nil {
		return nil
	}
	return w.hand(ctx, open)
}

// next returns the next rows, as text where that can be sent.
func (w *writer) next(ctx context.Context, rows row.Reader) (row.Printed, error) {
	if w.text != nil {
		return row.Print(ctx, rows, w.text.lines)
	}
	b, err := rows.Next(ctx)
	return row.Printed{Batch: b}, err
}

// addAll adds the rows of p from skip on, before which there are n, and returns
// the batch that is not full yet.
func (w *writer) addAll(ctx context.Context, open *batch, p row.Printed, skip int, n int64) (*batch, error) {
	text, count := p.Text, p.Rows
	if p.Batch != nil {
		count = p.Batch.Len
	}
	for i := range count {
		var line []byte
		if p.Batch == nil {
			end := bytes.IndexByte(text, '\n') + 1
			line, text = text[:end:end], text[end:]
		}
		if i < skip {
			continue
		}
		if open == nil {
			open = w.begin()
		}
		full, err := w.add(ctx, open, line, p.Batch, i, n+int64(i)+1)
		if err == nil && full {
			err = w.hand(ctx, open)
			open = nil
		}
		if err != nil {
			return nil, err
		}
	}
	return open, nil
}

// begin returns an empty batch.
func (w *writer) begin() *batch {
	b := &batch{}
	select {
	case b = <-w.free:
		b.buf, b.ids, b.items, b.after = b.buf[:0], b.ids[:0], b.items[:0], b.after[:0]
	default:
	}
	b.done, b.mark = make(chan struct{}), &mark{}
	if w.flights != nil {
		w.flights.begin(b.done)
	}
	return b
}

// add appends a row to a batch, or rejects it: that of a line, or row i of b.
func (w *writer) add(ctx context.Context, to *batch, line []byte, b *row.Batch, i int, n int64) (full bool, err error) {
	to.items = append(to.items, item{row: n, start: len(to.buf), idStart: len(to.ids)})
	it := &to.items[len(to.items)-1]
	if line != nil {
		err = w.text.encode(to, it, line)
	} else {
		err = w.enc.encode(ctx, to, it, b, i)
	}
	it.end, it.idEnd = len(to.buf), len(to.ids)
	to.mark.last = n
	to.mark.report.Rows++
	if err != nil {
		return false, w.refuse(to, it, err)
	}
	if w.flights != nil {
		w.flights.add(to, to.ids[it.idStart:it.idEnd])
	}
	return len(to.buf) >= w.maxBytes || w.maxItems > 0 && len(to.items) >= w.maxItems, nil
}

// refuse takes the last row of a batch back and rejects it, when the error is of
// the row.
func (w *writer) refuse(b *batch, it *item, err error) error {
	if row := (errRow{}); !errors.As(err, &row) {
		return err
	}
	err = w.reject(b, esds.Reject{
		Row: it.row, ID: w.shownID(b, it), Index: w.indexOf(it), Reason: err.Error(), Document: document(b.buf[min(it.doc, it.end):it.end]),
	})
	b.buf, b.ids, b.items = b.buf[:it.start], b.ids[:it.idStart], b.items[:len(b.items)-1]
	return err
}

// shownID is the id of a row that was not sent: one of our own says nothing.
func (w *writer) shownID(b *batch, it *item) string {
	if w.enc.own() {
		return ""
	}
	return string(b.ids[it.idStart:it.idEnd])
}

func (w *writer) indexOf(it *item) string {
	if it.index != "" {
		return it.index
	}
	return w.write.Index
}

// document returns a copy of what belongs into a file of rejects.
func document(line []byte) []byte { return bytes.Clone(bytes.TrimSuffix(line, []byte("\n"))) }

// hand gives a batch to the connections.
func (w *writer) hand(ctx context.Context, b *batch) error {
	if w.flights != nil {
		w.flights.end()
	}
	w.mu.Lock()
	w.marks = append(w.marks, b.mark)
	w.mu.Unlock()
	select {
	case w.work <- b:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// run sends batches, as many at a time as there are slots. Who waits for a batch
// has a slot already, so that the first batch that is not settled always has one.
func (w *writer) run(ctx context.Context) {
	for w.slots.take(ctx) {
		b, more := <-w.work
		if !more {
			w.slots.give()
			return
		}
		if ctx.Err() == nil {
			if err := w.settle(ctx, b); err != nil {
				w.stop(err)
			}
		}
		w.slots.give()
		select {
		case w.free <- b:
		default:
		}
	}
}

// reject counts and reports a row that is not accepted.
func (w *writer) reject(b *batch, r esds.Reject) error {
	b.mark.report.Rejected++
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

// count changes the report.
func (w *writer) count(f func(*esds.Report)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f(&w.report)
}

// counted changes the report and that of a batch alike.
func (w *writer) counted(b *batch, f func(*esds.Report)) {
	f(&b.mark.report)
	w.count(f)
}

// settled tells that a batch is settled. Whoever settles the first one that was
// not tells of all that follow, while others go on sending.
func (w *writer) settled(b *batch) error {
	close(b.done)
	w.mu.Lock()
	defer w.mu.Unlock()
	b.mark.done = true
	for len(w.marks) > 0 && w.marks[0].done {
		w.acked, w.upto = plus(w.acked, w.marks[0].report), w.marks[0].last
		w.marks = w.marks[1:]
	}
	if w.write.Progress != nil {
		w.write.Progress(w.report)
	}
	if w.write.Acked == nil || w.acking {
		return nil
	}
	w.acking = true
	defer func() { w.acking = false }()
	for w.kept < w.upto {
		report, upto := w.acked, w.upto
		w.mu.Unlock()
		err := w.write.Acked(upto, report)
		w.mu.Lock()
		if err != nil {
			return fmt.Errorf("what was written up to row %d cannot be kept: %w", upto, err)
		}
		w.kept = upto
	}
	return nil
}

func plus(a, b esds.Report) esds.Report {
	return esds.Report{
		Rows: a.Rows + b.Rows, Created: a.Created + b.Created, Updated: a.Updated + b.Updated, Deleted: a.Deleted + b.Deleted,
		Noop: a.Noop + b.Noop, Rejected: a.Rejected + b.Rejected, Retried: a.Retried + b.Retried, Bytes: a.Bytes + b.Bytes,
	}
}
