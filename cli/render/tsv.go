package render

import (
	"bytes"

	"github.com/eslake/eslake/sql/row"
)

// tsv writes tabs between values, \t, \n, \r and \\ for such characters within
// them, and \N for a NULL.
type tsv struct {
	schema   row.Schema
	noHeader bool
	null     []byte
}

func newTSV(s row.Schema, o Options) *tsv {
	t := &tsv{schema: s, noHeader: o.NoHeader, null: []byte(`\N`)}
	if o.Null != nil {
		t.null = []byte(*o.Null)
	}
	return t
}

func (t *tsv) begin(dst []byte) []byte {
	if t.noHeader {
		return dst
	}
	for k, f := range t.schema {
		if k > 0 {
			dst = append(dst, '\t')
		}
		dst = appendTab(dst, []byte(f.Name))
	}
	return append(dst, '\n')
}

func (t *tsv) row(dst []byte, b *row.Batch, i int) []byte {
	for k, c := range b.Columns {
		if k > 0 {
			dst = append(dst, '\t')
		}
		switch {
		case c.IsNull(i):
			dst = append(dst, t.null...)
		case c.Type.Kind == row.String:
			dst = appendTab(dst, c.Text(i))
		case c.Type.Nested():
			start := len(dst)
			dst = row.AppendText(dst, c, i)
			dst = appendTab(dst[:start], bytes.Clone(dst[start:]))
		default:
			dst = row.AppendText(dst, c, i)
		}
	}
	return append(dst, '\n')
}

func (*tsv) end(dst []byte, _ int64) []byte { return dst }

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
