package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/planner/duck"
	"github.com/eslake/eslake/planner/exec"
	"github.com/eslake/eslake/planner/job"
)

// Clean says what CleanJobs removes.
type Clean struct {
	ID      string        // one job, whatever its state; "" for those that are done
	Older   time.Duration // without ID: done for so long; 0 for all
	All     bool          // without ID: also those that failed or broke off
	DryRun  bool          // nothing is removed
	TempDir string        // of the local engine; "" for the system's
}

// leftover is something that cleaning removes.
type leftover struct {
	what, name, why string
	remove          func(ctx context.Context) error
}

// CleanJobs removes journals with what lies beside them, the staging indices that
// they name, and what processes that are gone left in the folder for temporary
// files. The rows say what, and what became of it, and are there with an error too,
// which does not keep it from the rest.
func (s *Session) CleanJobs(ctx context.Context, c Clean) (Result, error) {
	list, err := s.leftovers(c)
	if err != nil {
		return Result{}, err
	}
	var rows [][]any
	var failed error
	for _, l := range list {
		became := "removed"
		if c.DryRun {
			became = "would be removed"
		} else if err := l.remove(ctx); err != nil {
			became = "kept: " + err.Error()
			failed = errors.Join(failed, fmt.Errorf("%s %s: %w", l.what, l.name, err))
		}
		rows = append(rows, []any{l.what, l.name, l.why, became})
	}
	return Result{Rows: textRows([]string{"what", "name", "why", "became"}, rows)}, failed
}

func (s *Session) leftovers(c Clean) ([]leftover, error) {
	if c.ID != "" {
		r, err := s.jobs.store.Read(c.ID)
		if err != nil {
			return nil, err
		}
		if r.State == job.Running {
			return nil, &job.Error{Op: "clean", Job: r.ID, Err: job.ErrRunning}
		}
		return s.leftoversOf(r), nil
	}
	records, err := s.jobs.store.List()
	if err != nil {
		return nil, err
	}
	var list []leftover
	for _, r := range records {
		old := s.cfg.Now().Sub(r.Last) >= c.Older
		if old && r.State != job.Running && (c.All || r.Finished()) {
			list = append(list, s.leftoversOf(&r)...)
		}
	}
	debris, err := s.jobs.store.Debris()
	if err != nil {
		return nil, err
	}
	for _, id := range debris {
		list = append(list, leftover{"folder", filepath.Join(s.jobs.store.Dir(), id), "a job that did not begin", func(context.Context) error {
			return s.jobs.store.Remove(id)
		}})
	}
	for _, path := range duck.Leftovers(c.TempDir) {
		list = append(list, leftover{"folder", path, "of a process that is gone", func(context.Context) error { return os.RemoveAll(path) }})
	}
	return list, nil
}

// leftoversOf is a job's staging indices, and what it forbade; then its journal,
// which names them.
func (s *Session) leftoversOf(r *job.Record) []leftover {
	var list []leftover
	left := false // an index could not be removed
	indices := stagingOf(r)
	if _, cleaned := r.Step(exec.StepCleaned); cleaned && r.Finished() {
		indices = nil // they were put in place
	}
	for _, x := range indices {
		list = append(list, leftover{"index", x.name, "staged by job " + r.ID, func(ctx context.Context) error {
			err := s.dropStaging(ctx, r, x)
			left = left || err != nil
			return err
		}})
	}
	for _, x := range oldOf(r) {
		list = append(list, leftover{"index", x.name, "replaced by job " + r.ID, func(ctx context.Context) error {
			err := s.dropOld(ctx, r, x)
			left = left || err != nil
			return err
		}})
	}
	for _, index := range r.Forbidden() {
		if r.Finished() {
			break // it is gone, and what has its name now is another
		}
		list = append(list, leftover{"block", index, "writes forbidden by job " + r.ID, func(ctx context.Context) error {
			source, err := s.sourceOf(ctx, r)
			if err == nil {
				err = exec.Allow(ctx, source, nil, []string{index})
			}
			left = left || err != nil
			return err
		}})
	}
	return append(list, leftover{"job", r.ID, string(r.State) + " " + clock(r.Last), func(context.Context) error {
		if left {
			return errors.New("it names an index that is there still, or cannot be written")
		}
		return s.jobs.store.Remove(r.ID)
	}})
}

// oldOf returns the old indices of aliases that a job exchanged, and did not come to
// remove.
func oldOf(r *job.Record) []staged {
	var list []staged
	for _, step := range r.Steps {
		o, err := exec.OverwritingOf(step.Name, step.Facts)
		if err != nil || o.Target.Kind != esds.Alias || step.Name != exec.StepInPlace && step.Name != exec.StepCleaned {
			continue
		}
		list = slices.DeleteFunc(list, func(x staged) bool { return x.target == o.Target.Name })
		if step.Name == exec.StepInPlace {
			for _, index := range o.Target.Indices {
				list = append(list, staged{name: index, target: o.Target.Name})
			}
		}
	}
	return list
}

// dropOld removes an index that was behind an alias, when it has no name any more.
func (s *Session) dropOld(ctx context.Context, r *job.Record, x staged) error {
	source, err := s.sourceOf(ctx, r)
	if err != nil {
		return err
	}
	def, err := source.Definition(ctx, x.name)
	switch {
	case errors.Is(err, esds.ErrIndexNotFound):
		return nil
	case err != nil:
		return err
	case len(def.Aliases) > 0:
		return fmt.Errorf("index %s has aliases: %s", x.name, def.Aliases)
	}
	return source.Drop(ctx, x.name)
}

// dropStaging removes a staging index, unless its rows are all that is left.
func (s *Session) dropStaging(ctx context.Context, r *job.Record, x staged) error {
	source, err := s.sourceOf(ctx, r)
	if err != nil {
		return err
	}
	target, err := source.Resolve(ctx, x.target)
	if err != nil {
		return err
	}
	now, err := source.Resolve(ctx, x.name)
	switch {
	case err != nil:
		return err
	case now.Kind == esds.Absent:
		return nil
	case target.Kind == esds.Absent && !x.made:
		return fmt.Errorf("index %s is not there, so that these may be its only rows; eslake jobs resume %s puts them in place", x.target, r.ID)
	}
	for _, name := range target.Indices {
		if name == x.name {
			return nil // it was put in place
		}
	}
	return source.Drop(ctx, x.name)
}
