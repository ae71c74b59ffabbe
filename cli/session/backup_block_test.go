package session_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/eslake/eslake/cli/session"
	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/esds/duckdb"
	"github.com/eslake/eslake/esds/esdstest"
	"github.com/eslake/eslake/planner/exec"
	"github.com/eslake/eslake/sql"
	"github.com/eslake/eslake/sql/lex"
	"github.com/eslake/eslake/sql/row"
)

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
