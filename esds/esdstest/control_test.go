package esdstest

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
)

// client sends one request and returns status and body; status 0 means that the
// connection broke.
func client(t *testing.T, url string) func(method, path, body string) (int, string) {
	// A connection that was dropped must not be tried again.
	transport := &http.Transport{DisableKeepAlives: true, DisableCompression: true}
	t.Cleanup(transport.CloseIdleConnections)
	return func(method, path, body string) (int, string) {
		req, err := http.NewRequestWithContext(t.Context(), method, url+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		resp, err := transport.RoundTrip(req)
		if err != nil {
			return 0, err.Error()
		}
		defer resp.Body.Close()
		raw, err := io.ReadAll(resp.Body)
		if err != nil {
			return 0, string(raw)
		}
		return resp.StatusCode, string(raw)
	}
}

const (
	one = `{"index":{"_id":"1"}}` + "\n" + `{"a":1}` + "\n"
	two = one + `{"index":{"_id":"2"}}` + "\n" + `{"a":2}` + "\n"
)

func TestControls(t *testing.T) {
	tests := []struct {
		name    string
		control Control
		status  int    // of the bulk request
		body    string // part of its answer
		docs    string // part of the count afterwards
	}{
		{"answer", Answer(429, `{"error":"busy"}`), 429, "busy", `"count":0`},
		{"drop", Drop(), 0, "EOF", `"count":0`},
		{"drop after acting", After(Drop()), 0, "EOF", `"count":2`},
		{"answer after acting", After(Answer(504, "gateway timeout")), 504, "gateway", `"count":2`},
		{"partial", PartialBulk(map[int]int{1: 429}), 200, `"status":429`, `"count":1`},
		{"truncate", Truncate(10), 0, "{", `"count":2`},
		{"watch", Watch(func(r Request) {
			if r.Kind != Bulk || !bytes.Contains(r.Body, []byte(`"a":2`)) {
				panic("watched another request")
			}
		}), 200, `"errors":false`, `"count":2`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := New(t, Elasticsearch8)
			send := client(t, s.URL)
			send(http.MethodPut, "/x", "")
			s.Next(Bulk, tt.control)
			if status, body := send(http.MethodPost, "/x/_bulk", two); status != tt.status || !strings.Contains(body, tt.body) {
				t.Errorf("answer = %d %s, want %d with %s", status, body, tt.status, tt.body)
			}
			send(http.MethodPost, "/x/_refresh", "")
			if _, body := send(http.MethodGet, "/x/_count", ""); !strings.Contains(body, tt.docs) {
				t.Errorf("count = %s, want %s", body, tt.docs)
			}
			// It was used up.
			if status, body := send(http.MethodPost, "/x/_bulk", two); status != 200 || !strings.Contains(body, `"errors":false`) {
				t.Errorf("next answer = %d %s", status, body)
			}
			if n := len(s.Requests(Bulk)); n != 2 {
				t.Errorf("bulk requests logged = %d, want 2", n)
			}
		})
	}
}

func TestDelay(t *testing.T) {
	s := New(t, Elasticsearch8)
	send := client(t, s.URL)
	until, came := make(chan struct{}), make(chan struct{})
	s.Next(Count, func(x *Exchange) {
		close(came)
		Delay(until)(x)
	})
	send(http.MethodPut, "/x", "")
	done := make(chan string)
	go func() {
		_, body := send(http.MethodGet, "/x/_count", "")
		done <- body
	}()
	<-came
	send(http.MethodPost, "/x/_bulk?refresh=true", one)
	close(until)
	if body := <-done; !strings.Contains(body, `"count":1`) {
		t.Errorf("count after the delay = %s, want 1", body)
	}

	ctx, cancel := context.WithCancel(t.Context())
	s.Next(Count, func(x *Exchange) {
		cancel() // the request is here, and its answer never comes
		Delay(make(chan struct{}))(x)
	})
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/x/_count", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err == nil {
		resp.Body.Close()
	}
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v, want a cancelled request", err)
	}
}

func TestShardFailure(t *testing.T) {
	s := New(t, OpenSearch2)
	send := client(t, s.URL)
	send(http.MethodPost, "/x/_bulk?refresh=true", two)
	s.Next(Search, ShardFailure())
	if status, body := send(http.MethodPost, "/x/_search", "{}"); status != 200 || !strings.Contains(body, `"failed":1`) || strings.Count(body, `"_id"`) != 1 {
		t.Errorf("answer = %d %s, want 200 with a failed shard and half of the hits", status, body)
	}
}

func TestGzip(t *testing.T) {
	s := New(t, Elasticsearch8)
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, _ = w.Write([]byte(two))
	w.Close()
	req, err := http.NewRequest(http.MethodPost, s.URL+"/x/_bulk?refresh=true", &zipped)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-ndjson")
	req.Header.Set("Content-Encoding", "gzip")
	req.Header.Set("Accept-Encoding", "gzip")
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	r, err := gzip.NewReader(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(r)
	if err != nil || !strings.Contains(string(body), `"errors":false`) {
		t.Errorf("answer = %s, %v", body, err)
	}
	if got := s.Requests(Bulk); len(got) != 1 || !got[0].Gzip || string(got[0].Body) != two {
		t.Errorf("logged = %+v", got)
	}
}

func TestMediaTypes(t *testing.T) {
	for _, tt := range []struct {
		flavour Flavour
		header  string
		status  int
		product string
	}{
		{Elasticsearch8, "application/vnd.elasticsearch+json;compatible-with=8", 200, "Elasticsearch"},
		{Elasticsearch7, "application/vnd.elasticsearch+json;compatible-with=8", 400, "Elasticsearch"},
		{OpenSearch2, "application/vnd.elasticsearch+json;compatible-with=8", 406, ""},
		{OpenSearch3, "application/json", 200, ""},
	} {
		t.Run(tt.flavour.Name, func(t *testing.T) {
			s := New(t, tt.flavour)
			req, err := http.NewRequest(http.MethodGet, s.URL, nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Accept", tt.header)
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if got := resp.Header.Get("X-Elastic-Product"); resp.StatusCode != tt.status || tt.status == 200 && got != tt.product {
				t.Errorf("answer = %d, product %q, want %d, %q", resp.StatusCode, got, tt.status, tt.product)
			}
		})
	}
}

func TestFilterPath(t *testing.T) {
	body := decode([]byte(`{"took":1,"items":[{"index":{"status":201,"_id":"1"}},{"create":{"status":409,"error":{"type":"x"}}}]}`))
	for path, want := range map[string]string{
		"took":                           `{"took":1}`,
		"items.*.status":                 `{"items":[{"index":{"status":201}},{"create":{"status":409}}]}`,
		"items.*.error":                  `{"items":[{"create":{"error":{"type":"x"}}}]}`,
		"**.type":                        `{"items":[{"create":{"error":{"type":"x"}}}]}`,
		"took,items.index._id":           `{"items":[{"index":{"_id":"1"}}],"took":1}`,
		"nothing":                        `{}`,
		"items.*.status,items.*.error.*": `{"items":[{"index":{"status":201}},{"create":{"error":{"type":"x"},"status":409}}]}`,
	} {
		if got := string(encode(filterPath(body, strings.Split(path, ",")))); got != want {
			t.Errorf("filter_path %s = %s, want %s", path, got, want)
		}
	}
}
