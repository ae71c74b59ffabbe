package elastic

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

// picked is a row to pick from.
type picked struct {
	b   *row.Batch
	i   int
	doc []byte // of es.input.json
}

// pick is where a part of a request comes from: the id, the routing, a
// parameter of a script.
type pick interface {
	// text appends the value; it is false for NULL.
	text(dst []byte, r picked) ([]byte, bool, error)
	// json appends the value as JSON.
	json(dst []byte, r picked) ([]byte, error)
	// time returns a date in microseconds since the epoch; it is false for NULL.
	time(r picked) (int64, bool, error)
}

// newPick reads <text>, the name of a column, or a path into a struct; with
// es.input.json a path into the document.
func newPick(spec string, s row.Schema, input bool) (pick, row.Type, error) {
	if len(spec) > 1 && spec[0] == '<' && spec[len(spec)-1] == '>' {
		return pickConstant(spec[1 : len(spec)-1]), row.StringType, nil
	}
	if input {
		return pickJSON(strings.Split(spec, ".")), row.StringType, nil
	}
	p := &pickColumn{spec: spec}
	if p.at = s.Index(spec); p.at >= 0 {
		p.typ = s[p.at].Type
		return p, p.typ, nil
	}
	for end := strings.LastIndexByte(spec, '.'); end > 0; end = strings.LastIndexByte(spec[:end], '.') {
		if p.at = s.Index(spec[:end]); p.at < 0 {
			continue
		}
		p.typ = s[p.at].Type
		for name := range strings.SplitSeq(spec[end+1:], ".") {
			k := p.typ.Fields.Index(name)
			if p.typ.Kind != row.Struct || k < 0 {
				return nil, row.Type{}, fmt.Errorf("column %s has no field %s", spec[:end], spec[end+1:])
			}
			p.path, p.typ = append(p.path, k), p.typ.Fields[k].Type
		}
		return p, p.typ, nil
	}
	return nil, row.Type{}, fmt.Errorf("column %s is not among the rows", spec)
}

type pickConstant string

func (p pickConstant) text(dst []byte, _ picked) ([]byte, bool, error) {
	return append(dst, p...), true, nil
}

func (p pickConstant) json(dst []byte, _ picked) ([]byte, error) {
	return row.AppendQuoted(dst, string(p)), nil
}
func (p pickConstant) time(picked) (int64, bool, error) { return readTime(string(p)) }

// pickColumn picks from a column, or from within its structs.
type pickColumn struct {
	spec string
	at   int
	path []int
	typ  row.Type
}

// find returns the column that holds the value, nil for NULL.
func (p *pickColumn) find(r picked) *row.Column {
	c := r.b.Columns[p.at]
	for _, k := range p.path {
		if c.IsNull(r.i) {
			return nil
		}
		c = c.Children[k]
	}
	if c.IsNull(r.i) {
		return nil
	}
	return c
}

func (p *pickColumn) text(dst []byte, r picked) ([]byte, bool, error) {
	c := p.find(r)
	if c == nil {
		return dst, false, nil
	}
	return row.AppendText(dst, c, r.i), true, nil
}

func (p *pickColumn) json(dst []byte, r picked) ([]byte, error) {
	c := p.find(r)
	if c == nil {
		return append(dst, "null"...), nil
	}
	return appenderOf(c.Type, "", nil, true)(dst, c, r.i)
}

func (p *pickColumn) time(r picked) (int64, bool, error) {
	c := p.find(r)
	if c == nil {
		return 0, false, nil
	}
	switch c.Type.Kind {
	case row.Timestamp, row.TimestampNTZ:
		return c.Ints[r.i], true, nil
	case row.Date:
		return c.Ints[r.i] * 86_400_000_000, true, nil
	}
	return readTime(string(row.AppendText(nil, c, r.i)))
}

func readTime(text string) (int64, bool, error) {
	micros, err := row.ParseTimestamp(text)
	if err != nil {
		return 0, false, errRow{fmt.Sprintf("%q is not a date", text)}
	}
	return micros, true, nil
}

// pickJSON picks from the document: names of objects and in the end of a value.
type pickJSON []string

// find returns the value's JSON, nil for none and null. Also a member with the
// whole dotted name is found.
func (p pickJSON) find(doc []byte) []byte {
	if v := member(doc, strings.Join(p, ".")); v != nil || len(p) == 1 {
		return v
	}
	for _, name := range p {
		if doc = member(doc, name); doc == nil {
			return nil
		}
	}
	return doc
}

// member returns the last member of an object with a name, nil for none and for
// null.
func member(doc []byte, name string) (found []byte) {
	quoted := row.AppendQuoted(nil, name)
	quoted = quoted[1 : len(quoted)-1]
	_, _ = members(doc, skipBlank(doc, 0), func(n []byte, i int) (int, error) {
		end, err := skipValue(doc, i)
		if err == nil && bytes.Equal(n, quoted) {
			if found = doc[i:end:end]; string(found) == "null" {
				found = nil
			}
		}
		return end, err
	})
	return found
}

func (p pickJSON) text(dst []byte, r picked) ([]byte, bool, error) {
	v := p.find(r.doc)
	switch {
	case v == nil:
		return dst, false, nil
	case v[0] == '"':
		dst, err := appendUnquoted(dst, v)
		return dst, true, err
	case v[0] == '{' || v[0] == '[':
		return dst, false, errRow{fmt.Sprintf("%s of the document is not a single value", strings.Join(p, "."))}
	}
	return append(dst, v...), true, nil
}

func (p pickJSON) json(dst []byte, r picked) ([]byte, error) {
	if v := p.find(r.doc); v != nil {
		return append(dst, v...), nil
	}
	return append(dst, "null"...), nil
}

func (p pickJSON) time(r picked) (int64, bool, error) {
	text, ok, err := p.text(nil, r)
	if !ok || err != nil {
		return 0, false, err
	}
	return readTime(string(text))
}

// namePick makes the name of an index of a row.
type namePick struct {
	name  esds.DynamicName
	parts []pick // nil for text
}

func newNamePick(name string, s row.Schema, input bool) (*namePick, error) {
	d, err := esds.ParseDynamicName(name)
	if err != nil {
		return nil, err
	}
	p := &namePick{name: d, parts: make([]pick, len(d.Parts))}
	for i, part := range d.Parts {
		if part.Field == "" {
			continue
		}
		var t row.Type
		if p.parts[i], t, err = newPick(part.Field, s, input); err != nil {
			return nil, err
		}
		if t.Nested() || t.Kind == row.Binary {
			return nil, fmt.Errorf("column %s of type %s cannot be part of the name of an index", part.Field, t)
		}
	}
	return p, nil
}

// append appends the name for a row.
func (p *namePick) append(dst []byte, r picked) ([]byte, error) {
	start := len(dst)
	for i, part := range p.name.Parts {
		if part.Field == "" {
			dst = append(dst, part.Text...)
			continue
		}
		var ok bool
		var err error
		if part.Format != "" {
			var micros int64
			if micros, ok, err = p.parts[i].time(r); ok {
				dst = part.AppendTime(dst, micros)
			}
		} else {
			dst, ok, err = p.parts[i].text(dst, r)
		}
		if err != nil {
			return dst, err
		}
		if !ok {
			return dst, errRow{fmt.Sprintf("column %s, which is part of the index's name, is NULL", part.Field)}
		}
	}
	if err := esds.CheckIndexName(string(dst[start:])); err != nil {
		return dst, errRow{fmt.Sprintf("no index can be named %q: %v", dst[start:], err)}
	}
	return dst, nil
}
