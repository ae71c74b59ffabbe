package session_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/esds/esdstest"
)

// purgeable makes a table on an index with an alias, settings and a mapping that
// rows alone would not give.
func purgeable(t *testing.T, w *world) esds.Definition {
	t.Helper()
	ctx := context.Background()
	err := w.source.Create(ctx, w.prefix+"p", esds.Definition{
		Mappings: []byte(`{"properties":{"id":{"type":"integer"},"s":{"type":"text","fields":{"raw":{"type":"keyword","ignore_above":77}}}}}`),
		Settings: []byte(`{"index":{"refresh_interval":"17s"}}`), Aliases: []byte(`{"` + w.prefix + `al":{}}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	if out := w.run(`CREATE TABLE p (id INT, s STRING) USING es OPTIONS (resource '${prefix}p', 'es.mapping.id' 'id', 'eslake.backup' 'true', 'es.net.http.auth.pass' 'geheim');
		INSERT INTO p SELECT id, concat('s', id) FROM range(1, 40)`, false); strings.Contains(out, "error") {
		t.Fatal(out)
	}
	def, err := w.source.Definition(ctx, w.prefix+"p")
	if err != nil {
		t.Fatal(err)
	}
	return def
}

func checkUndone(t *testing.T, w *world, before esds.Definition) {
	t.Helper()
	if out := w.run("UNDO JOB '${job}'", false); !strings.HasPrefix(out, "UNDO 39 -> p (39 created)") {
		t.Errorf("undo says %s", out)
	}
	now, err := w.source.Definition(context.Background(), w.prefix+"p")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range [][2][]byte{{before.Mappings, now.Mappings}, {before.Settings, now.Settings}, {before.Aliases, now.Aliases}} {
		if string(tt[0]) != string(tt[1]) {
			t.Errorf("the index has %s, it had %s", tt[1], tt[0])
		}
	}
	if out := w.run("SELECT count(*) AS n, min(s) AS least, max(_id) AS most FROM p", false); !strings.HasSuffix(out, "n,least,most\n39,s1,9\n") {
		t.Errorf("the table reads %s", out)
	}
}

// TestPurgeIsUndone takes DROP TABLE … PURGE back: index, documents and table.
func TestPurgeIsUndone(t *testing.T) {
	for _, c := range hermetic() {
		t.Run(c.name, func(t *testing.T) { purgeUndone(t, newWorld(t, c)) })
	}
}

func purgeUndone(t *testing.T, w *world) {
	before := purgeable(t, w)
	out := w.run("DROP TABLE p PURGE", false)
	if !strings.HasPrefix(out, "DROP TABLE p (index p deleted); UNDO JOB 'JOB' takes it back") {
		t.Fatal(out)
	}
	jobs, err := w.session.Jobs().List()
	if err != nil {
		t.Fatal(err)
	}
	saved, err := os.ReadFile(filepath.Join(jobs[0].Dir, "index.json"))
	if err != nil || strings.Contains(string(saved), "geheim") {
		t.Errorf("saved: %s, %v", saved, err)
	}
	if out := w.run("SELECT * FROM p", false); !strings.Contains(out, "error") {
		t.Errorf("the table is there: %s", out)
	}
	checkUndone(t, w, before)
	if out := w.run("UNDO JOB '${job}'", false); !strings.HasPrefix(out, "UNDO 39 -> p (39 deleted)") {
		t.Errorf("the undo of the undo says %s", out)
	}
}

// An index that took the name meanwhile stays as it is.
func TestPurgeIsNotUndoneOverAnother(t *testing.T) {
	w := newWorld(t, hermetic()[0])
	purgeable(t, w)
	w.run("DROP TABLE p PURGE", false)
	first := w.vars["job"]
	w.run("CREATE TABLE p (id INT, s STRING) USING es OPTIONS (resource '${prefix}p', 'es.mapping.id' 'id'); INSERT INTO p VALUES (1, 'new')", false)
	if out := w.run("UNDO JOB '"+first+"'", false); !strings.Contains(out, "there is an index of this name now, with 1 documents") {
		t.Errorf("undo says %s", out)
	}
	if out := w.run("SELECT * FROM p", false); out != "id,s\n1,new\n" {
		t.Errorf("the table reads %s", out)
	}
}

// A purge that broke off before or after the index was removed goes on.
func TestPurgeGoesOn(t *testing.T) {
	refuse := esdstest.Answer(http.StatusForbidden, `{"error":{"type":"security_exception","reason":"no"},"status":403}`)
	for name, how := range map[string]esdstest.Control{"before": refuse, "after": esdstest.After(refuse)} {
		t.Run(name, func(t *testing.T) {
			fake := esdstest.New(t, esdstest.Elasticsearch8)
			w := worldAt(t, fake.URL)
			before := purgeable(t, w)
			fake.NextWhen(esdstest.Any, func(r esdstest.Request) bool {
				return r.Method == http.MethodDelete && strings.HasSuffix(r.Path, w.prefix+"p")
			}, how)
			if out := w.run("DROP TABLE p PURGE", false); !strings.Contains(out, "error") {
				t.Fatal(out)
			}
			jobs, err := w.session.Jobs().List()
			if err != nil {
				t.Fatal(err)
			}
			w.vars["job"] = jobs[0].ID
			if out := w.resume(); !strings.Contains(out, "takes it back") {
				t.Fatalf("resumed, it says %s", out)
			}
			checkUndone(t, w, before)
		})
	}
}
