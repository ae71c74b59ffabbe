package exec

import (
	"net/http"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/planner/job"
)

// Preview is what a modification will do.
type Preview struct {
	Created, Updated, Deleted int64
	Unchanged                 int64            // selected, and already as they are to be
	Indices                   map[string]int64 // documents by index
	Samples                   []job.Change     // the first, at most ShownChanges
}

// ShownChanges is how many changes a Preview holds.
const ShownChanges = 5

// Affected returns how many documents will change.
func (p Preview) Affected() int64 { return p.Created + p.Updated + p.Deleted }

// Sink takes the changes of a Changer.
type Sink struct {
	Preview Preview

	file    *job.ChangeWriter // nil: only the preview is wanted
	found   func(n int64)     // told of the number of changes now and then; nil for none
	count   int64
	done    doneCount
	resumed bool  // an earlier run of the job may have made changes
	skipped int64 // documents that need no change any more
	refused []esds.Reject
}

// tellEvery is how many changes are found until it is told.
const tellEvery = 500

// Add takes a change. A Row of 0 is given the next number.
func (s *Sink) Add(c job.Change) error {
	if s.count++; s.found != nil && s.count%tellEvery == 0 {
		s.found(s.count)
	}
	if c.Row == 0 {
		c.Row = s.count
	}
	p := &s.Preview
	switch c.Action {
	case esds.CreateDoc:
		p.Created++
	case esds.DeleteDoc:
		p.Deleted++
	default:
		p.Updated++
	}
	if p.Indices == nil {
		p.Indices = map[string]int64{}
	}
	p.Indices[c.Index]++
	if len(p.Samples) < ShownChanges {
		p.Samples = append(p.Samples, c)
	}
	if s.file == nil {
		return nil
	}
	return s.file.Add(c)
}

// Done tells of a change that has taken effect already.
func (s *Sink) Done(c job.Change) {
	switch c.Action {
	case esds.CreateDoc:
		s.done.created++
	case esds.DeleteDoc:
		s.done.deleted++
	default:
		s.done.updated++
	}
}

// Skip tells of a document that is to stay as it is now.
func (s *Sink) Skip() { s.skipped++ }

// Refuse tells of a document that cannot be changed, and why.
func (s *Sink) Refuse(c job.Change, reason string) {
	s.refused = append(s.refused, conflictOf(c, reason))
}

func (s *Sink) rows() int64 { return s.count }

func conflictOf(c job.Change, reason string) esds.Reject {
	return esds.Reject{Row: c.Row, ID: c.ID, Index: c.Index, Status: http.StatusConflict, Type: "version_conflict_engine_exception", Reason: reason, Document: c.After}
}
