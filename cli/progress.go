package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/eslake/eslake/cli/session"
)

// Progress is shown when a write takes longer than late; a log gets a line
// every now and then instead of a moving one.
const (
	late    = 500 * time.Millisecond
	refresh = 200 * time.Millisecond
	logged  = 2 * time.Second
)

// meter shows how far a write is.
type meter struct {
	w        io.Writer
	terminal bool
	now      func() time.Time

	mu        sync.Mutex
	shown     bool // whether to show anything
	started   time.Time
	next      time.Time // of the next line in a log
	first     time.Time // of the first update, when firstRows and firstPart were done
	firstRows int64     // by an earlier run of the job, say
	firstPart float64
	reading   bool // what is told is of reading
	line      string
	bars      *mpb.Progress
	bar       *mpb.Bar
}

func newMeter(s Streams) *meter { return &meter{w: s.Err, terminal: s.ErrTerminal, now: time.Now} }

// begin starts a statement; the function returned ends it and clears the line.
func (m *meter) begin(show bool) (end func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.shown, m.started = show, m.now()
	m.next, m.first = m.started.Add(logged), time.Time{}
	return m.end
}

// update takes what a running write has done so far.
func (m *meter) update(p session.Progress) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.shown {
		return
	}
	now := m.now()
	if reading := p.Read > 0; m.first.IsZero() || reading != m.reading {
		m.first, m.firstRows, m.firstPart, m.reading = now, p.Read+p.Done.Settled(), p.Part, reading
	}
	if now.Sub(m.started) < late {
		return
	}
	m.line = m.words(p, now)
	if m.terminal {
		m.draw()
		return
	}
	if now.After(m.next) {
		m.next = now.Add(logged)
		fmt.Fprintln(m.w, m.line)
	}
}

// words says how far it is: what was done, how fast, and how long it will take.
func (m *meter) words(p session.Progress, now time.Time) string {
	done, unit := p.Done.Settled(), "rows"
	if m.reading {
		done, unit = p.Read, "documents read"
	}
	line := fmt.Sprintf("%s: %s %s", p.Statement, thousands(done), unit)
	if m.reading && p.Found >= 0 {
		line += fmt.Sprintf(", %s to change", thousands(p.Found))
	}
	if took := now.Sub(m.first).Seconds(); took > 0 {
		line += fmt.Sprintf(", %s %s/s", thousands(int64(float64(done-m.firstRows)/took)), strings.Fields(unit)[0])
	}
	if p.Done.Bytes > 0 {
		line += ", " + bytesOf(p.Done.Bytes)
	}
	if p.Done.Rejected > 0 {
		line += fmt.Sprintf(", %s rejected", thousands(p.Done.Rejected))
	}
	if p.Part > 0 {
		line += fmt.Sprintf(", %.0f%%", 100*p.Part)
	}
	if gone := p.Part - m.firstPart; gone > 0 && p.Part < 1 {
		left := time.Duration(float64(now.Sub(m.first)) * (1 - p.Part) / gone)
		line += ", " + left.Round(time.Second).String() + " left"
	}
	return line
}

// bytesOf writes a number of bytes in the unit that fits.
func bytesOf(n int64) string {
	units := []string{"B", "kB", "MB", "GB", "TB"}
	value, unit := float64(n), 0
	for value >= 1000 && unit < len(units)-1 {
		value, unit = value/1000, unit+1
	}
	if unit == 0 || value >= 100 {
		return strconv.FormatFloat(value, 'f', 0, 64) + " " + units[unit]
	}
	return strconv.FormatFloat(value, 'f', 1, 64) + " " + units[unit]
}

// draw makes the moving line at its first call; it redraws itself after.
func (m *meter) draw() {
	if m.bar != nil {
		return
	}
	m.bars = mpb.New(mpb.WithOutput(m.w), mpb.WithRefreshRate(refresh), mpb.WithAutoRefresh())
	m.bar = m.bars.New(0, mpb.SpinnerStyle(), mpb.BarRemoveOnComplete(), mpb.BarWidth(1),
		mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return " " + m.text() })))
}

// pause takes the moving line away, until the next update.
func (m *meter) pause() {
	m.mu.Lock()
	bars, bar := m.bars, m.bar
	m.bars, m.bar = nil, nil
	m.mu.Unlock()
	if bar != nil {
		bar.Abort(true)
		bars.Wait()
	}
}

func (m *meter) text() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.line
}

func (m *meter) end() {
	m.mu.Lock()
	m.shown = false
	m.mu.Unlock()
	m.pause()
}
