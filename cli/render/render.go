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
	summary, err := out.stream(ctx, r, newEncoder(f, r.Schema(), o), limit)
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
		return &jsonArray{ndjson: newNDJSON(s)}
	case NDJSON:
		return newNDJSON(s)
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

// flush writes what was gathered. After an error it does nothing more.
func (o *output) flush() error {
	if o.err != nil || len(o.buf) == 0 {
		return nil
	}
	_, err := o.w.Write(o.buf)
	o.buf = o.buf[:0]
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) {
		err = ErrClosed
	}
	o.err = err
	return err
}
