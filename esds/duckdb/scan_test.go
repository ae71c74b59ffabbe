package duckdb_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"testing"

	"github.com/eslake/eslake/sql/row"
)

var everything = row.Schema{
	{Name: "b", Type: row.BooleanType},
	{Name: "t", Type: row.TinyIntType},
	{Name: "s", Type: row.SmallIntType},
	{Name: "i", Type: row.IntType},
	{Name: "l", Type: row.BigIntType},
	{Name: "f", Type: row.FloatType},
	{Name: "d", Type: row.DoubleType},
	{Name: "d4", Type: row.DecimalType(4, 1)},
	{Name: "d9", Type: row.DecimalType(9, 2)},
	{Name: "d18", Type: row.DecimalType(18, 3)},
	{Name: "d38", Type: row.DecimalType(38, 10)},
	{Name: "x", Type: row.StringType},
	{Name: "bin", Type: row.BinaryType},
	{Name: "day", Type: row.DateType},
	{Name: "ts", Type: row.TimestampType},
	{Name: "ntz", Type: row.TimestampNTZType},
	{Name: "a", Type: row.ArrayType(row.StringType)},
	{Name: "m", Type: row.MapType(row.StringType, row.IntType)},
	{Name: "st", Type: row.StructType(row.Field{Name: "p", Type: row.IntType}, row.Field{Name: "q", Type: row.ArrayType(row.ArrayType(row.DoubleType))})},
	{Name: "n", Type: row.VoidType},
	{Name: "A b\"c", Type: row.StringType},
}

// sample returns n rows of everything, every third value NULL.
func sample(t testing.TB, n int) *row.Batch {
	b := row.NewBatch(everything)
	for i := range n {
		values := []any{
			i%2 == 0, i%128 - 64, i % 1000, -i, int64(i) << 40, float64(float32(i) / 3), float64(i) / 3,
			fmt.Sprintf("%d.5", i%100), fmt.Sprintf("-%d.25", i), fmt.Sprintf("%d.125", i), fmt.Sprintf("-%d123456789012345678.0123456789", i),
			fmt.Sprintf("text %d that is longer now and then %.*s", i, i%20, "☃☃☃☃☃☃☃☃☃☃☃☃☃☃☃☃☃☃☃☃"),
			[]byte{byte(i), 0, 255},
			"2020-02-29", "2020-01-02T03:04:05.000007Z", "1969-01-02T03:04:05",
			[]any{"x", nil, fmt.Sprint(i)},
			map[string]any{"k": i, "null": nil},
			map[string]any{"p": i, "q": []any{[]any{1.5, nil}, []any{}, nil}},
			nil, fmt.Sprint(i),
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
	if n := all(t, db, "SELECT count(*) FROM "+sql+" a JOIN "+sql+" b USING (l)")[0][0]; n.(int64) == 0 {
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
		must(t, b.AppendRow(text))
	}
	sql, release := db.Register(s, func(context.Context) (row.Reader, error) { return row.NewBatches(s, b), nil }, 0)
	defer release()
	got := fmt.Sprintf("%q", all(t, db, "FROM "+sql))
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
	if errors.Is(err, io.EOF) {
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
	if _, err := db.Query(t.Context(), "FROM "+sql, nil); !errors.Is(err, io.ErrUnexpectedEOF) {
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
		if got := all(t, db, "SELECT sum(range)::BIGINT FROM "+sql)[0][0]; got != int64(4999950000) {
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
