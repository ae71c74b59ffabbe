package elastic

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

// decode appends a JSON value to a column. On an error the column may hold a
// part of it; Truncate takes that back.
type decode func(c *row.Column, raw []byte) error

// decoding is what decoders of one table have in common.
type decoding struct {
	emptyNull bool // read "" as NULL in text columns

	constant func(*esds.Field) []byte // the value of a constant_keyword that a document leaves out; nil for none
	note     func(text string)        // tells what is left out; nil for nobody
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
		if whole := compound(f); whole != nil {
			return whole(d.structure(t, f))
		}
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
		return d.date(t, f)
	case row.Interval:
		return decodeText
	}
	return func(*row.Column, []byte) error { return errors.New("a value does not fit void") }
}

// single reads a list of one value, or of one and nulls, as that value, since
// Elasticsearch does not tell them apart; and null as NULL.
func single(inner decode) decode { return singleOf(inner, nil) }

// singleOf is single where several values count as one when they are the same.
func singleOf(inner decode, same func(a, b []byte) bool) decode {
	var read decode
	read = func(c *row.Column, raw []byte) error {
		switch raw[0] {
		case 'n':
			c.AppendNull()
			return nil
		case '[':
		default:
			return inner(c, raw)
		}
		if one := alone(raw); one != nil {
			return read(c, one)
		}
		one, n, err := onlyValue(raw, same)
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
		return read(c, one)
	}
	return read
}

// alone returns the scalar of a list that holds nothing else and no blanks, the
// form of doc values; nil for other lists.
func alone(list []byte) []byte {
	one := list[1 : len(list)-1]
	if len(one) == 0 || one[0] == '[' || one[0] == '{' {
		return nil
	}
	if end, err := skipValue(one, 0); err != nil || end != len(one) {
		return nil
	}
	return one
}

// onlyValue returns the first value of a list that is not null, and how many
// there are; those that are the same as the first do not count, when that is
// asked.
func onlyValue(list []byte, same func(a, b []byte) bool) (one []byte, n int, err error) {
	err = eachElement(list, func(v []byte) error {
		switch {
		case v[0] == 'n':
		case n == 0:
			one, n = v, 1
		case same == nil || !same(one, v):
			n++
		}
		return nil
	})
	return one, n, err
}

// sameText reports whether two scalars are the same text.
func sameText(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	for _, v := range []*[]byte{&a, &b} {
		if (*v)[0] != '"' {
			continue
		}
		text, err := appendUnquoted(nil, *v)
		if err != nil {
			return false
		}
		*v = text
	}
	return bytes.Equal(a, b)
}

// text reads a STRING. Fields whose JSON has a form of its own (geo_point,
// ranges, flattened, …) give that JSON; others a scalar as it stands. The same
// text several times is that text, since the index does not tell them apart.
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
	same := sameText
	if !esds.ExactText(f.Kind) {
		same = nil
	}
	return singleOf(func(c *row.Column, raw []byte) error {
		if raw[0] == '{' {
			return errors.New("an object is not of type string")
		}
		return inner(c, raw)
	}, same)
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
func (d decoding) date(t row.Type, f *esds.Field) decode {
	format := defaultFormat
	nanos := f != nil && f.Kind == "date_nanos" && d.note != nil
	if f != nil {
		if known, ok := parseDateFormat(f.Format); ok {
			format = known
		}
		if f.Kind == "long" {
			format = dateFormat{{kind: dateMillis}}
		}
	}
	return func(c *row.Column, raw []byte) error {
		text, err := dateText(raw)
		if err != nil {
			return err
		}
		if len(bytes.TrimSpace(text)) == 0 {
			c.AppendNull()
			return nil
		}
		micros, err := format.parse(text)
		if err != nil {
			return err
		}
		if nanos && finerThanMicros(text) {
			nanos = false
			d.note(fmt.Sprintf("field %s: digits after the microsecond are left out; declare the column as STRING to read them", f.Path))
		}
		if t.Kind == row.Date {
			micros = floorDiv(micros, 86_400_000_000)
		}
		c.AppendInt(micros)
		return nil
	}
}

// dateText returns the text of a date, of a number as it is.
func dateText(raw []byte) ([]byte, error) {
	switch raw[0] {
	case '"':
		text := raw[1 : len(raw)-1]
		if bytes.IndexByte(text, '\\') >= 0 {
			return appendUnquoted(nil, raw)
		}
		return text, nil
	case '{', 't', 'f':
		return nil, errors.New("is not a date")
	}
	return raw, nil
}

// finerThanMicros reports whether a date has digits after the microsecond other
// than 0.
func finerThanMicros(text []byte) bool {
	dot := bytes.LastIndexAny(text, ".,")
	if dot < 0 || len(text) < dot+8 {
		return false
	}
	for _, c := range text[dot+7:] {
		if c < '0' || c > '9' {
			return false
		}
		if c > '0' {
			return true
		}
	}
	return false
}
