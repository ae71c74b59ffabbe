package elastic

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/eslake/eslake/esds"
)

// settle sends a batch until every row is accepted or rejected. The error is one
// that ends the write; rows are then left without an outcome.
func (w *writer) settle(ctx context.Context, b *batch) error {
	for _, done := range b.after {
		select {
		case <-done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	p := w.patience()
	pending := make([]*item, len(b.items))
	for i := range b.items {
		pending[i] = &b.items[i]
		pending[i].unknown = b.items[i].row <= w.write.Doubt && !w.enc.own()
	}
	if len(pending) > 0 && pending[0].unknown { // its rows are in order
		var err error
		if pending, err = w.resolve(ctx, b, pending); err != nil {
			return err
		}
	}
	if len(pending) > 0 {
		if err := w.sending(b); err != nil {
			return err
		}
		if err := w.send(ctx, b, pending, &p); err != nil {
			return err
		}
	}
	return w.settled(b)
}

// sending tells that the rows of a batch are sent from now on.
func (w *writer) sending(b *batch) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	last := b.items[len(b.items)-1].row
	if w.write.Sent == nil || last <= w.sent {
		return nil
	}
	w.sent = last
	if err := w.write.Sent(w.sent); err != nil {
		return fmt.Errorf("that rows up to %d are sent cannot be kept: %w", w.sent, err)
	}
	return nil
}

// send sends some rows of a batch, and again what the cluster was too busy for
// and what it may not have got.
func (w *writer) send(ctx context.Context, b *batch, pending []*item, p *patience) error {
	for len(pending) > 0 {
		before := len(pending)
		answer, err := w.try(ctx, b, pending)
		var cause error
		if err == nil {
			pending, cause, err = w.outcomes(ctx, b, pending, answer)
		} else {
			cause = err
			pending, err = w.failed(ctx, b, pending, p, err)
		}
		if err != nil || len(pending) == 0 {
			return err
		}
		if len(pending) < before {
			p.progress()
		}
		w.tell(p, cause)
		ok, err := p.again(ctx, w.source.config, cause)
		if err != nil {
			return err
		}
		if !ok {
			return w.giveUp(b, pending, cause)
		}
		w.retry(pending)
		if pending, err = w.resolve(ctx, b, pending); err != nil {
			return err
		}
	}
	return nil
}

// try sends some rows of a batch once.
func (w *writer) try(ctx context.Context, b *batch, pending []*item) ([]byte, error) {
	body := lines(b, pending)
	answer, err := w.source.client.send(ctx, w.bulk(body, b.last && len(pending) == len(b.items)))
	if err == nil {
		w.counted(pending[0].mark, func(r *esds.Report) { r.Bytes += int64(len(body)) })
		w.slots.done(int64(len(body)))
	}
	return answer, err
}

// bulk returns the request for some lines. After the last ones of a lane its shards show
// what they took: each by a thread of its own while others still write, where a request
// to refresh the index goes through its shards one after the other (Elasticsearch 8.19,
// with two processors).
func (w *writer) bulk(body []byte, last bool) request {
	r := request{
		op: "write", index: w.write.Index, method: http.MethodPost, path: "/_bulk", ndjson: true, body: body, change: true,
		query: url.Values{"filter_path": {"errors,items.*.status,items.*.error,items.*.result"}},
	}
	if !w.many {
		r.path = "/" + w.write.Index + "/_bulk"
	}
	switch pipeline := w.write.Options.String("es.ingest.pipeline"); {
	case w.write.Changes:
		r.query.Set("pipeline", "_none") // a document that is changed or put back is not loaded anew
	case pipeline != "":
		r.query.Set("pipeline", pipeline)
	}
	if w.write.Options.Bool("eslake.write.require.alias") {
		r.query.Set("require_alias", "true")
	}
	if last && w.write.Options.Bool("es.batch.write.refresh") {
		r.query.Set("refresh", "true")
	}
	return r
}

// lines returns the body for some rows of a batch.
func lines(b *batch, pending []*item) []byte {
	if len(pending) == len(b.items) {
		return b.buf
	}
	var body []byte
	for _, it := range pending {
		body = append(body, b.buf[it.start:it.end]...)
	}
	return body
}

func (w *writer) retry(pending []*item) {
	t := tally{writer: w}
	for _, it := range pending {
		it.retried = true
		t.of(it).Retried++
	}
	t.count()
}

// failed decides what to do about a request that failed as a whole: it returns
// the rows that are to be sent again, none when all are settled. The error ends
// the write.
func (w *writer) failed(ctx context.Context, b *batch, pending []*item, p *patience, cause error) ([]*item, error) {
	var e *esds.Error
	if !errors.As(cause, &e) {
		return nil, cause
	}
	switch {
	case e.Status == http.StatusRequestEntityTooLarge, e.Status == http.StatusBadRequest:
		return nil, w.halve(ctx, b, pending, p, e)
	case e.Status == 0 && errors.Is(e, esds.ErrUnreachable), e.Status >= 500:
		if !undelivered(cause) {
			unknown(pending)
		}
	case e.Status == http.StatusTooManyRequests:
		w.slots.busy()
	default:
		return nil, cause
	}
	return pending, nil
}

// unknown notes that rows may have been taken: only the answer is missing.
func unknown(pending []*item) {
	for _, it := range pending {
		it.unknown = true
	}
}

// tell says once that a request failed and is tried again, since the tries may
// take minutes.
func (w *writer) tell(p *patience, cause error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if cause == nil || w.told || w.write.Notice == nil || p.tries == 0 {
		return
	}
	w.told = true
	w.write.Notice(fmt.Sprintf("%v; the same rows are sent again for up to %v (eslake.retry.budget), Ctrl-C ends it", cause, p.budget))
}

// halve finds the rows that the server refuses a whole request for: by size, or
// by a line that it cannot read.
func (w *writer) halve(ctx context.Context, b *batch, pending []*item, p *patience, cause *esds.Error) error {
	if len(pending) == 1 {
		return w.rejectAlone(b, pending[0], cause)
	}
	middle := len(pending) / 2
	if err := w.send(ctx, b, pending[:middle:middle], p); err != nil {
		return err
	}
	return w.send(ctx, b, pending[middle:], p)
}

// rejectAlone rejects a row that the server refuses even in a request of its
// own. When that befalls one row after the other it is not for the rows.
func (w *writer) rejectAlone(b *batch, it *item, e *esds.Error) error {
	w.mu.Lock()
	w.refused++
	hopeless := w.refused > 10 && w.report.Accepted() == 0
	w.mu.Unlock()
	if hopeless {
		return e
	}
	var c *cause
	if !errors.As(e, &c) {
		c = &cause{text: e.Err.Error()}
	}
	return w.rejectItem(b, it, e.Status, c.Type, c.Error())
}

func (w *writer) rejectItem(b *batch, it *item, status int, errType, reason string) error {
	return w.reject(it.mark, esds.Reject{
		Row: it.row, ID: string(b.id(it)), Index: w.indexOf(it), Status: status, Type: errType, Reason: reason, Document: document(b.document(it)),
	})
}

// giveUp ends the tries. What the cluster was too busy for is rejected; after a
// request without an answer the write ends.
func (w *writer) giveUp(b *batch, pending []*item, cause error) error {
	if cause != nil {
		return cause
	}
	for _, it := range pending {
		if err := w.rejectItem(b, it, it.status, it.errType, it.errCause); err != nil {
			return err
		}
	}
	return nil
}
