package esdstest

import (
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
)

// board is where a test pins what becomes of requests to a fake or a Proxy, and
// reads which requests came.
type board struct {
	t       testing.TB
	flavour Flavour
	stop    chan struct{} // closed when the test ends

	mu      sync.Mutex
	pending []*pending
	log     []Request
}

type pending struct {
	kind    Kind
	match   func(Request) bool
	control Control
}

func newBoard(t testing.TB, flavour Flavour) *board {
	return &board{t: t, flavour: flavour, stop: make(chan struct{})}
}

// end stops a server and reports controls that were never used.
func (b *board) end(server *httptest.Server) {
	close(b.stop)
	server.CloseClientConnections()
	server.Close()
	for _, p := range b.pending {
		if !b.t.Failed() {
			b.t.Errorf("no %s request came for the control that was set", p.kind)
		}
	}
}

// Next sets what becomes of the next request of a kind. Controls for one kind
// are used up in the order in which they were set.
func (b *board) Next(kind Kind, c Control) {
	b.NextWhen(kind, func(Request) bool { return true }, c)
}

// NextWhen is Next for the next request that matches.
func (b *board) NextWhen(kind Kind, match func(Request) bool, c Control) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pending = append(b.pending, &pending{kind, match, c})
}

// take logs a request and returns the control set for it, nil for none.
func (b *board) take(req Request) Control {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.log = append(b.log, req)
	for i, p := range b.pending {
		if (p.kind == req.Kind || p.kind == Any) && p.match(req) {
			b.pending = append(b.pending[:i:i], b.pending[i+1:]...)
			return p.control
		}
	}
	return nil
}

// Requests returns the requests of a kind that came so far, Any for all.
func (b *board) Requests(kind Kind) []Request {
	b.mu.Lock()
	defer b.mu.Unlock()
	if kind == Any {
		return slices.Clone(b.log)
	}
	var found []Request
	for _, r := range b.log {
		if r.Kind == kind {
			found = append(found, r)
		}
	}
	return found
}

// Forget empties the log of requests.
func (b *board) Forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.log = nil
}
