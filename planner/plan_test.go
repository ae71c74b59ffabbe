package planner_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/eslake/eslake/catalog"
	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/planner"
	"github.com/eslake/eslake/sql"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/lex"
	"github.com/eslake/eslake/sql/row"
)

// index answers comparisons of plain columns with constants: exactly, but for
// the column msg, of which it finds rows too many.
type index struct{ esds.Index }

func (index) Schema() row.Schema { return nil }

func (index) Pushdown(e expr.Expr) esds.Pushdown {
	c, ok := e.(*expr.Call)
	if !ok || len(c.Args) != 2 || !strings.Contains("= < > <= >=", c.Func) {
		return esds.No
	}
	col, ok := c.Args[0].(*expr.Column)
	if _, constant := c.Args[1].(*expr.Literal); !ok || !constant {
		return esds.No
	}
	if col.Name == "msg" {
		return esds.Superset
	}
	return esds.Exact
}

// cluster is an index that also groups and sorts, but not by msg.
type cluster struct{ index }

func (c cluster) Pushdown(e expr.Expr) esds.Pushdown {
	if call, ok := e.(*expr.Call); ok && call.Func == "in" {
		return esds.Exact
	}
	return c.index.Pushdown(e)
}

func (cluster) Aggregable(a esds.Aggregation) error {
	for _, k := range a.Keys {
		if k.Column.Name == "msg" {
			return esds.Inexact("msg is text")
		}
	}
	return nil
}

func (cluster) Aggregate(context.Context, esds.Aggregation) (row.Reader, error) { return nil, nil }
func (cluster) AggregateRequest(esds.Aggregation) string                        { return "aggregate" }

func (cluster) Sortable(keys []esds.Order, _ int64) error {
	if keys[0].Column.Name == "msg" {
		return esds.Inexact("msg is text")
	}
	return nil
}

type source struct{ esds.Source }

func (source) Resolve(_ context.Context, name string) (esds.Target, error) {
	return esds.Target{Name: name, Kind: esds.Concrete, Indices: []string{name}, Write: name}, nil
}

func (source) Open(_ context.Context, resource string, _ esds.Options) (esds.Index, error) {
	if resource == "hosts" {
		return cluster{}, nil
	}
	return index{}, nil
}

func (source) String() string { return "a source" }

type sources struct{}

func (sources) Source(context.Context, esds.Options) (esds.Source, error) { return source{}, nil }

var logs = row.Schema{
	{Name: "id", Type: row.BigIntType},
	{Name: "level", Type: row.StringType},
	{Name: "msg", Type: row.StringType},
	{Name: "size", Type: row.IntType},
	{Name: "ts", Type: row.TimestampType},
	{Name: "tags", Type: row.ArrayType(row.StringType)},
	{Name: "geo", Type: row.StructType(row.Field{Name: "lat", Type: row.DoubleType})},
}

func testEnv(t *testing.T) *planner.Env {
	t.Helper()
	c := catalog.Open(filepath.Join(t.TempDir(), "catalog.json"))
	for _, name := range []string{"logs", "hosts"} {
		_, err := c.CreateTable(&catalog.Table{Name: name, Provider: "es", Columns: logs, Options: map[string]string{"resource": name}}, false, false)
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err := c.CreateTable(&catalog.Table{
		Name: "keyed", Provider: "es", Columns: row.Schema{{Name: "id", Type: row.IntType}, {Name: "name", Type: row.StringType}},
		Options: map[string]string{"resource": "keyed", "es.mapping.id": "id"},
	}, false, false)
	if err != nil {
		t.Fatal(err)
	}
	return &planner.Env{
		Resolver: c, Sources: sources{}, Database: "default", Settings: map[string]string{},
		Now: time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC),
	}
}

// plan returns the optimized plan of a statement as text, or its error.
func plan(env *planner.Env, text string) string {
	t, err := lex.One("", text)
	if err != nil {
		return failure(err, text)
	}
	st, err := sql.Parse(t)
	if err != nil {
		return failure(err, text)
	}
	switch st := st.(type) {
	case *sql.SelectStmt:
		n, err := planner.PlanQuery(context.Background(), env, st.Query)
		if err != nil {
			return failure(err, text)
		}
		return planner.Tree(n)
	case *sql.Insert:
		n, err := planner.PlanInsert(context.Background(), env, st, "job")
		if err != nil {
			return failure(err, text)
		}
		return n.String() + "\n" + planner.Tree(n.Input)
	default:
		return fmt.Sprintf("a test cannot plan a %T", st)
	}
}

func failure(err error, text string) string {
	var e *lex.Error
	if errors.As(err, &e) {
		return lex.Render(e, []byte(text))
	}
	return "error: " + err.Error()
}

func TestPlans(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		env := testEnv(t)
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			return strings.TrimRight(plan(env, d.Input), "\n") + "\n"
		})
	})
}
