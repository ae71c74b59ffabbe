package row

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

func appendBase64(dst, b []byte) []byte {
	dst = append(dst, '"')
	dst = base64.StdEncoding.AppendEncode(dst, b)
	return append(dst, '"')
}

// ParseText appends text to the column, read as the column's type; what
// AppendText wrote comes back as it was, but for nested values (see ParseJSON)
// and NULL, which text cannot tell from "". On an error nothing is appended.
func ParseText(c *Column, text string) error {
	switch c.Type.Kind {
	case String, Interval:
		c.AppendString(text)
		return nil
	case Binary:
		c.AppendString(text)
		return nil
	case Array, Map, Struct:
		return ParseJSON(c, []byte(text))
	case Void:
		return fmt.Errorf("a value does not fit void")
	case Boolean:
		b, err := parseBool(text)
		if err != nil {
			return err
		}
		c.AppendBool(b)
		return nil
	case Float, Double:
		return parseFloat(c, text)
	case Decimal:
		v, err := ParseDecimal(text, c.Type.Precision, c.Type.Scale)
		if err != nil {
			return err
		}
		c.AppendDecimal(v)
		return nil
	}
	v, err := parseInt(c.Type.Kind, text)
	if err != nil {
		return err
	}
	c.AppendInt(v)
	return nil
}

func parseInt(k Kind, text string) (int64, error) {
	switch k {
	case Date:
		return ParseDate(text)
	case Timestamp, TimestampNTZ:
		return ParseTimestamp(text)
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a whole number in the range of %s", text, Type{Kind: k})
	}
	if !FitsInt(k, v) {
		return 0, fmt.Errorf("%s is out of range for %s", text, Type{Kind: k})
	}
	return v, nil
}

func parseBool(text string) (bool, error) {
	switch strings.ToLower(text) {
	case "true", "t", "yes", "y", "1":
		return true, nil
	case "false", "f", "no", "n", "0":
		return false, nil
	}
	return false, fmt.Errorf("%q is not a boolean", text)
}

func parseFloat(c *Column, text string) error {
	bits := 64
	if c.Type.Kind == Float {
		bits = 32
	}
	v, err := strconv.ParseFloat(text, bits)
	if err != nil {
		return fmt.Errorf("%q is not a %s", text, c.Type)
	}
	c.AppendFloat(v)
	return nil
}

// ParseJSON appends a JSON value to the column, read as the column's type. Text
// in quotes is read as ParseText reads it; a scalar column does not take a list
// or an object, and a String column takes any value as its JSON text. On an
// error nothing is appended.
func ParseJSON(c *Column, raw []byte) error {
	n := c.n
	err := parseJSON(c, jsontext.Value(raw))
	if err != nil {
		c.Truncate(n)
	}
	return err
}

func parseJSON(c *Column, raw jsontext.Value) error {
	switch raw.Kind() {
	case 'n':
		c.AppendNull()
		return nil
	case '"':
		text, err := jsontext.AppendUnquote(nil, raw)
		if err != nil {
			return fmt.Errorf("%s is not a JSON string: %w", raw, err)
		}
		return parseJSONString(c, text)
	case '[':
		return parseJSONList(c, raw)
	case '{':
		return parseJSONObject(c, raw)
	}
	if c.Type.Nested() {
		return fmt.Errorf("%s is not of type %s", raw, c.Type)
	}
	return ParseText(c, string(raw))
}

func parseJSONString(c *Column, text []byte) error {
	switch {
	case c.Type.Nested():
		return fmt.Errorf("text is not of type %s", c.Type)
	case c.Type.Kind == Binary:
		b, err := base64.StdEncoding.DecodeString(string(text))
		if err != nil {
			return fmt.Errorf("%q is not base64", text)
		}
		c.AppendText(b)
		return nil
	case c.Type.Kind == String:
		c.AppendText(text)
		return nil
	}
	return ParseText(c, string(text))
}

func parseJSONList(c *Column, raw jsontext.Value) error {
	switch c.Type.Kind {
	case String:
		c.AppendText(raw)
		return nil
	case Array:
	default:
		return fmt.Errorf("a list of values is not of type %s", c.Type)
	}
	err := eachValue(raw, func(_ string, v jsontext.Value) error { return parseJSON(c.Children[0], v) })
	if err != nil {
		c.Children[0].Truncate(c.lastEnd())
		return err
	}
	c.EndNested()
	return nil
}

func parseJSONObject(c *Column, raw jsontext.Value) error {
	switch c.Type.Kind {
	case String:
		c.AppendText(raw)
		return nil
	case Map:
		err := eachValue(raw, func(name string, v jsontext.Value) error {
			if err := ParseText(c.Children[0], name); err != nil {
				return err
			}
			return parseJSON(c.Children[1], v)
		})
		if err != nil {
			c.Children[0].Truncate(c.lastEnd())
			c.Children[1].Truncate(c.lastEnd())
			return err
		}
		c.EndNested()
		return nil
	case Struct:
		return parseJSONStruct(c, raw)
	}
	return fmt.Errorf("an object is not of type %s", c.Type)
}

// parseJSONStruct takes the members that the type has; of repeated ones the last.
func parseJSONStruct(c *Column, raw jsontext.Value) error {
	err := eachValue(raw, func(name string, v jsontext.Value) error {
		k := c.Type.Fields.Index(name)
		if k < 0 {
			return nil
		}
		c.Children[k].Truncate(c.n)
		return parseJSON(c.Children[k], v)
	})
	if err != nil {
		for _, child := range c.Children {
			child.Truncate(c.n)
		}
		return err
	}
	for _, child := range c.Children {
		if child.n == c.n {
			child.AppendNull()
		}
	}
	c.EndNested()
	return nil
}

// eachValue calls f for every element of a list, or every member of an object.
// Repeated names and invalid UTF-8 are taken as Elasticsearch takes them. A value
// is good until f returns.
func eachValue(raw jsontext.Value, f func(name string, v jsontext.Value) error) error {
	dec := jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	open, err := dec.ReadToken()
	if err != nil {
		return err
	}
	object := open.Kind() == '{'
	for dec.PeekKind() != ']' && dec.PeekKind() != '}' {
		name := ""
		if object {
			token, err := dec.ReadToken()
			if err != nil {
				return err
			}
			name = token.String()
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
