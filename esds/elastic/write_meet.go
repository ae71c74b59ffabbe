package elastic

import (
	"context"
	"errors"
	"fmt"

	"github.com/eslake/eslake/esds"
)

// meetings are the indices that a write met, with their UUIDs. A bulk request
// makes an index that is not there: one that is deleted while it is written comes
// back with what follows only, and with a guessed mapping.
type meetings map[string]string

// newMeetings collects what a write meets, before it is told on.
func newMeetings(w *esds.Write) meetings {
	met, told := meetings{}, w.Meets
	w.Meets = func(index, uuid string) error {
		met[index] = uuid
		if told == nil {
			return nil
		}
		return told(index, uuid)
	}
	return met
}

// check returns an error when an index is not the one that was met.
func (m meetings) check(ctx context.Context, s *Source) error {
	for index, uuid := range m {
		if uuid == "" {
			continue // a user who may only write
		}
		found, err := s.describe(ctx, "write", index)
		if errors.Is(err, esds.ErrIndexNotFound) {
			return &esds.Error{Op: "write", Index: index, Err: fmt.Errorf("%w: it was deleted while it was written", esds.ErrReplaced), Hint: "run the statement again"}
		}
		if err != nil {
			return err
		}
		if now, ok := found[index]; ok && now.uuid != uuid {
			return &esds.Error{
				Op: "write", Index: index, Err: fmt.Errorf("%w: it was deleted while it was written, and the rows that followed made it anew", esds.ErrReplaced),
				Hint: "delete it, and run the statement again",
			}
		}
	}
	return nil
}
