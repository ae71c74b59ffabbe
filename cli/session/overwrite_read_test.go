package session_test

import (
	"fmt"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/eslake/eslake/esds/esdstest"
	"github.com/eslake/eslake/esds/esdstest/servers"
)

// overwrittenRows is how many rows TestReaderDuringSwap writes: ESLAKE_TEST_ROWS,
// or a few.
func overwrittenRows(t *testing.T) int {
	t.Helper()
	text := os.Getenv("ESLAKE_TEST_ROWS")
	if text == "" {
		return 2000
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// overwriteModes are the ways to overwrite while somebody reads. With auto the name
// is an alias.
var overwriteModes = []string{"swap", "recreate", "auto", "truncate"}

// testReaderDuringOverwrite counts and reads in a loop while an index is overwritten:
// all old rows, or all new ones, each time, unless the mode is truncate.
func testReaderDuringOverwrite(t *testing.T, url, mode string) {
	rows := overwrittenRows(t)
	w, reader := newWorld(t, at(url)), newWorld(t, at(url))
	make := func(mode string) string {
		return "CREATE TABLE t (id BIGINT, s STRING) USING es OPTIONS (resource '${prefix}t', 'es.mapping.id' 'id', 'eslake.overwrite.mode' '" + mode + "');"
	}
	switch first := make("swap") + "INSERT OVERWRITE t SELECT id, 'old' FROM range(300); DROP TABLE t;" + make(mode); mode {
	case "swap", "auto":
		w.run(first, false)
	default:
		w.run(make(mode)+"INSERT INTO t SELECT id, 'old' FROM range(300)", false)
	}
	reader.run(`CREATE TABLE t (id BIGINT, s STRING) USING es OPTIONS (resource '`+w.prefix+`t')`, false)
	old, fresh := "n,a,b\n300,old,old\n", fmt.Sprintf("n,a,b\n%d,new,new\n", rows)
	seen := map[string]int{}
	read := func() {
		seen[reader.run("SELECT count(*) AS n, min(s) AS a, max(s) AS b FROM (SELECT id, s FROM t WHERE length(s) = 3)", true)]++
	}
	read()
	written := startOverwrite(w, fmt.Sprintf("INSERT OVERWRITE t SELECT id, 'new' FROM range(%d)", rows))
	for out := ""; out == ""; {
		read()
		select {
		case out = <-written:
			t.Logf("%q", out)
		default:
		}
	}
	read()
	for got, n := range seen {
		if got == old || got == fresh || mode == "truncate" && !strings.Contains(got, "error") {
			continue
		}
		t.Errorf("a reader saw, %d times: %q", n, got)
	}
	if t.Logf("%d times old, %d times new, %d different answers", seen[old], seen[fresh], len(seen)); seen[old] == 0 || seen[fresh] == 0 {
		t.Errorf("a reader saw %v", seen)
	}
}

func startOverwrite(w *world, statement string) <-chan string {
	written := make(chan string, 1)
	go func() { written <- w.run(statement, true) }()
	return written
}

func TestReaderDuringOverwrite(t *testing.T) {
	for _, flavour := range []esdstest.Flavour{esdstest.Elasticsearch8, esdstest.OpenSearch2} {
		for _, mode := range overwriteModes {
			t.Run(flavour.Name+"/"+mode, func(t *testing.T) { testReaderDuringOverwrite(t, esdstest.New(t, flavour).URL, mode) })
		}
	}
}

func TestReaderDuringOverwriteReal(t *testing.T) {
	servers.Each(t, func(t *testing.T, url string) {
		for _, mode := range overwriteModes {
			t.Run(mode, func(t *testing.T) { testReaderDuringOverwrite(t, url, mode) })
		}
	})
}

// caughtRead is a read that an overwrite catches under way.
type caughtRead struct {
	name, mode string
	query      string
	pages      int    // pages that were asked for before
	says       string // "old" or "new" rows, or an error
}

var caughtReads = []caughtRead{
	{"before a row", "recreate", "SELECT id, s FROM t", 1, "new"},
	{"groups, when rows had come", "recreate", "SELECT count(*) AS n, min(s) AS a, max(s) AS b FROM (SELECT id, s FROM t WHERE length(s) = 3)", 4, "new"},
	{"when rows were given out", "recreate", "SELECT id, s FROM t", 4, "the cluster dropped the read before its end"},
	{"of an alias", "auto", "SELECT id, s FROM t", 4, "old"},
	{"groups of an alias", "auto", "SELECT count(*) AS n, min(s) AS a, max(s) AS b FROM (SELECT id, s FROM t WHERE length(s) = 3)", 4, "old"},
	{"of an alias without grace", "auto', 'eslake.overwrite.grace' '0", "SELECT id, s FROM t", 4, "the cluster dropped the read before its end"},
}

// caught runs a query, and when its pages are asked for has the index overwritten, up
// to the moment when its readers see the new rows.
func (c caughtRead) run(t *testing.T, url string, server front, front string) {
	w, reader := newWorld(t, at(url)), newWorld(t, at(front))
	create := "CREATE TABLE t (id BIGINT, s STRING) USING es OPTIONS (resource '${prefix}t', 'es.mapping.id' 'id', 'eslake.overwrite.mode' '%s');"
	if strings.HasPrefix(c.mode, "auto") {
		w.run(fmt.Sprintf(create, "swap")+"INSERT OVERWRITE t SELECT id, 'old' FROM range(3000); DROP TABLE t;"+fmt.Sprintf(create, c.mode), false)
	} else {
		w.run(fmt.Sprintf(create, c.mode)+"INSERT INTO t SELECT id, 'old' FROM range(3000)", false)
	}
	reader.run(`CREATE TABLE t (id BIGINT, s STRING) USING es OPTIONS (resource '`+w.prefix+`t', 'es.scroll.size' '250', 'eslake.read.slices' '1')`, false)
	var written <-chan string
	pages := 0
	server.NextWhen(esdstest.Any, func(r esdstest.Request) bool {
		pit := strings.Trim(r.Path, "/") == "_search" && strings.Contains(string(r.Body), `"pit"`) && !strings.Contains(string(r.Body), `"max":2`)
		if begins := r.Query.Has("scroll"); begins && c.pages == 1 {
			return true // its answer has the first rows
		}
		if pit || strings.HasSuffix(r.Path, "/_search/scroll") && r.Method == http.MethodPost {
			pages++
		}
		return pages > c.pages
	}, esdstest.Watch(func(esdstest.Request) {
		written = startOverwrite(w, "INSERT OVERWRITE t SELECT id, 'new' FROM range(2000)")
		for w.value(t, "SELECT count(*) FROM t WHERE s = 'new'") != "2000" || c.mode != "auto" && w.count(t, "t") != 2000 {
			runtime.Gosched()
		}
		if c.mode != "auto" { // else it waits for the reader
			written = finished(<-written)
		}
	}))
	got := reader.run(c.query, false)
	if written == nil {
		t.Fatalf("the overwrite did not begin: %s", got)
	}
	if out := <-written; !strings.HasPrefix(out, "INSERT OVERWRITE 2,000 -> t (3,000 old documents replaced") {
		t.Error(out)
	}
	old, fresh := strings.Count(got, "old"), strings.Count(got, "new")
	switch whole := map[string]int{"old": 3000, "new": 2000}[c.says]; {
	case whole == 0 && !strings.Contains(got, c.says), whole > 0 && strings.Contains(got, "error"):
		t.Errorf("%d old rows, %d new ones, want %s: %.300s", old, fresh, c.says, got)
	case whole > 0 && strings.HasPrefix(got, "n,") && !strings.HasSuffix(got, fmt.Sprintf("%d,%[2]s,%[2]s\n", whole, c.says)):
		t.Errorf("want %s: %s", c.says, got)
	case whole > 0 && strings.HasPrefix(got, "id,") && strings.Count(got, c.says) != whole:
		t.Errorf("%d old rows, %d new ones, want %d", old, fresh, whole)
	}
	w.leftOnly(t)
}

func finished(out string) <-chan string {
	c := make(chan string, 1)
	c <- out
	return c
}

// value is the answer of a query that has one.
func (w *world) value(t *testing.T, query string) string {
	t.Helper()
	rows, _, err := w.ask(query)
	if err != nil || len(rows) != 1 {
		return fmt.Sprint(err)
	}
	return fmt.Sprint(rows[0][0])
}

func (w *world) count(t *testing.T, table string) int {
	t.Helper()
	n, _ := strconv.Atoi(w.value(t, "SELECT count(*) FROM "+table))
	return n
}

// leftOnly wants no index besides that of t.
func (w *world) leftOnly(t *testing.T) {
	t.Helper()
	all, err := w.source.Resolve(t.Context(), w.prefix+"*")
	if err != nil || len(all.Indices) != 1 {
		t.Errorf("indices in the end: %v, %v", all.Indices, err)
	}
}

func TestReadCaughtByAnOverwrite(t *testing.T) {
	for _, flavour := range []esdstest.Flavour{esdstest.Elasticsearch8, esdstest.OpenSearch2, esdstest.OpenSearch3} {
		for _, c := range caughtReads {
			t.Run(flavour.Name+"/"+c.name, func(t *testing.T) {
				fake := esdstest.New(t, flavour)
				c.run(t, fake.URL, fake, fake.URL)
			})
		}
	}
}

func TestReadCaughtByAnOverwriteReal(t *testing.T) {
	servers.Each(t, func(t *testing.T, url string) {
		for _, c := range caughtReads {
			t.Run(c.name, func(t *testing.T) {
				proxy := esdstest.NewProxy(t, url)
				c.run(t, url, proxy, proxy.URL)
			})
		}
	})
}
