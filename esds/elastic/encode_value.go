package elastic

import (
	"errors"
	"math"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

// encoded is a column of the documents.
type encoded struct {
	at     int
	name   string
	quoted []byte     // the name with quotes and colon
	date   dateFormat // of dates
	asJSON bool       // text that is JSON stands as it is: geo_point and the like
}

func newEncoded(at int, f row.Field, fields []esds.Field) encoded {
	c := encoded{at: at, name: f.Name, date: dateFormat{{kind: dateISO}}}
	field := esds.Find(fields, f.Name)
	if field != nil {
		c.name = field.Path // in the index's own case
		if isDate(field.Kind) || field.Kind == "date_range" {
			if known, ok := parseDateFormat(field.Format); ok {
				c.date = known
			}
		}
		if field.Kind == "long" {
			c.date = dateFormat{{kind: dateMillis}} // as elasticsearch-hadoop makes it
		}
		c.asJSON = hasOwnForm(field.Kind)
	}
	c.quoted = append(row.AppendQuoted(nil, c.name), ':')
	return c
}

var errNotFinite = errors.New("is NaN or infinite, which JSON has no number for")

func (c *encoded) appendValue(dst []byte, col *row.Column, i int, nulls bool) ([]byte, error) {
	if col.IsNull(i) {
		return append(dst, "null"...), nil
	}
	switch col.Type.Kind {
	case row.Float, row.Double:
		if v := col.Floats[i]; math.IsNaN(v) || math.IsInf(v, 0) {
			return append(dst, "null"...), errNotFinite
		}
	case row.Date:
		return c.date.append(dst, col.Ints[i]*86_400_000_000, row.Date), nil
	case row.Timestamp, row.TimestampNTZ:
		return c.date.append(dst, col.Ints[i], col.Type.Kind), nil
	case row.String:
		if text := col.Text(i); c.asJSON && len(text) > 0 && (text[0] == '{' || text[0] == '[') && jsontext.Value(text).IsValid() {
			v := jsontext.Value(append([]byte{}, text...))
			if v.Compact() == nil { // a line must not hold a line break
				return append(dst, v...), nil
			}
		}
	case row.Array:
		return c.appendArray(dst, col, i, nulls)
	case row.Struct:
		return c.appendStruct(dst, col, i, nulls)
	case row.Map:
		return c.appendMap(dst, col, i, nulls)
	}
	return row.AppendJSON(dst, col, i), nil
}

func (c *encoded) appendArray(dst []byte, col *row.Column, i int, nulls bool) ([]byte, error) {
	start, end := col.Range(i)
	var err, first error
	dst = append(dst, '[')
	for j := start; j < end; j++ {
		if j > start {
			dst = append(dst, ',')
		}
		if dst, err = c.appendValue(dst, col.Children[0], j, nulls); err != nil {
			first = err
		}
	}
	return append(dst, ']'), first
}

func (c *encoded) appendStruct(dst []byte, col *row.Column, i int, nulls bool) ([]byte, error) {
	var err, first error
	dst = append(dst, '{')
	start := len(dst)
	for k, f := range col.Type.Fields {
		if col.Children[k].IsNull(i) && !nulls {
			continue
		}
		if len(dst) > start {
			dst = append(dst, ',')
		}
		dst = append(row.AppendQuoted(dst, f.Name), ':')
		if dst, err = c.appendValue(dst, col.Children[k], i, nulls); err != nil {
			first = err
		}
	}
	return append(dst, '}'), first
}

func (c *encoded) appendMap(dst []byte, col *row.Column, i int, nulls bool) ([]byte, error) {
	start, end := col.Range(i)
	var err, first error
	dst = append(dst, '{')
	for j := start; j < end; j++ {
		if j > start {
			dst = append(dst, ',')
		}
		dst = append(row.AppendQuoted(dst, row.AppendText(nil, col.Children[0], j)), ':')
		if dst, err = c.appendValue(dst, col.Children[1], j, nulls); err != nil {
			first = err
		}
	}
	return append(dst, '}'), first
}
