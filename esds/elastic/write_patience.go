package elastic

import (
	"context"
	"time"
)

// patience is how long and how often a batch is sent again.
type patience struct {
	base    time.Duration
	budget  time.Duration
	tries   int // further tries; negative for as long as the budget lasts
	waited  time.Duration
	retries int
}

func (w *writer) patience() patience {
	opts := w.write.Options
	p := patience{
		base: opts.Duration("es.batch.write.retry.wait"), budget: opts.Duration("eslake.retry.budget"),
		tries: opts.Int("es.batch.write.retry.count"),
	}
	if !opts.Has("es.batch.write.retry.count") {
		p.tries = -1 // time is the better bound
	}
	if opts.String("es.batch.write.retry.policy") == "none" {
		p.tries = 0
	}
	return p
}

// again waits before the next try after an error, nil for none. It is false when
// patience is at its end.
func (p *patience) again(ctx context.Context, cfg Config, cause error) (bool, error) {
	if p.tries >= 0 && p.retries >= p.tries || p.waited >= p.budget {
		return false, nil
	}
	p.retries++
	d := cfg.pause(p.base, p.retries, cause, p.budget-p.waited)
	p.waited += d
	return true, cfg.wait(ctx, d)
}

// progress gives new patience where time bounds it: some rows were taken.
func (p *patience) progress() {
	if p.tries < 0 {
		p.waited, p.retries = 0, 0
	}
}
