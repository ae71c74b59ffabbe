package local

import (
	"fmt"
	"strings"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/esds/duckdb"
	"github.com/eslake/eslake/sql/row"
)

// found is where a path leads within a table.
type found struct {
	sql string
	typ row.Type
}

// find follows a path: a column, or a dotted path through structs. Through an
// array of structs it gives the array of the fields.
func (m *stored) find(path string) (found, bool) {
	switch path {
	case "_id":
		return found{`"_id"`, row.StringType}, true
	case "_seq_no", "_version":
		return found{duckdb.Name(path), row.BigIntType}, true
	case "_primary_term":
		return found{"1::BIGINT", row.BigIntType}, true
	case "_index":
		return found{duckdb.Text(m.name), row.StringType}, true
	case "_score":
		return found{"NULL::DOUBLE", row.DoubleType}, true // as a cluster, which scores no scan
	case "_routing":
		return found{"NULL::VARCHAR", row.StringType}, true
	case "_source":
		return found{m.document(), row.StringType}, true
	}
	if f := esds.Find(m.fields, path); f != nil && f.Kind == "alias" && f.Alias != path {
		path = f.Alias
	}
	for end := len(path); end > 0; end = strings.LastIndexByte(path[:end], '.') {
		if i := m.columns.Index(path[:end]); i >= 0 {
			at := found{duckdb.Name(m.columns[i].Name), m.columns[i].Type}
			if end == len(path) {
				return at, true
			}
			return at.field(path[end+1:])
		}
	}
	return found{}, false
}

// field follows the rest of a path.
func (x found) field(path string) (found, bool) {
	if x.typ.Kind == row.Array {
		inner, ok := found{"x", *x.typ.Elem}.field(path)
		if !ok {
			return found{}, false
		}
		return found{fmt.Sprintf("list_transform(%s, lambda x: %s)", x.sql, inner.sql), row.ArrayType(inner.typ)}, true
	}
	if x.typ.Kind != row.Struct {
		return found{}, false
	}
	for end := len(path); end > 0; end = strings.LastIndexByte(path[:end], '.') {
		i := x.typ.Fields.Index(path[:end])
		if i < 0 {
			continue
		}
		f := x.typ.Fields[i]
		at := found{fmt.Sprintf("struct_extract(%s, %s)", x.sql, duckdb.Text(f.Name)), f.Type}
		if end == len(path) {
			return at, true
		}
		return at.field(path[end+1:])
	}
	return found{}, false
}

// column spells a wanted column: as it is stored, converted, or NULL when the
// index lacks it.
func (x *index) column(m *stored, f row.Field) string {
	at, ok := m.find(f.Name)
	if !ok {
		return "NULL::" + duckdb.TypeSQL(f.Type)
	}
	if x.opts.Bool("es.read.field.empty.as.null") && at.typ.Kind == row.String && !strings.HasPrefix(f.Name, "_") {
		at.sql = "nullif(" + at.sql + ", '')"
	}
	if same(at.typ, f.Type) {
		return at.sql
	}
	k := conversion{index: m.name, field: f.Name, lenient: x.opts.Bool("eslake.read.lenient")}
	return k.convert(at.sql, at.typ, f.Type)
}

// same reports whether DuckDB has one type for both.
func same(a, b row.Type) bool { return duckdb.TypeSQL(a) == duckdb.TypeSQL(b) }

// document spells the document as JSON text: the fields that are not NULL, and
// those that were written as null.
func (m *stored) document() string {
	parts := make([]string, 0, len(m.columns)+1)
	for _, f := range m.columns {
		name, quoted := duckdb.Name(f.Name), duckdb.Text(string(row.AppendQuoted(nil, f.Name)))
		parts = append(parts, fmt.Sprintf("CASE WHEN %s IS NOT NULL THEN ',' || %s || ':' || %s WHEN list_contains(_null, %s) THEN ',' || %s || ':null' ELSE '' END",
			name, quoted, m.member(name, f), duckdb.Text(f.Name), quoted))
	}
	parts = append(parts, m.unplaced())
	return "'{' || substr(" + strings.Join(parts, " || ") + ", 2) || '}'"
}

// unplaced spells the fields that were written as null and have no column, since no
// document has a value of them.
func (m *stored) unplaced() string {
	names := make([]string, len(m.columns))
	for i, f := range m.columns {
		names[i] = duckdb.Text(f.Name)
	}
	return fmt.Sprintf("CASE WHEN _null IS NULL THEN '' ELSE array_to_string(list_transform(list_sort(list_distinct(list_filter(_null, lambda x: NOT list_contains([%s]::VARCHAR[], x)))), lambda x: ',' || to_json(x)::VARCHAR || ':null'), '') END",
		strings.Join(names, ", "))
}

// member spells the JSON of a value as a document holds it. JSON that is kept as
// text goes as it is.
func (m *stored) member(name string, f row.Field) string {
	if f.Type.Kind == row.String {
		if field := esds.Find(m.fields, f.Name); field != nil && !esds.ExactText(field.Kind) {
			return fmt.Sprintf("CASE WHEN json_valid(%s) THEN %[1]s ELSE to_json(%[1]s)::VARCHAR END", name)
		}
	}
	return fmt.Sprintf("to_json(%s)::VARCHAR", forJSON(name, f.Type))
}

// forJSON gives dates, timestamps and bytes the text that documents have.
func forJSON(x string, t row.Type) string {
	switch t.Kind {
	case row.Timestamp, row.TimestampNTZ:
		return timestampText(x)
	case row.Binary:
		return "to_base64(" + x + ")"
	case row.Float: // the shortest digits of the float, not of the double that it becomes
		return "CAST(CAST(" + x + " AS VARCHAR) AS DOUBLE)"
	case row.Array:
		if inner := forJSON("x", *t.Elem); inner != "x" {
			return fmt.Sprintf("list_transform(%s, lambda x: %s)", x, inner)
		}
	case row.Struct:
		parts, changed := make([]string, len(t.Fields)), false
		for i, f := range t.Fields {
			field := fmt.Sprintf("struct_extract(%s, %s)", x, duckdb.Text(f.Name))
			inner := forJSON(field, f.Type)
			changed = changed || inner != field
			parts[i] = duckdb.Name(f.Name) + " := " + inner
		}
		if changed {
			return fmt.Sprintf("CASE WHEN %s IS NOT NULL THEN struct_pack(%s) END", x, strings.Join(parts, ", "))
		}
	}
	return x
}

// timestampText spells a timestamp as row.AppendText does.
func timestampText(x string) string {
	return fmt.Sprintf("strftime(%s, '%%Y-%%m-%%dT%%H:%%M:%%S') || rtrim(rtrim(strftime(%[1]s, '.%%f'), '0'), '.') || 'Z'", x)
}
