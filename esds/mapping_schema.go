package esds

import (
	"slices"
	"strings"

	"github.com/eslake/eslake/sql/row"
)

// SchemaOf returns the columns of a mapping in the order of its fields. Kinds
// that have no type of SQL (geo_shape, flattened, …) are STRING and hold the
// field's JSON.
func SchemaOf(fields []Field) row.Schema { return schemaUnder("", fields) }

// schemaUnder returns the columns of the fields whose paths begin with prefix. A
// name may hold dots: that of a runtime field, or one of an object that keeps
// dots in names.
func schemaUnder(prefix string, fields []Field) row.Schema {
	schema := make(row.Schema, 0, len(fields))
	for _, f := range fields {
		schema = append(schema, row.Field{Name: f.Path[len(prefix):], Type: f.typeIn(fields)})
	}
	return schema
}

func (f Field) children() row.Schema { return schemaUnder(f.Path+".", f.Children) }

// Type returns the type that the field has as a column.
func (f Field) Type() row.Type { return f.typeIn(nil) }

func (f Field) typeIn(top []Field) row.Type {
	switch {
	case f.Clash != "":
		return row.StringType
	case f.Hint.Kind != row.Void:
		return f.hinted(f.Hint)
	}
	switch f.Kind {
	case "object", "passthrough":
		if f.Disabled || len(f.Children) == 0 {
			return row.StringType
		}
		return row.Type{Kind: row.Struct, Fields: f.children()}
	case "nested":
		if len(f.Children) == 0 {
			return row.StringType
		}
		return row.ArrayType(row.Type{Kind: row.Struct, Fields: f.children()})
	case "alias":
		if target := Find(top, f.Alias); target != nil && target.Kind != "alias" {
			return target.Type()
		}
		return row.StringType
	}
	if t := compoundType(f.Kind); t.Kind != row.Void {
		return t
	}
	return scalarType(f.Kind)
}

// compoundType returns the type of a kind whose one value has parts, Void for
// other kinds.
func compoundType(kind string) row.Type {
	switch kind {
	case "geo_point":
		return structOf(row.DoubleType, "lat", "lon")
	case "join":
		return structOf(row.StringType, "name", "parent")
	case "dense_vector", "knn_vector":
		return row.ArrayType(row.FloatType)
	case "rank_features", "sparse_vector":
		return row.MapType(row.StringType, row.DoubleType)
	case "histogram":
		return row.StructType(row.Field{Name: "values", Type: row.ArrayType(row.DoubleType)}, row.Field{Name: "counts", Type: row.ArrayType(row.BigIntType)})
	case "aggregate_metric_double":
		t := structOf(row.DoubleType, "min", "max", "sum")
		t.Fields = append(t.Fields, row.Field{Name: "value_count", Type: row.BigIntType})
		return t
	}
	if of := RangeOf(kind); of != "" {
		return structOf(scalarType(of), "gte", "gt", "lte", "lt")
	}
	return row.Type{}
}

func structOf(t row.Type, names ...string) row.Type {
	var fields row.Schema
	for _, name := range names {
		fields = append(fields, row.Field{Name: name, Type: t})
	}
	return row.StructType(fields...)
}

// RangeOf returns the kind of the bounds of a kind of ranges, "" for others.
func RangeOf(kind string) string {
	of, isRange := strings.CutSuffix(kind, "_range")
	switch {
	case !isRange:
	case of == "integer", of == "long", of == "float", of == "double", of == "date", of == "ip":
		return of
	}
	return ""
}

// hinted returns the type that eslake wrote the field with. A struct's fields
// come from the mapping, so that fields added since are there.
func (f Field) hinted(t row.Type) row.Type {
	switch t.Kind {
	case row.Array:
		return row.ArrayType(f.hinted(*t.Elem))
	case row.Struct:
		return row.Type{Kind: row.Struct, Fields: f.children()}
	}
	return t
}

func scalarType(kind string) row.Type {
	switch kind {
	case "boolean":
		return row.BooleanType
	case "byte":
		return row.TinyIntType
	case "short":
		return row.SmallIntType
	case "integer", "token_count":
		return row.IntType
	case "long":
		return row.BigIntType
	case "unsigned_long":
		return row.DecimalType(20, 0)
	case "half_float", "float":
		return row.FloatType
	case "double", "scaled_float", "rank_feature":
		return row.DoubleType
	case "date", "date_nanos":
		return row.TimestampType
	case "binary":
		return row.BinaryType
	}
	return row.StringType
}

// ReadFields returns the fields that become columns as the options of a table
// say: es.read.source.filter, es.read.field.include and exclude, arrays by
// es.read.field.as.array.include and exclude, and dates as text by
// es.mapping.date.rich.
func ReadFields(fields []Field, opts Options) []Field {
	if parts := opts.List("es.read.source.filter"); len(parts) > 0 {
		fields = filterFields(fields, parts, nil)
	}
	include, exclude := opts.List("es.read.field.include"), opts.List("es.read.field.exclude")
	if len(include) > 0 || len(exclude) > 0 {
		fields = filterFields(fields, include, exclude)
	}
	if !opts.Bool("es.mapping.date.rich") {
		fields = plainDates(fields)
	}
	arrays := opts.List("es.read.field.as.array.include")
	if len(arrays) == 0 {
		return fields
	}
	depths := map[string]int{}
	for _, a := range arrays {
		path, depth, _ := strings.Cut(a, ":")
		depths[path] = max(1, atoi(depth))
	}
	for _, path := range opts.List("es.read.field.as.array.exclude") {
		delete(depths, path)
	}
	return asArrays(fields, depths)
}

func filterFields(fields []Field, include, exclude []string) []Field {
	var kept []Field
	for _, f := range fields {
		if MatchNames(exclude, f.Path) {
			continue
		}
		f = clone(f)
		if len(include) == 0 || MatchNames(include, f.Path) {
			f.Children = filterFields(f.Children, nil, exclude)
			kept = append(kept, f)
			continue
		}
		if f.Children = filterFields(f.Children, include, exclude); len(f.Children) > 0 {
			kept = append(kept, f)
		}
	}
	return kept
}

// plainDates gives dates the type STRING: they read as the documents spell them.
func plainDates(fields []Field) []Field {
	fields = slices.Clone(fields)
	for i := range fields {
		f := &fields[i]
		f.Children = plainDates(f.Children)
		if f.Kind != "date" && f.Kind != "date_nanos" {
			continue
		}
		t := row.StringType
		for hint := f.Hint; hint.Kind == row.Array; hint = *hint.Elem {
			t = row.ArrayType(t)
		}
		f.Hint = t
	}
	return fields
}

func asArrays(fields []Field, depths map[string]int) []Field {
	fields = slices.Clone(fields)
	for i := range fields {
		f := &fields[i]
		f.Children = asArrays(f.Children, depths)
		depth := depths[f.Path]
		if depth == 0 {
			continue
		}
		t := f.Type()
		for t.Kind == row.Array {
			t = *t.Elem
		}
		for range depth {
			t = row.ArrayType(t)
		}
		f.Hint = t
	}
	return fields
}

// MatchNames reports whether a name is among the patterns, in which * stands for
// any text.
func MatchNames(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return matchName(p, name) })
}

func matchName(pattern, name string) bool {
	head, rest, star := strings.Cut(pattern, "*")
	if !star {
		return name == pattern
	}
	name, ok := strings.CutPrefix(name, head)
	if !ok {
		return false
	}
	for {
		part, more, star := strings.Cut(rest, "*")
		if !star {
			return strings.HasSuffix(name, part)
		}
		i := strings.Index(name, part)
		if i < 0 {
			return false
		}
		name, rest = name[i+len(part):], more
	}
}

func atoi(s string) int {
	n := 0
	for _, c := range s {
		if c < '0' || c > '9' {
			return 0
		}
		n = n*10 + int(c-'0')
	}
	return n
}
