package elastic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/eslake/eslake/esds"
)

// settle sends a batch until every row is accepted or rejected. The error is one
// that ends the write; rows are then left without an outcome.
func (w *writer) settle(ctx context.Context, b *batch) error {
	p := w.patience()
	pending := make([]*item, len(b.items))
	for i := range b.items {
		pending[i] = &b.items[i]
	}
	if err := w.send(ctx, b, pending, &p); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.write.Progress != nil {
		w.write.Progress(w.report)
	}
	return nil
}

// send sends some rows of a batch, and again what the cluster was too busy for.
func (w *writer) send(ctx context.Context, b *batch, pending []*item, p *patience) error {
	for {
		body := lines(b, pending)
		answer, err := w.source.client.send(ctx, w.bulk(body))
		if err != nil {
			resend, err := w.failed(ctx, b, pending, p, err)
			if !resend {
				return err
			}
			continue
		}
		w.count(func(r *esds.Report) { r.Bytes += int64(len(body)) })
		if pending, err = w.outcomes(b, pending, answer); err != nil || len(pending) == 0 {
			return err
		}
		ok, err := p.again(ctx, w.source.config)
		if err != nil {
			return err
		}
		if !ok {
			return w.giveUp(b, pending)
		}
		w.retry(pending)
	}
}

func (w *writer) bulk(body []byte) request {
	return request{
		op: "write", index: w.write.Index, method: http.MethodPost, path: "/" + w.write.Index + "/_bulk", ndjson: true, body: body, change: true,
		query: url.Values{"filter_path": {"errors,items.*.status,items.*.error,items.*.result"}},
	}
}

// lines returns the body for some rows of a batch.
func lines(b *batch, pending []*item) []byte {
	all := b.buf.Bytes()
	if len(pending) == len(b.items) {
		return all
	}
	var body []byte
	for _, it := range pending {
		body = append(body, all[it.start:it.end]...)
	}
	return body
}

func (w *writer) count(f func(*esds.Report)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f(&w.report)
}

func (w *writer) retry(pending []*item) {
	for _, it := range pending {
		it.retried = true
	}
	w.count(func(r *esds.Report) { r.Retried += int64(len(pending)) })
}

// failed decides what to do about a request that failed as a whole. Resend asks
// for the same rows again; otherwise they are settled, or err ends the write.
func (w *writer) failed(ctx context.Context, b *batch, pending []*item, p *patience, cause error) (resend bool, err error) {
	var e *esds.Error
	if !errors.As(cause, &e) {
		return false, cause
	}
	switch {
	case e.Status == http.StatusRequestEntityTooLarge, e.Status == http.StatusBadRequest:
		return false, w.halve(ctx, b, pending, p, e)
	case e.Status == 0 && errors.Is(e, esds.ErrUnreachable), e.Status >= 500:
		if !undelivered(cause) {
			for _, it := range pending { // it may have been done: only the answer is missing
				it.unknown = true
			}
		}
	case e.Status != http.StatusTooManyRequests:
		return false, cause
	}
	w.tell(p, cause)
	ok, err := p.again(ctx, w.source.config)
	if err != nil {
		return false, err
	}
	if !ok {
		return false, cause
	}
	w.retry(pending)
	return true, nil
}

// tell says once that a request failed and is tried again, since the tries may
// take minutes.
func (w *writer) tell(p *patience, cause error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.told || w.write.Notice == nil || p.tries == 0 {
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
	w.whole400++
	hopeless := w.whole400 > 10 && w.report.Accepted() == 0
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
	doc := document(b.buf.Bytes()[it.doc:it.end])
	return w.reject(esds.Reject{
		Row: it.row, ID: string(b.id(it)), Index: w.write.Index, Status: status, Type: errType, Reason: reason, Document: doc,
	})
}

func (w *writer) giveUp(b *batch, pending []*item) error {
	for _, it := range pending {
		if err := w.rejectItem(b, it, it.status, it.errType, it.errCause); err != nil {
			return err
		}
	}
	return nil
}

// outcome is what an answer says of one row.
type outcome struct {
	status int
	result string
	err    []byte // JSON, nil for none
}

// outcomes settles the rows that an answer settles, and returns those that have
// to be sent again.
func (w *writer) outcomes(b *batch, pending []*item, answer []byte) ([]*item, error) {
	results, err := parseOutcomes(answer)
	if err == nil && len(results) != len(pending) {
		err = fmt.Errorf("the answer has %d outcomes for %d rows", len(results), len(pending))
	}
	if err != nil {
		return nil, &esds.Error{Op: "write", Index: w.write.Index, Status: http.StatusOK, Err: err}
	}
	var again []*item
	busy := map[string]bool{}
	for i, it := range pending {
		o := results[i]
		if o.status == http.StatusTooManyRequests || o.status >= 500 || len(busy) > 0 && busy[string(b.id(it))] {
			// Later rows of the same id must not overtake this one.
			busy[string(b.id(it))] = true
			it.note(o)
			again = append(again, it)
			continue
		}
		if err := w.outcome(b, it, o); err != nil {
			return nil, err
		}
	}
	return again, nil
}

func (it *item) note(o outcome) {
	it.status, it.errType, it.errCause = o.status, "", "the cluster was busy for too long"
	if c := o.cause(); c != nil {
		it.errType, it.errCause = c.Type, c.Error()
	}
}

func (o outcome) cause() *cause {
	var raw rawCause
	if o.err == nil || json.Unmarshal(o.err, &raw) != nil {
		return nil
	}
	return raw.innermost()
}

// outcome settles one row.
func (w *writer) outcome(b *batch, it *item, o outcome) error {
	own := w.enc.id < 0 && w.enc.action == esds.CreateDoc
	switch {
	case o.status == http.StatusConflict && own && it.unknown:
		w.count(func(r *esds.Report) { r.Created++ }) // by the try whose answer was lost
		return nil
	case o.status == http.StatusConflict && own:
		w.count(func(r *esds.Report) { r.Noop++ }) // by an earlier run of the same job
		return nil
	case o.status == http.StatusNotFound && o.err == nil: // a delete of what is not there
		w.count(func(r *esds.Report) { r.Noop++ })
		return nil
	case o.status <= 299:
		w.accept(o)
		return nil
	}
	c := o.cause()
	if c == nil {
		c = &cause{text: http.StatusText(o.status)}
	}
	switch {
	case c.Type == "index_not_found_exception":
		return &esds.Error{Op: "write", Index: w.write.Index, Status: o.status, Err: esds.ErrIndexNotFound}
	case o.status == http.StatusForbidden: // of the index, not of the row
		return &esds.Error{Op: "write", Index: w.write.Index, Status: o.status, Err: fmt.Errorf("%w: %w", esds.ErrForbidden, c)}
	}
	return w.rejectItem(b, it, o.status, c.Type, c.Error())
}

func (w *writer) accept(o outcome) {
	w.count(func(r *esds.Report) {
		switch o.result {
		case "created":
			r.Created++
		case "deleted":
			r.Deleted++
		case "noop", "not_found":
			r.Noop++
		case "updated":
			r.Updated++
		default: // old servers say it by the status only
			if o.status == http.StatusCreated {
				r.Created++
				return
			}
			r.Updated++
		}
	})
}

// parseOutcomes reads {"errors":…,"items":[{"index":{"status":201}},…]}.
func parseOutcomes(answer []byte) ([]outcome, error) {
	var all []outcome
	err := eachMember(answer, func(name, value []byte) error {
		if string(name) != "items" {
			return nil
		}
		err := eachElement(value, func(element []byte) error {
			var o outcome
			err := eachMember(element, func(_, body []byte) error { return o.parse(body) })
			all = append(all, o)
			return err
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("the answer cannot be read: %w", err)
	}
	return all, nil
}

func (o *outcome) parse(body []byte) error {
	err := eachMember(body, func(name, value []byte) error {
		switch string(name) {
		case "status":
			n, err := strconv.Atoi(string(value))
			o.status = n
			return err
		case "result":
			return unquoteInto(&o.result, value)
		case "error":
			o.err = value
		}
		return nil
	})
	return err
}
