package row

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"testing"
)

var nested = StructType(
	Field{Name: "a", Type: ArrayType(StringType)},
	Field{Name: "m", Type: MapType(StringType, ArrayType(IntType))},
	Field{Name: "s", Type: StructType(Field{Name: "x", Type: DecimalType(12, 2)})},
)

// samples are values of every type, as Value returns them.
var samples = []struct {
	t      Type
	values []any
}{
	{VoidType, []any{nil, nil}},
	{BooleanType, []any{true, nil, false}},
	{TinyIntType, []any{int64(-128), nil, int64(127)}},
	{IntType, []any{int64(math.MinInt32), int64(math.MaxInt32), nil}},
	{BigIntType, []any{nil, int64(math.MinInt64), int64(math.MaxInt64), int64(9007199254740993)}},
	{FloatType, []any{1.5, nil, float64(float32(0.1))}},
	{DoubleType, []any{0.1, math.MaxFloat64, nil, -0.5}},
	{DecimalType(38, 2), []any{"123456789012345678901234567890123456.78", nil, "-0.01", "0.00"}},
	{DecimalType(5, 0), []any{"12345", "-12345"}},
	{StringType, []any{"", nil, "Chloé 😀", "a\x00b"}},
	{BinaryType, []any{[]byte{}, nil, []byte{0, 255}}},
	{DateType, []any{"2024-02-29", "1969-12-31", nil, "0001-01-01"}},
	{TimestampType, []any{"2024-01-02T03:04:05Z", "1969-12-31T23:59:59.999999Z", nil}},
	{TimestampNTZType, []any{"2024-01-02T03:04:05.1", nil}},
	{ArrayType(StringType), []any{[]any{}, nil, []any{"a", nil}}},
	{MapType(StringType, IntType), []any{map[string]any{}, nil, map[string]any{"k": int64(1), "z": nil}}},
	{nested, []any{
		nil,
		map[string]any{"a": []any{"x"}, "m": map[string]any{"k": []any{int64(1), nil}}, "s": map[string]any{"x": "1.50"}},
		map[string]any{"a": nil, "m": nil, "s": nil},
	}},
}

func filled(t *testing.T, typ Type, values []any) *Column {
	t.Helper()
	c := NewColumn(typ)
	for _, v := range values {
		if err := c.Append(v); err != nil {
			t.Fatalf("%s: append %v: %v", typ, v, err)
		}
	}
	return c
}

func valuesOf(c *Column) []any {
	out := []any{}
	for i := range c.Len() {
		out = append(out, c.Value(i))
	}
	return out
}

func TestColumnKeepsValues(t *testing.T) {
	for _, s := range samples {
		c := filled(t, s.t, s.values)
		if got := valuesOf(c); !reflect.DeepEqual(got, s.values) {
			t.Errorf("%s: %v, want %v", s.t, got, s.values)
		}
	}
}

func TestColumnAppendFrom(t *testing.T) {
	for _, s := range samples {
		src, dst := filled(t, s.t, s.values), NewColumn(s.t)
		for round := range 2 {
			for i := range src.Len() {
				dst.AppendFrom(src, i)
			}
			if got := valuesOf(dst)[round*len(s.values):]; !reflect.DeepEqual(got, s.values) {
				t.Errorf("%s: round %d: %v, want %v", s.t, round, got, s.values)
			}
		}
	}
}

// TestColumnTruncate cuts at every length and appends again: what was cut must
// not show.
func TestColumnTruncate(t *testing.T) {
	for _, s := range samples {
		for n := range len(s.values) + 1 {
			c := filled(t, s.t, s.values)
			c.Truncate(n)
			if c.Len() != n {
				t.Errorf("%s: %d values after Truncate(%d)", s.t, c.Len(), n)
			}
			for _, v := range s.values[n:] {
				if err := c.Append(v); err != nil {
					t.Fatal(err)
				}
			}
			if got := valuesOf(c); !reflect.DeepEqual(got, s.values) {
				t.Errorf("%s cut at %d: %v, want %v", s.t, n, got, s.values)
			}
		}
	}
}

// TestColumnRefuses checks that a value that does not fit leaves nothing behind,
// also of its parts.
func TestColumnRefuses(t *testing.T) {
	for _, c := range []struct {
		t   Type
		bad any
	}{
		{TinyIntType, int64(128)},
		{IntType, "1.5"},
		{IntType, true},
		{BooleanType, "maybe"},
		{DecimalType(4, 2), "123.45"},
		{DecimalType(4, 2), "1.234"},
		{DateType, "2024-02-30"},
		{TimestampType, "noon"},
		{ArrayType(IntType), []any{int64(1), "x"}},
		{ArrayType(IntType), "x"},
		{MapType(StringType, IntType), map[string]any{"a": int64(1), "b": "x"}},
		{MapType(IntType, IntType), map[string]any{"1": int64(1), "b": int64(2)}},
		{nested, map[string]any{"a": []any{"x"}, "m": map[string]any{"k": []any{"bad"}}}},
		{nested, map[string]any{"a": []any{"x"}, "s": map[string]any{"x": "bad"}}},
		{ArrayType(nested), []any{nil, map[string]any{"s": map[string]any{"x": "1.234"}}}},
		{StringType, []any{}},
	} {
		b := NewBatch(Schema{{Name: "id", Type: BigIntType}, {Name: "v", Type: c.t}})
		if err := b.AppendRow(int64(1), nil); err != nil {
			t.Fatal(err)
		}
		if err := b.AppendRow(int64(2), c.bad); err == nil {
			t.Errorf("%s takes %v", c.t, c.bad)
			continue
		}
		if err := b.AppendRow(int64(3), nil); err != nil {
			t.Fatal(err)
		}
		if b.Len != 2 || !reflect.DeepEqual(b.Row(1), []any{int64(3), nil}) || deepLen(b.Columns[1]) != deepLen(filled(t, c.t, []any{nil, nil})) {
			t.Errorf("%s: after %v: %v, %s", c.t, c.bad, b.Row(1), deepLen(b.Columns[1]))
		}
	}
}

// deepLen is the lengths of all slices of a column.
func deepLen(c *Column) string {
	text := fmt.Sprint(c.n, len(c.Ints), len(c.Floats), len(c.Decimals), len(c.Bytes), len(c.Ends))
	for _, child := range c.Children {
		text += "(" + deepLen(child) + ")"
	}
	return text
}

func TestBatches(t *testing.T) {
	s := Schema{{Name: "id", Type: IntType}}
	one, two := NewBatch(s), NewBatch(s)
	for i, b := range []*Batch{one, two} {
		if err := b.AppendRow(i); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := ReadAll(context.Background(), NewBatches(s, one, two))
	if err != nil || !reflect.DeepEqual(rows, [][]any{{int64(0)}, {int64(1)}}) {
		t.Errorf("%v, %v", rows, err)
	}
	one.Truncate(0)
	if one.Len != 0 || one.Columns[0].Len() != 0 {
		t.Errorf("%d rows after Truncate", one.Len)
	}
}
