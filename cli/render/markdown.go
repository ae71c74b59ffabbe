package render

import (
	"bytes"

	"github.com/eslake/eslake/sql/row"
)

// markdown writes a table as GitHub reads it.
type markdown struct {
	schema  row.Schema
	show    *shower
	scratch []byte
}

func newMarkdown(s row.Schema, o Options) *markdown {
	return &markdown{schema: s, show: newShower(o)}
}

func (m *markdown) begin(dst []byte) []byte {
	for _, f := range m.schema {
		dst = append(dst, "| "...)
		dst = appendMarkdown(dst, []byte(f.Name))
		dst = append(dst, ' ')
	}
	dst = append(dst, "|\n"...)
	for _, f := range m.schema {
		if f.Type.Numeric() {
			dst = append(dst, "| ---: "...)
		} else {
			dst = append(dst, "| --- "...)
		}
	}
	return append(dst, "|\n"...)
}

func (m *markdown) row(dst []byte, b *row.Batch, i int) []byte {
	for _, c := range b.Columns {
		dst = append(dst, "| "...)
		switch {
		case c.IsNull(i):
			dst = append(dst, m.show.null...)
		case c.Type.Kind == row.String:
			dst = appendMarkdown(dst, c.Text(i))
		default:
			m.scratch = row.AppendText(m.scratch[:0], c, i)
			dst = appendMarkdown(dst, m.scratch)
		}
		dst = append(dst, ' ')
	}
	return append(dst, "|\n"...)
}

func (*markdown) end(dst []byte, _ int64) []byte { return dst }

// appendMarkdown appends a text so that it reads as itself within a cell.
func appendMarkdown(dst, text []byte) []byte {
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	for {
		i := bytes.IndexAny(text, "\n\\|`*<[]~_")
		if i < 0 {
			return appendShown(dst, text)
		}
		dst = appendShown(dst, text[:i])
		switch {
		case text[i] == '\n':
			dst = append(dst, "<br>"...)
		case text[i] == '_' && i > 0 && letter(text[i-1]) && i+1 < len(text) && letter(text[i+1]):
			dst = append(dst, '_') // within a word it is no mark
		default:
			dst = append(dst, '\\', text[i])
		}
		text = text[i+1:]
	}
}

func letter(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b >= 0x80
}
