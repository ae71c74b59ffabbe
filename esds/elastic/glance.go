package elastic

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

// glance is what a look at a JSON value can tell. The zero glance tells nothing.
type glance struct {
	shape  shape
	digits int // a whole number or all of a fractional one: at most so many
	whole  int // of a decimal: digits before the point
	scale  int // of a decimal: digits behind it
}

// shape is what values of a column look like in most documents.
type shape uint8

const (
	shapeAny  shape = iota // nothing is known
	shapeText              // a string without escapes
	shapeWhole
	shapeReal
	shapeDecimal
	shapeBool
	shapeDate // "2006-01-02"
	shapeTime // "2006-01-02T15:04:05.123Z"
)

// form says how a JSON value is spelled.
type form uint8

const (
	formAny form = iota
	// formPlain: the text is what row.AppendJSON prints of the value that it is
	// decoded to, and between the quotes what row.AppendText prints.
	formPlain
	// formEscaped is formPlain but for row.AppendText: a string with escapes.
	formEscaped
	formNull
)

// glanceOf returns what values of a field look like that is read as a type. Field
// is nil when the mapping says nothing of it.
func (d decoding) glanceOf(t row.Type, f *esds.Field) glance {
	switch t.Kind {
	case row.String:
		if !d.emptyNull && (f == nil || !hasOwnForm(f.Kind)) {
			return glance{shape: shapeText}
		}
	case row.TinyInt:
		return glance{shape: shapeWhole, digits: 2}
	case row.SmallInt:
		return glance{shape: shapeWhole, digits: 4}
	case row.Int:
		return glance{shape: shapeWhole, digits: 9}
	case row.BigInt:
		return glance{shape: shapeWhole, digits: 19}
	case row.Float:
		return glance{shape: shapeReal, digits: 6} // FLT_DIG: so many decimal digits come back as they were
	case row.Double:
		return glance{shape: shapeReal, digits: 15} // DBL_DIG
	case row.Decimal:
		return glance{shape: shapeDecimal, whole: t.Precision - t.Scale, scale: t.Scale}
	case row.Boolean:
		return glance{shape: shapeBool}
	case row.Date, row.Timestamp:
		if f == nil || !isDate(f.Kind) || !readsISO(f.Format) {
			break
		}
		if t.Kind == row.Date {
			return glance{shape: shapeDate}
		}
		return glance{shape: shapeTime}
	}
	return glance{}
}

// readsISO reports whether a format of dates takes 2006-01-02T15:04:05.123Z as
// such before anything else.
func readsISO(format string) bool {
	known, ok := parseDateFormat(format)
	return ok && len(known) > 0 && known[0].kind == defaultFormat[0].kind
}

// scan returns the position after the value at i, and its form. It takes a byte
// for granted behind every value.
func (g *glance) scan(b []byte, i int) (end int, f form, err error) {
	switch g.shape {
	case shapeText:
		if b[i] == '"' {
			return scanText(b, i)
		}
	case shapeWhole:
		end = g.wholeNumber(b, i)
	case shapeReal:
		end = g.real(b, i)
	case shapeDecimal:
		end = g.decimal(b, i)
	case shapeBool:
		end = boolean(b, i)
	case shapeDate, shapeTime:
		end = g.date(b, i)
	}
	if end > 0 {
		return end, formPlain, nil
	}
	end, err = skipValue(b, i)
	return end, formAny, err
}

// scanText is scan of a string. The escapes of formEscaped are those that
// row.AppendQuoted makes.
func scanText(b []byte, i int) (end int, f form, err error) {
	f = formPlain
	at, high := plainText(b, i+1)
	for at+1 < len(b) && b[at] == '\\' {
		switch b[at+1] {
		case '"', '\\', 'n', 'r', 't', 'b', 'f':
			f = formEscaped
		default:
			end, err = skipLongString(b, at)
			return end, formAny, err
		}
		var more bool
		at, more = plainText(b, at+2)
		high = high || more
	}
	switch {
	case at >= len(b):
		return at, formAny, errJSON
	case b[at] != '"': // a control character
		end, err = skipLongString(b, at)
		return end, formAny, err
	case high && !utf8.Valid(b[i+1:at]):
		f = formAny
	}
	return at + 1, f, nil
}

// plainText returns the position of the first byte from i on that is a quote, a
// backslash or a control character, len(b) when there is none, and whether there
// are bytes beyond ASCII before it, or a few behind.
func plainText(b []byte, i int) (at int, high bool) {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	seen := uint64(0)
	for ; i+8 <= len(b); i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		quote, slash := w^(ones*'"'), w^(ones*'\\')
		// The lowest bit that is set is right; a borrow may set wrong ones above it.
		stop := ((quote - ones) &^ quote) | ((slash - ones) &^ slash) | ((w - ones*' ') &^ w)
		seen |= w
		if stop &= highs; stop != 0 {
			return i + bits.TrailingZeros64(stop)/8, seen&highs != 0
		}
	}
	for ; i < len(b); i++ {
		seen |= uint64(b[i]) & 0x80
		if c := b[i]; c == '"' || c == '\\' || c < ' ' {
			break
		}
	}
	return i, seen&highs != 0
}

// ends reports whether a number ends before i.
func ends(b []byte, i int) bool {
	return i < len(b) && (b[i] == ',' || b[i] == '}' || b[i] == ']')
}

// digitsFrom returns the position after the digits at i.
func digitsFrom(b []byte, i int) int {
	for i < len(b) && b[i]-'0' <= 9 {
		i++
	}
	return i
}

// wholeNumber returns the position after 0, 17 or -17; 0 for anything else, also
// for numbers of more digits than any of the type.
func (g *glance) wholeNumber(b []byte, i int) int {
	start := i
	if b[i] == '-' {
		start++
	}
	end := digitsFrom(b, start)
	n := end - start
	if n == 0 || n > g.digits || !ends(b, end) || b[start] == '0' && (n > 1 || start > i) {
		return 0
	}
	if n == 19 && string(b[start:end]) > "9223372036854775807" {
		return 0
	}
	return end
}

// real returns the position after a number that Java prints as it stands here: it
// has a fraction without needless zeros, no exponent, and not more digits than a
// floating-point number keeps. 0 for anything else.
func (g *glance) real(b []byte, i int) int {
	start := i
	if b[i] == '-' {
		start++
	}
	point := digitsFrom(b, start)
	n := point - start
	if n == 0 || n > 7 || point+1 >= len(b) || b[point] != '.' {
		return 0
	}
	end := digitsFrom(b, point+1)
	fraction := end - point - 1
	if fraction == 0 || n+fraction > g.digits || !ends(b, end) || b[end-1] == '0' && fraction > 1 {
		return 0
	}
	if b[start] == '0' && (n > 1 || fraction > 3 && string(b[point+1:point+4]) == "000") {
		return 0 // below a thousandth it is printed with an exponent
	}
	return end
}

// decimal returns the position after a number with as many digits behind the
// point as the type has, 0 for anything else.
func (g *glance) decimal(b []byte, i int) int {
	start := i
	if b[i] == '-' {
		start++
	}
	end := digitsFrom(b, start)
	n := end - start
	if n == 0 || n > g.whole || b[start] == '0' && (n > 1 || start > i) {
		return 0
	}
	if g.scale > 0 {
		if end >= len(b) || b[end] != '.' {
			return 0
		}
		point := end
		if end = digitsFrom(b, point+1); end-point-1 != g.scale {
			return 0
		}
	}
	if !ends(b, end) {
		return 0
	}
	return end
}

func boolean(b []byte, i int) int {
	for _, word := range []string{"true", "false"} {
		if end := i + len(word); ends(b, end) && string(b[i:end]) == word {
			return end
		}
	}
	return 0
}

// date returns the position after "2006-01-02" or "2006-01-02T15:04:05Z", with or
// without a fraction that does not end in a zero. 0 for anything else, also for
// days and times that do not exist.
func (g *glance) date(b []byte, i int) int {
	const day, second = len(`"2006-01-02`), len(`"2006-01-02T15:04:05`)
	if len(b)-i < second+len(`.123456Z",`) || b[i] != '"' || b[i+5] != '-' || b[i+8] != '-' {
		return 0
	}
	year := twoDigits(b, i+1)*100 + twoDigits(b, i+3)
	if month, d := twoDigits(b, i+6), twoDigits(b, i+9); year < 1000 || month-1 > 11 || d-1 > 27 && (d-1 > 30 || d > daysIn(year, month)) {
		return 0
	}
	if g.shape == shapeDate {
		if b[i+day] != '"' {
			return 0
		}
		return i + day + 1
	}
	if b[i+day] != 'T' || b[i+14] != ':' || b[i+17] != ':' || twoDigits(b, i+12) > 23 || twoDigits(b, i+15) > 59 || twoDigits(b, i+18) > 59 {
		return 0
	}
	end := i + second
	if b[end] == '.' {
		point := end
		if end = digitsFrom(b[:i+second+8], point+1); end == point+1 || b[end-1] == '0' || end-point-1 > 6 {
			return 0
		}
	}
	if b[end] != 'Z' || b[end+1] != '"' {
		return 0
	}
	return end + 2
}

// twoDigits returns the number at i, one above 99 when there is none.
func twoDigits(b []byte, i int) uint {
	tens, units := uint(b[i]-'0'), uint(b[i+1]-'0')
	if tens > 9 || units > 9 {
		return 10_000_000
	}
	return tens*10 + units
}

func daysIn(year, month uint) uint {
	switch {
	case month == 2 && year%4 == 0 && (year%100 != 0 || year%400 == 0):
		return 29
	case month == 2:
		return 28
	case month == 4 || month == 6 || month == 9 || month == 11:
		return 30
	}
	return 31
}
