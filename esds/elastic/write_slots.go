package elastic

import (
	"context"
	"sync"
	"time"

	"github.com/eslake/eslake/esds"
)

// slots bounds the bulk requests at a time, and finds a good number of them:
// fewer when the cluster is busy, more while that makes the write faster.
type slots struct {
	most   int
	tokens chan struct{}
	now    func() time.Time

	mu     sync.Mutex
	level  int       // how many at a time
	debt   int       // slots in use that are to vanish when they are given back
	fixed  bool      // the user has said how many
	trying bool      // the level is one more than the last good one
	rest   int       // requests until the next change
	since  time.Time // of the requests that are measured
	sent   int       // requests measured
	bytes  int64     // in them
	speed  float64   // bytes a second at the last good level
}

const (
	firstSlots = 2
	mostSlots  = 8
	calm       = 64 // requests between two tries to be faster
)

func newSlots(opts esds.Options) *slots {
	s := &slots{level: firstSlots, most: mostSlots, now: time.Now}
	if opts.Has("eslake.write.connections") {
		s.level = opts.Int("eslake.write.connections")
		s.most, s.fixed = s.level, true
	}
	s.tokens = make(chan struct{}, s.most)
	for range s.level {
		s.tokens <- struct{}{}
	}
	return s
}

// take waits for a slot; it is false when the write has ended.
func (s *slots) take(ctx context.Context) bool {
	select {
	case <-s.tokens:
		return true
	case <-ctx.Done():
		return false
	}
}

// give gives a slot back.
func (s *slots) give() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.debt > 0 {
		s.debt--
		return
	}
	s.tokens <- struct{}{}
}

// busy notes that the cluster refused work.
func (s *slots) busy() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rest < calm && s.level > 1 {
		s.lower()
	}
	s.measure(calm)
}

// done notes a request that was taken.
func (s *slots) done(bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rest > 0 {
		if s.rest--; s.rest == 0 {
			s.measure(0)
		}
		return
	}
	if s.sent++; s.sent == 1 {
		s.since = s.now() // the first one ends a time that was not measured
		return
	}
	s.bytes += bytes
	if s.sent <= 4*s.level {
		return
	}
	s.judge(float64(s.bytes) / max(s.now().Sub(s.since).Seconds(), 1e-6))
}

// judge decides after some requests at one level.
func (s *slots) judge(speed float64) {
	switch {
	case s.trying && speed < s.speed*(1+0.5/float64(s.level-1)):
		// Not half of what one more would give to a cluster with room for it: that one is
		// at its limit, or the rows come no faster.
		s.lower()
		s.measure(calm)
	case s.level < s.most:
		s.speed = speed
		s.raise()
		s.measure(0)
	default:
		s.speed, s.trying = speed, false
		s.measure(calm)
	}
}

func (s *slots) measure(rest int) { s.rest, s.sent, s.bytes = rest, 0, 0 }

func (s *slots) raise() {
	s.level++
	s.trying = !s.fixed // where the user says how many, only a busy cluster makes it fewer
	if s.debt > 0 {
		s.debt--
		return
	}
	s.tokens <- struct{}{}
}

func (s *slots) lower() {
	s.level--
	s.trying = false
	select {
	case <-s.tokens:
	default:
		s.debt++
	}
}
