package textcopy

import (
	"math"
	"slices"
	"unsafe"

	"github.com/eslake/eslake/sql/row"
)

// #cgo CFLAGS: -O2
// #include "hits.h"
import "C"

// Hits makes lines of the hits of a search whose documents have the places of a line as
// members, in an order that all have, and nothing else between them. So are most documents
// that were written by one program, when all columns are read; members that are not there
// are NULL.
type Hits struct {
	way   C.hits_way
	each  []C.hits_step // by place
	named bool
	order []int         // of the members: their places
	steps []C.hits_step // in this order
	words

	// What is needed where the order is not that of the places.
	opens []C.lines_word
	spans []C.hits_span
	aside []byte     // what the caller has taken itself
	of    C.uint64_t // the document that it is of
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
	Step int // the member that comes next, -1 before a hit
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

// NewHits returns what makes such lines, of documents that have the members in the order
// of the places. Named says that a line has the names and values as they stand in such a
// document, all of them KeepWhole. After about so many bytes of lines it stops.
func NewHits(l *row.Lines, places []Place, named bool, enough int) *Hits {
	h := &Hits{named: named}
	w := &h.way
	w.places, w.enough, w.sign = C.uint32_t(len(places)), C.uint64_t(enough), '"'
	w.null, w.close, w.omit = h.word(l.Null), h.word(l.Close), flag(l.Omit)
	if l.Plain != nil {
		w.empty, w.quotes = h.word(l.Plain.Empty), flag(l.Plain.Quotes)
		if l.Plain.Sign != 0 {
			w.sign = C.uint8_t(l.Plain.Sign)
		}
	}
	w.fixed = w.close.len
	var order []int
	for i, p := range places {
		s := h.step(p)
		s.place = C.uint16_t(i)
		h.each, h.opens, order = append(h.each, s), append(h.opens, s.open), append(order, i)
		w.fixed += s.open.len + max(w.null.len, w.empty.len)
	}
	h.close()
	h.Follow(order)
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

// Follow says in which order documents have the members of places; those that are left
// out none has. It is for the time between two hits.
func (h *Hits) Follow(order []int) {
	h.order, h.steps = order, h.steps[:0]
	same := len(order) == len(h.each)
	for i, place := range order {
		h.steps = append(h.steps, h.each[place])
		same = same && i == place
	}
	w := &h.way
	w.steps, w.named, w.gathers = C.uint32_t(len(order)), flag(h.named && same), flag(!same)
	h.spans = make([]C.hits_span, len(h.each))
}

// Order returns the places in the order of the members.
func (h *Hits) Order() []int { return h.order }

// Gathers reports whether a line is made when a document has been gone through. Then what
// the caller takes itself does not go behind the other lines, but to Aside.
func (h *Hits) Gathers() bool { return h.way.gathers != 0 }

// Aside takes what a line has of a place, with what stands before it, from a call that
// appends it, or nothing for NULL. It is false when that call fails.
func (h *Hits) Aside(place int, appendTo func(dst []byte) ([]byte, bool)) bool {
	if h.of != h.way.begin {
		h.of, h.aside = h.way.begin, h.aside[:0]
	}
	from := len(h.aside)
	var ok bool
	h.aside, ok = appendTo(h.aside)
	n := len(h.aside) - from
	h.aside = slices.Grow(h.aside, C.SPELL_COPY) // copies reach beyond the end
	if n > 0 {
		h.spans[place] = C.hits_span{from: C.uint32_t(from), len: C.uint32_t(n), kind: C.SPAN_ASIDE}
	}
	return ok
}

// Begin returns the position before the hit at i, whose line goes behind dst.
func Begin(dst []byte, i int) Position { return Position{At: i, Step: -1, End: i, Line: len(dst)} }

// Run goes on through text, appends to dst as much as it has storage for, and says why it
// stopped. The caller may go on behind what it has taken itself.
func (h *Hits) Run(p *Position, dst, text []byte, f *Frame) ([]byte, Why) {
	if len(text) > math.MaxUint32 {
		return dst, Stop
	}
	w := &h.way
	w.head, w.middle = C.uint32_t(f.Head), C.uint32_t(len(f.Text)-f.Head)
	w.len, w.cap, w.at, w.out = C.uint64_t(len(text)), C.uint64_t(cap(dst)), C.uint64_t(p.At), C.uint64_t(len(dst))
	w.end, w.line, w.hits, w.step = C.uint64_t(p.End), C.uint64_t(p.Line), C.uint64_t(p.Hits), C.int64_t(p.Step)
	if p.Step <= 0 {
		w.begin, h.of, h.aside = w.at, w.at, h.aside[:0]
	}
	w.aside = C.uint64_t(len(h.aside))
	why := C.eslake_hits(w, unsafe.SliceData(h.steps), first(h.words), first(f.Text), first(text), first(dst),
		unsafe.SliceData(h.opens), unsafe.SliceData(h.spans), first(h.aside))
	*p = Position{At: int(w.at), Step: int(w.step), End: int(w.end), Line: int(w.line), Hits: int(w.hits)}
	return dst[:w.out], Why(why)
}

// More returns how many bytes more than it has dst should have after Room.
func (h *Hits) More(dst []byte) int { return cap(dst)/2 + int(h.way.fixed) + len(h.aside) + 4*Reach }
