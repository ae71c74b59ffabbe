package render

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/clipperhouse/displaywidth"
	"github.com/eslake/eslake/sql/row"
)

// sampleRows is how many rows are looked at for the widths of a table.
const sampleRows = 200

// narrow is the least width that a column is cut to; with auto, a table whose
// columns would get narrower than roomy is shown as vertical.
const (
	narrow = 6
	roomy  = 12
)

// writeTable writes a box. Its widths come from the first rows; with a terminal's
// width, columns are cut and left out to fit it, or, with auto, shown as vertical.
func writeTable(ctx context.Context, w io.Writer, r row.Reader, o Options, auto bool) (Summary, error) {
	head, failed := sample(ctx, r)
	t := newTable(r.Schema(), head, o)
	var e encoder = t
	if auto && t.tight {
		e = newVertical(r.Schema(), o)
	}
	out := &output{w: w}
	summary, err := out.stream(ctx, &resumed{Reader: r, head: head, failed: failed}, e, o.MaxRows)
	if e == encoder(t) {
		summary.Shortened, summary.Hidden = t.shortened, t.hidden
	}
	return summary, errors.Join(err, out.flush())
}

// sample reads the first batches, up to sampleRows. The error is the one that
// came instead of the next batch, io.EOF too.
func sample(ctx context.Context, r row.Reader) (head []*row.Batch, err error) {
	for n := 0; n < sampleRows; {
		b, err := r.Next(ctx)
		if err != nil {
			return head, err
		}
		head = append(head, b)
		n += b.Len
	}
	return head, nil
}

// resumed is a Reader whose first batches were read already.
type resumed struct {
	row.Reader
	head   []*row.Batch
	failed error
}

func (r *resumed) Next(ctx context.Context) (*row.Batch, error) {
	if len(r.head) > 0 {
		b := r.head[0]
		r.head = r.head[1:]
		return b, nil
	}
	if r.failed != nil {
		return nil, r.failed
	}
	return r.Reader.Next(ctx)
}

// table draws a box round cells of fixed widths.
type table struct {
	schema   row.Schema
	show     *shower
	frame    frame
	widths   []int // of the columns shown
	cut      bool
	color    bool
	noHeader bool
	tight    bool // columns had to be cut below roomy, or left out

	shortened int64
	hidden    int
	scratch   []byte
}

func newTable(s row.Schema, head []*row.Batch, o Options) *table {
	t := &table{schema: s, show: newShower(o), cut: o.Width > 0, color: o.Color, noHeader: o.NoHeader}
	t.widths = t.natural(head)
	if o.Width > 0 && len(t.widths) > 0 {
		t.fit(o.Width)
	}
	t.frame = newFrame(t.widths)
	return t
}

// natural returns the widths that the names and the first rows need.
func (t *table) natural(head []*row.Batch) []int {
	widths := make([]int, len(t.schema))
	for k, f := range t.schema {
		widths[k] = max(1, width(appendShown(nil, []byte(f.Name))))
		if t.noHeader {
			widths[k] = 1
		}
	}
	n := 0
	for _, b := range head {
		for i := 0; i < b.Len && n < sampleRows; i++ {
			n++
			for k, c := range b.Columns {
				t.scratch = t.show.value(t.scratch[:0], c, i)
				widths[k] = max(widths[k], width(t.scratch))
			}
		}
	}
	return widths
}

// fit cuts the widest columns until the box fits, and leaves out the last ones
// where that is not enough.
func (t *table) fit(limit int) {
	for {
		room := limit - 3*len(t.widths) - 1
		most := widest(t.widths, room)
		if most >= min(narrow, slices.Max(t.widths)) || len(t.widths) == 1 {
			for k := range t.widths {
				t.tight = t.tight || t.widths[k] > most && most < roomy
				t.widths[k] = max(1, min(t.widths[k], most))
			}
			return
		}
		t.tight = true
		t.widths = t.widths[:len(t.widths)-1]
		t.hidden++
	}
}

// widest returns the width that no column may exceed so that all fit into room.
func widest(widths []int, room int) int {
	for most := slices.Max(widths); most > 0; most-- {
		sum := 0
		for _, w := range widths {
			sum += min(w, most)
		}
		if sum <= room {
			return most
		}
	}
	return 0
}

func (t *table) begin(dst []byte) []byte {
	dst = append(dst, t.frame.top...)
	if t.noHeader {
		return dst
	}
	dst = append(dst, t.frame.left...)
	for k := range t.widths {
		if k > 0 {
			dst = append(dst, t.frame.middle...)
		}
		name := appendShown(t.scratch[:0], []byte(t.schema[k].Name))
		if t.cut {
			name, _ = shorten(name, t.widths[k])
		}
		dst = t.pad(dst, k, name)
		t.scratch = name
	}
	dst = append(dst, t.frame.right...)
	return append(dst, t.frame.rule...)
}

func (t *table) row(dst []byte, b *row.Batch, i int) []byte {
	dst = append(dst, t.frame.left...)
	for k := range t.widths {
		if k > 0 {
			dst = append(dst, t.frame.middle...)
		}
		c := b.Columns[k]
		cell, was := t.show.value(t.scratch[:0], c, i), false
		if t.cut {
			if cell, was = shorten(cell, t.widths[k]); was {
				t.shortened++
			}
		}
		t.scratch = cell
		if t.color && c.IsNull(i) {
			dst = append(dst, dim...)
			dst = append(t.pad(dst, k, cell), plain...)
			continue
		}
		dst = t.pad(dst, k, cell)
	}
	return append(dst, t.frame.right...)
}

func (t *table) end(dst []byte, _ int64) []byte { return append(dst, t.frame.bottom...) }

// pad appends a cell: numbers right, all else left.
func (t *table) pad(dst []byte, k int, cell []byte) []byte {
	space := t.widths[k] - width(cell)
	if t.schema[k].Type.Numeric() {
		return append(appendSpaces(dst, space), cell...)
	}
	return appendSpaces(append(dst, cell...), space)
}

// shorten cuts a text to a width, marked by … at its end.
func shorten(text []byte, limit int) ([]byte, bool) {
	if width(text) <= limit {
		return text, false
	}
	return displaywidth.TruncateBytes(text, limit, []byte("…")), true
}
