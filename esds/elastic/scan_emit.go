package elastic

import (
	"context"
	"errors"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

// textBytes is how much text of lines is given out at once, about.
const textBytes = 256 << 10

// emit decodes a page, hands on its rows, and returns how many there are.
func (s *scan) emit(ctx context.Context, r *rows, p *page) (int, error) {
	hits := &hits{page: p}
	var err error
	for err == nil && hits.more() {
		if lines := s.lines.Load(); lines != nil {
			err = s.print(ctx, r.printer(lines), hits)
		} else {
			err = s.decode(ctx, r, hits)
		}
	}
	if err == nil && hits.err != nil {
		err = r.broken(hits.err)
	}
	for _, note := range r.notes {
		esds.Notice(ctx, note)
	}
	r.notes = nil
	if err != nil {
		return hits.count, s.locate(ctx, err)
	}
	if p.skim.begin > 0 {
		esds.TraceOf(ctx).Page(int64(hits.count), p.took)
	}
	return hits.count, nil
}

// firstBatch is how many rows a batch has before the second one is asked for: until
// then nobody knows whether the rows are wanted as lines.
const firstBatch = 128

// decode gives out batches, until lines are wanted.
func (s *scan) decode(ctx context.Context, r *rows, h *hits) error {
	for h.more() && s.lines.Load() == nil {
		size := row.BatchSize
		if s.asked.Load() < 2 {
			size = firstBatch
		}
		b := r.batch(min(h.left(), size))
		for b.Len < size {
			text, i, ok := h.next()
			if !ok {
				break
			}
			end, err := r.append(b, text, i)
			if err != nil {
				return err
			}
			h.took(end, 1)
		}
		r.learn(b)
		if err := s.give(ctx, row.Printed{Batch: b}); err != nil {
			return err
		}
	}
	return nil
}

// print gives out lines, and a batch for a row that is none.
func (s *scan) print(ctx context.Context, p *printer, h *hits) error {
	for h.more() {
		dst, rows, err := s.linesOf(p, h)
		if err != nil && err != errNoLine { //nolint:errorlint // it is never wrapped
			return err
		}
		if rows > 0 {
			if err := s.give(ctx, row.Printed{Text: dst, Rows: rows}); err != nil {
				return err
			}
		}
		if err != nil {
			if err := s.give(ctx, row.Printed{Batch: p.alone()}); err != nil {
				return err
			}
		}
	}
	return nil
}

// linesOf returns the next lines, as many as are given out at once. With errNoLine
// a row follows that is none.
func (s *scan) linesOf(p *printer, h *hits) (dst []byte, rows int, err error) {
	for dst = s.room(); len(dst) < textBytes; {
		text, i, ok := h.next()
		if !ok {
			break
		}
		out, end, n, err := p.append(dst, text, i)
		if err == nil || err == errNoLine { //nolint:errorlint // it is never wrapped
			h.took(end, n)
		}
		if err != nil {
			return dst, rows, err
		}
		dst, rows = out, rows+n
	}
	return dst, rows, nil
}

func (s *scan) give(ctx context.Context, p row.Printed) error {
	select {
	case s.out <- p:
		s.given.Store(true)
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// room returns storage for lines.
func (s *scan) room() []byte {
	if old, ok := s.texts.Get().(*[]byte); ok && cap(*old) <= 4*textBytes {
		return (*old)[:0]
	}
	return make([]byte, 0, textBytes+textBytes/8)
}

// storage returns that of a page that was decoded, nil for none. It is asked for when an
// answer comes: most of the time no more pages are held than are on their way.
func (s *scan) storage() []byte {
	if old, ok := s.spare.Get().(*[]byte); ok {
		return *old
	}
	return nil
}

// reuse gives the storage of a decoded page to a later one.
func (s *scan) reuse(p *page) {
	if text := p.text; cap(text) <= 2*pageBytes {
		p.text, p.hits = nil, nil
		s.spare.Put(&text)
	}
}

// hits goes through the hits of a page, split or skimmed.
type hits struct {
	page  *page
	count int
	at    int // in a page that was skimmed
	err   error
}

var errHits = errors.New("the hits do not end where the answer does")

// left returns the number of hits that are still to come, as far as it is known.
func (h *hits) left() int { return max(0, h.page.documents()-h.count) }

// more reports whether there is a next hit.
func (h *hits) more() bool {
	_, _, ok := h.next()
	return ok
}

// next returns the text of the next hit and its position in it.
func (h *hits) next() (text []byte, i int, ok bool) {
	p := h.page
	if p.skim.begin == 0 {
		if h.count == len(p.hits) {
			return nil, 0, false
		}
		return p.from(h.count), 0, true
	}
	if h.count == 0 {
		h.at = p.skim.begin
	}
	switch {
	case h.at == p.skim.end:
		return nil, 0, false
	case h.at > p.skim.end:
		h.err = errHits
		return nil, 0, false
	case h.count == 0:
		return p.text, h.at, true
	case p.text[h.at] == ',':
		return p.text, h.at + 1, true
	}
	h.err = errHits
	return nil, 0, false
}

// took says how many hits were taken from the one on that next gave, and where the
// last one ended.
func (h *hits) took(end, n int) {
	h.at = end
	h.count += n
}
