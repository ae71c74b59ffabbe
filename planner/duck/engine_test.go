package duck_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/eslake/eslake/esds/duckdb"
	"github.com/eslake/eslake/planner/duck"
	"github.com/eslake/eslake/sql/row"
)

func engine(t testing.TB) *duck.Engine {
	t.Helper()
	db := duckdb.New(duckdb.Config{TempDir: t.TempDir()})
	t.Cleanup(func() { db.Close() })
	return duck.New(db)
}

func query(t *testing.T, e *duck.Engine, sql string) string {
	t.Helper()
	r, err := e.Query(t.Context(), sql, nil)
	if err != nil {
		return "error: " + err.Error()
	}
	rows, err := row.ReadAll(t.Context(), r)
	if err != nil {
		return "error: " + err.Error()
	}
	return fmt.Sprint(rows)
}

func TestEngineMacros(t *testing.T) {
	e := engine(t)
	s := row.Schema{{Name: "v", Type: row.BigIntType}}
	sql, release := e.Register(s, func(context.Context) (row.Reader, error) {
		b := row.NewBatch(s)
		must(t, b.AppendRow(-7))
		return row.NewBatches(s, b), nil
	}, 1)
	defer release()
	if e.Opened() {
		t.Error("registering opened the database")
	}
	if got := query(t, e, "SELECT spark_floor_div(v, 2) FROM "+sql); got != "[[-4]]" {
		t.Errorf("got %s", got)
	}
}

func BenchmarkFirstQuery(b *testing.B) {
	for range b.N {
		e := engine(b)
		r, err := e.Query(b.Context(), "SELECT 1", nil)
		if err != nil {
			b.Fatal(err)
		}
		r.Close()
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
