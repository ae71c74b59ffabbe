package cli

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eslake/eslake/cli/session"
	"github.com/eslake/eslake/esds"
)

// timedMeter is a meter whose clock is set by the test.
type timedMeter struct {
	*meter
	at time.Time
}

func newTimedMeter(s Streams) *timedMeter {
	m := &timedMeter{meter: newMeter(s), at: time.Unix(1000, 0)}
	m.now = func() time.Time { return m.at }
	return m
}

func (m *timedMeter) after(d time.Duration, p session.Progress) {
	m.at = m.at.Add(d)
	p.Statement = "INSERT t"
	m.update(p)
}

func TestProgressInALog(t *testing.T) {
	var out bytes.Buffer
	m := newTimedMeter(Streams{Err: &out})
	done := func(d time.Duration, rows int64) {
		m.after(d, session.Progress{Done: esds.Report{Created: rows - rows/10000, Rejected: rows / 10000}})
	}
	end := m.begin(true)
	done(100*time.Millisecond, 200)
	done(3*time.Second, 6200)
	done(time.Second, 8000)
	done(2*time.Second, 30200)
	end()
	done(10*time.Second, 40000)
	want := "INSERT t: 6,200 rows, 2,000 rows/s\nINSERT t: 30,200 rows, 5,000 rows/s, 3 rejected\n"
	if out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

// What an earlier run of the job did takes no part in the speed.
func TestProgressSaysHowLongItTakes(t *testing.T) {
	var out bytes.Buffer
	m := newTimedMeter(Streams{Err: &out})
	defer m.begin(true)()
	m.after(0, session.Progress{Done: esds.Report{Created: 5000, Bytes: 700}, Part: 0.5})
	m.after(10*time.Second, session.Progress{Done: esds.Report{Created: 6000, Bytes: 1_240_000}, Part: 0.6})
	m.after(10*time.Second, session.Progress{Done: esds.Report{Created: 7000, Bytes: 123_400_000}, Part: 0.7})
	m.after(30*time.Second, session.Progress{Done: esds.Report{Created: 10000, Bytes: 2_000_000_000}, Part: 1})
	want := "INSERT t: 6,000 rows, 100 rows/s, 1.2 MB, 60%, 40s left\nINSERT t: 7,000 rows, 100 rows/s, 123 MB, 70%, 30s left\nINSERT t: 10,000 rows, 100 rows/s, 2.0 GB, 100%\n"
	if out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

// Reading comes before writing, and has a speed of its own.
func TestProgressOfReading(t *testing.T) {
	var out bytes.Buffer
	m := newTimedMeter(Streams{Err: &out})
	defer m.begin(true)()
	m.after(0, session.Progress{Read: 1000, Part: 0.1})
	m.after(3*time.Second, session.Progress{Read: 4000, Found: 1500, Part: 0.4})
	m.after(time.Second, session.Progress{Done: esds.Report{Updated: 100}, Part: 0.1})
	m.after(5*time.Second, session.Progress{Done: esds.Report{Updated: 600}, Part: 0.6})
	m.after(3*time.Second, session.Progress{Read: 2000, Found: -1, Part: 0.5})
	m.after(3*time.Second, session.Progress{Read: 3000, Found: -1, Part: 0.75})
	want := "INSERT t: 4,000 documents read, 1,500 to change, 1,000 documents/s, 40%, 6s left\nINSERT t: 600 rows, 100 rows/s, 60%, 4s left\nINSERT t: 2,000 documents read, 50%\nINSERT t: 3,000 documents read, 333 documents/s, 75%, 3s left\n"
	if out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

// lockedBuffer is a terminal, which the moving line is written to by itself.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func TestProgressOnATerminalIsOneLine(t *testing.T) {
	var out lockedBuffer
	m := newTimedMeter(Streams{Err: &out, ErrTerminal: true})
	end := m.begin(true)
	m.after(time.Second, session.Progress{Done: esds.Report{Created: 100}})
	m.after(time.Second, session.Progress{Done: esds.Report{Created: 200}})
	if m.text() != "INSERT t: 200 rows, 100 rows/s" {
		t.Errorf("the line is %q", m.text())
	}
	end()
	drawn := out.String()
	if strings.Count(drawn, "\n") > 1 {
		t.Errorf("more than one line: %q", drawn)
	}
	m.after(time.Second, session.Progress{Done: esds.Report{Created: 300}})
	if m.bar != nil || out.String() != drawn {
		t.Errorf("the line goes on: %q", out.String())
	}
}

// A question takes the moving line away, and what follows it makes a new one.
func TestProgressMakesRoomForAQuestion(t *testing.T) {
	var out lockedBuffer
	m := newTimedMeter(Streams{Err: &out, ErrTerminal: true})
	end := m.begin(true)
	m.after(time.Second, session.Progress{Read: 100})
	m.pause()
	drawn := out.String()
	if m.bar != nil || out.String() != drawn {
		t.Errorf("the line goes on: %q", out.String())
	}
	m.after(time.Second, session.Progress{Done: esds.Report{Updated: 100}})
	if m.bar == nil {
		t.Error("there is no line after the question")
	}
	end()
}

func TestProgressIsQuietUnlessAsked(t *testing.T) {
	var out bytes.Buffer
	m := newTimedMeter(Streams{Err: &out, ErrTerminal: true})
	end := m.begin(false)
	m.after(time.Minute, session.Progress{Done: esds.Report{Created: 1}})
	end()
	if out.Len() > 0 {
		t.Errorf("%q", out.String())
	}
}
