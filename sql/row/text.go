package row

import (
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"time"
)

// AppendText appends value i in the form of CSV and of table cells: numbers in
// their shortest exact form, dates as 2006-01-02, timestamps in RFC 3339
// with as many digits as there are, in UTC or the column's zone, bytes in hex, nested values as JSON. A NULL
// appends nothing.
func AppendText(dst []byte, c *Column, i int) []byte {
	if c.IsNull(i) {
		return dst
	}
	switch c.Type.Kind {
	case Boolean:
		return strconv.AppendBool(dst, c.Bool(i))
	case TinyInt, SmallInt, Int, BigInt:
		return AppendInt(dst, c.Ints[i])
	case Float:
		return AppendFloat(dst, c.Floats[i], 32)
	case Double:
		return AppendFloat(dst, c.Floats[i], 64)
	case Decimal:
		return AppendDecimal(dst, c.Decimals[i], c.Type.Scale)
	case Binary:
		return hex.AppendEncode(dst, c.Text(i))
	case Date:
		return AppendDate(dst, c.Ints[i])
	case Timestamp:
		return c.Zone.AppendInstant(dst, c.Ints[i])
	case TimestampNTZ:
		return AppendTimestamp(dst, c.Ints[i], 'T')
	case Array, Map, Struct:
		return AppendJSON(dst, c, i)
	default:
		return append(dst, c.Text(i)...)
	}
}

// AppendFloat appends the shortest text that reads back as the same number, as
// Java prints it: 1.0, 1.5E10, NaN, Infinity. Bits is 32 or 64.
func AppendFloat(dst []byte, v float64, bits int) []byte {
	switch {
	case math.IsNaN(v):
		return append(dst, "NaN"...)
	case math.IsInf(v, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(v, -1):
		return append(dst, "-Infinity"...)
	}
	if abs := math.Abs(v); abs != 0 && (abs < 1e-3 || abs >= 1e7) {
		return appendExponent(dst, v, bits)
	}
	if bits == 64 && v != 0 {
		if out, ok := appendPlainDouble(dst, v); ok {
			return out
		}
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, v, 'f', -1, bits)
	for _, b := range dst[start:] {
		if b == '.' {
			return dst
		}
	}
	return append(dst, ".0"...)
}

// appendExponent turns Go's 1.5e+10 into Java's 1.5E10, and 1e+07 into 1.0E7.
func appendExponent(dst []byte, v float64, bits int) []byte {
	text := strconv.AppendFloat(nil, v, 'e', -1, bits)
	e := len(text) - 1
	for text[e] != 'e' {
		e--
	}
	dst = append(dst, text[:e]...)
	if e < 3 {
		dst = append(dst, ".0"...)
	}
	dst = append(dst, 'E')
	exp := text[e+1:]
	if exp[0] == '-' {
		dst = append(dst, '-')
	}
	exp = exp[1:]
	for len(exp) > 1 && exp[0] == '0' {
		exp = exp[1:]
	}
	return append(dst, exp...)
}

// AppendDate appends days since 1970-01-01 as 2006-01-02.
func AppendDate(dst []byte, days int64) []byte {
	return appendCivil(dst, days)
}

// AppendTimestamp appends microseconds since the epoch as date, sep, time, with
// a fraction only where there is one.
func AppendTimestamp(dst []byte, micros int64, sep byte) []byte {
	days, rest := floorDiv(micros, 86_400_000_000)
	dst = appendCivil(dst, days)
	secs, frac := uint64(rest)/1_000_000, uint64(rest)%1_000_000
	start := len(dst)
	dst = append(dst, "T00:00:00"...)
	clock := dst[start:]
	clock[0] = sep
	putTwo(clock[1:], secs/3600)
	putTwo(clock[4:], secs/60%60)
	putTwo(clock[7:], secs%60)
	if frac == 0 {
		return dst
	}
	return appendMillionths(append(dst, '.'), frac)
}

func appendCivil(dst []byte, days int64) []byte {
	// Howard Hinnant's civil_from_days: exact in the proleptic Gregorian calendar.
	z := days + 719468
	era, doe := floorDiv(z, 146097)
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	d := doy - (153*mp+2)/5 + 1
	m := mp + 3
	if m > 12 {
		m -= 12
	}
	y := yoe + era*400
	if m <= 2 {
		y++
	}
	if y > 9999 {
		dst = append(dst, '+')
	}
	if y < 0 {
		dst, y = append(dst, '-'), -y
	}
	dst = appendUint(dst, uint64(y), 4)
	start := len(dst)
	dst = append(dst, "-00-00"...)
	putTwo(dst[start+1:], uint64(m))
	putTwo(dst[start+4:], uint64(d))
	return dst
}

func floorDiv(a, b int64) (q, r int64) {
	q, r = a/b, a%b
	if r < 0 {
		q, r = q-1, r+b
	}
	return q, r
}

// AppendJSON appends value i as JSON: numbers with all their digits, dates as
// "2006-01-02", timestamps as "2006-01-02T15:04:05Z", bytes in base64, maps and
// structs as objects, NULL as null. NaN and the infinities become text, since
// JSON has no such numbers; a writer that needs numbers checks before.
func AppendJSON(dst []byte, c *Column, i int) []byte {
	if c.IsNull(i) {
		return append(dst, "null"...)
	}
	switch c.Type.Kind {
	case Boolean, TinyInt, SmallInt, Int, BigInt, Decimal:
		return AppendText(dst, c, i)
	case Float, Double:
		if v := c.Floats[i]; !math.IsNaN(v) && !math.IsInf(v, 0) {
			return AppendText(dst, c, i)
		}
		return quoted(dst, func(dst []byte) []byte { return AppendText(dst, c, i) })
	case Date, Timestamp, TimestampNTZ:
		return quoted(dst, func(dst []byte) []byte { return AppendText(dst, c, i) })
	case Binary:
		return appendBase64(dst, c.Text(i))
	case Array, Map, Struct:
		return appendNestedJSON(dst, c, i)
	default:
		return AppendQuoted(dst, c.Text(i))
	}
}

func quoted(dst []byte, inner func([]byte) []byte) []byte {
	return append(inner(append(dst, '"')), '"')
}

func appendNestedJSON(dst []byte, c *Column, i int) []byte {
	switch c.Type.Kind {
	case Array:
		start, end := c.Range(i)
		dst = append(dst, '[')
		for j := start; j < end; j++ {
			if j > start {
				dst = append(dst, ',')
			}
			dst = AppendJSON(dst, c.Children[0], j)
		}
		return append(dst, ']')
	case Map:
		start, end := c.Range(i)
		dst = append(dst, '{')
		for j := start; j < end; j++ {
			if j > start {
				dst = append(dst, ',')
			}
			dst = AppendQuoted(dst, AppendText(nil, c.Children[0], j))
			dst = append(dst, ':')
			dst = AppendJSON(dst, c.Children[1], j)
		}
		return append(dst, '}')
	default:
		dst = append(dst, '{')
		for k, f := range c.Type.Fields {
			if k > 0 {
				dst = append(dst, ',')
			}
			dst = AppendQuoted(dst, f.Name)
			dst = append(dst, ':')
			dst = AppendJSON(dst, c.Children[k], i)
		}
		return append(dst, '}')
	}
}

// parseTime is the one place where text becomes an instant or a wall clock: the
// forms that Spark casts, which are the ISO forms of Elasticsearch too. Text
// without a zone is UTC.
var timeLayouts = []string{
	time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999",
	"2006-01-02T15:04Z07:00", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02", "2006-01-02T15:04:05.999999999Z0700", "2006-01",
	"2006",
}

// ParseTimestamp returns microseconds since the epoch. Finer digits are cut.
func ParseTimestamp(text string) (int64, error) {
	for _, layout := range timeLayouts {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UnixMicro(), nil
		}
	}
	return 0, fmt.Errorf("%q is not a timestamp", text)
}

// ParseDate returns days since 1970-01-01. A time after the date is cut.
func ParseDate(text string) (int64, error) {
	micros, err := ParseTimestamp(text)
	if err != nil {
		return 0, fmt.Errorf("%q is not a date", text)
	}
	days, _ := floorDiv(micros, 86_400_000_000)
	return days, nil
}
