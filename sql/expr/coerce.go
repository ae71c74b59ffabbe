package expr

import (
	"strings"

	"github.com/eslake/eslake/sql/row"
)

// CommonType returns the type that holds values of all given types, by the rule
// of CASE, coalesce, IN, array() and set operations: text wins over numbers and
// dates, with ansi it gives way to them. It reports false when there is none.
func CommonType(ansi bool, types ...row.Type) (row.Type, bool) {
	return commonType(types, textRule(ansi))
}

// promotion says what becomes of text beside another type.
type promotion uint8

const (
	noText     promotion = iota // they do not go together
	textWins                    // the other becomes text
	textGives                   // text becomes the other, as with ANSI
	noTextANSI                  // they do not go together, with ANSI
	noLoss                      // they do not go together, nor do decimals of other sizes
)

func textRule(ansi bool) promotion {
	if ansi {
		return textGives
	}
	return textWins
}

// commonType folds the types into one. Text goes first, as in Spark, so that the
// order of the others cannot matter.
func commonType(types []row.Type, promote promotion) (row.Type, bool) {
	t := row.VoidType
	for _, text := range []bool{true, false} {
		for _, x := range types {
			if (x.Kind == row.String) != text {
				continue
			}
			var ok bool
			if t, ok = widen(t, x, promote); !ok {
				return row.Type{}, false
			}
		}
	}
	return t, true
}

// widen returns the type for values of two types. With promote, text absorbs
// numbers and dates.
func widen(a, b row.Type, promote promotion) (row.Type, bool) {
	if (promote == textGives || promote == noTextANSI) && (a.Kind == row.Float && b.Integral() || a.Integral() && b.Kind == row.Float) {
		return row.DoubleType, true // with ANSI no digit of the whole number is lost
	}
	if t, ok := tightest(a, b); ok {
		return t, true
	}
	switch {
	case promote == textWins && a.Kind == row.String && absorbable(b):
		return a, true
	case promote == textWins && b.Kind == row.String && absorbable(a):
		return b, true
	case promote == textGives && a.Kind == row.String:
		return textAs(b)
	case promote == textGives && b.Kind == row.String:
		return textAs(a)
	}
	if a.Numeric() && b.Numeric() && promote != noLoss {
		if fractional(a) || fractional(b) {
			return row.DoubleType, true
		}
		return widerDecimal(asDecimal(a), asDecimal(b)), true
	}
	return widenNested(a, b, promote)
}

// textAs returns what text is cast to beside a type, with ANSI.
func textAs(t row.Type) (row.Type, bool) {
	switch {
	case t.Integral():
		return row.BigIntType, true
	case t.Numeric():
		return row.DoubleType, true
	}
	return t, !t.Nested() && t.Kind != row.Interval
}

func absorbable(t row.Type) bool {
	return !t.Nested() && t.Kind != row.Binary && t.Kind != row.Boolean
}

func fractional(t row.Type) bool { return t.Kind == row.Float || t.Kind == row.Double }

func widenNested(a, b row.Type, promote promotion) (row.Type, bool) {
	if a.Kind != b.Kind {
		return row.Type{}, false
	}
	switch a.Kind {
	case row.Array:
		elem, ok := widen(*a.Elem, *b.Elem, promote)
		return row.ArrayType(elem), ok
	case row.Map:
		key, ok := widen(*a.Key, *b.Key, promote)
		value, ok2 := widen(*a.Elem, *b.Elem, promote)
		return row.MapType(key, value), ok && ok2
	case row.Struct:
		return widenStruct(a, b, promote)
	}
	return row.Type{}, false
}

func widenStruct(a, b row.Type, promote promotion) (row.Type, bool) {
	if len(a.Fields) != len(b.Fields) {
		return row.Type{}, false
	}
	fields := make(row.Schema, len(a.Fields))
	for i, f := range a.Fields {
		if !strings.EqualFold(f.Name, b.Fields[i].Name) {
			return row.Type{}, false
		}
		t, ok := widen(f.Type, b.Fields[i].Type, promote)
		if !ok {
			return row.Type{}, false
		}
		fields[i] = row.Field{Name: f.Name, Type: t}
	}
	return row.Type{Kind: row.Struct, Fields: fields}, true
}

// tightest returns the wider of two types when no value is lost on the way:
// numbers by size, dates to timestamps, never text.
func tightest(a, b row.Type) (row.Type, bool) {
	switch {
	case a.Kind == row.Interval && b.Kind == row.Interval:
		return widerInterval(a, b)
	case a.Equal(b), b.Kind == row.Void:
		return a, true
	case a.Kind == row.Void:
		return b, true
	case a.Kind == row.Decimal || b.Kind == row.Decimal:
		return tightestDecimal(a, b)
	case a.Numeric() && b.Numeric():
		if a.Kind > b.Kind {
			return a, true
		}
		return b, true
	case isTime(a) && isTime(b):
		if a.Kind == row.Timestamp || b.Kind == row.Timestamp {
			return row.TimestampType, true
		}
		return row.TimestampNTZType, true
	}
	return row.Type{}, false
}

// widerInterval has the units of both; months and days do not go together.
func widerInterval(a, b row.Type) (row.Type, bool) {
	switch {
	case a.Precision == 0 || b.Precision == 0:
		return row.IntervalType, true
	case a.Months() != b.Months():
		return row.Type{}, false
	}
	return row.IntervalOf(min(a.Precision, b.Precision), max(a.Scale, b.Scale)), true
}

// tightestDecimal serves a decimal and an integer that fits in it.
func tightestDecimal(a, b row.Type) (row.Type, bool) {
	if b.Kind == row.Decimal {
		a, b = b, a
	}
	if b.Integral() {
		if d := asDecimal(b); a.Precision-a.Scale >= d.Precision {
			return a, true
		}
	}
	return row.Type{}, false
}

// isTime reports whether the type is a date or a timestamp.
func isTime(t row.Type) bool {
	return t.Kind == row.Date || t.Kind == row.Timestamp || t.Kind == row.TimestampNTZ
}

// comparisonType returns the type in which two values are compared: here the
// number or the date wins over text.
func comparisonType(a, b row.Type, ansi bool) (row.Type, bool) {
	if b.Kind == row.String && a.Kind != row.String {
		a, b = b, a
	}
	switch {
	case ansi && a.Kind == row.String && b.Kind != row.String && b.Kind != row.Void:
		return textAs(b)
	case a.Kind == row.String && b.Kind == row.Decimal:
		return row.DoubleType, true
	case a.Kind == row.String && b.Kind != row.Void && b.Kind != row.Interval && !b.Nested():
		return b, true
	}
	switch {
	case ansi:
		return widen(a, b, noTextANSI)
	case a.Nested():
		return widen(a, b, noLoss)
	}
	return widen(a, b, noText)
}

// asDecimal returns the decimal that holds all values of an integral type, or
// the digits that a float shows.
func asDecimal(t row.Type) row.Type {
	switch t.Kind {
	case row.TinyInt:
		return row.DecimalType(3, 0)
	case row.SmallInt:
		return row.DecimalType(5, 0)
	case row.Int:
		return row.DecimalType(10, 0)
	case row.BigInt:
		return row.DecimalType(20, 0)
	case row.Float:
		return row.DecimalType(14, 7)
	case row.Double:
		return row.DecimalType(30, 15)
	case row.Decimal:
		return t
	}
	return row.DecimalType(38, 18)
}

// widerDecimal holds all values of both decimals, as far as 38 digits go.
func widerDecimal(a, b row.Type) row.Type {
	scale := max(a.Scale, b.Scale)
	return boundedDecimal(max(a.Precision-a.Scale, b.Precision-b.Scale)+scale, scale)
}

func boundedDecimal(precision, scale int) row.Type {
	return row.DecimalType(min(precision, 38), min(scale, 38))
}

// adjustedDecimal gives up digits behind the point, but six, when a result would
// need more than 38 digits.
func adjustedDecimal(precision, scale int) row.Type {
	if precision <= 38 {
		return row.DecimalType(precision, scale)
	}
	whole := precision - scale
	return row.DecimalType(38, max(38-whole, min(scale, 6)))
}

// decimalResult returns the type of an operator over two decimals.
func decimalResult(op string, a, b row.Type) row.Type {
	scale := max(a.Scale, b.Scale)
	switch op {
	case "+", "-", "try_add", "try_subtract":
		return adjustedDecimal(max(a.Precision-a.Scale, b.Precision-b.Scale)+scale+1, scale)
	case "*", "try_multiply":
		return adjustedDecimal(a.Precision+b.Precision+1, a.Scale+b.Scale)
	case "/", "try_divide":
		scale = max(6, a.Scale+b.Precision+1)
		return adjustedDecimal(a.Precision-a.Scale+b.Scale+scale, scale)
	default: // % and pmod
		return adjustedDecimal(min(a.Precision-a.Scale, b.Precision-b.Scale)+scale, scale)
	}
}
