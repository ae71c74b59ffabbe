package duck

import (
	"context"
	"os"
	"sync/atomic"
)

// Reading counts the bytes of csv and json files that a statement has read, as
// they lie on the disk. The zero value has read none. It is safe for concurrent
// use.
type Reading struct{ done, total atomic.Int64 }

// Expect adds the sizes of files that will be read.
func (r *Reading) Expect(list []string) {
	for _, path := range list {
		if info, err := os.Stat(path); err == nil {
			r.total.Add(info.Size())
		}
	}
}

// Part is how much of what is expected was read, from 0 to 1; 0 when nothing is
// expected.
func (r *Reading) Part() float64 {
	total := r.total.Load()
	if total <= 0 {
		return 0
	}
	return min(1, float64(r.done.Load())/float64(total))
}

type readingKey struct{}

// WithReading has the files that are read under ctx counted.
func WithReading(ctx context.Context, r *Reading) context.Context {
	return context.WithValue(ctx, readingKey{}, r)
}

// tell adds the bytes that were read since the last call, of files that are
// read in turn.
func (p *pace) tell(ctx context.Context) {
	if r, ok := ctx.Value(readingKey{}).(*Reading); ok && p.read > p.told {
		r.done.Add(p.read - p.told)
		p.told = p.read
	}
}

// pace is how many bytes a reader has read, and how many of them it has told.
type pace struct{ read, told int64 }

// paced counts the bytes of a file.
type paced struct {
	*os.File
	pace *pace // nil for none
}

// Read reads and counts.
func (f *paced) Read(p []byte) (int, error) {
	n, err := f.File.Read(p)
	if f.pace != nil {
		f.pace.read += int64(n)
	}
	return n, err
}
