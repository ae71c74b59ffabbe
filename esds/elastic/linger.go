package elastic

import (
	"context"
	"time"
)

// grace is how long the answer to a request that changes something is waited
// for when its statement has ended. Without the answer nobody knows what was
// done, and a server that is still busy with it may do it after the cleanup.
const grace = 3 * time.Second

// linger returns a context that ends so much later than ctx. A context that has
// ended already is returned as it is.
func linger(ctx context.Context) (longer context.Context, stop func()) {
	if ctx.Err() != nil {
		return ctx, func() {}
	}
	longer, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	forget := context.AfterFunc(ctx, func() {
		time.AfterFunc(grace, func() { cancel(context.Cause(ctx)) })
	})
	return longer, func() {
		forget()
		cancel(nil)
	}
}
