package session_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/esds/duckdb"
	"github.com/eslake/eslake/esds/esdstest"
	"github.com/eslake/eslake/esds/esdstest/servers"
	"github.com/eslake/eslake/planner/job"
)

// front is a server that a test controls.
type front interface {
	NextWhen(kind esdstest.Kind, match func(esdstest.Request) bool, c esdstest.Control)
}

// fromEslake tells the bulk requests of eslake from those of the other writer.
func fromEslake(r esdstest.Request) bool { return r.Query.Get("filter_path") != "errors" }

// onFronts runs a test on the fake.
func onFronts(t *testing.T, f func(t *testing.T, w *world, server front, url string)) {
	for _, flavour := range esdstest.Flavours() {
		t.Run(flavour.Name, func(t *testing.T) {
			fake := esdstest.New(t, flavour)
			f(t, worldAt(t, fake.URL), fake, fake.URL)
		})
	}
}

func worldAt(t *testing.T, url string) *world {
	t.Helper()
	return newWorld(t, configuration{source: func(t *testing.T, _ *duckdb.DB) esds.Source { return openElastic(t, url) }})
}

// TestModifyOnRealServers runs the tests with another writer through a proxy
// before real servers.
func TestModifyOnRealServers(t *testing.T) {
	servers.Each(t, func(t *testing.T, url string) {
		for _, tt := range []struct {
			name string
			run  func(t *testing.T, w *world, server front, url string)
		}{{"gives up", givesUp}, {"undo", undoLeaves}, {"behind names", behindNames}, {"without _source", withoutSource}} {
			t.Run(tt.name, func(t *testing.T) {
				proxy := esdstest.NewProxy(t, url)
				tt.run(t, worldAt(t, proxy.URL), proxy, url)
			})
		}
		for _, tt := range meddled {
			t.Run(tt.name, func(t *testing.T) {
				proxy := esdstest.NewProxy(t, url)
				tt.run(t, worldAt(t, proxy.URL), proxy, url)
			})
		}
	})
}

// post sends a request as another writer would.
func post(t *testing.T, url, body string) {
	t.Helper()
	answer, err := http.Post(url, "application/x-ndjson", strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	if answer.StatusCode != http.StatusOK || strings.Contains(string(text), `"errors":true`) {
		t.Errorf("the other writer: %d %s", answer.StatusCode, text)
	}
}

const somePeople = `CREATE TABLE people (id INT, name STRING, age INT) USING es OPTIONS (resource '${prefix}people', 'es.mapping.id' 'id');
	INSERT INTO people SELECT id, concat('p', id), 20 FROM range(1, 6);`

// meddle lets another writer change documents 1 (still selected by age = 20), 2
// (no longer selected) and delete 3 before the next bulk request.
func meddle(t *testing.T, w *world, server front, url string) {
	server.NextWhen(esdstest.Bulk, fromEslake, esdstest.Watch(func(esdstest.Request) {
		post(t, url+"/"+w.prefix+"people/_bulk?refresh=true&filter_path=errors", `{"index":{"_id":"1"}}
{"id":1,"name":"other","age":20,"more":"kept"}
{"index":{"_id":"2"}}
{"id":2,"name":"other","age":99}
{"delete":{"_id":"3"}}
`)
	}))
}

// meddledWith is a statement whose documents another writer changes meanwhile.
type meddledWith struct{ name, statement, says, left string }

var meddled = []meddledWith{
	{
		"update", "UPDATE people SET age = age + 1 WHERE age = 20",
		"UPDATE 3 -> people (2 no longer selected)",
		"id,name,age,_source\n1,other,21,more\n2,other,99,\"\"\n4,p4,21,\"\"\n5,p5,21,\"\"",
	},
	{
		"delete", "DELETE FROM people WHERE age = 20",
		"DELETE 4 -> people (1 no longer selected)",
		"id,name,age,_source\n2,other,99,\"\"",
	},
	{
		"merge", "MERGE INTO people t USING (SELECT id FROM range(1, 8)) s ON t.id = s.id AND t.age = 20 WHEN MATCHED THEN UPDATE SET name = 'merged' WHEN NOT MATCHED THEN INSERT (id, name) VALUES (s.id, 'new')",
		"MERGE 5 -> people (2 created, 3 updated, 2 no longer selected)",
		"id,name,age,_source\n1,merged,20,more\n2,other,99,\"\"\n4,merged,20,\"\"\n5,merged,20,\"\"\n6,new,,\"\"\n7,new,,\"\"",
	},
}

func (tt meddledWith) run(t *testing.T, w *world, server front, url string) {
	if out := w.run(somePeople, false); strings.Contains(out, "error") {
		t.Fatal(out)
	}
	meddle(t, w, server, url)
	if out := w.run(tt.statement, false); !strings.HasPrefix(out, tt.says) {
		t.Errorf("it says %swant %s", out, tt.says)
	}
	out := w.run("SELECT id, name, age, regexp_extract(_source, '\"(more)\":\"kept\"', 1) AS _source FROM people", true)
	if got := strings.TrimSpace(out); got != tt.left {
		t.Errorf("left:\n%s\nwant:\n%s", got, tt.left)
	}
}

func TestModifyMeetsAnotherWriter(t *testing.T) {
	for _, tt := range meddled {
		t.Run(tt.name, func(t *testing.T) { onFronts(t, tt.run) })
	}
}

// A document that another writer changes each time is reported, and stays.
func TestModifyGivesUp(t *testing.T) { onFronts(t, givesUp) }

func givesUp(t *testing.T, w *world, server front, url string) {
	w.run(somePeople, false)
	for n := range 6 {
		server.NextWhen(esdstest.Bulk, fromEslake, esdstest.Watch(func(esdstest.Request) {
			post(t, url+"/"+w.prefix+"people/_bulk?refresh=true&filter_path=errors", fmt.Sprintf("{\"index\":{\"_id\":\"1\"}}\n{\"id\":1,\"name\":\"other %d\",\"age\":20}\n", n))
		}))
	}
	out := w.run("UPDATE people SET age = 7 WHERE id = 1", false)
	if !strings.HasPrefix(out, "UPDATE 0 -> people (1 rejected)\nerror: 1 of 1 rows were rejected") {
		t.Error(out)
	}
	if got := w.run("SELECT name, age FROM people WHERE id = 1", false); got != "name,age\nother 5,20\n" {
		t.Error(got)
	}
}

// What was changed since a job stays when the job is undone, and is reported.
func TestUndoLeavesWhatWasChangedSince(t *testing.T) { onFronts(t, undoLeaves) }

func undoLeaves(t *testing.T, w *world, _ front, _ string) {
	w.run(somePeople, false)
	if out := w.run("UPDATE people SET age = 7 WHERE id < 4", false); !strings.HasPrefix(out, "UPDATE 3") {
		t.Fatal(out)
	}
	first := w.vars["job"]
	w.run("UPDATE people SET name = 'later' WHERE id = 1; DELETE FROM people WHERE id = 2", false)
	out := w.run("UNDO JOB '"+first+"'", false)
	if !strings.HasPrefix(out, "UNDO 1 -> people (1 updated, 2 rejected)") || !strings.Contains(out, "error: 2 of 3 rows were rejected") {
		t.Error(out)
	}
	want := "id,name,age\n1,later,7\n3,p3,20\n4,p4,20\n5,p5,20\n"
	if got := w.run("SELECT * FROM people", true); got != want {
		t.Errorf("got %swant %s", got, want)
	}
}

// brokenOff are statements that are stopped at each of their bulk requests.
var brokenOff = []struct{ name, before, statement string }{
	{"update", "", "UPDATE people SET age = age + 1, name = concat(name, '!') WHERE id <> 4"},
	{"delete", "", "DELETE FROM people WHERE id <> 4"},
	{"merge", "", `MERGE INTO people t USING (SELECT id, concat('m', id) AS name FROM range(3, 12)) s ON t.id = s.id
		WHEN MATCHED AND t.id = 4 THEN DELETE WHEN MATCHED THEN UPDATE SET name = concat(t.name, s.name), age = t.age + 1
		WHEN NOT MATCHED THEN INSERT (id, name) VALUES (s.id, s.name) WHEN NOT MATCHED BY SOURCE THEN DELETE`},
	{"merge without ids", "CREATE TABLE people2 (id INT, name STRING) USING es OPTIONS (resource '${prefix}people'); ", `MERGE INTO people2 t USING (SELECT id, concat('m', id) AS name FROM range(3, 12)) s ON t.id = s.id
		WHEN MATCHED THEN UPDATE SET name = concat(t.name, s.name) WHEN NOT MATCHED THEN INSERT *`},
	{"undo", "UPDATE people SET age = age + 1, name = concat(name, '!') WHERE id <> 4; ", "UNDO JOB '${job}'"},
}

// A job that broke off goes on where it was, whether its last request had been
// done or not, and ends as if nothing had been.
func TestModifyGoesOnWhereItBrokeOff(t *testing.T) {
	refuse := esdstest.Answer(http.StatusForbidden, `{"error":{"type":"security_exception","reason":"no"},"status":403}`)
	for _, tt := range brokenOff {
		t.Run(tt.name, func(t *testing.T) {
			begin := func() (*world, *esdstest.Server) {
				fake := esdstest.New(t, esdstest.Elasticsearch8)
				w := worldAt(t, fake.URL)
				out := w.run("SET es.batch.size.entries = 2; SET eslake.write.connections = 1;"+somePeople+tt.before, false)
				if strings.Contains(out, "error") {
					t.Fatal(out)
				}
				return w, fake
			}
			const look = "SELECT id, name, age FROM people"
			w, fake := begin()
			fake.Forget()
			said := w.run(tt.statement, false)
			want := w.run(look, true)
			requests := len(fake.Requests(esdstest.Bulk))
			if strings.Contains(said, "error") || requests < 2 {
				t.Fatalf("%d requests: %s", requests, said)
			}
			for n := range requests {
				for _, how := range []esdstest.Control{refuse, esdstest.After(refuse)} {
					w, fake := begin()
					count := 0
					fake.NextWhen(esdstest.Bulk, func(esdstest.Request) bool { count++; return count == n+1 }, how)
					if out := w.run(tt.statement, false); !strings.Contains(out, "error") {
						t.Fatalf("request %d: %s", n+1, out)
					}
					if out := w.resume(); strings.Contains(out, "error") {
						t.Errorf("request %d, resumed: %s", n+1, out)
					}
					if got := w.run(look, true); got != want {
						t.Errorf("request %d: got %swant %s", n+1, got, want)
					}
				}
			}
		})
	}
}

// resume goes on with the last job.
func (w *world) resume() string {
	list, err := w.session.Jobs().List()
	if err != nil || len(list) == 0 {
		return fmt.Sprintf("error: %d jobs, %v", len(list), err)
	}
	for _, r := range list {
		if r.State == job.Failed {
			res, err := w.session.Resume(context.Background(), r.ID)
			if err != nil {
				return "error: " + err.Error()
			}
			return res.Message
		}
	}
	return "error: no job failed"
}

// Documents that are read by their ids come by one search for a thousand.
func TestDocumentsByIDComeInOneRequest(t *testing.T) {
	fake := esdstest.New(t, esdstest.Elasticsearch8)
	w := worldAt(t, fake.URL)
	w.run(`CREATE TABLE t (id INT, n INT) USING es OPTIONS (resource '${prefix}t', 'es.mapping.id' 'id'); INSERT INTO t SELECT id, 1 FROM range(2500);
		UPDATE t SET n = 2 WHERE id >= 0`, false)
	fake.Forget()
	if out := w.run("UNDO JOB '${job}'", false); !strings.HasPrefix(out, "UNDO 2,500 -> t (2,500 updated)") {
		t.Error(out)
	}
	if searches, pits := len(fake.Requests(esdstest.Search)), len(fake.Requests(esdstest.OpenPIT)); searches != 3 || pits != 0 {
		t.Errorf("%d searches, %d points in time", searches, pits)
	}
}

// A field that only later changes of a statement bring, when documents have been
// replaced already.
func TestChangesBringAFieldLate(t *testing.T) {
	w := newWorld(t, hermetic()[0])
	out := w.run(`CREATE TABLE t (k INT, n INT) USING es OPTIONS (resource '${prefix}t', 'es.mapping.id' 'k');
		CREATE TABLE wide (k INT, n INT, late STRING) USING es OPTIONS (resource '${prefix}t', 'es.mapping.id' 'k');
		INSERT INTO t SELECT id, 0 FROM range(33000);
		UPDATE wide SET n = n + 1, late = CASE WHEN k > 32990 THEN concat('x', k) END WHERE true`, false)
	if !strings.Contains(out, "UPDATE 33,000 -> wide; ") {
		t.Fatal(out)
	}
	const want = "count(1),sum(n),count(late),max(late)\n33000,33000,9,x32999\n"
	if got := w.run("SELECT count(*), sum(n), count(late), max(late) FROM wide", false); got != want {
		t.Errorf("got %swant %s", got, want)
	}
	if out := w.run("UNDO JOB '${job}'", false); !strings.HasPrefix(out, "UNDO 33,000 -> wide (33,000 updated)") {
		t.Error(out)
	}
	if got := w.run("SELECT count(*), sum(n), count(late) FROM wide", false); got != "count(1),sum(n),count(late)\n33000,0,0\n" {
		t.Error(got)
	}
}

// A MERGE that deletes a document and makes another of its id, perhaps on another
// shard, is undone and done again.
func TestUndoOfAnotherRouting(t *testing.T) {
	onFronts(t, func(t *testing.T, w *world, _ front, _ string) {
		out := w.run(`CREATE TABLE t (id INT, r STRING, n INT) USING es OPTIONS (resource '${prefix}t', 'es.mapping.id' 'id', 'es.mapping.routing' 'r', 'eslake.index.settings.number_of_shards' '5');
			INSERT INTO t SELECT id, concat('r', id), 1 FROM range(1, 9);
			MERGE INTO t USING (SELECT id, concat('q', id) AS r, 2 AS n FROM range(1, 9)) s ON t.id = s.id AND t.n = s.n WHEN NOT MATCHED THEN INSERT * WHEN NOT MATCHED BY SOURCE THEN DELETE`, false)
		if !strings.Contains(out, "MERGE 16 -> t (8 created, 8 deleted)") {
			t.Fatal(out)
		}
		for _, want := range []string{"UNDO 16 -> t (8 created, 8 deleted); 8 r1 r8", "UNDO 16 -> t (8 created, 8 deleted); 8 q1 q8", "UNDO 16 -> t (8 created, 8 deleted); 8 r1 r8"} {
			said, _, _ := strings.Cut(w.run("UNDO JOB '${job}'", false), ";")
			rows, _, err := w.ask("SELECT concat_ws(' ', count(*), min(r), max(_routing)) FROM t WHERE r = _routing")
			if err != nil || said+"; "+fmt.Sprint(rows[0][0]) != want {
				t.Errorf("%s; %v (%v), want %s", said, rows, err, want)
			}
		}
	})
}
