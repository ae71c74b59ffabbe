package row

import "slices"

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
	Zone     *Zone // that AppendText and AppendJSON show Timestamps in, nil for UTC

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

// TextBytes returns how many bytes of text there are, in nested values too.
func (c *Column) TextBytes() int {
	n := len(c.Bytes)
	for _, child := range c.Children {
		n += child.TextBytes()
	}
	return n
}

// Grow makes room for n more values, and for so many more bytes of text. Values
// within nested ones are not counted.
func (c *Column) Grow(n, bytes int) {
	switch c.Type.Kind {
	case Void, Struct:
	case Float, Double:
		c.Floats = slices.Grow(c.Floats, n)
	case Decimal:
		c.Decimals = slices.Grow(c.Decimals, n)
	case String, Binary, Interval:
		c.Ends = slices.Grow(c.Ends, n)
		c.Bytes = slices.Grow(c.Bytes, bytes)
	case Array, Map:
		c.Ends = slices.Grow(c.Ends, n)
	default:
		c.Ints = slices.Grow(c.Ints, n)
	}
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
