package duckdb

import (
	"fmt"
	"math"
	"math/big"
	"unsafe"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/eslake/eslake/sql/row"
)

// vector is a flat vector of a chunk.
type vector struct {
	handle bindings.Vector
	data   unsafe.Pointer
	valid  *uint64 // a bit for each value, set when it is not NULL; nil when none is
}

func newVector(v bindings.Vector) vector {
	return vector{handle: v, data: bindings.VectorGetData(v), valid: (*uint64)(bindings.VectorGetValidity(v))}
}

func (v vector) null(i int) bool {
	if v.valid == nil {
		return false
	}
	word := *(*uint64)(unsafe.Add(unsafe.Pointer(v.valid), i/64*8))
	return word>>(uint(i)%64)&1 == 0
}

// values views n values of the vector.
func values[T any](v vector, n int) []T { return unsafe.Slice((*T)(v.data), n) }

// copier appends values start to end of a vector to a column.
type copier func(c *row.Column, v vector, start, end int) error

// newCopier returns the copier from a DuckDB type to a wanted type: the same
// value, or an error where a wider number does not fit a narrower type.
func newCopier(from logical, want row.Type) (copier, error) {
	var c copier
	switch {
	case want.Kind == row.Void || from.id == bindings.TypeSQLNull:
		c = copyNulls
	case want.Nested():
		return newNestedCopier(from, want)
	case want.Kind == row.Decimal:
		c = decimalCopier(from, want)
	case want.Kind == row.Float || want.Kind == row.Double:
		c = floatCopier(from)
	case want.Kind == row.String || want.Kind == row.Binary || want.Kind == row.Interval:
		c = textCopier(from, want)
	default:
		c = intCopier(from, want.Kind)
	}
	if c == nil {
		return nil, fmt.Errorf("DuckDB's type %s cannot be read as %s", from, want)
	}
	return c, nil
}

func copyNulls(c *row.Column, _ vector, start, end int) error {
	for range end - start {
		c.AppendNull()
	}
	return nil
}

// intCopier serves the types that a column keeps as Ints.
func intCopier(from logical, want row.Kind) copier {
	switch want {
	case row.Boolean:
		if from.id == bindings.TypeBoolean {
			return copyInts[uint8](want)
		}
		return nil
	case row.Date:
		if from.id == bindings.TypeDate {
			return copyInts[int32](want)
		}
		return nil
	case row.Timestamp, row.TimestampNTZ:
		return timestampCopier(from.id, want)
	}
	switch from.id {
	case bindings.TypeTinyInt:
		return copyInts[int8](want)
	case bindings.TypeSmallInt:
		return copyInts[int16](want)
	case bindings.TypeInteger:
		return copyInts[int32](want)
	case bindings.TypeBigInt:
		return copyInts[int64](want)
	case bindings.TypeUTinyInt:
		return copyInts[uint8](want)
	case bindings.TypeUSmallInt:
		return copyInts[uint16](want)
	case bindings.TypeUInteger:
		return copyInts[uint32](want)
	case bindings.TypeUBigInt, bindings.TypeHugeInt, bindings.TypeUHugeInt, bindings.TypeDecimal:
		wide := wideReader(from)
		return func(c *row.Column, v vector, start, end int) error {
			for i := start; i < end; i++ {
				if v.null(i) {
					c.AppendNull()
					continue
				}
				n, ok := wide(v, i).Int64()
				if !ok || !row.FitsInt(want, n) || from.scale != 0 {
					return fmt.Errorf("%s is out of range for %s", row.AppendDecimal(nil, wide(v, i), from.scale), c.Type)
				}
				c.AppendInt(n)
			}
			return nil
		}
	}
	return nil
}

type integer interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32
}

func copyInts[T integer](want row.Kind) copier {
	var zero T
	bits := int(unsafe.Sizeof(zero)) * 8
	most := map[row.Kind]int{row.TinyInt: 8, row.SmallInt: 16, row.Int: 32}[want]
	narrow := most > 0 && (bits > most || zero-1 > 0 && bits == most) // the type of DuckDB is wider
	return func(c *row.Column, v vector, start, end int) error {
		for i, n := range values[T](v, end)[start:] {
			if v.null(start + i) {
				c.AppendNull()
				continue
			}
			if narrow && !row.FitsInt(want, int64(n)) {
				return fmt.Errorf("%d is out of range for %s", n, c.Type)
			}
			c.AppendInt(int64(n))
		}
		return nil
	}
}

func timestampCopier(id bindings.Type, want row.Kind) copier {
	var times, by int64 = 1, 1
	switch id {
	case bindings.TypeTimestamp, bindings.TypeTimestampTZ:
		return copyInts[int64](want)
	case bindings.TypeTimestampS:
		times = 1_000_000
	case bindings.TypeTimestampMS:
		times = 1000
	case bindings.TypeTimestampNS:
		by = 1000
	default:
		return nil
	}
	return func(c *row.Column, v vector, start, end int) error {
		for i, n := range values[int64](v, end)[start:] {
			if v.null(start + i) {
				c.AppendNull()
				continue
			}
			q := n / by
			if n%by < 0 {
				q--
			}
			c.AppendInt(q * times)
		}
		return nil
	}
}

func floatCopier(from logical) copier {
	switch from.id {
	case bindings.TypeFloat:
		return copyFloats[float32]
	case bindings.TypeDouble:
		return copyFloats[float64]
	case bindings.TypeTinyInt:
		return copyFloats[int8]
	case bindings.TypeSmallInt:
		return copyFloats[int16]
	case bindings.TypeInteger:
		return copyFloats[int32]
	case bindings.TypeBigInt:
		return copyFloats[int64]
	}
	wide := wideReader(from)
	if wide == nil {
		return nil
	}
	return func(c *row.Column, v vector, start, end int) error {
		for i := start; i < end; i++ {
			if v.null(i) {
				c.AppendNull()
				continue
			}
			r := new(big.Rat).SetFrac(wide(v, i).Big(), pow10(from.scale))
			f, _ := r.Float64()
			c.AppendFloat(f)
		}
		return nil
	}
}

func copyFloats[T integer | float32 | float64](c *row.Column, v vector, start, end int) error {
	for i, f := range values[T](v, end)[start:] {
		if v.null(start + i) {
			c.AppendNull()
			continue
		}
		c.AppendFloat(float64(f))
	}
	return nil
}

func pow10(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// wideReader returns how to read an integer of any width, or a decimal's
// unscaled value; nil for other types.
func wideReader(from logical) func(v vector, i int) row.Int128 {
	id := from.id
	if id == bindings.TypeDecimal {
		id = from.physical
	}
	switch id {
	case bindings.TypeTinyInt:
		return wideInt[int8]
	case bindings.TypeSmallInt:
		return wideInt[int16]
	case bindings.TypeInteger:
		return wideInt[int32]
	case bindings.TypeBigInt:
		return wideInt[int64]
	case bindings.TypeUTinyInt:
		return wideInt[uint8]
	case bindings.TypeUSmallInt:
		return wideInt[uint16]
	case bindings.TypeUInteger:
		return wideInt[uint32]
	case bindings.TypeUBigInt:
		return func(v vector, i int) row.Int128 {
			return row.Int128{Lo: *(*uint64)(unsafe.Add(v.data, i*8))}
		}
	case bindings.TypeHugeInt:
		return func(v vector, i int) row.Int128 { return *(*row.Int128)(unsafe.Add(v.data, i*16)) }
	case bindings.TypeUHugeInt: // beyond 2^127 it is capped, which no DECIMAL holds either
		return func(v vector, i int) row.Int128 {
			x := *(*row.Int128)(unsafe.Add(v.data, i*16))
			if x.Hi < 0 {
				return row.Int128{Lo: math.MaxUint64, Hi: math.MaxInt64}
			}
			return x
		}
	}
	return nil
}

func wideInt[T integer](v vector, i int) row.Int128 {
	var zero T
	return row.Int128From(int64(*(*T)(unsafe.Add(v.data, i*int(unsafe.Sizeof(zero))))))
}

func decimalCopier(from logical, want row.Type) copier {
	wide := wideReader(from)
	if wide == nil {
		return nil
	}
	digits := map[bindings.Type]int{
		bindings.TypeTinyInt: 3, bindings.TypeSmallInt: 5, bindings.TypeInteger: 10, bindings.TypeBigInt: 19, bindings.TypeDecimal: from.width,
		bindings.TypeUTinyInt: 3, bindings.TypeUSmallInt: 5, bindings.TypeUInteger: 10, bindings.TypeUBigInt: 20,
	}[from.id]
	same := digits > 0 && from.scale == want.Scale && digits <= want.Precision
	return func(c *row.Column, v vector, start, end int) error {
		for i := start; i < end; i++ {
			switch {
			case v.null(i):
				c.AppendNull()
			case same:
				c.AppendDecimal(wide(v, i))
			default:
				x, err := row.ParseDecimal(string(row.AppendDecimal(nil, wide(v, i), from.scale)), want.Precision, want.Scale)
				if err != nil {
					return err
				}
				c.AppendDecimal(x)
			}
		}
		return nil
	}
}
