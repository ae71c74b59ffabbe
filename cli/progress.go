package cli

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/eslake/eslake/esds"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
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

	mu      sync.Mutex
	shown   bool // whether to show anything
	started time.Time
	next    time.Time // of the next line in a log
	line    string
	bars    *mpb.Progress
	bar     *mpb.Bar
}

func newMeter(s Streams) *meter { return &meter{w: s.Err, terminal: s.ErrTerminal, now: time.Now} }

// begin starts a statement; the function returned ends it and clears the line.
func (m *meter) begin(show bool) (end func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.shown, m.started = show, m.now()
	m.next = m.started.Add(logged)
	return m.end
}

// update takes what a running write has done so far.
func (m *meter) update(statement string, done esds.Report) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	took := now.Sub(m.started)
	if !m.shown || took < late {
		return
	}
	m.line = fmt.Sprintf("%s: %s rows, %s rows/s", statement, thousands(done.Rows), thousands(int64(float64(done.Rows)/took.Seconds())))
	if done.Rejected > 0 {
		m.line += fmt.Sprintf(", %s rejected", thousands(done.Rejected))
	}
	if m.terminal {
		m.draw()
		return
	}
	if now.After(m.next) {
		m.next = now.Add(logged)
		fmt.Fprintln(m.w, m.line)
	}
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

func (m *meter) text() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.line
}

func (m *meter) end() {
	m.mu.Lock()
	bars, bar := m.bars, m.bar
	m.bars, m.bar, m.shown = nil, nil, false
	m.mu.Unlock()
	if bar != nil {
		bar.Abort(true)
		bars.Wait()
	}
}
