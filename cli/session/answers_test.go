package session_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/eslake/eslake/catalog"
	"github.com/eslake/eslake/cli/render"
	"github.com/eslake/eslake/cli/session"
	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/esds/duckdb"
	"github.com/eslake/eslake/esds/elastic"
	"github.com/eslake/eslake/esds/esdstest"
	"github.com/eslake/eslake/esds/esdstest/servers"
	"github.com/eslake/eslake/esds/local"
	"github.com/eslake/eslake/planner/duck"
	"github.com/eslake/eslake/sql"
	"github.com/eslake/eslake/sql/lex"
)

// one is Sources of a single source, whatever the options of a table say.
type one struct{ source esds.Source }

func (o one) Source(context.Context, esds.Options) (esds.Source, error) { return o.source, nil }

// world is a session on one source, in which statements are text.
type world struct {
	t       *testing.T
	session *session.Session
	source  esds.Source
	prefix  string // of every index, so that tests share a server
	vars    map[string]string
	cfg     session.Config
}

// configuration is a way to run the same statements.
type configuration struct {
	name     string
	source   func(t *testing.T, db *duckdb.DB) esds.Source
	settings map[string]string
	more     func(*session.Config) // what else is set; nil for nothing
}

func openElastic(t *testing.T, url string) esds.Source {
	t.Helper()
	opts, _, err := esds.ParseOptions(map[string]string{"es.nodes": url})
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := elastic.ConfigFrom(opts)
	if err != nil {
		t.Fatal(err)
	}
	s, err := elastic.Open(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// hermetic are the configurations that need no server.
func hermetic() []configuration {
	lake := func(t *testing.T, db *duckdb.DB) esds.Source {
		return local.Open(db, filepath.Join(t.TempDir(), "lake.duckdb"))
	}
	fake := func(f esdstest.Flavour) func(t *testing.T, db *duckdb.DB) esds.Source {
		return func(t *testing.T, _ *duckdb.DB) esds.Source { return openElastic(t, esdstest.New(t, f).URL) }
	}
	return []configuration{
		{name: "lake", source: lake},
		{name: "lake without pushdown", source: lake, settings: map[string]string{"eslake.pushdown": "false"}},
		{name: "fake", source: fake(esdstest.Elasticsearch8)},
		{name: "fake without pushdown", source: fake(esdstest.OpenSearch2), settings: map[string]string{"eslake.pushdown": "false"}},
	}
}

func newWorld(t *testing.T, c configuration) *world {
	t.Helper()
	db := duckdb.New(duckdb.Config{})
	src := c.source(t, db)
	w := &world{t: t, source: src, prefix: fmt.Sprintf("t%x-", rand.Uint64())}
	w.vars = map[string]string{"prefix": w.prefix, "dir": t.TempDir()}
	cfg := session.Config{
		Catalog: catalog.Open(filepath.Join(t.TempDir(), "catalog.json")), Sources: one{src}, Engine: duck.New(db),
		Settings: c.settings, StateDir: t.TempDir(),
		Now: func() time.Time { return time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC) },
	}
	if c.more != nil {
		c.more(&cfg)
	}
	w.cfg, w.session = cfg, session.New(cfg)
	t.Cleanup(func() {
		w.drop()
		if err := errors.Join(src.Close(), db.Close()); err != nil {
			t.Error(err)
		}
	})
	return w
}

// drop removes the indices that the test made.
func (w *world) drop() {
	ctx := context.Background()
	found, err := w.source.Resolve(ctx, w.prefix+"*")
	if err != nil {
		w.t.Error(err)
	}
	for _, index := range found.Indices {
		if err := w.source.Drop(ctx, index); err != nil && !errors.Is(err, esds.ErrIndexNotFound) {
			w.t.Error(err)
		}
	}
}

// run runs statements and returns what a person would see of them: rows as CSV,
// messages, errors.
func (w *world) run(text string, sorted bool) string {
	var out bytes.Buffer
	for t, err := range lex.Split("", []byte(text)) {
		if err == nil {
			err = w.statement(t, &out, sorted)
		}
		if err != nil {
			out.WriteString(problem(err, text))
			break
		}
	}
	return jobIDs.ReplaceAllString(strings.ReplaceAll(out.String(), w.prefix, ""), "JOB")
}

// jobIDs are different in each run.
var jobIDs = regexp.MustCompile(`\b20240102t030405-[0-9a-f]{10}\b`)

func (w *world) statement(t lex.Text, out *bytes.Buffer, sorted bool) error {
	ctx := context.Background()
	t, err := lex.Expand(t, w.vars)
	if err != nil {
		return err
	}
	st, err := sql.Parse(t)
	if err != nil {
		return err
	}
	res, err := w.session.Exec(ctx, st)
	for _, n := range res.Notices {
		fmt.Fprintf(out, "note: %s\n", n)
	}
	if res.Message != "" {
		fmt.Fprintln(out, res.Message)
		if id := jobIDs.FindString(res.Message); id != "" {
			w.vars["job"] = id
		}
	}
	if err != nil || res.Rows == nil {
		return err
	}
	var rows bytes.Buffer
	_, err = render.Write(ctx, &rows, render.CSV, res.Rows, render.Options{})
	lines := strings.Split(strings.TrimRight(rows.String(), "\n"), "\n")
	if sorted && len(lines) > 1 {
		slices.Sort(lines[1:])
	}
	fmt.Fprintln(out, strings.Join(lines, "\n"))
	return err
}

func problem(err error, text string) string {
	var e *lex.Error
	if errors.As(err, &e) {
		return lex.Render(e, []byte(text))
	}
	return "error: " + err.Error() + "\n"
}

// TestAnswers runs each file on the embedded lake and on the fake, with and
// without push-down. All must give the same rows. "query" sorts them, "ordered"
// does not.
func TestAnswers(t *testing.T) {
	for _, c := range hermetic() {
		t.Run(c.name, func(t *testing.T) { answers(t, c) })
	}
}

// TestAnswersOnRealServers runs the same files on Elasticsearch and OpenSearch.
func TestAnswersOnRealServers(t *testing.T) {
	servers.Each(t, func(t *testing.T, url string) {
		real := func(t *testing.T, _ *duckdb.DB) esds.Source { return openElastic(t, url) }
		for _, c := range []configuration{
			{name: "pushdown", source: real},
			{name: "no pushdown", source: real, settings: map[string]string{"eslake.pushdown": "false"}},
		} {
			t.Run(c.name, func(t *testing.T) { answers(t, c) })
		}
	})
}

func answers(t *testing.T, c configuration) {
	datadriven.Walk(t, "testdata/answers", func(t *testing.T, path string) {
		w := newWorld(t, c)
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			w.t = t
			return w.run(d.Input, d.Cmd == "query")
		})
	})
}
