package session_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/eslake/eslake/cli/session"
	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/esds/esdstest"
	"github.com/eslake/eslake/esds/esdstest/servers"
	"github.com/eslake/eslake/planner/exec"
	"github.com/eslake/eslake/planner/job"
	"github.com/eslake/eslake/sql/row"
)

// eachWalk is an overwrite of the indices that its rows name, which is cut off
// somewhere: a is an index, b an alias, c is not there, and no row names d.
type eachWalk struct {
	*testing.T
	stops
	name string
	jobs *job.Store
}

func (w *eachWalk) rows() row.Reader {
	w.Helper()
	var batches []*row.Batch
	for i := range 3 {
		b := row.NewBatch(walkColumns)
		for k := range 6 {
			if err := b.AppendRow(int64(i*6+k), string(rune('a'+k%3))); err != nil {
				w.Fatal(err)
			}
		}
		batches = append(batches, b)
	}
	return row.NewBatches(walkColumns, batches...)
}

func (w *eachWalk) prepare() {
	w.Helper()
	mappings, err := esds.MappingOf(walkColumns, nil)
	if err != nil {
		w.Fatal(err)
	}
	for _, x := range []struct{ index, aliases string }{{"-a", ""}, {"-b-1", `{"` + w.name + `-b":{}}`}, {"-d", ""}} {
		d := esds.Definition{Mappings: mappings}
		if x.aliases != "" {
			d.Aliases = []byte(x.aliases)
		}
		if err := w.source().Create(w.Context(), w.name+x.index, d); err != nil {
			w.Fatal(err)
		}
		if _, err := w.source().Write(w.Context(), esds.Write{Index: w.name + x.index, ID: "id"}, walkRows(w.T, oldRows, "old")); err != nil {
			w.Fatal(err)
		}
	}
}

func (w *eachWalk) run(resume bool) error {
	mappings, err := esds.MappingOf(walkColumns, nil)
	if err != nil {
		return err
	}
	return runWalk(w.T, w.jobs, exec.Job{
		Source: w.source(), Overwrite: "auto", Definition: esds.Definition{Mappings: mappings},
		Write: esds.Write{Index: w.name + "-{s}", IDPrefix: "job1-", Action: esds.CreateDoc},
	}, w.rows(), resume)
}

// last is the last step of the whole.
func (w *eachWalk) last() string {
	r, err := w.jobs.Read("job1")
	if err != nil {
		return ""
	}
	for _, s := range slices.Backward(r.Steps) {
		if o, err := exec.OverwritingOf(s.Name, s.Facts); err == nil && o.Target.Kind == esds.Dynamically {
			return s.Name
		}
	}
	return ""
}

// state says what a reader of a name sees.
func (w *eachWalk) state(name string) string {
	w.Helper()
	index, err := w.source().Open(w.Context(), name, nil)
	if errors.Is(err, esds.ErrIndexNotFound) {
		return "absent"
	}
	if err != nil {
		w.Fatal(err)
	}
	_ = w.source().Refresh(w.Context(), name)
	r, err := index.Scan(w.Context(), esds.Scan{Columns: walkColumns})
	if err != nil {
		w.Fatal(err)
	}
	rows, err := row.ReadAll(w.Context(), r)
	if err != nil {
		w.Fatal(err)
	}
	texts := map[any]int{}
	for _, r := range rows {
		texts[r[1]]++
	}
	group := name[len(name)-1:]
	switch {
	case len(rows) == oldRows && texts["old"] == oldRows:
		return "old"
	case len(rows) == 6 && texts[group] == 6:
		return "new"
	}
	return fmt.Sprint(texts)
}

// check wants each index with its old rows or its new ones, and after the resume
// the new ones where a row names it.
func (w *eachWalk) check(where string) {
	w.Helper()
	for _, x := range []string{"-a", "-b", "-c", "-d"} {
		got := w.state(w.name + x)
		if got != "old" && got != "new" && got != "absent" {
			w.Errorf("%s: a reader of %s sees %s", where, x, got)
		}
		if got == "absent" && x == "-a" {
			if count, err := w.source().Count(w.Context(), esds.StagingName(w.name+x, "job1")); err != nil || count != 6 {
				w.Errorf("%s: %s is absent and its staging index has %d rows: %v", where, x, count, err)
			}
		}
	}
	if w.last() != exec.StepCleaned {
		_, err := w.jobs.Read("job1")
		if err := w.run(err == nil); err != nil {
			w.Errorf("%s: again: %v", where, err)
			return
		}
	}
	for x, want := range map[string]string{"-a": "new", "-b": "new", "-c": "new", "-d": "old"} {
		if got := w.state(w.name + x); got != want {
			w.Errorf("%s: in the end a reader of %s sees %s, want %s", where, x, got, want)
		}
	}
	all, err := w.source().Resolve(w.Context(), w.name+"-*")
	if err != nil {
		w.Fatal(err)
	}
	want := []string{w.name + "-a", w.name + "-b-eslake-job1", w.name + "-c", w.name + "-d"}
	if slices.Sort(all.Indices); !slices.Equal(all.Indices, want) {
		w.Errorf("%s: the indices are %v", where, all.Indices)
	}
}

// TestOverwriteEachWalk cuts an overwrite of several indices off at each request,
// done or not, and goes on after its journal.
func TestOverwriteEachWalk(t *testing.T) {
	t.Parallel()
	s := newCutCluster(t, esdstest.Elasticsearch8)
	for n, total := 1, 1; n <= total && !t.Failed(); n++ {
		for _, done := range []bool{false, true} {
			w := &eachWalk{T: t, stops: s, name: fmt.Sprintf("t%d%v", n, done), jobs: job.Open(t.TempDir())}
			w.prepare()
			s.stop(n, done)
			err := w.run(false)
			total = s.asked() + 1
			s.stop(0, false)
			if n < total && err == nil && w.last() != exec.StepCleaned {
				t.Fatalf("cut at %d: no error", n)
			}
			if n >= total && err != nil {
				t.Fatal(err)
			}
			w.check(fmt.Sprintf("cut at %d (done: %v), last step %q", n, done, w.last()))
		}
	}
}

// testOverwriteEach overwrites the indices that rows name, by SQL.
func testOverwriteEach(t *testing.T, url string) {
	w := newWorld(t, at(url))
	w.run(`CREATE TABLE t (id INT, app STRING) USING es OPTIONS (resource.read '${prefix}app-*', resource.write '${prefix}app-{app}', 'es.mapping.id' 'id');
		INSERT INTO t VALUES (1, 'a'), (2, 'a'), (3, 'b'), (4, 'c')`, false)
	for _, tt := range []struct{ sql, want, rows string }{
		{"INSERT OVERWRITE t VALUES (5, 'a'), (6, 'c'), (7, 'new')", "3 old documents replaced, 3 created, 0 rejected), in 3 indices", "3,b\n5,a\n6,c\n7,new\n"},
		{"INSERT OVERWRITE t SELECT id, app FROM t WHERE id > 100", "0 old documents replaced, 0 created, 0 rejected), in 0 indices", "3,b\n5,a\n6,c\n7,new\n"},
		{"INSERT OVERWRITE t SELECT id + 10, app FROM t", "4 old documents replaced, 4 created, 0 rejected), in 4 indices", "13,b\n15,a\n16,c\n17,new\n"},
		{"TRUNCATE TABLE t", "the name has braces", "13,b\n15,a\n16,c\n17,new\n"},
		{"SET eslake.overwrite.mode = truncate; INSERT OVERWRITE t VALUES (1, 'a')", "not for a name with braces", "13,b\n15,a\n16,c\n17,new\n"},
		{"SET eslake.overwrite.mode = auto; SET eslake.backup = true; INSERT OVERWRITE t VALUES (1, 'a')", "eslake.backup is for one index", "13,b\n15,a\n16,c\n17,new\n"},
		{"SET eslake.backup = false; SET es.index.auto.create = false; INSERT OVERWRITE t VALUES (1, 'a'), (2, 'none')", "app-none", "13,b\n15,a\n16,c\n17,new\n"},
	} {
		if out := w.run(tt.sql, false); !strings.Contains(out, tt.want) {
			t.Errorf("%s says %q", tt.sql, out)
		}
		if got := w.run("SELECT id, app FROM t ORDER BY id", true); got != "id,app\n"+tt.rows {
			t.Errorf("after %s the rows are %q", tt.sql, got)
		}
	}
	left, err := w.source.Resolve(t.Context(), w.prefix+"app-*-eslake-*")
	if err != nil || len(left.Indices) > 0 {
		t.Errorf("left behind: %v, %v", left.Indices, err)
	}
}

func TestOverwriteEach(t *testing.T) {
	for _, flavour := range esdstest.Flavours() {
		t.Run(flavour.Name, func(t *testing.T) { testOverwriteEach(t, esdstest.New(t, flavour).URL) })
	}
}

func TestOverwriteEachReal(t *testing.T) { servers.Each(t, testOverwriteEach) }

// TestOverwriteEachOfOneIndex refuses two names that stand for one index.
func TestOverwriteEachOfOneIndex(t *testing.T) {
	w := newWorld(t, at(esdstest.New(t, esdstest.OpenSearch2).URL))
	if err := w.source.Create(t.Context(), w.prefix+"app-a", esds.Definition{Aliases: []byte(`{"` + w.prefix + `app-b":{}}`)}); err != nil {
		t.Fatal(err)
	}
	out := w.run(`CREATE TABLE t (id INT, app STRING) USING es OPTIONS (resource.read '${prefix}app-*', resource.write '${prefix}app-{app}', 'es.mapping.id' 'id');
		INSERT OVERWRITE t VALUES (1, 'a'), (2, 'b')`, false)
	if !strings.Contains(out, "both stand for index") || !strings.Contains(out, "keeps its old rows") {
		t.Errorf("it says %q", out)
	}
}

// TestOverwriteEachAsks counts the documents of all indices that the rows name
// against --max-affected, before any of them is replaced.
func TestOverwriteEachAsks(t *testing.T) {
	c := at(esdstest.New(t, esdstest.OpenSearch2).URL)
	c.more = func(cfg *session.Config) { cfg.Safety.MaxAffected = 3 }
	w := newWorld(t, c)
	w.run(`CREATE TABLE t (id INT, app STRING) USING es OPTIONS (resource.read '${prefix}app-*', resource.write '${prefix}app-{app}', 'es.mapping.id' 'id');
		INSERT INTO t VALUES (1, 'a'), (2, 'a'), (3, 'b'), (4, 'b')`, false)
	if out := w.run("INSERT OVERWRITE t VALUES (5, 'a'), (6, 'b')", false); !strings.Contains(out, "would change 4 documents") || !strings.Contains(out, "keeps its old rows") {
		t.Errorf("it says %q", out)
	}
	left, err := w.source.Resolve(t.Context(), w.prefix+"app-*-eslake-*")
	if err != nil || len(left.Indices) > 0 {
		t.Errorf("left behind: %v, %v", left.Indices, err)
	}
	w.run("INSERT OVERWRITE t VALUES (5, 'a')", false)
	if got := w.run("SELECT id FROM t ORDER BY id", true); got != "id\n3\n4\n5\n" {
		t.Errorf("the rows are %q", got)
	}
}
