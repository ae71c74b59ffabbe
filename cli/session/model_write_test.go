package session_test

import (
	"cmp"
	"fmt"
	"maps"
)

// newDocument is the document of a row, nil where it cannot have its id.
func (t *modelTable) newDocument(r record) *document {
	r = t.complete(r)
	d := t.with(&document{values: record{}}, r)
	if t.keyed {
		id, ok := textOf(r["k"]).(string)
		if !ok || id == "" || len(id) > 512 {
			return nil
		}
		d.id = id
	} else {
		t.made++
		d.id = fmt.Sprint("#", t.made)
	}
	if t.routed {
		d.routing, _ = r["r"].(string)
	}
	return d
}

// complete gives columns that are not named their default.
func (t *modelTable) complete(r record) record {
	out := maps.Clone(t.defaults)
	if out == nil {
		return r
	}
	maps.Copy(out, r)
	return out
}

// insert is INSERT INTO some columns: where a row does not have one, it is NULL.
// Of several rows with one id the last wins.
func (t *modelTable) insert(operation string, cols []field, list []record) (o effect) {
	now := maps.Clone(t.docs)
	for _, given := range list {
		r := record{}
		for _, c := range cols {
			r[c.name] = given[c.name]
		}
		r = t.complete(r)
		d := t.newDocument(r)
		if d == nil {
			o.rejected++
			continue
		}
		old := now[d.id]
		if (operation == "upsert" || operation == "update") && old != nil {
			d = t.merged(old, r)
		}
		if now[d.id] = o.write(operation, old, d); !same(now[d.id], old) {
			o.note(d.id, t.docs[d.id], now[d.id])
		}
	}
	return o
}

// write counts what es.write.operation makes of a document, and returns what is
// there then.
func (o *effect) write(operation string, old, d *document) *document {
	switch {
	case operation == "create" && old != nil, operation == "update" && old == nil:
		o.rejected++
		return old
	case operation == "delete" && old != nil:
		o.deleted++
		return nil
	case operation == "delete", operation != "index" && same(old, d):
		o.unchanged++
		return old
	case old == nil:
		o.created++
	default:
		o.updated++
	}
	return d
}

// merged is a document with what a row has.
func (t *modelTable) merged(old *document, r record) *document {
	set := record{}
	for name, v := range r {
		if p, ok := v.(pair); ok { // objects are merged too
			before, _ := old.values[name].(pair)
			v = pair{cmp.Or(p.x, before.x), cmp.Or(p.y, before.y)}
		}
		if v != nil || t.nulls {
			set[name] = v
		}
	}
	return t.with(old, set)
}

// overwrite is INSERT OVERWRITE. A rejected row leaves the old documents in place.
func (t *modelTable) overwrite(cols []field, list []record) effect {
	fresh := &modelTable{keyed: t.keyed, routed: t.routed, made: t.made, nulls: t.nulls, defaults: t.defaults, docs: map[string]*document{}}
	o := fresh.insert("index", cols, list)
	if o.rejected > 0 && !t.truncates {
		return fail("rows were rejected")
	}
	t.made, o.replaced = fresh.made, len(t.docs)
	for id, d := range t.docs {
		if c := o.changes[id]; c != nil {
			c.before = d
		} else {
			o.note(id, d, nil)
		}
	}
	return o
}
