package session_test

import "slices"

// The kinds of WHEN, in the order in which Spark has them written.
const (
	whenMatched = "WHEN MATCHED"
	whenMissing = "WHEN NOT MATCHED"
	whenLeft    = "WHEN NOT MATCHED BY SOURCE"
)

// when is a clause of a MERGE: it sets, inserts, or with no assignments deletes.
type when struct {
	kind string
	cond *term
	set  []assignment
}

// merging is a MERGE of the model, in which the target is t and the source s.
type merging struct {
	on     term
	source func() []record
	whens  []when
}

// first is the clause of a kind that decides about some rows, nil for none.
func (m merging) first(kind string, r rows) *when {
	for i, w := range m.whens {
		if w.kind == kind && (w.cond == nil || w.cond.holds(r)) {
			return &m.whens[i]
		}
	}
	return nil
}

// unique reports whether a document may match one row of the source only: unless
// all that happens to matches is that they are deleted.
func (m merging) unique() bool {
	var matched []when
	for _, w := range m.whens {
		if w.kind == whenMatched {
			matched = append(matched, w)
		}
	}
	return len(matched) > 1 || len(matched) == 1 && (matched[0].set != nil || matched[0].cond != nil)
}

func (t *modelTable) merge(m merging) (o effect) {
	source := m.source()
	used := make([]bool, len(source))
	for id, d := range t.docs {
		var matches []record
		for i, s := range source {
			if m.on.holds(rows{"t": d.values, "s": s}) {
				matches, used[i] = append(matches, s), true
			}
		}
		kind, r := whenLeft, rows{"t": d.values}
		if len(matches) > 0 {
			kind, r = whenMatched, rows{"t": d.values, "s": matches[0]}
		}
		if len(matches) > 1 && m.unique() {
			return fail("E2123")
		}
		w := m.first(kind, r)
		switch {
		case w == nil:
		case w.set == nil:
			o.deleted++
			o.note(id, d, nil)
		default:
			set := evaluated(w.set, r)
			if k, named := set["k"]; named && t.keyed && k != d.values["k"] {
				return fail("holds the id")
			}
			o.change(id, d, t.with(d, set))
		}
	}
	return t.missing(m, source, used, o)
}

// missing adds what happens to the rows of the source without a document.
func (t *modelTable) missing(m merging, source []record, used []bool, o effect) effect {
	var fresh []string
	for i, s := range source {
		r := rows{"s": s}
		w := m.first(whenMissing, r)
		if used[i] || w == nil {
			continue
		}
		d := t.newDocument(evaluated(w.set, r))
		switch {
		case d == nil:
			return fail("make document")
		case slices.Contains(fresh, d.id):
			return fail("E2123")
		}
		fresh = append(fresh, d.id)
		if c := o.changes[d.id]; t.docs[d.id] != nil && (c == nil || c.after != nil) {
			o.rejected++ // it is there, and stays
			continue
		}
		o.created++
		o.note(d.id, nil, d)
	}
	return o
}
