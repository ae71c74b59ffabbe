package elastic

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

// decode appends a JSON value to a column. On an error the column may hold a
// part of it; Truncate takes that back.
type decode func(c *row.Column, raw []byte) error

// decoding is what decoders of one table have in common.
type decoding struct {
	emptyNull bool // read "" as NULL in text columns
}

// decoder returns how to read a field as a type. Field is nil when the mapping
// says nothing of it.
func (d decoding) decoder(t row.Type, f *esds.Field) decode {
	switch t.Kind {
	case row.Array:
		return d.array(t, f)
	case row.Map:
		return d.mapping(t)
	case row.Struct:
		return single(d.structure(t, f))
	case row.String:
		return d.text(f)
	}
	return single(d.scalar(t, f))
}

func (d decoding) scalar(t row.Type, f *esds.Field) decode {
	switch t.Kind {
	case row.Boolean:
		return decodeBool
	case row.TinyInt, row.SmallInt, row.Int, row.BigInt:
		return integer(t, f)
	case row.Float:
		return float(32)
	case row.Double:
		return float(64)
	case row.Decimal:
		return decimal(t)
	case row.Binary:
		return decodeBinary
	case row.Date, row.Timestamp, row.TimestampNTZ:
		return date(t, f)
	case row.Interval:
		return decodeText
	}
	return func(*row.Column, []byte) error { return errors.New("a value does not fit void") }
}

// single reads a list of one value, or of one and nulls, as that value, since
// Elasticsearch does not tell them apart; and null as NULL.
func single(inner decode) decode {
	return func(c *row.Column, raw []byte) error {
		if raw[0] == 'n' {
			c.AppendNull()
			return nil
		}
		if raw[0] != '[' {
			return inner(c, raw)
		}
		one, n, err := onlyValue(raw)
		switch {
		case err != nil:
			return err
		case n == 0:
			c.AppendNull()
			return nil
		case n > 1:
			return fmt.Errorf("%d values do not fit %s: declare the column as ARRAY<%s>, or name the field in es.read.field.as.array.include",
				n, c.Type, c.Type.SQL())
		}
		return single(inner)(c, one)
	}
}

func onlyValue(list []byte) (one []byte, n int, err error) {
	err = eachElement(list, func(v []byte) error {
		if v[0] != 'n' {
			one = v
			n++
		}
		return nil
	})
	return one, n, err
}

// text reads a STRING. Fields whose JSON has a form of its own (geo_point,
// ranges, flattened, …) give that JSON; others a scalar as it stands.
func (d decoding) text(f *esds.Field) decode {
	inner := decodeText
	if d.emptyNull {
		inner = func(c *row.Column, raw []byte) error {
			if string(raw) == `""` {
				c.AppendNull()
				return nil
			}
			return decodeText(c, raw)
		}
	}
	if f == nil || hasOwnForm(f.Kind) {
		return func(c *row.Column, raw []byte) error {
			if raw[0] == 'n' {
				c.AppendNull()
				return nil
			}
			return inner(c, raw)
		}
	}
	return single(func(c *row.Column, raw []byte) error {
		if raw[0] == '{' {
			return errors.New("an object is not of type string")
		}
		return inner(c, raw)
	})
}

// hasOwnForm reports whether a kind's values are known by their JSON only.
func hasOwnForm(kind string) bool {
	if esds.ExactText(kind) {
		return false
	}
	switch kind {
	case "boolean", "byte", "short", "integer", "long", "unsigned_long", "half_float", "float", "double", "scaled_float",
		"date", "date_nanos", "binary", "token_count", "alias":
		return false
	}
	return true
}

func decodeText(c *row.Column, raw []byte) error {
	if raw[0] != '"' {
		c.AppendText(raw)
		return nil
	}
	text, err := appendUnquoted(c.Bytes, raw)
	if err != nil {
		return err
	}
	c.Bytes = text
	c.EndText()
	return nil
}

func decodeBool(c *row.Column, raw []byte) error {
	switch string(raw) {
	case "true", `"true"`:
		c.AppendBool(true)
	case "false", `"false"`, `""`: // the index takes "" for false too
		c.AppendBool(false)
	default:
		return errors.New("is not a boolean")
	}
	return nil
}

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
			if v, ok = wholeNumber(raw, cuts); !ok {
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

// wholeNumber reads 1.0, 1e3 and, when fractions are cut, 1.9.
func wholeNumber(b []byte, cuts bool) (int64, bool) {
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

func float(bits int) decode {
	return func(c *row.Column, raw []byte) error {
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

func decodeBinary(c *row.Column, raw []byte) error {
	if raw[0] != '"' {
		return errors.New("is not base64")
	}
	text, err := appendUnquoted(nil, raw)
	if err != nil {
		return err
	}
	bin, err := base64.StdEncoding.DecodeString(string(text))
	if err != nil {
		return errors.New("is not base64")
	}
	c.AppendText(bin)
	return nil
}

// date reads dates by the format of their field. A number in a field that is no
// date is milliseconds, as elasticsearch-hadoop writes them.
func date(t row.Type, f *esds.Field) decode {
	format := defaultFormat
	if f != nil {
		if known, ok := parseDateFormat(f.Format); ok {
			format = known
		}
		if f.Kind == "long" {
			format = dateFormat{{kind: dateMillis}}
		}
	}
	return func(c *row.Column, raw []byte) error {
		text := raw
		switch raw[0] {
		case '"':
			if text = raw[1 : len(raw)-1]; bytes.IndexByte(text, '\\') >= 0 {
				var err error
				if text, err = appendUnquoted(nil, raw); err != nil {
					return err
				}
			}
		case '{', 't', 'f':
			return errors.New("is not a date")
		}
		if len(bytes.TrimSpace(text)) == 0 {
			c.AppendNull()
			return nil
		}
		micros, err := format.parse(text)
		if err != nil {
			return err
		}
		if t.Kind == row.Date {
			micros = floorDiv(micros, 86_400_000_000)
		}
		c.AppendInt(micros)
		return nil
	}
}

// array reads a list; a value alone is a list of one.
func (d decoding) array(t row.Type, f *esds.Field) decode {
	elem := d.decoder(*t.Elem, f)
	return func(c *row.Column, raw []byte) error {
		switch raw[0] {
		case 'n':
			c.AppendNull()
			return nil
		case '[':
			err := eachElement(raw, func(v []byte) error {
				if v[0] == 'n' {
					c.Children[0].AppendNull()
					return nil
				}
				return elem(c.Children[0], v)
			})
			if err != nil {
				return err
			}
		default:
			if err := elem(c.Children[0], raw); err != nil {
				return err
			}
		}
		c.EndNested()
		return nil
	}
}

func (d decoding) mapping(t row.Type) decode {
	value := d.decoder(*t.Elem, nil)
	return single(func(c *row.Column, raw []byte) error {
		if raw[0] != '{' {
			return fmt.Errorf("is not of type %s", t)
		}
		err := eachMember(raw, func(name, v []byte) error {
			key, err := appendUnquoted(nil, append(append([]byte{'"'}, name...), '"'))
			if err != nil {
				return err
			}
			if err := row.ParseText(c.Children[0], string(key)); err != nil {
				return err
			}
			if v[0] == 'n' {
				c.Children[1].AppendNull()
				return nil
			}
			return value(c.Children[1], v)
		})
		if err != nil {
			return err
		}
		c.EndNested()
		return nil
	})
}

func (d decoding) structure(t row.Type, f *esds.Field) decode {
	names := make([]string, len(t.Fields))
	fields := make([]decode, len(t.Fields))
	for i, field := range t.Fields {
		names[i] = field.Name
		var child *esds.Field
		if f != nil {
			child = childOf(f, field.Name)
		}
		if child != nil {
			names[i] = child.Path[len(f.Path)+1:]
		}
		fields[i] = d.decoder(field.Type, child)
	}
	x := newExtractor(names)
	return func(c *row.Column, raw []byte) error {
		if raw[0] != '{' {
			return fmt.Errorf("is not of type %s", t)
		}
		if _, err := x.find(raw, 0); err != nil {
			return err
		}
		for i, v := range x.found {
			if v == nil || v[0] == 'n' {
				c.Children[i].AppendNull()
				continue
			}
			if err := fields[i](c.Children[i], v); err != nil {
				return fmt.Errorf("%s: %w", names[i], err)
			}
		}
		c.EndNested()
		return nil
	}
}

func childOf(f *esds.Field, name string) *esds.Field {
	return esds.Find(f.Children, f.Path+"."+name)
}
