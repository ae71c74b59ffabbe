package gencsv

import (
	"math"
	"strconv"
	"strings"
	"time"
)

func rowNumber(dst []byte, g *generator) []byte {
	return strconv.AppendInt(dst, int64(g.row), 10)
}

// above53 makes whole numbers that a double cannot hold: above 2^53 and odd.
func above53(dst []byte, g *generator) []byte {
	return strconv.AppendInt(dst, (1<<53+g.Int64N(1<<62))|1, 10)
}

// anyInt64 makes any number, and often the smallest or largest.
func anyInt64(dst []byte, g *generator) []byte {
	switch g.IntN(50) {
	case 0:
		return strconv.AppendInt(dst, math.MinInt64, 10)
	case 1:
		return strconv.AppendInt(dst, math.MaxInt64, 10)
	default:
		return strconv.AppendInt(dst, int64(g.Uint64()), 10)
	}
}

func anyInt32(dst []byte, g *generator) []byte {
	return strconv.AppendInt(dst, int64(int32(g.Uint32())), 10)
}

func anyInt16(dst []byte, g *generator) []byte {
	return strconv.AppendInt(dst, int64(int16(g.Uint32())), 10)
}

func count(dst []byte, g *generator) []byte {
	return strconv.AppendInt(dst, g.Int64N(1000), 10)
}

func year(dst []byte, g *generator) []byte {
	return strconv.AppendInt(dst, 1990+g.Int64N(40), 10)
}

func percent(dst []byte, g *generator) []byte {
	return strconv.AppendInt(dst, g.Int64N(101), 10)
}

// double makes numbers whose shortest text is alike in Go and Java: no
// exponent, at most ten digits, and the last digit after the point is not 0.
func double(dst []byte, g *generator) []byte {
	return fraction(dst, g, 9_999_999, 3)
}

func degrees(dst []byte, g *generator) []byte {
	return fraction(dst, g, 180, 6)
}

func fraction(dst []byte, g *generator, below int64, digits int) []byte {
	if g.IntN(2) == 0 {
		dst = append(dst, '-')
	}
	dst = strconv.AppendInt(dst, 1+g.Int64N(below-1), 10)
	dst = append(dst, '.')
	for range digits - 1 {
		dst = append(dst, byte('0'+g.IntN(10)))
	}
	return append(dst, byte('1'+g.IntN(9)))
}

// money makes numbers of DECIMAL(12,2): always two digits after the point.
func money(dst []byte, g *generator) []byte {
	cents := g.Int64N(100_000)
	if g.IntN(10) == 0 {
		cents = g.Int64N(1_000_000_000_000)
	}
	if cents > 0 && g.IntN(4) == 0 {
		dst = append(dst, '-')
	}
	dst = strconv.AppendInt(dst, cents/100, 10)
	return append(dst, '.', byte('0'+cents%100/10), byte('0'+cents%10))
}

func boolean(dst []byte, g *generator) []byte {
	return strconv.AppendBool(dst, g.IntN(2) == 0)
}

func date(dst []byte, g *generator) []byte {
	return time.Date(1900, 1, 1+g.IntN(73_000), 0, 0, 0, 0, time.UTC).AppendFormat(dst, time.DateOnly)
}

// timestamp makes times whose last microsecond digit is not 0, since a form
// without trailing zeros is as good as one with them.
func timestamp(dst []byte, g *generator) []byte {
	micros := g.Int64N(60*365*86400)*1_000_000 + g.Int64N(100_000)*10 + 1 + g.Int64N(9)
	return time.UnixMicro(micros).UTC().AppendFormat(dst, "2006-01-02T15:04:05.000000Z")
}

func oneOf(values ...string) func([]byte, *generator) []byte {
	return func(dst []byte, g *generator) []byte { return append(dst, values[g.IntN(len(values))]...) }
}

func hexText(dst []byte, g *generator) []byte {
	return strconv.AppendUint(dst, g.Uint64(), 16)
}

func host(dst []byte, g *generator) []byte {
	dst = append(dst, "node-"...)
	dst = strconv.AppendInt(dst, g.Int64N(500), 10)
	return append(dst, ".example.org"...)
}

var names = []string{
	"Ann", "O'Brien", "Chloé", "Émile", "李雷", "Łukasz", "Ångström", "Zoë Müller", "Иван", "علي", "😀 Smile", "Nguyễn Văn A",
	"null", "NULL", "NA", "\\N", " padded ", "tab\there", "e\u0301", "true", "007", "-", "1e5",
}

func name(dst []byte, g *generator) []byte {
	return appendText(dst, names[g.IntN(len(names))])
}

var words = []string{
	"late", "parcel", "returned", "the", "box", "was", "open", "\"quoted\"", "comma,", "line\nbreak", "naïve", "日本", "100%", "a;b", "'single'", "#1", "--", "/*",
}

// comment makes sentences with everything that CSV has to quote.
func comment(dst []byte, g *generator) []byte {
	var b strings.Builder
	for i := range 2 + g.IntN(10) {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(words[g.IntN(len(words))])
	}
	return appendText(dst, b.String())
}

func path(dst []byte, g *generator) []byte {
	if g.IntN(2) == 0 {
		return append(strconv.AppendInt(append(dst, `C:\new\table\`...), g.Int64N(1000), 10), ".txt"...)
	}
	return append(strconv.AppendInt(append(dst, "/srv/data/part="...), g.Int64N(1000), 10), "/*.csv"...)
}

// note is the empty string for one row in three.
func note(dst []byte, g *generator) []byte {
	if g.IntN(3) == 0 {
		return append(dst, `""`...)
	}
	return comment(dst, g)
}

// appendText quotes text where it must be quoted.
func appendText(dst []byte, text string) []byte {
	if text != "" && !strings.ContainsAny(text, ",\"\n\r") {
		return append(dst, text...)
	}
	dst = append(dst, '"')
	dst = append(dst, strings.ReplaceAll(text, `"`, `""`)...)
	return append(dst, '"')
}
