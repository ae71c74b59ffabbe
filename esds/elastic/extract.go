package elastic

import (
	"bytes"
	"strings"

	"github.com/eslake/eslake/sql/row"
)

// extractor finds the wanted values in a document, or in an object within it.
// Every wanted path has a slot; find leaves the JSON of its value there.
type extractor struct {
	root   *branch
	found  [][]byte   // by slot; nil for absent
	lists  [][][]byte // by slot: values met in a list of objects on the way
	listed bool       // some list is not empty
}

// branch is a name on the way to wanted paths. Names hold no dots: a document
// may spell a path as {"a.b": 1} or {"a": {"b": 1}}.
type branch struct {
	slot  int // -1 when only something below is wanted
	below map[string]*branch
	order []expected // what stood at each place in the documents before
}

// expected is a member of an object that stood there before. Documents of one
// index mostly have the same names in the same order.
type expected struct {
	name string
	b    *branch // nil when it is not wanted
}

// newExtractor returns an extractor in which path i has slot i.
func newExtractor(paths []string) *extractor {
	x := &extractor{root: &branch{slot: -1}, found: make([][]byte, len(paths)), lists: make([][][]byte, len(paths))}
	for slot, path := range paths {
		b := x.root
		for _, name := range strings.Split(path, ".") {
			if b.below == nil {
				b.below = map[string]*branch{}
			}
			next := b.below[name]
			if next == nil {
				next = &branch{slot: -1}
				b.below[name] = next
			}
			b = next
		}
		b.slot = slot
	}
	return x
}

// find fills the slots from the object at i and returns the position after it.
// The slots are good until the next call.
func (x *extractor) find(b []byte, i int) (int, error) {
	clear(x.found)
	end, err := x.walk(x.root, b, i, false)
	if err == nil && x.listed {
		x.joinLists()
	}
	return end, err
}

// walk looks for what is wanted in the value at i and returns the position after
// it.
func (x *extractor) walk(at *branch, b []byte, i int, listed bool) (int, error) {
	switch b[i] {
	case '[':
		return elements(b, i, func(i int) (int, error) { return x.walk(at, b, i, true) })
	case '{':
		place := 0
		return members(b, i, func(name []byte, i int) (int, error) {
			next := at.lookup(name, place)
			place++
			if next != nil && next.slot < 0 {
				return x.walk(next, b, i, listed)
			}
			end, err := skipValue(b, i)
			if err != nil {
				return end, err
			}
			return end, x.member(at, next, name, b[i:end:end], listed)
		})
	}
	return skipValue(b, i)
}

// member takes a member that is wanted, or may be under another spelling.
func (x *extractor) member(at, next *branch, name, v []byte, listed bool) error {
	if next == nil && bytes.IndexByte(name, '\\') >= 0 {
		name = unescaped(name)
		next = at.below[string(name)]
	}
	if next != nil {
		return x.take(next, v, listed)
	}
	if bytes.IndexByte(name, '.') > 0 {
		return x.takeDotted(at, string(name), v, listed)
	}
	return nil
}

func (b *branch) lookup(name []byte, place int) *branch {
	if place < len(b.order) {
		if e := &b.order[place]; e.name == string(name) {
			return e.b
		}
		return b.below[string(name)]
	}
	next := b.below[string(name)]
	if place == len(b.order) && place < 1000 {
		b.order = append(b.order, expected{string(name), next})
	}
	return next
}

// take puts a value into its slot, and looks for what is wanted inside.
func (x *extractor) take(b *branch, v []byte, listed bool) error {
	if b.slot >= 0 {
		x.put(b.slot, v, listed)
	}
	if b.below != nil {
		_, err := x.walk(b, v, 0, listed)
		return err
	}
	return nil
}

func (x *extractor) takeDotted(b *branch, name string, v []byte, listed bool) error {
	head, rest, dotted := strings.Cut(name, ".")
	next := b.below[head]
	switch {
	case next == nil:
		return nil
	case !dotted:
		return x.take(next, v, listed)
	}
	if next.slot >= 0 { // a part of a wanted object
		x.put(next.slot, wrap(rest, v), listed)
	}
	if next.below != nil {
		return x.takeDotted(next, rest, v, listed)
	}
	return nil
}

// unescaped returns a name as it is meant: "\u00e9" is "é".
func unescaped(name []byte) []byte {
	text, err := appendUnquoted(nil, append(append([]byte{'"'}, name...), '"'))
	if err != nil {
		return name
	}
	return text
}

func wrap(name string, v []byte) []byte {
	object := append(row.AppendQuoted([]byte{'{'}, name), ':')
	return append(append(object, v...), '}')
}

// put keeps a value. The parts of an object that is spelled in parts are put
// together; of a name that is repeated the last one counts.
func (x *extractor) put(slot int, v []byte, listed bool) {
	if listed {
		x.lists[slot] = append(x.lists[slot], v)
		x.listed = true
		return
	}
	old := x.found[slot]
	if len(old) > 2 && old[0] == '{' && v[0] == '{' && len(v) > 2 {
		joined := append([]byte{}, old[:len(old)-1]...)
		v = append(append(joined, ','), v[1:]...)
	}
	x.found[slot] = v
}

// joinLists makes one list of the values that were met on the way through lists
// of objects, as the index sees them.
func (x *extractor) joinLists() {
	for slot, values := range x.lists {
		if len(values) == 0 {
			continue
		}
		list := []byte{'['}
		if x.found[slot] != nil {
			values = append([][]byte{x.found[slot]}, values...)
		}
		for _, v := range values {
			if v[0] == '[' {
				v = bytes.TrimSpace(v[1 : len(v)-1])
			}
			if len(v) == 0 {
				continue
			}
			if len(list) > 1 {
				list = append(list, ',')
			}
			list = append(list, v...)
		}
		x.found[slot] = append(list, ']')
		x.lists[slot] = nil
	}
	x.listed = false
}
