package session_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/eslake/eslake/esds/esdstest"
	"github.com/eslake/eslake/esds/esdstest/servers"
	"github.com/eslake/eslake/sql"
	"github.com/eslake/eslake/sql/lex"
	"github.com/eslake/eslake/sql/row"
)

const (
	parityFolder = "testdata/parity"
	parityDoc    = "../../docs/spark.md"
)

// outcome is what a statement of a script, or the script as a whole, left.
type outcome struct {
	Script    string                               `json:"script"`
	N         int                                  `json:"n"` // of the statement, from 1; 0 for the documents
	Columns   [][2]string                          `json:"columns"`
	Rows      [][]any                              `json:"rows"`
	Error     string                               `json:"error"`
	Documents map[string]map[string]map[string]any `json:"documents"` // by index and id
}

// key names an outcome in differences.txt.
func (o outcome) key() string {
	if o.N == 0 {
		return o.Script + " documents"
	}
	return fmt.Sprintf("%s %d", o.Script, o.N)
}

// TestParity runs the scripts that Spark with elasticsearch-hadoop ran, on the
// fake: columns, types, rows, and the documents that are in the indices at the
// end must be the same, but for what differences.txt gives a reason for.
func TestParity(t *testing.T) {
	told := parity(t, esdstest.New(t, esdstest.Elasticsearch8).URL)
	doc, err := os.ReadFile(parityDoc)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- differences -->\n", "<!-- end -->\n"
	head, rest, _ := strings.Cut(string(doc), begin)
	_, tail, ok := strings.Cut(rest, end)
	if !ok {
		t.Fatalf("%s has no place for the differences", parityDoc)
	}
	want := head + begin + told + end + tail
	switch {
	case want == string(doc):
	case os.Getenv("UPDATE") != "":
		if err := os.WriteFile(parityDoc, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is not up to date: UPDATE=1 go test ./cli/session -run TestParity$", parityDoc)
	}
}

// TestParityOnRealServers runs the same scripts on Elasticsearch and OpenSearch.
func TestParityOnRealServers(t *testing.T) {
	servers.Each(t, func(t *testing.T, url string) { parity(t, url) })
}

// parity runs all scripts and returns the table of what differs from Spark.
func parity(t *testing.T, url string) string {
	t.Helper()
	golden := readOutcomes(t)
	known, used := parityDifferences(t), map[string]bool{}
	scripts, err := filepath.Glob(filepath.Join(parityFolder, "*.sql"))
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	table.WriteString("| Statement | Spark 3.5 + elasticsearch-hadoop | eslake | Why |\n| --- | --- | --- | --- |\n")
	agreed := 0
	for _, path := range scripts {
		name := strings.TrimSuffix(filepath.Base(path), ".sql")
		t.Run(name, func(t *testing.T) {
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			p := &parityRun{t: t, url: url, script: string(src), world: newWorld(t, at(url))}
			p.world.vars = map[string]string{"p": p.world.prefix, "host": "127.0.0.1", "port": "9200"}
			for _, got := range p.run(name) {
				want, ok := golden[got.key()]
				if !ok {
					t.Errorf("%s: Spark was not asked; make parity", got.key())
					continue
				}
				diff := p.differ(got, want)
				reason, listed := known[got.key()]
				used[got.key()] = true
				switch {
				case diff == "" && listed:
					t.Errorf("differences.txt lists %s (%s), but it agrees", got.key(), reason)
				case diff == "":
					agreed++
				case !listed:
					t.Errorf("%s: %s", got.key(), diff)
				default:
					fmt.Fprintf(&table, "| %s: `%s` | %s | %s | %s |\n", got.key(), p.text(got.N), want.told(got), got.told(want), reason)
				}
			}
		})
	}
	for key := range known {
		if !used[key] {
			t.Errorf("differences.txt lists %s, which no script has", key)
		}
	}
	t.Logf("%d outcomes of %d scripts are those of Spark, %d differ with a reason", agreed, len(scripts), len(known))
	return table.String()
}

// parityRun is one script on one server.
type parityRun struct {
	t          *testing.T
	url        string
	script     string
	world      *world
	statements []string
}

func (p *parityRun) text(n int) string {
	if n == 0 {
		return "all statements"
	}
	s := strings.ReplaceAll(strings.Join(strings.Fields(p.statements[n-1]), " "), ", es.nodes '${host}', es.port '${port}', es.nodes.wan.only 'true'", "")
	return strings.ReplaceAll(s, "|", "\\|")
}

var setupLine = regexp.MustCompile(`(?m)^-- setup (\S+) (\S+) ?(.*)$`)

func (p *parityRun) run(name string) []outcome {
	fill := func(s string) string { return strings.ReplaceAll(s, "${p}", p.world.prefix) }
	for _, m := range setupLine.FindAllStringSubmatch(p.script, -1) {
		p.setUp(m[1], fill(m[2]), fill(m[3]))
	}
	p.call(http.MethodPost, "/"+p.world.prefix+"*/_refresh", "")
	var all []outcome
	for text, err := range lex.Split(name, []byte(p.script)) {
		if err != nil {
			p.t.Fatal(err)
		}
		p.statements = append(p.statements, text.Src[text.Span.Start:text.Span.End])
		got := outcome{Script: name, N: len(p.statements)}
		if err := p.statement(text, &got); err != nil {
			got.Error = strings.ReplaceAll(err.Error(), p.world.prefix, "${p}")
		}
		all = append(all, got)
	}
	return append(all, outcome{Script: name, Documents: p.documents()})
}

// setUp sends what a script needs first. Documents go by bulk, which the fake
// knows too.
func (p *parityRun) setUp(method, path, body string) {
	if index, id, ok := strings.Cut(strings.TrimPrefix(path, "/"), "/_doc/"); ok {
		method, path, body = http.MethodPost, "/_bulk", fmt.Sprintf("{\"index\":{\"_index\":%q,\"_id\":%q}}\n%s\n", index, id, body)
	}
	p.call(method, path, body)
}

func (p *parityRun) statement(text lex.Text, into *outcome) error {
	text, err := lex.Expand(text, p.world.vars)
	if err != nil {
		return err
	}
	st, err := sql.Parse(text)
	if err != nil {
		return err
	}
	res, err := p.world.session.Exec(context.Background(), st)
	if err != nil || res.Rows == nil {
		return err
	}
	defer res.Rows.Close()
	for _, f := range res.Rows.Schema() {
		into.Columns = append(into.Columns, [2]string{f.Name, f.Type.String()})
	}
	for {
		b, err := res.Rows.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			into.Columns, into.Rows = nil, nil
			return err
		}
		into.Rows = append(into.Rows, cells(b)...)
	}
}

func cells(b *row.Batch) [][]any {
	rows := make([][]any, b.Len)
	for i := range rows {
		for _, c := range b.Columns {
			rows[i] = append(rows[i], cell(c, i))
		}
	}
	return rows
}

// documents reads what the script left in the indices.
func (p *parityRun) documents() map[string]map[string]map[string]any {
	p.call(http.MethodPost, "/"+p.world.prefix+"*/_refresh", "")
	found, err := p.world.source.Resolve(context.Background(), p.world.prefix+"*")
	if err != nil {
		p.t.Fatal(err)
	}
	all := map[string]map[string]map[string]any{}
	for _, index := range found.Indices {
		var answer struct {
			Hits struct {
				Hits []struct {
					ID      string         `json:"_id"`
					Routing string         `json:"_routing"`
					Source  map[string]any `json:"_source"`
				} `json:"hits"`
			} `json:"hits"`
		}
		decodeNumbers(p.t, p.call(http.MethodPost, "/"+index+"/_search", `{"size":1000}`), &answer)
		docs := map[string]map[string]any{}
		for _, h := range answer.Hits.Hits {
			if h.Routing != "" {
				h.Source["_routing"] = h.Routing
			}
			docs[h.ID] = h.Source
		}
		all[strings.TrimPrefix(index, p.world.prefix)] = docs
	}
	return all
}

func (p *parityRun) call(method, path, body string) []byte {
	p.t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), method, p.url+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode >= 400 {
		p.t.Fatalf("%s %s: %s %v", method, path, answer, err)
	}
	return answer
}

// differ says how an outcome differs from Spark's, "" when it does not. That both
// refuse is the same, in whatever words.
func (p *parityRun) differ(got, want outcome) string {
	switch {
	case got.N == 0:
		return p.differingDocuments(got.Documents, want.Documents)
	case (got.Error == "") != (want.Error == ""):
		return fmt.Sprintf("error %q, Spark's %q", got.Error, want.Error)
	case got.Error != "":
		return ""
	case fmt.Sprint(got.Columns) != fmt.Sprint(want.Columns):
		return fmt.Sprintf("columns %v, Spark's %v", got.Columns, want.Columns)
	}
	return sameRows(got.Rows, want.Rows, p.statements[got.N-1])
}

func (p *parityRun) differingDocuments(got, want map[string]map[string]map[string]any) string {
	made := strings.Contains(p.script, "-- ids are made")
	g, w := listed(got, made), listed(want, made)
	if slices.Equal(g, w) {
		return ""
	}
	return fmt.Sprintf("documents\n  %s\nSpark's\n  %s", strings.Join(g, "\n  "), strings.Join(w, "\n  "))
}

// listed prints documents in an order of their own, numbers by their value.
func listed(all map[string]map[string]map[string]any, withoutIDs bool) []string {
	var lines []string
	for index, docs := range all {
		for id, d := range docs {
			if withoutIDs {
				id = "…"
			}
			lines = append(lines, fmt.Sprintf("%s/%s %s", index, id, plain(d)))
		}
	}
	slices.Sort(lines)
	return lines
}

func plain(v any) string {
	switch v := v.(type) {
	case json.Number:
		return plainNumber(v.String())
	case map[string]any:
		var parts []string
		for name, x := range v {
			parts = append(parts, fmt.Sprintf("%q:%s", name, plain(x)))
		}
		slices.Sort(parts)
		return "{" + strings.Join(parts, ",") + "}"
	case []any:
		var parts []string
		for _, x := range v {
			parts = append(parts, plain(x))
		}
		return "[" + strings.Join(parts, ",") + "]"
	case nil:
		return "null"
	default:
		return fmt.Sprintf("%q", fmt.Sprint(v))
	}
}

// plainNumber writes a number with all its digits, the same for 0.0 and 0.
func plainNumber(text string) string {
	r, ok := new(big.Rat).SetString(text)
	if !ok || len(r.FloatString(0)) > 40 {
		return text
	}
	if r.IsInt() {
		return r.Num().String()
	}
	return strings.TrimRight(r.FloatString(40), "0")
}

// told shows an outcome beside another in a cell of a table.
func (o outcome) told(other outcome) string {
	text := ""
	switch {
	case o.Error != "":
		text = "error: " + strings.Join(strings.Fields(o.Error), " ")
		if r := []rune(text); len(r) > 160 {
			text = string(r[:160]) + "…"
		}
	case o.N == 0:
		mine := listed(o.Documents, true)
		mine = slices.DeleteFunc(mine, func(l string) bool { return slices.Contains(listed(other.Documents, true), l) })
		text = strings.Join(mine, "<br>")
		if text == "" {
			text = "no document"
		}
	case o.Columns == nil:
		return "runs"
	case fmt.Sprint(o.Columns) != fmt.Sprint(other.Columns) && other.Error == "":
		text = fmt.Sprint(o.Columns)
	default:
		var rows []string
		for _, r := range o.Rows {
			rows = append(rows, plain(r))
		}
		text = fmt.Sprintf("%d rows: %s", len(rows), strings.Join(rows, " "))
	}
	return "`" + strings.ReplaceAll(strings.ReplaceAll(text, "`", "'"), "|", "\\|") + "`"
}

func readOutcomes(t *testing.T) map[string]outcome {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(parityFolder, "spark.golden.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]outcome{}
	for line := range bytes.Lines(raw) {
		var o outcome
		decodeNumbers(t, line, &o)
		all[o.key()] = o
	}
	return all
}

func decodeNumbers(t *testing.T, raw []byte, into any) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if err := dec.Decode(into); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
}

// parityDifferences reads lines "SCRIPT N # reason" and "SCRIPT documents # reason".
func parityDifferences(t *testing.T) map[string]string {
	t.Helper()
	f, err := os.Open(filepath.Join(parityFolder, "differences.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	known := map[string]string{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if key, reason, ok := strings.Cut(lines.Text(), " # "); ok {
			known[strings.TrimSpace(key)] = reason
		}
	}
	return known
}
