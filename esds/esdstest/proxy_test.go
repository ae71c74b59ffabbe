package esdstest

import (
	"net/http"
	"strings"
	"testing"
)

// TestProxy sets controls at a proxy before a fake, which takes the real
// server's place.
func TestProxy(t *testing.T) {
	tests := []struct {
		name    string
		control Control
		status  int    // of the bulk request
		body    string // part of its answer
		docs    string // part of the count afterwards
	}{
		{"nothing", act1, 200, `"errors":false`, `"count":2`},
		{"answer", Answer(413, "too large"), 413, "too large", `"count":0`},
		{"drop", Drop(), 0, "EOF", `"count":0`},
		{"drop after acting", After(Drop()), 0, "EOF", `"count":2`},
		{"partial", PartialBulk(map[int]int{0: 429}), 200, `{"index":{"_id":"1","_index":"x","error":{"reason":"rejected`, `"count":1`},
		{"partial, no item left", PartialBulk(map[int]int{0: 429, 1: 400}), 200, `"status":400`, `"count":0`},
		{"truncate", Truncate(10), 0, "{", `"count":2`},
		{"gzip cut", TruncateGzip(20), 200, "\x1f\x8b", `"count":2`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := NewProxy(t, New(t, OpenSearch2).URL)
			send := client(t, p.URL)
			send(http.MethodPut, "/x", "")
			p.Next(Bulk, tt.control)
			if status, body := send(http.MethodPost, "/x/_bulk", two); status != tt.status || !strings.Contains(body, tt.body) {
				t.Errorf("answer = %d %s, want %d with %s", status, body, tt.status, tt.body)
			}
			send(http.MethodPost, "/x/_refresh", "")
			if _, body := send(http.MethodGet, "/x/_count", ""); !strings.Contains(body, tt.docs) {
				t.Errorf("count = %s, want %s", body, tt.docs)
			}
			if n := len(p.Requests(Bulk)); n != 1 {
				t.Errorf("bulk requests = %d, want 1", n)
			}
		})
	}
}

// TestProxyCut breaks a connection while the request is sent.
func TestProxyCut(t *testing.T) {
	fake := New(t, Elasticsearch8)
	p := NewProxy(t, fake.URL)
	send := client(t, p.URL)
	send(http.MethodPut, "/x", "")
	p.CutNext(Bulk, 20)
	if status, body := send(http.MethodPost, "/x/_bulk", two); status != 0 {
		t.Errorf("answer = %d %s, want a broken connection", status, body)
	}
	if n := len(fake.Requests(Bulk)); n != 0 {
		t.Errorf("the server got %d bulk requests, want none", n)
	}
	if status, body := send(http.MethodPost, "/x/_bulk", two); status != 200 {
		t.Errorf("next answer = %d %s", status, body)
	}
}

// TestStall sends the rest of an answer when the test says so.
func TestStall(t *testing.T) {
	fake := New(t, Elasticsearch8)
	send := client(t, fake.URL)
	until := make(chan struct{})
	fake.Next(Root, Stall(10, until))
	fake.Next(Root, func(x *Exchange) { // comes while the first one stalls
		close(until)
		act1(x)
	})
	answers := make(chan int, 2)
	for range 2 {
		go func() {
			status, body := send(http.MethodGet, "/", "")
			if !strings.Contains(body, "tagline") {
				status = 0
			}
			answers <- status
		}()
	}
	if a, b := <-answers, <-answers; a != 200 || b != 200 {
		t.Errorf("answers = %d, %d, want 200 and the whole body", a, b)
	}
}
