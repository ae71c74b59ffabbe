package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/planner/exec"
	"github.com/eslake/eslake/planner/job"
)

// ShowJob tells the story of a job, given its id or the beginning of it: what was
// to be done, what was done, what is in the index, and what to do next.
func (s *Session) ShowJob(ctx context.Context, id string) (Result, error) {
	r, err := s.jobs.store.Read(id)
	if err != nil {
		return Result{}, err
	}
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-10s %s\n", name, fmt.Sprintf(format, args...))
	}
	line("job", "%s", r.ID)
	if r.Name != "" {
		line("name", "%s", r.Name)
	}
	line("statement", "%s", strings.ReplaceAll(r.Statement, "\n", "\n"+strings.Repeat(" ", 11)))
	line("target", "table %s, index %s of %s", r.Table, r.Index, r.Source)
	if r.IDs != "" {
		line("ids", "%s", r.IDs)
	}
	if r.Snapshot != nil {
		for _, f := range r.Snapshot.Files {
			line("reads", "%s, %s bytes, written %s", f.Path, thousands(f.Size), clock(f.Time))
		}
	}
	line("began", "%s", clock(r.Began))
	if r.Runs > 1 {
		line("runs", "%d, the last one until %s", r.Runs, clock(r.Last))
	}
	for _, step := range r.Steps {
		line("step", "%s  %s%s", clock(step.Time), step.Name, facts(step.Facts))
	}
	line("state", "%s", stateText(r))
	line("rows", "%s", countsText(r.Counts()))
	if r.Outcome != nil && r.Outcome.Rejects != "" {
		line("rejects", "%s", r.Outcome.Rejects)
	}
	if r.State != job.Running {
		line("index", "%s", s.indexText(ctx, r))
	}
	line("journal", "%s", r.Dir)
	line("next", "%s", nextText(r))
	return Result{Rows: textRows([]string{"job"}, [][]any{{strings.TrimRight(b.String(), "\n")}})}, nil
}

func facts(all map[string]any) string {
	var parts []string
	for _, k := range namesOf(all) {
		v, _ := json.Marshal(all[k]) // it came from JSON
		parts = append(parts, k+" "+strings.Trim(string(v), `"`))
	}
	if parts == nil {
		return ""
	}
	return ": " + strings.Join(parts, ", ")
}

func namesOf(m map[string]any) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func stateText(r *job.Record) string {
	switch r.State {
	case job.Running:
		return "running, a process works on it"
	case job.Interrupted:
		return fmt.Sprintf("interrupted: the process ended without a word, the last is of %s", clock(r.Last))
	case job.Failed:
		return "failed: " + r.Outcome.Error
	case job.Undone:
		return "undone by job " + r.UndoneBy
	}
	return "done at " + clock(r.Last)
}

func countsText(c esds.Report) string {
	parts := []string{thousands(c.Rows) + " settled"}
	for _, n := range []struct {
		word  string
		count int64
	}{{"created", c.Created}, {"updated", c.Updated}, {"deleted", c.Deleted}, {"unchanged", c.Noop}, {"rejected", c.Rejected}} {
		if n.count > 0 {
			parts = append(parts, thousands(n.count)+" "+n.word)
		}
	}
	return strings.Join(parts, ", ")
}

// indexText says what is in the index of a job, and which staging indices are
// left.
func (s *Session) indexText(ctx context.Context, r *job.Record) string {
	source, err := s.sourceOf(ctx, r)
	if err != nil {
		return "not known: " + err.Error()
	}
	var parts []string
	list := stagingOf(r)
	var indices []string
	if !esds.Dynamic(r.Index) {
		indices = append(indices, r.Index)
	}
	for _, x := range list {
		if x.target != r.Index {
			indices = append(indices, x.target)
		}
		indices = append(indices, x.name)
	}
	for _, index := range indices {
		_ = source.Refresh(ctx, index) // a run that was killed did not; who may not counts what is visible
		count, err := source.Count(ctx, index)
		switch {
		case errors.Is(err, esds.ErrIndexNotFound):
			if !slices.ContainsFunc(list, func(x staged) bool { return x.name == index }) {
				parts = append(parts, index+" is not there")
			}
		case err != nil:
			return "not known: " + err.Error()
		default:
			parts = append(parts, fmt.Sprintf("%s holds %s documents", index, thousands(count)))
		}
	}
	return strings.Join(parts, "; ")
}

// staged is a staging index that a job named.
type staged struct {
	name   string
	target string // whose place it is to take
	made   bool   // the target was not there before
}

// stagingOf returns the staging indices that a job named.
func stagingOf(r *job.Record) []staged {
	var list []staged
	for _, step := range r.Steps {
		name, ok := step.Facts["index"].(string)
		if !ok || step.Name != job.StepStaging || slices.ContainsFunc(list, func(x staged) bool { return x.name == name }) {
			continue
		}
		x := staged{name: name, target: r.Index}
		if target, ok := step.Facts["for"].(string); ok {
			x.target = target
		}
		x.made, _ = step.Facts["absent"].(bool)
		list = append(list, x)
	}
	return list
}

// sourceOf opens the source of a job's table, as the table is bound now.
func (s *Session) sourceOf(ctx context.Context, r *job.Record) (esds.Source, error) {
	database, name, _ := strings.Cut(r.Table, ".")
	t, err := s.cfg.Catalog.Table(database, name)
	if err != nil {
		return nil, err
	}
	opts, err := s.env().Options(t)
	if err != nil {
		return nil, err
	}
	source, err := s.cfg.Sources.Source(ctx, opts)
	if err == nil && place(source.String()) != place(r.Source) {
		return nil, fmt.Errorf("the job wrote to %s, table %s is on %s now", r.Source, r.Table, source)
	}
	return source, err
}

func nextText(r *job.Record) string {
	switch r.State {
	case job.Running:
		return "wait until it ends"
	case job.Interrupted, job.Failed:
		way := ""
		if r.Snapshot != nil && !exec.Way(r.Snapshot.Way).Resumable() {
			return "resuming it " + r.Snapshot.Way + "; " + insteadOf(r)
		}
		if r.Snapshot != nil {
			way = ": it " + r.Snapshot.Way
		}
		return fmt.Sprintf("%s%s; or eslake jobs clean %s gives it up, what is written stays", Next(r), way, r.ID)
	case job.Done:
		return fmt.Sprintf("nothing; eslake jobs clean %s removes the journal", r.ID)
	}
	return "nothing"
}
