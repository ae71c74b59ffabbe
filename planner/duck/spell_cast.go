package duck

import (
	"fmt"

	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// cast converts by Spark's rules.
func (s *speller) cast(x string, from, to row.Type, at expr.Expr) string {
	if s.try && !s.alike(from, to) {
		text, _ := s.fitting(x, from, to, at)
		return text
	}
	if s.ansi && (!s.alike(from, to) || from.Kind == row.Void) {
		return s.ansiCast(x, from, to, at)
	}
	return s.lenientCast(x, from, to, at)
}

// alike reports whether values of two types are the same to the engine.
func (s *speller) alike(from, to row.Type) bool {
	return TypeSQL(from) == TypeSQL(to) && (s.zone == nil || from.Equal(to))
}

// lenientCast converts by the rules with ANSI mode off: what does not fit becomes
// NULL, whole numbers wrap, fractions are cut.
func (s *speller) lenientCast(x string, from, to row.Type, at expr.Expr) string {
	if s.alike(from, to) && from.Kind != row.Void {
		return x
	}
	switch {
	case from.Kind == row.Void:
		return "CAST(" + x + " AS " + TypeSQL(to) + ")"
	case to.Kind == row.String:
		return s.toText(x, from)
	case to.Nested():
		return s.castNested(x, from, to, at)
	}
	switch to.Kind {
	case row.Boolean:
		return toBoolean(x, from, s, at)
	case row.TinyInt, row.SmallInt, row.Int, row.BigInt:
		return toInteger(x, from, to)
	case row.Float, row.Double:
		return toFloat(x, from, to)
	case row.Decimal:
		return toDecimal(x, from, to)
	case row.Date, row.Timestamp, row.TimestampNTZ:
		return s.toTime(x, from, to, at)
	case row.Binary:
		if from.Kind == row.String {
			return "encode(" + x + ")"
		}
		return fmt.Sprintf("unhex(right(lpad(hex(CAST(%s AS BIGINT)), 16, '0'), %d))", x, 2<<(from.Kind-row.TinyInt))
	case row.Interval:
		return "TRY_CAST(" + x + " AS INTERVAL)"
	}
	return s.fail(at, codeUnserved, "a cast of %s to %s is not supported yet", from.SQL(), to.SQL())
}

// toText writes a value as Spark prints it.
func (s *speller) toText(x string, from row.Type) string {
	switch from.Kind {
	case row.Float, row.Double:
		return "spark_float_text(" + x + ")"
	case row.Binary:
		return "decode(" + x + ")"
	case row.Interval:
		return intervalText(x, from)
	case row.Date:
		return "spark_date_text(" + x + ")"
	case row.Timestamp:
		return "spark_time_text(" + s.wall(x) + ")"
	case row.TimestampNTZ:
		return "spark_time_text(" + x + ")"
	case row.Decimal:
		return decimalText(x, from)
	case row.Array:
		v := s.variable()
		return fmt.Sprintf("('[' || array_to_string(list_transform(%s, lambda %s: coalesce(%s, 'null')), ', ') || ']')", x, v, s.toText(v, *from.Elem))
	case row.Map, row.Struct:
		return s.nestedText(x, from)
	}
	return "CAST(" + x + " AS VARCHAR)"
}

// decimalText writes all digits of the scale, with an exponent for what is very
// small, as Java does.
func decimalText(x string, t row.Type) string {
	text := "CAST(" + x + " AS VARCHAR)"
	if t.Precision == t.Scale { // the engine would write .5
		text = "spark_point_text(" + text + ")"
	}
	if t.Scale > 6 {
		return fmt.Sprintf("spark_decimal_text(%s, %d)", text, t.Scale)
	}
	return text
}

func (s *speller) nestedText(x string, from row.Type) string {
	if from.Kind == row.Map {
		v := s.variable()
		key, value := s.toText("struct_extract("+v+", 'key')", *from.Key), s.toText("struct_extract("+v+", 'value')", *from.Elem)
		return fmt.Sprintf("('{' || array_to_string(list_transform(map_entries(%s), lambda %s: %s || ' -> ' || coalesce(%s, 'null')), ', ') || '}')",
			x, v, key, value)
	}
	parts := ""
	for i, f := range from.Fields {
		if i > 0 {
			parts += " || ', ' || "
		}
		parts += "coalesce(" + s.toText("struct_extract("+x+", "+QuoteText(f.Name)+")", f.Type) + ", 'null')"
	}
	return fmt.Sprintf("CASE WHEN %s IS NOT NULL THEN '{' || %s || '}' END", x, parts)
}

func toBoolean(x string, from row.Type, s *speller, at expr.Expr) string {
	switch {
	case from.Kind == row.String:
		return "spark_boolean(" + x + ")"
	case from.Numeric():
		return "(" + x + " <> 0)"
	case from.Kind == row.Timestamp:
		return "(epoch_us(" + x + ") <> 0)"
	}
	return s.fail(at, codeUnserved, "a cast of %s to BOOLEAN is not supported yet", from.SQL())
}

func toInteger(x string, from, to row.Type) string {
	name := TypeSQL(to)
	switch {
	case from.Kind == row.String:
		return "TRY_CAST(spark_whole(" + x + ") AS " + name + ")"
	case from.Kind == row.Boolean, from.Integral() && from.Kind < to.Kind:
		return "CAST(" + x + " AS " + name + ")"
	case from.Integral():
		return fmt.Sprintf("spark_wrap_%s(%s)", name, x)
	case from.Kind == row.Decimal:
		if from.Precision-from.Scale < map[row.Kind]int{row.TinyInt: 3, row.SmallInt: 5, row.Int: 10, row.BigInt: 19}[to.Kind] {
			return "CAST(trunc(" + x + ") AS " + name + ")"
		}
		return fmt.Sprintf("spark_wrap_%s(spark_low(trunc(%s)))", name, x)
	case from.Kind == row.Float, from.Kind == row.Double:
		if to.Kind < row.Int {
			return fmt.Sprintf("spark_wrap_%s(spark_cut_INTEGER(%s))", name, x)
		}
		return fmt.Sprintf("spark_cut_%s(%s)", name, x)
	case from.Kind == row.Timestamp:
		seconds := "spark_floor_div(epoch_us(" + x + "), 1000000)"
		if to.Kind == row.BigInt {
			return seconds
		}
		return fmt.Sprintf("spark_wrap_%s(%s)", name, seconds)
	}
	return "CAST(NULL AS " + name + ")"
}

func toFloat(x string, from, to row.Type) string {
	name := TypeSQL(to)
	switch {
	case from.Kind == row.String:
		return "TRY_CAST(spark_number(" + x + ") AS " + name + ")"
	case from.Kind == row.Timestamp:
		return "CAST(epoch_us(" + x + ") / 1000000.0::DOUBLE AS " + name + ")"
	case from.Kind == row.Double && to.Kind == row.Float:
		return "spark_float(" + x + ")"
	case from.Numeric(), from.Kind == row.Boolean:
		return "CAST(" + x + " AS " + name + ")"
	}
	return "CAST(NULL AS " + name + ")"
}

func toDecimal(x string, from, to row.Type) string {
	name := TypeSQL(to)
	whole := to.Precision - to.Scale
	switch {
	case from.Kind == row.String:
		return digitsToDecimal("spark_number("+x+")", to)
	case from.Kind == row.Float: // all digits that the DOUBLE has
		return digitsToDecimal("CAST(CAST("+x+" AS DOUBLE) AS VARCHAR)", to)
	case from.Kind == row.Double:
		return digitsToDecimal("CAST("+x+" AS VARCHAR)", to)
	case from.Kind == row.Decimal && whole >= from.Precision-from.Scale && to.Scale >= from.Scale:
		return "CAST(" + x + " AS " + name + ")"
	case from.Integral() && whole >= map[row.Kind]int{row.TinyInt: 3, row.SmallInt: 5, row.Int: 10, row.BigInt: 19}[from.Kind]:
		return "CAST(" + x + " AS " + name + ")"
	case from.Numeric():
		return "TRY_CAST(" + x + " AS " + name + ")"
	case from.Kind == row.Boolean:
		return "TRY_CAST(CAST(" + x + " AS INTEGER) AS " + name + ")"
	case from.Kind == row.Timestamp:
		return "TRY_CAST(CAST(epoch_us(" + x + ") AS DECIMAL(20,0)) * 0.000001 AS " + name + ")"
	}
	return "CAST(NULL AS " + name + ")"
}

// digitsToDecimal makes a decimal of a number as text. The engine takes 5e-10 for the
// smallest decimal, whatever the scale: it rounds by the first digit, wherever it is.
// What is less than a fifth of that decimal is 0.
func digitsToDecimal(text string, to row.Type) string {
	return fmt.Sprintf("TRY_CAST(spark_exponent(%s, 2e-%d) AS %s)", text, to.Scale+1, TypeSQL(to))
}

func (s *speller) toTime(x string, from, to row.Type, at expr.Expr) string {
	switch {
	case from.Kind == row.String && to.Kind == row.Date:
		return "spark_date(" + x + ")"
	case from.Kind == row.String && to.Kind == row.TimestampNTZ:
		return "spark_timestamp_ntz(" + x + ")"
	case from.Kind == row.String:
		return s.readInstant(x)
	case from.Kind == row.Timestamp:
		return "CAST(" + s.wall(x) + " AS " + TypeSQL(to) + ")"
	case from.Kind == row.Date && to.Kind == row.Timestamp:
		return s.startOfDay(x)
	case from.Kind == row.TimestampNTZ && to.Kind == row.Timestamp:
		return s.instant(x)
	case from.Kind == row.Date || from.Kind == row.TimestampNTZ:
		return "CAST(" + x + " AS " + TypeSQL(to) + ")"
	case from.Kind == row.Boolean:
		return "make_timestamp(CAST(" + x + " AS BIGINT))"
	case from.Integral():
		return "spark_seconds(CAST(" + x + " AS BIGINT))"
	case from.Kind == row.Float, from.Kind == row.Double:
		return "spark_seconds_double(" + x + ")"
	case from.Kind == row.Decimal && (from.Precision-from.Scale > 12 || from.Precision > 32):
		return "make_timestamp(" + wideText("low", x, "'0.000001'", row.BigIntType) + ")"
	case from.Kind == row.Decimal:
		return fmt.Sprintf("make_timestamp(TRY_CAST(trunc(CAST(%s AS DECIMAL(38,%d)) * 1000000) AS BIGINT))", x, from.Scale)
	}
	return s.fail(at, codeUnserved, "a cast of %s to %s is not supported yet", from.SQL(), to.SQL())
}

func (s *speller) castNested(x string, from, to row.Type, at expr.Expr) string {
	switch to.Kind {
	case row.Array:
		v := s.variable()
		return fmt.Sprintf("list_transform(%s, lambda %s: %s)", x, v, s.cast(v, *from.Elem, *to.Elem, at))
	case row.Map:
		v := s.variable()
		key := s.cast("struct_extract("+v+", 'key')", *from.Key, *to.Key, at)
		value := s.cast("struct_extract("+v+", 'value')", *from.Elem, *to.Elem, at)
		return fmt.Sprintf("map_from_entries(list_transform(map_entries(%s), lambda %s: struct_pack(key := %s, value := %s)))", x, v, key, value)
	default:
		parts := ""
		for i, f := range from.Fields {
			if i > 0 {
				parts += ", "
			}
			parts += QuoteName(to.Fields[i].Name) + " := " + s.cast("struct_extract("+x+", "+QuoteText(f.Name)+")", f.Type, to.Fields[i].Type, at)
		}
		return fmt.Sprintf("CASE WHEN %s IS NOT NULL THEN struct_pack(%s) END", x, parts)
	}
}
