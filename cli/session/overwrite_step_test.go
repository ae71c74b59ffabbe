package session_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/esds/duckdb"
	"github.com/eslake/eslake/esds/elastic"
	"github.com/eslake/eslake/esds/esdstest"
	"github.com/eslake/eslake/esds/local"
	"github.com/eslake/eslake/planner/exec"
	"github.com/eslake/eslake/planner/job"
	"github.com/eslake/eslake/sql/row"
)

// stops is a source that can be cut off, as the death of a process does it: from
// a moment on nothing that it is asked reaches what it keeps.
type stops interface {
	source() esds.Source
	// stop cuts off at the nth thing that is asked, which is done all the same when
	// done is set; 0 never does.
	stop(n int, done bool)
	asked() int
}

// cutCluster is a fake behind a proxy that is cut at a request.
type cutCluster struct {
	mu   sync.Mutex
	n    int
	at   int
	done bool
	src  esds.Source
}

func newCutCluster(t *testing.T, flavour esdstest.Flavour) *cutCluster {
	t.Helper()
	fake, err := url.Parse(esdstest.New(t, flavour).URL)
	if err != nil {
		t.Fatal(err)
	}
	c := &cutCluster{}
	proxy := httputil.NewSingleHostReverseProxy(fake)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		c.n++
		cut, act := c.at > 0 && c.n >= c.at, c.at == 0 || c.n < c.at || c.n == c.at && c.done
		c.mu.Unlock()
		switch {
		case cut && act:
			proxy.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		case cut:
			panic(http.ErrAbortHandler)
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	c.src, err = elastic.Open(t.Context(), elastic.Config{Addresses: []string{front.URL}, Wait: c.wait})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.src.Close() })
	return c
}

// wait takes no time. Who was cut off waits for nothing any more, since whatever is
// asked then fails.
func (c *cutCluster) wait(ctx context.Context, _ time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at > 0 && c.n >= c.at {
		return errCut
	}
	return ctx.Err()
}

func (c *cutCluster) source() esds.Source { return c.src }

func (c *cutCluster) stop(n int, done bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n, c.at, c.done = 0, n, done
}

func (c *cutCluster) asked() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

// cutLake is a lake that is cut at a call.
type cutLake struct {
	esds.Source
	n, at int
	done  bool
}

var errCut = errors.New("cut off")

func newCutLake(t *testing.T) *cutLake {
	t.Helper()
	db := duckdb.New(duckdb.Config{})
	c := &cutLake{Source: local.Open(db, filepath.Join(t.TempDir(), "lake.db"))}
	t.Cleanup(func() {
		if err := errors.Join(c.Close(), db.Close()); err != nil {
			t.Error(err)
		}
	})
	return c
}

func (c *cutLake) source() esds.Source   { return c }
func (c *cutLake) stop(n int, done bool) { c.n, c.at, c.done = 0, n, done }
func (c *cutLake) asked() int            { return c.n }

// cut does f unless the lake is cut off.
func (c *cutLake) cut(f func() error) error {
	c.n++
	if c.at == 0 || c.n < c.at {
		return f()
	}
	if c.n == c.at && c.done {
		_ = f()
	}
	return errCut
}

func (c *cutLake) Resolve(ctx context.Context, name string) (t esds.Target, err error) {
	err = c.cut(func() error { t, err = c.Source.Resolve(ctx, name); return err })
	return t, err
}

func (c *cutLake) Create(ctx context.Context, name string, d esds.Definition) error {
	return c.cut(func() error { return c.Source.Create(ctx, name, d) })
}

func (c *cutLake) Drop(ctx context.Context, name string) error {
	return c.cut(func() error { return c.Source.Drop(ctx, name) })
}

func (c *cutLake) Configure(ctx context.Context, name string, settings []byte) error {
	return c.cut(func() error { return c.Source.Configure(ctx, name, settings) })
}

func (c *cutLake) Clear(ctx context.Context, name string) (n int64, err error) {
	err = c.cut(func() error { n, err = c.Source.Clear(ctx, name); return err })
	return n, err
}

func (c *cutLake) Write(ctx context.Context, w esds.Write, rows row.Reader) (r esds.Report, err error) {
	err = c.cut(func() error { r, err = c.Source.Write(ctx, w, rows); return err })
	return r, err
}

func (c *cutLake) Replace(ctx context.Context, r esds.Replacement) error {
	return c.cut(func() error { return c.Source.Replace(ctx, r) })
}

// walk is an overwrite of old rows by new ones that is cut off somewhere.
type walk struct {
	*testing.T
	stops
	kind, mode string
	ids        bool // of a column
	name       string
	jobs       *job.Store
}

const oldRows, freshRows = 7, 24

var walkColumns = row.Schema{{Name: "id", Type: row.BigIntType}, {Name: "s", Type: row.StringType}}

func walkRows(t *testing.T, n int, text string) row.Reader {
	t.Helper()
	var batches []*row.Batch
	for i := 0; i < n; i += 8 {
		b := row.NewBatch(walkColumns)
		for k := i; k < min(i+8, n); k++ {
			if err := b.AppendRow(int64(k), text); err != nil {
				t.Fatal(err)
			}
		}
		batches = append(batches, b)
	}
	return row.NewBatches(walkColumns, batches...)
}

// prepare makes the target with its old rows.
func (w *walk) prepare() {
	w.Helper()
	if w.kind == "absent" {
		return
	}
	index, d := w.name, esds.Definition{Aliases: []byte(`{"` + w.name + `-also":{}}`)}
	if w.kind == "alias" {
		index = w.name + "-1"
		d.Aliases = []byte(`{"` + w.name + `":{},"` + w.name + `-also":{}}`)
	}
	var err error
	if d.Mappings, err = esds.MappingOf(walkColumns, nil); err != nil {
		w.Fatal(err)
	}
	if err := w.source().Create(w.Context(), index, d); err != nil {
		w.Fatal(err)
	}
	if _, err := w.source().Write(w.Context(), esds.Write{Index: index, ID: "id"}, walkRows(w.T, oldRows, "old")); err != nil {
		w.Fatal(err)
	}
}

// run overwrites, from the start or from where the journal says.
func (w *walk) run(resume bool) error {
	mappings, err := esds.MappingOf(walkColumns, nil)
	if err != nil {
		return err
	}
	j := exec.Job{
		Source: w.source(), Overwrite: w.mode, Definition: esds.Definition{Mappings: mappings},
		Write: esds.Write{Index: w.name, IDPrefix: "job1-", Action: esds.CreateDoc},
	}
	if w.ids {
		j.Write = esds.Write{Index: w.name, ID: "id"}
	}
	return runWalk(w.T, w.jobs, j, walkRows(w.T, freshRows, "new"), resume)
}

// runWalk runs an overwrite as job1, from the start or from where its journal says.
func runWalk(t *testing.T, jobs *job.Store, j exec.Job, rows row.Reader, resume bool) (err error) {
	j.ID, j.AutoCreate, j.Relax, j.Way = "job1", true, exec.RelaxStaging, exec.Anew
	j.Rejects = filepath.Join(t.TempDir(), "rejects")
	var journal *job.Journal
	j.Begin = func(esds.Target) (*job.Journal, error) {
		var err error
		if resume {
			journal, _, err = jobs.Resume(j.ID)
		} else {
			journal, err = jobs.Begin(job.Start{ID: j.ID, Kind: job.Overwrite})
		}
		return journal, err
	}
	if resume {
		if j.Earlier, err = jobs.Read(j.ID); err != nil {
			return err
		}
	}
	_, err = j.Run(t.Context(), rows)
	if journal != nil {
		if e := journal.Close(); e != nil {
			t.Fatal(e)
		}
	}
	return err
}

// last is the last step that the journal has, "" for none.
func (w *walk) last() string {
	r, err := w.jobs.Read("job1")
	if err != nil || len(r.Steps) == 0 {
		return ""
	}
	return r.Steps[len(r.Steps)-1].Name
}

// state says what a reader of the name sees.
func (w *walk) state() string {
	w.Helper()
	src, ctx := w.source(), w.Context()
	index, err := src.Open(ctx, w.name, nil)
	if errors.Is(err, esds.ErrIndexNotFound) {
		return "absent"
	}
	if err != nil {
		w.Fatal(err)
	}
	_ = src.Refresh(ctx, w.name)
	r, err := index.Scan(ctx, esds.Scan{Columns: walkColumns})
	if err != nil {
		w.Fatal(err)
	}
	rows, err := row.ReadAll(ctx, r)
	if err != nil {
		w.Fatal(err)
	}
	texts := map[any]int{}
	for _, r := range rows {
		texts[r[1]]++
	}
	switch {
	case len(rows) == oldRows && texts["old"] == oldRows:
		return "old"
	case len(rows) == freshRows && texts["new"] == freshRows:
		return "new"
	}
	return fmt.Sprint(texts)
}

// others are the indices besides the one that the name stands for.
func (w *walk) others() []string {
	w.Helper()
	all, err := w.source().Resolve(w.Context(), w.name+"*")
	if err != nil {
		w.Fatal(err)
	}
	now, err := w.source().Resolve(w.Context(), w.name)
	if err != nil {
		w.Fatal(err)
	}
	return slices.DeleteFunc(all.Indices, func(name string) bool { return slices.Contains(now.Indices, name) })
}

// check wants old or new rows, complete, and new ones after the resume.
func (w *walk) check(n int, done bool) {
	w.Helper()
	where := fmt.Sprintf("cut at %d (done: %v), last step %q", n, done, w.last())
	before := map[string]string{"absent": "absent"}[w.kind]
	if before == "" {
		before = "old"
	}
	switch state := w.state(); {
	case state == before, state == "new", w.mode == "truncate":
	case state == "absent": // for a moment: then the staging index is complete
		if count, err := w.source().Count(w.Context(), esds.StagingName(w.name, "job1")); err != nil || count != freshRows {
			w.Errorf("%s: the name is absent and the staging index has %d rows: %v", where, count, err)
		}
	default:
		w.Errorf("%s: a reader sees %s", where, state)
	}
	if w.last() == exec.StepCleaned {
		return
	}
	if _, err := w.jobs.Read("job1"); err != nil { // nothing was begun
		w.jobs = job.Open(w.TempDir())
		if err := w.run(false); err != nil {
			w.Errorf("%s: again: %v", where, err)
		}
	} else if err := w.run(true); err != nil {
		w.Errorf("%s: resume: %v", where, err)
		return
	}
	if state := w.state(); state != "new" {
		w.Errorf("%s: after the resume a reader sees %s", where, state)
	}
	if left := w.others(); len(left) > 0 {
		w.Errorf("%s: left behind: %v", where, left)
	}
	w.checkDefinition(where)
}

// checkDefinition wants the aliases and the settings of before.
func (w *walk) checkDefinition(where string) {
	w.Helper()
	d, err := w.source().Definition(w.Context(), w.name)
	if err != nil {
		w.Fatal(err)
	}
	if w.kind != "absent" && !strings.Contains(string(d.Aliases), w.name+"-also") {
		w.Errorf("%s: the aliases are %s", where, d.Aliases)
	}
	if s := string(d.Settings); strings.Contains(s, "refresh_interval") || strings.Contains(s, `number_of_replicas":"0"`) {
		w.Errorf("%s: the settings are %s", where, s)
	}
}

// TestOverwriteWalk cuts an overwrite off at each thing that it asks of its
// source, done or not, and goes on after its journal.
func TestOverwriteWalk(t *testing.T) {
	cluster := func(t *testing.T) stops { return newCutCluster(t, esdstest.Elasticsearch8) }
	lake := func(t *testing.T) stops { return newCutLake(t) }
	for _, place := range []struct {
		name string
		open func(t *testing.T) stops
	}{{"cluster", cluster}, {"lake", lake}} {
		for _, c := range []struct {
			kind, mode string
			ids        bool
		}{
			{"index", "auto", true},
			{"index", "swap", false},
			{"alias", "auto", true},
			{"absent", "auto", false},
			{"index", "truncate", true},
		} {
			t.Run(fmt.Sprintf("%s/%s %s %v", place.name, c.kind, c.mode, c.ids), func(t *testing.T) {
				t.Parallel()
				s := place.open(t)
				for n := 1; ; n++ {
					total := 0
					for _, done := range []bool{false, true} {
						w := &walk{T: t, stops: s, kind: c.kind, mode: c.mode, ids: c.ids, name: fmt.Sprintf("t%d%v", n, done), jobs: job.Open(t.TempDir())}
						w.prepare()
						s.stop(n, done)
						err := w.run(false)
						total = s.asked()
						s.stop(0, false)
						if n <= total && err == nil && w.last() != exec.StepCleaned {
							t.Fatalf("cut at %d of %d: no error", n, total)
						}
						if n > total && err != nil {
							t.Fatal(err)
						}
						w.check(n, done)
					}
					if n > total || n > 200 || t.Failed() {
						t.Logf("%d cuts", n-1)
						break
					}
				}
			})
		}
	}
}
