package elastic

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/eslake/eslake/sql/row"
)

// extractor finds the wanted values in a document, or in an object within it.
// Every wanted path has a slot; find leaves the JSON of its value there.
type extractor struct {
	root   *branch
	found  [][]byte   // by slot; nil for absent
	lists  [][][]byte // by slot: values met in a list of objects on the way, or spelled in several ways
	spelt  []int      // by slot: dotted when its value was found
	dotted int        // the length of the dotted names on the way
	listed bool       // some list is not empty
}

// branch is a name on the way to wanted paths. Names hold no dots: a document
// may spell a path as {"a.b": 1} or {"a": {"b": 1}}.
type branch struct {
	slot  int // -1 when only something below is wanted
	below map[string]*branch
	order []expected // the members of the documents before, in their order
}

// expected is a member of an object as it was met before. Documents of one index
// mostly have the same names in the same order, so a name is compared with the
// one that came next before it is looked up.
type expected struct {
	name string
	key  string  // "name":
	b    *branch // nil when it is not wanted
	// plain: the name says all of itself; it is no path and has no escapes.
	plain bool

	head, mask uint64 // the first bytes of key
}

// newExtractor returns an extractor in which path i has slot i.
func newExtractor(paths []string) *extractor {
	x := &extractor{root: &branch{slot: -1}, found: make([][]byte, len(paths)), lists: make([][][]byte, len(paths)), spelt: make([]int, len(paths))}
	for slot, path := range paths {
		b := x.root
		for name := range strings.SplitSeq(path, ".") {
			b = b.grow(name)
		}
		b.slot = slot
	}
	return x
}

// grow returns the branch of a name below, made when it is not there.
func (at *branch) grow(name string) *branch {
	if at.below == nil {
		at.below = map[string]*branch{}
	}
	next := at.below[name]
	if next == nil {
		next = &branch{slot: -1}
		at.below[name] = next
	}
	return next
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
		return x.object(at, b, i, listed)
	}
	return skipValue(b, i)
}

// object goes through the members of the object at i.
func (x *extractor) object(at *branch, b []byte, i int, listed bool) (int, error) {
	var err error
	next := 0 // in order
	for i++; ; {
		if place := at.place(b, i, next); place >= 0 {
			e := &at.order[place]
			next = place + 1
			if i, err = x.value(at, e, b, skipBlank(b, i+len(e.key)), listed); err != nil {
				return i, err
			}
		} else {
			switch i = skipBlank(b, i); {
			case i >= len(b):
				return i, errJSON
			case b[i] == '}':
				return i + 1, nil
			case b[i] == ',':
				i++
				continue
			}
			var name []byte
			if name, i, err = memberName(b, i); err != nil {
				return i, err
			}
			e := at.meet(name, &next)
			if i, err = x.value(at, &e, b, i, listed); err != nil {
				return i, err
			}
		}
		if i < len(b) && b[i] == ',' {
			i++
		}
	}
}

// place returns which of the next expected members begins at i, -1 for none.
func (at *branch) place(b []byte, i, next int) int {
	if i >= len(b) || b[i] != '"' {
		return -1
	}
	rest := b[i:]
	for end := min(len(at.order), next+8); next < end; next++ {
		if e := &at.order[next]; e.begins(rest) {
			return next
		}
	}
	return -1
}

// begins reports whether a text begins with the member's key. The first bytes of
// keys differ mostly, and are compared as one number.
func (e *expected) begins(text []byte) bool {
	if len(text) < 8 {
		return len(e.key) <= len(text) && string(text[:len(e.key)]) == e.key
	}
	if binary.LittleEndian.Uint64(text)&e.mask != e.head {
		return false
	}
	return len(e.key) <= 8 || len(e.key) <= len(text) && string(text[8:len(e.key)]) == e.key[8:]
}

// expect returns a member to expect.
func expect(name string, b *branch) expected {
	e := expected{name: name, key: `"` + name + `":`, b: b, plain: plainName(name), mask: 1<<64 - 1}
	if n := len(e.key); n < 8 {
		e.mask = 1<<(8*n) - 1
	}
	var head [8]byte
	copy(head[:], e.key)
	e.head = binary.LittleEndian.Uint64(head[:])
	return e
}

// meet returns a member that stands elsewhere than expected. One that is new is
// expected at this place from now on.
func (at *branch) meet(name []byte, next *int) expected {
	for k := range at.order {
		if at.order[k].name == string(name) {
			*next = k + 1
			return at.order[k]
		}
	}
	text := string(name)
	e := expect(text, at.below[text])
	if *next = min(*next, len(at.order)); len(at.order) < 1000 {
		at.order = slices.Insert(at.order, *next, e)
		*next++
	}
	return e
}

// value takes the value at i of a member and returns the position after it.
func (x *extractor) value(at *branch, e *expected, b []byte, i int, listed bool) (int, error) {
	if i >= len(b) {
		return i, errJSON
	}
	if e.b != nil && e.b.slot < 0 {
		return x.walk(e.b, b, i, listed)
	}
	end, err := skipValue(b, i)
	switch {
	case err != nil:
		return end, err
	case e.b != nil:
		return end, x.take(e.b, b[i:end:end], listed)
	case e.plain:
		return end, nil
	}
	return end, x.member(at, e.name, b[i:end:end], listed)
}

func plainName(name string) bool {
	return strings.IndexByte(name, '.') <= 0 && strings.IndexByte(name, '\\') < 0
}

// member takes a member that may be wanted under another spelling.
func (x *extractor) member(at *branch, name string, v []byte, listed bool) error {
	if strings.IndexByte(name, '\\') >= 0 {
		name = string(unescaped([]byte(name)))
		if next := at.below[name]; next != nil {
			return x.take(next, v, listed)
		}
	}
	if strings.IndexByte(name, '.') > 0 {
		x.dotted += len(name)
		err := x.takeDotted(at, name, v, listed)
		x.dotted -= len(name)
		return err
	}
	return nil
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
// together; of a name that is repeated the last one counts. Values of one path
// that is spelled in two ways make a list, as in the index.
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
	} else if old != nil && x.spelt[slot] != x.dotted {
		x.put(slot, v, true)
		return
	}
	x.found[slot], x.spelt[slot] = v, x.dotted
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
