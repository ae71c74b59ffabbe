package render

import (
	"bytes"

	"github.com/eslake/eslake/sql/row"
)

// newTSV writes tabs between values, \t, \n, \r and \\ for such characters within
// them, and \N for a NULL.
func newTSV(s row.Schema, o Options) lines {
	null := `\N`
	if o.Null != nil {
		null = *o.Null
	}
	l := separated(s, o, "\t", []byte(null), appendTab)
	l.form.Plain = &row.PlainText{}
	return l
}

func appendTab(dst, text []byte) []byte {
	for {
		i := bytes.IndexAny(text, "\t\n\r\\")
		if i < 0 {
			return append(dst, text...)
		}
		dst = append(dst, text[:i]...)
		switch text[i] {
		case '\t':
			dst = append(dst, '\\', 't')
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		default:
			dst = append(dst, '\\', '\\')
		}
		text = text[i+1:]
	}
}
