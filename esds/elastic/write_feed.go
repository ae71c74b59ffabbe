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
	queue  *queue
	free   chan *batch // to be used again
	stop   context.CancelCauseFunc

	maxBytes, maxItems int
	many               bool // each row names its index

	// What makes batches has these for itself.
	lanes   lanes
	open    []*batch // that are being made, by lane
	lane    int      // of the row before
	handed  int      // batches that are made
	mark    *mark    // of the rows that come; nil before the first of them
	flights *flights // nil when all ids differ

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

func newWriter(ctx context.Context, s *Source, w esds.Write, enc coder, stop context.CancelCauseFunc) *writer {
	wr := &writer{
		source: s, write: w, enc: enc, text: enc.textual(), stop: stop, slots: newSlots(w.Options), lanes: enc.lanes(), upto: w.From, kept: w.From,
		maxBytes: int(w.Options.Size("es.batch.size.bytes")), maxItems: w.Options.Int("es.batch.size.entries"),
	}
	wr.many = w.Changes || esds.Dynamic(w.Index)
	wr.open = make([]*batch, max(1, wr.lanes.n))
	wr.queue = newQueue(ctx, len(wr.open))
	wr.free = make(chan *batch, wr.slots.most+wr.queue.most+len(wr.open))
	if !enc.own() {
		wr.flights = &flights{seed: maphash.MakeSeed()}
	}
	return wr
}

// feed turns rows into batches.
func (w *writer) feed(ctx context.Context, rows row.Reader) error {
	defer w.queue.close()
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
		if err := w.addAll(ctx, p, count, skip, n); err != nil {
			return err
		}
		n += int64(count)
	}
	for _, b := range w.open {
		if b != nil {
			b.last = true
			if err := w.give(ctx, b); err != nil {
				return err
			}
		}
	}
	return nil
}

// next returns the next rows, as text where that can be sent.
func (w *writer) next(ctx context.Context, rows row.Reader) (row.Printed, error) {
	if w.text != nil {
		return row.Print(ctx, rows, w.text.lines)
	}
	b, err := rows.Next(ctx)
	return row.Printed{Batch: b}, err
}

// addAll adds the rows of p, count of them, from skip on; before them there are n.
func (w *writer) addAll(ctx context.Context, p row.Printed, count, skip int, n int64) error {
	text := p.Text
	for i := range count {
		var line []byte
		if p.Batch == nil {
			end := bytes.IndexByte(text, '\n') + 1
			line, text = text[:end:end], text[end:]
		}
		if i < skip {
			continue
		}
		if err := w.add(ctx, line, p.Batch, i, n+int64(i)+1); err != nil {
			return err
		}
	}
	return nil
}

// batch returns the batch that is being made in a lane.
func (w *writer) batch(lane int) *batch {
	if w.open[lane] != nil {
		return w.open[lane]
	}
	b := &batch{}
	select {
	case b = <-w.free:
		b.buf, b.ids, b.items, b.after = b.buf[:0], b.ids[:0], b.items[:0], b.after[:0]
	default:
	}
	if w.flights != nil {
		w.flights.settle() // b among them
	}
	b.keys.clear()
	b.lane, b.last, b.done = lane, false, make(chan struct{})
	w.open[lane] = b
	return b
}

// add appends a row to a batch, or rejects it: that of a line, or row i of b.
func (w *writer) add(ctx context.Context, line []byte, b *row.Batch, i int, n int64) (err error) {
	to := w.batch(w.lane) // where the row before went, until its id is known
	to.items = append(to.items, item{row: n, mark: w.marked(n), start: len(to.buf), idStart: len(to.ids)})
	it := &to.items[len(to.items)-1]
	if line != nil {
		err = w.text.encode(to, it, line)
	} else {
		err = w.enc.encode(ctx, to, it, b, i)
	}
	it.end, it.idEnd = len(to.buf), len(to.ids)
	if err != nil {
		return w.refuse(to, it, err)
	}
	if lane := w.lanes.of(to.routing(it)); lane != to.lane {
		own := w.batch(lane)
		own.add(to, it)
		to.cut()
		to, w.lane = own, lane
	}
	if len(to.items) == 1 {
		to.since = w.handed
	}
	if w.flights != nil {
		err = w.follow(ctx, to)
	}
	if err == nil && (len(to.buf) >= w.maxBytes || w.maxItems > 0 && len(to.items) >= w.maxItems) {
		err = w.hand(ctx, to)
	}
	return err
}

// follow sees to it that the last row of a batch takes effect after the earlier ones of
// its id.
func (w *writer) follow(ctx context.Context, to *batch) error {
	key := maphash.Bytes(w.flights.seed, to.id(&to.items[len(to.items)-1]))
	for _, b := range w.open {
		if b != nil && b != to && b.keys.has(key) { // the same id with another routing
			if err := w.give(ctx, b); err != nil {
				return err
			}
		}
	}
	w.flights.add(to, key)
	return nil
}

// marked returns the mark of the next row, of number n.
func (w *writer) marked(n int64) *mark {
	if w.mark == nil {
		w.mark = &mark{}
		w.mu.Lock()
		w.marks = append(w.marks, w.mark)
		w.mu.Unlock()
	}
	w.mark.last = n
	w.mark.rows++
	return w.mark
}

// refuse takes the last row of a batch back and rejects it, when the error is of
// the row.
func (w *writer) refuse(b *batch, it *item, err error) error {
	if row := (errRow{}); !errors.As(err, &row) {
		return err
	}
	err = w.reject(it.mark, esds.Reject{
		Row: it.row, ID: w.shownID(b, it), Index: w.indexOf(it), Reason: err.Error(), Document: document(b.buf[min(it.doc, it.end):it.end]),
	})
	w.mu.Lock()
	it.mark.settled++
	w.mu.Unlock()
	b.cut()
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

// hand gives a batch to the connections, and those that wait for too long: as long as one
// row is not settled, a journal cannot tell of any behind it.
func (w *writer) hand(ctx context.Context, b *batch) error {
	err := w.give(ctx, b)
	for _, b := range w.open {
		if err == nil && b != nil && len(b.items) > 0 && w.handed-b.since > longest*len(w.open) {
			err = w.give(ctx, b)
		}
	}
	return err
}

// longest is how often each lane hands on a batch, on average, before one that is not
// full is not waited for any more.
const longest = 4

func (w *writer) give(ctx context.Context, b *batch) error {
	w.handed++
	if w.open[b.lane] = nil; w.flights != nil {
		w.flights.all = append(w.flights.all, b)
	}
	if w.mark != nil {
		w.mu.Lock()
		w.mark.whole = true
		w.mark.report.Rows = w.mark.rows
		w.mu.Unlock()
		w.mark = nil
	}
	return w.queue.put(ctx, b)
}

// run sends batches, as many at a time as there are slots. Who waits for a batch
// has a slot already, so that the first batch that is not settled always has one.
func (w *writer) run(ctx context.Context) {
	for w.slots.take(ctx) {
		b := w.queue.take(ctx)
		if b == nil {
			w.slots.give()
			return
		}
		if err := w.settle(ctx, b); err != nil {
			w.stop(err)
		}
		w.queue.done(b)
		w.slots.give()
		select {
		case w.free <- b:
		default:
		}
	}
}

// reject counts and reports a row that is not accepted.
func (w *writer) reject(m *mark, r esds.Reject) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	m.report.Rejected++
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

// counted changes the report and that of a mark alike.
func (w *writer) counted(m *mark, f func(*esds.Report)) {
	w.count(func(r *esds.Report) {
		f(r)
		f(&m.report)
	})
}

// settled tells that a batch is settled. Whoever settles the first one that was
// not tells of all that follow, while others go on sending.
func (w *writer) settled(b *batch) error {
	close(b.done)
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range b.items {
		b.items[i].mark.settled++
	}
	for len(w.marks) > 0 && w.marks[0].whole && w.marks[0].settled == w.marks[0].rows {
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
