package duckdb

import (
	"bytes"
	"unicode/utf8"
	"unsafe"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/eslake/eslake/sql/row"
)

// fill writes values start to end of a column to a fresh vector whose type is
// that of makeLogical.
func fill(h bindings.Vector, c *row.Column, start, end int) {
	if start == end {
		return
	}
	fillNulls(h, c, start, end)
	n := end - start
	switch c.Type.Kind {
	case row.Void:
	case row.Boolean, row.TinyInt:
		narrow(room[int8](h, n), c.Ints[start:end])
	case row.SmallInt:
		narrow(room[int16](h, n), c.Ints[start:end])
	case row.Int, row.Date:
		narrow(room[int32](h, n), c.Ints[start:end])
	case row.BigInt, row.Timestamp, row.TimestampNTZ:
		copy(room[int64](h, n), c.Ints[start:end])
	case row.Float:
		dst := room[float32](h, n)
		for i, f := range c.Floats[start:end] {
			dst[i] = float32(f)
		}
	case row.Double:
		copy(room[float64](h, n), c.Floats[start:end])
	case row.Decimal:
		fillDecimals(h, c, start, end)
	case row.String, row.Binary, row.Interval:
		fillStrings(h, c, start, end)
	case row.Array, row.Map:
		fillLists(h, c, start, end)
	case row.Struct:
		for k, child := range c.Children {
			fill(bindings.StructVectorGetChild(h, bindings.IdxT(k)), child, start, end)
		}
	}
}

// room views n values of a vector to write to.
func room[T any](h bindings.Vector, n int) []T {
	return unsafe.Slice((*T)(bindings.VectorGetData(h)), n)
}

func narrow[T int8 | int16 | int32](dst []T, src []int64) {
	dst = dst[:len(src)]
	for i, v := range src {
		dst[i] = T(v)
	}
}

func fillNulls(h bindings.Vector, c *row.Column, start, end int) {
	if !c.HasNulls() {
		return
	}
	var mask []uint64
	for i := start; i < end; i++ {
		if !c.IsNull(i) {
			continue
		}
		if mask == nil {
			bindings.VectorEnsureValidityWritable(h)
			mask = unsafe.Slice((*uint64)(bindings.VectorGetValidity(h)), (end-start+63)/64)
		}
		bit := uint(i - start)
		mask[bit/64] &^= 1 << (bit % 64)
	}
}

func fillDecimals(h bindings.Vector, c *row.Column, start, end int) {
	n, src := end-start, c.Decimals[start:end]
	switch p := c.Type.Precision; {
	case p <= 4:
		narrowDecimals(room[int16](h, n), src)
	case p <= 9:
		narrowDecimals(room[int32](h, n), src)
	case p <= 18:
		narrowDecimals(room[int64](h, n), src)
	default:
		copy(room[row.Int128](h, n), src)
	}
}

func narrowDecimals[T int16 | int32 | int64](dst []T, src []row.Int128) {
	dst = dst[:len(src)]
	for i, v := range src {
		dst[i] = T(v.Lo)
	}
}

// fillStrings gives all text of a column to the vector as one string, and makes
// the values parts of that: one call and one copy instead of one for each. Text
// that is not UTF-8 gets U+FFFD, since DuckDB's VARCHAR must be valid.
func fillStrings(h bindings.Vector, c *row.Column, start, end int) {
	from, _ := c.Range(start)
	text, ends := c.Bytes[from:c.Ends[end-1]], c.Ends[start:end]
	if c.Type.Kind != row.Binary && !validTexts(c, text, start, end) {
		text, ends = mendTexts(c, start, end)
		from = 0
	}
	dst := room[stringT](h, end-start)
	clear(dst)
	var base uintptr
	if len(text) > inlined {
		bindings.UnsafeVectorAssignStringElementLen(h, 0, text)
		base = dst[0].ptr
	}
	at := 0
	for i, to := range ends {
		s := stringT{n: uint32(to - from - at)}
		if s.n <= inlined {
			copy(unsafe.Slice(&s.prefix[0], inlined), text[at:to-from])
		} else {
			copy(s.prefix[:], text[at:])
			s.ptr = base + uintptr(at)
		}
		dst[i] = s
		at = to - from
	}
}

var replacement = []byte("\uFFFD")

// validTexts reports whether each value is valid UTF-8: the whole is, and no
// value begins within a character.
func validTexts(c *row.Column, text []byte, start, end int) bool {
	if !utf8.Valid(text) {
		return false
	}
	for i := start; i < end; i++ {
		if from, to := c.Range(i); from < to && !utf8.RuneStart(c.Bytes[from]) {
			return false
		}
	}
	return true
}

func mendTexts(c *row.Column, start, end int) (text []byte, ends []int) {
	for i := start; i < end; i++ {
		text = append(text, bytes.ToValidUTF8(c.Text(i), replacement)...)
		ends = append(ends, len(text))
	}
	return text, ends
}

// fillLists serves ARRAY and MAP, which is a list of key-value structs.
func fillLists(h bindings.Vector, c *row.Column, start, end int) {
	first, _ := c.Range(start)
	last := c.Ends[end-1]
	bindings.ListVectorReserve(h, bindings.IdxT(last-first))
	bindings.ListVectorSetSize(h, bindings.IdxT(last-first))
	entries := room[entry](h, end-start)
	for i := start; i < end; i++ {
		from, to := c.Range(i)
		entries[i-start] = entry{offset: uint64(from - first), length: uint64(to - from)}
	}
	child := bindings.ListVectorGetChild(h)
	if c.Type.Kind == row.Array {
		fill(child, c.Children[0], first, last)
		return
	}
	fill(bindings.StructVectorGetChild(child, 0), c.Children[0], first, last)
	fill(bindings.StructVectorGetChild(child, 1), c.Children[1], first, last)
}
