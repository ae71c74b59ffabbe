package duckdb_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
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

func all(t testing.TB, db *duckdb.DB, sql string, want row.Schema) [][]any {
	t.Helper()
	r, err := db.Query(t.Context(), sql, want)
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

var everything = row.Schema{
	{Name: "b", Type: row.BooleanType}, {Name: "t", Type: row.TinyIntType}, {Name: "s", Type: row.SmallIntType},
	{Name: "i", Type: row.IntType}, {Name: "l", Type: row.BigIntType}, {Name: "f", Type: row.FloatType}, {Name: "d", Type: row.DoubleType},
	{Name: "d4", Type: row.DecimalType(4, 1)}, {Name: "d9", Type: row.DecimalType(9, 2)}, {Name: "d18", Type: row.DecimalType(18, 3)},
	{Name: "d38", Type: row.DecimalType(38, 10)}, {Name: "x", Type: row.StringType}, {Name: "bin", Type: row.BinaryType},
	{Name: "day", Type: row.DateType}, {Name: "ts", Type: row.TimestampType}, {Name: "ntz", Type: row.TimestampNTZType},
	{Name: "a", Type: row.ArrayType(row.StringType)}, {Name: "m", Type: row.MapType(row.StringType, row.IntType)},
	{Name: "st", Type: row.StructType(row.Field{Name: "p", Type: row.IntType}, row.Field{Name: "q", Type: row.ArrayType(row.ArrayType(row.DoubleType))})},
	{Name: "n", Type: row.VoidType}, {Name: "A b\"c", Type: row.StringType},
}

// sample returns n rows of everything, every third value NULL.
func sample(t testing.TB, n int) *row.Batch {
	b := row.NewBatch(everything)
	for i := range n {
		values := []any{
			i%2 == 0, i%128 - 64, i % 1000, -i, int64(i) << 40, float64(float32(i) / 3), float64(i) / 3,
			fmt.Sprintf("%d.5", i%100), fmt.Sprintf("-%d.25", i), fmt.Sprintf("%d.125", i), fmt.Sprintf("-%d123456789012345678.0123456789", i),
			fmt.Sprintf("text %d that is longer now and then %.*s", i, i%20, "☃☃☃☃☃☃☃☃☃☃☃☃☃☃☃☃☃☃☃☃"), []byte{byte(i), 0, 255},
			"2020-02-29", "2020-01-02T03:04:05.000007Z", "1969-01-02T03:04:05",
			[]any{"x", nil, fmt.Sprint(i)}, map[string]any{"k": i, "null": nil},
			map[string]any{"p": i, "q": []any{[]any{1.5, nil}, []any{}, nil}}, nil, fmt.Sprint(i),
		}
		for k := range values {
			if (i+k)%3 == 0 {
				values[k] = nil
			}
		}
		if err := b.AppendRow(values...); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

func reads(batches ...*row.Batch) func(context.Context) (row.Reader, error) {
	return func(context.Context) (row.Reader, error) { return row.NewBatches(everything, batches...), nil }
}

func TestRegisterRoundTrip(t *testing.T) {
	db := open(t)
	in := []*row.Batch{sample(t, 5000), sample(t, 0), sample(t, 1)} // larger than a chunk, empty, small
	sql, release := db.Register(everything, reads(in...), 5001)
	r, err := db.Query(t.Context(), "FROM "+sql, everything)
	if err != nil {
		t.Fatal(err)
	}
	got, err := row.ReadAll(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	var want [][]any
	for _, b := range in {
		for i := range b.Len {
			want = append(want, b.Row(i))
		}
	}
	if len(got) != len(want) {
		t.Fatalf("rows = %d, want %d", len(got), len(want))
	}
	for i := range want {
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Fatalf("row %d = %v\nwant %v", i, got[i], want[i])
		}
	}
	if n := all(t, db, "SELECT count(*) FROM "+sql+" a JOIN "+sql+" b USING (l)", nil)[0][0]; n.(int64) == 0 {
		t.Error("a scan cannot be joined with itself")
	}
	release()
	if _, err := db.Query(t.Context(), "FROM "+sql, nil); err == nil {
		t.Error("a released scan can be read")
	}
}

func TestRegisterMendsText(t *testing.T) {
	db := open(t)
	s := row.Schema{{Name: "x", Type: row.StringType}}
	b := row.NewBatch(s)
	for _, text := range []string{"a\xffb", "\xc3", "\xa4", "zero\x00byte"} {
		b.AppendRow(text)
	}
	sql, release := db.Register(s, func(context.Context) (row.Reader, error) { return row.NewBatches(s, b), nil }, 0)
	defer release()
	got := fmt.Sprintf("%q", all(t, db, "FROM "+sql, nil))
	if want := `[["a�b"] ["�"] ["�"] ["zero\x00byte"]]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// failing yields one batch and then an error, and notes that it was closed.
type failing struct {
	*row.Batches
	err    error
	closed *int
}

func (f *failing) Next(ctx context.Context) (*row.Batch, error) {
	b, err := f.Batches.Next(ctx)
	if err == io.EOF {
		return nil, f.err
	}
	return b, err
}

func (f *failing) Close() error {
	*f.closed++
	return nil
}

type located struct{ line int }

func (l *located) Error() string { return fmt.Sprint("line ", l.line) }

func TestReaderErrorsComeOutUnchanged(t *testing.T) {
	db := open(t)
	closed := 0
	sql, release := db.Register(everything, func(context.Context) (row.Reader, error) {
		return &failing{row.NewBatches(everything, sample(t, 3000)), &located{7}, &closed}, nil
	}, 0)
	defer release()
	for _, query := range []string{"FROM %s", "SELECT count(*), sum(i) FROM %s", "SELECT * FROM %s ORDER BY l"} {
		r, err := db.Query(t.Context(), fmt.Sprintf(query, sql), nil)
		if err == nil {
			_, err = row.ReadAll(t.Context(), r)
		}
		var want *located
		if !errors.As(err, &want) || want.line != 7 {
			t.Errorf("%s: error = %v, want line 7", query, err)
		}
	}
	if closed != 3 {
		t.Errorf("readers closed = %d, want 3", closed)
	}
	sql, release = db.Register(everything, func(context.Context) (row.Reader, error) { return nil, io.ErrUnexpectedEOF }, 0)
	defer release()
	if _, err := db.Query(t.Context(), "FROM "+sql, nil); err != io.ErrUnexpectedEOF {
		t.Errorf("error = %v, want that of opening", err)
	}
	sql, release = db.Register(everything, func(context.Context) (row.Reader, error) { panic("bug") }, 0)
	defer release()
	if _, err := db.Query(t.Context(), "FROM "+sql, nil); err == nil {
		t.Error("a panic is lost")
	}
}

// endless yields batches for ever, until its context is cancelled.
type endless struct {
	*row.Batches
	batch  *row.Batch
	given  *int
	closed *int
}

func (e *endless) Next(ctx context.Context) (*row.Batch, error) {
	*e.given++
	return e.batch, ctx.Err()
}

func (e *endless) Close() error {
	*e.closed++
	return nil
}

func TestStreams(t *testing.T) {
	db := open(t)
	given, closed := 0, 0
	sql, release := db.Register(everything, func(context.Context) (row.Reader, error) {
		return &endless{row.NewBatches(everything), sample(t, 2048), &given, &closed}, nil
	}, 0)
	defer release()
	r, err := db.Query(t.Context(), "SELECT l + 1 FROM "+sql, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := r.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	r.Close()
	r.Close()
	if given > 1000 {
		t.Errorf("%d batches were taken for 3", given)
	}
	if closed != 1 {
		t.Errorf("readers closed = %d, want 1", closed)
	}
}

func TestCancel(t *testing.T) {
	db := open(t)
	given, closed := 0, 0
	sql, release := db.Register(everything, func(context.Context) (row.Reader, error) {
		return &endless{row.NewBatches(everything), sample(t, 2048), &given, &closed}, nil
	}, 0)
	defer release()
	for _, query := range []string{"SELECT sum(l::HUGEINT) FROM " + sql, "SELECT count(*) FROM range(10000000000) a, range(1000000) b WHERE a.range + b.range = -1"} {
		ctx, cancel := context.WithCancel(t.Context())
		stop := context.AfterFunc(t.Context(), func() {})
		go cancel()
		r, err := db.Query(ctx, query, nil)
		if err == nil {
			_, err = row.ReadAll(ctx, r)
		}
		stop()
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error = %v, want canceled", query, err)
		}
	}
	// The next query of a connection is not hurt by the interrupt before.
	c, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx, cancel := context.WithCancel(t.Context())
	r, err := c.Query(ctx, "FROM range(100000000)", nil)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	for err == nil {
		_, err = r.Next(t.Context())
	}
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v, want canceled", err)
	}
	r.Close()
	if n, err := c.Count(t.Context(), "SELECT count(*) FROM range(5)"); n != 5 || err != nil {
		t.Errorf("count = %d, %v", n, err)
	}
}

func TestNestedQueries(t *testing.T) {
	db := open(t)
	s := row.Schema{{Name: "range", Type: row.BigIntType}}
	sql, release := db.Register(s, func(ctx context.Context) (row.Reader, error) {
		return db.Query(ctx, "FROM range(100000)", s)
	}, 0)
	defer release()
	for range 5 {
		if got := all(t, db, "SELECT sum(range)::BIGINT FROM "+sql, nil)[0][0]; got != int64(4999950000) {
			t.Fatalf("sum = %v", got)
		}
		r, err := db.Query(t.Context(), "FROM "+sql, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.Close() // closes a query within a query
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
		b.AppendRow(i, fmt.Sprint(i))
	}
	closed := 0
	n, err := c.Append(t.Context(), duckdb.Name("a.b"), &failing{row.NewBatches(s, b), io.EOF, &closed})
	if n != 3000 || err != nil || closed == 0 {
		t.Errorf("appended = %d, %v, closed %d times", n, err, closed)
	}
	if _, err := c.Append(t.Context(), duckdb.Name("a.b"), &failing{row.NewBatches(s, b), io.ErrClosedPipe, &closed}); err != io.ErrClosedPipe {
		t.Errorf("error = %v", err)
	}
	if n, err := c.Count(t.Context(), `SELECT count(*) FROM "a.b" WHERE extra IS NULL AND l::VARCHAR = "A b""c"`); n != 3000 || err != nil {
		t.Errorf("count = %d, %v", n, err)
	}
}

func TestOrderIsKept(t *testing.T) {
	db := open(t)
	path := filepath.Join(t.TempDir(), "x.csv")
	all(t, db, "COPY (FROM range(500000)) TO "+duckdb.Text(path), nil)
	r, err := db.Query(t.Context(), "SELECT column0 FROM read_csv("+duckdb.Text(path)+", header=true, names=['column0'])", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	next := int64(0)
	for {
		b, err := r.Next(t.Context())
		if err == io.EOF {
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

func BenchmarkThrough(b *testing.B) {
	db := open(b)
	s := row.Schema{}
	types := []row.Type{row.BigIntType, row.StringType, row.DoubleType, row.IntType, row.StringType, row.TimestampType, row.DateType, row.BooleanType, row.DecimalType(12, 2), row.StringType}
	for i := range 20 {
		s = append(s, row.Field{Name: fmt.Sprint("c", i), Type: types[i%10]})
	}
	batch := row.NewBatch(s)
	for i := range 2048 {
		values := make([]any, 20)
		for k := range values {
			switch types[k%10].Kind {
			case row.String:
				values[k] = fmt.Sprintf("value %d of column %d", i, k)
			case row.Boolean:
				values[k] = i%2 == 0
			case row.Double:
				values[k] = float64(i) / 7
			case row.Decimal:
				values[k] = fmt.Sprint(i, ".25")
			default:
				values[k] = i
			}
			if (i+k)%10 == 0 {
				values[k] = nil
			}
		}
		values[8], values[18] = "1.25", "2.50"
		if err := batch.AppendRow(values...); err != nil {
			b.Fatal(err)
		}
	}
	for _, q := range []string{"SELECT * FROM %s", "SELECT count(c19), sum(c0), max(c1) FROM %s"} {
		b.Run(q, func(b *testing.B) {
			for range b.N {
				left := 488
				sql, release := db.Register(s, func(context.Context) (row.Reader, error) {
					return &repeat{Batches: row.NewBatches(s), batch: batch, left: &left}, nil
				}, 1000000)
				r, err := db.Query(b.Context(), fmt.Sprintf(q, sql), nil)
				if err != nil {
					b.Fatal(err)
				}
				rows := 0
				for {
					batch, err := r.Next(b.Context())
					if err != nil {
						break
					}
					rows += batch.Len
				}
				r.Close()
				release()
				b.ReportMetric(float64(rows), "rows")
			}
		})
	}
}

type repeat struct {
	*row.Batches
	batch *row.Batch
	left  *int
}

func (r *repeat) Next(context.Context) (*row.Batch, error) {
	if *r.left == 0 {
		return nil, io.EOF
	}
	*r.left--
	return r.batch, nil
}
