package duckdb

import (
	"fmt"
	"unsafe"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/eslake/eslake/sql/row"
)

// stringT is DuckDB's string_t: up to 12 bytes stand in it, longer ones behind
// a pointer.
type stringT struct {
	n      uint32
	prefix [4]byte
	ptr    uintptr // into C's memory; as an unsafe.Pointer each write would cost a barrier
}

const inlined = 12

func (s *stringT) bytes() []byte {
	if s.n <= inlined {
		return unsafe.Slice(&s.prefix[0], s.n)
	}
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&s.ptr)), s.n)
}

// textCopier serves String, Binary and Interval.
func textCopier(from logical, want row.Type) copier {
	switch from.id {
	case bindings.TypeVarchar:
		return copyStrings
	case bindings.TypeBlob:
		if want.Kind == row.Interval {
			return nil
		}
		return copyStrings
	case bindings.TypeInterval:
		return appendEach(16, appendInterval(want))
	case bindings.TypeUUID:
		return appendEach(16, appendUUID)
	case bindings.TypeTime:
		return appendEach(8, func(dst []byte, p unsafe.Pointer) []byte {
			return append(dst, row.AppendTimestamp(nil, *(*int64)(p), ' ')[len("1970-01-01 "):]...)
		})
	case bindings.TypeEnum:
		return enumCopier(from)
	}
	return nil
}

func copyStrings(c *row.Column, v vector, start, end int) error {
	list := values[stringT](v, end)[start:]
	total := 0
	for i := range list {
		if !v.null(start + i) {
			total += int(list[i].n)
		}
	}
	if room := cap(c.Bytes) - len(c.Bytes); room < total {
		c.Bytes = append(make([]byte, 0, len(c.Bytes)+total), c.Bytes...)
	}
	for i := range list {
		if v.null(start + i) {
			c.AppendNull()
			continue
		}
		c.Bytes = append(c.Bytes, list[i].bytes()...)
		c.EndText()
	}
	return nil
}

// appendEach copies values of the given size by their text.
func appendEach(size int, text func(dst []byte, p unsafe.Pointer) []byte) copier {
	return func(c *row.Column, v vector, start, end int) error {
		for i := start; i < end; i++ {
			if v.null(i) {
				c.AppendNull()
				continue
			}
			c.Bytes = text(c.Bytes, unsafe.Add(v.data, i*size))
			c.EndText()
		}
		return nil
	}
}

func enumCopier(from logical) copier {
	wide := wideReader(logical{id: from.physical})
	return func(c *row.Column, v vector, start, end int) error {
		for i := start; i < end; i++ {
			if v.null(i) {
				c.AppendNull()
				continue
			}
			c.AppendString(from.enum[wide(v, i).Lo])
		}
		return nil
	}
}

// appendUUID undoes the flip of the top bit by which DuckDB sorts UUIDs.
func appendUUID(dst []byte, p unsafe.Pointer) []byte {
	x := *(*row.Int128)(p)
	hi := uint64(x.Hi) ^ 1<<63
	return fmt.Appendf(dst, "%08x-%04x-%04x-%04x-%012x", hi>>32, hi>>16&0xffff, hi&0xffff, x.Lo>>48, x.Lo&0xffff_ffff_ffff)
}

// appendInterval prints an interval of a type as Spark casts one to text.
func appendInterval(want row.Type) func(dst []byte, p unsafe.Pointer) []byte {
	return func(dst []byte, p unsafe.Pointer) []byte {
		v := *(*struct {
			months, days int32
			micros       int64
		})(p)
		return row.AppendInterval(dst, int64(v.months), int64(v.days), v.micros, want)
	}
}
