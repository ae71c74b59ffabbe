package bench

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// Sink answers as an Elasticsearch 8 that takes each bulk request at once and
// keeps nothing of it, so that a load takes the time that its client needs. It
// knows the requests of a load by ids into one index. The zero value has no
// index.
type Sink struct {
	mu       sync.Mutex
	index    string // "" while there is none
	mappings []byte
	rows     int64
}

// Rows returns how many documents came.
func (s *Sink) Rows() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rows
}

// ServeHTTP answers.
func (s *Sink) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	status, answer := http.StatusOK, []byte(`{"acknowledged":true}`)
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has gone
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	name, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	switch {
	case name == "":
		answer = []byte(`{"version":{"number":"8.19.0"},"tagline":"You Know, for Search"}`)
	case rest == "_bulk":
		n := bytes.Count(body, []byte("\n")) / 2 // a line for what to do, one for the document
		s.rows += int64(n)
		answer = bulkAnswer(n)
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
	w.Header().Set("X-Elastic-Product", "Elasticsearch")
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
	w.WriteHeader(status)
	_, _ = w.Write(answer) // whoever has gone needs no answer
}

// bulkAnswer says that n documents were made.
func bulkAnswer(n int) []byte {
	const item = `{"index":{"result":"created","status":201}},`
	answer := append([]byte(`{"errors":false,"items":[`), bytes.Repeat([]byte(item), n)...)
	return append(bytes.TrimSuffix(answer, []byte(",")), "]}"...)
}
