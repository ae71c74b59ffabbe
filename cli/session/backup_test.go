package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/eslake/eslake/cli/session"
	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/esds/duckdb"
	"github.com/eslake/eslake/esds/esdstest"
	"github.com/eslake/eslake/esds/esdstest/servers"
	"github.com/eslake/eslake/planner/exec"
	"github.com/eslake/eslake/planner/job"
	"github.com/eslake/eslake/sql"
	"github.com/eslake/eslake/sql/lex"
	"github.com/eslake/eslake/sql/row"
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

// A removal that broke off after it had forbidden to write leaves the block to be
// taken away: by itself, by the resume, or by clean.
func TestBlocksOfBackupsGo(t *testing.T) {
	refuse := esdstest.Answer(http.StatusForbidden, `{"error":{"type":"security_exception","reason":"no"},"status":403}`)
	for _, r := range removals[:4] {
		for _, how := range []string{"by itself", "resume", "clean"} {
			t.Run(r.name+"/"+how, func(t *testing.T) {
				fake := esdstest.New(t, esdstest.Elasticsearch8)
				w := newWorld(t, configuration{source: func(t *testing.T, _ *duckdb.DB) esds.Source { return openElastic(t, fake.URL) }})
				r.prepare(t, w)
				index := w.prefix + "p"
				fake.NextWhen(esdstest.Any, func(req esdstest.Request) bool { return r.last(req, index) }, refuse)
				if how != "by itself" { // nor can the block be taken away
					fake.NextWhen(esdstest.PutSettings, func(req esdstest.Request) bool {
						return strings.Contains(string(req.Body), `"index.blocks.write":null`) && !strings.Contains(req.Path, "-eslake-")
					}, refuse)
				}
				if out := w.run(r.statement, false); !strings.Contains(out, "error") {
					t.Fatal(out)
				}
				blocked := w.source.Blocked(context.Background(), index)
				if how == "by itself" != (blocked == nil) {
					t.Errorf("it is blocked: %v", blocked)
				}
				jobs, err := w.session.Jobs().List()
				if err != nil {
					t.Fatal(err)
				}
				switch how {
				case "resume":
					if out := w.resume(); strings.Contains(out, "error") || !strings.Contains(out, "takes it back") {
						t.Errorf("resumed: %s", out)
					}
					if r.name == "drop" {
						return
					}
				case "clean":
					if out := w.clean(t, jobs[0].ID); !strings.Contains(out, "writes forbidden by job "+jobs[0].ID+",removed") {
						t.Errorf("cleaned: %s", out)
					}
				}
				w.leftNothing(t)
				want := map[bool]string{true: "n\n1\n", false: "n\n39\n"}[how == "resume"]
				if how == "resume" && r.name == "truncate table" {
					want = "n\n0\n"
				}
				if out := w.run("SELECT count(*) AS n FROM p", false); out != want {
					t.Errorf("the table has %s", out)
				}
			})
		}
	}
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

// clean gives a job up and returns what was cleaned, a line each.
func (w *world) clean(t *testing.T, id string) string {
	t.Helper()
	res, err := w.session.CleanJobs(context.Background(), session.Clean{ID: id})
	if err != nil {
		t.Error(err)
	}
	rows, err := row.ReadAll(context.Background(), res.Rows)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, r := range rows {
		fmt.Fprintf(&b, "%v,%v,%v,%v\n", r...)
	}
	return b.String()
}

// The old index of an alias that could not be removed is, by a resume or by clean.
func TestOldIndexOfAnAliasGoes(t *testing.T) {
	refuse := esdstest.Answer(http.StatusForbidden, `{"error":{"type":"security_exception","reason":"no"},"status":403}`)
	for _, how := range []string{"resume", "clean"} {
		t.Run(how, func(t *testing.T) {
			fake := esdstest.New(t, esdstest.OpenSearch2)
			w := worldAt(t, fake.URL)
			backedUps[2].prepare(t, w)
			fake.NextWhen(esdstest.Any, func(r esdstest.Request) bool { return deletesIndex(r, w.prefix+"p-1") }, refuse)
			if out := w.run("SET eslake.backup = false; INSERT OVERWRITE p (id, s) VALUES (1, 'new')", false); !strings.Contains(out, "the new ones are in place, but the old index p-1 was left behind") {
				t.Fatal(out)
			}
			list, err := w.session.Jobs().List()
			if err != nil {
				t.Fatal(err)
			}
			if how == "resume" {
				if out := w.resume(); strings.Contains(out, "error") {
					t.Error(out)
				}
			} else if out := w.clean(t, list[0].ID); !strings.Contains(out, w.prefix+"p-1,replaced by job "+list[0].ID+",removed") {
				t.Error(out)
			}
			w.leftNothing(t)
			if out := w.run("SELECT id, s FROM p", false); out != "id,s\n1,new\n" {
				t.Error(out)
			}
		})
	}
}

// A job tells what a resume does: in mode truncate the old rows are gone.
func TestWhatAResumeDoes(t *testing.T) {
	for mode, says := range map[string]string{"auto": "the old rows stay until the new ones are complete", "truncate": "which deletes the old rows before it writes"} {
		w := newWorld(t, hermetic()[0])
		w.run("CREATE TABLE p (id INT) USING es OPTIONS (resource '${prefix}p', 'eslake.overwrite.mode' '"+mode+"'); INSERT INTO p VALUES (1)", false)
		if out := w.run("EXPLAIN INSERT OVERWRITE p VALUES (1)", false); !strings.Contains(out, says) {
			t.Errorf("%s: %s", mode, out)
		}
	}
}

// A statement that ended before it did anything offers no resume.
func TestNothingToResume(t *testing.T) {
	stopped := func(w *world, statement string) *exec.StoppedError {
		st, err := sql.Parse(must(lex.One("", statement)))
		if err != nil {
			t.Fatal(err)
		}
		_, err = w.session.Exec(context.Background(), st)
		var stopped *exec.StoppedError
		if !errors.As(err, &stopped) {
			t.Fatalf("%s: %v", statement, err)
		}
		return stopped
	}
	lake := newWorld(t, hermetic()[0])
	lake.run("CREATE TABLE l (id INT, app STRING) USING es OPTIONS (resource.read 'l-*', resource.write 'l-{app}')", false)
	if got := stopped(lake, "INSERT INTO l VALUES (1, 'a')"); got.Job != "" { // the lake has no such names
		t.Errorf("%v: job %s is offered", got, got.Job)
	}
	fake := esdstest.New(t, esdstest.Elasticsearch8)
	w := worldAt(t, fake.URL)
	backedUps[0].prepare(t, w)
	fake.Next(esdstest.Bulk, esdstest.Answer(http.StatusForbidden, `{"error":{"type":"security_exception","reason":"no"},"status":403}`))
	if got := stopped(w, "INSERT INTO p (id, s) VALUES (1, 'x')"); got.Job == "" {
		t.Errorf("%v: no job is offered", got)
	}
}

func must(text lex.Text, err error) lex.Text {
	if err != nil {
		panic(err)
	}
	return text
}
