package bench

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// The files of a recording.
const (
	bulkFile     = "bulk.bin"    // each body after its length, four bytes, big endian
	recordedFile = "record.json" // a Recording
)

// Recording is what a program asked a cluster.
type Recording struct {
	Bulks     int // bulk requests; their bodies are in the file of bodies
	BulkLanes int // most bulk requests at a time
	Refreshes int // of an index

	Search      json.RawMessage // body of the last search of a slice
	SearchQuery string          // what followed its "?"
	Slices      int
	SearchLanes int         // most searches at a time
	Sizes       map[int]int // documents a page, and how often so many were asked for

	Groupings     []string // bodies of the searches that asked for no documents
	GroupingQuery string   // what followed their "?"
}

// PageSize returns the size that most pages had.
func (r Recording) PageSize() int {
	size := 0
	for n, times := range r.Sizes {
		if size == 0 || times > r.Sizes[size] {
			size = n
		}
	}
	return size
}

// ReadRecording returns what Record left in a folder.
func ReadRecording(dir string) (Recording, error) {
	var r Recording
	text, err := os.ReadFile(filepath.Join(dir, recordedFile))
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	return r, err
}

// Record stands between a program and a cluster and keeps in dir what the limit
// has to repeat. It says its address in the first line of out, and ends with in.
func Record(in io.Reader, out io.Writer, cluster, dir string) error {
	target, err := url.Parse(cluster)
	if err != nil {
		return err
	}
	bodies, err := os.Create(filepath.Join(dir, bulkFile))
	if err != nil {
		return err
	}
	defer bodies.Close()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) { p.SetURL(target) }}
	r := &recorder{next: proxy, bodies: bodies, Recording: Recording{Sizes: map[int]int{}}}
	server := &http.Server{Handler: r}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	fmt.Fprintf(out, "http://%s\n", listener.Addr())
	_, _ = io.Copy(io.Discard, in) // however it ends, it has ended
	_ = server.Close()             // the program has ended before
	if err := <-done; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	text, err := json.Marshal(r.Recording)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, recordedFile), text, 0o600)
}

// recorder notes requests and hands them on.
type recorder struct {
	next   http.Handler
	bodies io.Writer

	mu              sync.Mutex // of all below
	bulks, searches int        // under way
	Recording
}

func (r *recorder) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err == nil {
		req.Body = io.NopCloser(bytes.NewReader(body))
		err = r.note(req, body)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	r.next.ServeHTTP(w, req)
	r.mu.Lock()
	defer r.mu.Unlock()
	switch kind(req) {
	case "_bulk":
		r.bulks--
	case "_search":
		r.searches--
	}
}

func kind(req *http.Request) string {
	return req.URL.Path[strings.LastIndexByte(req.URL.Path, '/')+1:]
}

func (r *recorder) note(req *http.Request, body []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch kind(req) {
	case "_bulk":
		r.bulks++
		r.Bulks++
		r.BulkLanes = max(r.BulkLanes, r.bulks)
		var length [4]byte
		binary.BigEndian.PutUint32(length[:], uint32(len(body)))
		if _, err := r.bodies.Write(length[:]); err != nil {
			return err
		}
		_, err := r.bodies.Write(body)
		return err
	case "_refresh":
		r.Refreshes++
	case "_search":
		r.searches++
		r.SearchLanes = max(r.SearchLanes, r.searches)
		return r.noteSearch(req.URL.RawQuery, body)
	}
	return nil
}

func (r *recorder) noteSearch(query string, body []byte) error {
	var s struct {
		PIT   any `json:"pit"`
		Size  int `json:"size"`
		Aggs  any `json:"aggs"`
		Slice struct {
			Max int `json:"max"`
		} `json:"slice"`
	}
	err := json.Unmarshal(body, &s)
	if err == nil && s.PIT == nil && s.Size == 0 && s.Aggs != nil {
		r.Groupings, r.GroupingQuery = append(r.Groupings, string(body)), query
	}
	if err != nil || s.PIT == nil || s.Slice.Max == 0 || s.Size <= 1 {
		return err // a page of one document asks whether slices are known
	}
	r.Search, r.SearchQuery, r.Slices = body, query, s.Slice.Max
	r.Sizes[s.Size]++
	return nil
}

// pages returns how the recorded program read, for the limit to do likewise.
func (r Recording) pages() (Pages, error) {
	p := Pages{Index: index, Query: r.SearchQuery, Size: r.PageSize(), Slices: r.Slices, Lanes: r.SearchLanes}
	if r.Slices == 0 {
		return p, errors.New("eslake read no slices of a point in time, so the limit has nothing to repeat")
	}
	err := json.Unmarshal(r.Search, &p.Body)
	delete(p.Body, "search_after")
	return p, err
}
