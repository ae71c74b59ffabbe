package bench

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Sink answers as an Elasticsearch 8 that takes each bulk request at once and
// keeps nothing of it, so that a load takes the time that its client needs. It
// knows the requests of a load by ids into one index. The zero value has no
// index.
type Sink struct {
	PerSecond int // documents that it takes in a second; 0 for any number

	mu       sync.Mutex
	index    string // "" while there is none
	mappings []byte
	rows     int64
	busy     time.Time // until when it is at work on the documents that came
}

// Rows returns how many documents came.
func (s *Sink) Rows() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rows
}

// ServeHTTP answers.
func (s *Sink) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has gone
	}
	status, answer := s.answer(r, body)
	w.Header().Set("X-Elastic-Product", "Elasticsearch")
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
	w.WriteHeader(status)
	_, _ = w.Write(answer) // whoever has gone needs no answer
}

func (s *Sink) answer(r *http.Request, body []byte) (status int, answer []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	status, answer = http.StatusOK, []byte(`{"acknowledged":true}`)
	name, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	switch {
	case name == "":
		answer = []byte(`{"version":{"number":"8.19.0"},"tagline":"You Know, for Search"}`)
	case rest == "_bulk":
		n := bytes.Count(body, []byte("\n")) / 2 // a line for what to do, one for the document
		s.rows += int64(n)
		answer = bulkAnswer(n)
		s.work(n)
	case rest == "_refresh":
		answer = []byte(`{"_shards":{"total":1,"successful":1,"failed":0}}`)
	case r.Method == http.MethodPut:
		s.index, s.mappings = name, body
	case r.Method == http.MethodDelete:
		s.index, s.rows = "", 0
	case name != s.index:
		status, answer = http.StatusNotFound, []byte(`{"error":{"type":"index_not_found_exception","reason":"no such index"},"status":404}`)
	case rest == "_alias":
		answer = fmt.Appendf(nil, `{%q:{"aliases":{}}}`, name)
	case rest == "_count":
		answer = fmt.Appendf(nil, `{"count":%d}`, s.rows)
	default:
		answer = fmt.Appendf(nil, `{%q:%s}`, name, s.mappings)
	}
	return status, answer
}

// work takes the time that n documents need.
func (s *Sink) work(n int) {
	if s.PerSecond == 0 {
		return
	}
	now := time.Now()
	if s.busy.Before(now) {
		s.busy = now
	}
	s.busy = s.busy.Add(time.Duration(n) * time.Second / time.Duration(s.PerSecond))
	until := s.busy
	s.mu.Unlock()
	time.Sleep(until.Sub(now))
	s.mu.Lock()
}

// bulkAnswer says that n documents were made.
func bulkAnswer(n int) []byte {
	const item = `{"index":{"result":"created","status":201}},`
	answer := append([]byte(`{"errors":false,"items":[`), bytes.Repeat([]byte(item), n)...)
	return append(bytes.TrimSuffix(answer, []byte(",")), "]}"...)
}
