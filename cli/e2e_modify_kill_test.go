//go:build unix

package cli_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

const (
	changedRows = 120    // documents of a table that is changed
	lakeRows    = 20_000 // the same in the lake, which needs more to take its time
	changedBulk = 20     // changes in a bulk request
)

// killedChange is a statement on table %[1]s, whose index is %[2]s%[1]s, and what is
// run before it. An undo of what was run before has no statement.
type killedChange struct {
	name, before, statement string

	anew bool // it makes the index anew, and changes no documents
}

var killedChanges = []killedChange{
	{name: "update", statement: "UPDATE %[1]s SET n = n + 1, s = concat(s, '!') WHERE id %% 7 <> 0"},
	{name: "delete", statement: "DELETE FROM %[1]s WHERE id %% 7 <> 0"},
	{name: "merge", statement: `MERGE INTO %[1]s t USING (SELECT id FROM range(60, 180)) s ON t.id = s.id WHEN MATCHED AND t.id %% 7 = 0 THEN DELETE
		WHEN MATCHED THEN UPDATE SET s = concat(t.s, s.id), n = t.n + 1 WHEN NOT MATCHED THEN INSERT (id, s) VALUES (s.id, 'new') WHEN NOT MATCHED BY SOURCE AND id %% 2 = 0 THEN DELETE`},
	{name: "undo", before: "UPDATE %[1]s SET n = n + 1, s = concat(s, '!') WHERE id %% 7 <> 0"},
	{name: "undo of an overwrite that changed the mapping", anew: true, before: `DROP TABLE %[1]s;
		CREATE TABLE %[1]s (id BIGINT, s STRING, n INT, more STRING) USING es OPTIONS (resource '%[2]s%[1]s', es.mapping.id 'id', es.batch.size.entries '20', eslake.write.connections '1', eslake.backup 'true');
		INSERT OVERWRITE %[1]s SELECT id, 'new', 2, 'more' FROM range(150)`},
}

// prepare makes a table for the statement, and returns the arguments that run it.
func (c killedChange) prepare(t *testing.T, p *place, table string, rows int) []string {
	t.Helper()
	p.must(t, fmt.Sprintf(`CREATE TABLE %[1]s (id BIGINT, s STRING, n INT) USING es OPTIONS (resource '%[2]s%[1]s', es.mapping.id 'id', es.batch.size.entries '%[3]d', eslake.write.connections '1');
		INSERT INTO %[1]s SELECT id, concat('row ', id), 1 FROM range(%[4]d)`, table, p.prefix, changedBulk, rows))
	if c.before == "" {
		return []string{"-e", fmt.Sprintf(c.statement, table)}
	}
	e := p.run(t, "-e", fmt.Sprintf(c.before, table, p.prefix))
	_, id, _ := strings.Cut(e.err, "UNDO JOB '")
	id, _, ok := strings.Cut(id, "'")
	if e.code != 0 || !ok {
		t.Fatal(e)
	}
	return []string{"jobs", "undo", id}
}

// rowsOf is all that a table holds.
func rowsOf(t *testing.T, p *place, table string) string {
	t.Helper()
	return p.value(t, "SELECT id, s, n FROM "+table+" ORDER BY id")
}

// jobs lists the jobs that broke off, one a line.
func (p *place) jobs(t *testing.T) string {
	t.Helper()
	e := p.run(t, "jobs", "list", "--no-header", "--format", "csv")
	if e.code != 0 {
		t.Fatal(e)
	}
	var ids []string
	for _, line := range strings.Split(e.out, "\n") {
		if strings.Contains(line, ",interrupted,") || strings.Contains(line, ",failed,") {
			id, _, _ := strings.Cut(line, ",")
			ids = append(ids, id)
		}
	}
	return strings.Join(ids, "\n")
}

// goOn brings what was killed to its end: by its job, or, when it had not begun
// one, by running it again.
func (p *place) goOn(t *testing.T, args []string) (resumed bool) {
	t.Helper()
	if id := p.jobs(t); id != "" {
		args, resumed = []string{"jobs", "resume", id}, true
	}
	if e := p.run(t, args...); e.code != 0 {
		t.Errorf("going on (%v): %v", args, e)
	}
	return resumed
}

// A change of documents is killed before each of its requests, and goes on. The
// documents are those of an undisturbed run.
func TestE2EChangesKilledAnywhere(t *testing.T) {
	t.Parallel()
	for _, c := range killedChanges {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			onClusters(t, func(t *testing.T, p *place) {
				front := newTap(t, p.url)
				q := p.at(front.url)
				args := c.prepare(t, q, "probe", changedRows)
				all := 0
				front.set(func(*http.Request) bool { all++; return false })
				if e := q.run(t, args...); e.code != 0 {
					t.Fatal(e)
				}
				front.set(nil)
				want := rowsOf(t, q, "probe")
				step, resumed := 2, 0
				if p.name != "fake" {
					step = 4
				}
				for n := 2; n <= all; n += step {
					table := fmt.Sprintf("t%d", n)
					args := c.prepare(t, q, table, changedRows)
					killRun(t, q, front, args, n)
					if q.goOn(t, args) {
						resumed++
					}
					if got := rowsOf(t, q, table); got != want {
						t.Errorf("killed before request %d of %d: the documents are\n%s\nwant\n%s", n, all, got, want)
					}
				}
				if resumed < 2 {
					t.Errorf("%d jobs were resumed, want more", resumed)
				}
				t.Logf("%d requests, %d jobs resumed", all, resumed)
			})
		})
	}
}

// killRun runs the program and kills it before the nth request is passed on.
func killRun(t *testing.T, p *place, front *tap, args []string, n int) {
	t.Helper()
	started := make(chan *running, 1)
	front.before(n, anyRequest, func() bool {
		r := <-started
		_ = r.cmd.Process.Signal(syscall.SIGKILL)
		<-r.done
		return true
	})
	defer front.set(nil)
	r := start(t, p.command(args...))
	started <- r
	if e := r.wait(t); e.code != -1 {
		t.Fatalf("it ended before it was killed: %v", e)
	}
}

// In the embedded lake a change is killed once its changes are read, while it
// writes them.
func TestE2EChangesOfTheLakeKilled(t *testing.T) {
	t.Parallel()
	rounds := rounds(t)
	for _, c := range killedChanges {
		if c.anew {
			continue // TestOverwriteWalk and TestE2EChaos stop these in the lake
		}
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t, "lake", "")
			args := c.prepare(t, p, "probe", lakeRows)
			if e := p.run(t, args...); e.code != 0 {
				t.Fatal(e)
			}
			want := rowsOf(t, p, "probe")
			resumed := 0
			for n := range rounds {
				table := fmt.Sprintf("t%d", n)
				args := c.prepare(t, p, table, lakeRows)
				before := journalsWithChanges(t, p)
				r := start(t, p.command(args...))
				for journalsWithChanges(t, p) == before {
					select {
					case <-r.done:
						t.Fatalf("it ended before its changes were read: %v", r.wait(t))
					default:
					}
				}
				_ = r.cmd.Process.Signal(syscall.SIGKILL)
				<-r.done
				if id := p.jobs(t); id != "" { // else it was done when the signal came
					p.goOn(t, args)
					resumed++
				}
				if rowsOf(t, p, table) != want {
					t.Errorf("killed, and resumed %d times: the documents are not those of an undisturbed run", resumed)
				}
			}
			t.Logf("%d jobs resumed of %d", resumed, rounds)
		})
	}
}

// journalsWithChanges counts the jobs whose changes are read.
func journalsWithChanges(t *testing.T, p *place) int {
	t.Helper()
	journals, err := filepath.Glob(filepath.Join(p.dir, "state", "eslake", "jobs", "*", "journal.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, path := range journals {
		data, _ := os.ReadFile(path) // a job that changed nothing may be gone
		if bytes.Contains(data, []byte(`"step":"changes"`)) {
			n++
		}
	}
	return n
}
