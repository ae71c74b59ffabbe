package row

import (
	"fmt"
	"strings"
)

// Value returns value i as a Go value: nil, bool, int64, float64, string (also
// decimals, dates and timestamps in their text form), []byte, []any, or
// map[string]any for maps (keys as text) and structs. It allocates: for tests
// and messages.
func (c *Column) Value(i int) any {
	if c.IsNull(i) {
		return nil
	}
	switch c.Type.Kind {
	case Boolean:
		return c.Bool(i)
	case TinyInt, SmallInt, Int, BigInt:
		return c.Ints[i]
	case Float, Double:
		return c.Floats[i]
	case Binary:
		return append([]byte{}, c.Text(i)...)
	case Array:
		start, end := c.Range(i)
		list := make([]any, 0, end-start)
		for j := start; j < end; j++ {
			list = append(list, c.Children[0].Value(j))
		}
		return list
	case Map:
		start, end := c.Range(i)
		m := make(map[string]any, end-start)
		for j := start; j < end; j++ {
			m[string(AppendText(nil, c.Children[0], j))] = c.Children[1].Value(j)
		}
		return m
	case Struct:
		m := make(map[string]any, len(c.Children))
		for k, f := range c.Type.Fields {
			m[f.Name] = c.Children[k].Value(i)
		}
		return m
	default:
		return string(AppendText(nil, c, i))
	}
}

// Append appends a Go value, as Value returns it; integers of every width and
// float32 are taken too. It is for tests, literals and small results. On an error
// nothing is appended.
func (c *Column) Append(v any) error {
	n := c.n
	err := c.append(v)
	if err != nil {
		c.Truncate(n)
	}
	return err
}

func (c *Column) append(v any) error {
	if v == nil {
		c.AppendNull()
		return nil
	}
	ok := false
	switch v := v.(type) {
	case bool:
		if ok = c.Type.Kind == Boolean; ok {
			c.AppendBool(v)
		}
	case int:
		return c.Append(int64(v))
	case int32:
		return c.Append(int64(v))
	case int64:
		return c.appendNumber(v)
	case float32:
		return c.Append(float64(v))
	case float64:
		if ok = c.Type.Kind == Float || c.Type.Kind == Double; ok {
			c.AppendFloat(v)
		}
	case []byte:
		if ok = c.Type.Kind == Binary || c.Type.Kind == String; ok {
			c.AppendText(v)
		}
	case string:
		return ParseText(c, v)
	case []any:
		return c.appendList(v)
	case map[string]any:
		return c.appendMap(v)
	}
	if !ok {
		return fmt.Errorf("%T does not fit %s", v, c.Type)
	}
	return nil
}

// FitsInt reports whether v is within the range of an integral or Date type.
func FitsInt(k Kind, v int64) bool {
	switch k {
	case TinyInt:
		return v == int64(int8(v))
	case SmallInt:
		return v == int64(int16(v))
	case Int, Date:
		return v == int64(int32(v))
	}
	return true
}

func (c *Column) appendNumber(v int64) error {
	switch c.Type.Kind {
	case Float, Double:
		c.AppendFloat(float64(v))
	case Decimal:
		return ParseText(c, fmt.Sprint(v))
	case TinyInt, SmallInt, Int, BigInt, Date, Timestamp, TimestampNTZ:
		if !FitsInt(c.Type.Kind, v) {
			return fmt.Errorf("%d is out of range for %s", v, c.Type)
		}
		c.AppendInt(v)
	default:
		return fmt.Errorf("a number does not fit %s", c.Type)
	}
	return nil
}

func (c *Column) appendList(list []any) error {
	if c.Type.Kind != Array {
		return fmt.Errorf("a list does not fit %s", c.Type)
	}
	for _, v := range list {
		if err := c.Children[0].Append(v); err != nil {
			return err
		}
	}
	c.EndNested()
	return nil
}

func (c *Column) appendMap(m map[string]any) error {
	switch c.Type.Kind {
	case Map:
		for _, k := range sortedKeys(m) {
			if err := ParseText(c.Children[0], k); err != nil {
				return err
			}
			if err := c.Children[1].Append(m[k]); err != nil {
				return err
			}
		}
	case Struct:
		for k, f := range c.Type.Fields {
			if err := c.Children[k].Append(fieldOf(m, f.Name)); err != nil {
				return err
			}
		}
	default:
		return fmt.Errorf("an object does not fit %s", c.Type)
	}
	c.EndNested()
	return nil
}

func (c *Column) lastEnd() int {
	if len(c.Ends) == 0 {
		return 0
	}
	return c.Ends[len(c.Ends)-1]
}

func fieldOf(m map[string]any, name string) any {
	if v, ok := m[name]; ok {
		return v
	}
	for k, v := range m {
		if strings.EqualFold(k, name) {
			return v
		}
	}
	return nil
}
