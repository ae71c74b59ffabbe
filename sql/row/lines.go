package row

import "context"

// Lines says how rows are written as text, one after the other. At each place of
// a row stands what Open has for it, then the value, and Close stands after the
// last one.
type Lines struct {
	Columns []int    // by place: the column
	Open    [][]byte // by place
	Close   []byte
	Null    []byte // for NULL
	// JSON: values are written as AppendJSON does; else as AppendText does, and Text
	// takes those that may hold any sign.
	JSON bool
	// Text appends a text: as a JSON string, or with the quotes and escapes that
	// it needs.
	Text func(dst, text []byte) []byte
}

// Append appends row i.
func (l *Lines) Append(dst []byte, b *Batch, i int) []byte {
	for place, column := range l.Columns {
		dst = append(dst, l.Open[place]...)
		dst = l.AppendValue(dst, b.Columns[column], i)
	}
	return append(dst, l.Close...)
}

// AppendValue appends value i of a column.
func (l *Lines) AppendValue(dst []byte, c *Column, i int) []byte {
	switch {
	case c.IsNull(i):
		return append(dst, l.Null...)
	case c.Type.Kind == String:
		return l.Text(dst, c.Text(i))
	case l.JSON:
		return AppendJSON(dst, c, i)
	case c.Type.Nested() || c.Type.Kind == Interval:
		return l.Text(dst, AppendText(nil, c, i))
	}
	return AppendText(dst, c, i)
}

// Printer is a Reader that can give its rows as text. Where they came as text
// that is quicker than to make values of them and print those.
type Printer interface {
	Reader
	// Print is Next that may return the rows as lines. The text is good until the
	// next call. All calls have the same lines, and none follows a call of Next.
	Print(ctx context.Context, l *Lines) (Printed, error)
}

// Printed is some rows: as text, or as a batch where that is not possible.
type Printed struct {
	Text  []byte
	Rows  int    // in the text
	Batch *Batch // nil when there is a text
}

// Print returns the next rows of r, as lines when it is a Printer.
func Print(ctx context.Context, r Reader, l *Lines) (Printed, error) {
	if p, ok := r.(Printer); ok {
		return p.Print(ctx, l)
	}
	b, err := r.Next(ctx)
	return Printed{Batch: b}, err
}
