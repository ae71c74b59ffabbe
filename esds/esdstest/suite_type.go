package esdstest

import (
	"errors"
	"strings"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

var typeTests = map[string]func(*env){
	"type/round trip":   testRoundTrip,
	"type/hints":        testHints,
	"type/casts":        testCasts,
	"type/misfits":      testMisfits,
	"type/lenient":      testLenient,
	"type/empty":        testEmptyAsNull,
	"type/nested":       testNested,
	"type/date formats": testDateFormats,
}

// everyType has a column of each type.
var everyType = fields(
	"id", row.StringType, "b", row.BooleanType, "i8", row.TinyIntType, "i16", row.SmallIntType, "i32", row.IntType, "i64", row.BigIntType,
	"f32", row.FloatType, "f64", row.DoubleType, "dec", row.DecimalType(38, 10), "whole", row.DecimalType(38, 0), "s", row.StringType,
	"bin", row.BinaryType, "d", row.DateType, "ts", row.TimestampType, "ntz", row.TimestampNTZType,
)

// everyValue has the edges of each type.
func everyValue() [][]any {
	return [][]any{
		{
			"a max", true, int64(127), int64(32767), int64(2147483647), int64(9223372036854775807), 3.4028234663852886e38, 1.7976931348623157e308,
			"1234567890123456789012345678.0123456789", "99999999999999999999999999999999999999", "line\nbreak \"quoted\" \\ back\tslash \u0001",
			[]byte{0, 1, 254, 255},
			"2262-04-11", "2200-12-31T23:59:59.999999Z", "2200-12-31T23:59:59.999999",
		},
		{
			"b min", false, int64(-128), int64(-32768), int64(-2147483648), int64(-9223372036854775808), -3.4028234663852886e38, 5e-324,
			"-1234567890123456789012345678.0123456789", "-99999999999999999999999999999999999999", "",
			[]byte{},
			"1677-09-22", "1800-01-01T00:00:00Z", "1800-01-01T00:00:00",
		},
		{
			"c odd", true, int64(0), int64(0), int64(0), int64(9007199254740993), float64(float32(0.1)), 0.1,
			"0.0000000001", "9007199254740993", "żółć 日本語 😀 \u00e9e\u0301 \u2028",
			[]byte("text"), "1970-01-01", "1970-01-01T00:00:00.000001Z", "1969-12-31T23:59:59.999999",
		},
		{
			"d zero", false, int64(-1), int64(-1), int64(-1), int64(-9007199254740993), 0.0, -0.5,
			"0.0000000000", "0", "null",
			[]byte{10},
			"1969-12-31", "2024-02-29T12:34:56.7Z", "2024-02-29T12:34:56",
		},
		{"e null", nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil},
		{"f long", true, int64(1), int64(1), int64(1), int64(1), 1.5, 1e21, "1.0000000000", "1", strings.Repeat("lang ü ", 6000), []byte(strings.Repeat("x", 50000)), "2024-01-01", "2024-01-01T00:00:00Z", "2024-01-01T00:00:00"},
	}
}

func testRoundTrip(e *env) {
	rows := everyValue()
	name := e.fill("a", everyType, rows...)
	index := e.open(name)
	e.wantRows("all at once", e.scan(index, esds.Scan{Columns: everyType}), rows...)
	for i, f := range everyType {
		var want [][]any
		for _, r := range rows {
			want = append(want, []any{r[0], r[i]})
		}
		columns := row.Schema{everyType[0], f}
		e.wantRows("only "+f.Name, e.scan(index, esds.Scan{Columns: columns}), want...)
	}
}

// testHints finds the types that were written in an index that eslake made.
func testHints(e *env) {
	schema := fields(
		"a", row.ArrayType(row.IntType), "d", row.DateType, "dec", row.DecimalType(12, 2), "id", row.StringType,
		"m", row.MapType(row.StringType, row.BigIntType), "n", row.DecimalType(38, 0), "ts", row.TimestampType,
	)
	if got := e.open(e.make("a", schema)).Schema(); !sameColumns(got, schema) {
		e.Errorf("schema = %v, want %v", row.StructType(got...).SQL(), row.StructType(schema...).SQL())
	}
}

func testCasts(e *env) {
	schema := fields(
		"id", row.StringType, "n", row.BigIntType, "s", row.StringType, "f", row.DoubleType, "d", row.DateType, "b", row.BooleanType, "ts", row.TimestampType,
		"x", row.StructType(row.Field{Name: "y", Type: row.IntType}), "l", row.ArrayType(row.IntType),
	)
	name := e.fill("a", schema, []any{"1", int64(42), "17", 2.0, "2024-02-29", true, "2024-02-29T10:00:00.5Z", map[string]any{"y": int64(3)}, []any{int64(1), int64(2)}})
	index := e.open(name)
	for _, tt := range []struct {
		column string
		typ    row.Type
		want   any
	}{
		{"n", row.IntType, int64(42)},
		{"n", row.TinyIntType, int64(42)},
		{"n", row.DoubleType, 42.0},
		{"n", row.StringType, "42"},
		{"n", row.DecimalType(20, 2), "42.00"},
		{"s", row.IntType, int64(17)},
		{"s", row.DecimalType(5, 1), "17.0"},
		{"s", row.DoubleType, 17.0},
		{"f", row.DecimalType(10, 3), "2.000"},
		{"d", row.TimestampType, "2024-02-29T00:00:00Z"},
		{"ts", row.DateType, "2024-02-29"},
		{"ts", row.TimestampNTZType, "2024-02-29T10:00:00.5"},
		{"b", row.StringType, "true"},
		{"l", row.ArrayType(row.StringType), []any{"1", "2"}},
		{"l", row.ArrayType(row.BigIntType), []any{int64(1), int64(2)}},
		{"x", row.StructType(row.Field{Name: "y", Type: row.BigIntType}), map[string]any{"y": int64(3)}},
		{"x", row.MapType(row.StringType, row.IntType), map[string]any{"y": int64(3)}},
	} {
		got, err := e.tryScan(index, esds.Scan{Columns: fields(tt.column, tt.typ)})
		if err != nil {
			e.Errorf("%s as %s: %v", tt.column, tt.typ, err)
			continue
		}
		e.wantRows(tt.column+" as "+tt.typ.String(), got, []any{tt.want})
	}
}

func testMisfits(e *env) {
	schema := fields("id", row.StringType, "n", row.BigIntType, "s", row.StringType, "l", row.ArrayType(row.StringType), "f", row.DoubleType)
	name := e.fill("a", schema, []any{"bad", int64(1 << 40), "abc", []any{"a", "b"}, 1e300})
	index := e.open(name)
	for _, tt := range []struct {
		column string
		typ    row.Type
	}{
		{"n", row.IntType},
		{"n", row.TinyIntType},
		{"n", row.DecimalType(5, 0)},
		{"n", row.BooleanType},
		{"s", row.IntType},
		{"s", row.DateType},
		{"s", row.TimestampType},
		{"s", row.DoubleType},
		{"s", row.BooleanType},
		{"s", row.DecimalType(10, 2)},
		{"s", row.StructType(row.Field{Name: "x", Type: row.IntType})},
		{"l", row.StringType},
		{"l", row.IntType},
		{"f", row.DecimalType(38, 0)},
	} {
		_, err := e.tryScan(index, esds.Scan{Columns: fields("id", row.StringType, tt.column, tt.typ)})
		var bad *esds.ValueError
		if !errors.As(err, &bad) {
			e.Errorf("%s as %s: error = %v, want a *ValueError", tt.column, tt.typ, err)
			continue
		}
		if bad.Index != name || bad.ID != "bad" || !strings.HasPrefix(bad.Field, tt.column) || bad.Value == "" {
			e.Errorf("%s as %s: the error does not say where: %+v", tt.column, tt.typ, bad)
		}
	}
}

func testLenient(e *env) {
	schema := fields("id", row.StringType, "s", row.StringType)
	name := e.fill("a", schema, []any{"1", "12"}, []any{"2", "abc"})
	index := e.open(name, "eslake.read.lenient", "true")
	e.wantRows("lenient", e.scan(index, esds.Scan{Columns: fields("id", row.StringType, "s", row.IntType)}), []any{"1", int64(12)}, []any{"2", nil})
}

func testEmptyAsNull(e *env) {
	schema := fields("id", row.StringType, "s", row.StringType)
	name := e.fill("a", schema, []any{"1", ""}, []any{"2", nil}, []any{"3", " "})
	e.wantRows("as written", e.scan(e.open(name), esds.Scan{Columns: schema}), []any{"1", ""}, []any{"2", nil}, []any{"3", " "})
	index := e.open(name, "es.read.field.empty.as.null", "true")
	got := e.scan(index, esds.Scan{Columns: schema})
	if len(got) != 3 || got[0][1] != nil {
		e.Errorf("rows = %v, want NULL for the empty string", got)
	}
	column := column(schema, "s")
	empty := &expr1{column, "isnull"}
	how := index.Pushdown(empty.call())
	if how == esds.No {
		return
	}
	ids := e.ids(index, empty.call())
	if len(ids) < 2 {
		e.Errorf("s IS NULL is pushed and finds %v, want 1 and 2 at least", ids)
	}
}

func testNested(e *env) {
	geo := row.StructType(row.Field{Name: "lat", Type: row.DoubleType}, row.Field{Name: "lon", Type: row.DoubleType})
	schema := fields(
		"id", row.StringType, "tags", row.ArrayType(row.StringType), "grid", row.ArrayType(row.ArrayType(row.IntType)),
		"addr", row.StructType(row.Field{Name: "city", Type: row.StringType}, row.Field{Name: "geo", Type: geo}),
		"hist", row.ArrayType(row.StructType(row.Field{Name: "at", Type: row.TimestampType}, row.Field{Name: "v", Type: row.DecimalType(10, 2)})),
		"props", row.MapType(row.StringType, row.StringType), "days", row.ArrayType(row.DateType), "big", row.ArrayType(row.BigIntType),
	)
	rows := [][]any{
		{
			"a",
			[]any{"x", "ü", ""},
			[]any{[]any{int64(1), int64(2)}, []any{int64(3)}},
			map[string]any{"city": "Bern", "geo": map[string]any{"lat": 46.9, "lon": 7.4}},
			[]any{map[string]any{"at": "2024-01-01T00:00:00.000001Z", "v": "1.50"}, map[string]any{"at": nil, "v": "-2.25"}},
			map[string]any{"k": "v", "Other Key": "w"},
			[]any{"2024-02-29"},
			[]any{int64(9007199254740993), int64(-1)},
		},
		{"b empty", []any{}, []any{}, map[string]any{"city": nil, "geo": nil}, []any{}, map[string]any{}, []any{}, []any{}},
		{"c null", nil, nil, nil, nil, nil, nil, nil},
		{"d holes", []any{"x", nil, "y"}, []any{[]any{int64(1), nil}}, map[string]any{"city": "Köln", "geo": nil}, []any{}, map[string]any{"k": nil}, []any{nil}, []any{nil, int64(5)}},
	}
	name := e.fill("a", schema, rows...)
	got := e.scan(e.open(name), esds.Scan{Columns: schema})
	// An object whose fields are all NULL may read as NULL: a document cannot
	// tell them apart where NULL is left out.
	for i := range got {
		if i == 1 && len(got[i]) > 3 && got[i][3] == nil {
			got[i][3] = rows[1][3]
		}
	}
	e.wantRows("nested", got, rows...)
}

// testDateFormats writes timestamps into mappings that ask for other forms.
func testDateFormats(e *env) {
	mapping := `{"properties": {"id": {"type": "keyword"}, "iso": {"type": "date"}, "nanos": {"type": "date_nanos"}, "millis": {"type": "date", "format": "epoch_millis"},
		"seconds": {"type": "date", "format": "epoch_second"}, "day": {"type": "date", "format": "yyyy-MM-dd"}, "sql": {"type": "date", "format": "yyyy-MM-dd HH:mm:ss"},
		"either": {"type": "date", "format": "yyyy/MM/dd||epoch_millis"}}}`
	name := e.makeMapped("a", []byte(mapping))
	schema := fields(
		"id", row.StringType, "iso", row.TimestampType, "nanos", row.TimestampType, "millis", row.TimestampType, "seconds", row.TimestampType,
		"day", row.DateType, "sql", row.TimestampType, "either", row.DateType,
	)
	rows := [][]any{
		{"1", "2024-02-29T10:11:12.123456Z", "2024-02-29T10:11:12.123456Z", "2024-02-29T10:11:12.123Z", "2024-02-29T10:11:12Z", "2024-02-29", "2024-02-29T10:11:12Z", "2024-02-29"},
		{"2", "1969-12-31T23:59:59.5Z", "1980-01-01T00:00:00Z", "1970-01-01T00:00:00.001Z", "1970-01-01T00:00:01Z", "1969-12-31", "1969-12-31T23:59:59Z", "1969-12-31"},
	}
	e.write(esds.Write{Index: name, ID: "id"}, schema, rows...)
	e.wantRows("dates", e.scan(e.open(name), esds.Scan{Columns: schema}), rows...)
}
