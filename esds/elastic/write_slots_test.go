package elastic

import (
	"testing"
	"time"
)

// busyCluster takes requests in turn: each speed is what a number of requests at a
// time comes to, in bytes a second.
type busyCluster struct {
	slots *slots
	at    time.Time
}

func newBusyCluster() *busyCluster {
	c := &busyCluster{slots: newSlots(nil), at: time.Unix(0, 0)}
	c.slots.now = func() time.Time { return c.at }
	return c
}

// run has some requests done, and returns how many there are at a time then.
func (c *busyCluster) run(requests int, speed func(level int) float64) int {
	const bytes = 1 << 20
	for range requests {
		c.at = c.at.Add(time.Duration(bytes / speed(c.slots.level) * float64(time.Second)))
		c.slots.done(bytes)
	}
	return c.slots.level
}

// More requests at a time are kept when they make the write faster by themselves,
// not when the cluster only becomes warm or the figures vary a bit.
func TestSlotsFindTheLevel(t *testing.T) {
	free := func(level int) float64 { return 1e6 * float64(level) }
	if got := newBusyCluster().run(1000, free); got != mostSlots {
		t.Errorf("at a cluster with room for all: %d at a time", got)
	}
	for _, room := range []int{2, 4, 6} {
		full := func(level int) float64 { return 1e6 * float64(min(level, room)) }
		if got := newBusyCluster().run(1000, full); got < room || got > room+1 {
			t.Errorf("at a cluster with room for %d: %d at a time", room, got)
		}
	}
	c := newBusyCluster()
	requests := 0.0
	warm := func(int) float64 { // twice as fast after some requests
		requests++
		return 1e6 * min(2, 1+requests/80)
	}
	if got := c.run(80, warm); got > firstSlots+1 {
		t.Errorf("at a cluster that becomes warm: %d at a time", got)
	}
}
