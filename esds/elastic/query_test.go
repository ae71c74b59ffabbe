package elastic_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/esds/elastic"
	"github.com/eslake/eslake/sql"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/lex"
	"github.com/eslake/eslake/sql/row"
)

// TestQuery runs the golden files. mapping sets the index: one field a line as
// JSON, arguments created=VERSION and options; table declares columns that
// differ; push shows what becomes of each predicate, one a line; request shows
// the whole request of a scan of some columns.
func TestQuery(t *testing.T) {
	datadriven.Walk(t, "testdata/query", func(t *testing.T, path string) {
		var g queryGolden
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "mapping":
				g.open(t, d)
				return row.StructType(g.schema...).String() + "\n"
			case "table":
				g.declare(t, d.Input)
				return ""
			case "push":
				var out strings.Builder
				for line := range strings.Lines(d.Input) {
					out.WriteString(g.push(t, strings.TrimSpace(line)))
				}
				return out.String()
			case "request":
				return g.request(t, d)
			}
			t.Fatalf("unknown command %s", d.Cmd)
			return ""
		})
	})
}

type queryGolden struct {
	index  esds.Index
	schema row.Schema
}

func (g *queryGolden) open(t *testing.T, d *datadriven.TestData) {
	created := "8190799"
	raw := map[string]string{}
	for _, arg := range d.CmdArgs {
		if arg.Key == "created" {
			created = arg.Vals[0]
			continue
		}
		raw[arg.Key] = strings.Join(arg.Vals, ",")
	}
	opts, _, err := esds.ParseOptions(raw)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			fmt.Fprint(w, `{"version":{"number":"8.19.7"}}`)
			return
		}
		fmt.Fprintf(w, `{"idx":{"mappings":{"properties":{%s}},"settings":{"index":{"version":{"created":%q}}}}}`, d.Input, created)
	}))
	t.Cleanup(server.Close)
	s := open(t, elastic.Config{Addresses: []string{server.URL}})
	if g.index, err = s.Open(t.Context(), "idx", opts); err != nil {
		t.Fatal(err)
	}
	g.schema = append(g.index.Schema(), esds.Metadata()...)
}

// declare takes "name TYPE" lines.
func (g *queryGolden) declare(t *testing.T, input string) {
	for line := range strings.Lines(input) {
		name, typ, _ := strings.Cut(strings.TrimSpace(line), " ")
		declared, err := sql.ParseType(typ)
		if err != nil {
			t.Fatal(err)
		}
		if i := g.schema.Index(name); i >= 0 {
			g.schema[i].Type = declared
			continue
		}
		g.schema = append(g.schema, row.Field{Name: name, Type: declared})
	}
}

var answers = map[esds.Pushdown]string{esds.No: "no", esds.Superset: "superset", esds.Exact: "exact"}

func (g *queryGolden) push(t *testing.T, predicate string) string {
	e, err := g.bind(t, predicate)
	if err != nil {
		return fmt.Sprintf("%s\n  error: %v\n", predicate, err)
	}
	how := g.index.Pushdown(e)
	if how == esds.No {
		return fmt.Sprintf("%s\n  no\n", predicate)
	}
	_, body, _ := strings.Cut(g.index.Request(esds.Scan{Filter: []expr.Expr{e}}), "\n")
	var request struct {
		Query struct {
			Bool struct {
				Filter []json.RawMessage `json:"filter"`
			} `json:"bool"`
		} `json:"query"`
	}
	if err := json.Unmarshal([]byte(body), &request); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s\n  %s %s\n", predicate, answers[how], compact(t, request.Query.Bool.Filter[0]))
}

func compact(t *testing.T, raw json.RawMessage) string {
	var v any
	dec := json.NewDecoder(strings.NewReader(string(raw)))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(out.String())
}

// bind makes columns of names and gives types, as the planner does.
func (g *queryGolden) bind(t *testing.T, text string) (expr.Expr, error) {
	var parsed expr.Expr
	for part, err := range lex.Split("golden", []byte(text)) {
		if err != nil {
			return nil, err
		}
		if parsed, err = sql.ParseExpr(part); err != nil {
			return nil, err
		}
	}
	var failed error
	bound := expr.Map(parsed, func(e expr.Expr) expr.Expr {
		if name, ok := e.(*expr.Name); ok {
			return g.column(t, name)
		}
		resolved, err := expr.Resolve(e)
		if err != nil {
			failed = err
			return e
		}
		return resolved
	})
	return bound, failed
}

func (g *queryGolden) column(t *testing.T, name *expr.Name) expr.Expr {
	i := g.schema.Index(name.Parts[0])
	if i < 0 {
		t.Fatalf("no column %s", name.Parts[0])
	}
	var e expr.Expr = &expr.Column{Node: expr.Node{At: name.At, T: g.schema[i].Type}, ID: i + 1, Name: g.schema[i].Name}
	for _, part := range name.Parts[1:] {
		fields := e.Type().Fields
		e = &expr.Field{Node: expr.Node{At: name.At, T: fields[fields.Index(part)].Type}, X: e, Name: part}
	}
	return e
}

func (g *queryGolden) request(t *testing.T, d *datadriven.TestData) string {
	s := esds.Scan{}
	for line := range strings.Lines(d.Input) {
		line = strings.TrimSpace(line)
		if where, ok := strings.CutPrefix(line, "WHERE "); ok {
			e, err := g.bind(t, where)
			if err != nil {
				return err.Error() + "\n"
			}
			s.Filter = append(s.Filter, e)
			continue
		}
		if limit, ok := strings.CutPrefix(line, "LIMIT "); ok {
			if _, err := fmt.Sscan(limit, &s.Limit); err != nil {
				return err.Error() + "\n"
			}
			continue
		}
		if i := g.schema.Index(line); i >= 0 {
			s.Columns = append(s.Columns, g.schema[i])
		}
	}
	text := g.index.Request(s) + "\n"
	if from := g.index.(esds.Reading).Reading(s); from != "" {
		text += "Fields from " + from + "\n"
	}
	return text
}

func open(t *testing.T, cfg elastic.Config) *elastic.Source {
	t.Helper()
	s, err := elastic.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestLongLists pushes more values than one terms query takes (index.max_terms_count)
// in several, and more than a search should carry not at all.
func TestLongLists(t *testing.T) {
	var g queryGolden
	g.open(t, &datadriven.TestData{Input: `"k":{"type":"keyword"},"n":{"type":"long"}`})
	k, n := g.column(t, &expr.Name{Parts: []string{"k"}}), g.column(t, &expr.Name{Parts: []string{"n"}})
	tests := []struct {
		x      expr.Expr
		values int
		lists  int // 0: not pushed
	}{
		{k, 65_536, 1}, {k, 65_537, 2}, {n, 150_000, 3}, {k, 500_000, 8}, {k, 500_001, 0},
	}
	for _, tt := range tests {
		in := &expr.Call{Node: expr.Node{T: row.BooleanType}, Func: "in", Args: []expr.Expr{tt.x}}
		for i := range tt.values {
			v := &expr.Literal{Node: expr.Node{T: tt.x.Type()}, Value: int64(i)}
			if tt.x == k {
				v.Value = strconv.Itoa(i)
			}
			in.Args = append(in.Args, v)
		}
		if how := g.index.Pushdown(in); (how == esds.No) != (tt.lists == 0) {
			t.Errorf("%d values: %s", tt.values, answers[how])
		}
		if tt.lists == 0 {
			continue
		}
		request := g.index.Request(esds.Scan{Filter: []expr.Expr{in}})
		if lists := strings.Count(request, `"terms"`); lists != tt.lists {
			t.Errorf("%d values in %d lists, want %d", tt.values, lists, tt.lists)
		}
	}
}
