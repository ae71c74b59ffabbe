package elastic_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/esds/elastic"
	"github.com/eslake/eslake/esds/esdstest"
	"github.com/eslake/eslake/sql/row"
)

// noWait takes the place of the clock where a test lets a cluster be busy.
func noWait(ctx context.Context, _ time.Duration) error { return ctx.Err() }

var idAndN = row.Schema{{Name: "id", Type: row.StringType}, {Name: "n", Type: row.BigIntType}}

// bed is a fake with an index and a source.
type bed struct {
	*testing.T
	fake    *esdstest.Server
	source  *elastic.Source
	rejects []esds.Reject
}

func newBed(t *testing.T, flavour esdstest.Flavour) *bed {
	fake := esdstest.New(t, flavour)
	b := &bed{T: t, fake: fake, source: open(t, elastic.Config{Addresses: []string{fake.URL}, Wait: noWait})}
	mapping, err := esds.MappingOf(idAndN, nil)
	if err != nil {
		t.Fatal(err)
	}
	d := esds.Definition{Mappings: mapping, Settings: []byte(`{"index":{"number_of_shards":2}}`)}
	if err := b.source.Create(t.Context(), "idx", d); err != nil {
		t.Fatal(err)
	}
	return b
}

func options(t *testing.T, pairs ...string) esds.Options {
	t.Helper()
	raw := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		raw[pairs[i]] = pairs[i+1]
	}
	opts, _, err := esds.ParseOptions(raw)
	if err != nil {
		t.Fatal(err)
	}
	return opts
}

// write writes n rows with ids r1, r2, … or ids of the writer's own.
func (b *bed) write(n int, w esds.Write) (esds.Report, error) {
	b.Helper()
	batch := row.NewBatch(idAndN)
	for i := range n {
		if err := batch.AppendRow(fmt.Sprintf("r%d", i+1), int64(i+1)); err != nil {
			b.Fatal(err)
		}
	}
	w.Index = "idx"
	if w.Options == nil {
		w.Options = options(b.T, "es.batch.size.entries", "10", "eslake.write.connections", "1")
	}
	w.Reject = func(r esds.Reject) error {
		b.rejects = append(b.rejects, r)
		return nil
	}
	return b.source.Write(b.Context(), w, row.NewBatches(idAndN, batch))
}

func (b *bed) wantDocuments(want int64) {
	b.Helper()
	if err := b.source.Refresh(b.Context(), "idx"); err != nil {
		b.Fatal(err)
	}
	if n, err := b.source.Count(b.Context(), "idx"); n != want || err != nil {
		b.Errorf("documents = %d, %v, want %d", n, err, want)
	}
}

func (b *bed) read(pairs ...string) (int, error) {
	b.Helper()
	x, err := b.source.Open(b.Context(), "idx", options(b.T, pairs...))
	if err != nil {
		b.Fatal(err)
	}
	r, err := x.Scan(b.Context(), esds.Scan{Columns: idAndN})
	if err != nil {
		return 0, err
	}
	rows, err := row.ReadAll(b.Context(), r)
	return len(rows), err
}

func TestWriteFaults(t *testing.T) {
	byID, own := esds.Write{ID: "id"}, esds.Write{IDPrefix: "job-"}
	tests := []struct {
		name     string
		write    esds.Write
		controls []esdstest.Control // of the bulk requests, in order
		documents,
		rejected int64
		err error
	}{
		{name: "busy twice", write: byID, controls: []esdstest.Control{busy(), busy()}, documents: 30},
		{name: "reset before it was done", write: byID, controls: []esdstest.Control{esdstest.Drop()}, documents: 30},
		{name: "reset after it was done, ids of the rows", write: byID, controls: []esdstest.Control{esdstest.After(esdstest.Drop())}, documents: 30},
		{name: "reset after it was done, own ids", write: own, controls: []esdstest.Control{esdstest.After(esdstest.Drop())}, documents: 30},
		{name: "gateway timeout after it was done", write: own, controls: []esdstest.Control{esdstest.After(esdstest.Answer(504, "<html>"))}, documents: 30},
		{name: "half an answer", write: own, controls: []esdstest.Control{esdstest.Truncate(40)}, documents: 30},
		{name: "items busy, then taken", write: byID, controls: []esdstest.Control{esdstest.PartialBulk(map[int]int{2: 429, 5: 503})}, documents: 30},
		{name: "an item refused", write: byID, controls: []esdstest.Control{esdstest.PartialBulk(map[int]int{2: 400})}, documents: 29, rejected: 1},
		{
			name: "an item broken for good", write: byID,
			controls: []esdstest.Control{esdstest.PartialBulk(map[int]int{2: 500}), esdstest.PartialBulk(map[int]int{0: 500}), esdstest.PartialBulk(map[int]int{0: 500})}, documents: 29, rejected: 1,
		},
		{name: "too large twice", write: byID, controls: []esdstest.Control{esdstest.Answer(413, ""), esdstest.Answer(413, "")}, documents: 30},
		{
			name: "one row spoils the request", write: byID,
			controls:  []esdstest.Control{refuseR3(), refuseR3(), refuseR3(), refuseR3(), refuseR3()},
			documents: 29, rejected: 1,
		},
		{name: "wrong password", write: byID, controls: []esdstest.Control{esdstest.Answer(401, `{"error":{"type":"security_exception","reason":"no"}}`)}, err: esds.ErrUnauthorized},
		{name: "not allowed", write: byID, controls: []esdstest.Control{esdstest.Answer(403, `{"error":{"type":"security_exception","reason":"no"}}`)}, err: esds.ErrForbidden},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBed(t, esdstest.Elasticsearch8)
			for _, c := range tt.controls {
				b.fake.Next(esdstest.Bulk, c)
			}
			report, err := b.write(30, tt.write)
			if !errors.Is(err, tt.err) {
				t.Fatalf("error = %v, want %v", err, tt.err)
			}
			if report.Rejected != tt.rejected || int64(len(b.rejects)) != tt.rejected {
				t.Errorf("report = %+v, rejects = %+v, want %d", report, b.rejects, tt.rejected)
			}
			b.wantDocuments(tt.documents)
		})
	}
}

func busy() esdstest.Control {
	return esdstest.Answer(429, `{"error":{"type":"es_rejected_execution_exception","reason":"rejected execution"},"status":429}`)
}

// refuseR3 answers 400 to a request that holds that id, as a server does for a
// line that it cannot read.
func refuseR3() esdstest.Control {
	return func(x *esdstest.Exchange) {
		if strings.Contains(string(x.Body), `"r3"`) {
			x.Send(400, `{"error":{"type":"illegal_argument_exception","reason":"Malformed action/metadata line [3]"},"status":400}`)
			return
		}
		status, body := x.Act()
		x.Send(status, string(body))
	}
}

func TestWriteBudget(t *testing.T) {
	b := newBed(t, esdstest.Elasticsearch8)
	for range 4 {
		b.fake.Next(esdstest.Bulk, busy())
	}
	_, err := b.write(5, esds.Write{ID: "id", Options: options(t, "es.batch.write.retry.count", "3", "eslake.write.connections", "1")})
	var e *esds.Error
	if !errors.As(err, &e) || e.Status != 429 || !strings.Contains(err.Error(), "rejected execution") {
		t.Errorf("error = %v, want status 429 and the server's reason", err)
	}
	b.wantDocuments(0)

	for range 3 {
		b.fake.Next(esdstest.Bulk, esdstest.PartialBulk(map[int]int{0: 429}))
	}
	report, err := b.write(5, esds.Write{ID: "id", Options: options(t, "es.batch.write.retry.count", "2", "eslake.write.connections", "1")})
	if err != nil || report.Rejected != 1 || report.Created != 4 || report.Retried != 2 {
		t.Errorf("report = %+v, %v, want 1 of 5 rejected after 2 retries", report, err)
	}
}

// An answer that cannot be what it says is no answer: what became of the rows is
// looked up.
func TestWriteShortAnswer(t *testing.T) {
	for _, answer := range []string{`{"errors":false,"items":[{"index":{"status":201}}]}`, `{"items":[{"index":{"stat`, `<html>`, ``} {
		b := newBed(t, esdstest.Elasticsearch8)
		b.fake.Next(esdstest.Bulk, esdstest.After(esdstest.Answer(200, answer)))
		report, err := b.write(5, esds.Write{ID: "id"})
		if err != nil || report.Created != 5 || report.Retried != 5 {
			t.Errorf("answer %q: report = %+v, %v, want 5 created", answer, report, err)
		}
		b.wantDocuments(5)
	}
}

func TestWriteAgainWithOwnIDs(t *testing.T) {
	b := newBed(t, esdstest.Elasticsearch8)
	for _, want := range []esds.Report{{Rows: 30, Created: 30}, {Rows: 30, Noop: 30}} {
		report, err := b.write(30, esds.Write{IDPrefix: "job-"})
		report.Bytes = 0
		if err != nil || report != want {
			t.Errorf("report = %+v, %v, want %+v", report, err, want)
		}
	}
	b.wantDocuments(30)
}

func TestWriteAbsentIndex(t *testing.T) {
	b := newBed(t, esdstest.Elasticsearch8)
	_, err := b.source.Write(t.Context(), esds.Write{Index: "none", ID: "id"}, row.NewBatches(idAndN))
	if !errors.Is(err, esds.ErrIndexNotFound) {
		t.Errorf("error = %v, want %v", err, esds.ErrIndexNotFound)
	}
	if n := len(b.fake.Requests(esdstest.Bulk)); n != 0 {
		t.Errorf("bulk requests = %d: the cluster would have made the index with a guessed mapping", n)
	}
}

// A page of a point in time may be asked for again; one of a scroll never.
func TestReadFaults(t *testing.T) {
	later := func(kind esdstest.Kind) func(*bed, esdstest.Control) {
		return func(b *bed, c esdstest.Control) {
			b.fake.NextWhen(kind, func(r esdstest.Request) bool {
				return kind == esdstest.Scroll || strings.Contains(string(r.Body), "search_after")
			}, c)
		}
	}
	pit, scroll := later(esdstest.Search), later(esdstest.Scroll)
	tests := []struct {
		name    string
		flavour esdstest.Flavour
		fault   func(*bed, esdstest.Control)
		control esdstest.Control
		err     string // part of the error; "" when all rows come
	}{
		{"PIT: busy", esdstest.Elasticsearch8, pit, busy(), ""},
		{"PIT: reset", esdstest.Elasticsearch8, pit, esdstest.Drop(), ""},
		{"PIT: half a page", esdstest.Elasticsearch8, pit, esdstest.Truncate(100), ""},
		{"PIT: shard failure in a 200", esdstest.Elasticsearch8, pit, esdstest.ShardFailure(), "1 of 2 shards failed"},
		{"PIT: refused", esdstest.Elasticsearch8, pit, esdstest.Answer(404, `{"error":{"type":"search_context_missing_exception","reason":"No search context found"}}`), "No search context found"},
		{"scroll: busy", esdstest.OpenSearch2, scroll, busy(), "rejected execution"},
		{"scroll: reset", esdstest.OpenSearch2, scroll, esdstest.After(esdstest.Drop()), "closed the connection"},
		{"scroll: shard failure in a 200", esdstest.OpenSearch2, scroll, esdstest.ShardFailure(), "1 of 2 shards failed"},
		{"scroll: early end", esdstest.OpenSearch2, scroll, esdstest.Answer(200, `{"_scroll_id":"x","timed_out":false,"_shards":{"total":2,"failed":0},"hits":{"total":{"value":0,"relation":"eq"},"hits":[]}}`), "ended the read after"},
		{"scroll: timed out in a 200", esdstest.OpenSearch2, scroll, esdstest.Answer(200, `{"_scroll_id":"x","timed_out":true,"_shards":{"total":2,"failed":0},"hits":{"hits":[]}}`), "before it was complete"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBed(t, tt.flavour)
			if _, err := b.write(900, esds.Write{ID: "id", Options: options(t)}); err != nil {
				t.Fatal(err)
			}
			for _, way := range []string{"source", "docvalues"} {
				tt.fault(b, tt.control)
				n, err := b.read("es.scroll.size", "100", "eslake.read.fields", way)
				switch {
				case tt.err == "" && (err != nil || n != 900):
					t.Errorf("by %s: rows = %d, %v, want 900", way, n, err)
				case tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)):
					t.Errorf("by %s: error = %v after %d rows, want %q in it", way, err, n, tt.err)
				}
				if n := b.fake.OpenContexts(); n != 0 {
					t.Errorf("by %s: %d cursors were left open", way, n)
				}
			}
		})
	}
}

// The choice between the ways to page is made once.
func TestPagingIsProbedOnce(t *testing.T) {
	for _, tt := range []struct {
		flavour esdstest.Flavour
		pits    int // that are opened by three reads
	}{{esdstest.Elasticsearch8, 3}, {esdstest.OpenSearch3, 3}, {esdstest.OpenSearch2, 1}} {
		t.Run(tt.flavour.Name, func(t *testing.T) {
			b := newBed(t, tt.flavour)
			if _, err := b.write(900, esds.Write{ID: "id", Options: options(t)}); err != nil {
				t.Fatal(err)
			}
			for range 3 {
				if n, err := b.read("es.scroll.size", "100"); n != 900 || err != nil {
					t.Fatalf("rows = %d, %v", n, err)
				}
			}
			if n := len(b.fake.Requests(esdstest.OpenPIT)); n != tt.pits || b.fake.OpenContexts() != 0 {
				t.Errorf("points in time = %d, %d still open, want %d", n, b.fake.OpenContexts(), tt.pits)
			}
		})
	}
}

// A point in time is given back when the read ends before it is read from.
func TestPagingIsGivenBack(t *testing.T) {
	b := newBed(t, esdstest.Elasticsearch8)
	if _, err := b.write(2500, esds.Write{ID: "id", Options: options(t)}); err != nil {
		t.Fatal(err)
	}
	b.fake.NextWhen(esdstest.Search, func(r esdstest.Request) bool { return strings.Contains(string(r.Body), `"size":5,`) }, esdstest.Answer(400, `{"error":{"type":"x","reason":"no sample"}}`))
	if _, err := b.read("es.scroll.size", "100"); err == nil || !strings.Contains(err.Error(), "no sample") {
		t.Errorf("error = %v", err)
	}
	if n := len(b.fake.Requests(esdstest.OpenPIT)); n != 1 || b.fake.OpenContexts() != 0 {
		t.Errorf("points in time = %d, %d are still open", n, b.fake.OpenContexts())
	}
}

// A small result is one request, and a LIMIT ends the reading.
func TestRequestsOfReads(t *testing.T) {
	b := newBed(t, esdstest.Elasticsearch8)
	if _, err := b.write(30, esds.Write{ID: "id"}); err != nil {
		t.Fatal(err)
	}
	b.fake.Forget()
	if n, err := b.read(); n != 30 || err != nil {
		t.Fatalf("rows = %d, %v", n, err)
	}
	var kinds []esdstest.Kind
	for _, r := range b.fake.Requests(esdstest.Any) {
		kinds = append(kinds, r.Kind)
	}
	if want := []esdstest.Kind{esdstest.GetIndex, esdstest.Search}; !slices.Equal(kinds, want) {
		t.Errorf("requests = %v, want %v", kinds, want)
	}
}

func TestConnectErrors(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	answer := func(status int, body string) *httptest.Server {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}))
		t.Cleanup(s.Close)
		return s
	}
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	secure.Config.ErrorLog = nil
	t.Cleanup(secure.Close)
	tests := []struct {
		name    string
		address string
		want    error
		hint    string
	}{
		{"nothing listens", "http://user:secret@" + closed.Addr().String(), esds.ErrUnreachable, "is the cluster running?"},
		{"wrong password", answer(401, `{"error":{"type":"security_exception","reason":"unable to authenticate"}}`).URL, esds.ErrUnauthorized, "es.net.http.auth.user"},
		{"certificate of an unknown CA", secure.URL, esds.ErrUntrusted, "eslake.net.ssl.ca.file"},
		{"https expected", strings.Replace(answer(200, "").URL, "http:", "https:", 1), esds.ErrUnreachable, "leave out es.net.ssl"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := elastic.Open(t.Context(), elastic.Config{Addresses: []string{tt.address}, User: "u", Password: "secret", Wait: noWait})
			var e *esds.Error
			if !errors.Is(err, tt.want) || !errors.As(err, &e) || !strings.Contains(e.Hint, tt.hint) {
				t.Fatalf("error = %v, hint %q, want %v with %q", err, hintOf(err), tt.want, tt.hint)
			}
			if strings.Contains(err.Error()+e.Hint, "secret") {
				t.Errorf("the error shows the password: %v", err)
			}
		})
	}
}

// That the cluster speaks https is no guess where it has spoken http.
func TestLostConnectionIsNoOtherProtocol(t *testing.T) {
	b := newBed(t, esdstest.Elasticsearch8)
	for range 5 { // four tries, of which net/http repeats that on a connection that was open
		b.fake.Next(esdstest.GetIndex, esdstest.Drop())
	}
	if _, err := b.source.Open(t.Context(), "idx", options(t)); !errors.Is(err, esds.ErrUnreachable) || hintOf(err) != "" {
		t.Errorf("error = %v, hint %q", err, hintOf(err))
	}
}

func hintOf(err error) string {
	var e *esds.Error
	if errors.As(err, &e) {
		return e.Hint
	}
	return ""
}

// A user who may not ask what the cluster is, or whose proxy has no such page, works
// all the same.
func TestOpenForbidden(t *testing.T) {
	for status, body := range map[int]string{
		403: `{"error":{"type":"security_exception","reason":"no monitor"}}`,
		405: `{"error":"Incorrect HTTP method for uri [/] and method [GET], allowed: [DELETE]","status":405}`,
	} {
		fake := esdstest.New(t, esdstest.Elasticsearch8)
		fake.Next(esdstest.Root, esdstest.Answer(status, body))
		s := open(t, elastic.Config{Addresses: []string{fake.URL}})
		if got, want := s.String(), "the cluster at "+fake.URL; got != want {
			t.Errorf("%d: name = %q, want %q", status, got, want)
		}
	}
}

// A server without the product header is no reason to refuse it.
func TestOpenSearchIsServed(t *testing.T) {
	b := newBed(t, esdstest.OpenSearch2)
	if got := b.source.String(); !strings.HasPrefix(got, "OpenSearch 2.") {
		t.Errorf("name = %q", got)
	}
}

// The old index stays until the new one is complete; what fails after that says
// where the documents are.
func TestReplaceFaults(t *testing.T) {
	b := newBed(t, esdstest.Elasticsearch8)
	if _, err := b.write(10, esds.Write{ID: "id"}); err != nil {
		t.Fatal(err)
	}
	target, err := b.source.Resolve(t.Context(), "idx")
	if err != nil {
		t.Fatal(err)
	}
	d, err := b.source.Definition(t.Context(), "idx")
	if err != nil {
		t.Fatal(err)
	}
	if err := b.source.Create(t.Context(), "staging", d); err != nil {
		t.Fatal(err)
	}
	b.fake.Next(esdstest.DeleteIndex, esdstest.Answer(403, `{"error":{"type":"security_exception","reason":"no delete_index"}}`))
	if err := b.source.Replace(t.Context(), esds.Replacement{Staging: "staging", Target: target, Mode: esds.Recreate}); !errors.Is(err, esds.ErrForbidden) {
		t.Errorf("error = %v, want %v", err, esds.ErrForbidden)
	}
	b.wantDocuments(10)

	b.fake.Next(esdstest.Clone, esdstest.Answer(500, `{"error":{"type":"exception","reason":"disk full"}}`))
	err = b.source.Replace(t.Context(), esds.Replacement{Staging: "staging", Target: target, Mode: esds.Recreate})
	if err == nil || !strings.Contains(err.Error(), "complete in index staging") || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("error = %v, want the staging index and the cause", err)
	}
	if n, err := b.source.Count(t.Context(), "staging"); n != 0 || err != nil {
		t.Errorf("staging: %d, %v", n, err)
	}
}

// A server that says when to come again is obeyed, as far as patience goes.
func TestRetryAfterIsObeyed(t *testing.T) {
	later := func(status int, after string) esdstest.Control {
		return esdstest.AnswerWith(status, http.Header{"Retry-After": {after}}, `{"error":{"type":"circuit_breaking_exception","reason":"too much"},"status":429}`)
	}
	for _, tt := range []struct {
		name    string
		budget  string
		control esdstest.Control
		want    time.Duration // 0: shorter than a minute
	}{
		{"seconds", "5m", later(429, "90"), 90 * time.Second},
		{"of a server that starts", "5m", later(503, "120"), 2 * time.Minute},
		{"longer than the budget", "5m", later(429, "86400"), 5 * time.Minute},
		{"shorter than the wait that grows", "5m", later(429, "0"), 0},
		{"nothing said", "5m", busy(), 0},
	} {
		t.Run("write: "+tt.name, func(t *testing.T) {
			b := newBed(t, esdstest.Elasticsearch8)
			waits := b.noteWaits()
			b.fake.Next(esdstest.Bulk, tt.control)
			if _, err := b.write(5, esds.Write{ID: "id", Options: options(t, "eslake.retry.budget", tt.budget)}); err != nil {
				t.Fatal(err)
			}
			b.wantDocuments(5)
			if len(*waits) != 1 || tt.want > 0 && (*waits)[0] != tt.want || tt.want == 0 && (*waits)[0] >= time.Minute {
				t.Errorf("waited %v, want %v", *waits, tt.want)
			}
		})
	}
	t.Run("read", func(t *testing.T) {
		b := newBed(t, esdstest.Elasticsearch8)
		if _, err := b.write(5, esds.Write{ID: "id", Options: options(t)}); err != nil {
			t.Fatal(err)
		}
		waits := b.noteWaits()
		b.fake.Next(esdstest.Search, later(429, "30"))
		b.fake.Next(esdstest.Search, later(429, "3600")) // at most as long as an answer is waited for
		if n, err := b.read(); err != nil || n != 5 || !slices.Equal(*waits, []time.Duration{30 * time.Second, time.Minute}) {
			t.Errorf("%d rows, %v after waits of %v, want 30 s and a minute", n, err, *waits)
		}
	})
}

// noteWaits has the source open anew, and returns how long it waits each time.
func (b *bed) noteWaits() *[]time.Duration {
	waits := &[]time.Duration{}
	b.source = open(b.T, elastic.Config{Addresses: []string{b.fake.URL}, Wait: func(ctx context.Context, d time.Duration) error {
		*waits = append(*waits, d)
		return ctx.Err()
	}})
	return waits
}
