package duckdb

import (
	"fmt"
	"strings"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/eslake/eslake/sql/row"
)

// String names the type as DuckDB's SQL does, roughly: for messages.
func (l logical) String() string {
	switch l.id {
	case bindings.TypeDecimal:
		return fmt.Sprintf("DECIMAL(%d,%d)", l.width, l.scale)
	case bindings.TypeList, bindings.TypeArray:
		return l.children[0].String() + "[]"
	case bindings.TypeMap:
		return "MAP(" + l.children[0].String() + ", " + l.children[1].String() + ")"
	case bindings.TypeStruct:
		parts := make([]string, len(l.children))
		for i, child := range l.children {
			parts[i] = l.names[i] + " " + child.String()
		}
		return "STRUCT(" + strings.Join(parts, ", ") + ")"
	case bindings.TypeVarchar:
		return "VARCHAR"
	case bindings.TypeTimestamp:
		return "TIMESTAMP"
	}
	if t, ok := plainTypes[l.id]; ok {
		return strings.ToUpper(t.String())
	}
	return fmt.Sprintf("number %d", l.id)
}

// newNestedCopier serves ARRAY, MAP and STRUCT. Fields of a struct go by
// position.
func newNestedCopier(from logical, want row.Type) (copier, error) {
	bad := fmt.Errorf("DuckDB's type %s cannot be read as %s", from, want)
	switch {
	case want.Kind == row.Array && (from.id == bindings.TypeList || from.id == bindings.TypeArray):
		elem, err := newCopier(from.children[0], *want.Elem)
		if err != nil {
			return nil, err
		}
		if from.id == bindings.TypeArray {
			return arrayCopier(elem, from.width), nil
		}
		return listCopier(elem), nil
	case want.Kind == row.Map && from.id == bindings.TypeMap:
		key, err := newCopier(from.children[0], *want.Key)
		if err != nil {
			return nil, err
		}
		value, err := newCopier(from.children[1], *want.Elem)
		if err != nil {
			return nil, err
		}
		return mapCopier(key, value), nil
	case want.Kind == row.Struct && from.id == bindings.TypeStruct && len(from.children) == len(want.Fields):
		fields := make([]copier, len(from.children))
		for i, child := range from.children {
			var err error
			if fields[i], err = newCopier(child, want.Fields[i].Type); err != nil {
				return nil, err
			}
		}
		return structCopier(fields), nil
	}
	return nil, bad
}

// entry is DuckDB's duckdb_list_entry.
type entry struct{ offset, length uint64 }

func listCopier(elem copier) copier {
	return func(c *row.Column, v vector, start, end int) error {
		child := newVector(bindings.ListVectorGetChild(v.handle))
		for i, e := range values[entry](v, end)[start:] {
			if v.null(start + i) {
				c.AppendNull()
				continue
			}
			if err := elem(c.Children[0], child, int(e.offset), int(e.offset+e.length)); err != nil {
				return err
			}
			c.EndNested()
		}
		return nil
	}
}

func arrayCopier(elem copier, size int) copier {
	return func(c *row.Column, v vector, start, end int) error {
		child := newVector(bindings.ArrayVectorGetChild(v.handle))
		for i := start; i < end; i++ {
			if v.null(i) {
				c.AppendNull()
				continue
			}
			if err := elem(c.Children[0], child, i*size, (i+1)*size); err != nil {
				return err
			}
			c.EndNested()
		}
		return nil
	}
}

func mapCopier(key, value copier) copier {
	return func(c *row.Column, v vector, start, end int) error {
		pairs := bindings.ListVectorGetChild(v.handle)
		keys := newVector(bindings.StructVectorGetChild(pairs, 0))
		items := newVector(bindings.StructVectorGetChild(pairs, 1))
		for i, e := range values[entry](v, end)[start:] {
			if v.null(start + i) {
				c.AppendNull()
				continue
			}
			if err := key(c.Children[0], keys, int(e.offset), int(e.offset+e.length)); err != nil {
				return err
			}
			if err := value(c.Children[1], items, int(e.offset), int(e.offset+e.length)); err != nil {
				return err
			}
			c.EndNested()
		}
		return nil
	}
}

// structCopier goes field by field where no struct is NULL, else value by value.
func structCopier(fields []copier) copier {
	return func(c *row.Column, v vector, start, end int) error {
		children := make([]vector, len(fields))
		for k := range fields {
			children[k] = newVector(bindings.StructVectorGetChild(v.handle, bindings.IdxT(k)))
		}
		step := end - start
		if v.valid != nil {
			step = 1
		}
		for i := start; i < end; i += step {
			if v.null(i) {
				c.AppendNull()
				continue
			}
			for k, field := range fields {
				if err := field(c.Children[k], children[k], i, i+step); err != nil {
					return err
				}
			}
			for range step {
				c.EndNested()
			}
		}
		return nil
	}
}
