package bench

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// short is how many rounds a case gets that takes no time.
const short = 15

// reads is how many rounds a read of all documents gets. It takes less time than a
// load does, and its rounds differ as much.
func (s *Suite) reads() int { return 4*s.Rounds + 1 }

// Group is cases that need the same preparation.
type Group struct {
	Name    string
	Cluster bool // needs one
	cases   func(ctx context.Context) ([]Case, error)
}

// Groups returns everything that is measured, in order: later groups use what
// earlier ones loaded.
func (s *Suite) Groups() []Group {
	return []Group{
		{Name: "start", cases: s.start},
		{Name: "load", Cluster: true, cases: s.load},
		{Name: "copy", Cluster: true, cases: s.copies},
		{Name: "read", Cluster: true, cases: s.read},
		{Name: "ask", Cluster: true, cases: s.ask},
		{Name: "lake", cases: s.lake},
		{Name: "lake-read", cases: s.lakeRead},
		{Name: "lake-wide", cases: s.lakeWide},
		{Name: "sink", cases: s.sink},
		{Name: "journal", cases: s.journal},
		{Name: "endless", cases: s.endless},
	}
}

// Names returns the names of the groups.
func (s *Suite) Names() []string {
	var names []string
	for _, g := range s.Groups() {
		names = append(names, g.Name)
	}
	return names
}

// Run runs the cases of a group and tells each result. What keeps a group from
// being prepared is the result of its name.
func (g Group) Run(ctx context.Context, tell func(Result)) {
	cases, err := g.cases(ctx)
	if err != nil {
		tell(Result{Case: Case{Name: g.Name}, Err: err})
	}
	for _, c := range cases {
		tell(Run(ctx, c))
	}
}

func (s *Suite) start(context.Context) ([]Case, error) {
	version := Command{Args: []string{s.Eslake, "--version"}, Env: []string{"HOME=" + s.Dir}}
	return []Case{
		{Name: "`eslake --version`", Goal: Goal{Longest: 30 * time.Millisecond}, Rounds: short, Eslake: version},
		{Name: "`eslake -e 'SELECT 1'`", Goal: Goal{Longest: 150 * time.Millisecond}, Rounds: short, Eslake: s.query("", "csv", "SELECT 1")},
		{
			Name: "`eslake -e 'SELECT count(*) …'`, a query for DuckDB", Rounds: short,
			Eslake: s.query("", "csv", "SELECT count(*) FROM VALUES (1), (2) AS t(n)"),
		},
	}, nil
}

// load first runs eslake through the recorder, so that the limit sends the very
// same bodies. It also makes the mapping that both load into.
func (s *Suite) load(ctx context.Context) ([]Case, error) {
	insert := func(url string) Command { return s.eslake(url, "INSERT INTO "+table+" SELECT * FROM rows") }
	if err := s.cluster.remove(ctx, index); err != nil {
		return nil, err
	}
	s.Say("recording a load")
	r, err := s.record(ctx, insert)
	if err == nil {
		err = s.cluster.count(ctx, index, s.Rows)
	}
	if err == nil {
		s.mappings, err = s.cluster.mappings(ctx, index)
	}
	if err != nil {
		return nil, err
	}
	s.Say("%d bulk requests, %d at a time", r.Bulks, r.BulkLanes)
	return []Case{{
		Name: "load CSV, `INSERT INTO … SELECT *`", Goal: Goal{Ratio: 0.95, Extra: 5 * time.Second, Peak: 300_000_000}, Docs: s.Rows, Rounds: s.Rounds,
		Prepare: func(ctx context.Context) error { return s.cluster.recreate(ctx, index, s.mappings) },
		Check:   func(ctx context.Context) error { return s.cluster.count(ctx, index, s.Rows) },
		Eslake:  insert(s.URL),
		Limit:   s.limit("limit-bulk", s.URL, index, s.Dir),
	}}, nil
}

// read uses the documents of the last load.
func (s *Suite) read(ctx context.Context) ([]Case, error) {
	if err := s.settled(ctx); err != nil {
		return nil, err
	}
	s.Say("recording a read")
	all := "SELECT * FROM " + table
	r, err := s.record(ctx, func(url string) Command { return s.query(url, "ndjson", all) })
	if err != nil {
		return nil, err
	}
	whole, err := r.pages()
	if err != nil {
		return nil, err
	}
	s.Say("%d slices, %d at a time, %d documents a page", whole.Slices, whole.Lanes, whole.Size)
	few, two := whole.docValues("id", "price", "status"), whole.docValues("code", "quantity")
	if err := errors.Join(whole.Write(s.file("whole.json")), few.Write(s.file("few.json")), two.Write(s.file("two.json"))); err != nil {
		return nil, err
	}
	read := func(name string, goal float64, pages, format, sql string, verify func() error) Case {
		return Case{
			Name: name, Goal: Goal{Ratio: goal}, Docs: s.Rows, Rounds: s.reads(), Verify: verify, Away: true,
			Eslake: s.query(s.URL, format, sql), Limit: s.limit("limit-read", s.URL, s.file(pages)),
		}
	}
	file := func(c Case) Case {
		c.Name, c.Goal, c.Rounds, c.Away = c.Name+", into a file", Goal{}, s.Rounds, false
		return c
	}
	ndjson := read("`SELECT *` to NDJSON", 0.9, "whole.json", "ndjson", all, s.wantLines(s.Rows))
	csv := read("`SELECT *` to CSV", 0.75, "whole.json", "csv", all, s.wantRecords(s.Rows+1))
	// The mapping has the fields by their names, the documents as they were written.
	mapped := table + "_mapped"
	if _, err := s.eslake(s.URL, "CREATE TABLE IF NOT EXISTS "+mapped+" USING es OPTIONS (resource '"+index+"')").Measure(ctx); err != nil {
		return nil, err
	}
	return []Case{
		ndjson, csv,
		read("`SELECT *` to NDJSON, columns in the order of the mapping", 0, "whole.json", "ndjson", "SELECT * FROM "+mapped, s.wantLines(s.Rows)),
		read("3 of 30 columns to CSV", 0.85, "few.json", "csv", "SELECT id, price, status FROM "+table, s.wantRecords(s.Rows+1)),
		read("2 of 30 columns into DuckDB, `count(DISTINCT …)` without push-down", 0.7, "two.json", "csv",
			"SET eslake.pushdown = false; SELECT count(DISTINCT code), sum(quantity) FROM "+table, s.wantRecords(2)),
		file(ndjson), file(csv),
	}, nil
}

// settled waits until the index is all there and all merges have ended, those of other
// indices too.
func (s *Suite) settled(ctx context.Context) error {
	if err := s.cluster.count(ctx, index, s.Rows); err != nil {
		return err
	}
	for {
		var stats struct {
			All struct {
				Total struct {
					Merges struct {
						Current int `json:"current"`
					} `json:"merges"`
				} `json:"total"`
			} `json:"_all"`
		}
		err := s.cluster.do(ctx, http.MethodGet, "/_stats/merge", nil, &stats)
		if err != nil || stats.All.Total.Merges.Current == 0 {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// ask is queries with small answers.
func (s *Suite) ask(ctx context.Context) ([]Case, error) {
	// Many groupings in one process, so that its start does not count, each of other
	// documents, so that no cache of the cluster answers; what it has from the round
	// before is cleared.
	const groupings = 20
	var ask, unproved []string
	for rank := range groupings {
		ask = append(ask, fmt.Sprintf("SELECT year, count(*), sum(quantity) FROM %s WHERE rank > %d GROUP BY year", table, rank))
		unproved = append(unproved, fmt.Sprintf(`{"size":0,"query":{"range":{"rank":{"gt":%d}}},"aggs":{"k":{"terms":{"field":"year","size":100},"aggs":{"s":{"sum":{"field":"quantity"}}}},`+
			`"none":{"missing":{"field":"year"},"aggs":{"s":{"sum":{"field":"quantity"}}}}}}`, rank))
	}
	all := strings.Join(ask, ";")
	s.Say("recording %d groupings", groupings)
	r, err := s.record(ctx, func(url string) Command { return s.query(url, "csv", all) })
	if err == nil && len(r.Groupings) != groupings {
		err = fmt.Errorf("eslake asked for %d groupings, not for %d", len(r.Groupings), groupings)
	}
	if err != nil {
		return nil, err
	}
	grouping := func(name, query string, goal float64, bodies []string) Case {
		return Case{
			Name: name, Rounds: short, Goal: Goal{Ratio: goal}, Prepare: s.forget, Eslake: s.query(s.URL, "csv", all),
			Limit: s.limit(append([]string{"limit-request", s.URL, "/" + index + "/_search" + query}, bodies...)...),
		}
	}
	name := fmt.Sprintf("%d × `GROUP BY` 40 keys, `count` and `sum`, pushed", groupings)
	return []Case{
		{
			Name: "`SELECT count(*) … WHERE status = 'open'`", Rounds: short,
			Eslake: s.query(s.URL, "csv", "SELECT count(*) FROM "+table+" WHERE status = 'open'"),
			Limit:  s.limit("limit-request", s.URL, "/"+index+"/_count", `{"query":{"term":{"status":"open"}}}`),
		},
		grouping(name, "?"+r.GroupingQuery, 1/1.1, r.Groupings),
		grouping(name+", against requests that prove nothing", "", 0, unproved),
	}, nil
}

// forget clears what the cluster keeps of answers.
func (s *Suite) forget(ctx context.Context) error {
	return s.cluster.do(ctx, http.MethodPost, "/"+index+"/_cache/clear", nil, nil)
}

func (s *Suite) lakeLoad() (eslake, limit Command) {
	return s.eslake("", "INSERT INTO "+table+" SELECT * FROM rows"), s.limit("limit-lake-load", s.file("limit.lake"), s.file("rows.csv"))
}

func (s *Suite) lake(context.Context) ([]Case, error) {
	eslake, limit := s.lakeLoad()
	return []Case{{
		Name: "embedded lake: load CSV", Goal: Goal{Ratio: 0.5}, Docs: s.Rows, Rounds: s.Rounds, Prepare: s.removeLake, Eslake: eslake, Limit: limit,
	}}, nil
}

// lakeRead loads both files anew, since a load begins by removing one.
func (s *Suite) lakeRead(ctx context.Context) ([]Case, error) {
	s.Say("loading the embedded lake")
	if err := s.removeLake(ctx); err != nil {
		return nil, err
	}
	eslake, limit := s.lakeLoad()
	for _, c := range []Command{eslake, limit} {
		if _, err := c.Measure(ctx); err != nil {
			return nil, err
		}
	}
	read := func(name, format string, verify func() error) Case {
		return Case{
			Name: "embedded lake: `SELECT *` to " + name, Docs: s.Rows, Rounds: s.Rounds, Verify: verify,
			Eslake: s.query("", format, "SELECT * FROM "+table),
			Limit:  s.limit("limit-lake-read", s.file("limit.lake"), s.file("limit."+format)),
			Check:  func(context.Context) error { return os.RemoveAll(s.file("limit." + format)) },
		}
	}
	const groups = "SELECT year, country, count(*), count(DISTINCT name), sum(price), max(comment) FROM %s GROUP BY year, country ORDER BY year, country"
	return []Case{
		read("NDJSON", "ndjson", s.wantLines(s.Rows)),
		read("CSV", "csv", s.wantRecords(s.Rows+1)),
		{
			Name: "embedded lake: `GROUP BY` two columns", Docs: s.Rows, Rounds: s.Rounds, Goal: Goal{Ratio: 1 / 1.3},
			Eslake: s.query("", "csv", fmt.Sprintf(groups, table)),
			Limit:  s.limit("limit-lake-query", s.file("limit.lake"), fmt.Sprintf(groups, "limits.rows")),
		},
	}, nil
}

// EndlessEnv names a number of documents that the group endless reads besides
// its own million.
const EndlessEnv = "ESLAKE_BENCH_ENDLESS"

// endless reads generated answers: memory must not grow with their number, nor
// wait in it for a reader that is slow.
func (s *Suite) endless(ctx context.Context) ([]Case, error) {
	create := "CREATE TABLE IF NOT EXISTS " + EndlessIndex + " (" + EndlessDDL + ") USING es OPTIONS (resource '" + EndlessIndex + "')"
	if _, err := s.eslake("", create).Measure(ctx); err != nil {
		return nil, err
	}
	var cases []Case
	add := func(name string, docs int, slow bool) error {
		e, err := startEndless(ctx, s.Self, docs)
		if err != nil {
			return err
		}
		c := Case{Name: name, Goal: Goal{Peak: 300_000_000}, Docs: docs, Rounds: 1, Eslake: s.query(e.url, "ndjson", "SELECT * FROM "+EndlessIndex)}
		c.Eslake.Slow = slow
		c.Verify = func() error { return errors.Join(e.stop(), s.wantLines(docs)()) }
		cases = append(cases, c)
		return nil
	}
	err := errors.Join(
		add("1,000,000 generated documents to NDJSON", 1_000_000, false),
		add("100,000 generated documents to NDJSON, read slowly", 100_000, true),
	)
	if n, bad := strconv.Atoi(os.Getenv(EndlessEnv)); bad == nil {
		err = errors.Join(err, add(fmt.Sprintf("%d generated documents to NDJSON", n), n, false))
	}
	return cases, err
}
