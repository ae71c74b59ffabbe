package exec

import (
	"context"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/planner/job"
)

// replacement is a document that a job deleted and the one that it then made of
// the same id.
type replacement struct {
	gone, made *job.Change
	unsure     bool // the job may not have done both
}

// take takes up a change; those of later rounds come first.
func (r *replacement) take(c job.Change, unsure bool) {
	switch {
	case c.Action == esds.DeleteDoc && r.gone == nil:
		r.gone = &c
	case c.Action == esds.CreateDoc && r.made == nil:
		r.made = &c
	default:
		return
	}
	r.unsure = r.unsure || unsure
}

// replaced finds the ids that a job both deleted and made, nil for none.
func (u *Undo) replaced() (map[docKey]*replacement, error) {
	if !u.Replaces {
		return nil, nil
	}
	var found map[docKey]*replacement
	var deleted, made idSet
	for round := u.last(); round >= 0; round-- {
		err := u.sentChanges(round, func(c job.Change, _ bool) error {
			mine, other := &deleted, &made
			switch c.Action {
			case esds.DeleteDoc:
			case esds.CreateDoc:
				mine, other = other, mine
			default:
				return nil
			}
			key := docKey{indexOf(c, u.Write), c.ID}
			text := []byte(key.index + "\x00" + key.id)
			if mine.add(text); other.has(text) {
				if found == nil {
					found = map[docKey]*replacement{}
				}
				found[key] = &replacement{}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// undoReplaced puts back what was replaced.
func (u *Undo) undoReplaced(ctx context.Context, replaced map[docKey]*replacement, out *Sink) error {
	var changes []job.Change
	for _, r := range replaced {
		switch {
		case r.made == nil:
			changes = append(changes, *r.gone)
		case r.gone == nil:
			changes = append(changes, *r.made)
		default:
			changes = append(changes, job.Change{Row: r.gone.Row, Action: esds.IndexDoc, Index: r.gone.Index, ID: r.gone.ID, Routing: r.gone.Routing, Before: r.gone.Before, After: r.made.After})
		}
	}
	return eachCurrent(ctx, u.Source, u.Write, changes, func(c job.Change, now *current) error {
		unsure := replaced[docKey{indexOf(c, u.Write), c.ID}].unsure
		switch {
		case now == nil && unsure: // it was deleted only
			c.After = nil
		case now != nil && now.routing != c.Routing && sameDocument(now.source, c.After): // perhaps on another shard
			gone := back(job.Change{Row: c.Row, Index: c.Index, ID: c.ID, After: c.After}, now)
			if err := out.Add(gone); err != nil {
				return err
			}
			now, c.After = nil, nil
		}
		return u.undo(c, now, unsure, out)
	})
}
