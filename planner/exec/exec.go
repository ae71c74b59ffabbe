// Package exec holds the operators that move batches: what reads, cuts, and
// writes rows once a plan is compiled.
package exec

import (
	"context"
	"errors"
	"io"

	"github.com/eslake/eslake/sql/row"
)

// Limit passes on the first n rows of its input. It asks the input for nothing
// more after that, so a remote cursor is not drained for rows nobody wants.
type Limit struct {
	row.Reader
	left int64
}

// NewLimit returns a Limit that owns in: closing the Limit closes it.
func NewLimit(in row.Reader, n int64) *Limit { return &Limit{Reader: in, left: n} }

// Next returns the next batch, cut short at the limit.
func (l *Limit) Next(ctx context.Context) (*row.Batch, error) {
	if l.left <= 0 {
		return nil, io.EOF
	}
	b, err := l.Reader.Next(ctx)
	if err != nil {
		return nil, err
	}
	if int64(b.Len) > l.left {
		b.Truncate(int(l.left))
	}
	l.left -= int64(b.Len)
	return b, nil
}

// Columns passes on some columns of its input, in another order and under other
// names. A column may come more than once.
type Columns struct {
	row.Reader
	schema row.Schema
	pick   []int
	lines  *row.Lines // what Print asks the input for
}

// NewColumns returns Columns that own in. Column i of the result is column
// pick[i] of in, named as in schema.
func NewColumns(in row.Reader, schema row.Schema, pick []int) *Columns {
	return &Columns{Reader: in, schema: schema, pick: pick}
}

// Schema returns the chosen columns.
func (c *Columns) Schema() row.Schema { return c.schema }

// Next returns the next batch with the chosen columns.
func (c *Columns) Next(ctx context.Context) (*row.Batch, error) {
	b, err := c.Reader.Next(ctx)
	if err != nil {
		return nil, err
	}
	return c.choose(b), nil
}

// Print is Next for the lines of a row.Printer.
func (c *Columns) Print(ctx context.Context, l *row.Lines) (row.Printed, error) {
	if c.lines == nil {
		inner := *l
		inner.Columns = make([]int, len(l.Columns))
		for place, column := range l.Columns {
			inner.Columns[place] = c.pick[column]
		}
		c.lines = &inner
	}
	p, err := row.Print(ctx, c.Reader, c.lines)
	if err == nil && p.Batch != nil {
		p.Batch = c.choose(p.Batch)
	}
	return p, err
}

func (c *Columns) choose(b *row.Batch) *row.Batch {
	out := &row.Batch{Len: b.Len, Columns: make([]*row.Column, len(c.pick))}
	used := make(map[int]bool, len(c.pick))
	for i, from := range c.pick {
		out.Columns[i] = b.Columns[from]
		if used[from] { // a batch is the caller's to change, so a repeated column is a copy
			out.Columns[i] = copyColumn(b.Columns[from])
		}
		used[from] = true
	}
	return out
}

func copyColumn(c *row.Column) *row.Column {
	out := row.NewColumn(c.Type)
	for i := range c.Len() {
		out.AppendFrom(c, i)
	}
	return out
}

// Lazy opens its input at the first Next, so that compiling a plan does no I/O.
type Lazy struct {
	schema row.Schema
	open   func(ctx context.Context) (row.Reader, error)
	in     row.Reader
	done   bool
	stop   context.CancelFunc // of what Begin began
	begun  chan struct{}      // closed when that is open or failed; nil without Begin
	failed error
}

// NewLazy returns a reader of the schema that calls open once. The context of
// open is that of the first Next, or of Begin.
func NewLazy(schema row.Schema, open func(ctx context.Context) (row.Reader, error)) *Lazy {
	return &Lazy{schema: schema, open: open}
}

// Begin begins to open the input before the first Next, and does not wait for it.
func (l *Lazy) Begin(ctx context.Context) {
	ctx, l.stop = context.WithCancel(ctx)
	l.begun = make(chan struct{})
	go func() {
		defer close(l.begun)
		l.failed = l.begin(ctx)
	}()
}

// Schema returns the columns.
func (l *Lazy) Schema() row.Schema { return l.schema }

// Next opens the input when it is not open, and returns its next batch.
func (l *Lazy) Next(ctx context.Context) (*row.Batch, error) {
	if err := l.ready(ctx); err != nil {
		return nil, err
	}
	return l.in.Next(ctx)
}

// Print is Next for the lines of a row.Printer.
func (l *Lazy) Print(ctx context.Context, lines *row.Lines) (row.Printed, error) {
	if err := l.ready(ctx); err != nil {
		return row.Printed{}, err
	}
	return row.Print(ctx, l.in, lines)
}

// ready opens the input. The error is io.EOF when nothing more comes.
func (l *Lazy) ready(ctx context.Context) (err error) {
	switch {
	case l.done:
		return io.EOF
	case l.begun != nil:
		select {
		case <-l.begun:
			err = l.failed
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
	case l.in == nil:
		err = l.begin(ctx)
	}
	l.done = err != nil
	return err
}

func (l *Lazy) begin(ctx context.Context) error {
	in, err := l.open(ctx)
	if err == nil { // with an error there is nothing to close
		l.in = in
	}
	return err
}

// Close closes the input when it was opened.
func (l *Lazy) Close() error {
	l.done = true
	if l.begun != nil {
		l.stop()
		<-l.begun
	}
	if l.in == nil {
		return nil
	}
	return l.in.Close()
}

// Primed is a reader whose first batch is read already.
type Primed struct {
	row.Reader
	first *row.Batch
	err   error

	second *row.Batch // that More has read
	failed error      // of reading it
}

// Prime reads the first batch of in, so that an input that cannot be read shows
// before anything is done with its rows. With an error in is closed.
func Prime(ctx context.Context, in row.Reader) (*Primed, error) {
	b, err := in.Next(ctx)
	if err != nil && !row.Ended(err) {
		return nil, errors.Join(err, in.Close())
	}
	return &Primed{Reader: in, first: b, err: err}, nil
}

// Next returns the first batch, then those that follow.
func (p *Primed) Next(ctx context.Context) (*row.Batch, error) {
	if p.err != nil {
		return nil, p.err
	}
	if b := p.first; b != nil {
		p.first = nil
		return b, nil
	}
	if b := p.second; b != nil {
		p.second = nil
		return b, nil
	}
	if p.failed != nil {
		return nil, p.failed
	}
	return p.Reader.Next(ctx)
}

// Print is Next for the lines of a row.Printer. Rows that are read already come as
// a batch.
func (p *Primed) Print(ctx context.Context, l *row.Lines) (row.Printed, error) {
	if p.err != nil || p.first != nil || p.second != nil || p.failed != nil {
		b, err := p.Next(ctx)
		return row.Printed{Batch: b}, err
	}
	return row.Print(ctx, p.Reader, l)
}

// More reports whether rows follow the first batch.
func (p *Primed) More(ctx context.Context) (bool, error) {
	if p.err != nil {
		return false, nil
	}
	if p.second == nil {
		b, err := p.Reader.Next(ctx)
		if err != nil {
			p.failed = err
		}
		p.second = b
	}
	if p.failed != nil && !row.Ended(p.failed) {
		return false, p.failed
	}
	return p.second != nil && p.second.Len > 0, nil
}

// Closing runs a function when its input is closed, once.
type Closing struct {
	row.Reader
	after func()
}

// NewClosing returns a reader that owns in and calls after behind its Close.
func NewClosing(in row.Reader, after func()) *Closing { return &Closing{Reader: in, after: after} }

// Close closes the input and then runs the function.
func (c *Closing) Close() error {
	err := c.Reader.Close()
	if c.after != nil {
		c.after()
		c.after = nil
	}
	return err
}
