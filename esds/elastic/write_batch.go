package elastic

import (
	"hash/maphash"
	"slices"

	"github.com/eslake/eslake/esds"
)

// batch is rows that go in one bulk request, in their order.
type batch struct {
	buf   []byte
	ids   []byte
	items []item
	lane  int
	last  bool              // of its lane
	since int               // how many batches were handed on before its first row came
	keys  idSet             // its ids, for the one that makes batches
	after []<-chan struct{} // requests that must be settled before
	done  chan struct{}     // closed when this one is settled
}

func (b *batch) id(it *item) []byte { return b.ids[it.idStart:it.idEnd] }

func (b *batch) document(it *item) []byte { return b.buf[it.doc:it.end] }

// routing is what the shard of a row is chosen by.
func (b *batch) routing(it *item) []byte {
	if it.routing != "" {
		return []byte(it.routing)
	}
	return b.id(it)
}

// add appends a row of another batch.
func (b *batch) add(from *batch, it *item) {
	by, byID := len(b.buf)-it.start, len(b.ids)-it.idStart
	b.buf, b.ids = append(b.buf, from.buf[it.start:it.end]...), append(b.ids, from.id(it)...)
	own := *it
	own.start, own.doc, own.end = it.start+by, it.doc+by, it.end+by
	own.idStart, own.idEnd = it.idStart+byID, it.idEnd+byID
	b.items = append(b.items, own)
}

// cut takes the last row away.
func (b *batch) cut() {
	it := &b.items[len(b.items)-1]
	b.buf, b.ids, b.items = b.buf[:it.start], b.ids[:it.idStart], b.items[:len(b.items)-1]
}

// waits reports whether a request that must be settled before is not.
func (b *batch) waits() bool {
	for _, done := range b.after {
		if !ended(done) {
			return true
		}
	}
	return false
}

func ended(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// item is one row in a batch: where its lines stand, and what is known of it.
type item struct {
	row              int64
	mark             *mark
	start, doc, end  int // of the action line, the document, and the end of both
	idStart, idEnd   int // in the batch's ids
	action           esds.Action
	index            string // "" for the one of the write
	routing          string // "" for none
	conditional      bool   // with if_seq_no
	versioned        bool   // with a version from outside
	unknown, retried bool
	absent           bool // was not there when a lost answer was looked into
	broken           int  // tries that ended with status 500
	status           int
	errType          string
	errCause         string
}

// mark is what became of successive rows, which may be in several batches.
type mark struct {
	last    int64 // number of its last row
	rows    int64
	whole   bool // no row is added any more
	settled int64
	report  esds.Report
}

// flights knows the ids on their way, so that a later row waits for an earlier
// one of its id.
type flights struct {
	seed maphash.Seed
	all  []*batch
}

// settle forgets the batches that are settled.
func (f *flights) settle() {
	f.all = slices.DeleteFunc(f.all, func(b *batch) bool { return ended(b.done) })
}

// add notes an id of a batch that is being made.
func (f *flights) add(to *batch, key uint64) {
	to.keys.add(key)
	for _, x := range f.all {
		if x.keys.has(key) {
			to.wait(x.done)
		}
	}
}

func (b *batch) wait(done <-chan struct{}) {
	if !slices.Contains(b.after, done) {
		b.after = append(b.after, done)
	}
}

// idSet is a set of ids by their hashes; two ids of one hash are one. The zero
// value is empty.
type idSet struct {
	slots []uint64 // as many as a power of two, at most half of them used; 0 for none
	n     int
}

func (s *idSet) clear() {
	clear(s.slots)
	s.n = 0
}

// find returns the slot of a hash, or the one that it would take.
func (s *idSet) find(hash uint64) *uint64 {
	mask := uint64(len(s.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		if slot := &s.slots[i]; *slot == hash || *slot == 0 {
			return slot
		}
	}
}

func (s *idSet) has(hash uint64) bool { return s.n > 0 && *s.find(max(hash, 1)) != 0 }

func (s *idSet) add(hash uint64) {
	if 2*s.n >= len(s.slots) {
		old := s.slots
		s.slots = make([]uint64, max(256, 2*len(old)))
		for _, h := range old {
			if h != 0 {
				*s.find(h) = h
			}
		}
	}
	if slot := s.find(max(hash, 1)); *slot == 0 {
		*slot = max(hash, 1)
		s.n++
	}
}
