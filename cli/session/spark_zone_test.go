package session_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/esds/duckdb"
	"github.com/eslake/eslake/esds/esdstest/servers"
)

// sparkZones are the session time zones that Spark was asked in.
var sparkZones = []string{"Europe/Berlin", "America/Sao_Paulo", "Asia/Kolkata"}

// TestSparkZones asks what Spark was asked with spark.sql.session.timeZone.
func TestSparkZones(t *testing.T) {
	for _, c := range append([]configuration{{name: "files", source: hermetic()[0].source}}, hermetic()[:3]...) {
		t.Run(c.name, func(t *testing.T) { sparkZoned(t, c, c.name != "files") })
	}
}

// TestSparkZonesOnRealServers asks the same of Elasticsearch and OpenSearch.
func TestSparkZonesOnRealServers(t *testing.T) {
	servers.Each(t, func(t *testing.T, url string) {
		real := func(t *testing.T, _ *duckdb.DB) esds.Source { return openElastic(t, url) }
		sparkZoned(t, configuration{source: real}, true)
	})
}

func sparkZoned(t *testing.T, c configuration, indexed bool) {
	w := newWorld(t, c)
	w.sparkTables(indexed)
	known := differences(t)
	for _, zone := range sparkZones {
		if out := w.run("SET TIME ZONE '"+zone+"';", false); strings.Contains(out, "error") {
			t.Fatal(out)
		}
		_, city, _ := strings.Cut(strings.ToLower(zone), "/")
		agreed, asked := 0, 0
		for _, g := range readGolden(t, filepath.Join(sparkFolder, "zones."+city+".golden.jsonl")) {
			if g.Error != "" {
				t.Errorf("%s: Spark refuses %s", zone, g.SQL)
				continue
			}
			asked++
			diff := w.compare(g)
			switch reason, listed := known[city+": "+g.SQL]; {
			case diff == "" && listed:
				t.Errorf("differences.txt lists %s: %s (%s), but it agrees", city, g.SQL, reason)
			case diff == "":
				agreed++
			case !listed:
				t.Errorf("%s: %s\n  %s", zone, g.SQL, diff)
			}
		}
		t.Logf("%s: %d of %d answers are Spark's", zone, agreed, asked)
	}
}
