package esds

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Trace counts what reading asked of a source, for EXPLAIN ANALYZE. It travels
// in the context of Scan, Count, Estimate and Aggregate. Its methods are safe for
// concurrent use and do nothing on nil, so that a source calls them always.
type Trace struct {
	// Paged is called after each page with the documents that came so far, perhaps
	// by several goroutines at once. It is set before the Trace is used; nil for
	// none.
	Paged func(documents int64)

	mu    sync.Mutex
	total TraceTotals
}

// TraceTotals is what a Trace has counted.
type TraceTotals struct {
	Requests  int64         // sent, retries included
	Pages     int64         // of documents or groups
	Documents int64         // that came with the pages
	Bytes     int64         // of answers, as they were decoded
	Cluster   time.Duration // "took" of the answers, summed over connections
	Waited    time.Duration // between asking and the answer, summed over connections
	Notes     []string      // choices and fallbacks with their reasons, each once
}

// Request counts one request, its answer's bytes and the time until it came.
func (t *Trace) Request(bytes int64, waited time.Duration) {
	t.change(func(n *TraceTotals) { n.Requests++; n.Bytes += bytes; n.Waited += waited })
}

// Page counts a page with its documents and the cluster's own time for it.
func (t *Trace) Page(documents int64, took time.Duration) {
	sofar := int64(0)
	t.change(func(n *TraceTotals) {
		n.Pages++
		n.Documents += documents
		n.Cluster += took
		sofar = n.Documents
	})
	if t != nil && t.Paged != nil {
		t.Paged(sofar)
	}
}

// Note keeps what a person should know of how the answer came about.
func (t *Trace) Note(text string) {
	t.change(func(n *TraceTotals) {
		if !slices.Contains(n.Notes, text) {
			n.Notes = append(n.Notes, text)
		}
	})
}

// Totals returns what was counted so far.
func (t *Trace) Totals() TraceTotals {
	if t == nil {
		return TraceTotals{}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	out := t.total
	out.Notes = slices.Clone(out.Notes)
	return out
}

func (t *Trace) change(f func(*TraceTotals)) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	f(&t.total)
}

type traceKey struct{}

// WithTrace returns a context whose requests are counted by t.
func WithTrace(ctx context.Context, t *Trace) context.Context {
	return context.WithValue(ctx, traceKey{}, t)
}

// TraceOf returns the trace of a context, nil for none.
func TraceOf(ctx context.Context) *Trace {
	t, _ := ctx.Value(traceKey{}).(*Trace)
	return t
}
