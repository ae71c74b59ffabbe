package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eslake/eslake/esds/esdstest/gencsv"
)

func samples(seconds ...float64) []Sample {
	var out []Sample
	for _, s := range seconds {
		out = append(out, Sample{Wall: time.Duration(s * float64(time.Second)), CPU: time.Second, Peak: 5_000_000})
	}
	return out
}

func TestTable(t *testing.T) {
	results := []Result{
		{Case: Case{Name: "load", Docs: 100, Goal: Goal{Ratio: 0.9}}, Eslake: samples(2, 4, 3), Limit: samples(2, 2, 3)},
		{Case: Case{Name: "slow", Goal: Goal{Ratio: 0.9}}, Eslake: samples(4), Limit: samples(2)},
		{Case: Case{Name: "more", Docs: 1_000_000, Goal: Goal{Ratio: 0.9, Extra: time.Second, Peak: 1e6}}, Eslake: samples(4), Limit: samples(4)},
		{Case: Case{Name: "start", Goal: Goal{Longest: 100 * time.Millisecond}}, Eslake: samples(0.01, 0.03)},
		{Case: Case{Name: "late", Goal: Goal{Longest: 10 * time.Millisecond}}, Eslake: samples(0.02)},
		{Case: Case{Name: "broken", Goal: Goal{Ratio: 0.9}}, Err: errors.New("a | b\nmore")},
	}
	got := strings.Split(strings.TrimSpace(Table(results)), "\n")[2:]
	want := []string{
		"| load | 3.00 s | 2.00 s | 1.00 | ≥ 0.90 | 1.00 s / 1.00 s | 5 MB / 5 MB | 33 |",
		"| slow | 4.00 s | 2.00 s | 0.50 | ≥ 0.90, missed | 1.00 s / 1.00 s | 5 MB / 5 MB |  |",
		"| more | 4.00 s | 4.00 s | 1.00 | ≥ 0.90; processor ≤ 1.00 s a million above the limit; ≤ 1 MB, missed | 1.00 s / 1.00 s | 5 MB / 5 MB | 250000 |",
		"| start | 20 ms |  |  | ≤ 100 ms | 1.00 s | 5 MB |  |",
		"| late | 20 ms |  |  | ≤ 10 ms, missed | 1.00 s | 5 MB |  |",
		"| broken | failed: a \\| b | | | ≥ 0.90, missed | | | |",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestInsertReplacesWhatStandsBetweenTheMarks(t *testing.T) {
	file := filepath.Join(t.TempDir(), "doc.md")
	if err := os.WriteFile(file, []byte("a\n"+beginMark+"old\n"+endMark+"b\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Insert(file, "new\n"); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(file)
	if want := "a\n" + beginMark + "new\n" + endMark + "b\n"; err != nil || string(got) != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	if err := os.WriteFile(file, []byte("no marks\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Insert(file, "new\n"); err == nil {
		t.Error("no error for a document without marks")
	}
}

func TestDrainKeepsBothEnds(t *testing.T) {
	for _, n := range []int{0, 10, endBytes, endBytes + 1, 3*endBytes + 5, 200_000} {
		text := bytes.Repeat([]byte("0123456789"), n/10+1)[:n]
		e, err := drain(&oneByOne{text: text, size: 1000})
		if err != nil {
			t.Fatal(err)
		}
		k := min(n, endBytes)
		if !bytes.Equal(e.head, text[:k]) || !bytes.Equal(e.tail, text[n-k:]) {
			t.Errorf("%d bytes: the ends are not those of the text", n)
		}
	}
}

// oneByOne yields a text in pieces of one size.
type oneByOne struct {
	text []byte
	size int
}

func (o *oneByOne) Read(p []byte) (int, error) {
	if len(o.text) == 0 {
		return 0, io.EOF
	}
	n := copy(p, o.text[:min(o.size, len(o.text))])
	o.text = o.text[n:]
	return n, nil
}

// cluster answers as a cluster does, as far as the limits look, and keeps the
// requests that it got.
type cluster struct {
	mu   sync.Mutex
	seen []string
	docs int // in each slice
}

func (c *cluster) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	c.mu.Lock()
	c.seen = append(c.seen, req.Method+" "+req.URL.RequestURI()+" "+string(body))
	c.mu.Unlock()
	switch kind(req) {
	case "_bulk":
		fmt.Fprint(w, `{"errors":false,"items":[]}`)
	case "_search":
		fmt.Fprintf(w, `{"pit_id":"p","hits":{"total":{"value":%d,"relation":"eq"},"hits":[{"sort":[7]},{"_source":{"sort":1},"sort":[8]}]}}`, c.docs)
	default:
		fmt.Fprint(w, `{"id":"p"}`)
	}
}

// What was recorded of one program is what the limit sends.
func TestRecordedBulksAreSentAgain(t *testing.T) {
	real := &cluster{}
	server := httptest.NewServer(real)
	defer server.Close()
	dir := t.TempDir()
	post(t, server.URL, dir, "/i/_bulk", "first\n", "second, longer\n", "x\n")
	direct := slices.Clone(real.seen)
	real.seen = nil
	if err := LimitBulk(context.Background(), NewCluster(server.URL), "i", dir); err != nil {
		t.Fatal(err)
	}
	for _, body := range []string{"first\n", "second, longer\n", "x\n"} {
		has := func(request string) bool { return strings.HasSuffix(request, " "+body) }
		if !slices.ContainsFunc(direct, has) || !slices.ContainsFunc(real.seen, has) {
			t.Errorf("%q did not come both times: %q and %q", body, direct, real.seen)
		}
	}
	r, err := ReadRecording(dir)
	if err != nil || r.Bulks != 3 || r.BulkLanes != 1 {
		t.Errorf("recorded %d bulk requests, %d at a time, %v; want 3, 1 at a time", r.Bulks, r.BulkLanes, err)
	}
}

// What eslake asks at the end of a load is a part of the limit's work too.
func TestARefreshIsSentAgain(t *testing.T) {
	real := &cluster{}
	server := httptest.NewServer(real)
	defer server.Close()
	dir := t.TempDir()
	post(t, server.URL, dir, "/i/_refresh", "{}")
	if err := LimitBulk(t.Context(), NewCluster(server.URL), "i", dir); err != nil {
		t.Fatal(err)
	}
	if want := []string{"POST /i/_refresh {}", "POST /i/_refresh "}; !slices.Equal(real.seen, want) {
		t.Errorf("requests are %q, want %q", real.seen, want)
	}
}

// A grouping is asked again as it was, other searches are not.
func TestGroupingsAreRecorded(t *testing.T) {
	server := httptest.NewServer(&cluster{})
	defer server.Close()
	dir := t.TempDir()
	grouping := `{"size":0,"aggs":{"g":{"terms":{"field":"k"}}}}`
	post(t, server.URL, dir, "/i/_search?allow=x", grouping, `{"size":0}`, `{"size":10,"aggs":{}}`)
	r, err := ReadRecording(dir)
	if err != nil || !slices.Equal(r.Groupings, []string{grouping}) || r.GroupingQuery != "allow=x" {
		t.Errorf("recorded %q of %q, %v", r.Groupings, r.GroupingQuery, err)
	}
}

// What the first round writes can be verified, and later rounds write nowhere.
func TestOutputIsThrownAway(t *testing.T) {
	for _, away := range []bool{false, true} {
		runs, out := filepath.Join(t.TempDir(), "runs"), filepath.Join(t.TempDir(), "out")
		script := "echo x >> " + runs + "; wc -l < " + runs
		want := "1"
		if !away {
			want = "3"
		}
		r := Run(t.Context(), Case{
			Rounds: 2, Away: away, Eslake: Command{Args: []string{"/bin/sh", "-c", script}, Stdout: out},
			Verify: func() error {
				text, err := os.ReadFile(out)
				if got := strings.TrimSpace(string(text)); err == nil && got != want {
					err = fmt.Errorf("round %s wrote last, not %s", got, want)
				}
				return err
			},
		})
		if r.Err != nil || len(r.Eslake) != 2 {
			t.Errorf("away %v: %d samples, %v", away, len(r.Eslake), r.Err)
		}
	}
}

// post sends bodies through a recorder.
func post(t *testing.T, url, dir, path string, bodies ...string) {
	t.Helper()
	stopped, stop := io.Pipe()
	address, out := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- Record(stopped, out, url, dir) }()
	line := make([]byte, 100)
	n, err := address.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	through := NewCluster(strings.TrimSpace(string(line[:n])))
	for _, body := range bodies {
		if err := LimitRequests(context.Background(), through, path, body); err != nil {
			t.Fatal(err)
		}
	}
	through.client.CloseIdleConnections()
	stop.Close()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

func TestReadsAsManyPagesAsTheSliceHas(t *testing.T) {
	real := &cluster{docs: 5}
	server := httptest.NewServer(real)
	defer server.Close()
	dir := t.TempDir()
	post(t, server.URL, dir, "/_search?q=1",
		`{"pit":{"id":"p"},"slice":{"id":0,"max":2},"size":1}`, // asks whether slices are known
		`{"pit":{"id":"p"},"slice":{"id":0,"max":3},"size":2,"_source":true}`,
		`{"pit":{"id":"p"},"slice":{"id":1,"max":3},"size":2,"search_after":[4],"_source":true}`,
	)
	r, err := ReadRecording(dir)
	if err != nil {
		t.Fatal(err)
	}
	pages, err := r.pages()
	if err != nil || pages.Slices != 3 || pages.Size != 2 || pages.Query != "q=1" || pages.Body["_source"] != true {
		t.Fatalf("pages are %+v, %v", pages, err)
	}
	real.seen = nil
	if err := LimitRead(context.Background(), NewCluster(server.URL), pages); err != nil {
		t.Fatal(err)
	}
	first, later := 0, 0
	for _, request := range real.seen {
		switch {
		case strings.Contains(request, `"search_after":[8]`):
			later++
		case strings.Contains(request, `"slice"`) && !strings.Contains(request, "search_after"):
			first++
		}
	}
	if first != 3 || later != 6 { // 5 documents in pages of 2, in each of 3 slices
		t.Errorf("%d first pages and %d later ones, want 3 and 6: %q", first, later, real.seen)
	}
}

func TestMeasureTellsWhyAProgramFailed(t *testing.T) {
	_, err := Command{Args: []string{"sh", "-c", "echo reason >&2; exit 3"}}.Measure(context.Background())
	if err == nil || !strings.Contains(err.Error(), "reason") {
		t.Errorf("error %v", err)
	}
}

// The journal's two programs write the same to a server that takes everything.
func TestWriteJob(t *testing.T) {
	sink := &Sink{}
	server := httptest.NewServer(sink)
	defer server.Close()
	dir := t.TempDir()
	csv := filepath.Join(dir, "rows.csv")
	out, err := os.Create(csv)
	if err == nil {
		err = errors.Join(gencsv.Write(out, 3000, 1, gencsv.Options{}), out.Close())
	}
	for _, journal := range []bool{true, false} {
		cluster := NewCluster(server.URL)
		if err = errors.Join(err, WriteJob(t.Context(), cluster, csv, dir, journal)); err != nil {
			t.Fatal(err)
		}
		if err := cluster.count(t.Context(), index, 3000); err != nil {
			t.Error(err)
		}
		if err := cluster.remove(t.Context(), index); err != nil {
			t.Error(err)
		}
	}
}

// Both forms of a generated document say the same.
func TestEndless(t *testing.T) {
	e := NewEndless(10, 20)
	server := httptest.NewServer(e)
	defer server.Close()
	for i, source := range e.sources {
		var s struct {
			Price   json.Number
			Status  string
			Account json.Number
			Wide    string
		}
		if err := json.Unmarshal(source, &s); err != nil || len(s.Wide) != 20 {
			t.Fatalf("%s: %v", source, err)
		}
		want := fmt.Sprintf(`{"price":[%s],"status":[%q],"account":[%s]}`, s.Price, s.Status, s.Account)
		if string(e.fields[i]) != want {
			t.Fatalf("fields = %s, want %s", e.fields[i], want)
		}
	}
	res, err := http.Post(server.URL+"/_search", "application/json", strings.NewReader(`{"pit":{},"size":3,"slice":{"id":1,"max":2},"search_after":[6],"track_total_hits":true}`))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || !json.Valid(text) || bytes.Count(text, []byte(`"_id"`)) != 3 || !bytes.Contains(text, []byte(`"total":{"value":5,`)) {
		t.Errorf("page = %s, %v", text, err)
	}
}
