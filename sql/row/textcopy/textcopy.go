// Package textcopy makes lines of text that holds the same values already: of JSON
// documents in the answers of a search. A value is copied when its text is what would be
// printed of it; whatever else is met is left to the caller. It is written in C, which
// takes less than half of the time that Go takes for it: of a read of plain documents
// this is most of the work.
package textcopy

import "github.com/eslake/eslake/sql/row"

// Shape is what values of a column look like in most texts.
type Shape uint8

// The shapes.
const (
	Any  Shape = iota // nothing is known
	Text              // a string without escapes
	Whole
	Real
	Decimal
	Bool
	Date // "2006-01-02"
	Time // "2006-01-02T15:04:05.123Z"
)

// Look is what a look at a text can tell of values. The zero Look tells nothing.
type Look struct {
	Shape  Shape
	Most   string // the largest whole number, without a sign
	Digits int    // of a fractional number: at most so many; of a decimal: before the point
	Scale  int    // of a decimal: digits behind the point
}

// LookOf returns how values of a type look.
func LookOf(t row.Type) Look {
	switch t.Kind {
	case row.String:
		return Look{Shape: Text}
	case row.TinyInt, row.SmallInt, row.Int, row.BigInt:
		return Look{Shape: Whole, Most: t.Largest()}
	case row.Float:
		return Look{Shape: Real, Digits: 6} // FLT_DIG: so many decimal digits come back as they were
	case row.Double:
		return Look{Shape: Real, Digits: 15} // DBL_DIG
	case row.Decimal:
		return Look{Shape: Decimal, Digits: t.Precision - t.Scale, Scale: t.Scale}
	case row.Boolean:
		return Look{Shape: Bool}
	case row.Date:
		return Look{Shape: Date}
	case row.Timestamp:
		return Look{Shape: Time}
	}
	return Look{}
}
