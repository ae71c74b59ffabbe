package session_test

import (
	"strings"
	"testing"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/esds/duckdb"
	"github.com/eslake/eslake/esds/esdstest/servers"
)

// TestSearch asks full-text conditions and their score of the fake.
func TestSearch(t *testing.T) { search(t, hermetic()[2], false) }

// TestSearchOnRealServers asks the same, and that better matches score higher.
func TestSearchOnRealServers(t *testing.T) {
	servers.Each(t, func(t *testing.T, url string) {
		real := func(t *testing.T, _ *duckdb.DB) esds.Source { return openElastic(t, url) }
		search(t, configuration{source: real}, true)
	})
}

func search(t *testing.T, c configuration, real bool) {
	w := newWorld(t, c)
	mapping := []byte(`{"properties": {"id": {"type": "long"}, "body": {"type": "text"}}}`)
	if err := w.source.Create(t.Context(), w.prefix+"docs", esds.Definition{Mappings: mapping}); err != nil {
		t.Fatal(err)
	}
	out := w.run(`CREATE TABLE docs (id BIGINT, body STRING) USING es OPTIONS (resource '${prefix}docs', es.mapping.id 'id');
INSERT INTO docs VALUES (1, 'the quick brown fox'), (2, 'fox and fox and fox'), (3, 'a slow bear'), (4, NULL);`, false)
	if strings.Contains(out, "error") {
		t.Fatal(out)
	}
	for query, want := range map[string]string{
		"SELECT id FROM docs WHERE match(body, 'fox') ORDER BY id":                                       "[[1] [2]]",
		"SELECT id FROM docs WHERE match_phrase(body, 'brown fox') ORDER BY id":                          "[[1]]",
		"SELECT id, score() > 0 AS s, _score = score() AS e FROM docs WHERE match(body, 'bear')":         "[[3 true true]]",
		"SELECT id FROM docs WHERE match(body, 'fox') AND id > 1 AND score() > 0 ORDER BY score() DESC":  "[[2]]",
		"SELECT d.id, s FROM (SELECT id, round(score() * 0) AS s FROM docs WHERE match(body, 'slow')) d": "[[3 0]]",
	} {
		rows, _, err := w.ask(query)
		if err != nil {
			t.Errorf("%s: %s", query, problem(err, query))
		} else if got := asText(rows); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	if real {
		rows, _, err := w.ask("SELECT id FROM docs WHERE match(body, 'fox') ORDER BY score() DESC")
		if got := asText(rows); err != nil || got != "[[2] [1]]" {
			t.Errorf("order by score: %s, %v", got, err)
		}
		rows, _, err = w.ask("SELECT id FROM docs WHERE query('body:(quick OR slow)') ORDER BY id")
		if got := asText(rows); err != nil || got != "[[1] [3]]" {
			t.Errorf("query: %s, %v", got, err)
		}
	}
	for _, c := range [][2]string{
		{"SELECT id, score() FROM docs", "needs a full-text condition"},
		{"SELECT score()", "answered by an index alone"},
		{"SELECT score() FROM (SELECT 1 AS a) WHERE match(a, 'x')", "answered by an index alone"},
		{"SELECT a.id FROM docs a JOIN docs b USING (id) WHERE match(a.body, 'fox') AND score() > 0", "several indices"},
	} {
		query, message := c[0], c[1]
		_, _, err := w.ask(query)
		if err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%s: %v, want %s", query, err, message)
		}
	}
}
