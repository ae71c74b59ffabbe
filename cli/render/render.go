// Package render turns batches of rows into the text that a user or a program
// reads. It streams: memory does not grow with the result.
package render

import (
	"context"
	"errors"
	"io"
	"syscall"

	"github.com/eslake/eslake/sql/row"
)

// Options say how a result is shown. The zero Options are right for a file.
type Options struct {
	NoHeader bool
	// Null is written for a NULL. Nil is NULL in table, vertical and markdown, \N
	// in tsv and nothing in csv, where "" is the empty string. JSON always has null.
	Null *string
	// Width is the columns of the terminal that values are cut for; 0 cuts nothing.
	Width int
	// MaxRows ends a table or vertical after so many rows; 0 for all.
	MaxRows int64
	// Color dims a NULL in table and vertical.
	Color bool
}

// Summary says what was written.
type Summary struct {
	Rows      int64
	More      bool  // MaxRows came before the last row
	Shortened int64 // values that were cut for the width
	Hidden    int   // columns that were left out for the width
}

// ErrClosed is an output whose reader has gone, as in "| head".
var ErrClosed = errors.New("output is closed")

// Write writes what r still has to w. It does not close r. An error of w comes
// as it is, but for ErrClosed; the summary is valid with an error too.
func Write(ctx context.Context, w io.Writer, f Format, r row.Reader, o Options) (Summary, error) {
	switch f {
	case Auto:
		if o.Width > 0 {
			return writeTable(ctx, w, r, o, true)
		}
		f = CSV
	case Table:
		return writeTable(ctx, w, r, o, false)
	}
	out := &output{w: w}
	limit := int64(0)
	if f == Vertical {
		limit = o.MaxRows
	}
	e := newEncoder(f, r.Schema(), o)
	var summary Summary
	var err error
	if l, ok := e.(lines); ok {
		summary, err = out.print(ctx, r, l)
	} else {
		summary, err = out.stream(ctx, r, e, limit)
	}
	return summary, errors.Join(err, out.flush())
}

// encoder appends rows to a buffer in one format.
type encoder interface {
	begin(dst []byte) []byte
	row(dst []byte, b *row.Batch, i int) []byte
	end(dst []byte, rows int64) []byte
}

func newEncoder(f Format, s row.Schema, o Options) encoder {
	switch f {
	case TSV:
		return newTSV(s, o)
	case JSON:
		return newJSONArray(s)
	case NDJSON:
		return lines{form: ndjson(s)}
	case Vertical:
		return newVertical(s, o)
	case Markdown:
		return newMarkdown(s, o)
	case Raw:
		return newRaw(o)
	default:
		return newCSV(s, o)
	}
}

// flushAt is how much is gathered before it is written.
const flushAt = 64 << 10

// output gathers bytes for w.
type output struct {
	w   io.Writer
	buf []byte
	err error
}

// stream writes all rows of r, or limit of them when it is not 0. Nothing is
// written when the first batch fails.
func (o *output) stream(ctx context.Context, r row.Reader, e encoder, limit int64) (s Summary, err error) {
	b, err := r.Next(ctx)
	if err != nil && !row.Ended(err) {
		return s, err
	}
	o.buf = e.begin(o.buf)
	for ; err == nil; b, err = r.Next(ctx) {
		n := b.Len
		if limit > 0 && s.Rows+int64(n) > limit {
			n, s.More = int(limit-s.Rows), true
		}
		if err := o.batch(e, b, n); err != nil {
			return s, err
		}
		s.Rows += int64(n)
		if s.More {
			break
		}
	}
	if err != nil && !row.Ended(err) {
		return s, err
	}
	o.buf = e.end(o.buf, s.Rows)
	return s, nil
}

// print writes all rows of r as lines. Nothing is written when the first of them
// fail.
func (o *output) print(ctx context.Context, r row.Reader, l lines) (s Summary, err error) {
	for begun := false; ; begun = true {
		some, err := row.Print(ctx, r, l.form)
		if err != nil && !row.Ended(err) {
			return s, err
		}
		if !begun {
			o.buf = l.begin(o.buf)
		}
		if err != nil {
			return s, nil //nolint:nilerr // all rows were printed
		}
		if b := some.Batch; b != nil {
			s.Rows += int64(b.Len)
			err = o.batch(l, b, b.Len)
		} else {
			s.Rows += int64(some.Rows)
			err = errors.Join(o.flush(), o.write(some.Text))
		}
		if err != nil {
			return s, err
		}
	}
}

// batch writes the first n rows of b.
func (o *output) batch(e encoder, b *row.Batch, n int) error {
	for i := range n {
		o.buf = e.row(o.buf, b, i)
		if len(o.buf) >= flushAt {
			if err := o.flush(); err != nil {
				return err
			}
		}
	}
	return o.flush()
}

// flush writes what was gathered.
func (o *output) flush() error {
	err := o.write(o.buf)
	o.buf = o.buf[:0]
	return err
}

// write writes text. After an error it does nothing more.
func (o *output) write(text []byte) error {
	if o.err != nil || len(text) == 0 {
		return nil
	}
	_, err := o.w.Write(text)
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) {
		err = ErrClosed
	}
	o.err = err
	return err
}
