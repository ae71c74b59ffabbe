package render

import "github.com/eslake/eslake/sql/row"

// lines is the encoder of formats whose rows do not depend on each other. Its
// rows may come as text already.
type lines struct {
	form   *row.Lines
	header []byte // before the first row
}

// separated returns lines of values with a sign between them, and the names of
// the columns above.
func separated(s row.Schema, o Options, sign string, null []byte, text func(dst, text []byte) []byte) lines {
	l := lines{form: &row.Lines{Null: null, Text: text, Close: []byte("\n")}}
	for k, f := range s {
		open := sign
		if k == 0 {
			open = ""
		}
		l.form.Columns = append(l.form.Columns, k)
		l.form.Open = append(l.form.Open, []byte(open))
		l.header = text(append(l.header, open...), []byte(f.Name))
	}
	l.header = append(l.header, '\n')
	if o.NoHeader {
		l.header = nil
	}
	return l
}

func (l lines) begin(dst []byte) []byte { return append(dst, l.header...) }

func (l lines) row(dst []byte, b *row.Batch, i int) []byte { return l.form.Append(dst, b, i) }

func (lines) end(dst []byte, _ int64) []byte { return dst }
