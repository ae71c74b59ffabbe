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
		{"UPDATE t SET s = 'y' WHERE id < 400", 400, "UPDATE t", false},
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

// What is saved before it is replaced is told of too.
func TestProgressOfSavingIsTold(t *testing.T) {
	for _, c := range hermetic() {
		var told []session.Progress
		c.more = func(c *session.Config) { c.Progress = func(p session.Progress) { told = append(told, p) } }
		w := newWorld(t, c)
		w.run(`SET eslake.backup = true; CREATE TABLE t (id INT) USING es OPTIONS (resource '${prefix}t', 'es.mapping.id' 'id'); INSERT INTO t SELECT id FROM range(2000)`, false)
		for _, tt := range [][2]string{{"INSERT OVERWRITE t SELECT id FROM range(2500)", "INSERT OVERWRITE t, saving"}, {"DROP TABLE t PURGE", "DROP t, saving"}} {
			told = nil
			w.run(tt[0], false)
			checkSaving(t, c.name, tt[1], told)
		}
	}
}

func checkSaving(t *testing.T, where, statement string, told []session.Progress) {
	t.Helper()
	for _, p := range told {
		if p.Statement == statement && p.Read >= 500 && p.Found == -1 && p.Part < 1 {
			return
		}
	}
	t.Errorf("%s: %s is not told of: %+v", where, statement, told)
}

// TestProgressOfReadingIsTold looks at what is told of changes: first how many
// documents were read, then how many are written.
func TestProgressOfReadingIsTold(t *testing.T) {
	for _, c := range hermetic() {
		t.Run(c.name, func(t *testing.T) {
			var told []session.Progress
			c.more = func(c *session.Config) { c.Progress = func(p session.Progress) { told = append(told, p) } }
			w := newWorld(t, c)
			w.run(`CREATE TABLE t (id INT, s STRING) USING es OPTIONS (resource '${prefix}t', 'es.mapping.id' 'id', 'es.batch.size.entries' '500');
				CREATE TABLE u (id INT, s STRING) USING es OPTIONS (resource '${prefix}u', 'es.mapping.id' 'id');
				INSERT INTO t SELECT id, 's' FROM range(2000); INSERT INTO u SELECT id, 'u' FROM range(1000)`, false)
			for _, tt := range []struct {
				sql, statement string
				changes        int64
			}{
				{"UPDATE t SET s = 'y' WHERE id < 1500", "UPDATE t", 1500},
				{"UNDO JOB '${job}'", "UNDO t", 1500},
				{"MERGE INTO t USING u ON t.id = u.id WHEN MATCHED THEN UPDATE SET *", "MERGE t", 1000},
				{"DELETE FROM t WHERE id % 2 = 0", "DELETE t", 1000},
			} {
				told = nil
				if out := w.run(tt.sql, false); strings.Contains(out, "error") {
					t.Fatal(out)
				}
				checkReading(t, tt.sql, tt.statement, tt.changes, told)
			}
		})
	}
}

func checkReading(t *testing.T, sql, statement string, changes int64, told []session.Progress) {
	t.Helper()
	if len(told) == 0 {
		t.Fatalf("%s: nothing was told", sql)
	}
	last, read := told[len(told)-1], int64(0)
	if told[0].Read == 0 || last.Read != 0 || last.Done.Settled() != changes || last.Part != 1 {
		t.Errorf("%s: told %+v at first, %+v at last", sql, told[0], last)
	}
	for i, p := range told {
		switch {
		case p.Statement != statement, p.Read > 0 && (p.Read < read || p.Found > p.Read || p.Done.Settled() > 0), p.Read == 0 && i+1 < len(told) && told[i+1].Read > 0:
			t.Errorf("%s: told %+v after %d documents", sql, p, read)
		}
		read = max(read, p.Read)
	}
	if read < changes {
		t.Errorf("%s: %d documents were read", sql, read)
	}
}
