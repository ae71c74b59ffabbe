package local

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/esds/duckdb"
	"github.com/eslake/eslake/sql/row"
)

// extend gives the index the fields that the rows bring and it lacks, unless its
// mapping is strict: then rows that hold such a field, noted in strict, are refused
// later.
func (t *transaction) extend(ctx context.Context, old *stored, table string, brought row.Schema, strict map[string]bool) (*stored, error) {
	columns := append(row.Schema{}, old.columns...)
	var fresh row.Schema // what the mapping gains
	for _, f := range brought {
		f.Type = storedType(f.Type)
		head, wider, known := widen(old, columns, f)
		if known {
			continue
		}
		if old.dynamic == "strict" && esds.Find(old.fields, f.Name) == nil {
			strict[f.Name] = true
			continue
		}
		if i := columns.Index(head); i >= 0 {
			columns[i].Type = wider
		} else {
			columns = append(columns, row.Field{Name: head, Type: wider})
		}
		if old.dynamic != "false" {
			fresh = append(fresh, row.Field{Name: head, Type: wider})
		}
	}
	sql := alterSQL(table, old, columns)
	if sql == "" {
		return old, nil
	}
	def := old.def
	if len(fresh) > 0 {
		var err error
		if def.Mappings, err = extendMapping(old.def.Mappings, fresh); err != nil {
			return nil, err
		}
	}
	next, err := newStored(old.name, def, columns)
	if err != nil {
		return nil, err
	}
	next.identity = old.identity
	return next, t.exec(ctx, "%s", sql+next.saveSQL(t.source.table(metaTable)))
}

// widen returns the column that a field of a row belongs to and the type that it
// needs to hold it; known when it holds it already.
func widen(x *stored, columns row.Schema, f row.Field) (head string, wider row.Type, known bool) {
	if i := columns.Index(f.Name); i >= 0 {
		have := columns[i].Type
		wider = unite(have, f.Type, keepsJSON(x, f.Name))
		return columns[i].Name, wider, same(have, wider)
	}
	head, rest, dotted := strings.Cut(f.Name, ".")
	if !dotted || head == "" || rest == "" {
		return f.Name, f.Type, false
	}
	inner := row.StructType(row.Field{Name: rest, Type: f.Type})
	for strings.Contains(inner.Fields[0].Name, ".") { // a.b.c is an object in an object
		name, rest, _ := strings.Cut(inner.Fields[0].Name, ".")
		inner = row.StructType(row.Field{Name: name, Type: row.StructType(row.Field{Name: rest, Type: inner.Fields[0].Type})})
		return widen(x, columns, row.Field{Name: head, Type: nest(inner)})
	}
	return widen(x, columns, row.Field{Name: head, Type: inner})
}

// nest takes dotted names of a struct's fields apart.
func nest(t row.Type) row.Type {
	f := t.Fields[0]
	if f.Type.Kind == row.Struct && len(f.Type.Fields) == 1 {
		name, rest, dotted := strings.Cut(f.Type.Fields[0].Name, ".")
		if dotted {
			f.Type = nest(row.StructType(row.Field{Name: name, Type: row.StructType(row.Field{Name: rest, Type: f.Type.Fields[0].Type})}))
		}
	}
	return row.StructType(f)
}

// keepsJSON reports whether a text column holds JSON of any form.
func keepsJSON(x *stored, name string) bool {
	f := esds.Find(x.fields, name)
	return f != nil && f.Type().Kind == row.String && !esds.ExactText(f.Kind)
}

// unite returns the type of have with the fields, and the list, that more has.
func unite(have, more row.Type, json bool) row.Type {
	switch {
	case have.Kind == row.Array && more.Kind == row.Array:
		return row.ArrayType(unite(*have.Elem, *more.Elem, json))
	case have.Kind == row.Array:
		return row.ArrayType(unite(*have.Elem, more, json))
	case more.Kind == row.Array && !json && have.Kind != row.Map:
		return row.ArrayType(unite(have, *more.Elem, json))
	case have.Kind == row.Struct && more.Kind == row.Struct:
		fields := append(row.Schema{}, have.Fields...)
		for _, f := range more.Fields {
			if i := fields.Index(f.Name); i >= 0 {
				fields[i].Type = unite(fields[i].Type, f.Type, json)
			} else {
				fields = append(fields, f)
			}
		}
		return row.StructType(fields...)
	}
	return have
}

// alterSQL changes the table from the old columns to the new ones.
func alterSQL(table string, old *stored, columns row.Schema) string {
	var sql strings.Builder
	for i, f := range columns {
		name := duckdb.Name(f.Name)
		switch {
		case i >= len(old.columns):
			fmt.Fprintf(&sql, "ALTER TABLE %s ADD COLUMN %s %s; ", table, name, duckdb.TypeSQL(f.Type))
		case !same(old.columns[i].Type, f.Type):
			value := conversion{index: old.name, field: f.Name}.convert(name, old.columns[i].Type, f.Type)
			fmt.Fprintf(&sql, "ALTER TABLE %s ALTER COLUMN %s SET DATA TYPE %s USING %s; ", table, name, duckdb.TypeSQL(f.Type), value)
		}
	}
	return sql.String()
}

// extendMapping adds fields to a mapping; what is there stays as it is.
func extendMapping(mapping []byte, fresh row.Schema) ([]byte, error) {
	added, err := esds.MappingOf(fresh, nil)
	if err != nil {
		return nil, err
	}
	have, more := map[string]any{}, map[string]any{}
	if len(mapping) > 0 {
		if err := json.Unmarshal(mapping, &have); err != nil {
			return nil, err
		}
	}
	if err := json.Unmarshal(added, &more); err != nil {
		return nil, err
	}
	if inner, ok := have["mappings"].(map[string]any); ok {
		have = inner
	}
	graft(have, more)
	return json.Marshal(have)
}

// graft adds to have what more has besides. The types in _meta are those of more,
// since they tell the whole column.
func graft(have, more map[string]any) {
	for name, v := range more {
		inner, isObject := v.(map[string]any)
		known, wasObject := have[name].(map[string]any)
		switch {
		case isObject && wasObject && name == "types":
			for path, t := range inner {
				known[path] = t
			}
		case isObject && wasObject:
			graft(known, inner)
		case have[name] == nil:
			have[name] = v
		}
	}
}
