package elastic

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"github.com/eslake/eslake/esds"
)

// outcome is what an answer says of one row.
type outcome struct {
	status int
	result string
	err    []byte // JSON, nil for none
}

// outcomes settles the rows that an answer settles, and returns those that have
// to be sent again; cause is what is wrong with the answer as a whole, nil for
// nothing. Err ends the write.
func (w *writer) outcomes(ctx context.Context, b *batch, pending []*item, answer []byte) (again []*item, cause, err error) {
	results, wrong := parseOutcomes(answer, len(pending))
	if wrong == nil && len(results) != len(pending) {
		wrong = fmt.Errorf("the answer has %d outcomes for %d rows", len(results), len(pending))
	}
	if wrong != nil {
		unknown(pending)
		return pending, &esds.Error{Op: "write", Index: w.write.Index, Status: http.StatusOK, Err: wrong}, nil
	}
	tally := tally{writer: w}
	defer func() { tally.count() }()
	var doubtful, upserted []*item
	busy := map[string]bool{}
	for i, it := range pending {
		o := &results[i]
		if it.again(o) || len(busy) > 0 && busy[string(b.id(it))] {
			// Later rows of the same id must not overtake this one.
			busy[string(b.id(it))] = true
			it.note(o)
			again = append(again, it)
			continue
		}
		if o.status == http.StatusConflict && w.perhapsOwn(it) {
			doubtful = append(doubtful, it)
			it.note(o)
			continue
		}
		if it.unknown && it.action == esds.UpsertDoc && o.result == "noop" {
			upserted = append(upserted, it)
			continue
		}
		if err := w.outcome(b, it, o, tally.of(it)); err != nil {
			return nil, nil, err
		}
	}
	if len(again) > 0 {
		w.slots.busy()
	}
	w.upserted(ctx, b, upserted)
	return again, nil, w.conflicts(ctx, b, doubtful)
}

// tally counts rows one after the other, before they are counted all at once.
type tally struct {
	writer *writer
	mark   *mark
	report esds.Report
}

// of returns what counts a row.
func (t *tally) of(it *item) *esds.Report {
	if it.mark != t.mark {
		t.count()
		t.mark = it.mark
	}
	return &t.report
}

func (t *tally) count() {
	if t.mark != nil {
		t.writer.counted(t.mark, func(r *esds.Report) { *r = plus(*r, t.report) })
		t.report = esds.Report{}
	}
}

// lastTry is how often an item is sent that fails with status 500: that may be
// for the moment, or for the row, as when a pipeline refuses it.
const lastTry = 3

// again reports whether an item is to be sent again.
func (it *item) again(o *outcome) bool {
	if o.status == http.StatusInternalServerError {
		it.broken++
		return it.broken < lastTry
	}
	return o.status == http.StatusTooManyRequests || o.status > 500
}

func (it *item) note(o *outcome) {
	it.status, it.errType, it.errCause = o.status, "", "the cluster was busy for too long"
	if c := o.cause(); c != nil {
		it.errType, it.errCause = c.Type, c.Error()
	}
}

func (o *outcome) cause() *cause {
	var raw rawCause
	if o.err == nil || json.Unmarshal(o.err, &raw) != nil {
		return nil
	}
	return raw.innermost()
}

// outcome settles one row.
func (w *writer) outcome(b *batch, it *item, o *outcome, tally *esds.Report) error {
	switch {
	case o.status <= 299:
		it.accept(o, tally)
		return nil
	case o.status == http.StatusConflict && w.enc.own() && (it.unknown || w.write.Resumed):
		tally.Created++ // by the try whose answer was lost, or by an earlier run
		return nil
	case o.status == http.StatusConflict && w.enc.own():
		tally.Noop++ // by an earlier run of the same job
		return nil
	case o.status == http.StatusNotFound && o.err == nil: // a delete of what is not there
		it.acceptDelete(tally)
		return nil
	}
	c := o.cause()
	if c == nil {
		c = &cause{text: http.StatusText(o.status)}
	}
	switch {
	case c.Type == "index_not_found_exception" && !w.many:
		return &esds.Error{Op: "write", Index: w.indexOf(it), Status: o.status, Err: esds.ErrIndexNotFound}
	case o.status == http.StatusForbidden: // of the index, not of the row
		return &esds.Error{Op: "write", Index: w.indexOf(it), Status: o.status, Err: fmt.Errorf("%w: %w", esds.ErrForbidden, c)}
	}
	return w.rejectItem(b, it, o.status, c.Type, c.Error())
}

func (it *item) acceptDelete(tally *esds.Report) {
	if it.unknown { // the try whose answer was lost has removed it
		tally.Deleted++
		return
	}
	tally.Noop++
}

func (it *item) accept(o *outcome, tally *esds.Report) {
	switch o.result {
	case "created":
		tally.Created++
	case "deleted":
		tally.Deleted++
	case "noop":
		if it.unknown {
			tally.Updated++ // by the try whose answer was lost
			return
		}
		tally.Noop++
	case "not_found":
		it.acceptDelete(tally)
	default: // old servers say it by the status only
		if it.absent || o.result == "" && o.status == http.StatusCreated {
			tally.Created++
			return
		}
		tally.Updated++
	}
}

// parseOutcomes reads {"errors":…,"items":[{"index":{"status":201}},…]}, of which
// about n are expected. What an item says that was said by the one before, to the
// byte, is not read again.
func parseOutcomes(answer []byte, n int) ([]outcome, error) {
	all := make([]outcome, 0, n)
	var last []byte
	_, err := members(answer, skipBlank(answer, 0), func(name []byte, i int) (int, error) {
		if string(name) != "items" {
			return skipValue(answer, i)
		}
		return elements(answer, i, func(i int) (int, error) {
			if last != nil && bytes.HasPrefix(answer[i:], last) {
				all = append(all, all[len(all)-1])
				return i + len(last), nil
			}
			all = append(all, outcome{})
			o := &all[len(all)-1]
			end, err := members(answer, i, func(_ []byte, i int) (int, error) { return o.parse(answer, i) })
			if err == nil {
				last = answer[i:end]
			}
			return end, err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("the answer cannot be read: %w", err)
	}
	return all, nil
}

// parse reads the outcome that begins at i.
func (o *outcome) parse(b []byte, i int) (int, error) {
	return members(b, i, func(name []byte, i int) (int, error) {
		end, err := skipValue(b, i)
		if err != nil {
			return end, err
		}
		switch value := b[i:end:end]; string(name) {
		case "status":
			o.status, err = strconv.Atoi(string(value))
		case "result":
			o.result, err = resultName(value)
		case "error":
			o.err = value
		}
		return end, err
	})
}

// resultName reads one of the few words that results are without a copy of it.
func resultName(quoted []byte) (string, error) {
	switch string(quoted) {
	case `"created"`:
		return "created", nil
	case `"updated"`:
		return "updated", nil
	case `"deleted"`:
		return "deleted", nil
	case `"noop"`:
		return "noop", nil
	case `"not_found"`:
		return "not_found", nil
	}
	text, err := appendUnquoted(nil, quoted)
	return string(text), err
}
