package textcopy

import (
	"unsafe"

	"github.com/eslake/eslake/sql/row"
)

// #cgo CFLAGS: -O2
// #include "hits.h"
import "C"

// Hits makes lines of the hits of a search whose documents have the places of a line as
// members, in their order, and nothing else between them. So are most documents that
// were written as rows, when all columns are read; members that are not there are NULL.
type Hits struct {
	way   C.hits_way
	steps []C.hits_step
	words
}

// Place is a member of documents that is a place of lines.
type Place struct {
	Key  string // as documents have it: "name":
	Look Look
	Open []byte // what lines have before the value
	Keep Keep
}

// Position is where Hits is.
type Position struct {
	At   int // in the text
	Step int // the place that comes next, -1 before a hit
	// The ends of the last hit that was gone through, and of its line, and how many were
	// gone through.
	End, Line, Hits int
}

// Frame is what stands around the documents of hits. Mostly it differs only by the id
// and the values to sort by.
type Frame struct {
	Text []byte // before the id and behind it, up to the document
	Head int    // bytes before the id; 0 when nothing is known
}

// NewHits returns what makes such lines. Named says that a line has the names and values
// as they stand in a document, all of them KeepWhole. After about so many bytes of lines
// it stops.
func NewHits(l *row.Lines, places []Place, named bool, enough int) *Hits {
	h := &Hits{}
	w := &h.way
	w.steps, w.enough, w.sign = C.uint32_t(len(places)), C.uint64_t(enough), '"'
	w.null, w.close, w.named, w.omit = h.word(l.Null), h.word(l.Close), flag(named), flag(l.Omit)
	if l.Plain != nil {
		w.empty, w.quotes = h.word(l.Plain.Empty), flag(l.Plain.Quotes)
		if l.Plain.Sign != 0 {
			w.sign = C.uint8_t(l.Plain.Sign)
		}
	}
	w.fixed = w.close.len
	for _, p := range places {
		s := h.step(p)
		h.steps = append(h.steps, s)
		w.fixed += s.open.len + max(w.null.len, w.empty.len)
	}
	h.close()
	return h
}

func (h *Hits) step(p Place) C.hits_step {
	s := C.hits_step{key: h.word([]byte(p.Key)), open: h.word(p.Open), look: p.Look.c(), keep: C.uint8_t(p.Keep)}
	for k := range min(len(p.Key), len(s.head)) {
		s.head[k] = C.uint8_t(p.Key[k])
		s.mask |= 1 << k
	}
	return s
}

// Begin returns the position before the hit at i, whose line goes behind dst.
func Begin(dst []byte, i int) Position { return Position{At: i, Step: -1, End: i, Line: len(dst)} }

// Run goes on through text, appends to dst as much as it has storage for, and says why it
// stopped. The caller may go on behind what it has taken itself.
func (h *Hits) Run(p *Position, dst, text []byte, f *Frame) ([]byte, Why) {
	w := &h.way
	w.head, w.middle = C.uint32_t(f.Head), C.uint32_t(len(f.Text)-f.Head)
	w.len, w.cap, w.at, w.out = C.uint64_t(len(text)), C.uint64_t(cap(dst)), C.uint64_t(p.At), C.uint64_t(len(dst))
	w.end, w.line, w.hits, w.step = C.uint64_t(p.End), C.uint64_t(p.Line), C.uint64_t(p.Hits), C.int64_t(p.Step)
	why := C.eslake_hits(w, unsafe.SliceData(h.steps), first(h.words), first(f.Text), first(text), first(dst))
	*p = Position{At: int(w.at), Step: int(w.step), End: int(w.end), Line: int(w.line), Hits: int(w.hits)}
	return dst[:w.out], Why(why)
}

// More returns how many bytes more than it has dst should have after Room.
func (h *Hits) More(dst []byte) int { return cap(dst)/2 + int(h.way.fixed) + 4*Reach }
