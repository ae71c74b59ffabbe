package cli

import (
	"bytes"
	"testing"
	"time"

	"github.com/eslake/eslake/esds"
)

func TestProgressInALog(t *testing.T) {
	var out bytes.Buffer
	now := time.Unix(1000, 0)
	m := newMeter(Streams{Err: &out})
	m.now = func() time.Time { return now }
	after := func(d time.Duration, rows int64) {
		now = now.Add(d)
		m.update("INSERT t", esds.Report{Rows: rows, Rejected: rows / 10000})
	}
	end := m.begin(true)
	after(100*time.Millisecond, 100)
	after(3*time.Second, 6200)
	after(time.Second, 8000)
	after(2*time.Second, 30500)
	end()
	after(10*time.Second, 40000)
	want := "INSERT t: 6,200 rows, 2,000 rows/s\nINSERT t: 30,500 rows, 5,000 rows/s, 3 rejected\n"
	if out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

func TestProgressIsQuietUnlessAsked(t *testing.T) {
	var out bytes.Buffer
	m := newMeter(Streams{Err: &out, ErrTerminal: true})
	now := time.Unix(1000, 0)
	m.now = func() time.Time { return now }
	end := m.begin(false)
	now = now.Add(time.Minute)
	m.update("INSERT t", esds.Report{Rows: 1})
	end()
	if out.Len() > 0 {
		t.Errorf("%q", out.String())
	}
}
