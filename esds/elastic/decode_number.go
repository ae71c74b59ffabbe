package elastic

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

// integer reads whole numbers with all their digits. A fraction is cut where the
// index cut it too.
func integer(t row.Type, f *esds.Field) decode {
	cuts := false
	if f != nil {
		switch f.Kind {
		case "byte", "short", "integer", "long":
			cuts = true
		}
	}
	limit, _ := intLimit(t.Kind)
	return func(c *row.Column, raw []byte) error {
		quoted := raw[0] == '"'
		raw, err := unquoteNumber(raw)
		if err != nil {
			return err
		}
		if len(raw) == 0 {
			c.AppendNull()
			return nil
		}
		v, ok := parseInt(raw)
		if !ok {
			if v, ok = wholeNumber(raw, cuts, quoted); !ok {
				return fmt.Errorf("is not a whole number in the range of %s", t)
			}
		}
		if v > limit || v < -limit-1 {
			return fmt.Errorf("is out of range for %s", t)
		}
		c.AppendInt(v)
		return nil
	}
}

func intLimit(k row.Kind) (int64, bool) {
	switch k {
	case row.TinyInt:
		return math.MaxInt8, true
	case row.SmallInt:
		return math.MaxInt16, true
	case row.Int:
		return math.MaxInt32, true
	}
	return math.MaxInt64, false
}

// unquoteNumber returns the text of a number that may stand in quotes; blank
// text is nothing.
func unquoteNumber(raw []byte) ([]byte, error) {
	switch raw[0] {
	case '"':
		text, err := appendUnquoted(nil, raw)
		return bytes.TrimSpace(text), err
	case '{', 't', 'f':
		return nil, errors.New("is not a number")
	}
	return raw, nil
}

func parseInt(b []byte) (int64, bool) {
	negative := b[0] == '-'
	digits := b
	if negative {
		digits = b[1:]
	}
	if len(digits) == 0 || len(digits) > 18 {
		v, err := strconv.ParseInt(string(b), 10, 64)
		return v, err == nil
	}
	n := int64(0)
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	if negative {
		n = -n
	}
	return n, true
}

// wholeNumber reads 1.0, 1e3 and, when fractions are cut, 1.9. Where they are cut
// it does as the index does: a number that is spelled with a fraction or an
// exponent passes through a double there, and text does not.
func wholeNumber(b []byte, cuts, quoted bool) (int64, bool) {
	if cuts && !quoted {
		v, err := strconv.ParseFloat(string(b), 64)
		if err != nil || v >= 1<<63 || v < -1<<63 {
			return 0, false
		}
		return int64(v), true
	}
	x, err := row.ParseDecimal(string(b), 38, 0)
	if err == nil {
		return x.Int64()
	}
	head, _, dotted := strings.Cut(string(b), ".")
	if !cuts || !dotted || strings.ContainsAny(string(b), "eE") {
		return 0, false
	}
	if head == "" || head == "-" {
		return 0, true
	}
	v, err := strconv.ParseInt(head, 10, 64)
	return v, err == nil
}

// float reads numbers. The number -0 is a whole one for Elasticsearch and Spark
// and has no sign; text is read as it stands.
func float(bits int) decode {
	return func(c *row.Column, raw []byte) error {
		if string(raw) == "-0" {
			raw = raw[1:]
		}
		raw, err := unquoteNumber(raw)
		if err != nil {
			return err
		}
		if len(raw) == 0 {
			c.AppendNull()
			return nil
		}
		v, err := strconv.ParseFloat(string(raw), bits)
		if err != nil {
			return fmt.Errorf("is not a %s", c.Type)
		}
		c.AppendFloat(v)
		return nil
	}
}

func decimal(t row.Type) decode {
	return func(c *row.Column, raw []byte) error {
		raw, err := unquoteNumber(raw)
		if err != nil {
			return err
		}
		if len(raw) == 0 {
			c.AppendNull()
			return nil
		}
		if v, ok := shortDecimal(raw, t); ok {
			c.AppendDecimal(row.Int128From(v))
			return nil
		}
		v, err := row.ParseDecimal(string(raw), t.Precision, t.Scale)
		if err != nil {
			return err
		}
		c.AppendDecimal(v)
		return nil
	}
}

// shortDecimal reads plain decimals of up to 17 digits.
func shortDecimal(b []byte, t row.Type) (int64, bool) {
	negative := b[0] == '-'
	if negative {
		b = b[1:]
	}
	whole, fraction, _ := bytes.Cut(b, []byte{'.'})
	if len(whole) == 0 || len(fraction) > t.Scale || len(whole)+t.Scale > 17 || len(whole) > t.Precision-t.Scale {
		return 0, false
	}
	n, ok := digitsOf(whole)
	if !ok {
		return 0, false
	}
	for i := range t.Scale {
		d := byte('0')
		if i < len(fraction) {
			d = fraction[i]
		}
		if d < '0' || d > '9' {
			return 0, false
		}
		n = n*10 + int64(d-'0')
	}
	if negative {
		n = -n
	}
	return n, true
}
