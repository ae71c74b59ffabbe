package row

import (
	"fmt"
	"math"
	"strings"
)

// Column is the values of one column of a batch, kept in plain slices by type
// so that millions of values cost a handful of allocations. Which slice holds
// the values is a matter of the type's kind:
//
//	Boolean (0, 1), TinyInt … BigInt, Date, Timestamp, TimestampNTZ   Ints
//	Float, Double                                                     Floats
//	Decimal                                                           Decimals, unscaled
//	String, Binary, Interval                                          Bytes, Ends
//	Array                          Ends into Children[0]
//	Map                            Ends into Children[0] (keys) and Children[1] (values)
//	Struct                         Children, one for each field, as long as the column
//	Void                           nothing: every value is NULL
//
// Ends[i] is where value i ends; it begins where value i-1 ended. A NULL has an
// entry in every slice (zero, or an empty range), so positions always match.
type Column struct {
	Type     Type
	Ints     []int64
	Floats   []float64
	Decimals []Int128
	Bytes    []byte
	Ends     []int
	Children []*Column

	n     int
	nulls []bool // nil while no value is NULL
}

// NewColumn returns an empty column of the type.
func NewColumn(t Type) *Column {
	c := &Column{Type: t}
	switch t.Kind {
	case Array:
		c.Children = []*Column{NewColumn(*t.Elem)}
	case Map:
		c.Children = []*Column{NewColumn(*t.Key), NewColumn(*t.Elem)}
	case Struct:
		for _, f := range t.Fields {
			c.Children = append(c.Children, NewColumn(f.Type))
		}
	}
	return c
}

// Len returns the number of values.
func (c *Column) Len() int { return c.n }

// IsNull reports whether value i is NULL.
func (c *Column) IsNull(i int) bool {
	return c.Type.Kind == Void || c.nulls != nil && c.nulls[i]
}

// HasNulls reports whether any value may be NULL.
func (c *Column) HasNulls() bool { return c.Type.Kind == Void && c.n > 0 || c.nulls != nil }

// Range returns the bounds of value i in Bytes (String, Binary, Interval) or in
// the children (Array, Map).
func (c *Column) Range(i int) (start, end int) {
	if i > 0 {
		start = c.Ends[i-1]
	}
	return start, c.Ends[i]
}

// Text returns the bytes of value i of a String, Binary or Interval column. They
// are the column's own and must not be changed.
func (c *Column) Text(i int) []byte {
	start, end := c.Range(i)
	return c.Bytes[start:end:end]
}

// Bool returns value i of a Boolean column.
func (c *Column) Bool(i int) bool { return c.Ints[i] != 0 }

// AppendNull appends a NULL of any type.
func (c *Column) AppendNull() {
	if c.nulls == nil {
		c.nulls = make([]bool, c.n, max(c.n+1, 64))
	}
	switch c.Type.Kind {
	case Void:
	case Float, Double:
		c.Floats = append(c.Floats, 0)
	case Decimal:
		c.Decimals = append(c.Decimals, Int128{})
	case String, Binary, Interval:
		c.Ends = append(c.Ends, len(c.Bytes))
	case Array, Map:
		c.Ends = append(c.Ends, c.Children[0].n)
	case Struct:
		for _, child := range c.Children {
			child.AppendNull()
		}
	default:
		c.Ints = append(c.Ints, 0)
	}
	c.nulls = append(c.nulls, true)
	c.n++
}

// AppendInt appends to a column that keeps Ints.
func (c *Column) AppendInt(v int64) {
	c.Ints = append(c.Ints, v)
	c.valid()
}

// AppendBool appends to a Boolean column.
func (c *Column) AppendBool(v bool) {
	n := int64(0)
	if v {
		n = 1
	}
	c.AppendInt(n)
}

// AppendFloat appends to a Float or Double column.
func (c *Column) AppendFloat(v float64) {
	c.Floats = append(c.Floats, v)
	c.valid()
}

// AppendDecimal appends an unscaled value to a Decimal column.
func (c *Column) AppendDecimal(v Int128) {
	c.Decimals = append(c.Decimals, v)
	c.valid()
}

// AppendText appends a copy of b to a String, Binary or Interval column.
func (c *Column) AppendText(b []byte) {
	c.Bytes = append(c.Bytes, b...)
	c.EndText()
}

// AppendString is AppendText for a string.
func (c *Column) AppendString(s string) {
	c.Bytes = append(c.Bytes, s...)
	c.EndText()
}

// EndText ends a value whose bytes were appended to Bytes by the caller.
func (c *Column) EndText() {
	c.Ends = append(c.Ends, len(c.Bytes))
	c.valid()
}

// EndNested ends an Array, Map or Struct value whose parts were appended to the
// children by the caller: for a Struct one value to every child.
func (c *Column) EndNested() {
	if c.Type.Kind != Struct {
		c.Ends = append(c.Ends, c.Children[0].n)
	}
	c.valid()
}

func (c *Column) valid() {
	if c.nulls != nil {
		c.nulls = append(c.nulls, false)
	}
	c.n++
}

// Truncate drops all values from n on. It takes back a value whose appending
// went wrong, nested parts included.
func (c *Column) Truncate(n int) {
	if c.n <= n && c.Type.Kind != Struct && c.Type.Kind != Array && c.Type.Kind != Map {
		if len(c.Ends) > 0 {
			c.Bytes = c.Bytes[:c.Ends[len(c.Ends)-1]]
		} else {
			c.Bytes = c.Bytes[:0]
		}
		return
	}
	c.Ints = c.Ints[:min(n, len(c.Ints))]
	c.Floats = c.Floats[:min(n, len(c.Floats))]
	c.Decimals = c.Decimals[:min(n, len(c.Decimals))]
	c.Ends = c.Ends[:min(n, len(c.Ends))]
	inner := n
	if len(c.Ends) > 0 {
		inner = c.Ends[len(c.Ends)-1]
	} else if c.Type.Kind != Struct {
		inner = 0
	}
	switch c.Type.Kind {
	case String, Binary, Interval:
		c.Bytes = c.Bytes[:inner]
	case Array, Map, Struct:
		for _, child := range c.Children {
			child.Truncate(inner)
		}
	}
	if c.nulls != nil {
		c.nulls = c.nulls[:min(n, len(c.nulls))]
	}
	c.n = min(n, c.n)
}

// AppendFrom appends value i of src, a column of an equal type.
func (c *Column) AppendFrom(src *Column, i int) {
	if src.IsNull(i) {
		c.AppendNull()
		return
	}
	switch c.Type.Kind {
	case Float, Double:
		c.AppendFloat(src.Floats[i])
	case Decimal:
		c.AppendDecimal(src.Decimals[i])
	case String, Binary, Interval:
		c.AppendText(src.Text(i))
	case Array, Map:
		start, end := src.Range(i)
		for k, child := range c.Children {
			for j := start; j < end; j++ {
				child.AppendFrom(src.Children[k], j)
			}
		}
		c.EndNested()
	case Struct:
		for k, child := range c.Children {
			child.AppendFrom(src.Children[k], i)
		}
		c.EndNested()
	default:
		c.AppendInt(src.Ints[i])
	}
}

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

var intLimits = map[Kind]int64{TinyInt: math.MaxInt8, SmallInt: math.MaxInt16, Int: math.MaxInt32, Date: math.MaxInt32}

// FitsInt reports whether v is within the range of an integral or Date type.
func FitsInt(k Kind, v int64) bool {
	limit, ok := intLimits[k]
	return !ok || v <= limit && v >= -limit-1
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
