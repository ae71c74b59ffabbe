package local

import (
	"context"
	"time"
)

// SetWait replaces the waiting for another process.
func SetWait(s *Source, wait func(ctx context.Context) error) {
	s.wait = func(ctx context.Context, _ time.Duration) error { return wait(ctx) }
}
