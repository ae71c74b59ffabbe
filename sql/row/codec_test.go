package row_test

import (
	"math"
	"reflect"
	"testing"

	"github.com/eslake/eslake/sql/row"
)

func everyType() row.Schema {
	point := row.StructType(row.Field{Name: "lat", Type: row.DoubleType}, row.Field{Name: "tags", Type: row.ArrayType(row.StringType)})
	return row.Schema{
		{Name: "b", Type: row.BooleanType},
		{Name: "i", Type: row.BigIntType},
		{Name: "f", Type: row.DoubleType},
		{Name: "d", Type: row.DecimalType(38, 2)},
		{Name: "s", Type: row.StringType},
		{Name: "x", Type: row.BinaryType},
		{Name: "t", Type: row.TimestampType},
		{Name: "a", Type: row.ArrayType(row.ArrayType(row.IntType))},
		{Name: "m", Type: row.MapType(row.StringType, row.BigIntType)},
		{Name: "p", Type: point},
		{Name: "v", Type: row.VoidType},
	}
}

func sample(t testing.TB) *row.Batch {
	b := row.NewBatch(everyType())
	for _, r := range [][]any{
		{true, int64(math.MinInt64), math.Inf(-1), "-99999999999999999999999999999999999.25", "ä\x00", []byte{0, 255}, "2024-01-02 03:04:05.000006", []any{[]any{int64(1)}, nil, []any{}}, map[string]any{"k": int64(2)}, map[string]any{"lat": 1.5, "tags": []any{"a", nil}}, nil},
		make([]any, 11),
		{false, int64(math.MaxInt64), 0.1, "0", "", []byte{}, "1969-12-31 23:59:59", []any{}, map[string]any{}, map[string]any{"lat": nil, "tags": nil}, nil},
	} {
		if err := b.AppendRow(r...); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

func TestBinaryKeepsEveryType(t *testing.T) {
	want := sample(t)
	got, err := row.DecodeBatch(everyType(), want.AppendBinary(nil))
	if err != nil {
		t.Fatal(err)
	}
	for i := range want.Len {
		if !reflect.DeepEqual(got.Row(i), want.Row(i)) {
			t.Errorf("row %d:\n got %v\nwant %v", i, got.Row(i), want.Row(i))
		}
	}
	for k, c := range got.Columns { // what was read can be added to
		c.AppendFrom(want.Columns[k], 0)
	}
	got.Len++
	if !reflect.DeepEqual(got.Row(3), want.Row(0)) {
		t.Errorf("appended: %v", got.Row(3))
	}
	empty, err := row.DecodeBatch(everyType(), row.NewBatch(everyType()).AppendBinary(nil))
	if err != nil || empty.Len != 0 {
		t.Error(empty, err)
	}
}

func TestBinaryCutAnywhereIsAnError(t *testing.T) {
	data := sample(t).AppendBinary(nil)
	for n := range data {
		if _, err := row.DecodeBatch(everyType(), data[:n]); err == nil {
			t.Errorf("%d of %d bytes were read", n, len(data))
		}
	}
	if _, err := row.DecodeBatch(everyType(), append(data, 0)); err == nil {
		t.Error("a byte too many was read")
	}
}

func FuzzDecodeBatch(f *testing.F) {
	f.Add(sample(f).AppendBinary(nil))
	f.Fuzz(func(_ *testing.T, data []byte) {
		if b, err := row.DecodeBatch(everyType(), data); err == nil {
			for i := range min(b.Len, 100) {
				_ = b.Row(i)
			}
		}
	})
}
