// Package esdstest tests sources: a Suite that every source must pass, and a
// fake Elasticsearch and OpenSearch with faults on demand.
//
// The fake, New, is an HTTP server in the process that keeps documents in
// memory and answers as the real servers do: documents are visible after a
// refresh only, a point in time stands still, a page names the shards that
// failed. A test controls the next request of a kind:
//
//	fake := esdstest.New(t, esdstest.Elasticsearch8)
//	fake.Next(esdstest.Bulk, esdstest.Answer(429, `{"error":"busy"}`))
//
// A Proxy takes the same controls and stands before a real server.
//
// parity_test.go holds the fake to the real servers.
package esdstest

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// Flavour is the server that a fake poses as.
type Flavour struct {
	Name    string // for names of subtests
	Version string

	created    string // index.version.created
	openSearch bool
	shardDoc   bool   // sorts by _shard_doc under a PIT
	idSort     bool   // sorts by _id
	parseError string // type of the error of a document that does not fit its mapping
	ignored    bool   // notes a keyword that is longer than ignore_above in _ignored
	noAlias    string // type of the error of an alias that is absent
	vendor     string // the version of compatible-with that it takes, "" for no such media type
}

// The flavours of New.
var (
	Elasticsearch8 = Flavour{Name: "es8", Version: "8.19.7", created: "8190799", shardDoc: true, noAlias: "resource_not_found_exception", parseError: "document_parsing_exception", vendor: "8", ignored: true}
	Elasticsearch7 = Flavour{Name: "es7", Version: "7.17.15", created: "7171599", shardDoc: true, idSort: true, noAlias: "aliases_not_found_exception", parseError: "mapper_parsing_exception", vendor: "7", ignored: true}
	OpenSearch2    = Flavour{Name: "os2", Version: "2.19.6", created: "136408427", openSearch: true, noAlias: "aliases_not_found_exception", idSort: true, parseError: "mapper_parsing_exception"}
	OpenSearch3    = Flavour{Name: "os3", Version: "3.8.0", created: "137297827", openSearch: true, noAlias: "aliases_not_found_exception", shardDoc: true, idSort: true, parseError: "mapper_parsing_exception"}
)

// Flavours returns every flavour.
func Flavours() []Flavour {
	return []Flavour{Elasticsearch8, Elasticsearch7, OpenSearch2, OpenSearch3}
}

// Server is a fake. Its methods may be called at any time.
type Server struct {
	*board

	URL     string
	Flavour Flavour

	http    *httptest.Server
	cluster cluster // guarded by the board's mutex
}

// New starts a fake that ends with the test. The test fails when a control of
// Next was never used.
func New(t testing.TB, flavour Flavour) *Server {
	t.Helper()
	s := &Server{Flavour: flavour, board: newBoard(t, flavour), cluster: newCluster(flavour)}
	s.http = httptest.NewServer(http.HandlerFunc(s.serve))
	s.URL = s.http.URL
	t.Cleanup(func() { s.end(s.http) })
	return s
}

// OpenPITs returns the number of points in time that are open.
func (s *Server) OpenPITs() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.cluster.pits)
}

// OpenScrolls returns the number of scrolls that are open.
func (s *Server) OpenScrolls() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.cluster.scrolls)
}

// OpenContexts returns the number of open scrolls and points in time.
func (s *Server) OpenContexts() int { return s.OpenPITs() + s.OpenScrolls() }
