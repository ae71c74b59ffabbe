package render

import (
	"bytes"

	"github.com/eslake/eslake/sql/row"
)

// csv writes RFC 4180 with \n: a NULL is an empty field and an empty string is
// "", so that both come back as they were.
type csv struct {
	schema   row.Schema
	noHeader bool
	null     []byte
}

func newCSV(s row.Schema, o Options) *csv {
	c := &csv{schema: s, noHeader: o.NoHeader}
	if o.Null != nil {
		c.null = []byte(*o.Null)
	}
	return c
}

func (c *csv) begin(dst []byte) []byte {
	if c.noHeader {
		return dst
	}
	for k, f := range c.schema {
		if k > 0 {
			dst = append(dst, ',')
		}
		dst = c.text(dst, []byte(f.Name))
	}
	return append(dst, '\n')
}

func (c *csv) row(dst []byte, b *row.Batch, i int) []byte {
	for k, col := range b.Columns {
		if k > 0 {
			dst = append(dst, ',')
		}
		switch {
		case col.IsNull(i):
			dst = append(dst, c.null...)
		case col.Type.Kind == row.String:
			dst = c.text(dst, col.Text(i))
		case col.Type.Nested() || col.Type.Kind == row.Interval:
			start := len(dst)
			dst = row.AppendText(dst, col, i)
			dst = c.text(dst[:start], bytes.Clone(dst[start:]))
		default:
			dst = row.AppendText(dst, col, i)
		}
	}
	return append(dst, '\n')
}

func (*csv) end(dst []byte, _ int64) []byte { return dst }

// text appends a text, quoted where it must be: also one that could be taken for
// a NULL.
func (c *csv) text(dst, text []byte) []byte {
	if !c.quote(text) {
		return append(dst, text...)
	}
	dst = append(dst, '"')
	for {
		i := bytes.IndexByte(text, '"')
		if i < 0 {
			break
		}
		dst = append(dst, text[:i]...)
		dst = append(dst, '"', '"')
		text = text[i+1:]
	}
	dst = append(dst, text...)
	return append(dst, '"')
}

func (c *csv) quote(text []byte) bool {
	for _, b := range text {
		if special[b] {
			return true
		}
	}
	return len(text) == 0 || bytes.Equal(text, c.null)
}

var special = [256]bool{',': true, '"': true, '\n': true, '\r': true}
