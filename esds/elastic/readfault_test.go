package elastic_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/esds/elastic"
	"github.com/eslake/eslake/esds/esdstest"
	"github.com/eslake/eslake/esds/esdstest/servers"
	"github.com/eslake/eslake/sql/row"
)

// controls is what a fake and a proxy before a real server have in common.
type controls interface {
	Next(kind esdstest.Kind, c esdstest.Control)
	NextWhen(kind esdstest.Kind, match func(esdstest.Request) bool, c esdstest.Control)
}

// readBed is an index of many documents behind faults.
type readBed struct {
	*testing.T
	controls
	source *elastic.Source
	index  string
	total  int
	open   func() int // contexts that the server keeps open
}

// pageSize is how many documents a page of these tests has.
const pageSize = 100

// TestReadFaultsEverywhere lets each part of a read go wrong on every flavour of
// the fake: no row is lost, none comes twice, no context stays open.
func TestReadFaultsEverywhere(t *testing.T) {
	for _, flavour := range esdstest.Flavours() {
		t.Run(flavour.Name, func(t *testing.T) {
			for _, f := range readFaults {
				t.Run(f.name, func(t *testing.T) {
					fake := esdstest.New(t, flavour)
					b := newReadBed(t, fake.URL, fake, fake.OpenContexts)
					b.check(f)
				})
			}
		})
	}
}

// TestReadFaultsOnRealServers does the same with a proxy before them.
func TestReadFaultsOnRealServers(t *testing.T) {
	servers.Each(t, func(t *testing.T, url string) {
		base := openSearchContexts(t, url)
		for _, f := range readFaults {
			t.Run(f.name, func(t *testing.T) {
				proxy := esdstest.NewProxy(t, url)
				b := newReadBed(t, proxy.URL, proxy, func() int { return leftOpen(t, url, base) })
				b.check(f)
			})
		}
	})
}

// openSearchContexts asks a server how many scrolls and points in time it keeps.
func openSearchContexts(t *testing.T, url string) int {
	resp, err := http.Get(url + "/_nodes/stats/indices/search")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var stats struct {
		Nodes map[string]struct {
			Indices struct {
				Search struct {
					Open int `json:"open_contexts"`
				} `json:"search"`
			} `json:"indices"`
		} `json:"nodes"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&stats); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, node := range stats.Nodes {
		n += node.Indices.Search.Open
	}
	return n
}

// leftOpen returns how many contexts there are above base. A search keeps its own until
// it has ended, also when nobody waits for it any more: the server is asked again for a
// while, which is little to the minutes that a forgotten one lives.
func leftOpen(t *testing.T, url string, base int) int {
	n := 0
	for range 200 {
		if n = openSearchContexts(t, url) - base; n <= 0 {
			break
		}
	}
	return n
}

func newReadBed(t *testing.T, url string, c controls, contexts func() int) *readBed {
	b := &readBed{T: t, controls: c, index: fmt.Sprintf("faults-%08x", rand.Uint32()), total: 900, open: contexts}
	b.source = open(t, elastic.Config{Addresses: []string{url}, Wait: noWait})
	t.Cleanup(func() { b.source.Close() })
	mapping, err := esds.MappingOf(idAndN, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.source.Create(t.Context(), b.index, esds.Definition{Mappings: mapping, Settings: []byte(`{"index":{"number_of_shards":2,"number_of_replicas":0}}`)}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.source.Drop(context.WithoutCancel(t.Context()), b.index) })
	b.fill()
	return b
}

// fill writes as many documents as there should be.
func (b *readBed) fill() {
	b.Helper()
	batch := row.NewBatch(idAndN)
	for i := range b.total {
		if err := batch.AppendRow(fmt.Sprintf("r%d", i), int64(i)); err != nil {
			b.Fatal(err)
		}
	}
	w := esds.Write{Index: b.index, ID: "id", Options: options(b.T)}
	if _, err := b.source.Write(b.Context(), w, row.NewBatches(idAndN, batch)); err != nil {
		b.Fatal(err)
	}
}

// readFault is something that goes wrong in a read.
type readFault struct {
	name string
	set  func(b *readBed)
	// want is part of the error of a point in time, and scroll of a scroll; "" when
	// every row comes.
	want, scroll string
}

// later is the second page of a slice, which moves a scroll on.
func later(b *readBed, c esdstest.Control) {
	b.NextWhen(esdstest.Any, func(r esdstest.Request) bool {
		return r.Kind == esdstest.Scroll || r.Kind == esdstest.Search && strings.Contains(string(r.Body), "search_after")
	}, c)
}

// begins is the first page of a slice.
func begins(b *readBed, c esdstest.Control) {
	b.NextWhen(esdstest.Search, func(r esdstest.Request) bool {
		body := string(r.Body)
		return r.Query.Has("scroll") || strings.Contains(body, `"pit"`) && strings.Contains(body, `"track_total_hits":true`) && !strings.Contains(body, `"size":0`) && !strings.Contains(body, `"size":1,`)
	}, c)
}

const (
	missing = `{"error":{"type":"search_phase_execution_exception","reason":"all shards failed","caused_by":{"type":"search_context_missing_exception","reason":"No search context found for id [1]"}},"status":404}`
	closed  = "closed the connection"
	cutOff  = "dropped the read before its end"
)

var readFaults = []readFault{
	{name: "nothing", set: func(*readBed) {}},
	{name: "429 while the index is opened", set: func(b *readBed) { b.Next(esdstest.GetIndex, busy()); b.Next(esdstest.GetIndex, busy()) }},
	{name: "503 at the first search", set: func(b *readBed) {
		b.Next(esdstest.Search, esdstest.Answer(503, `{"error":{"type":"cluster_block_exception","reason":"not recovered"}}`))
	}},
	{name: "502 of a gateway at the first search", set: func(b *readBed) { b.Next(esdstest.Search, esdstest.Answer(502, "<html>")) }},
	{name: "busy", set: func(b *readBed) { later(b, busy()) }, scroll: "rejected execution"},
	{name: "reset", set: func(b *readBed) { later(b, esdstest.Drop()) }, scroll: closed},
	{name: "reset after the server has acted", set: func(b *readBed) { later(b, esdstest.After(esdstest.Drop())) }, scroll: closed},
	{name: "half a page", set: func(b *readBed) { later(b, esdstest.Truncate(300)) }, scroll: closed},
	{name: "half a first page", set: func(b *readBed) { begins(b, esdstest.Truncate(300)) }, scroll: closed},
	{name: "shard failure in a first page", set: func(b *readBed) { begins(b, esdstest.ShardFailure()) }}, // that lost the context: begun anew
	{name: "half a page in gzip", set: func(b *readBed) { later(b, esdstest.TruncateGzip(60)) }, scroll: closed},
	{name: "shard failure in a 200", set: func(b *readBed) { later(b, esdstest.ShardFailure()) }, want: "shards failed", scroll: "shards failed"},
	{name: "out of time in a 200", set: func(b *readBed) { later(b, esdstest.TimedOut()) }, want: "before it was complete", scroll: "before it was complete"},
	{name: "expired before the first row", set: func(b *readBed) { begins(b, esdstest.Answer(404, missing)) }},
	{name: "expired later", set: func(b *readBed) { expireAfterRows(b) }, want: cutOff, scroll: cutOff},
}

// expireAfterRows lets the last page be missing: rows were given out by then.
func expireAfterRows(b *readBed) {
	n := 0
	b.NextWhen(esdstest.Any, func(r esdstest.Request) bool {
		if r.Kind == esdstest.Scroll || r.Kind == esdstest.Search && strings.Contains(string(r.Body), "search_after") {
			n++
		}
		return n == 6
	}, esdstest.Answer(404, missing))
}

func (b *readBed) check(f readFault) {
	b.Helper()
	f.set(b)
	rows, err := b.read(b.Context())
	want := f.want
	if f.scroll != "" && b.scrolls() {
		want = f.scroll
	}
	switch {
	case want == "" && err != nil:
		b.Errorf("error = %v, want none", err)
	case want == "":
		b.whole(rows)
	case err == nil || !strings.Contains(err.Error(), want):
		b.Errorf("error = %v after %d rows, want %q in it", err, len(rows), want)
	}
	seen := map[int64]bool{}
	for _, n := range rows {
		if seen[n] {
			b.Fatalf("row %d came twice", n)
		}
		seen[n] = true
	}
	if n := b.open(); n != 0 {
		b.Errorf("%d contexts were left open", n)
	}
}

// scrolls reports whether the server is read by scrolls.
func (b *readBed) scrolls() bool {
	return strings.HasPrefix(b.source.String(), "OpenSearch 2") || strings.HasPrefix(b.source.String(), "OpenSearch 1")
}

func (b *readBed) read(ctx context.Context) ([]int64, error) { return b.readBy(ctx, pageSize, 1) }

func (b *readBed) readBy(ctx context.Context, size, slices int) ([]int64, error) {
	return b.readWith(ctx, "es.scroll.size", strconv.Itoa(size), "eslake.read.slices", strconv.Itoa(slices), "eslake.read.fields", "source")
}

func (b *readBed) readWith(ctx context.Context, set ...string) ([]int64, error) {
	x, err := b.source.Open(ctx, b.index, options(b.T, set...))
	if err != nil {
		return nil, err
	}
	r, err := x.Scan(ctx, esds.Scan{Columns: idAndN})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var rows []int64
	for {
		batch, err := r.Next(ctx)
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return rows, err
		}
		rows = append(rows, batch.Columns[1].Ints...)
	}
}

func (b *readBed) whole(rows []int64) {
	b.Helper()
	seen := map[int64]bool{}
	for _, n := range rows {
		seen[n] = true
	}
	if len(rows) != b.total || len(seen) != b.total {
		b.Errorf("rows = %d, of them %d different; want %d", len(rows), len(seen), b.total)
	}
}

// TestCancelledReads gives up a read at each stage: while a page is under way,
// while nobody takes rows, before the first row.
func TestCancelledReads(t *testing.T) {
	for _, flavour := range []esdstest.Flavour{esdstest.Elasticsearch8, esdstest.OpenSearch2} {
		t.Run(flavour.Name, func(t *testing.T) {
			fake := esdstest.New(t, flavour)
			newReadBed(t, fake.URL, fake, fake.OpenContexts).cancel()
		})
	}
}

// TestCancelledReadsOnRealServers asks them for what is left open.
func TestCancelledReadsOnRealServers(t *testing.T) {
	servers.Each(t, func(t *testing.T, url string) {
		base := openSearchContexts(t, url)
		proxy := esdstest.NewProxy(t, url)
		newReadBed(t, proxy.URL, proxy, func() int { return leftOpen(t, url, base) }).cancel()
	})
}

func (b *readBed) cancel() {
	never := make(chan struct{}) // the test's end closes the connections
	stages := map[string]func(cancel context.CancelFunc){
		"a page is under way": func(cancel context.CancelFunc) {
			later(b, func(x *esdstest.Exchange) {
				cancel()
				esdstest.Delay(never)(x)
			})
		},
		"half a page has come": func(cancel context.CancelFunc) {
			later(b, func(x *esdstest.Exchange) {
				cancel()
				esdstest.Stall(200, never)(x)
			})
		},
		"the first search": func(cancel context.CancelFunc) {
			b.Next(esdstest.Search, func(x *esdstest.Exchange) {
				cancel()
				esdstest.Delay(never)(x)
			})
		},
		"a slice begins": func(cancel context.CancelFunc) {
			begins(b, func(x *esdstest.Exchange) { // a scroll that nobody knows of could not be closed
				cancel()
				status, body := x.Act()
				x.Send(status, string(body))
			})
		},
	}
	for name, set := range stages {
		b.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			set(cancel)
			if _, err := b.read(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("error = %v, want %v", err, context.Canceled)
			}
			if n := b.open(); n != 0 {
				t.Errorf("%d contexts were left open", n)
			}
		})
	}
	if rows, err := b.read(b.Context()); err != nil {
		b.Error(err)
	} else {
		b.whole(rows)
	}
}

// TestSlowReads lets a server send half a page and then nothing: the read waits
// as long as es.http.timeout says, and asks again where that is safe.
func TestSlowReads(t *testing.T) {
	for _, flavour := range []esdstest.Flavour{esdstest.Elasticsearch8, esdstest.OpenSearch2} {
		t.Run(flavour.Name, func(t *testing.T) {
			fake := esdstest.New(t, flavour)
			b := newReadBed(t, fake.URL, fake, fake.OpenContexts)
			b.source = open(t, elastic.Config{Addresses: []string{fake.URL}, Wait: noWait, Timeout: 2 * time.Second})
			later(b, esdstest.Stall(200, nil))
			rows, err := b.read(t.Context())
			if b.scrolls() {
				if !errors.Is(err, esds.ErrUnreachable) || !strings.Contains(err.Error(), "did not answer within 2s") {
					t.Errorf("error = %v, want one that says how long was waited", err)
				}
			} else if err != nil {
				t.Error(err)
			} else {
				b.whole(rows)
			}
			if n := b.open(); n != 0 {
				t.Errorf("%d contexts were left open", n)
			}
		})
	}
}

// An index that is being cloned has no mapping until its first shard is there. One
// whose shards do not come is an error, not a table without columns.
func TestOpenDuringClone(t *testing.T) {
	bare := esdstest.Answer(200, `{"idx":{"aliases":{},"mappings":{},"settings":{"index":{"uuid":"u","resize":{"source":{"name":"x","uuid":"y"}}}}}}`)
	state := func(n int) esdstest.Control {
		return esdstest.Answer(200, fmt.Sprintf(`{"status":"yellow","timed_out":false,"indices":{"idx":{"status":"yellow","number_of_shards":2,"active_primary_shards":%d}}}`, n))
	}
	const refused = `{"error":{"type":"security_exception","reason":"action [cluster:monitor/health] is unauthorized"},"status":403}`
	tests := []struct {
		name   string
		health []esdstest.Control
		err    string // "" when all columns come
	}{
		{"at once", nil, ""},
		{"one shard after the other", []esdstest.Control{state(0), state(0), state(1)}, ""},
		{"busy", []esdstest.Control{busy(), esdstest.Answer(408, "{}"), esdstest.Drop()}, ""},
		{"not to be asked", []esdstest.Control{esdstest.Answer(403, refused)}, ""},
		{"gone", slices.Repeat([]esdstest.Control{esdstest.Answer(408, "{}")}, 10), "its shards did not become ready in time"},
		{"never", slices.Repeat([]esdstest.Control{state(1)}, 201), "idx: it is being cloned, and has no mapping yet: its shards did not become ready in time"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBed(t, esdstest.Elasticsearch8)
			b.fake.Next(esdstest.GetIndex, bare)
			for _, c := range tt.health {
				b.fake.Next(esdstest.Health, c)
			}
			x, err := b.source.Open(t.Context(), "idx", options(t))
			switch {
			case tt.err == "" && (err != nil || len(x.Schema()) != 2):
				t.Errorf("%v, want its two columns", err)
			case tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)):
				t.Errorf("error = %v, want %q", err, tt.err)
			}
		})
	}
}
