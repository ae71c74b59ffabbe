package session_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/esds/esdstest"
	"github.com/eslake/eslake/esds/esdstest/servers"
	"github.com/eslake/eslake/planner/job"
)

// backedUp is an index with a mapping, settings and an alias that rows alone would
// not give, and how it is overwritten.
type backedUp struct{ name, kind, mode string }

var backedUps = []backedUp{
	{"recreate", "index", "recreate"},
	{"swap of an index", "index", "swap"},
	{"swap of an alias", "alias", "auto"},
	{"truncate", "index", "truncate"},
}

// prepare makes the index, with 39 documents, and a table that has a column more
// than its mapping.
func (b backedUp) prepare(t *testing.T, w *world) esds.Definition {
	t.Helper()
	ctx, index, aliases := context.Background(), w.prefix+"p", `{"`+w.prefix+`al":{}}`
	if b.kind == "alias" {
		aliases = `{"` + index + `":{},` + aliases[1:]
		index += "-1"
	}
	err := w.source.Create(ctx, index, esds.Definition{
		Mappings: []byte(`{"properties":{"id":{"type":"integer"},"s":{"type":"text","fields":{"raw":{"type":"keyword","ignore_above":77}}}}}`),
		Settings: []byte(`{"index":{"refresh_interval":"17s","number_of_shards":2,"number_of_replicas":0}}`), Aliases: []byte(aliases),
	})
	if err != nil {
		t.Fatal(err)
	}
	out := w.run(`CREATE TABLE p (id INT, s STRING, extra STRING) USING es OPTIONS (resource '${prefix}p', 'es.mapping.id' 'id', 'eslake.backup' 'true', 'eslake.overwrite.mode' '`+b.mode+`');
		INSERT INTO p (id, s) SELECT id, concat('s', id) FROM range(1, 40)`, false)
	if strings.Contains(out, "error") {
		t.Fatal(out)
	}
	return b.definition(t, w)
}

func (b backedUp) definition(t *testing.T, w *world) esds.Definition {
	t.Helper()
	target, err := w.source.Resolve(context.Background(), w.prefix+"p")
	if err != nil || target.Write == "" {
		t.Fatalf("%+v, %v", target, err)
	}
	def, err := w.source.Definition(context.Background(), target.Write)
	if err != nil {
		t.Fatal(err)
	}
	return def
}

// same wants mapping, settings and aliases as they were.
func (b backedUp) same(t *testing.T, w *world, before esds.Definition) {
	t.Helper()
	now := b.definition(t, w)
	for _, x := range []struct {
		what      string
		was, like []byte
	}{{"mapping", before.Mappings, now.Mappings}, {"settings", before.Settings, now.Settings}, {"aliases", withoutName(before.Aliases, w.prefix+"p"), withoutName(now.Aliases, w.prefix+"p")}} {
		if !sameObject(t, x.was, x.like) {
			t.Errorf("the %s is %s, it was %s", x.what, x.like, x.was)
		}
	}
}

func withoutName(aliases []byte, name string) []byte {
	all := map[string]any{}
	_ = json.Unmarshal(aliases, &all)
	delete(all, name)
	text, _ := json.Marshal(all)
	return text
}

func sameObject(t *testing.T, a, b []byte) bool {
	t.Helper()
	var x, y map[string]any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		t.Fatalf("%s, %s", a, b)
	}
	for _, o := range []map[string]any{x, y} { // what a staged index has besides, and which means the same
		if index, ok := o["index"].(map[string]any); ok && index["hidden"] == "false" {
			delete(index, "hidden")
		}
	}
	return reflect.DeepEqual(x, y)
}

const backedRows = "SELECT count(*) AS n, min(s) AS least, max(_id) AS most, count(extra) AS extra FROM p"

// An overwrite is taken back with its mapping, and so is the undo.
func overwriteUndone(t *testing.T, w *world, b backedUp) {
	before := b.prepare(t, w)
	// Nothing new in the mapping: the documents are put back one by one.
	if out := w.run("INSERT OVERWRITE p (id, s) VALUES (1, 'new')", false); !strings.Contains(out, "39 old documents replaced") {
		t.Fatal(out)
	}
	if out := w.run("SET eslake.dry.run = true; UNDO JOB '${job}'; SET eslake.dry.run = false", false); !strings.Contains(out, "created,38") { // and it is not taken for undone
		t.Errorf("dry run says %s", out)
	}
	if out := w.run("UNDO JOB '${job}'", false); !strings.HasPrefix(out, "UNDO 39 -> p (38 created, 1 updated)") {
		t.Errorf("undo says %s", out)
	}
	b.same(t, w, before)
	// A field that the mapping did not have.
	w.run("INSERT OVERWRITE p SELECT id, 'new', 'more' FROM range(30, 50)", false)
	first, after := w.vars["job"], b.definition(t, w)
	if out := w.run("SET eslake.dry.run = true; UNDO JOB '"+first+"'; SET eslake.dry.run = false", false); strings.Contains(out, "error") || !strings.Contains(out, "DRY RUN of UNDO p: nothing was written") {
		t.Errorf("dry run says %s", out)
	}
	says := "UNDO 39 -> p (20 documents replaced; the index was made anew, with its mapping and settings of before); UNDO JOB"
	if b.mode == "truncate" {
		says = "UNDO 49 -> p (29 created, 10 updated, 10 deleted)"
	}
	if out := w.run("UNDO JOB '"+first+"'", false); !strings.HasPrefix(out, says) {
		t.Errorf("undo says %s", out)
	}
	if out := w.run(backedRows, false); !strings.HasSuffix(out, "n,least,most,extra\n39,s1,9,0\n") {
		t.Errorf("undone, the table reads %s", out)
	}
	if b.mode != "truncate" {
		b.same(t, w, before)
	}
	if out := w.run("UNDO JOB '${job}'", false); !strings.HasPrefix(out, "UNDO ") {
		t.Errorf("the undo of the undo says %s", out)
	}
	if out := w.run(backedRows, false); out != "n,least,most,extra\n20,new,49,20\n" {
		t.Errorf("undone again, the table reads %s", out)
	}
	b.same(t, w, after)
	w.leftNothing(t)
}

// leftNothing wants no staging index, and no block.
func (w *world) leftNothing(t *testing.T) {
	t.Helper()
	now, err := w.source.Resolve(context.Background(), w.prefix+"p")
	if err != nil {
		t.Fatal(err)
	}
	all, err := w.source.Resolve(context.Background(), w.prefix+"*")
	if err != nil || len(all.Indices) != len(now.Indices) {
		t.Errorf("left: %v besides %v, %v", all.Indices, now.Indices, err)
	}
	if err := w.source.Blocked(context.Background(), w.prefix+"p"); err != nil {
		t.Error(err)
	}
}

func TestOverwriteIsUndone(t *testing.T) {
	for _, b := range backedUps {
		t.Run(b.name, func(t *testing.T) {
			for _, c := range hermetic() {
				t.Run(c.name, func(t *testing.T) { overwriteUndone(t, newWorld(t, c), b) })
			}
		})
	}
}

// removal is a statement that removes all documents of an index.
type removal struct {
	backedUp
	statement string
	says      string
	last      func(r esdstest.Request, index string) bool // the request from which on they are gone
}

func deletesIndex(r esdstest.Request, index string) bool {
	return r.Method == http.MethodDelete && strings.Trim(r.Path, "/") == index
}

func changesAliases(r esdstest.Request, _ string) bool { return strings.HasSuffix(r.Path, "/_aliases") }

func deletesDocuments(r esdstest.Request, _ string) bool {
	return strings.HasSuffix(r.Path, "/_bulk") && fromEslake(r) && strings.Contains(string(r.Body), `{"delete":`)
}

var removals = []removal{
	{backedUp{"drop", "index", "auto"}, "DROP TABLE p PURGE", "UNDO 39 -> p (39 created)", deletesIndex},
	{backedUp{"recreate", "index", "recreate"}, "INSERT OVERWRITE p (id, s) VALUES (1, 'new')", "UNDO 39 -> p (38 created, 1 updated)", deletesIndex},
	{backedUp{"swap", "alias", "swap"}, "INSERT OVERWRITE p (id, s) VALUES (1, 'new')", "UNDO 39 -> p (38 created, 1 updated)", changesAliases},
	{backedUp{"truncate table", "index", "auto"}, "TRUNCATE TABLE p", "UNDO 39 -> p (39 created)", deletesIndex},
	{backedUp{"truncate", "index", "truncate"}, "INSERT OVERWRITE p (id, s) VALUES (1, 'new')", "UNDO 41 -> p (40 created, 1 updated)", deletesDocuments},
}

// A document that another writer adds between the backup and the removal is refused,
// or saved; none is lost.
func removedWhileWritten(t *testing.T, w *world, server front, url string, r removal) {
	r.prepare(t, w)
	index := w.prefix + "p"
	status, seen := 0, false
	server.NextWhen(esdstest.Any, func(req esdstest.Request) bool { return r.last(req, index) }, esdstest.Watch(func(esdstest.Request) {
		seen = true
		status = writeOne(t, url, index)
	}))
	if out := w.run(r.statement, false); strings.Contains(out, "error") || !seen {
		t.Fatal(out)
	}
	if want := map[bool]int{true: http.StatusCreated, false: http.StatusForbidden}[r.mode == "truncate"]; status != want {
		t.Errorf("the other writer was answered %d, want %d", status, want)
	}
	if out := w.run("UNDO JOB '${job}'", false); !strings.HasPrefix(out, r.says) {
		t.Errorf("undo says %s", out)
	}
	if out := w.run("SELECT count(*) AS n, count(if(s = 'other', 1, NULL)) AS other FROM p", false); out != map[bool]string{true: "n,other\n41,2\n", false: "n,other\n39,0\n"}[r.mode == "truncate"] {
		t.Errorf("the table reads %s", out)
	}
}

// writeOne writes as another writer would: a new document and a changed one.
func writeOne(t *testing.T, url, index string) (status int) {
	t.Helper()
	body := `{"index":{"_id":"1000"}}
{"id":1000,"s":"other"}
{"index":{"_id":"1001"}}
{"id":1001,"s":"other"}
`
	answer, err := http.Post(url+"/"+index+"/_bulk?refresh=true&filter_path=errors,items.*.status", "application/x-ndjson", strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return 0
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	var told struct {
		Items []map[string]struct{ Status int }
	}
	if err := json.Unmarshal(text, &told); err != nil || len(told.Items) != 2 {
		t.Errorf("the other writer: %s", text)
		return 0
	}
	return told.Items[0]["index"].Status
}

func TestNothingIsLostBetweenBackupAndRemoval(t *testing.T) {
	for _, r := range removals {
		t.Run(r.name, func(t *testing.T) {
			onFronts(t, func(t *testing.T, w *world, server front, url string) { removedWhileWritten(t, w, server, url, r) })
		})
	}
}

func TestBackupsOnRealServers(t *testing.T) {
	servers.Each(t, func(t *testing.T, url string) {
		for _, b := range backedUps {
			t.Run("undone/"+b.name, func(t *testing.T) { overwriteUndone(t, newWorld(t, at(url)), b) })
		}
		for _, r := range removals {
			t.Run("written meanwhile/"+r.name, func(t *testing.T) {
				proxy := esdstest.NewProxy(t, url)
				removedWhileWritten(t, worldAt(t, proxy.URL), proxy, url, r)
			})
		}
	})
}

// What a job saved is in its folder, and says which index it is of.
func TestBackupKeepsTheDefinition(t *testing.T) {
	w := newWorld(t, hermetic()[2])
	backedUps[0].prepare(t, w)
	w.run("INSERT OVERWRITE p (id, s) VALUES (1, 'new')", false)
	list, err := w.session.Jobs().List()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(list[0].Dir, "index.json"))
	if err != nil || !strings.Contains(string(text), `"ignore_above":77`) || strings.Contains(string(text), "blocks") || list[0].State != job.Done || list[0].Forbidden() != nil {
		t.Errorf("%s, %v, %+v", text, err, list[0])
	}
}
