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
	keys map[uint64]struct{} // of the ids
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
	var keys map[uint64]struct{}
	for _, x := range f.all {
		select {
		case <-x.done:
			keys = x.keys
		default:
			left = append(left, x)
		}
	}
	clear(f.all[len(left):])
	f.all = left
	if keys == nil {
		keys = map[uint64]struct{}{}
	}
	clear(keys)
	f.open = &flight{keys: keys, done: done}
}

// add notes an id of the batch that is being made.
func (f *flights) add(b *batch, id []byte) {
	key := maphash.Bytes(f.seed, id)
	f.open.keys[key] = struct{}{}
	for _, x := range f.all {
		if _, found := x.keys[key]; found {
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
