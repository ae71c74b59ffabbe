package exec

import (
	"context"
	"errors"
	"fmt"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/planner/job"
)

// forbid keeps everybody from changing the documents of indices that are saved and
// then removed: what came in between would be lost. The journal says so first, so
// that Allow can be made up for after a crash.
func forbid(ctx context.Context, src esds.Source, journal *job.Journal, indices []string) error {
	if len(indices) == 0 {
		return nil
	}
	if err := journal.Step(job.StepForbidden, map[string]any{"indices": indices}); err != nil {
		return err
	}
	for _, index := range indices {
		err := src.Block(ctx, index, true)
		var e *esds.Error
		if errors.Is(err, esds.ErrForbidden) && errors.As(err, &e) && e.Hint == "" {
			e.Hint = "while the documents are saved nobody may change them: give the user the privilege manage on the index, or set eslake.backup = false"
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Allow lets documents of indices be changed again, as far as they are there still,
// also when the statement was cancelled. Journal is nil when the job is given up.
func Allow(ctx context.Context, src esds.Source, journal *job.Journal, indices []string) error {
	if len(indices) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTime)
	defer cancel()
	for _, index := range indices {
		if err := src.Block(ctx, index, false); err != nil && !errors.Is(err, esds.ErrIndexNotFound) {
			return fmt.Errorf("index %s still has index.blocks.write, and takes no documents: %w", index, err)
		}
	}
	if journal == nil {
		return nil
	}
	return journal.Step(job.StepAllowed, map[string]any{"indices": indices})
}
