package render

import "github.com/eslake/eslake/sql/row"

// raw writes bare values, a row a line, tabs between: for a shell's $(…), and
// for texts of several lines like a plan. A terminal gets control characters
// spelled, but for line ends.
type raw struct {
	null    []byte
	escape  bool
	scratch []byte
}

func newRaw(o Options) *raw {
	r := &raw{escape: o.Width > 0}
	if o.Null != nil {
		r.null = []byte(*o.Null)
	}
	return r
}

func (*raw) begin(dst []byte) []byte { return dst }

func (r *raw) row(dst []byte, b *row.Batch, i int) []byte {
	for k, c := range b.Columns {
		if k > 0 {
			dst = append(dst, '\t')
		}
		switch {
		case c.IsNull(i):
			dst = append(dst, r.null...)
		case r.escape:
			r.scratch = row.AppendText(r.scratch[:0], c, i)
			dst = appendLines(dst, r.scratch)
		default:
			dst = row.AppendText(dst, c, i)
		}
	}
	return append(dst, '\n')
}

func (*raw) end(dst []byte, _ int64) []byte { return dst }

// appendLines is appendShown that keeps line ends.
func appendLines(dst, text []byte) []byte {
	start := 0
	for i, b := range text {
		if b == '\n' {
			dst = append(appendShown(dst, text[start:i]), '\n')
			start = i + 1
		}
	}
	return appendShown(dst, text[start:])
}
