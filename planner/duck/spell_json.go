package duck

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// jsonic writes the functions of JSON.
func (s *speller) jsonic(name string, c *expr.Call) (string, bool) {
	switch name {
	case "get_json_object":
		return s.jsonObject(c), true
	case "json_object_keys":
		return "spark_json_keys(" + s.expr(c.Args[0]) + ")", true
	case "to_json":
		if !s.writeOptions(c, 1, "ignorenullfields", "dateformat", "timestampformat") {
			return "NULL", true
		}
		defer func() { s.options = nil }()
		return keepType(s.toJSON(s.expr(c.Args[0]), c.Args[0].Type()), c), true
	case "from_json":
		if !s.writeOptions(c, 2, "dateformat", "timestampformat") {
			return "NULL", true
		}
		defer func() { s.options = nil }()
		text := s.fromJSON(s.expr(c.Args[0]), c.T)
		if isConstant(c) { // the engine would forget the type of a NULL
			text = "CAST(" + text + " AS " + TypeSQL(c.T) + ")"
		}
		return text, true
	case "to_csv":
		return s.toCSV(c), true
	case "from_csv":
		return s.fromCSV(c), true
	case "schema_of_csv":
		return s.schemaOfCSV(c), true
	case "schema_of_json":
		return s.schemaOfJSON(c), true
	}
	return "", false
}

// writeOptions takes the options of a call from its constant map at the given
// argument; false when it is none, or has others than the known.
func (s *speller) writeOptions(c *expr.Call, at int, known ...string) bool {
	s.options = nil
	if len(c.Args) <= at {
		return true
	}
	m, ok := c.Args[at].(*expr.Call)
	if !ok || m.Func != "map" {
		s.unserved(c, "with options that are no constant map")
		return false
	}
	s.options = map[string]string{}
	for i := 0; i+1 < len(m.Args); i += 2 {
		key, isKey := expr.ConstantText(m.Args[i])
		value, isValue := expr.ConstantText(m.Args[i+1])
		if !isKey || !isValue {
			s.unserved(c, "with options that are no constants")
			return false
		}
		if !slices.Contains(known, strings.ToLower(key)) {
			s.unserved(c, "with the option "+key)
			return false
		}
		s.options[strings.ToLower(key)] = value
	}
	return true
}

// jsonPath quotes the names of a path: $['a b'].c[0] becomes $."a b"."c"[0].
func jsonPath(path string) string {
	var b strings.Builder
	rest, ok := strings.CutPrefix(path, "$")
	if !ok {
		return path
	}
	b.WriteByte('$')
	for rest != "" {
		switch {
		case strings.HasPrefix(rest, "['"):
			end := strings.Index(rest, "']")
			if end < 0 {
				return path
			}
			b.WriteString(`."` + rest[2:end] + `"`)
			rest = rest[end+2:]
		case rest[0] == '.':
			end := strings.IndexAny(rest[1:], ".[") + 1
			if end == 0 {
				end = len(rest)
			}
			b.WriteString(`."` + rest[1:end] + `"`)
			rest = rest[end:]
		default:
			end := strings.IndexByte(rest, ']') + 1
			if end == 0 {
				return path
			}
			b.WriteString(rest[:end])
			rest = rest[end:]
		}
	}
	return b.String()
}

func (s *speller) jsonObject(c *expr.Call) string {
	path, ok := expr.ConstantText(c.Args[1])
	if !ok {
		return s.unserved(c, "without a constant path")
	}
	x, p := s.expr(c.Args[0]), QuoteText(jsonPath(path))
	if !strings.Contains(path, "*") {
		return fmt.Sprintf("CASE WHEN json_valid(%s) THEN json_extract_string(%s, %s) END", x, x, p)
	}
	return fmt.Sprintf("CASE WHEN json_valid(%s) THEN spark_json_matches(json_extract(%s, %s)) END", x, x, p)
}

// fromJSON reads a JSON text: fields whose values are of another type are NULL,
// and so are all fields of text that is no JSON.
func (s *speller) fromJSON(x string, t row.Type) string {
	read := fmt.Sprintf("CASE WHEN json_valid(%s) THEN CAST(%s AS JSON) END", x, x)
	switch {
	case t.Kind == row.Struct:
		read = "spark_json_record(" + x + ")"
	case t.Kind == row.Array && t.Elem.Kind == row.Struct:
		read = "spark_json_records(" + x + ")"
	}
	v := s.variable()
	return fmt.Sprintf("list_extract(list_transform([CAST(%s AS JSON)], lambda %s: %s), 1)", read, v, s.jsonValue(v, t))
}

// jsonValue reads a value of type JSON.
func (s *speller) jsonValue(j string, t row.Type) string {
	kind := "json_type(" + j + ")"
	when := func(kinds, value string) string {
		return "CASE WHEN " + kind + " IN (" + kinds + ") THEN " + value + " END"
	}
	switch t.Kind {
	case row.Struct:
		parts := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			parts[i] = s.jsonValue(fmt.Sprintf("json_extract(%s, spark_json_pointer(%s))", j, QuoteText(f.Name)), f.Type)
		}
		return when("'OBJECT'", structOf(t.Fields, parts))
	case row.Array:
		v := s.variable()
		return when("'ARRAY'", s.allOrNone(fmt.Sprintf("list_transform(json_extract(%s, '$[*]'), lambda %s: struct_pack(j := %s, v := %s))", j, v, v, s.jsonValue(v, *t.Elem)), "v"))
	case row.Map:
		v := s.variable()
		value := s.jsonValue(fmt.Sprintf("json_extract(%s, spark_json_pointer(%s))", j, v), *t.Elem)
		entry := fmt.Sprintf("struct_pack(j := json_extract(%s, spark_json_pointer(%s)), v := struct_pack(key := %s, value := %s))", j, v, v, value)
		return when("'OBJECT'", "map_from_entries("+s.allOrNone(fmt.Sprintf("list_transform(spark_distinct(json_keys(%s)), lambda %s: %s)", j, v, entry), "v.value")+")")
	case row.Boolean:
		return when("'BOOLEAN'", "CAST("+j+" AS BOOLEAN)")
	case row.TinyInt, row.SmallInt, row.Int, row.BigInt:
		return when("'BIGINT', 'UBIGINT'", "TRY_CAST(CAST("+j+" AS VARCHAR) AS "+TypeSQL(t)+")")
	case row.Float, row.Double:
		text := fmt.Sprintf("json_extract_string(%s, '$')", j)
		return fmt.Sprintf("CASE WHEN %s IN ('BIGINT', 'UBIGINT', 'DOUBLE') OR %s = 'VARCHAR' AND %s IN ('NaN', 'Infinity', '+Infinity', '-Infinity', 'INF', '+INF', '-INF') THEN TRY_CAST(%s AS %s) END",
			kind, kind, text, text, TypeSQL(t))
	case row.Decimal:
		return when("'BIGINT', 'UBIGINT', 'DOUBLE'", digitsToDecimal("CAST("+j+" AS VARCHAR)", t))
	case row.String:
		return fmt.Sprintf("json_extract_string(%s, '$')", j)
	case row.Binary:
		return when("'VARCHAR'", fmt.Sprintf("spark_unbase64(json_extract_string(%s, '$'))", j))
	}
	text := fmt.Sprintf("json_extract_string(%s, '$')", j)
	return when("'VARCHAR'", s.readTime(text, t))
}

// readTime reads the text of a time, by the pattern that the options of the call give.
func (s *speller) readTime(text string, t row.Type) string {
	pattern := func(option string) expr.Expr {
		return &expr.Literal{Node: expr.Node{T: row.StringType}, Value: s.options[option]}
	}
	switch {
	case t.Kind == row.Timestamp && s.options["timestampformat"] != "":
		return s.parsed(text, pattern("timestampformat"))
	case t.Kind == row.Date && s.options["dateformat"] != "":
		return "CAST(" + s.wall(s.parsed(text, pattern("dateformat"))) + " AS DATE)"
	}
	return s.cast(text, row.StringType, t, nil)
}

// allOrNone is the list of the values v of pairs of JSON and value, NULL when a value
// is NULL that JSON has: an array or a map with what is no such value is none, as in Spark.
func (s *speller) allOrNone(pairs, value string) string {
	l, p := s.variable(), s.variable()
	bad := fmt.Sprintf("list_filter(%s, lambda %s: json_type(%s.j) <> 'NULL' AND %s.%s IS NULL)", l, p, p, p, value)
	return fmt.Sprintf("list_transform([%s], lambda %s: CASE WHEN len(%s) = 0 THEN list_transform(%s, lambda %s: %s.v) END)[1]", pairs, l, bad, l, p, p)
}

// toJSON writes a value as Spark does: fields that are NULL are left out.
func (s *speller) toJSON(x string, t row.Type) string {
	switch t.Kind {
	case row.Struct:
		parts := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			name, _ := json.Marshal(f.Name)
			value := s.toJSON("struct_extract("+x+", "+QuoteText(f.Name)+")", f.Type)
			if strings.EqualFold(s.options["ignorenullfields"], "false") {
				value = "coalesce(" + value + ", 'null')"
			}
			parts[i] = QuoteText(string(name)+":") + " || " + value
		}
		return fmt.Sprintf("CASE WHEN %s IS NOT NULL THEN '{' || concat_ws(',', %s) || '}' END", x, strings.Join(parts, ", "))
	case row.Array:
		v := s.variable()
		return fmt.Sprintf("('[' || array_to_string(list_transform(%s, lambda %s: coalesce(%s, 'null')), ',') || ']')", x, v, s.toJSON(v, *t.Elem))
	case row.Map:
		v := s.variable()
		key := s.toText("struct_extract("+v+", 'key')", *t.Key)
		value := s.toJSON("struct_extract("+v+", 'value')", *t.Elem)
		return fmt.Sprintf("('{' || array_to_string(list_transform(map_entries(%s), lambda %s: CAST(to_json(%s) AS VARCHAR) || ':' || coalesce(%s, 'null')), ',') || '}')", x, v, key, value)
	case row.String:
		return "CAST(to_json(" + x + ") AS VARCHAR)"
	case row.Date:
		if p := s.options["dateformat"]; p != "" {
			return "CAST(to_json(" + s.formatted(s.startOfDay(x), QuoteText(p)) + ") AS VARCHAR)"
		}
		return `('"' || CAST(` + x + ` AS VARCHAR) || '"')`
	case row.Timestamp:
		if p := s.options["timestampformat"]; p != "" {
			return "CAST(to_json(" + s.formatted(x, QuoteText(p)) + ") AS VARCHAR)"
		}
		if s.zone != nil {
			return `('"' || ` + s.formatted(x, QuoteText("yyyy-MM-dd'T'HH:mm:ss.SSSXXX")) + ` || '"')`
		}
		return `('"' || strftime(` + x + `, '%Y-%m-%dT%H:%M:%S.%gZ') || '"')`
	case row.TimestampNTZ:
		return `('"' || strftime(` + x + `, '%Y-%m-%dT%H:%M:%S.%g') || '"')`
	case row.Binary:
		return `('"' || base64(` + x + `) || '"')`
	}
	return s.toText(x, t)
}

// schemaOfJSON reads the constant here.
func (s *speller) schemaOfJSON(c *expr.Call) string {
	text, _ := expr.ConstantText(c.Args[0])
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var v any
	if len(c.Args) > 1 || dec.Decode(&v) != nil {
		return s.unserved(c, "for this text")
	}
	return QuoteText(typeOfJSON(v))
}

func typeOfJSON(v any) string {
	switch v := v.(type) {
	case map[string]any:
		var parts []string
		for _, k := range sortedKeys(v) {
			parts = append(parts, row.QuoteName(k)+": "+typeOfJSON(v[k]))
		}
		return "STRUCT<" + strings.Join(parts, ", ") + ">"
	case []any:
		if len(v) == 0 {
			return "ARRAY<STRING>"
		}
		return "ARRAY<" + typeOfJSON(v[0]) + ">"
	case json.Number:
		if _, err := v.Int64(); err == nil {
			return "BIGINT"
		}
		return "DOUBLE"
	case bool:
		return "BOOLEAN"
	}
	return "STRING"
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
