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
	// Omit: a NULL is left out, with what Open has for it.
	Omit bool
	// JSON: values are written as AppendJSON does; else as AppendText does, and Text
	// takes those that may hold any sign.
	JSON bool
	// Text appends a text: as a JSON string, or with the quotes and escapes that
	// it needs.
	Text func(dst, text []byte) []byte
	// Plain says more of Text, when the lines are not JSON; nil says nothing.
	Plain *PlainText
	// Values, by place, write values that are not NULL in ways of their own; nil for
	// none. A row of which one of them is an error is no line, and comes as a batch.
	Values []PlaceValue
}

// PlainText says that Text appends texts as they are that are neither empty nor equal
// to Null, and have no control characters, quotes and backslashes.
type PlainText struct {
	Sign  byte   // they must not have it either; 0 for none
	Empty []byte // what Text appends of the empty text
	// Quotes: others stand between quotes, with their quotes twice, when they have one,
	// Sign, \n or \r, or are Null; else as they are.
	Quotes bool
}

// PlaceValue writes the values of a place.
type PlaceValue struct {
	// Append appends value i of a column. Nil writes it as all others are.
	Append func(dst []byte, c *Column, i int) ([]byte, error)
	// Copied: what AppendJSON prints is what Append does, so that such a text need not
	// be read.
	Copied bool
}

// Append appends row i. The lines have no Values.
func (l *Lines) Append(dst []byte, b *Batch, i int) []byte {
	dst, _ = l.Line(dst, b, i)
	return dst
}

// Line appends row i. The error is one of Values.
func (l *Lines) Line(dst []byte, b *Batch, i int) ([]byte, error) {
	for place, column := range l.Columns {
		var err error
		if dst, err = l.AppendPlace(dst, place, b.Columns[column], i); err != nil {
			return dst, err
		}
	}
	return append(dst, l.Close...), nil
}

// AppendPlace appends value i of a column with what stands before it.
func (l *Lines) AppendPlace(dst []byte, place int, c *Column, i int) ([]byte, error) {
	switch {
	case c.IsNull(i):
		return l.AppendNull(dst, place), nil
	case l.Values != nil && l.Values[place].Append != nil:
		return l.Values[place].Append(append(dst, l.Open[place]...), c, i)
	}
	return l.appendValue(append(dst, l.Open[place]...), c, i), nil
}

// AppendNull appends a NULL with what stands before it.
func (l *Lines) AppendNull(dst []byte, place int) []byte {
	if l.Omit {
		return dst
	}
	return append(append(dst, l.Open[place]...), l.Null...)
}

// Copies reports whether a text that is what AppendJSON prints of a value of a
// place may stand there.
func (l *Lines) Copies(place int) bool {
	return l.JSON && (l.Values == nil || l.Values[place].Append == nil || l.Values[place].Copied)
}

func (l *Lines) appendValue(dst []byte, c *Column, i int) []byte {
	switch {
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
	// next call. All calls have the same lines, and no call of Next follows.
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
