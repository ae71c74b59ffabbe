//go:build unix

package cli_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// tap stands before a server and shows every request to a function before it
// is passed on.
type tap struct {
	url string

	mu   sync.Mutex // held while look runs, so that it sees one request at a time
	look func(*http.Request) (drop bool)

	passed sync.WaitGroup // requests that the server has not answered yet
}

func newTap(t *testing.T, target string) *tap {
	t.Helper()
	u, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	p := &tap{}
	forward := httputil.NewSingleHostReverseProxy(u)
	forward.ErrorHandler = func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) } // a client that was killed
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p.drops(r) {
			panic(http.ErrAbortHandler)
		}
		defer p.passed.Done()
		ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context())) // what was passed on is done, whoever waits for it
		defer cancel()
		forward.ServeHTTP(w, r.WithContext(ctx))
	}))
	p.url = s.URL
	t.Cleanup(s.Close)
	return p
}

func (p *tap) drops(r *http.Request) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.look != nil && p.look(r) {
		return true
	}
	p.passed.Add(1)
	return false
}

// set changes what sees the requests, nil for nothing.
func (p *tap) set(look func(*http.Request) (drop bool)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.look = look
}

// before calls f once, before the nth request that matches is passed on. That
// request is dropped when f says so, and then all later ones.
func (p *tap) before(n int, match func(*http.Request) bool, f func() (drop bool)) {
	seen, dropping := 0, false
	p.set(func(r *http.Request) bool {
		if dropping || !match(r) {
			return dropping
		}
		if seen++; seen == n {
			dropping = f()
		}
		return dropping
	})
}

func isBulk(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/_bulk") }

// isPage reports whether a request asks for a page of documents.
func isPage(r *http.Request) bool {
	return strings.Contains(r.URL.Path, "_search") && r.Method == http.MethodPost
}

func anyRequest(*http.Request) bool { return true }
