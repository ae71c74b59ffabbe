package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// errTimeout is what --timeout ends a statement with.
var errTimeout = errors.New("it took longer than --timeout")

// signalError is a signal that ended a statement.
type signalError struct{ signal os.Signal }

// Error says what happened.
func (e *signalError) Error() string {
	if e.signal == syscall.SIGTERM {
		return "terminated"
	}
	return "interrupted"
}

func (e *signalError) code() int {
	if e.signal == syscall.SIGTERM {
		return exitTerminated
	}
	return exitInterrupt
}

// twice is the time in which a second Ctrl-C ends the process, and grace how
// long a statement may take to end after SIGTERM.
const (
	twice = 2 * time.Second
	grace = 10 * time.Second
)

// interrupts turns signals into the end of what runs.
type interrupts struct {
	exit func(code int)
	now  func() time.Time

	mu      sync.Mutex
	cancel  context.CancelCauseFunc // of the statement that runs, nil for none
	last    time.Time               // of the last Ctrl-C
	pending *signalError            // came while nothing ran
	overdue *time.Timer             // ends the process when a statement does not end after SIGTERM
	shell   bool                    // Ctrl-C while nothing runs is no reason to leave
	cleanup func()                  // before the process is ended from here
}

// watch handles signals until stop is called.
func (n *interrupts) watch() (stop func()) {
	signals := make(chan os.Signal, 4)
	done := make(chan struct{})
	var wg sync.WaitGroup
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	signal.Ignore(syscall.SIGXFSZ) // a write of DuckDB's that a limit of the shell forbids then fails, as on a full disk
	wg.Go(func() {
		for {
			select {
			case s := <-signals:
				n.handle(s)
			case <-done:
				return
			}
		}
	})
	return func() {
		signal.Stop(signals)
		close(done)
		wg.Wait()
	}
}

func (n *interrupts) handle(s os.Signal) {
	n.mu.Lock()
	defer n.mu.Unlock()
	cause := &signalError{signal: s}
	again := s == os.Interrupt && !n.last.IsZero() && n.now().Sub(n.last) < twice
	if s == os.Interrupt {
		n.last = n.now()
	}
	switch {
	case again && n.cancel != nil, n.shell && n.cancel == nil && s == syscall.SIGTERM:
		n.leave(cause.code())
	case n.cancel != nil:
		n.cancel(cause)
		if s == syscall.SIGTERM {
			n.overdue = time.AfterFunc(grace, func() { n.exit(exitTerminated) })
		}
	case !n.shell:
		n.pending = cause
	}
}

func (n *interrupts) leave(code int) {
	if n.cleanup != nil {
		n.cleanup()
	}
	n.exit(code)
}

// begin returns the context of one statement. Timeout 0 is none.
func (n *interrupts) begin(timeout time.Duration) (ctx context.Context, end func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	n.mu.Lock()
	n.cancel = cancel
	if n.pending != nil {
		cancel(n.pending)
	}
	n.mu.Unlock()
	release := func() {}
	if timeout > 0 {
		ctx, release = context.WithTimeoutCause(ctx, timeout, errTimeout)
	}
	return ctx, func() {
		n.mu.Lock()
		n.cancel = nil
		if n.overdue != nil {
			n.overdue.Stop()
		}
		var cause *signalError
		if !n.shell && errors.As(context.Cause(ctx), &cause) {
			n.pending = cause // when it came to its end all the same, the next one does not begin
		}
		n.mu.Unlock()
		release()
		cancel(nil)
	}
}

// inShell says that a shell reads lines, and what gives the terminal back.
func (n *interrupts) inShell(cleanup func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.shell, n.cleanup = true, cleanup
}

// canceledError is an error that came of the end of a statement's context.
type canceledError struct{ err, cause error }

// Error says the cause; what the statement had done is added by the reporter.
func (e *canceledError) Error() string { return e.cause.Error() }

func (e *canceledError) Unwrap() []error { return []error{e.cause, e.err} }

// because adds to an error what ended its context.
func because(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	return &canceledError{err: err, cause: context.Cause(ctx)}
}
