package session_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/esds/duckdb"
	"github.com/eslake/eslake/esds/esdstest"
)

// TestOverwriteIsNotSeenHalfDone counts, at each request of an overwrite, the
// documents that a reader of a wildcard sees: those of the old rows, none in the
// moment in which the name is absent, or those of the new; never both.
func TestOverwriteIsNotSeenHalfDone(t *testing.T) {
	for _, flavour := range esdstest.Flavours() {
		t.Run(flavour.Name, func(t *testing.T) {
			fake := esdstest.New(t, flavour)
			w := newWorld(t, configuration{source: func(t *testing.T, _ *duckdb.DB) esds.Source { return openElastic(t, fake.URL) }})
			out := w.run(`CREATE TABLE t (id INT) USING es OPTIONS (resource '${prefix}logs-1', 'es.mapping.id' 'id');
				INSERT INTO t VALUES (1), (2), (3)`, false)
			seen := map[string]bool{}
			for _, kind := range []esdstest.Kind{esdstest.PutSettings, esdstest.DeleteIndex, esdstest.Clone, esdstest.Health, esdstest.DeleteIndex} {
				fake.Next(kind, esdstest.Watch(func(esdstest.Request) {
					seen[countOf(t, fake.URL+"/"+w.prefix+"logs-*/_search?size=0&track_total_hits=true")] = true
				}))
			}
			out += w.run("INSERT OVERWRITE t VALUES (4), (5), (6), (7), (8)", false)
			if strings.Contains(out, "error") {
				t.Fatal(out)
			}
			for n := range seen {
				if n != "3" && n != "0" && n != "5" {
					t.Errorf("a reader saw %s documents, of 3 old and 5 new", n)
				}
			}
			if !seen["3"] || !seen["5"] {
				t.Errorf("the test looked at %v only", seen)
			}
			if got := countOf(t, fake.URL+"/"+w.prefix+"logs-*/_search?size=0&track_total_hits=true"); got != "5" {
				t.Errorf("in the end a reader sees %s documents, want 5", got)
			}
		})
	}
}

// countOf returns the total of a search.
func countOf(t *testing.T, url string) string {
	t.Helper()
	answer, err := http.Get(url)
	if err != nil {
		t.Error(err)
		return ""
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Error(err)
	}
	_, rest, _ := strings.Cut(string(body), `"value":`)
	n := 0
	if _, err := fmt.Sscan(rest, &n); err != nil {
		t.Errorf("no total in %s", body)
	}
	return fmt.Sprint(n)
}

// TestOverwriteThatCannotPutInPlace keeps the old rows, and leaves nothing behind,
// when the cluster refuses to take the old index away.
func TestOverwriteThatCannotPutInPlace(t *testing.T) {
	fake := esdstest.New(t, esdstest.Elasticsearch8)
	w := newWorld(t, at(fake.URL))
	w.run(`CREATE TABLE t (id INT) USING es OPTIONS (resource '${prefix}t', 'es.mapping.id' 'id'); INSERT INTO t VALUES (1), (2)`, false)
	fake.Next(esdstest.DeleteIndex, esdstest.Answer(http.StatusForbidden, `{"error":{"type":"security_exception","reason":"not yours"}}`))
	out := w.run("INSERT OVERWRITE t VALUES (3)", false)
	if !strings.Contains(out, "not yours") || !strings.Contains(out, "keeps its old rows") {
		t.Errorf("it says %q", out)
	}
	if got := w.run("SELECT id FROM t", true); got != "id\n1\n2\n" {
		t.Errorf("the rows are %q", got)
	}
	left, err := w.source.Resolve(t.Context(), w.prefix+"t-eslake-*")
	if err != nil || len(left.Indices) > 0 {
		t.Errorf("left behind: %v, %v", left.Indices, err)
	}
	if out := w.run("INSERT OVERWRITE t VALUES (3); SELECT id FROM t", true); !strings.Contains(out, "id\n3\n") {
		t.Errorf("again: %q", out)
	}
}

// TestBrokenOffOverwriteIsNamed: where a killed overwrite left its rows under the
// staging name, reading the table says so.
func TestBrokenOffOverwriteIsNamed(t *testing.T) {
	w := newWorld(t, at(esdstest.New(t, esdstest.OpenSearch2).URL))
	w.run(`CREATE TABLE t (id INT) USING es OPTIONS (resource '${prefix}t', 'es.mapping.id' 'id'); INSERT INTO t VALUES (1)`, false)
	def, err := w.source.Definition(t.Context(), w.prefix+"t")
	if err != nil {
		t.Fatal(err)
	}
	def.Hidden = true
	if err := w.source.Create(t.Context(), w.prefix+"t-eslake-1", def); err != nil {
		t.Fatal(err)
	}
	if err := w.source.Drop(t.Context(), w.prefix+"t"); err != nil {
		t.Fatal(err)
	}
	_, _, err = w.ask("SELECT * FROM t")
	var e *esds.Error
	if !errors.As(err, &e) || !strings.Contains(e.Hint, w.prefix+"t-eslake-1") {
		t.Errorf("error = %v", err)
	}
}
