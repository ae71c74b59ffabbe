//go:build unix

package cli_test

import (
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// chaosCase is a statement that is killed at a random moment, and then resumed, or
// run again when its job had not begun. To test one more statement, add a row.
type chaosCase struct {
	name   string
	make   string // SQL that makes the tables; {prefix} begins the names of indices
	insert string // the statement; with undo it runs undisturbed, and what is killed is its undo
	undo   bool
	want   string // query that gives the rows of check after an undisturbed run
	check  string // query of what was written

	old      string // of an overwrite: query that gives the rows before; a kill leaves these or those of want
	gone     bool   // a kill may also leave no index for a moment, with a complete staging index
	stays    int    // indices of staging names that are behind an alias in the end
	clusters bool   // the lake does not have it
}

// chaosTable is the target, with more options before the ).
func chaosTable(options string) string {
	return "CREATE TABLE t (id BIGINT, s STRING) USING es OPTIONS (resource '{prefix}t', es.batch.size.entries '100'" + options + ");"
}

const (
	chaosSource = `CREATE TABLE source (id BIGINT, s STRING) USING es OPTIONS (resource '{prefix}source', es.mapping.id 'id');
		INSERT INTO source SELECT id, concat('row ', id) FROM range(3000);`
	chaosRange = "SELECT id, concat('row ', id) AS s FROM range(3000)"
	chaosOld   = "SELECT id, 'old' AS s FROM range(1500)"
	chaosCheck = "SELECT id, s FROM t ORDER BY id"
	chaosID    = ", es.mapping.id 'id'"
	chaosSaved = ", es.mapping.id 'id', eslake.backup 'true'"
)

var chaosCases = []chaosCase{
	{name: "rows in order, ids of eslake", make: chaosTable(""), insert: "INSERT INTO t " + chaosRange, want: chaosRange + " ORDER BY id", check: chaosCheck},
	{name: "rows in order, ids of a column", make: chaosTable(chaosID), insert: "INSERT INTO t " + chaosRange, want: chaosRange + " ORDER BY id", check: chaosCheck},
	{name: "rows in no order, ids of eslake", make: chaosTable("") + chaosSource, insert: "INSERT INTO t SELECT id, s FROM source", want: chaosRange + " ORDER BY id", check: chaosCheck},
	{name: "rows in no order, ids of a column", make: chaosTable(chaosID) + chaosSource, insert: "INSERT INTO t SELECT id, s FROM source", want: chaosRange + " ORDER BY id", check: chaosCheck},
	{
		name: "update", make: chaosTable(chaosID) + "INSERT INTO t " + chaosRange + ";",
		insert: "UPDATE t SET s = concat(s, '!') WHERE id % 3 < 2", want: "SELECT id, concat('row ', id, if(id % 3 < 2, '!', '')) FROM range(3000) ORDER BY id", check: chaosCheck,
	},
	{
		name: "delete", make: chaosTable(chaosID) + "INSERT INTO t " + chaosRange + ";",
		insert: "DELETE FROM t WHERE id % 3 = 0", want: chaosRange + " WHERE id % 3 > 0 ORDER BY id", check: chaosCheck,
	},
	{
		name: "merge", make: chaosTable(chaosID) + "INSERT INTO t SELECT id, 'old' FROM range(1500);" + chaosSource,
		insert: "MERGE INTO t USING source r ON t.id = r.id WHEN MATCHED THEN UPDATE SET s = r.s WHEN NOT MATCHED THEN INSERT *", want: chaosRange + " ORDER BY id", check: chaosCheck,
	},
	{
		name: "rows of the table itself", make: chaosTable(chaosID) + "INSERT INTO t SELECT id, 'old' FROM range(1500);",
		insert: "INSERT INTO t SELECT id + 1500, 'new' FROM t", want: "SELECT id, if(id < 1500, 'old', 'new') AS s FROM range(3000) ORDER BY id", check: chaosCheck,
	},
	{
		name: "overwrite", make: chaosTable(chaosID) + "INSERT INTO t " + chaosOld + ";", gone: true,
		insert: "INSERT OVERWRITE t " + chaosRange, want: chaosRange + " ORDER BY id", check: chaosCheck, old: chaosOld + " ORDER BY id",
	},
	{
		name: "overwrite through an alias", make: chaosTable(chaosID+", eslake.overwrite.mode 'swap'") + "INSERT OVERWRITE t " + chaosOld + ";", stays: 1,
		insert: "INSERT OVERWRITE t " + chaosRange, want: chaosRange + " ORDER BY id", check: chaosCheck, old: chaosOld + " ORDER BY id",
	},
	{
		name: "overwrite that saves", make: chaosTable(chaosSaved) + "INSERT INTO t " + chaosOld + ";", gone: true,
		insert: "INSERT OVERWRITE t " + chaosRange, want: chaosRange + " ORDER BY id", check: chaosCheck, old: chaosOld + " ORDER BY id",
	},
	{
		name: "overwrite that saves and deletes", make: chaosTable(chaosSaved+", eslake.overwrite.mode 'truncate'") + "INSERT INTO t " + chaosOld + ";",
		insert: "INSERT OVERWRITE t " + chaosRange, want: chaosRange + " ORDER BY id", check: chaosCheck,
	},
	{
		name: "undo of an update", make: chaosTable(chaosID) + "INSERT INTO t " + chaosRange + ";", undo: true,
		insert: "UPDATE t SET s = concat(s, '!') WHERE id % 3 < 2", want: chaosRange + " ORDER BY id", check: chaosCheck,
	},
	{
		name: "undo of a merge", make: chaosTable(chaosID) + "INSERT INTO t " + chaosOld + ";" + chaosSource, undo: true,
		insert: "MERGE INTO t USING source r ON t.id = r.id WHEN MATCHED AND t.id % 5 = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET s = r.s WHEN NOT MATCHED THEN INSERT *",
		want:   chaosOld + " ORDER BY id", check: chaosCheck,
	},
	{
		name: "undo of an overwrite", make: chaosTable(chaosSaved) + "INSERT INTO t " + chaosOld + ";", undo: true,
		insert: "INSERT OVERWRITE t " + chaosRange, want: chaosOld + " ORDER BY id", check: chaosCheck,
	},
	{
		name: "undo of an overwrite that changed the mapping", undo: true, gone: true,
		make: chaosTable(chaosID) + "INSERT INTO t " + chaosOld + "; DROP TABLE t;" +
			"CREATE TABLE t (id BIGINT, s STRING, more STRING) USING es OPTIONS (resource '{prefix}t', es.batch.size.entries '100'" + chaosSaved + ");",
		insert: "INSERT OVERWRITE t SELECT id, concat('row ', id), 'more' FROM range(3000)", want: chaosOld + " ORDER BY id", check: chaosCheck, old: chaosRange + " ORDER BY id",
	},
	{
		name: "overwrite of the indices that rows name", clusters: true,
		make: "CREATE TABLE t (id BIGINT, s STRING) USING es OPTIONS (resource.read '{prefix}t-*', resource.write '{prefix}t-{s}', es.batch.size.entries '100', es.mapping.id 'id');" +
			"INSERT INTO t SELECT id, 'g0' FROM range(500);",
		insert: "INSERT OVERWRITE t SELECT id, concat('g', id % 3) AS s FROM range(3000)", want: "SELECT id, concat('g', id % 3) AS s FROM range(3000) ORDER BY id", check: chaosCheck,
	},
}

// TestE2EChaos kills every statement of the table at random moments. ROUNDS says
// how often each on each place; make chaos sets it.
func TestE2EChaos(t *testing.T) {
	t.Parallel()
	rounds := rounds(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	for i, c := range chaosCases {
		t.Run(c.name, func(t *testing.T) {
			places := everywhere
			if c.clusters {
				places = onClusters
			}
			places(t, func(t *testing.T, p *place) {
				random := rand.New(rand.NewPCG(seed, uint64(i)))
				d := newChaos(t, p, c, random)
				for round := range rounds {
					d.round(t, round)
				}
				t.Logf("%s, %s: %d kills, %d resumed, %d run again", c.name, p.name, d.kills, d.resumed, d.again)
			})
		})
	}
}

// rounds is how often something is left to chance: ESLAKE_TEST_ROUNDS, or once.
func rounds(t *testing.T) int {
	t.Helper()
	text := os.Getenv("ESLAKE_TEST_ROUNDS")
	if text == "" {
		return 1
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// chaos kills one statement in one place.
type chaos struct {
	chaosCase
	place  *place
	random *rand.Rand
	took   time.Duration // an undisturbed run
	args   []string      // of the program, for the next round

	before                int // jobs before the statement
	kills, resumed, again int
}

func newChaos(t *testing.T, p *place, c chaosCase, random *rand.Rand) *chaos {
	t.Helper()
	d := &chaos{chaosCase: c, place: p, random: random}
	fresh := d.fresh(t, -1)
	begun := time.Now()
	if e := fresh.run(t, d.args...); e.code != 0 {
		t.Fatal(e)
	}
	d.took = time.Since(begun)
	d.compare(t, fresh, "undisturbed")
	return d
}

// fresh is the place with tables, folders and a prefix of their own.
func (d *chaos) fresh(t *testing.T, round int) *place {
	t.Helper()
	p := *d.place
	p.dir = t.TempDir()
	p.prefix = fmt.Sprintf("%sr%d-", d.place.prefix, round+1)
	p.must(t, strings.ReplaceAll(d.make, "{prefix}", p.prefix))
	d.args = []string{"-e", d.insert}
	if d.undo {
		p.must(t, d.insert)
		d.args = []string{"jobs", "undo", p.listJobs(t)[0][0]}
	}
	d.before = len(p.listJobs(t))
	return &p
}

// round kills the statement, and each resume with an even chance, until it comes
// to its end.
func (d *chaos) round(t *testing.T, round int) {
	t.Helper()
	p := d.fresh(t, round)
	args := d.args
	var story []string
	for try := 0; ; try++ {
		e := d.run(t, p, args, try < 3 && (try == 0 || d.random.IntN(2) == 0))
		story = append(story, fmt.Sprintf("%v: %v", args, e))
		if e.code == 0 {
			break
		}
		if e.code != -1 {
			t.Fatalf("round %d ended otherwise than killed:\n%s", round, strings.Join(story, "\n"))
		}
		d.kills++
		d.between(t, p, strings.Join(story, "\n"))
		if list := p.listJobs(t); len(list) == d.before {
			d.again++
		} else if id, state := list[0][0], list[0][4]; state == "interrupted" {
			d.resumed++
			args = []string{"jobs", "resume", id}
		} else if state == "done" {
			break
		} else {
			t.Fatalf("round %d: the job of a killed process is %s", round, state)
		}
	}
	d.compare(t, p, strings.Join(story, "\n"))
	if list := p.listJobs(t); len(list) != d.before+1 || list[0][4] != "done" {
		t.Errorf("round %d: jobs in the end: %v\n%s", round, list, strings.Join(story, "\n"))
	}
	if p.url != "" {
		left := slices.DeleteFunc(p.indices(t), func(name string) bool { return !strings.Contains(name, "-eslake-") })
		if len(left) != d.stays {
			t.Errorf("round %d: indices left: %v", round, left)
		}
		if !d.clusters { // nothing forbids to write any more
			p.must(t, "INSERT INTO t (id, s) VALUES (-1, 'one more')")
		}
		p.removeIndices(t)
	}
}

// run runs the program, and kills it at some moment when asked to.
func (d *chaos) run(t *testing.T, p *place, args []string, kill bool) ended {
	t.Helper()
	r := start(t, p.command(args...))
	if kill {
		timer := time.AfterFunc(time.Duration(d.random.Int64N(int64(d.took))), func() { _ = r.cmd.Process.Kill() })
		defer timer.Stop()
	}
	return r.wait(t)
}

// listJobs lists the jobs, the newest first.
func (p *place) listJobs(t *testing.T) [][]string {
	t.Helper()
	e := p.run(t, "-q", "--no-header", "--format", "csv", "jobs", "list")
	if e.code != 0 {
		t.Fatal(e)
	}
	records, err := csv.NewReader(strings.NewReader(e.out)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return records
}

// compare holds what was written against an undisturbed run.
func (d *chaos) compare(t *testing.T, p *place, story string) {
	t.Helper()
	want, got, ok, e := d.read(t, p, d.want)
	if e.code != 0 || !ok || strings.TrimSpace(want) != strings.TrimSpace(got) {
		t.Errorf("%d rows are there, want %d\n%s\n%s", strings.Count(got, "\n"), strings.Count(want, "\n"), e.err, story)
	}
}

// read gives the rows of a query and those that were written.
func (d *chaos) read(t *testing.T, p *place, query string) (want, got string, ok bool, e ended) {
	t.Helper()
	if p.url != "" {
		p.refresh(t)
	}
	e = p.run(t, "-q", "--no-header", "--format", "csv", "-e", query+"; SELECT '--'; "+d.check)
	want, got, ok = strings.Cut(e.out, "--\n")
	return want, got, ok, e
}

// between wants the old rows of a killed overwrite, or the new ones.
func (d *chaos) between(t *testing.T, p *place, story string) {
	t.Helper()
	if d.old == "" {
		return
	}
	old, got, ok, e := d.read(t, p, d.old)
	if d.gone && e.code != 0 && strings.Contains(e.err, "-eslake-") {
		return
	}
	if e.code == 0 && ok && strings.TrimSpace(got) != strings.TrimSpace(old) {
		d.compare(t, p, "between\n"+story)
	} else if e.code != 0 {
		t.Errorf("between: %v\n%s", e, story)
	}
}
