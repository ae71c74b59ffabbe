package local

import (
	"fmt"
	"strings"

	"github.com/eslake/eslake/esds/duckdb"
	"github.com/eslake/eslake/sql/row"
)

// conversion spells how a stored value is read as another type. A value that
// does not fit ends the query with an *esds.ValueError, or is NULL when reading
// is lenient.
type conversion struct {
	index, field string
	lenient      bool
}

func (k conversion) convert(x string, from, to row.Type) string {
	switch {
	case same(from, to):
		return x
	case from.Kind == row.Array && to.Kind == row.Array:
		return fmt.Sprintf("list_transform(%s, lambda x: %s)", x, k.convert("x", *from.Elem, *to.Elem))
	case from.Kind == row.Struct && to.Kind == row.Struct:
		return k.structure(x, from, to)
	case to.Kind == row.String && (from.Kind != row.Array || from.Elem.Nested()):
		return k.text(x, from)
	case to.Kind == row.Array:
		return fmt.Sprintf("CASE WHEN %s IS NOT NULL THEN [%s] END", x, k.convert(x, from, *to.Elem))
	case from.Kind == row.Array:
		reason := fmt.Sprintf("a list of values does not fit %s: declare the column as ARRAY<%s>", to, to.SQL())
		values := "list_filter(" + x + ", lambda x: x IS NOT NULL)"
		return fmt.Sprintf("CASE WHEN len(%s) <= 1 THEN %s WHEN %s IS NOT NULL THEN %s END",
			values, k.convert(values+"[1]", *from.Elem, to), x, k.refuse(x, reason))
	case from.Kind == row.String && to.Nested(): // JSON that is kept as text
		kind := map[row.Kind]string{row.Struct: "OBJECT", row.Map: "OBJECT", row.Array: "ARRAY"}[to.Kind]
		text := fmt.Sprintf("CASE WHEN json_valid(%s) AND json_type(%s) = '%s' THEN %s::JSON END", x, x, kind, x)
		return k.tried(x, to, fmt.Sprintf("TRY_CAST(%s AS %s)", text, duckdb.TypeSQL(to)), "")
	case from.Nested() || to.Nested():
		return k.tried(x, to, fmt.Sprintf("TRY_CAST(to_json(%s) AS %s)", x, duckdb.TypeSQL(to)), "")
	}
	return k.scalar(x, from, to)
}

func (k conversion) structure(x string, from, to row.Type) string {
	parts := make([]string, len(to.Fields))
	for i, f := range to.Fields {
		value := "NULL::" + duckdb.TypeSQL(f.Type)
		if j := from.Fields.Index(f.Name); j >= 0 {
			inner := k
			inner.field += "." + f.Name
			value = inner.convert(fmt.Sprintf("struct_extract(%s, %s)", x, duckdb.Text(from.Fields[j].Name)), from.Fields[j].Type, f.Type)
		}
		parts[i] = duckdb.Name(f.Name) + " := " + value
	}
	return fmt.Sprintf("CASE WHEN %s IS NOT NULL THEN struct_pack(%s) END", x, strings.Join(parts, ", "))
}

// text is a value as a document's JSON shows it, text without quotes.
func (k conversion) text(x string, from row.Type) string {
	switch from.Kind {
	case row.Timestamp, row.TimestampNTZ:
		return timestampText(x)
	case row.Binary:
		return "to_base64(" + x + ")"
	case row.Array, row.Map, row.Struct:
		return "to_json(" + forJSON(x, from) + ")::VARCHAR"
	}
	return "CAST(" + x + " AS VARCHAR)"
}

// scalar converts numbers only when nothing is lost, and text only when all of
// it is a value of the type.
func (k conversion) scalar(x string, from, to row.Type) string {
	try, fits := fmt.Sprintf("TRY_CAST(%s AS %s)", x, duckdb.TypeSQL(to)), ""
	switch {
	case to.Integral() && (from.Kind == row.Float || from.Kind == row.Double || from.Kind == row.Decimal):
		fits = fmt.Sprintf("%s = trunc(%[1]s)", x)
	case to.Integral() && from.Kind == row.String:
		fits = fmt.Sprintf("regexp_full_match(%s, '[+-]?[0-9]+')", x)
	case to.Kind == row.Decimal && from.Kind == row.Double:
		try = fmt.Sprintf("TRY_CAST(CAST(%s AS VARCHAR) AS %s)", x, duckdb.TypeSQL(to))
		fits = fmt.Sprintf("CAST(%s AS DOUBLE) = %s", try, x)
	case to.Kind == row.Decimal && from.Kind == row.Decimal && from.Scale > to.Scale:
		fits = fmt.Sprintf("%s = %s", try, x)
	case to.Kind == row.Decimal && from.Kind == row.String:
		fits = fmt.Sprintf("TRY_CAST(%s AS DECIMAL(38,18)) IS NOT DISTINCT FROM TRY_CAST(%s AS DECIMAL(38,18))", x, try)
	case isTime(to) && from.Kind == row.String:
		try = fmt.Sprintf("CAST(TRY_CAST(%s AS TIMESTAMPTZ) AS %s)", x, duckdb.TypeSQL(to))
	case isTime(to) && from.Integral(): // milliseconds, as dates without a format are
		try = fmt.Sprintf("CAST(make_timestamp(CAST(%s AS BIGINT) * 1000) AS %s)", x, duckdb.TypeSQL(to))
	case from.Kind == row.Boolean, to.Kind == row.Boolean && from.Kind != row.String:
		try = "NULL::" + duckdb.TypeSQL(to)
	}
	return k.tried(x, to, try, fits)
}

func isTime(t row.Type) bool {
	return t.Kind == row.Date || t.Kind == row.Timestamp || t.Kind == row.TimestampNTZ
}

// tried wraps a conversion that is NULL for what it cannot convert.
func (k conversion) tried(x string, to row.Type, try, fits string) string {
	if fits != "" {
		try = fmt.Sprintf("CASE WHEN %s THEN %s END", fits, try)
	}
	if k.lenient {
		return try
	}
	return fmt.Sprintf("CASE WHEN %s IS NULL THEN NULL WHEN (%s) IS NULL THEN %s ELSE %[2]s END", x, try, k.refuse(x, "does not fit "+to.String()))
}

func (k conversion) refuse(x, reason string) string {
	if k.lenient {
		return "NULL"
	}
	return duckdb.ValueErrorSQL(k.index, `"_id"`, k.field, x, reason)
}
