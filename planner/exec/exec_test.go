package exec

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/eslake/eslake/sql/row"
)

// printing gives a batch at each Next, and a line at each Print.
type printing struct {
	row.Reader
	printed int
}

func (p *printing) Next(context.Context) (*row.Batch, error) {
	b := row.NewBatch(p.Schema())
	return b, b.AppendRow(int64(7))
}

func (p *printing) Print(context.Context, *row.Lines) (row.Printed, error) {
	if p.printed++; p.printed > 2 {
		return row.Printed{}, io.EOF
	}
	return row.Printed{Text: []byte("8\n"), Rows: 1}, nil
}

// What a Primed has read comes first, as a batch, and lines follow.
func TestPrimedPrints(t *testing.T) {
	ctx := context.Background()
	for _, more := range []bool{false, true} {
		p, err := Prime(ctx, &printing{Reader: row.NewBatches(row.Schema{{Name: "n", Type: row.BigIntType}})})
		if err != nil {
			t.Fatal(err)
		}
		want := 1
		if more {
			want = 2
			if ok, err := p.More(ctx); !ok || err != nil {
				t.Fatal(ok, err)
			}
		}
		batches, lines := 0, 0
		for {
			some, err := p.Print(ctx, &row.Lines{})
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if lines += some.Rows; some.Batch != nil {
				if batches++; lines > 0 {
					t.Error("a batch came after lines")
				}
			}
		}
		if batches != want || lines != 2 {
			t.Errorf("%d batches and %d lines, want %d and 2", batches, lines, want)
		}
	}
}

// ending tells when it is closed, and ends with its context.
type ending struct {
	row.Reader
	ctx    context.Context
	closed bool
}

func (e *ending) Next(context.Context) (*row.Batch, error) { return nil, e.ctx.Err() }
func (e *ending) Close() error                             { e.closed = true; return nil }

// What Begin began is read like any other input, and closed though nobody read it.
func TestLazyBegins(t *testing.T) {
	ctx := context.Background()
	for _, read := range []bool{false, true} {
		in := &ending{}
		l := NewLazy(nil, func(ctx context.Context) (row.Reader, error) {
			in.ctx = ctx
			return in, nil
		})
		l.Begin(ctx)
		if read {
			if _, err := l.Next(ctx); err != nil {
				t.Errorf("the input's context has ended: %v", err)
			}
		}
		if err := l.Close(); err != nil || !in.closed || in.ctx.Err() == nil {
			t.Errorf("read %v: closed %v, context %v, %v", read, in.closed, in.ctx.Err(), err)
		}
		if _, err := l.Next(ctx); !errors.Is(err, io.EOF) {
			t.Errorf("after Close: %v", err)
		}
	}
	bad := errors.New("bad")
	l := NewLazy(nil, func(context.Context) (row.Reader, error) { return (*ending)(nil), bad }) // not nil, and not to be closed
	l.Begin(ctx)
	if _, err := l.Next(ctx); !errors.Is(err, bad) {
		t.Errorf("the error of opening became %v", err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	// An input that waits is not waited for.
	l = NewLazy(nil, func(ctx context.Context) (row.Reader, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	l.Begin(ctx)
	ended, end := context.WithCancel(ctx)
	end()
	if _, err := l.Next(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("Next waits in a context that has ended: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}
