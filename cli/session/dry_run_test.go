package session_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/eslake/eslake/esds/esdstest"
)

// reading are the requests that change nothing.
var reading = []esdstest.Kind{
	esdstest.Root, esdstest.Exists, esdstest.GetIndex, esdstest.Mapping, esdstest.Settings, esdstest.Alias, esdstest.Resolve, esdstest.Count,
	esdstest.GetDocument, esdstest.Search, esdstest.Scroll, esdstest.ClearScroll, esdstest.OpenPIT, esdstest.ClosePIT, esdstest.FieldCaps,
	esdstest.SearchShards, esdstest.Health, esdstest.Refresh, esdstest.ClusterState,
}

// TestDryRunSendsNothing runs every statement that writes, and sees only reads
// arrive.
func TestDryRunSendsNothing(t *testing.T) {
	fake := esdstest.New(t, esdstest.Elasticsearch8)
	w := newWorld(t, at(fake.URL))
	w.run(`CREATE TABLE t (id INT, s STRING) USING es OPTIONS (resource '${prefix}t', 'es.mapping.id' 'id');
		CREATE TABLE made (id INT) USING es OPTIONS (resource '${prefix}made');
		CREATE TABLE wide (id INT, s INT, more STRING) USING es OPTIONS (resource '${prefix}t', 'es.mapping.id' 'id');
		INSERT INTO t VALUES (1, 'a'), (2, 'b'); SET eslake.dry.run = true`, false)
	for _, tt := range []struct {
		sql  string
		want []string
	}{
		{"INSERT INTO t SELECT id, 'x' FROM range(8)", []string{"which is there", "rows,\"8, all read\"", `1 {""id"":1,""s"":""x""}`}},
		{"INSERT INTO made VALUES (1)", []string{"which would be made", "rows,\"1, all read\"", "made by eslake"}},
		{"INSERT INTO wide VALUES (3, 4, 'm')", []string{"s INT is STRING in the index", "more STRING is new"}},
		{"INSERT OVERWRITE t VALUES (9, 'z')", []string{"documents there,2", "replaced by recreate"}},
		{"TRUNCATE TABLE t", []string{"documents there,2", "DRY RUN of TRUNCATE t"}},
		{"UPDATE t SET s = 'c' WHERE id = 1", []string{"updated,1"}},
		{"DELETE FROM t WHERE id = 1", []string{"deleted,1"}},
		{"CREATE TABLE other USING es OPTIONS (resource '${prefix}other') AS SELECT 1 AS id", []string{"which would be made"}},
		{"DROP TABLE t PURGE", []string{"nothing was deleted", "which would be deleted", "documents there,"}},
	} {
		fake.Forget()
		out := w.run(tt.sql, false)
		for _, want := range tt.want {
			if !strings.Contains(out, want) {
				t.Errorf("%s says\n%s\nwithout %s", tt.sql, out, want)
			}
		}
		for _, r := range fake.Requests(esdstest.Any) {
			if !slices.Contains(reading, r.Kind) {
				t.Errorf("%s sent %s", tt.sql, r)
			}
		}
	}
	if out := w.run("SET eslake.dry.run = false; SELECT * FROM t", true); !strings.HasSuffix(out, "id,s\n1,a\n2,b\n") {
		t.Errorf("the rows are %q", out)
	}
}

// TestRejectsLoadedAgain loads rejected rows once more from their file.
func TestRejectsLoadedAgain(t *testing.T) {
	fake := esdstest.New(t, esdstest.Elasticsearch8)
	w := newWorld(t, at(fake.URL))
	file := filepath.Join(t.TempDir(), "rejects.ndjson")
	w.run(fmt.Sprintf(`CREATE TABLE t (id INT, s STRING) USING es OPTIONS (resource '${prefix}t', 'es.mapping.id' 'id', 'eslake.rejects.file' '%s')`, file), false)
	fake.Next(esdstest.Bulk, esdstest.PartialBulk(map[int]int{1: 400}))
	out := w.run("INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c')", false)
	if !strings.Contains(out, "1 of 3 rows were rejected") {
		t.Fatal(out)
	}
	out = w.run(fmt.Sprintf("INSERT INTO t SELECT * FROM rejects.`%s`; SELECT * FROM t", file), true)
	if !strings.HasSuffix(out, "id,s\n1,a\n2,b\n3,c\n") {
		t.Errorf("%q", out)
	}
	other := filepath.Join(t.TempDir(), "other.ndjson")
	if err := os.WriteFile(other, []byte("{\"a\":1}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := w.run(fmt.Sprintf("SELECT * FROM rejects.`%s`", other), true); !strings.Contains(out, "is no rejects file") {
		t.Errorf("%q", out)
	}
}

// TestRejectsKnowTheirLine finds the file and the line of rejected rows, also
// where records span lines and the columns are computed.
func TestRejectsKnowTheirLine(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{
		"a.csv": "id,s\n1,a\n2,\"b\nb\"\n\n3,c\n", "b.csv": "id,s\n4,d\n5,e\n",
		"c.json": "{\"id\":1,\"s\":\"a\"}\n\n{\"id\":2,\"s\":\"b\"}\n{\"id\":3,\"s\":\"c\"}\n",
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		sql  string
		want []string // of the second, the third and the fifth row
	}{
		{"INSERT INTO t SELECT * FROM c", []string{"a.csv:3", "a.csv:6", "b.csv:3"}},
		{"INSERT INTO t SELECT id + 10, upper(s) FROM c", []string{"a.csv:3", "a.csv:6", "b.csv:3"}},
		{"INSERT INTO t SELECT * FROM j", []string{"c.json:3", "c.json:4"}},
		{"INSERT INTO t SELECT * FROM c WHERE id > 0", nil},
		{"INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c')", nil},
	} {
		fake := esdstest.New(t, esdstest.Elasticsearch8)
		w := newWorld(t, at(fake.URL))
		rejects := filepath.Join(t.TempDir(), "rejects.ndjson")
		w.run(fmt.Sprintf(`CREATE TABLE t (id INT, s STRING) USING es OPTIONS (resource '${prefix}t', 'es.mapping.id' 'id', 'eslake.rejects.file' '%[1]s');
			CREATE TABLE c (id INT, s STRING) USING csv OPTIONS (path '%[2]s/*.csv', header 'true');
			CREATE TABLE j (id INT, s STRING) USING json OPTIONS (path '%[2]s/c.json'); INSERT INTO t VALUES (99, 'z')`, rejects, dir), false)
		fake.Next(esdstest.Bulk, esdstest.PartialBulk(map[int]int{1: 400, 2: 400, 4: 400}))
		if out := w.run(tt.sql, false); !strings.Contains(out, "rejected") {
			t.Fatal(out)
		}
		text, err := os.ReadFile(rejects)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
			if tt.want == nil && strings.Contains(line, `"source"`) || tt.want != nil && !strings.Contains(line, fmt.Sprintf(`"source":"%s/%s"`, dir, tt.want[i])) {
				t.Errorf("%s: %s, want %v", tt.sql, line, tt.want)
			}
		}
		if out := w.run("SELECT count(*) AS n FROM rejects.`"+rejects+"`", false); !strings.Contains(out, "n\n") {
			t.Errorf("%s: read again: %s", tt.sql, out)
		}
	}
}

// TestMaxRejects stops a statement whose rows are refused.
func TestMaxRejects(t *testing.T) {
	for _, flavour := range []string{"overwrite", "into"} {
		t.Run(flavour, func(t *testing.T) {
			fake := esdstest.New(t, esdstest.Elasticsearch8)
			w := newWorld(t, at(fake.URL))
			w.run(`CREATE TABLE t (id INT) USING es OPTIONS (resource '${prefix}t', 'es.mapping.id' 'id', 'es.batch.size.entries' '10', 'eslake.write.connections' '1');
				INSERT INTO t VALUES (-1)`, false)
			w.run("SET eslake.max.rejects = 1", false)
			fake.Next(esdstest.Bulk, esdstest.PartialBulk(map[int]int{1: 400, 3: 400}))
			out := w.run("INSERT "+flavour+" t SELECT id FROM range(500)", false)
			if !strings.Contains(out, "stopped after") || !strings.Contains(out, "more than eslake.max.rejects = 1") {
				t.Errorf("it says %q", out)
			}
			bulks := len(fake.Requests(esdstest.Bulk))
			if bulks > 10 {
				t.Errorf("it went on for %d requests", bulks)
			}
			if got := w.run("SELECT id FROM t WHERE id = -1", false); !strings.HasSuffix(got, "id\n-1\n") {
				t.Errorf("the old row: %q", got)
			}
		})
	}
}

// TestMaxRejectsOfChanges stops an UPDATE and an UNDO whose documents are refused.
func TestMaxRejectsOfChanges(t *testing.T) {
	fake := esdstest.New(t, esdstest.Elasticsearch8)
	w := newWorld(t, at(fake.URL))
	w.run(`CREATE TABLE t (id INT, n INT) USING es OPTIONS (resource '${prefix}t', 'es.mapping.id' 'id', 'es.batch.size.entries' '10', 'eslake.write.connections' '1');
		INSERT INTO t SELECT id, 0 FROM range(200); SET eslake.max.rejects = 1`, false)
	fake.Forget()
	fake.Next(esdstest.Bulk, esdstest.PartialBulk(map[int]int{1: 400, 3: 400}))
	out := w.run("UPDATE t SET n = 1 WHERE id >= 0", false)
	if !strings.Contains(out, "stopped after") || !strings.Contains(out, "2 were rejected, more than eslake.max.rejects = 1") {
		t.Errorf("it says %q", out)
	}
	if bulks := len(fake.Requests(esdstest.Bulk)); bulks > 10 {
		t.Errorf("it went on for %d requests", bulks)
	}
	jobs, err := w.session.Jobs().List()
	if err != nil {
		t.Fatal(err)
	}
	id := jobs[0].ID
	if out := w.resume(); !strings.Contains(out, "UPDATE") || strings.Contains(out, "stopped") {
		t.Errorf("resumed, it says %q", out)
	}
	if out := w.run("SELECT count(*) AS c FROM t WHERE n = 1", false); !strings.HasSuffix(out, "c\n200\n") {
		t.Errorf("resumed, it changed %q", out)
	}
	w.run("INSERT INTO t SELECT id, 7 FROM range(50)", false) // by someone else
	fake.Forget()
	out = w.run("UNDO JOB '"+id+"'", false)
	if !strings.Contains(out, "more than eslake.max.rejects = 1; 0 rows had been written") {
		t.Errorf("undo says %q", out)
	}
	if bulks := len(fake.Requests(esdstest.Bulk)); bulks > 0 {
		t.Errorf("undo sent %d requests", bulks)
	}
}

// TestTruncateMode empties the index and then writes; it needs no other index,
// and says that it is not atomic.
func TestTruncateMode(t *testing.T) {
	for _, c := range hermetic() {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, c)
			w.run(`CREATE TABLE t (id INT) USING es OPTIONS (resource '${prefix}t', 'es.mapping.id' 'id', 'eslake.overwrite.mode' 'truncate')`, false)
			if out := w.run("INSERT OVERWRITE t VALUES (1)", false); !strings.Contains(out, "truncate makes none") {
				t.Errorf("absent: %q", out)
			}
			w.run("INSERT INTO t VALUES (1), (2), (3)", false)
			out := w.run("INSERT OVERWRITE t VALUES (3), (4)", false)
			if !strings.Contains(out, "3 old documents replaced, 2 created") || !strings.Contains(out, "is not atomic") {
				t.Errorf("it says %q", out)
			}
			if out := w.run("INSERT OVERWRITE t SELECT id FROM t", false); !strings.Contains(out, "deletes first") {
				t.Errorf("from itself: %q", out)
			}
			if out := w.run("SELECT * FROM t", true); out != "id\n3\n4\n" {
				t.Errorf("the rows are %q", out)
			}
		})
	}
}

// TestBlockedOverwrite names the block before anything is made.
func TestBlockedOverwrite(t *testing.T) {
	fake := esdstest.New(t, esdstest.Elasticsearch8)
	w := newWorld(t, at(fake.URL))
	w.run(`CREATE TABLE t (id INT) USING es OPTIONS (resource '${prefix}t', 'es.mapping.id' 'id'); INSERT INTO t VALUES (1)`, false)
	for _, block := range []string{"read_only", "read_only_allow_delete", "write"} {
		set := func(value string) {
			if err := w.source.Configure(t.Context(), w.prefix+"t", []byte(`{"index":{"blocks.`+block+`":`+value+`}}`)); err != nil {
				t.Fatal(err)
			}
		}
		set("true")
		fake.Forget()
		out := w.run("INSERT OVERWRITE t VALUES (2)", false)
		if !strings.Contains(out, "index.blocks."+block+" = true") {
			t.Errorf("%s: it says %q", block, out)
		}
		if n := len(fake.Requests(esdstest.CreateIndex)); n > 0 {
			t.Errorf("%s: %d indices were made", block, n)
		}
		set("null")
	}
}

// TestReaderWaits reads while the name is absent for a moment.
func TestReaderWaits(t *testing.T) {
	fake := esdstest.New(t, esdstest.Elasticsearch8)
	w := newWorld(t, at(fake.URL))
	w.run(`CREATE TABLE t USING es OPTIONS (resource '${prefix}t', 'es.mapping.id' 'id') AS SELECT 1 AS id`, false)
	read := make(chan string, 1)
	reader := newWorld(t, at(fake.URL))
	reader.run(`CREATE TABLE t (id INT) USING es OPTIONS (resource '`+w.prefix+`t')`, false)
	fake.Next(esdstest.Clone, esdstest.Watch(func(esdstest.Request) { // the old index is gone
		waits := make(chan struct{})
		fake.NextWhen(esdstest.Settings, func(r esdstest.Request) bool { return strings.Contains(r.Path, "-eslake-") }, esdstest.Watch(func(esdstest.Request) { close(waits) }))
		go func() { read <- reader.run("SELECT id FROM t", false) }()
		<-waits // the reader has seen that it is absent
	}))
	if out := w.run("INSERT OVERWRITE t VALUES (7), (8)", false); strings.Contains(out, "error") {
		t.Fatal(out)
	}
	if got := <-read; !strings.HasSuffix(got, "id\n7\n8\n") && !strings.HasSuffix(got, "id\n8\n7\n") {
		t.Errorf("the reader got %q", got)
	}
}
