//go:build unix

package cli_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/eslake/eslake/esds/esdstest"
)

const loadRows = 3000

// makeLoad gives a table on p, and a statement that fills it with loadRows rows
// in several bulk requests.
func makeLoad(t *testing.T, p *place, options string) (insert string) {
	t.Helper()
	p.must(t, fmt.Sprintf("CREATE TABLE t (id BIGINT, s STRING) USING es OPTIONS (resource '%st', es.batch.size.entries '250'%s)", p.prefix, options))
	return fmt.Sprintf("INSERT INTO t SELECT id, concat('row ', id) FROM range(%d)", loadRows)
}

// A load that is killed half way and run again gives each row once when rows
// have ids. Without, the second run adds its rows to what the first one left.
func TestE2EKilledLoadRunAgain(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, options string
		want          func(left int) int
	}{
		{"ids of a column", ", es.mapping.id 'id'", func(int) int { return loadRows }},
		{"ids of eslake", "", func(left int) int { return left + loadRows }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			onClusters(t, func(t *testing.T, p *place) {
				insert := makeLoad(t, p, tt.options)
				front := newTap(t, p.url)
				killAtRequest(t, p.at(front.url), front, insert, 5, isBulk)
				p.refresh(t)
				left := p.count(t, "t")
				if left == 0 || left >= loadRows {
					t.Fatalf("%d rows were there when the load was killed, want some of %d", left, loadRows)
				}
				again := p.run(t, "-e", insert)
				if notice := strings.Contains(again.err, "running this statement again adds the rows again"); again.code != 0 || notice != (tt.options == "") {
					t.Errorf("the second run: %v", again)
				}
				if got := p.count(t, "t"); got != tt.want(left) {
					t.Errorf("%d rows after the second run, want %d (%d were left by the first)", got, tt.want(left), left)
				}
			})
		})
	}
}

// The embedded lake takes all rows of a statement or none. The rows come from
// an index of the fake, so that there is a half way that can be seen.
func TestE2EKilledLoadIntoTheLake(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, options string
	}{
		{"ids of a column", ", es.mapping.id 'id'"},
		{"ids of eslake", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlace(t, "lake", "")
			front := sourceOnFake(t, p)
			makeLoad(t, p, tt.options)
			p.must(t, "INSERT INTO t VALUES (-1, 'an old row')")
			const insert = "INSERT INTO t SELECT id, s FROM source"
			killAtRequest(t, p, front, insert, 6, isPage)
			if got := p.count(t, "t"); got != 1 {
				t.Errorf("%d rows after a load that was killed, want the 1 from before", got)
			}
			p.must(t, insert)
			if got := p.count(t, "t"); got != loadRows+1 {
				t.Errorf("%d rows after the second run, want %d", got, loadRows+1)
			}
		})
	}
}

// sourceOnFake makes a table source of loadRows rows on a fake, which is read
// in pages of 250 through the tap that is returned.
func sourceOnFake(t *testing.T, p *place) *tap {
	t.Helper()
	front := newTap(t, esdstest.New(t, esdstest.Elasticsearch8).URL)
	p.must(t, fmt.Sprintf(`CREATE TABLE source (id BIGINT, s STRING) USING es OPTIONS (resource 'source', es.nodes '%s', es.mapping.id 'id', es.scroll.size '250', eslake.read.slices '1');
		INSERT INTO source SELECT id, concat('row ', id) FROM range(%d)`, front.url, loadRows))
	return front
}

// killAtRequest runs a statement and kills the program before the nth request
// that matches is passed on.
func killAtRequest(t *testing.T, p *place, front *tap, sql string, n int, match func(*http.Request) bool) {
	t.Helper()
	if e := signalAtRequest(t, p, front, sql, n, match, syscall.SIGKILL); e.code != -1 {
		t.Fatalf("it ended before it was killed: %v", e)
	}
}

// signalAtRequest runs a statement and sends a signal before the nth request
// that matches is passed on. After SIGKILL nothing is passed on, and it waits until what
// was is done.
func signalAtRequest(t *testing.T, p *place, front *tap, sql string, n int, match func(*http.Request) bool, s syscall.Signal) ended {
	t.Helper()
	started := make(chan *running, 1)
	front.before(n, match, func() bool {
		r := <-started
		_ = r.cmd.Process.Signal(s) // it waits for the answer to this request, so it is there
		if s == syscall.SIGKILL {
			<-r.done
		}
		return s == syscall.SIGKILL
	})
	defer front.set(nil)
	r := start(t, p.command("-e", sql))
	started <- r
	e := r.wait(t)
	if s == syscall.SIGKILL {
		front.passed.Wait()
	}
	return e
}

func (p *place) count(t *testing.T, table string) int {
	t.Helper()
	n, err := strconv.Atoi(p.value(t, "SELECT count(*) FROM "+table))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

const newRows = 600

// makeOld makes tables of three old rows each.
func makeOld(t *testing.T, p *place, tables ...string) {
	t.Helper()
	var script strings.Builder
	for _, table := range tables {
		fmt.Fprintf(&script, `CREATE TABLE %s (id BIGINT, s STRING) USING es OPTIONS (resource '%s%[1]s', es.mapping.id 'id', es.batch.size.entries '200');
			INSERT INTO %[1]s VALUES (1, 'old'), (2, 'old'), (3, 'old');`, table, p.prefix)
	}
	p.must(t, script.String())
}

func overwriteOf(table string) string {
	return fmt.Sprintf("INSERT OVERWRITE %s SELECT id, 'new' FROM range(%d)", table, newRows)
}

// state names what a table holds, after statements that are run first.
func (p *place) state(t *testing.T, first, table string) string {
	t.Helper()
	e := p.run(t, "-q", "--no-header", "-e", fmt.Sprintf("%s; SELECT count(*) FROM %s; SELECT s FROM %[2]s LIMIT 1", first, table))
	switch got := strings.Fields(e.out); {
	case e.code == 0 && slices.Equal(got, []string{"3", "old"}):
		return "old"
	case e.code == 0 && slices.Equal(got, []string{fmt.Sprint(newRows), "new"}):
		return "new"
	case e.code == 1 && strings.HasPrefix(e.err, "error[E4002]"):
		return "absent"
	default:
		return e.String()
	}
}

// staged lists the staging indices of a table.
func (p *place) staged(t *testing.T, table string) []string {
	t.Helper()
	return slices.DeleteFunc(p.indices(t), func(name string) bool { return !strings.HasPrefix(name, p.prefix+table+"-eslake-") })
}

// requestsOf counts the requests of an overwrite: all, and those up to the one
// that makes the staging index.
func requestsOf(t *testing.T, p *place, front *tap, sql string) (all, first int) {
	t.Helper()
	front.set(func(r *http.Request) bool {
		all++
		if first == 0 && strings.Contains(r.URL.Path, "-eslake-") {
			first = all
		}
		return false
	})
	defer front.set(nil)
	p.must(t, sql)
	return all, first
}

// eachRequest calls f for each request of an overwrite but the first, which asks
// who the server is, with a table of its own. It needs to meet both the old rows
// and the new ones.
func eachRequest(t *testing.T, p *place, f func(front *tap, table string, n, staging int) (state string)) {
	t.Helper()
	front := newTap(t, p.url)
	makeOld(t, p, "probe")
	last, staging := requestsOf(t, p.at(front.url), front, overwriteOf("probe"))
	step := 1
	if p.name != "fake" {
		step = 3 // real servers take their time to make an index
	}
	var tables []string
	for n := 2; n <= last; n += step {
		tables = append(tables, fmt.Sprintf("t%d", n))
	}
	makeOld(t, p, tables...)
	seen := map[string]int{}
	for i, table := range tables {
		seen[f(front, table, 2+i*step, staging)]++
	}
	if seen["old"] == 0 || seen["new"] == 0 {
		t.Errorf("states seen: %v, want old ones and new ones", seen)
	}
	t.Logf("%d requests, states %v", last, seen)
}

// An overwrite is killed before each of its requests. The table has its old
// rows, or the new ones, or for a moment none, and then the staging index is
// complete. The next run puts the new rows in place.
func TestE2EOverwriteKilledAnywhere(t *testing.T) {
	t.Parallel()
	onClusters(t, func(t *testing.T, p *place) {
		asked := false // for a table that is gone: a reader waits 10 s for it
		eachRequest(t, p, func(front *tap, table string, n, _ int) string {
			killed := signalAtRequest(t, p.at(front.url), front, overwriteOf(table), n, anyRequest, syscall.SIGKILL)
			state := "absent"
			if !asked || slices.Contains(p.indices(t), p.prefix+table) {
				state = p.state(t, "", table)
				asked = asked || state == "absent"
			}
			switch staged := p.staged(t, table); {
			case state == "absent" && len(staged) == 1:
				if status, body := p.request(t, http.MethodPost, "/"+staged[0]+"/_count", ""); !strings.Contains(body, fmt.Sprintf(`"count":%d`, newRows)) {
					t.Errorf("killed before request %d: the table is gone and the staging index is not complete: %d %s", n, status, body)
				}
			case killed.code != -1 && state != "new", state != "old" && state != "new":
				t.Errorf("killed before request %d: %s, staged %v\n%v", n, state, staged, killed)
			}
			if after := p.state(t, overwriteOf(table), table); after != "new" {
				t.Errorf("killed before request %d, run again: %s", n, after)
			}
			return state
		})
	})
}

// An overwrite is interrupted at each of its requests. It says what it did,
// leaves no staging index, and no other statement follows.
func TestE2EOverwriteInterruptedAnywhere(t *testing.T) {
	t.Parallel()
	onClusters(t, func(t *testing.T, p *place) {
		eachRequest(t, p, func(front *tap, table string, n, staging int) string {
			e := signalAtRequest(t, p.at(front.url), front, overwriteOf(table)+"; SELECT 'next'", n, anyRequest, syscall.SIGINT)
			state := p.state(t, "", table)
			said := map[string]string{"old": "keeps its old rows", "new": "INSERT OVERWRITE 600 -> " + table}[state]
			if n < staging && state == "old" { // nothing had been done
				said = "error[E4302]: interrupted"
			}
			if e.code == 0 && state == "new" && e.out != "" {
				state = "finished" // all was done when the signal arrived
			} else if said == "" || !strings.Contains(e.err, said) || e.code != 130 || e.out != "" {
				t.Errorf("interrupted at request %d: the table is %s, and it said: %v", n, state, e)
			}
			if staged := p.staged(t, table); len(staged) > 0 {
				t.Errorf("interrupted at request %d, the table is %s: left %v", n, state, staged)
			}
			return state
		})
	})
}

// In the embedded lake an overwrite that is killed or interrupted leaves the
// old rows.
func TestE2EOverwriteOfTheLakeStopped(t *testing.T) {
	t.Parallel()
	for _, s := range []syscall.Signal{syscall.SIGKILL, syscall.SIGINT} {
		t.Run(s.String(), func(t *testing.T) {
			p := newPlace(t, "lake", "")
			front := sourceOnFake(t, p)
			makeOld(t, p, "t")
			overwrite := fmt.Sprintf("INSERT OVERWRITE t SELECT id, 'new' FROM source WHERE id < %d", newRows)
			for n := 1; n <= 3; n++ {
				e := signalAtRequest(t, p, front, overwrite, n, isPage, s)
				if state := p.state(t, "", "t"); state != "old" {
					t.Fatalf("stopped at page %d: %s\n%v", n, state, e)
				}
				if s == syscall.SIGINT && (e.code != 130 || !strings.Contains(e.err, "keeps its old rows")) {
					t.Errorf("stopped at page %d: %v", n, e)
				}
			}
			p.must(t, overwrite)
			if state := p.state(t, "", "t"); state != "new" {
				t.Errorf("run again: %s", state)
			}
		})
	}
}
