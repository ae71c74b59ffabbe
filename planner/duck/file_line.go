package duck

import (
	"context"
	"sort"
	"sync"
)

// Lines knows from which line of which csv or json file each row came. The zero
// value knows nothing yet. It is safe for concurrent use.
type Lines struct {
	mu    sync.Mutex
	marks []mark
	rows  int64 // that are known
}

// mark is a row whose line is not the one after the line of the row before.
type mark struct {
	row  int64 // from 1
	path string
	line int64
}

// mostMarks is how many marks are kept; the lines of later rows are not known.
const mostMarks = 1 << 18

// At returns the file and the line of a row, counted from 1; "" when they are not
// known.
func (l *Lines) At(row int64) (path string, line int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if row < 1 || row > l.rows {
		return "", 0
	}
	m := l.marks[sort.Search(len(l.marks), func(i int) bool { return l.marks[i].row > row })-1]
	return m.path, m.line + row - m.row
}

type linesKey struct{}

// WithLines has the lines of the rows that are read under ctx kept. Only one
// reader of files may run under it.
func WithLines(ctx context.Context, l *Lines) context.Context {
	return context.WithValue(ctx, linesKey{}, l)
}

// track is where a reader of files is.
type track struct {
	mark         // of the row read last
	fresh []mark // that were not told yet
	full  bool   // nothing more is told
}

// add tells of the next row.
func (t *track) add(path string, line int64) {
	t.row++
	if line != t.line+1 || path != t.path {
		t.fresh = append(t.fresh, mark{t.row, path, line})
	}
	t.path, t.line = path, line
}

// tell hands over the rows of a batch.
func (t *track) tell(ctx context.Context) {
	if l, ok := ctx.Value(linesKey{}).(*Lines); ok {
		l.mu.Lock()
		if t.full = t.full || len(l.marks)+len(t.fresh) > mostMarks; !t.full {
			l.marks, l.rows = append(l.marks, t.fresh...), t.row
		}
		l.mu.Unlock()
	}
	t.fresh = t.fresh[:0]
}
