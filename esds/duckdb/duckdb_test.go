package duckdb_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/eslake/eslake/esds/duckdb"
	"github.com/eslake/eslake/sql/row"
)

func open(t testing.TB) *duckdb.DB {
	t.Helper()
	db := duckdb.New(duckdb.Config{TempDir: t.TempDir()})
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func all(t testing.TB, db *duckdb.DB, sql string) [][]any {
	t.Helper()
	r, err := db.Query(t.Context(), sql, nil)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	rows, err := row.ReadAll(t.Context(), r)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return rows
}

func TestOpensAtFirstUse(t *testing.T) {
	temp := t.TempDir()
	db := duckdb.New(duckdb.Config{TempDir: temp})
	db.Register(row.Schema{{Name: "a", Type: row.IntType}}, nil, 0)
	if db.Opened() {
		t.Error("opened before it was used")
	}
	c, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !db.Opened() {
		t.Error("not opened by a connection")
	}
	c.Close()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(temp); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if _, err := db.Conn(t.Context()); err == nil {
		t.Error("a closed database gives connections")
	}
}

func TestQueryTypes(t *testing.T) {
	db := open(t)
	tests := []struct{ sql, typ, want string }{
		{"true", "boolean", "true"},
		{"(-5)::TINYINT", "tinyint", "-5"},
		{"200::UTINYINT", "smallint", "200"},
		{"9223372036854775807", "bigint", "9223372036854775807"},
		{"18446744073709551615::UBIGINT", "decimal(20,0)", "18446744073709551615"},
		{"(-170141183460469231731)::HUGEINT", "decimal(38,0)", "-170141183460469231731"},
		{"1.5::FLOAT", "float", "1.5"},
		{"1e300::DOUBLE", "double", "1e+300"},
		{"1.25::DECIMAL(4,2)", "decimal(4,2)", "1.25"},
		{"-1.25::DECIMAL(9,2)", "decimal(9,2)", "-1.25"},
		{"1.25::DECIMAL(18,2)", "decimal(18,2)", "1.25"},
		{"-12345678901234567890.25::DECIMAL(38,2)", "decimal(38,2)", "-12345678901234567890.25"},
		{"'short'", "string", "short"},
		{"'thirteen chars and more ☃'", "string", "thirteen chars and more ☃"},
		{"'\\x00\\xff'::BLOB", "binary", "[0 255]"},
		{"DATE '1969-12-31'", "date", "1969-12-31"},
		{"TIMESTAMP '2020-01-02 03:04:05.678'", "timestamp", "2020-01-02T03:04:05.678Z"},
		{"TIMESTAMP_S '2020-01-02 03:04:05'", "timestamp", "2020-01-02T03:04:05Z"},
		{"TIMESTAMP_MS '1969-12-31 23:59:59.999'", "timestamp", "1969-12-31T23:59:59.999Z"},
		{"TIMESTAMP_NS '1969-12-31 23:59:59.999999999'", "timestamp", "1969-12-31T23:59:59.999999Z"},
		{"TIMESTAMPTZ '2020-01-02 03:04:05+02'", "timestamp", "2020-01-02T01:04:05Z"},
		{"TIME '03:04:05.5'", "string", "03:04:05.5"},
		{"INTERVAL '14 months 3 days 04:05:06.5'", "interval", "1 years 2 months 3 days 4 hours 5 minutes 6.5 seconds"},
		{"INTERVAL 0 DAY", "interval", "0 seconds"},
		{"INTERVAL '-1.5' SECOND", "interval", "-1.5 seconds"},
		{"'{\"a\": 1}'::JSON", "string", `{"a": 1}`},
		{"UUID '00112233-4455-6677-8899-aabbccddeeff'", "string", "00112233-4455-6677-8899-aabbccddeeff"},
		{"'b'::ENUM('a', 'b')", "string", "b"},
		{"[1, NULL, 3]", "array<int>", "[1 <nil> 3]"},
		{"[['a'], [], NULL]", "array<array<string>>", "[[a] [] <nil>]"},
		{"[1, 2]::INTEGER[2]", "array<int>", "[1 2]"},
		{"MAP {'k': 1.5}", "map<string,decimal(2,1)>", "map[k:1.5]"},
		{"{'a': 1, 'b': ['x']}", "struct<a:int,b:array<string>>", "map[a:1 b:[x]]"},
		{"[{'a': 1}, NULL, {'a': NULL}]", "array<struct<a:int>>", "[map[a:1] <nil> map[a:<nil>]]"},
		{"NULL", "int", "<nil>"},
		{"NULL::INTEGER[]", "array<int>", "<nil>"},
	}
	for _, tt := range tests {
		t.Run(tt.sql, func(t *testing.T) {
			r, err := db.Query(t.Context(), "SELECT "+tt.sql+" AS v FROM range(3)", nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := r.Schema()[0].Type.String(); got != tt.typ {
				t.Errorf("type = %s, want %s", got, tt.typ)
			}
			rows, err := row.ReadAll(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			for _, values := range rows {
				if got := fmt.Sprint(values[0]); got != tt.want {
					t.Errorf("value = %s, want %s", got, tt.want)
				}
			}
			if len(rows) != 3 {
				t.Errorf("rows = %d, want 3", len(rows))
			}
		})
	}
}

func TestQueryWantedTypes(t *testing.T) {
	db := open(t)
	tests := []struct {
		sql  string
		typ  row.Type
		want string // value or error
	}{
		{"sum(i) FROM range(5) t(i)", row.BigIntType, "10"},
		{"170141183460469231731::HUGEINT", row.BigIntType, "column v: 170141183460469231731 is out of range for bigint"},
		{"300", row.TinyIntType, "column v: 300 is out of range for tinyint"},
		{"200::UTINYINT", row.TinyIntType, "column v: 200 is out of range for tinyint"},
		{"4000000000::UINTEGER", row.IntType, "column v: 4000000000 is out of range for int"},
		{"1.50::DECIMAL(10,2)", row.DecimalType(10, 1), "1.5"},
		{"1.55::DECIMAL(10,2)", row.DecimalType(10, 1), `column v: "1.55" has more than 1 digits after the point`},
		{"7", row.DecimalType(12, 2), "7.00"},
		{"1.25::DECIMAL(10,2)", row.DoubleType, "1.25"},
		{"7::BIGINT", row.DoubleType, "7"},
		{"'1 days'", row.IntervalType, "1 days"},
		{"'x'", row.IntType, "column v: DuckDB's type VARCHAR cannot be read as int"},
		{"[1::BIGINT]", row.ArrayType(row.IntType), "[1]"},
	}
	for _, tt := range tests {
		t.Run(tt.sql+" as "+tt.typ.String(), func(t *testing.T) {
			got := ""
			r, err := db.Query(t.Context(), "SELECT "+tt.sql, row.Schema{{Name: "v", Type: tt.typ}})
			if err == nil {
				var rows [][]any
				if rows, err = row.ReadAll(t.Context(), r); err == nil {
					got = fmt.Sprint(rows[0][0])
				}
			}
			if err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	db := open(t)
	tests := []struct{ sql, kind, want string }{
		{"SELECT 'x'::INTEGER", "Conversion", "Could not convert string 'x' to INT32"},
		{"SELECT nothing", "Binder", `binder: Referenced column "nothing" was not found because the FROM clause is missing`},
		{"SELEC 1", "Parser", `parser: syntax error at or near "SELEC"`},
		{"SELECT error('mine')", "Invalid Input", "mine"},
		{"SELECT * FROM eslake_scan(99)", "Binder", "binder: there is no scan 99"},
	}
	for _, tt := range tests {
		r, err := db.Query(t.Context(), tt.sql, nil)
		if err == nil {
			_, err = row.ReadAll(t.Context(), r)
		}
		var e *duckdb.Error
		if !errors.As(err, &e) || e.Kind != tt.kind || e.Error() != tt.want {
			t.Errorf("%s: error = %#v, want %s: %s", tt.sql, err, tt.kind, tt.want)
		}
	}
}

func TestAppend(t *testing.T) {
	db := open(t)
	c, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Exec(t.Context(), `CREATE TEMP TABLE "a.b" (extra INT, "A b""c" VARCHAR, l BIGINT); INSERT INTO "a.b" VALUES (1, 'x', 2)`); err != nil {
		t.Fatal(err)
	}
	s := row.Schema{{Name: "l", Type: row.BigIntType}, {Name: `A b"c`, Type: row.StringType}}
	b := row.NewBatch(s)
	for i := range 3000 {
		must(t, b.AppendRow(i, fmt.Sprint(i)))
	}
	closed := 0
	n, err := c.Append(t.Context(), duckdb.Name("a.b"), &failing{row.NewBatches(s, b), io.EOF, &closed})
	if n != 3000 || err != nil || closed == 0 {
		t.Errorf("appended = %d, %v, closed %d times", n, err, closed)
	}
	if _, err := c.Append(t.Context(), duckdb.Name("a.b"), &failing{row.NewBatches(s, b), io.ErrClosedPipe, &closed}); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("error = %v", err)
	}
	if n, err := c.Count(t.Context(), `SELECT count(*) FROM "a.b" WHERE extra IS NULL AND l::VARCHAR = "A b""c"`); n != 3000 || err != nil {
		t.Errorf("count = %d, %v", n, err)
	}
}

func TestOrderIsKept(t *testing.T) {
	db := open(t)
	path := filepath.Join(t.TempDir(), "x.csv")
	all(t, db, "COPY (FROM range(500000)) TO "+duckdb.Text(path))
	r, err := db.Query(t.Context(), "SELECT column0 FROM read_csv("+duckdb.Text(path)+", header=true, names=['column0'])", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	next := int64(0)
	for {
		b, err := r.Next(t.Context())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range b.Columns[0].Ints {
			if v != next {
				t.Fatalf("row %d = %d", next, v)
			}
			next++
		}
	}
	if next != 500000 {
		t.Errorf("rows = %d", next)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
