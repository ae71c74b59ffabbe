package elastic

import (
	"strings"

	"github.com/eslake/eslake/sql/row"
	"github.com/eslake/eslake/sql/row/textcopy"
)

// walker finds the columns of a plan in hits, in one way through their text. It
// knows what most documents look like: objects with a value for each name. For
// anything else (names with dots that lead to objects, lists of objects, names
// that come twice) it gives up, and the hit is left to the extractor.
type walker struct {
	root   *branch
	source *branch  // nil when nothing is wanted of _source
	found  []span   // by slot
	slots  []int    // by column: its slot, -1 for none
	looks  []glance // by slot
	hits   int      // begun so far
	opened int      // the one of which source was met last
}

// span is where a value stands in a page. It holds for one hit.
type span struct {
	start, end int
	hit        int
	form       form
}

// newWalker returns nil for a plan that needs the extractor always.
func (r *rows) newWalker(d decoding) *walker {
	w := &walker{root: &branch{slot: -1}}
	for i, c := range r.plan.columns {
		f := c.field
		path := ""
		switch {
		case len(r.plan.constants(i)) > 0 || c.from == fromFields && strings.Contains(c.path, "."):
			return nil
		case c.from == fromSource:
			path = "_source." + c.path
		case c.from == fromFields || c.from == fromDocValues:
			path = "fields." + strings.ReplaceAll(c.path, ".", "\x00") // one name, dots and all
		case c.from == fromHit:
			path = strings.ToLower(c.meta)
		}
		slot := -1
		if path != "" {
			look := d.glanceOf(c.column.Type, f)
			if slot = w.want(path, look); slot < 0 {
				return nil
			}
		}
		w.slots = append(w.slots, slot)
	}
	if len(r.plan.paths) > 0 {
		w.source = w.root.below["_source"]
	}
	return w
}

// want returns the slot of a path, -1 when a value and a part of it are wanted.
func (w *walker) want(path string, look glance) int {
	b := w.root
	for name := range strings.SplitSeq(path, ".") {
		if b.slot >= 0 {
			return -1
		}
		b = b.grow(strings.ReplaceAll(name, "\x00", "."))
	}
	if b.below != nil {
		return -1
	}
	if b.slot < 0 {
		b.slot = len(w.found)
		w.found = append(w.found, span{})
		w.looks = append(w.looks, look)
	} else if w.looks[b.slot] != look {
		w.looks[b.slot] = glance{}
	}
	return b.slot
}

// hit looks at the hit that begins at i, and returns the position after it; false
// when it gives up.
func (w *walker) hit(b []byte, i int) (int, bool) {
	w.hits++
	end, ok := w.object(w.root, b, i)
	return end, ok && (w.source == nil || w.opened == w.hits)
}

// span returns where values of a column are found, nil for nowhere.
func (w *walker) span(column int) *span {
	if slot := w.slots[column]; slot >= 0 {
		return &w.found[slot]
	}
	return nil
}

// holds reports whether a span has a value of the hit.
func (w *walker) holds(s *span) bool { return s != nil && s.hit == w.hits && s.form != formNull }

func (w *walker) object(at *branch, b []byte, i int) (int, bool) {
	if i >= len(b) || b[i] != '{' {
		return i, false
	}
	if at == w.source {
		w.opened = w.hits
	}
	if i = blank(b, i+1); i < len(b) && b[i] == '}' {
		return i + 1, true
	}
	for next := 0; ; {
		var below *branch
		if next < len(at.order) && at.order[next].begins(b[i:]) && at.order[next].b != nil { // most members
			below = at.order[next].b
			i += len(at.order[next].key)
			next++
		} else {
			var ok bool
			if below, i, ok = at.member(b, i, &next); !ok {
				return i, false
			}
		}
		var ok bool
		if i, ok = w.value(below, b, blank(b, i)); !ok {
			return i, false
		}
		switch i = blank(b, i); {
		case i >= len(b):
			return i, false
		case b[i] == ',':
			i = blank(b, i+1)
		case b[i] == '}':
			return i + 1, true
		default:
			return i, false
		}
	}
}

// member returns what is wanted of the member that begins at i, nil for nothing,
// and the position after its colon.
func (at *branch) member(b []byte, i int, next *int) (below *branch, after int, ok bool) {
	if place := at.place(b, i, *next); place >= 0 {
		*next = place + 1
		e := &at.order[place]
		return e.b, i + len(e.key), e.b != nil || e.plain
	}
	if i >= len(b) || b[i] != '"' {
		return nil, i, false
	}
	name, value, err := memberName(b, i)
	if err != nil {
		return nil, i, false
	}
	e := at.meet(name, next)
	return e.b, value, e.b != nil || e.plain
}

// value takes the value at i, of which a branch is wanted.
func (w *walker) value(at *branch, b []byte, i int) (int, bool) {
	switch {
	case i >= len(b):
		return i, false
	case at == nil:
		end, err := skipValue(b, i)
		return end, err == nil
	case at.slot >= 0:
		return w.take(at.slot, b, i)
	case b[i] == '{':
		return w.object(at, b, i)
	}
	end, err := skipValue(b, i)
	return end, err == nil && b[i] != '[' // a list may hold objects
}

// take keeps the value at i in a slot. A list of one scalar is that scalar for all
// but arrays, whose columns have no shape.
func (w *walker) take(slot int, b []byte, i int) (int, bool) {
	s := &w.found[slot]
	if s.hit == w.hits {
		return i, false
	}
	look := &w.looks[slot]
	s.hit, s.start = w.hits, i
	switch b[i] {
	case 'n':
		end, err := skipValue(b, i)
		s.end, s.form = end, formNull
		return end, err == nil
	case '[':
		if end, ok := look.alone(b, i, s); ok {
			return end, true
		}
	}
	var err error
	s.end, s.form, err = look.scan(b, i)
	return s.end, err == nil
}

// alone takes the value of a list of one that has the expected shape.
func (g *glance) alone(b []byte, i int, s *span) (int, bool) {
	if g.Shape == textcopy.Any || i+1 >= len(b) {
		return i, false
	}
	end, form, err := g.scan(b, i+1)
	if err != nil || form == formAny || end >= len(b) || b[end] != ']' {
		return i, false
	}
	s.start, s.end, s.form = i+1, end, form
	return end + 1, true
}

// blank is skipBlank that stops at comments.
func blank(b []byte, i int) int {
	for i < len(b) && b[i] <= ' ' {
		i++
	}
	return i
}

// append appends the hit that begins at i as a row, and returns the position
// after it.
func (r *rows) append(to *row.Batch, b []byte, i int) (int, error) {
	if r.walker != nil {
		if end, ok := r.walker.hit(b, i); ok && r.takeFound(to, b) {
			return end, nil
		}
	}
	end, err := skipValue(b, i)
	if err != nil {
		return end, r.broken(err)
	}
	return end, r.appendHit(to, b[i:end:end])
}

// takeFound appends what the walker found. False leaves the batch as it was.
func (r *rows) takeFound(to *row.Batch, b []byte) bool {
	for k, c := range to.Columns {
		at := r.walker.span(k)
		if !r.walker.holds(at) {
			c.AppendNull()
			continue
		}
		v := b[at.start:at.end:at.end]
		if at.form == formPlain && c.Type.Kind == row.String {
			c.AppendText(v[1 : len(v)-1])
			continue
		}
		if err := r.decode[k](c, v); err != nil {
			for _, c := range to.Columns[:k+1] {
				c.Truncate(to.Len)
			}
			return false
		}
	}
	to.Len++
	return true
}
