package session_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eslake/eslake/cli/session"
	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/esds/duckdb"
	"github.com/eslake/eslake/esds/esdstest"
)

// TestProgressKnowsTheEnd looks at what is told of running writes: where the rows
// come from says how many there will be.
func TestProgressKnowsTheEnd(t *testing.T) {
	var told []session.Progress
	fake := esdstest.New(t, esdstest.Elasticsearch8)
	w := newWorld(t, configuration{
		source: func(t *testing.T, _ *duckdb.DB) esds.Source { return openElastic(t, fake.URL) },
		more:   func(c *session.Config) { c.Progress = func(p session.Progress) { told = append(told, p) } },
	})
	csv, ndjson := filepath.Join(t.TempDir(), "a.csv"), filepath.Join(t.TempDir(), "a.json")
	var lines, objects strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&lines, "%d,%s\n", i, strings.Repeat("x", 80))
		fmt.Fprintf(&objects, "{\"id\":%d,\"s\":%q}\n", i, strings.Repeat("x", 80))
	}
	for path, text := range map[string]string{csv: lines.String(), ndjson: objects.String()} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w.run(fmt.Sprintf(`CREATE TABLE t (id INT, s STRING) USING es OPTIONS (resource '${prefix}t', 'es.mapping.id' 'id', 'es.batch.size.entries' '50', 'eslake.write.connections' '1');
		CREATE TABLE c (id INT, s STRING) USING csv OPTIONS (path '%s');
		CREATE TABLE j (id INT, s STRING) USING json OPTIONS (path '%s')`, csv, ndjson), false)
	for _, tt := range []struct {
		sql       string
		rows      int64
		statement string
		early     bool // the first part told is known to be a small one
	}{
		{"INSERT INTO t SELECT id, 's' FROM range(0, 400)", 400, "INSERT t", true},
		{"INSERT INTO t SELECT * FROM c", 1000, "INSERT t", false},
		{"INSERT INTO t SELECT id + 1, s FROM c", 1000, "INSERT t", false},
		{"INSERT OVERWRITE t SELECT * FROM j", 1000, "INSERT OVERWRITE t", false},
		{"UPDATE t SET s = 'y' WHERE id < 400", 400, "UPDATE t", true},
		{"INSERT INTO t SELECT id + 100000, s FROM t", 1000, "INSERT t", false},
	} {
		told = nil
		if out := w.run(tt.sql, false); strings.Contains(out, "error") {
			t.Fatal(out)
		}
		if len(told) == 0 {
			t.Errorf("%s: nothing was told", tt.sql)
			continue
		}
		first, last := told[0], told[len(told)-1]
		if last.Statement != tt.statement || last.Done.Rows != tt.rows || last.Part != 1 || last.Done.Bytes == 0 {
			t.Errorf("%s: told %+v at the end", tt.sql, last)
		}
		if first.Part <= 0 || tt.early && first.Part > 0.9 {
			t.Errorf("%s: told %+v at first", tt.sql, first)
		}
	}
	told = nil
	w.run("INSERT INTO t SELECT id, max(s) FROM c GROUP BY id", false)
	if len(told) == 0 {
		t.Fatal("nothing was told")
	}
	if p := told[0]; p.Part != 0 {
		t.Errorf("groups: told %+v", p)
	}
}
