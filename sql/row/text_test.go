package row

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

func textOf(c *Column, i int) string { return string(AppendText(nil, c, i)) }

// TestTextReadsBack checks that ParseText reads what AppendText wrote, and
// ParseJSON what AppendJSON wrote.
func TestTextReadsBack(t *testing.T) {
	for _, s := range samples {
		c := filled(t, s.t, s.values)
		texts, jsons := NewColumn(s.t), NewColumn(s.t)
		for i := range c.Len() {
			if c.IsNull(i) || s.t.Kind == Binary {
				continue
			}
			if err := ParseText(texts, textOf(c, i)); err != nil {
				t.Errorf("%s: %v", s.t, err)
			}
			if got, want := textOf(texts, texts.Len()-1), textOf(c, i); got != want {
				t.Errorf("%s: text %s read back as %s", s.t, want, got)
			}
		}
		for i := range c.Len() {
			raw := AppendJSON(nil, c, i)
			if err := ParseJSON(jsons, raw); err != nil {
				t.Errorf("%s: %s: %v", s.t, raw, err)
				continue
			}
			if got := AppendJSON(nil, jsons, i); string(got) != string(raw) {
				t.Errorf("%s: JSON %s read back as %s", s.t, raw, got)
			}
		}
	}
}

func TestAppendFloat(t *testing.T) {
	for _, c := range []struct {
		v    float64
		bits int
		want string
	}{
		{0, 64, "0.0"},
		{math.Copysign(0, -1), 64, "-0.0"},
		{1, 64, "1.0"},
		{1e7, 64, "1.0E7"},
		{9999999, 64, "9999999.0"},
		{0.001, 64, "0.001"},
		{0.0001, 64, "1.0E-4"},
		{12345678.9, 64, "1.23456789E7"},
		{1e20, 64, "1.0E20"},
		{1.5e-7, 64, "1.5E-7"},
		{-1e300, 64, "-1.0E300"},
		{math.NaN(), 64, "NaN"},
		{math.Inf(1), 64, "Infinity"},
		{math.Inf(-1), 64, "-Infinity"},
		{float64(float32(0.1)), 32, "0.1"},
		{float64(float32(3.4e38)), 32, "3.4E38"},
		{math.MaxFloat64, 64, "1.7976931348623157E308"},
	} {
		if got := string(AppendFloat(nil, c.v, c.bits)); got != c.want {
			t.Errorf("%v is %s, want %s", c.v, got, c.want)
		}
	}
}

func TestAppendTimestamp(t *testing.T) {
	for _, c := range []struct {
		micros int64
		want   string
	}{
		{0, "1970-01-01 00:00:00"},
		{-1, "1969-12-31 23:59:59.999999"},
		{500_000, "1970-01-01 00:00:00.5"},
		{1_704_164_645_000_001, "2024-01-02 03:04:05.000001"},
		{-62_135_596_800_000_000, "0001-01-01 00:00:00"},
		{253_402_300_800_000_000, "+10000-01-01 00:00:00"},
	} {
		if got := string(AppendTimestamp(nil, c.micros, ' ')); got != c.want {
			t.Errorf("%d is %s, want %s", c.micros, got, c.want)
		}
	}
}

func TestParseTimestamp(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"2024-01-02T03:04:05Z", "2024-01-02 03:04:05"},
		{"2024-01-02 03:04:05", "2024-01-02 03:04:05"},
		{"2024-01-02 03:04:05.123456789", "2024-01-02 03:04:05.123456"},
		{"2024-01-02T03:04:05+02:00", "2024-01-02 01:04:05"},
		{"2024-01-02T03:04:05.5+0200", "2024-01-02 01:04:05.5"},
		{"2024-01-02", "2024-01-02 00:00:00"},
		{"2024-01-02T03:04", "2024-01-02 03:04:00"},
		{"2024-02", "2024-02-01 00:00:00"},
		{"2024", "2024-01-01 00:00:00"},
		{"1969-12-31T23:59:59.9Z", "1969-12-31 23:59:59.9"},
		{"2024-02-30", ""},
		{"noon", ""},
		{"", ""},
		{"2024-01-02T25:00:00Z", ""},
	} {
		micros, err := ParseTimestamp(c.text)
		got := ""
		if err == nil {
			got = string(AppendTimestamp(nil, micros, ' '))
		}
		if got != c.want {
			t.Errorf("%q is %q (%v), want %q", c.text, got, err, c.want)
		}
	}
}

func TestParseDecimal(t *testing.T) {
	for _, c := range []struct {
		text             string
		precision, scale int
		want             string
	}{
		{"1", 5, 2, "1.00"},
		{"-1.5", 5, 2, "-1.50"},
		{"+.5", 5, 2, "0.50"},
		{"5.", 5, 2, "5.00"},
		{"1e2", 5, 2, "100.00"},
		{"1.230", 5, 2, "1.23"},
		{"123.45", 5, 2, "123.45"},
		{"1234.5", 5, 2, ""},
		{"1.234", 5, 2, ""},
		{"", 5, 2, ""},
		{".", 5, 2, ""},
		{"-", 5, 2, ""},
		{"1/3", 5, 2, ""},
		{"0x1", 5, 2, ""},
		{"1_0", 5, 2, ""},
		{"NaN", 5, 2, ""},
		{"1e999999999", 38, 0, ""},
		{"99999999999999999999999999999999999999", 38, 0, "99999999999999999999999999999999999999"},
		{"-99999999999999999999999999999999999999", 38, 0, "-99999999999999999999999999999999999999"},
		{"100000000000000000000000000000000000000", 38, 0, ""},
		{"0.00000000000000000000000000000000000001", 38, 38, "0.00000000000000000000000000000000000001"},
		{"000000000000000000000000000000000000000000012", 5, 2, "12.00"},
		{"999999999999999999", 18, 0, "999999999999999999"},
		{"9223372036854775808", 19, 0, "9223372036854775808"},
		{"-0", 5, 2, "0.00"},
		{"1e-2", 5, 2, "0.01"},
		{" 1", 5, 2, ""},
	} {
		x, err := ParseDecimal(c.text, c.precision, c.scale)
		got := ""
		if err == nil {
			got = string(AppendDecimal(nil, x, c.scale))
		}
		if got != c.want {
			t.Errorf("ParseDecimal(%q, %d, %d) is %q (%v), want %q", c.text, c.precision, c.scale, got, err, c.want)
		}
	}
}

func TestInt128(t *testing.T) {
	for _, text := range []string{
		"0", "1", "-1", "9223372036854775807", "-9223372036854775808", "18446744073709551616", "-18446744073709551617",
		"99999999999999999999999999999999999999", "-99999999999999999999999999999999999999",
	} {
		b, _ := new(big.Int).SetString(text, 10)
		x, ok := Int128FromBig(b)
		if !ok || x.Big().Cmp(b) != 0 || x.Neg().Neg() != x || string(AppendDecimal(nil, x, 0)) != text {
			t.Errorf("%s: %v %s", text, x, x.Big())
		}
		if v, ok := x.Int64(); ok != b.IsInt64() || ok && v != b.Int64() {
			t.Errorf("%s as int64: %d, %t", text, v, ok)
		}
	}
	if _, ok := Int128FromBig(new(big.Int).Lsh(big.NewInt(1), 127)); ok {
		t.Error("2^127 fits")
	}
}

func TestTypeNames(t *testing.T) {
	for _, c := range []struct {
		t         Type
		name, sql string
	}{
		{IntType, "int", "INT"},
		{DecimalType(12, 2), "decimal(12,2)", "DECIMAL(12,2)"},
		{TimestampNTZType, "timestamp_ntz", "TIMESTAMP_NTZ"},
		{MapType(StringType, ArrayType(IntType)), "map<string,array<int>>", "MAP<STRING, ARRAY<INT>>"},
		{StructType(Field{Name: "a b", Type: IntType}, Field{Name: "c", Type: DoubleType}), "struct<a b:int,c:double>", "STRUCT<`a b`: INT, c: DOUBLE>"},
	} {
		if c.t.String() != c.name || c.t.SQL() != c.sql {
			t.Errorf("%s and %s, want %s and %s", c.t, c.t.SQL(), c.name, c.sql)
		}
	}
	a, b := StructType(Field{Name: "A", Type: IntType}), StructType(Field{Name: "a", Type: IntType})
	if !a.Equal(b) || a.Equal(StructType(Field{Name: "a", Type: BigIntType})) || DecimalType(5, 2).Equal(DecimalType(5, 1)) {
		t.Error("Equal compares wrongly")
	}
	s := Schema{{Name: "ID"}, {Name: "id"}, {Name: "x"}}
	if s.Index("id") != 1 || s.Index("Id") != 0 || s.Index("X") != 2 || s.Index("y") != -1 {
		t.Error("Index finds the wrong column")
	}
}

// TestDigits compares with what the standard library prints.
func TestDigits(t *testing.T) {
	ints := []int64{0, math.MinInt64, math.MaxInt64}
	for v := int64(1); v < 1e18; v *= 10 {
		ints = append(ints, v-1, v, v+1, 1-v, -v, 9*v, -9*v+1)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		ints = append(ints, int64(r.Uint64())>>r.IntN(64))
	}
	for _, v := range ints {
		if got, want := string(AppendInt(nil, v)), strconv.FormatInt(v, 10); got != want {
			t.Fatalf("%d is printed as %s", v, got)
		}
		for _, scale := range []int{0, 1, 2, 6, 18, 19, 38} {
			got, want := string(AppendDecimal(nil, Int128From(v), scale)), string(appendLongDecimal(nil, Int128From(v), scale))
			if v < 0 {
				want = "-" + string(appendLongDecimal(nil, Int128From(v).Neg(), scale))
			}
			if got != want {
				t.Fatalf("%d of scale %d is printed as %s, not %s", v, scale, got, want)
			}
		}
	}
	for _, v := range []uint64{1<<63 - 1, 1 << 63, 9_999_999_999_999_999_999, 10_000_000_000_000_000_000, math.MaxUint64} {
		if got, want := string(appendUint(nil, v, 1)), strconv.FormatUint(v, 10); got != want {
			t.Errorf("%d is printed as %s", v, got)
		}
	}
}

// TestPlainDoubles compares with the shortest text that strconv finds.
func TestPlainDoubles(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	doubles := []float64{0.001, 9_999_999.999999, 0.0010000000000000002, 9_999_999.999999998, 0.3, 0.1 + 0.2, 1.0 / 3, 4194304.0000005, 0.0010005, 5}
	for range 200_000 {
		v := float64(r.Int64N(1e13)) / 1e6
		doubles = append(doubles, v, -v, math.Nextafter(v, 0), math.Nextafter(v, 1e8), float64(r.Int64N(1e9))/1e2, math.Ldexp(r.Float64(), r.IntN(33)-9))
	}
	plain := 0
	for _, v := range doubles {
		if abs := math.Abs(v); abs < 1e-3 || abs >= 1e7 {
			continue
		}
		want := strconv.FormatFloat(v, 'f', -1, 64)
		if !strings.Contains(want, ".") {
			want += ".0"
		}
		if got := string(AppendFloat(nil, v, 64)); got != want {
			t.Fatalf("%s is printed as %s", want, got)
		}
		if _, ok := appendPlainDouble(nil, v); ok {
			plain++
		}
	}
	if plain < len(doubles)/3 {
		t.Errorf("only %d of %d were printed the short way", plain, len(doubles))
	}
}
