//go:build unix

package cli_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/eslake/eslake/esds/esdstest"
)

// says checks the exit code, and that all that was printed has the patterns.
func (e ended) says(t *testing.T, code int, patterns ...string) {
	t.Helper()
	if e.code != code {
		t.Errorf("exit code %d, want %d", e.code, code)
	}
	for _, pattern := range patterns {
		if !regexp.MustCompile(pattern).MatchString(e.out + e.err) {
			t.Errorf("%q is not said: %v", pattern, e)
		}
	}
}

// csvLoad writes a file of loadRows rows, every 500th without an id, and makes
// tables over it and of an index that takes it.
func csvLoad(t *testing.T, p *place) (file, insert string) {
	t.Helper()
	file = filepath.Join(p.dir, "rows.csv")
	var text strings.Builder
	text.WriteString("id,s\n")
	for i := range loadRows {
		if i%500 == 499 {
			fmt.Fprintf(&text, ",row %d\n", i)
			continue
		}
		fmt.Fprintf(&text, "%d,row %d\n", i, i)
	}
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	p.must(t, fmt.Sprintf(`CREATE TABLE rows_csv (id BIGINT, s STRING) USING csv OPTIONS (path '%s', header 'true');
		CREATE TABLE t (id BIGINT, s STRING) USING es OPTIONS (resource '%st', es.mapping.id 'id', es.batch.size.entries '250', eslake.write.connections '1')`, file, p.prefix))
	return file, "INSERT INTO t SELECT * FROM rows_csv"
}

// killedLoad kills a statement before its nth bulk request and returns its job.
func killedLoad(t *testing.T, p *place, insert string, n int) (front *tap, id string) {
	t.Helper()
	front = newTap(t, p.url)
	killAtRequest(t, p.at(front.url), front, insert, n, isBulk)
	list := p.listJobs(t)
	if len(list) == 0 || list[0][4] != "interrupted" || list[0][8] != "eslake jobs resume "+list[0][0] {
		t.Fatalf("jobs after the kill: %v", list)
	}
	return front, list[0][0]
}

// A load of a file that was killed goes on behind what was acknowledged: no row is
// sent twice that was, rejects are in the file once, and the counts are those of
// the whole statement. Meanwhile the next statement on the table says so.
func TestE2EResumeOfALoad(t *testing.T) {
	t.Parallel()
	onClusters(t, func(t *testing.T, p *place) {
		_, insert := csvLoad(t, p)
		front, id := killedLoad(t, p, insert, 6)
		if e := p.at(front.url).run(t, "-e", "INSERT INTO t VALUES (-1, 'x')"); e.code != 0 || !strings.Contains(e.err, "NOTICE: job "+id+" on default.t, begun ") {
			t.Errorf("the next statement: %v", e)
		}
		bulks := 0
		front.set(func(r *http.Request) bool {
			if isBulk(r) {
				bulks++
			}
			return false
		})
		e := p.at(front.url).run(t, "jobs", "resume", id[:18])
		e.says(t, 5, regexp.QuoteMeta("INSERT 2,994 -> t (2,"), `6 of 3000 rows were rejected`, "6 rejected")
		if bulks > 8 {
			t.Errorf("%d bulk requests after 5 of 12 had been acknowledged", bulks)
		}
		if got := len(readRejects(t, filepath.Join(p.dir, "state", "eslake", "jobs", id, "rejects.ndjson"))); got != 6 {
			t.Errorf("%d rejects in the file", got)
		}
		if got := p.count(t, "t"); got != loadRows-6+1 {
			t.Errorf("%d rows", got)
		}
		p.run(t, "jobs", "resume", id).says(t, 1, `error\[E6004\]: resume job `+id+": it is done", "jobs show "+id)
		shown := p.at(front.url).run(t, "jobs", "show", id)
		for _, want := range []string{"statement  " + insert, "runs       2", "rows       3,000 settled, 2,994", "holds 2,995 documents", "rows.csv"} {
			if !strings.Contains(shown.out, want) {
				t.Errorf("%q is not shown:\n%v", want, shown)
			}
		}
	})
}

// A resume refuses when the file is another one, and goes on when it is back.
func TestE2EResumeOfAChangedFile(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "fake", esdstest.New(t, esdstest.Elasticsearch8).URL)
	file, insert := csvLoad(t, p)
	front, id := killedLoad(t, p, insert, 6)
	p = p.at(front.url)
	front.set(nil)
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	write := func(data string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(string(good) + "9999,more\n")
	p.run(t, "jobs", "resume", id).says(t, 1, `error\[E6004\]`, "rows.csv was changed: it has [0-9]+ bytes, it had [0-9]+")
	write(strings.Replace(string(good), "row 7\n", "row 8\n", 1))
	p.run(t, "jobs", "resume", id).says(t, 1, "rows.csv was changed: its content is not the same")
	write(string(good))
	p.run(t, "jobs", "resume", id).says(t, 5)
	if got := p.count(t, "t"); got != loadRows-6 {
		t.Errorf("%d rows", got)
	}
}

// Of two resumes at once one goes on, and the other is told.
func TestE2ETwoResumesAtOnce(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "fake", esdstest.New(t, esdstest.OpenSearch2).URL)
	_, insert := csvLoad(t, p)
	front, id := killedLoad(t, p, insert, 4)
	p = p.at(front.url)
	var second ended
	front.before(2, isBulk, func() bool {
		second = p.run(t, "jobs", "resume", id)
		return false
	})
	p.run(t, "jobs", "resume", id).says(t, 5)
	second.says(t, 1, `error\[E6004\]: open job `+id+": another process works on it")
	if got := p.count(t, "t"); got != loadRows-6 {
		t.Errorf("%d rows", got)
	}
}

// A script with --job-id that is run again leaves out what is done, goes on with
// what broke off, and refuses when it was changed.
func TestE2EJobID(t *testing.T) {
	t.Parallel()
	onClusters(t, func(t *testing.T, p *place) {
		insert := makeLoad(t, p, "")
		script := filepath.Join(p.dir, "load.sql")
		text := "INSERT INTO t VALUES (-1, 'first');\nSELECT 'read';\n" + insert + ";\nINSERT INTO t VALUES (-2, 'last');\n"
		if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		front := newTap(t, p.url)
		started := make(chan *running, 1)
		front.before(6, isBulk, func() bool {
			r := <-started
			_ = r.cmd.Process.Signal(syscall.SIGKILL)
			<-r.done
			return true
		})
		r := start(t, p.at(front.url).command("--job-id", "nightly", "-f", script))
		started <- r
		if e := r.wait(t); e.code != -1 {
			t.Fatal(e)
		}
		front.set(nil)
		q := p.at(front.url)
		e := q.run(t, "--job-id", "nightly", "-f", script)
		e.says(t, 0, "job nightly/1: left out, it was done", "job nightly/2 broke off and goes on behind row [0-9]", "INSERT 3,000 -> t .3,000 created", "INSERT 1 -> t")
		if got := p.count(t, "t"); got != loadRows+2 {
			t.Errorf("%d rows", got)
		}
		e = q.run(t, "--job-id", "nightly", "-f", script)
		e.says(t, 0, "job nightly/1: left out", "job nightly/2: left out", "job nightly/3: left out")
		if got := p.count(t, "t"); got != loadRows+2 || !strings.Contains(e.out, "read") {
			t.Errorf("%d rows; %v", got, e)
		}
		if err := os.WriteFile(script, []byte(strings.Replace(text, "'last'", "'other'", 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		q.run(t, "--job-id", "nightly", "-f", script).says(t, 1, `error\[E6004\]: repeat job nightly/3: the statement is another one than before`)
	})
}

// A statement whose journal cannot be written fails before it writes.
func TestE2ENoJournalNoWrite(t *testing.T) {
	t.Parallel()
	needShell(t)
	everywhere(t, func(t *testing.T, p *place) {
		p.must(t, fmt.Sprintf(`CREATE TABLE t (id BIGINT, s STRING) USING es OPTIONS (resource '%st'); INSERT INTO t VALUES (1, 'old');
			CREATE TABLE u (id BIGINT, s STRING) USING es OPTIONS (resource '%[1]su')`, p.prefix))
		blocked := p.command("-e", "INSERT INTO t VALUES (2, 'new')")
		state := filepath.Join(p.dir, "file")
		if err := os.WriteFile(state, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		blocked.Env = append(blocked.Env, "XDG_STATE_HOME="+state)
		runCommand(t, blocked).says(t, 1, `error\[E6004\]: begin job`, "not a directory")

		long := "INSERT INTO t VALUES (2, '" + strings.Repeat("x", 64<<10) + "')"
		runCommand(t, p.limitedFiles(32, "-e", long)).says(t, 1, `error\[`, "file too large|File too large")
		if p.url != "" { // rows in no order are kept first
			p.must(t, "INSERT INTO t SELECT id, md5(cast(id AS STRING)) FROM range(3000)")
			runCommand(t, p.limitedFiles(64, "-e", "INSERT INTO u SELECT * FROM t")).says(t, 1, `error\[E600[24]\]`, "kept rows .*spool: file too large")
			p.run(t, "-e", "SELECT * FROM u").says(t, 1, `error\[E4002\]`)
			p.refresh(t)
		}
		if got := p.value(t, "SELECT count(*) FROM t WHERE id = 2 AND s <> md5('2')"); got != "0" {
			t.Errorf("%s rows were written", got)
		}
	})
}

// Clean removes what is done, and a job that broke off when it is named.
func TestE2ECleanJobs(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "fake", esdstest.New(t, esdstest.Elasticsearch8).URL)
	temp := t.TempDir()
	left := filepath.Join(temp, "eslake-999999999-1")
	if err := os.Mkdir(left, 0o700); err != nil {
		t.Fatal(err)
	}
	clean := func(args ...string) ended {
		t.Helper()
		cmd := p.command(append([]string{"-q", "--no-header", "--format", "csv", "jobs", "clean"}, args...)...)
		cmd.Env = append(cmd.Env, "TMPDIR="+temp)
		return runCommand(t, cmd)
	}
	_, insert := csvLoad(t, p)
	_, id := killedLoad(t, p, insert, 4)
	p.must(t, "INSERT INTO t VALUES (-1, 'x')")
	clean("--dry-run").says(t, 0, "eslake-999999999-1,of a process that is gone,would be removed")
	if e := clean("--older", "0", "--dry-run"); strings.Count(e.out, "would be removed") != 2 || strings.Contains(e.out, id) {
		t.Errorf("to be removed: %v", e)
	}
	if e := clean("--older", "0"); strings.Count(e.out, "removed") != 2 {
		t.Errorf("removed: %v", e)
	}
	if _, err := os.Stat(left); !os.IsNotExist(err) || len(p.listJobs(t)) != 1 {
		t.Errorf("left: %v, %v", p.listJobs(t), err)
	}
	clean(id).says(t, 0, "job,"+id+",interrupted .*,removed")
	if list := p.listJobs(t); len(list) != 0 {
		t.Errorf("left: %v", list)
	}
}

// A job with a script is not resumed: that says how many rows are certain, and what
// to do.
func TestE2EScriptIsNotResumed(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "fake", esdstest.New(t, esdstest.Elasticsearch8).URL)
	p.must(t, `CREATE TABLE old (id BIGINT, n BIGINT) USING es OPTIONS (resource 't', es.mapping.id 'id'); INSERT INTO old SELECT id, 0 FROM range(1000);
		CREATE TABLE t (id BIGINT, n BIGINT) USING es OPTIONS (resource 't', es.mapping.id 'id', es.write.operation 'update', es.update.script.inline 'ctx._source.n += 1',
		es.batch.size.entries '250', eslake.write.connections '1', eslake.max.rejects '100%')`)
	front := newTap(t, p.url)
	killAtRequest(t, p.at(front.url), front, "INSERT INTO t SELECT id, 1 FROM range(1000)", 3, isBulk) // the fake has no scripts: it rejects them
	front.set(nil)
	q := p.at(front.url)
	list := p.listJobs(t)
	id := list[0][0]
	if list[0][4] != "interrupted" || list[0][8] != "eslake jobs show "+id {
		t.Errorf("listed as %v", list[0])
	}
	why := "is refused: the script may have been applied to rows whose answer was lost"
	what := "500 of its rows were taken for certain, 250 more may have been: look at their documents, write those that are left by a statement of their own, then eslake jobs clean " + id
	q.run(t, "jobs", "resume", id).says(t, 1, `error\[E6004\]: resume job `+id+": resuming it "+why, what)
	q.run(t, "jobs", "show", id).says(t, 0, "next       resuming it "+why, what)
	q.run(t, "jobs", "clean", id).says(t, 0, "removed")
}

// Nor is one whose rows were not kept.
func TestE2ERowsThatWereNotKept(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "fake", esdstest.New(t, esdstest.Elasticsearch8).URL)
	p.must(t, strings.ReplaceAll(`CREATE TABLE source (id BIGINT) USING es OPTIONS (resource '{}source', es.mapping.id 'id'); INSERT INTO source SELECT id FROM range(1000);
		CREATE TABLE t (id BIGINT) USING es OPTIONS (resource '{}t', es.batch.size.entries '250', eslake.write.connections '1', eslake.spool 'false')`, "{}", p.prefix))
	front := newTap(t, p.url)
	killAtRequest(t, p.at(front.url), front, "INSERT INTO t SELECT id FROM source", 3, isBulk)
	q := p.at(front.url)
	id := p.listJobs(t)[0][0]
	q.run(t, "jobs", "resume", id).says(t, 1, "the rows cannot be read again in the same order, and eslake.spool is false",
		"500 of its rows were taken for certain, 250 more may have been: DELETE those WHERE _id LIKE '"+id+"-%', and run the statement again")
	p.refresh(t)
	q.run(t, "-e", "DELETE FROM t WHERE _id LIKE '"+id+"-%'").says(t, 0, "DELETE 500 -> t")
}
