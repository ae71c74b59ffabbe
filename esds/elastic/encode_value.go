package elastic

import (
	"errors"
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

// encoded is a column of the documents.
type encoded struct {
	at     int
	name   string
	quoted []byte // a comma, the name with quotes, and a colon
	append appender
	copied bool // append writes what row.AppendJSON does, but for NaN and the infinities
}

// appender appends value i of a column, which is not NULL, as JSON.
type appender func(dst []byte, col *row.Column, i int) ([]byte, error)

func newEncoded(at int, f row.Field, fields []esds.Field, nulls bool) encoded {
	c := encoded{at: at, name: f.Name}
	field := esds.Find(fields, f.Name)
	if field != nil {
		c.name = field.Path // in the index's own case
	}
	c.copied = writtenAsJSON(f.Type, field)
	c.quoted = append(row.AppendQuoted([]byte{','}, c.name), ':')
	c.append = appenderOf(f.Type, c.name, fields, nulls)
	return c
}

// writtenAsJSON reports whether values of a type are written into a field as
// row.AppendJSON prints them.
func writtenAsJSON(t row.Type, field *esds.Field) bool {
	switch t.Kind {
	case row.Boolean, row.TinyInt, row.SmallInt, row.Int, row.BigInt, row.Float, row.Double, row.Decimal:
		return true
	case row.Date, row.Timestamp, row.TimestampNTZ:
		return writtenFormat(field).written().kind == dateISO
	case row.String:
		return field == nil || !hasOwnForm(field.Kind)
	}
	return false
}

var errNotFinite = errors.New("is NaN or infinite, which JSON has no number for")

// appenderOf chooses how the values of a type are written into the field of a
// path. Nulls says that a NULL within a struct is written.
func appenderOf(t row.Type, path string, fields []esds.Field, nulls bool) appender {
	field := esds.Find(fields, path)
	switch t.Kind {
	case row.Boolean:
		return func(dst []byte, col *row.Column, i int) ([]byte, error) {
			return strconv.AppendBool(dst, col.Ints[i] != 0), nil
		}
	case row.TinyInt, row.SmallInt, row.Int, row.BigInt:
		return func(dst []byte, col *row.Column, i int) ([]byte, error) {
			return row.AppendInt(dst, col.Ints[i]), nil
		}
	case row.Float, row.Double:
		return appendNumber
	case row.Decimal:
		return func(dst []byte, col *row.Column, i int) ([]byte, error) {
			return row.AppendDecimal(dst, col.Decimals[i], t.Scale), nil
		}
	case row.Date, row.Timestamp, row.TimestampNTZ:
		return appenderOfTime(t.Kind, field)
	case row.String:
		if field != nil && hasOwnForm(field.Kind) {
			return appendOwnForm
		}
		return appendString
	case row.Array:
		return appenderOfArray(appenderOf(*t.Elem, path, fields, nulls))
	case row.Map:
		return appenderOfMap(appenderOf(*t.Elem, path, nil, nulls))
	case row.Struct:
		return appenderOfStruct(t, path, fields, nulls)
	}
	return func(dst []byte, col *row.Column, i int) ([]byte, error) { return row.AppendJSON(dst, col, i), nil }
}

func appendNumber(dst []byte, col *row.Column, i int) ([]byte, error) {
	if v := col.Floats[i]; math.IsNaN(v) || math.IsInf(v, 0) {
		return append(dst, "null"...), errNotFinite
	}
	return row.AppendText(dst, col, i), nil
}

func appendString(dst []byte, col *row.Column, i int) ([]byte, error) {
	return row.AppendQuoted(dst, col.Text(i)), nil
}

// appendOwnForm writes text that is JSON as it is: geo_point and the like.
func appendOwnForm(dst []byte, col *row.Column, i int) ([]byte, error) {
	if text := col.Text(i); len(text) > 0 && (text[0] == '{' || text[0] == '[') && jsontext.Value(text).IsValid() {
		v := jsontext.Value(append([]byte{}, text...))
		if v.Compact() == nil { // a line must not hold a line break
			return append(dst, v...), nil
		}
	}
	return appendString(dst, col, i)
}

// writtenFormat returns the format that dates are written into a field in.
func writtenFormat(field *esds.Field) dateFormat {
	format := dateFormat{{kind: dateISO}}
	if field != nil && (isDate(field.Kind) || field.Kind == "date_range") {
		if known, ok := parseDateFormat(field.Format); ok {
			format = known
		}
	}
	if field != nil && field.Kind == "long" {
		format = dateFormat{{kind: dateMillis}} // as elasticsearch-hadoop makes it
	}
	return format
}

func appenderOfTime(k row.Kind, field *esds.Field) appender {
	format := writtenFormat(field)
	unit := int64(1)
	if k == row.Date {
		unit = 86_400_000_000
	}
	return func(dst []byte, col *row.Column, i int) ([]byte, error) {
		return format.append(dst, col.Ints[i]*unit, k), nil
	}
}

func appenderOfArray(inner appender) appender {
	return func(dst []byte, col *row.Column, i int) ([]byte, error) {
		start, end := col.Range(i)
		var err, first error
		dst = append(dst, '[')
		for j := start; j < end; j++ {
			if j > start {
				dst = append(dst, ',')
			}
			if dst, err = inner.orNull(dst, col.Children[0], j); err != nil {
				first = err
			}
		}
		return append(dst, ']'), first
	}
}

// orNull writes a NULL within an array or a map, which always is null.
func (a appender) orNull(dst []byte, col *row.Column, i int) ([]byte, error) {
	if col.IsNull(i) {
		return append(dst, "null"...), nil
	}
	return a(dst, col, i)
}

func appenderOfMap(inner appender) appender {
	return func(dst []byte, col *row.Column, i int) ([]byte, error) {
		start, end := col.Range(i)
		var err, first error
		dst = append(dst, '{')
		for j := start; j < end; j++ {
			if j > start {
				dst = append(dst, ',')
			}
			dst = append(row.AppendQuoted(dst, row.AppendText(nil, col.Children[0], j)), ':')
			if dst, err = inner.orNull(dst, col.Children[1], j); err != nil {
				first = err
			}
		}
		return append(dst, '}'), first
	}
}

func appenderOfStruct(t row.Type, path string, fields []esds.Field, nulls bool) appender {
	inner := make([]appender, len(t.Fields))
	names := make([][]byte, len(t.Fields))
	ends := esds.Find(fields, path)
	for k, f := range t.Fields {
		inner[k] = appenderOf(f.Type, path+"."+f.Name, fields, nulls)
		if ends != nil && ends.Kind == "date_range" && (f.Type.Kind == row.Date || f.Type.Kind == row.Timestamp || f.Type.Kind == row.TimestampNTZ) {
			inner[k] = appenderOfTime(f.Type.Kind, ends)
		}
		names[k] = append(row.AppendQuoted(nil, f.Name), ':')
	}
	return func(dst []byte, col *row.Column, i int) ([]byte, error) {
		var err, first error
		dst = append(dst, '{')
		start := len(dst)
		for k, child := range col.Children {
			if child.IsNull(i) && !nulls {
				continue
			}
			if len(dst) > start {
				dst = append(dst, ',')
			}
			dst = append(dst, names[k]...)
			if dst, err = inner[k].orNull(dst, child, i); err != nil {
				first = err
			}
		}
		return append(dst, '}'), first
	}
}
