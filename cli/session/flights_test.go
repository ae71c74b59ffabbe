package session_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/esds/duckdb"
	"github.com/eslake/eslake/esds/esdstest/servers"
)

// flightsFolder holds tables.sql, queries.sql, queries.golden.jsonl and data: a
// month of flights, or the whole year when ESLAKE_TEST_FLIGHTS names its folder.
func flightsFolder(c configuration) string {
	// the fake keeps documents in memory and looks at each of them
	if dir := os.Getenv("ESLAKE_TEST_FLIGHTS"); dir != "" && !strings.HasPrefix(c.name, "fake") {
		return dir
	}
	return "../testdata/flights"
}

// TestFlights loads the flights and asks the questions; every answer must be
// real Spark's. Without push-down only the lake and the real servers are asked:
// the fake sends every document each time.
func TestFlights(t *testing.T) {
	for _, c := range hermetic()[:3] {
		t.Run(c.name, func(t *testing.T) { flights(t, c) })
	}
}

// TestFlightsOnRealServers asks the same of Elasticsearch and OpenSearch.
func TestFlightsOnRealServers(t *testing.T) {
	servers.Each(t, func(t *testing.T, url string) {
		real := func(t *testing.T, _ *duckdb.DB) esds.Source { return openElastic(t, url) }
		t.Run("pushdown", func(t *testing.T) { flights(t, configuration{source: real}) })
		t.Run("no pushdown", func(t *testing.T) {
			flights(t, configuration{source: real, settings: map[string]string{"eslake.pushdown": "false"}})
		})
	})
}

func flights(t *testing.T, c configuration) {
	w := newWorld(t, c)
	dir := flightsFolder(c)
	tables, err := os.ReadFile(filepath.Join(dir, "tables.sql"))
	if err != nil {
		t.Fatal(err)
	}
	w.vars["data"], err = filepath.Abs(filepath.Join(dir, "data"))
	if err != nil {
		t.Fatal(err)
	}
	script := strings.ReplaceAll(string(tables), "resource 'flights'", "resource '${prefix}flights'")
	if out := w.run(script, false); strings.Contains(out, "error") {
		t.Fatalf("tables.sql:\n%s", out)
	}
	for _, g := range readGolden(t, filepath.Join(dir, "queries.golden.jsonl")) {
		t.Run(strings.ReplaceAll(g.SQL[:min(60, len(g.SQL))], "/", " "), func(t *testing.T) {
			rows, _, err := w.ask(g.SQL)
			if err != nil {
				t.Fatalf("%s: %s", g.SQL, problem(err, g.SQL))
			}
			if diff := sameRows(rows, g.Rows, g.SQL); diff != "" {
				t.Errorf("%s: %s", g.SQL, diff)
			}
		})
	}
}
