package esds

import (
	"context"
	"sync"
)

// Presumed is what sources take for granted while a statement is planned, and look
// into meanwhile: that an index is still what it was when it was last opened. The
// statement goes on as if it were, gives nothing out before Holds, and is planned
// anew without presuming when that is false.
type Presumed struct {
	running sync.WaitGroup
	mu      sync.Mutex
	any     bool
	wrong   bool
}

type presumedKey struct{}

// Presume returns a context in which sources may presume.
func Presume(ctx context.Context) (context.Context, *Presumed) {
	p := &Presumed{}
	return context.WithValue(ctx, presumedKey{}, p), p
}

// PresumedOf returns what is presumed in a context, nil where nothing may be.
func PresumedOf(ctx context.Context) *Presumed {
	p, _ := ctx.Value(presumedKey{}).(*Presumed)
	return p
}

// Check runs look, which is false when what is presumed is wrong or nobody knows.
func (p *Presumed) Check(look func() bool) {
	p.mu.Lock()
	p.any = true
	p.mu.Unlock()
	p.running.Go(func() {
		if !look() {
			p.mu.Lock()
			p.wrong = true
			p.mu.Unlock()
		}
	})
}

// Any reports whether something was presumed.
func (p *Presumed) Any() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.any
}

// Holds waits for all checks and reports whether each was right.
func (p *Presumed) Holds() bool {
	p.running.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.wrong
}
