package duck

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/eslake/eslake/sql/row"
)

// jsonValues reads JSON values as Spark's reader reads them: a number in quotes
// is no number, 1.0 is no whole number, text is whatever is there.
type jsonValues struct {
	d       *jsonDialect
	text    bytes.Reader
	dec     *jsontext.Decoder
	found   []jsontext.Value
	scratch []byte
	unfit   bool // a value was made NULL since it did not fit
}

func newJSONValues(d *jsonDialect) *jsonValues {
	v := &jsonValues{d: d}
	v.dec = jsontext.NewDecoder(&v.text, lenientJSON...)
	return v
}

// members returns the values of an object by the fields of a schema, nil for
// those that it lacks. The last one of a name counts. The slice is used again by
// the next call.
func (j *jsonValues) members(v jsontext.Value, s row.Schema) ([]jsontext.Value, error) {
	j.text.Reset(v)
	j.dec.Reset(&j.text, lenientJSON...)
	found := j.found[:0]
	for range s {
		found = append(found, nil)
	}
	j.found = found
	if _, err := j.dec.ReadToken(); err != nil {
		return nil, err
	}
	next := 0
	for j.dec.PeekKind() != '}' {
		name, err := j.dec.ReadValue()
		if err != nil {
			return nil, err
		}
		i := j.index(s, name, next)
		from := j.dec.InputOffset()
		if err := j.dec.SkipValue(); err != nil {
			return nil, err
		}
		if i >= 0 {
			raw := bytes.TrimLeft(v[from:j.dec.InputOffset()], " \t\r\n:")
			found[i], next = raw, i+1
		}
	}
	return found, nil
}

// index finds a field by its exact name; next is a guess that is often right.
func (j *jsonValues) index(s row.Schema, quoted jsontext.Value, next int) int {
	name := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(name, '\\') >= 0 {
		j.scratch, _ = jsontext.AppendUnquote(j.scratch[:0], quoted)
		name = j.scratch
	}
	if next < len(s) && s[next].Name == string(name) {
		return next
	}
	for i := range s {
		if s[i].Name == string(name) {
			return i
		}
	}
	return -1
}

// append appends a value. In PERMISSIVE mode one that does not fit is NULL.
func (j *jsonValues) append(c *row.Column, v jsontext.Value) error {
	n := c.Len()
	err := j.typed(c, v)
	if err == nil {
		return nil
	}
	c.Truncate(n)
	if j.d.mode != permissive {
		return err
	}
	c.AppendNull()
	j.unfit = true
	return nil
}

func (j *jsonValues) typed(c *row.Column, v jsontext.Value) error {
	kind := v.Kind()
	if kind == 'n' {
		c.AppendNull()
		return nil
	}
	switch c.Type.Kind {
	case row.String:
		return j.appendText(c, v)
	case row.Array:
		return j.list(c, v)
	case row.Map:
		return j.mapping(c, v)
	case row.Struct:
		return j.structure(c, v)
	case row.Boolean:
		if kind != 't' && kind != 'f' {
			return notA(c.Type)
		}
		c.AppendBool(kind == 't')
		return nil
	}
	if kind == '"' {
		text, err := jsontext.AppendUnquote(nil, v)
		if err != nil {
			return err
		}
		return j.quoted(c, text)
	}
	if kind != '0' {
		return notA(c.Type)
	}
	return j.number(c, v)
}

func (j *jsonValues) number(c *row.Column, v jsontext.Value) error {
	switch c.Type.Kind {
	case row.TinyInt, row.SmallInt, row.Int, row.BigInt:
		return parseInteger(c, v)
	case row.Float:
		return parseSingle(c, v)
	case row.Double:
		return parseDouble(c, v)
	case row.Decimal:
		return parseDecimal(c, v)
	case row.Timestamp, row.TimestampNTZ: // seconds
		n, err := strconv.ParseInt(string(v), 10, 64)
		if err != nil {
			return notA(c.Type)
		}
		c.AppendInt(n * 1_000_000)
		return nil
	}
	return notA(c.Type)
}

// quoted reads text as another type: dates, bytes, decimals, and the numbers that
// JSON does not have.
func (j *jsonValues) quoted(c *row.Column, text []byte) error {
	switch c.Type.Kind {
	case row.Date:
		return j.d.parseDate(c, text)
	case row.Timestamp:
		return j.d.parseTimestamp(c, text)
	case row.TimestampNTZ:
		return j.d.parseWall(c, text)
	case row.Decimal:
		return parseDecimal(c, text)
	case row.Float, row.Double:
		switch string(text) {
		case "NaN", "Infinity", "-Infinity", "+Infinity", "INF", "-INF", "+INF":
			v, err := strconv.ParseFloat(string(text), 64)
			c.AppendFloat(v)
			return err
		}
	case row.Binary:
		b, err := base64.StdEncoding.DecodeString(string(text))
		if err != nil {
			return fmt.Errorf("not base64")
		}
		c.AppendText(b)
		return nil
	case row.Interval:
		c.AppendText(text)
		return nil
	}
	return notA(c.Type)
}

// appendText appends text, or the JSON of anything else: whole numbers as they
// stand, others as Java prints a double.
func (j *jsonValues) appendText(c *row.Column, v jsontext.Value) error {
	switch v.Kind() {
	case '"':
		text, err := jsontext.AppendUnquote(c.Bytes, v)
		if err != nil && len(text) == len(c.Bytes) && len(v) > 2 {
			return err
		}
		c.Bytes = text
		c.EndText()
	case '0':
		if bytes.ContainsAny(v, ".eE") {
			f, _ := strconv.ParseFloat(string(v), 64)
			c.Bytes = row.AppendFloat(c.Bytes, f, 64)
			c.EndText()
			return nil
		}
		c.AppendText(v)
	case '{', '[':
		text := v.Clone()
		if err := text.Compact(lenientJSON...); err != nil {
			return err
		}
		c.AppendText(text)
	default:
		c.AppendText(v)
	}
	return nil
}

// parts calls f for each element of a list or member of an object.
func parts(v jsontext.Value, f func(name []byte, v jsontext.Value) error) error {
	dec := jsontext.NewDecoder(bytes.NewReader(v), lenientJSON...)
	open, err := dec.ReadToken()
	if err != nil {
		return err
	}
	object := open.Kind() == '{'
	for dec.PeekKind() != ']' && dec.PeekKind() != '}' {
		var name []byte
		if object {
			token, err := dec.ReadToken()
			if err != nil {
				return err
			}
			name = []byte(token.String())
		}
		v, err := dec.ReadValue()
		if err != nil {
			return err
		}
		if err := f(name, v); err != nil {
			return err
		}
	}
	return nil
}

func (j *jsonValues) list(c *row.Column, v jsontext.Value) error {
	if v.Kind() != '[' {
		return notA(c.Type)
	}
	err := parts(v, func(_ []byte, v jsontext.Value) error { return j.append(c.Children[0], v) })
	if err == nil {
		c.EndNested()
	}
	return err
}

func (j *jsonValues) mapping(c *row.Column, v jsontext.Value) error {
	if v.Kind() != '{' {
		return notA(c.Type)
	}
	err := parts(v, func(name []byte, v jsontext.Value) error {
		if err := row.ParseText(c.Children[0], string(name)); err != nil {
			return err
		}
		return j.append(c.Children[1], v)
	})
	if err == nil {
		c.EndNested()
	}
	return err
}

func (j *jsonValues) structure(c *row.Column, v jsontext.Value) error {
	if v.Kind() != '{' {
		return notA(c.Type)
	}
	found := make([]jsontext.Value, len(c.Type.Fields))
	err := parts(v, func(name []byte, v jsontext.Value) error {
		for i, f := range c.Type.Fields {
			if f.Name == string(name) {
				found[i] = v.Clone()
			}
		}
		return nil
	})
	for i := 0; err == nil && i < len(found); i++ {
		if found[i] == nil {
			c.Children[i].AppendNull()
			continue
		}
		err = j.append(c.Children[i], found[i])
	}
	if err == nil {
		c.EndNested()
	}
	return err
}
