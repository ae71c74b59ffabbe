package render

import (
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
	"github.com/eslake/eslake/sql/row"
)

// The looks of a NULL.
const (
	dim   = "\x1b[2m"
	plain = "\x1b[0m"
)

// appendShown appends a text so that it cannot move the cursor, change colours
// or reverse the line: control characters and marks of direction are spelled.
func appendShown(dst, text []byte) []byte {
	for len(text) > 0 {
		n := 0
		for n < len(text) && text[n] >= ' ' && text[n] < 0x7f {
			n++
		}
		dst = append(dst, text[:n]...)
		text = text[n:]
		if len(text) == 0 {
			break
		}
		r, size := utf8.DecodeRune(text)
		dst = appendRune(dst, r, text[:size])
		text = text[size:]
	}
	return dst
}

func appendRune(dst []byte, r rune, text []byte) []byte {
	switch {
	case r == '\n':
		return append(dst, '\\', 'n')
	case r == '\r':
		return append(dst, '\\', 'r')
	case r == '\t':
		return append(dst, '\\', 't')
	case r == utf8.RuneError && len(text) == 1:
		return fmt.Appendf(dst, `\x%02x`, text[0])
	case r < 0x100 && unicode.IsControl(r):
		return fmt.Appendf(dst, `\x%02x`, r)
	case unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029' || r == '\ufeff':
		return fmt.Appendf(dst, `\u%04x`, r)
	default:
		return append(dst, text...)
	}
}

// shower appends values as people read them.
type shower struct {
	null    string
	scratch []byte
}

func newShower(o Options) *shower {
	if o.Null != nil {
		return &shower{null: *o.Null}
	}
	return &shower{null: "NULL"}
}

func (s *shower) value(dst []byte, c *row.Column, i int) []byte {
	switch {
	case c.IsNull(i):
		return append(dst, s.null...)
	case c.Type.Kind == row.String:
		return appendShown(dst, c.Text(i))
	case c.Type.Nested():
		s.scratch = row.AppendText(s.scratch[:0], c, i)
		return appendShown(dst, s.scratch)
	default:
		return row.AppendText(dst, c, i)
	}
}

// width returns the columns that a text takes on a terminal.
func width(text []byte) int {
	for _, b := range text {
		if b < ' ' || b >= 0x7f {
			return displaywidth.Bytes(text)
		}
	}
	return len(text)
}

func appendSpaces(dst []byte, n int) []byte {
	for ; n > 0; n-- {
		dst = append(dst, ' ')
	}
	return dst
}
