// Package textcopy makes lines of text that holds the same values already: of JSON
// documents in the answers of a search, and of the records of CSV files. A value is
// copied when its text is what would be printed of it; whatever else is met is left to
// the caller. It is written in C, which takes less than half of the time that Go takes
// for it: of a read of plain documents this is most of the work.
package textcopy

import (
	"unsafe"

	"github.com/eslake/eslake/sql/row"
)

// #cgo CFLAGS: -O2
// #include "lines.h"
import "C"

// Shape is what values of a column look like in most texts.
type Shape uint8

// The shapes.
const (
	Any  Shape = iota // nothing is known
	Text              // a string without escapes
	Whole
	Real
	Decimal
	Bool
	Date // "2006-01-02"
	Time // "2006-01-02T15:04:05.123Z"
)

// Look is what a look at a text can tell of values. The zero Look tells nothing.
type Look struct {
	Shape  Shape
	Most   string // the largest whole number, without a sign
	Digits int    // of a fractional number: at most so many; of a decimal: before the point
	Scale  int    // of a decimal: digits behind the point
}

// LookOf returns how values of a type look.
func LookOf(t row.Type) Look {
	switch t.Kind {
	case row.String:
		return Look{Shape: Text}
	case row.TinyInt, row.SmallInt, row.Int, row.BigInt:
		return Look{Shape: Whole, Most: t.Largest()}
	case row.Float:
		return Look{Shape: Real, Digits: 6} // FLT_DIG: so many decimal digits come back as they were
	case row.Double:
		return Look{Shape: Real, Digits: 15} // DBL_DIG
	case row.Decimal:
		return Look{Shape: Decimal, Digits: t.Precision - t.Scale, Scale: t.Scale}
	case row.Boolean:
		return Look{Shape: Bool}
	case row.Date:
		return Look{Shape: Date}
	case row.Timestamp:
		return Look{Shape: Time}
	}
	return Look{}
}

// Keep says how a plain value comes into a line.
type Keep uint8

// The ways of keeping a value.
const (
	KeepNot   Keep = iota // Hits stops there
	KeepWhole             // as it stands in the document
	KeepInner             // as row.AppendText prints it, or Lines.Text when Lines.Plain is known
)

// Why says why Hits stopped.
type Why int

// The reasons.
const (
	Stop  Why = iota // behind a hit: there are enough lines, or no hit follows that begins as it did
	Room             // the storage of lines is too small
	Value            // at a step whose value is not plain
	Head             // at the first hit: it does not begin as the frame says
	Tail             // where a document ends, or should
)

// Reach is how many bytes at the end of a text Hits leaves alone: it goes through the
// last hit of a text only when as many follow.
const Reach = C.LINES_REACH

// c is the look for C.
func (l Look) c() C.lines_look {
	look := C.lines_look{shape: C.uint8_t(l.Shape), digits: C.uint8_t(max(l.Digits, len(l.Most))), scale: C.uint8_t(l.Scale)}
	for k := range len(l.Most) {
		look.most[k] = C.char(l.Most[k])
	}
	return look
}

// words are short texts, one behind the other.
type words []byte

func (w *words) word(text []byte) C.lines_word {
	*w = append(*w, text...)
	return C.lines_word{at: C.uint32_t(len(*w) - len(text)), len: C.uint32_t(len(text))}
}

// close makes room for copies that reach beyond the last word.
func (w *words) close() { *w = append(*w, make([]byte, C.SPELL_COPY)...) }

func flag(b bool) C.uint8_t {
	if b {
		return 1
	}
	return 0
}

func first(b []byte) *C.uint8_t { return (*C.uint8_t)(unsafe.SliceData(b)) }
