package elastic

import (
	"fmt"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

// array reads a list; a value alone is a list of one.
func (d decoding) array(t row.Type, f *esds.Field) decode {
	elem := d.decoder(*t.Elem, f)
	point := f != nil && f.Kind == "geo_point"
	return func(c *row.Column, raw []byte) error {
		switch {
		case raw[0] == 'n':
			c.AppendNull()
			return nil
		case raw[0] == '[' && (!point || !isPair(raw)):
			err := eachElement(raw, func(v []byte) error {
				if v[0] == 'n' {
					c.Children[0].AppendNull()
					return nil
				}
				return elem(c.Children[0], v)
			})
			if err != nil {
				return err
			}
		default:
			if err := elem(c.Children[0], raw); err != nil {
				return err
			}
		}
		c.EndNested()
		return nil
	}
}

func (d decoding) mapping(t row.Type) decode {
	value := d.decoder(*t.Elem, nil)
	return single(func(c *row.Column, raw []byte) error {
		if raw[0] != '{' {
			return fmt.Errorf("is not of type %s", t)
		}
		err := eachMember(raw, func(name, v []byte) error {
			key, err := appendUnquoted(nil, append(append([]byte{'"'}, name...), '"'))
			if err != nil {
				return err
			}
			if err := row.ParseText(c.Children[0], string(key)); err != nil {
				return err
			}
			if v[0] == 'n' {
				c.Children[1].AppendNull()
				return nil
			}
			return value(c.Children[1], v)
		})
		if err != nil {
			return err
		}
		c.EndNested()
		return nil
	})
}

// members returns the names of a struct's fields as the documents have them, what
// decodes each, and those that have one value for all documents.
func (d decoding) members(t row.Type, f *esds.Field) (names []string, fields []decode, constants []*esds.Field) {
	names, fields, constants = make([]string, len(t.Fields)), make([]decode, len(t.Fields)), make([]*esds.Field, len(t.Fields))
	for i, field := range t.Fields {
		child := childOf(f, field.Name)
		if names[i] = field.Name; child != nil {
			names[i] = child.Path[len(f.Path)+1:]
		}
		if child != nil && len(child.Constants) > 0 && d.constant != nil {
			constants[i] = child
		}
		fields[i] = d.decoder(field.Type, child)
	}
	return names, fields, constants
}

func (d decoding) structure(t row.Type, f *esds.Field) decode {
	names, fields, constants := d.members(t, f)
	x := newExtractor(names)
	return func(c *row.Column, raw []byte) error {
		if raw[0] != '{' {
			return fmt.Errorf("is not of type %s", t)
		}
		if _, err := x.find(raw, 0); err != nil {
			return err
		}
		for i, v := range x.found {
			if v == nil && constants[i] != nil {
				v = d.constant(constants[i])
			}
			if v == nil || v[0] == 'n' {
				c.Children[i].AppendNull()
				continue
			}
			if err := fields[i](c.Children[i], v); err != nil {
				return fmt.Errorf("%s: %w", names[i], err)
			}
		}
		c.EndNested()
		return nil
	}
}

// childOf returns a field of an object, nil for one that the mapping lacks.
func childOf(f *esds.Field, name string) *esds.Field {
	if f == nil {
		return nil
	}
	if of := esds.RangeOf(f.Kind); of != "" {
		return &esds.Field{Path: f.Path + "." + name, Kind: of, Format: f.Format}
	}
	return esds.Find(f.Children, f.Path+"."+name)
}
