package row

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// AppendBinary appends the rows in a compact form that DecodeBatch reads. It is
// for files of this program's own: the types are not in it.
func (b *Batch) AppendBinary(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(b.Len))
	for _, c := range b.Columns {
		dst = c.appendBinary(dst)
	}
	return dst
}

func (c *Column) appendBinary(dst []byte) []byte {
	dst = c.appendNulls(dst)
	switch c.Type.Kind {
	case Void:
	case Float, Double:
		for _, v := range c.Floats[:c.n] {
			dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(v))
		}
	case Decimal:
		for _, v := range c.Decimals[:c.n] {
			dst = binary.LittleEndian.AppendUint64(dst, v.Lo)
			dst = binary.AppendVarint(dst, v.Hi)
		}
	case String, Binary, Interval:
		dst = c.appendEnds(dst)
		dst = append(dst, c.Bytes[:c.end()]...)
	case Array, Map:
		dst = c.appendEnds(dst)
		for _, child := range c.Children {
			dst = child.appendBinary(dst)
		}
	case Struct:
		for _, child := range c.Children {
			dst = child.appendBinary(dst)
		}
	default:
		for _, v := range c.Ints[:c.n] {
			dst = binary.AppendVarint(dst, v)
		}
	}
	return dst
}

// end is where the last value ends.
func (c *Column) end() int {
	if c.n == 0 {
		return 0
	}
	return c.Ends[c.n-1]
}

func (c *Column) appendEnds(dst []byte) []byte {
	last := 0
	for _, end := range c.Ends[:c.n] {
		dst = binary.AppendUvarint(dst, uint64(end-last))
		last = end
	}
	return dst
}

// appendNulls appends 0 when no value is NULL, else 1 and a bit a value.
func (c *Column) appendNulls(dst []byte) []byte {
	if c.nulls == nil {
		return append(dst, 0)
	}
	dst = append(dst, 1)
	bits := len(dst)
	dst = append(dst, make([]byte, (c.n+7)/8)...)
	for i, null := range c.nulls[:c.n] {
		if null {
			dst[bits+i/8] |= 1 << (i % 8)
		}
	}
	return dst
}

var errCut = errors.New("rows are cut off or damaged")

// DecodeBatch reads what AppendBinary wrote of a batch with these columns.
func DecodeBatch(s Schema, data []byte) (*Batch, error) {
	d := &decoder{data: data}
	b := &Batch{Len: d.count(math.MaxInt32)}
	for _, f := range s {
		b.Columns = append(b.Columns, d.column(f.Type, b.Len))
	}
	if d.failed || len(d.data) > 0 {
		return nil, errCut
	}
	return b, nil
}

// decoder takes values from the front of data. After what it cannot read it is
// failed and returns zeros.
type decoder struct {
	data   []byte
	failed bool
}

func (d *decoder) column(t Type, n int) *Column {
	c := NewColumn(t)
	c.n = n
	d.nulls(c)
	switch t.Kind {
	case Void:
	case Float, Double:
		if raw := d.take(n, 8); raw != nil {
			c.Floats = make([]float64, n)
			for i := range c.Floats {
				c.Floats[i] = math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:]))
			}
		}
	case Decimal:
		for i := 0; i < n && !d.failed; i++ {
			lo := d.take(1, 8)
			hi := d.varint()
			if !d.failed {
				c.Decimals = append(c.Decimals, Int128{Lo: binary.LittleEndian.Uint64(lo), Hi: hi})
			}
		}
	case String, Binary, Interval:
		c.Bytes = append(c.Bytes, d.take(d.ends(c), 1)...)
	case Array, Map:
		inner := d.ends(c)
		for i, child := range c.Children {
			c.Children[i] = d.column(child.Type, inner)
		}
	case Struct:
		for i, child := range c.Children {
			c.Children[i] = d.column(child.Type, n)
		}
	default:
		for i := 0; i < n && !d.failed; i++ {
			c.Ints = append(c.Ints, d.varint())
		}
	}
	return c
}

func (d *decoder) nulls(c *Column) {
	flag := d.take(1, 1)
	if flag == nil || flag[0] == 0 {
		return
	}
	raw := d.take((c.n+7)/8, 1)
	if d.failed {
		return
	}
	c.nulls = make([]bool, c.n, max(c.n, 1))
	for i := range c.nulls {
		c.nulls[i] = raw[i/8]&(1<<(i%8)) != 0
	}
}

// ends reads the lengths of n values and returns their sum.
func (d *decoder) ends(c *Column) int {
	total := 0
	for i := 0; i < c.n && !d.failed; i++ {
		total += d.count(math.MaxInt32)
		c.Ends = append(c.Ends, total)
	}
	return total
}

// count reads a number of things.
func (d *decoder) count(limit uint64) int {
	v, size := binary.Uvarint(d.data)
	if d.failed || size <= 0 || v > limit {
		d.failed = true
		return 0
	}
	d.data = d.data[size:]
	return int(v)
}

func (d *decoder) varint() int64 {
	v, size := binary.Varint(d.data)
	if d.failed || size <= 0 {
		d.failed = true
		return 0
	}
	d.data = d.data[size:]
	return v
}

// take returns n things of some bytes each, nil when they are not there.
func (d *decoder) take(n, size int) []byte {
	if d.failed || n > len(d.data)/size {
		d.failed = true
		return nil
	}
	out := d.data[: n*size : n*size]
	d.data = d.data[n*size:]
	return out
}

// Fingerprint writes the columns so that two schemas with the same text read
// each other's binary rows.
func (s Schema) Fingerprint() string {
	text := ""
	for _, f := range s {
		text += fmt.Sprintf("%s %s\n", QuoteName(f.Name), f.Type.SQL())
	}
	return text
}
