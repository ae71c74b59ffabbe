// Package bench measures eslake against "the limit": a minimal program that
// moves the same bulk bodies or pages over the same number of connections
// without looking inside. Both run as processes of their own, turn by turn, so
// that a machine that is busy with something else is busy for both.
//
// The command bench below this folder runs all cases; `make bench` starts a
// server for it.
package bench

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Case is one piece of work and the two programs that do it.
type Case struct {
	Name   string
	Goal   Goal
	Docs   int // documents moved; 0 where a rate says nothing
	Rounds int

	Prepare func(ctx context.Context) error // before each run, not measured; nil for nothing
	Eslake  Command
	Limit   Command                         // its zero: there is no limit
	Check   func(ctx context.Context) error // after each run of either, not measured; nil for nothing
	Verify  func() error                    // after the last run of eslake, of what it wrote; nil for nothing
	// Away: in the rounds that count, what eslake writes is thrown away, as the limit
	// throws away what it reads. Verify looks at what the first round wrote.
	Away bool
}

// Goal is what a case should reach: all that is not zero.
type Goal struct {
	Ratio   float64       // time of the limit divided by that of eslake, at least
	Longest time.Duration // time of eslake, at most
	Extra   time.Duration // processor time of eslake above that of the limit, for a million documents, at most
	Peak    int64         // bytes of memory of eslake, at most
}

// Result is what a case came to.
type Result struct {
	Case   Case
	Eslake []Sample
	Limit  []Sample
	Err    error // why there are no samples, or too few
}

// Run runs a case, so many rounds. Who begins a round changes from round to
// round. A first round does not count: a server that has just begun to do something
// takes twice the time that it takes later.
func Run(ctx context.Context, c Case) Result {
	r := Result{Case: c}
	for round := -1; round < c.Rounds && r.Err == nil; round++ {
		r.round(ctx, round)
	}
	if r.Err == nil && c.Verify != nil {
		r.Err = c.Verify()
	}
	return r
}

func (r *Result) round(ctx context.Context, round int) {
	sides := []struct {
		command Command
		samples *[]Sample
		who     string
	}{{r.Case.Eslake, &r.Eslake, "eslake"}, {r.Case.Limit, &r.Limit, "limit"}}
	if round%2 == 1 {
		slices.Reverse(sides)
	}
	for _, side := range sides {
		if len(side.command.Args) == 0 {
			continue
		}
		if r.Case.Away && round >= 0 {
			side.command.Stdout = ""
		}
		s, err := r.Case.one(ctx, side.command)
		if err != nil {
			r.Err = fmt.Errorf("%s: %w", side.who, err)
			return
		}
		if round >= 0 {
			*side.samples = append(*side.samples, s)
		}
	}
}

func (c Case) one(ctx context.Context, cmd Command) (Sample, error) {
	if c.Prepare != nil {
		if err := c.Prepare(ctx); err != nil {
			return Sample{}, err
		}
	}
	s, err := cmd.Measure(ctx)
	if err == nil && c.Check != nil {
		err = c.Check(ctx)
	}
	return s, err
}

// Ratio is the time of the limit divided by that of eslake: the median of the
// rounds. Zero means that there is none.
func (r Result) Ratio() float64 {
	ratios := make([]float64, min(len(r.Eslake), len(r.Limit)))
	for i := range ratios {
		ratios[i] = r.Limit[i].Wall.Seconds() / r.Eslake[i].Wall.Seconds()
	}
	return median(ratios)
}

// Extra is the processor time of eslake above that of the limit, for a million
// documents. Without a limit it is all that eslake takes.
func (r Result) Extra() time.Duration {
	own := middle(r.Eslake).CPU - middle(r.Limit).CPU
	return time.Duration(float64(own) / float64(max(r.Case.Docs, 1)) * 1e6)
}

// middle returns the median of each figure.
func middle(samples []Sample) Sample {
	figure := func(of func(Sample) int64) int64 {
		all := make([]int64, len(samples))
		for i, s := range samples {
			all[i] = of(s)
		}
		return median(all)
	}
	return Sample{
		Wall: time.Duration(figure(func(s Sample) int64 { return int64(s.Wall) })),
		CPU:  time.Duration(figure(func(s Sample) int64 { return int64(s.CPU) })),
		Peak: figure(func(s Sample) int64 { return s.Peak }),
	}
}

// median returns the middle of the values, 0 for none.
func median[T int64 | float64](values []T) T {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}
