package esdstest_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/esds/elastic"
	"github.com/eslake/eslake/esds/esdstest"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

const bugEnv = "ESDSTEST_BUG"

// TestSuiteFinds runs the suite on sources that each break one promise, in
// processes of their own, and wants the test for that promise to fail.
func TestSuiteFinds(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, bug := range bugs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), self, "-test.run", "^TestBroken$/^"+strings.ReplaceAll(bug.fails, " ", "_")+"$")
			cmd.Env = append(os.Environ(), bugEnv+"="+name)
			out, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(out), "--- FAIL: TestBroken/"+strings.ReplaceAll(bug.fails, " ", "_")) {
				t.Errorf("%s did not fail: %v\n%s", bug.fails, err, out)
			}
		})
	}
}

// TestBroken is what TestSuiteFinds runs.
func TestBroken(t *testing.T) {
	bug, ok := bugs[os.Getenv(bugEnv)]
	if !ok {
		t.Skip("runs below TestSuiteFinds")
	}
	fake := esdstest.New(t, esdstest.Elasticsearch8)
	esdstest.Suite{Name: "broken", OpenContexts: fake.OpenContexts, Open: func(t *testing.T) esds.Source {
		source, err := elastic.Open(t.Context(), elastic.Config{Addresses: []string{fake.URL}})
		if err != nil {
			t.Fatal(err)
		}
		return &brokenSource{Source: source, bug: bug}
	}}.Run(t)
}

// bug changes what a good source does. Nil leaves a part as it is.
type bug struct {
	fails    string // the test that must fail
	scan     func(esds.Scan) esds.Scan
	reader   func(row.Reader) row.Reader
	pushdown func(esds.Pushdown) esds.Pushdown
	report   func(esds.Report) esds.Report
	write    func(esds.Write) esds.Write
	rows     func(row.Reader) row.Reader
	mode     func(esds.ReplaceMode) esds.ReplaceMode
}

var bugs = map[string]bug{
	"loses a row": {fails: "scan/many", reader: func(r row.Reader) row.Reader {
		return &nextReader{Reader: r, change: func(b *row.Batch) *row.Batch {
			b.Truncate(max(1, b.Len-1))
			return b
		}}
	}},
	"ignores the limit": {fails: "scan/limit", scan: func(s esds.Scan) esds.Scan {
		s.Limit = 0
		return s
	}},
	"ignores the filter": {fails: "filter/predicates", scan: func(s esds.Scan) esds.Scan {
		s.Filter = nil
		return s
	}},
	"calls a superset exact": {fails: "filter/predicates", pushdown: func(p esds.Pushdown) esds.Pushdown {
		if p == esds.Superset {
			return esds.Exact
		}
		return p
	}},
	"never closes": {fails: "scan/close early", reader: func(r row.Reader) row.Reader { return unclosed{r} }},
	"hands out one batch twice": {fails: "scan/pages", reader: func(r row.Reader) row.Reader {
		var kept *row.Batch
		return &nextReader{Reader: r, change: func(b *row.Batch) *row.Batch {
			if kept == nil {
				kept = b
			}
			return kept
		}}
	}},
	"miscounts": {fails: "write/again", report: func(r esds.Report) esds.Report {
		r.Created++
		return r
	}},
	"swallows rejects": {fails: "write/bad values", write: func(w esds.Write) esds.Write {
		w.Reject = nil
		return w
	}},
	"keeps the reader open":  {fails: "write/again", rows: func(r row.Reader) row.Reader { return unclosed{r} }},
	"recreates for a swap":   {fails: "replace/swap concrete", mode: func(esds.ReplaceMode) esds.ReplaceMode { return esds.Recreate }},
	"makes new ids":          {fails: "write/client ids", write: func(w esds.Write) esds.Write { w.IDPrefix += "x"; return w }},
	"takes id from nowhere":  {fails: "write/last wins", write: func(w esds.Write) esds.Write { w.ID, w.IDPrefix = "", "p"; return w }},
	"overwrites for create":  {fails: "write/create", write: func(w esds.Write) esds.Write { w.Action = esds.IndexDoc; return w }},
	"drops the last columns": {fails: "scan/columns", scan: func(s esds.Scan) esds.Scan { s.Columns = s.Columns[:min(1, len(s.Columns))]; return s }},
}

type brokenSource struct {
	esds.Source
	bug bug
}

func (s *brokenSource) Open(ctx context.Context, resource string, opts esds.Options) (esds.Index, error) {
	index, err := s.Source.Open(ctx, resource, opts)
	if err != nil {
		return nil, err
	}
	return &brokenIndex{index, s.bug}, nil
}

func (s *brokenSource) Write(ctx context.Context, w esds.Write, rows row.Reader) (esds.Report, error) {
	if s.bug.write != nil {
		w = s.bug.write(w)
	}
	if s.bug.rows != nil {
		rows = s.bug.rows(rows)
	}
	report, err := s.Source.Write(ctx, w, rows)
	if s.bug.report != nil {
		report = s.bug.report(report)
	}
	return report, err
}

func (s *brokenSource) Replace(ctx context.Context, r esds.Replacement) error {
	if s.bug.mode != nil {
		r.Mode = s.bug.mode(r.Mode)
	}
	return s.Source.Replace(ctx, r)
}

type brokenIndex struct {
	esds.Index
	bug bug
}

func (x *brokenIndex) Pushdown(e expr.Expr) esds.Pushdown {
	p := x.Index.Pushdown(e)
	if x.bug.pushdown != nil {
		p = x.bug.pushdown(p)
	}
	return p
}

func (x *brokenIndex) Scan(ctx context.Context, s esds.Scan) (row.Reader, error) {
	if x.bug.scan != nil {
		s = x.bug.scan(s)
	}
	r, err := x.Index.Scan(ctx, s)
	if err == nil && x.bug.reader != nil {
		r = x.bug.reader(r)
	}
	return r, err
}

type nextReader struct {
	row.Reader
	change func(*row.Batch) *row.Batch
}

func (r *nextReader) Next(ctx context.Context) (*row.Batch, error) {
	b, err := r.Reader.Next(ctx)
	if err == nil {
		b = r.change(b)
	}
	return b, err
}

type unclosed struct{ row.Reader }

func (unclosed) Close() error { return nil }
