package elastic

import (
	"hash/maphash"

	"github.com/eslake/eslake/esds"
)

// batch is successive rows that go in one bulk request.
type batch struct {
	buf   []byte
	ids   []byte
	items []item
	after []<-chan struct{} // requests that must be settled before
	done  chan struct{}     // closed when this one is settled
	mark  *mark
}

func (b *batch) id(it *item) []byte { return b.ids[it.idStart:it.idEnd] }

func (b *batch) document(it *item) []byte { return b.buf[it.doc:it.end] }

// item is one row in a batch: where its lines stand, and what is known of it.
type item struct {
	row              int64
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

// mark is what became of the rows of a batch.
type mark struct {
	last   int64 // number of its last row
	done   bool
	report esds.Report
}

// flight is a batch on its way, as the one that makes batches sees it.
type flight struct {
	keys idSet
	done <-chan struct{}
}

// flights knows the ids on their way, so that a later row waits for an earlier
// one of its id.
type flights struct {
	seed maphash.Seed
	all  []*flight
	open *flight
}

// begin starts the ids of a batch and forgets those of settled ones.
func (f *flights) begin(done <-chan struct{}) {
	left := f.all[:0]
	f.open = nil
	for _, x := range f.all {
		select {
		case <-x.done:
			f.open = x // its room is used again
		default:
			left = append(left, x)
		}
	}
	clear(f.all[len(left):])
	f.all = left
	if f.open == nil {
		f.open = &flight{}
	}
	f.open.keys.clear()
	f.open.done = done
}

// add notes an id of the batch that is being made.
func (f *flights) add(b *batch, id []byte) {
	key := maphash.Bytes(f.seed, id)
	f.open.keys.add(key)
	for _, x := range f.all {
		if x.keys.has(key) {
			b.wait(x.done)
		}
	}
}

// end makes the batch one on its way.
func (f *flights) end() {
	f.all = append(f.all, f.open)
	f.open = nil
}

func (b *batch) wait(done <-chan struct{}) {
	for _, known := range b.after {
		if known == done {
			return
		}
	}
	b.after = append(b.after, done)
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
