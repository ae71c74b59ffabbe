package session

import (
	"context"
	"fmt"
	"strings"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/planner"
	"github.com/eslake/eslake/planner/exec"
	"github.com/eslake/eslake/planner/job"
)

// dry reports whether a statement only shows what it would write.
func (s *Session) dry(opts esds.Options) bool {
	set := s.settings.values["eslake.dry.run"]
	return opts.Bool("eslake.dry.run") || strings.EqualFold(set, "true")
}

// rehearse shows what an INSERT or TRUNCATE would do.
func (s *Session) rehearse(ctx context.Context, env *planner.Env, plan *planner.Insert, kind string) (Result, error) {
	r, err := plan.Rehearse(ctx, env)
	if err != nil {
		return Result{}, err
	}
	lines := [][]any{
		{"statement", wordOf(kind) + " " + plan.Table.Name},
		{"index", indexLine(plan.Job.Source, r)},
		{"documents there", thousands(r.Before)},
	}
	if kind != job.Truncate {
		lines = append(lines, rowLines(plan, r)...)
	}
	return Result{Rows: textRows([]string{"dry run", "value"}, lines), Message: dryMessage(kind, plan.Table.Name)}, nil
}

func dryMessage(kind, table string) string {
	return fmt.Sprintf("DRY RUN of %s %s: nothing was written", wordOf(kind), table)
}

func indexLine(source esds.Source, r exec.Rehearsal) string {
	what := fmt.Sprintf("%s of %s, ", r.Target.Name, source)
	switch r.Target.Kind {
	case esds.Dynamically:
		what += "completed by each row"
	case esds.Absent:
		what += "which would be made"
	case esds.Alias:
		what += "an alias of " + strings.Join(r.Target.Indices, ", ")
	default:
		what += "which is there"
	}
	switch r.Mode {
	case "":
		return what
	case "auto":
		return what + "; the documents of those that the rows name would be replaced"
	case "truncate":
		return what + "; its documents would be deleted first"
	default:
		return what + "; its documents would be replaced by " + r.Mode
	}
}

func rowLines(plan *planner.Insert, r exec.Rehearsal) [][]any {
	ids := "made by eslake"
	if id := plan.Job.Write.ID; id != "" {
		ids = "from column " + id
	}
	lines := [][]any{
		{"rows", thousands(r.Rows) + ", all read"},
		{"ids", ids},
	}
	if r.Refused > 0 {
		lines = append(lines, []any{"rejected", fmt.Sprintf("%s rows are no documents; %s", thousands(r.Refused), r.Why)})
	}
	for _, f := range r.Fields {
		lines = append(lines, []any{"mapping", f})
	}
	for _, d := range r.Documents {
		lines = append(lines, []any{"document", d})
	}
	return lines
}

// dryError carries what a change would do out of its run.
type dryError struct{ preview exec.Preview }

// Error is never shown.
func (e *dryError) Error() string { return "dry run" }

// rehearsed shows what an UPDATE, DELETE, MERGE or UNDO would do.
func rehearsed(c *changing, p exec.Preview) Result {
	lines := [][]any{
		{"statement", c.kind + " " + c.name},
		{"created", thousands(p.Created)},
		{"updated", thousands(p.Updated)},
		{"deleted", thousands(p.Deleted)},
		{"unchanged", thousands(p.Unchanged)},
	}
	for _, d := range p.Samples {
		lines = append(lines, []any{"document", d.ID + " " + strings.Join(exec.Differences(d), ", ")})
	}
	return Result{Rows: textRows([]string{"dry run", "value"}, lines), Message: dryMessage(c.kind, c.name)}
}
