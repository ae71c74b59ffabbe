package duck

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/eslake/eslake/sql/row"
)

// parser appends a value that a csv file has as text, as Spark's reader reads
// it. On an error nothing is appended.
type parser func(c *row.Column, text []byte) error

func (d *dialect) parser(t row.Type) (parser, error) {
	switch t.Kind {
	case row.String:
		return parseText, nil
	case row.Binary:
		return func(c *row.Column, text []byte) error {
			c.AppendText(text)
			return nil
		}, nil
	case row.Boolean:
		return parseBoolean, nil
	case row.TinyInt, row.SmallInt, row.Int, row.BigInt:
		return parseInteger, nil
	case row.Float:
		return d.odd(parseSingle), nil
	case row.Double:
		return d.double(), nil
	case row.Decimal:
		return parseDecimal, nil
	case row.Date:
		return d.parseDate, nil
	case row.Timestamp:
		return d.parseTimestamp, nil
	case row.TimestampNTZ:
		return d.parseWall, nil
	}
	return nil, fmt.Errorf("csv does not hold values of type %s", t)
}

func parseText(c *row.Column, text []byte) error {
	if ascii(text) || utf8.Valid(text) {
		c.AppendText(text)
		return nil
	}
	for _, r := range string(text) { // a byte that is no character comes as U+FFFD
		c.Bytes = utf8.AppendRune(c.Bytes, r)
	}
	c.EndText()
	return nil
}

// ascii reports whether text has no character of more than one byte.
func ascii(text []byte) bool {
	any := row.Word(0)
	for ; len(text) >= 8; text = text[8:] {
		any |= row.WordAt(text, 0)
	}
	for _, b := range text {
		any |= row.Word(b)
	}
	return any&row.Highs == 0
}

func notA(t row.Type) error { return fmt.Errorf("not a value of type %s", t) }

func parseBoolean(c *row.Column, text []byte) error {
	switch {
	case len(text) == 4 && strings.EqualFold(string(text), "true"):
		c.AppendBool(true)
	case len(text) == 5 && strings.EqualFold(string(text), "false"):
		c.AppendBool(false)
	default:
		return notA(c.Type)
	}
	return nil
}

// parseInteger takes a sign and digits and nothing else: 1.0 and " 1" are not
// whole numbers.
func parseInteger(c *row.Column, text []byte) error {
	digits, negative := signed(text)
	if len(digits) == 0 || len(digits) > 19 {
		return parseLongInteger(c, text)
	}
	u := uint64(0) // holds any 19 digits
	for ; len(digits) >= 8; digits = digits[8:] {
		n, ok := eightDigits(row.WordAt(digits, 0))
		if !ok {
			return notA(c.Type)
		}
		u = u*100_000_000 + n
	}
	for _, b := range digits {
		if b < '0' || b > '9' {
			return notA(c.Type)
		}
		u = u*10 + uint64(b-'0')
	}
	v := int64(u)
	if negative {
		v = -v
	}
	if (v < 0) != negative && u != 0 || !row.FitsInt(c.Type.Kind, v) {
		return fmt.Errorf("out of range for %s", c.Type)
	}
	c.AppendInt(v)
	return nil
}

// eightDigits reads the digits that a word holds, the first one in its lowest
// byte. Pairs, fours and eights of digits are put together by a multiplication each.
func eightDigits(w row.Word) (n uint64, ok bool) {
	ok = w.Digits() == 8
	w ^= '0' * row.Ones
	w = w*10 + w>>8
	const low = 0xff | 0xff<<32
	w = (w & low * (100 + 1_000_000<<32)) + (w >> 16 & low * (1 + 10_000<<32))
	return uint64(w >> 32), ok
}

// signed returns what stands behind a sign.
func signed(text []byte) (digits []byte, negative bool) {
	if len(text) > 0 && (text[0] == '-' || text[0] == '+') {
		return text[1:], text[0] == '-'
	}
	return text, false
}

func parseLongInteger(c *row.Column, text []byte) error {
	v, err := strconv.ParseInt(string(text), 10, 64)
	if errors.Is(err, strconv.ErrRange) || err == nil && !row.FitsInt(c.Type.Kind, v) {
		return fmt.Errorf("out of range for %s", c.Type)
	}
	if err != nil {
		return notA(c.Type)
	}
	c.AppendInt(v)
	return nil
}

// double takes what odd does. Plain numbers are not compared with the texts of
// others, unless one of those is a number.
func (d *dialect) double() parser {
	odd := d.odd(parseDouble)
	for _, text := range []string{d.nan, d.inf, d.low} {
		if _, plain := shortDouble([]byte(text)); plain {
			return odd
		}
	}
	return func(c *row.Column, text []byte) error {
		if v, ok := shortDouble(text); ok {
			c.AppendFloat(v)
			return nil
		}
		return odd(c, text)
	}
}

// odd takes the texts of NaN and the infinities, and what Java reads.
func (d *dialect) odd(parse parser) parser {
	return func(c *row.Column, text []byte) error {
		switch string(text) {
		case d.nan:
			c.AppendFloat(math.NaN())
		case d.inf:
			c.AppendFloat(math.Inf(1))
		case d.low:
			c.AppendFloat(math.Inf(-1))
		default:
			return parse(c, text)
		}
		return nil
	}
}

// parseDouble takes what Java's Double.parseDouble takes.
func parseDouble(c *row.Column, text []byte) error {
	if v, ok := shortDouble(text); ok {
		c.AppendFloat(v)
		return nil
	}
	return parseFloat(c, text, 64)
}

func parseSingle(c *row.Column, text []byte) error { return parseFloat(c, text, 32) }

func parseFloat(c *row.Column, text []byte, bits int) error {
	s := unsafe.String(unsafe.SliceData(text), len(text))
	v, err := strconv.ParseFloat(s, bits)
	if err != nil || !plainNumber(text) {
		if v, err = oddDouble(s, bits); err != nil {
			return notA(c.Type)
		}
	}
	c.AppendFloat(v)
	return nil
}

// tens is powers of ten, which a double holds exactly.
var tens = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// shortDouble reads a number of up to 15 digits, with a point among them or none.
// Digits and power of ten are exact doubles then, so that one division rounds as
// it must.
func shortDouble(text []byte) (float64, bool) {
	digits, negative := signed(text)
	if len(digits) == 0 || len(digits) > 16 {
		return 0, false
	}
	n, point := uint64(0), len(digits)
	for i, b := range digits {
		if d := b - '0'; d <= 9 {
			n = n*10 + uint64(d)
			continue
		}
		if b != '.' || point < len(digits) || i == 0 || i == len(digits)-1 {
			return 0, false
		}
		point = i
	}
	v := float64(n)
	switch {
	case point < len(digits):
		v /= tens[len(digits)-1-point]
	case len(digits) > 15:
		return 0, false
	}
	if negative {
		v = -v
	}
	return v, true
}

// plainNumber reports whether text has only what numbers have in Java and Go
// alike; Go also takes _, hexadecimal and inf in any case.
func plainNumber(text []byte) bool {
	for _, b := range text {
		if (b < '0' || b > '9') && b != '.' && b != '-' && b != '+' && b != 'e' && b != 'E' {
			return false
		}
	}
	return true
}

func oddDouble(s string, bits int) (float64, error) {
	s = strings.Trim(s, " \t\r\n")
	switch strings.TrimLeft(s, "+-") {
	case "NaN", "Infinity":
		return strconv.ParseFloat(s, bits)
	}
	if n := len(s); n > 1 && strings.ContainsRune("dDfF", rune(s[n-1])) {
		s = s[:n-1]
	}
	if !plainNumber([]byte(s)) {
		return 0, strconv.ErrSyntax
	}
	v, err := strconv.ParseFloat(s, bits)
	if errors.Is(err, strconv.ErrRange) {
		err = nil // infinity, or zero
	}
	return v, err
}

// parseDecimal drops commas between digits, and rounds half up.
func parseDecimal(c *row.Column, text []byte) error {
	s := unsafe.String(unsafe.SliceData(text), len(text)) // nothing keeps it
	if strings.Contains(s, ",") {
		s = strings.ReplaceAll(s, ",", "")
	}
	v, err := roundedDecimal(s, c.Type)
	if err != nil {
		return err
	}
	c.AppendDecimal(v)
	return nil
}

func roundedDecimal(s string, t row.Type) (row.Int128, error) {
	if v, err := row.ParseDecimal(s, t.Precision, t.Scale); err == nil {
		return v, nil
	}
	if s == "" || len(s) > 200 || !plainNumber([]byte(s)) {
		return row.Int128{}, notA(t)
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		return row.Int128{}, notA(t)
	}
	scaled := r.Mul(r, new(big.Rat).SetInt(tenTo(t.Scale)))
	twice := new(big.Int).Mul(new(big.Int).Abs(scaled.Num()), big.NewInt(2))
	twice.Add(twice, scaled.Denom())
	n := twice.Quo(twice, new(big.Int).Mul(scaled.Denom(), big.NewInt(2))) // half up, away from zero
	if n.Cmp(tenTo(t.Precision)) >= 0 {
		return row.Int128{}, fmt.Errorf("out of range for %s", t)
	}
	if scaled.Sign() < 0 {
		n.Neg(n)
	}
	v, _ := row.Int128FromBig(n)
	return v, nil
}

func tenTo(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

func (d *dialect) parseDate(c *row.Column, text []byte) error {
	var days int64
	ok := false
	if d.date != nil {
		days, ok = d.date.ParseDate(text)
	} else {
		days, ok = row.CastDate(text)
	}
	if !ok {
		return notA(c.Type)
	}
	c.AppendInt(days)
	return nil
}

func (d *dialect) parseTimestamp(c *row.Column, text []byte) error {
	return readTimestamp(c, text, d.ts, d.zone)
}

// parseWall reads a TIMESTAMP_NTZ.
func (d *dialect) parseWall(c *row.Column, text []byte) error {
	return readTimestamp(c, text, d.ntz, nil)
}

func readTimestamp(c *row.Column, text []byte, p *row.TimePattern, z *row.Zone) error {
	var micros int64
	ok := false
	if p != nil {
		micros, ok = p.Parse(text, z)
	} else {
		micros, ok = row.CastTimestamp(text, z)
	}
	if !ok {
		return notA(c.Type)
	}
	c.AppendInt(micros)
	return nil
}
