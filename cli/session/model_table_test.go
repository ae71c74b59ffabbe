package session_test

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// document is a row of the model. It is never changed, only replaced.
type document struct {
	id, routing string
	values      record
}

// modelTable is what a table ought to hold, and how its jobs are taken back.
type modelTable struct {
	name      string // of the table of all columns but extra
	wide      string // of the one with extra, on the same index
	cols      []field
	keyed     bool   // ids come from k
	routed    bool   // routings come from r, which is of k in every new row
	nulls     bool   // NULL is written as null
	defaults  record // of columns
	truncates bool   // INSERT OVERWRITE deletes the documents first
	docs      map[string]*document
	made      int // documents without a key so far
	jobs      []*modelJob
}

// modelJob is a job that may be undone.
type modelJob struct {
	table   string
	id      string
	changes map[string]*modelChange
	saved   map[string]*document // by an INSERT OVERWRITE; nil for others
	left    int                  // documents that it left
	undone  bool
}

type modelChange struct{ before, after *document }

// effect is what a statement says that it did.
type effect struct {
	created, updated, deleted, unchanged, rejected int

	replaced int    // by an INSERT OVERWRITE
	err      string // with which it fails, and changes nothing; "" for none
	changes  map[string]*modelChange
}

// say is how the message of a statement begins.
func (o effect) say(word, table string) string {
	n := func(n int, what string) string { return fmt.Sprintf("%d %s", n, what) }
	accepted := o.created + o.updated + o.deleted
	counts := []string{n(o.created, "created"), n(o.updated, "updated"), n(o.rejected, "rejected")}
	switch word {
	case "INSERT":
		accepted += o.unchanged
		if o.deleted > 0 {
			counts = slices.Insert(counts, 2, n(o.deleted, "deleted"))
		}
		if o.unchanged > 0 {
			counts = slices.Insert(counts, len(counts)-1, n(o.unchanged, "unchanged"))
		}
	case "INSERT OVERWRITE":
		counts = []string{n(o.replaced, "old documents replaced"), counts[0], counts[1], counts[2]}
		if o.updated == 0 {
			counts = append(counts[:2], counts[3])
		}
	default:
		counts = nil
		for i, c := range []int{o.created, o.updated, o.deleted, o.unchanged, o.rejected} {
			if c > 0 && (i >= 3 || word == "MERGE" || word == "UNDO") {
				counts = append(counts, n(c, []string{"created", "updated", "deleted", "unchanged", "rejected"}[i]))
			}
		}
	}
	text := fmt.Sprintf("%s %d -> %s", word, accepted, table)
	if counts != nil {
		text += " (" + strings.Join(counts, ", ") + ")"
	}
	return text
}

// fail makes the effect that of a statement that fails.
func fail(format string, args ...any) effect { return effect{err: fmt.Sprintf(format, args...)} }

// guarded is f, which fails with what does not fit.
func guarded(f func() effect) (o effect) {
	defer func() {
		if r := recover(); r != nil {
			err, ok := r.(error)
			if !ok || !errors.Is(err, errValue) {
				panic(r)
			}
			o = fail("%v", err)
		}
	}()
	return f()
}

// note takes up a change of a document; several of one are one.
func (o *effect) note(id string, before, after *document) {
	if o.changes == nil {
		o.changes = map[string]*modelChange{}
	}
	if c := o.changes[id]; c != nil {
		c.after = after
		return
	}
	o.changes[id] = &modelChange{before, after}
}

// commit makes the table what the effect says.
func (t *modelTable) commit(o effect) {
	for id, c := range o.changes {
		if c.after == nil {
			delete(t.docs, id)
		} else {
			t.docs[id] = c.after
		}
	}
}

// with is a document with other values of some columns.
func (t *modelTable) with(d *document, set record) *document {
	out := &document{d.id, d.routing, maps.Clone(d.values)}
	for name, v := range set {
		if part, ok := strings.CutPrefix(name, "st."); ok {
			p, _ := out.values["st"].(pair)
			if part == "x" {
				p.x = v
			} else {
				p.y = v
			}
			name, v = "st", p
		}
		if v == nil && !t.nulls {
			delete(out.values, name)
		} else {
			out.values[name] = v
		}
	}
	return out
}

func same(a, b *document) bool {
	return a == nil && b == nil || a != nil && b != nil && reflect.DeepEqual(a.values, b.values)
}

// update is UPDATE.
func (t *modelTable) update(alias string, set []assignment, where term) (o effect) {
	for id, d := range t.docs {
		if r := (rows{alias: d.values}); where.holds(r) {
			o.change(id, d, t.with(d, evaluated(set, r)))
		}
	}
	return o
}

func (o *effect) change(id string, before, after *document) {
	if same(before, after) {
		o.unchanged++
		return
	}
	o.updated++
	o.note(id, before, after)
}

// assignment is a column and its new value.
type assignment struct {
	to field
	x  term
}

func evaluated(set []assignment, r rows) record {
	out := record{}
	for _, a := range set {
		out[a.to.name] = assign(a.to.kind, a.x.eval(r))
	}
	return out
}

// remove is DELETE.
func (t *modelTable) remove(alias string, where term) (o effect) {
	for id, d := range t.docs {
		if where.holds(rows{alias: d.values}) {
			o.deleted++
			o.note(id, d, nil)
		}
	}
	return o
}

// undo is UNDO: a document is put back when it is as the job left it.
func (t *modelTable) undo(j *modelJob) effect {
	switch {
	case j.undone:
		return fail("did that already")
	case j.saved != nil:
		return t.restore(j)
	}
	var o effect
	for id, c := range j.changes {
		now := t.docs[id]
		switch {
		case same(now, c.after):
			o.putBack(id, now, c.before)
		case same(now, c.before):
			o.unchanged++
		default:
			o.rejected++
		}
	}
	return o
}

// restore is UNDO of an INSERT OVERWRITE, which puts all back.
func (t *modelTable) restore(j *modelJob) (o effect) {
	if len(t.docs) != j.left {
		return fail("someone wrote there since")
	}
	for id, d := range t.docs {
		if j.saved[id] == nil {
			o.putBack(id, d, nil)
		}
	}
	for id, old := range j.saved {
		if now := t.docs[id]; same(now, old) {
			o.unchanged++
		} else {
			o.putBack(id, now, old)
		}
	}
	return o
}

func (o *effect) putBack(id string, now, old *document) {
	switch {
	case now == nil:
		o.created++
	case old == nil:
		o.deleted++
	default:
		old = &document{id, now.routing, old.values}
		o.updated++
	}
	o.note(id, now, old)
}
