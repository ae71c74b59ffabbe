package exec

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/eslake/eslake/sql/row"
	"github.com/go-json-experiment/json/jsontext"
)

// lax reads documents as Elasticsearch keeps them: names may repeat.
var lax = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// errArray is a path that leads through a list.
var errArray = errors.New("is a list in this document: its elements cannot be set one by one, set the whole column")

// setField returns the document with a value at a path; a nil value takes the
// field away. Every other byte stays as it was, and so does a value that is the
// same in another spelling, 1.5 for 1.50. The field is found as nested
// objects or under dotted names, as the document has it; where it has neither,
// it is added within what is there, under one dotted name when dotted is set.
func setField(doc []byte, path []string, dotted bool, value []byte) ([]byte, error) {
	s := setter{path: path, dotted: dotted, value: value}
	out, err := s.object(doc, path)
	if err == nil && !s.done && value != nil {
		out, err = s.add(out, path)
	}
	if err != nil {
		return nil, fmt.Errorf("field %s: %w", strings.Join(path, "."), err)
	}
	return out, nil
}

// setter is one setField.
type setter struct {
	path   []string
	dotted bool
	value  []byte
	done   bool // the value stands in the document
}

// object sets the rest of the path in a JSON object where it is there, and takes
// away further spellings of the same field.
func (s *setter) object(obj []byte, path []string) ([]byte, error) {
	list, err := members(obj)
	if err != nil {
		return nil, err
	}
	for i := len(list) - 1; i >= 0; i-- { // from the end, so that places before stay
		m := list[i]
		used, below := spells(m.name, path)
		switch {
		case used == len(path) && s.value != nil && !s.done && !below:
			if s.done = true; !sameDocument(obj[m.value:m.end], s.value) {
				obj = splice(obj, m.value, m.end, s.value)
			}
		case used == len(path):
			obj = remove(obj, list, i)
			list = slices.Delete(list, i, i+1)
		case used > 0:
			inner, err := s.inner(obj[m.value:m.end], path[used:])
			if err != nil {
				return nil, err
			}
			obj = splice(obj, m.value, m.end, inner)
		}
	}
	return obj, nil
}

// inner sets the rest of the path in the value of a member.
func (s *setter) inner(value []byte, path []string) ([]byte, error) {
	switch value[0] {
	case '{':
		return s.object(value, path)
	case '[':
		return nil, errArray
	case 'n':
		return value, nil
	default:
		return nil, fmt.Errorf("its parent is %s in this document, not an object", value)
	}
}

// add puts the field into the deepest object of the path that is there.
func (s *setter) add(obj []byte, path []string) ([]byte, error) {
	list, err := members(obj)
	if err != nil {
		return nil, err
	}
	for _, m := range list {
		used, _ := spells(m.name, path)
		if used == 0 || used == len(path) {
			continue
		}
		value := obj[m.value:m.end]
		inner := s.nested(path[used:])
		if value[0] == '{' {
			if inner, err = s.add(value, path[used:]); err != nil {
				return nil, err
			}
		}
		return splice(obj, m.value, m.end, inner), nil
	}
	member := s.nested(path)
	member = member[1 : len(member)-1]
	at := bytes.IndexByte(obj, '{') + 1
	if len(list) > 0 {
		at = list[len(list)-1].end
		member = append([]byte{','}, member...)
	}
	return splice(obj, at, at, member), nil
}

// nested is an object that holds nothing but the value at a path.
func (s *setter) nested(path []string) []byte {
	if s.dotted {
		path = []string{strings.Join(path, ".")}
	}
	var out []byte
	for _, name := range path {
		out = append(row.AppendQuoted(append(out, '{'), name), ':')
	}
	out = append(out, s.value...)
	return append(out, strings.Repeat("}", len(path))...)
}

// spells says how many parts of a path a member's name stands for, 0 for none.
// Below tells that it stands for something under the whole path.
func spells(name string, path []string) (used int, below bool) {
	rest := name
	for i, part := range path {
		after, ok := strings.CutPrefix(rest, part)
		switch {
		case !ok:
			return 0, false
		case after == "":
			return i + 1, false
		case after[0] != '.':
			return 0, false
		}
		rest = after[1:]
	}
	return len(path), true
}

// member is a name and value of an object, as places in its text.
type member struct {
	name              string
	start, value, end int
}

// members finds what an object holds. It must be all that the text is.
func members(obj []byte) ([]member, error) {
	d := jsontext.NewDecoder(bytes.NewBuffer(obj), lax...)
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return nil, errors.New("the document is not a JSON object that can be read")
	}
	var list []member
	for d.PeekKind() != '}' {
		t, err := d.ReadToken()
		if err != nil {
			return nil, fmt.Errorf("the document cannot be read: %w", err)
		}
		m := member{name: t.String(), start: int(d.InputOffset())}
		v, err := d.ReadValue()
		if err != nil {
			return nil, fmt.Errorf("the document cannot be read: %w", err)
		}
		m.end = int(d.InputOffset())
		m.value = m.end - len(v)
		m.start = nameStart(obj, m.start)
		list = append(list, m)
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, fmt.Errorf("the document cannot be read: %w", err)
	}
	return list, nil
}

// nameStart goes back from the end of a quoted name to its beginning.
func nameStart(obj []byte, end int) int {
	for i := end - 2; i >= 0; i-- {
		if obj[i] != '"' {
			continue
		}
		escapes := 0
		for i-1-escapes >= 0 && obj[i-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return i
		}
	}
	return 0
}

func splice(b []byte, from, to int, with []byte) []byte {
	out := make([]byte, 0, len(b)-(to-from)+len(with))
	return append(append(append(out, b[:from]...), with...), b[to:]...)
}

// remove takes a member away with one comma beside it.
func remove(obj []byte, list []member, i int) []byte {
	switch {
	case i+1 < len(list):
		return splice(obj, list[i].start, list[i+1].start, nil)
	case i > 0:
		return splice(obj, list[i-1].end, list[i].end, nil)
	default:
		return splice(obj, list[i].start, list[i].end, nil)
	}
}

// fieldOf returns the value at a path of a document, nil when it has none.
func fieldOf(doc []byte, path []string) ([]byte, error) {
	list, err := members(doc)
	if err != nil {
		return nil, err
	}
	for _, m := range list {
		used, below := spells(m.name, path)
		switch {
		case used == 0 || below:
			continue
		case used == len(path):
			return doc[m.value:m.end], nil
		case doc[m.value] == '{':
			if v, err := fieldOf(doc[m.value:m.end], path[used:]); v != nil || err != nil {
				return v, err
			}
		}
	}
	return nil, nil
}

// oneLine returns a document without line breaks, which neither a bulk request
// nor a file of lines may hold.
func oneLine(doc []byte) ([]byte, error) {
	if bytes.IndexByte(doc, '\n') < 0 && bytes.IndexByte(doc, '\r') < 0 {
		return doc, nil
	}
	v := jsontext.Value(bytes.Clone(doc))
	if err := v.Compact(lax...); err != nil {
		return nil, fmt.Errorf("the document cannot be read: %w", err)
	}
	return v, nil
}
