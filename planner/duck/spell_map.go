package duck

import (
	"fmt"
	"strings"

	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// mapped writes the functions of maps and structs.
func (s *speller) mapped(name string, c *expr.Call) (string, bool) {
	switch name {
	case "map":
		return s.mapOf(c), true
	case "map_concat":
		return s.mapConcat(c), true
	case "map_filter", "transform_keys", "transform_values":
		return s.mapEntries(name, c), true
	case "map_zip_with":
		return s.mapZip(c), true
	case "struct":
		return structOf(c.T.Fields, s.exprs(c.Args)), true
	case "named_struct":
		var values []string
		for i := 1; i < len(c.Args); i += 2 {
			values = append(values, s.expr(c.Args[i]))
		}
		return structOf(c.T.Fields, values), true
	}
	return "", false
}

func structOf(fields row.Schema, values []string) string {
	parts := make([]string, len(values))
	for i, v := range values {
		parts[i] = QuoteName(fields[i].Name) + " := " + v
	}
	return "struct_pack(" + strings.Join(parts, ", ") + ")"
}

func (s *speller) mapOf(c *expr.Call) string {
	if len(c.Args) == 0 {
		return "CAST(MAP {} AS " + TypeSQL(c.T) + ")"
	}
	var keys, values []string
	for i, x := range s.exprs(c.Args) {
		if i%2 == 0 {
			keys = append(keys, x)
		} else {
			values = append(values, x)
		}
	}
	return fmt.Sprintf("CAST(map([%s], [%s]) AS %s)", strings.Join(keys, ", "), strings.Join(values, ", "), TypeSQL(c.T))
}

// mapConcat makes the map of its entries, so that a key that comes twice is an error.
func (s *speller) mapConcat(c *expr.Call) string {
	args := s.exprs(c.Args)
	switch len(args) {
	case 0:
		return "CAST(MAP {} AS " + TypeSQL(c.T) + ")"
	case 1:
		return args[0]
	}
	conditions := make([]string, len(args))
	for i, a := range args {
		conditions[i] = a + " IS NOT NULL"
	}
	return "CASE WHEN " + strings.Join(conditions, " AND ") + " THEN map_from_entries(list_concat(map_entries(" + strings.Join(args, "), map_entries(") + "))) END"
}

// mapEntries writes the lambdas over a map as lambdas over its entries.
func (s *speller) mapEntries(name string, c *expr.Call) string {
	v := s.variable()
	key, value := "struct_extract("+v+", 'key')", "struct_extract("+v+", 'value')"
	entries := "map_entries(" + s.expr(c.Args[0]) + ")"
	body := s.body(c.Args[1].(*expr.Lambda), key, value)
	switch name {
	case "map_filter":
		return fmt.Sprintf("map_from_entries(list_filter(%s, lambda %s: %s))", entries, v, body)
	case "transform_keys":
		key = body
	default:
		value = body
	}
	return fmt.Sprintf("map_from_entries(list_transform(%s, lambda %s: struct_pack(key := %s, value := %s)))", entries, v, key, value)
}

func (s *speller) mapZip(c *expr.Call) string {
	a, b, v := s.expr(c.Args[0]), s.expr(c.Args[1]), s.variable()
	body := s.body(c.Args[2].(*expr.Lambda), v, "map_extract_value("+a+", "+v+")", "map_extract_value("+b+", "+v+")")
	return fmt.Sprintf("map_from_entries(list_transform(spark_array_union(map_keys(%s), map_keys(%s)), lambda %s: struct_pack(key := %s, value := %s)))", a, b, v, v, body)
}

// SpellGenerator writes a typed generator as an expression whose value is a list
// of structs, one for each row that it makes, with the fields of
// expr.GeneratorColumns. With outer, as LATERAL VIEW OUTER and the functions named
// so ask for, nothing becomes one NULL.
func SpellGenerator(c *expr.Call, m Mode, outer bool, name func(*expr.Column) string, query func(*expr.Subquery) (string, error)) (string, error) {
	s := &speller{name: name, query: query, ansi: m.ANSI, zone: m.Zone}
	cols, err := expr.GeneratorColumns(c)
	if err != nil {
		return "", err
	}
	base, isOuter := strings.CutSuffix(strings.ToLower(c.Func), "_outer")
	list := s.generated(base, c, cols)
	if outer || isOuter {
		null := "CAST(NULL AS " + TypeSQL(row.Type{Kind: row.Struct, Fields: cols}) + ")"
		list = fmt.Sprintf("CASE WHEN len(%s) > 0 THEN %s ELSE [%s] END", list, list, null)
	}
	return list, s.err
}

func (s *speller) generated(name string, c *expr.Call, cols row.Schema) string {
	switch name {
	case "stack":
		return s.stacked(c, cols)
	case "json_tuple":
		x := s.expr(c.Args[0])
		values := make([]string, len(cols))
		for i, key := range c.Args[1:] {
			values[i] = fmt.Sprintf("spark_json_field(%s, %s)", x, s.expr(key))
		}
		return "[" + structOf(cols, values) + "]"
	case "inline":
		return s.expr(c.Args[0])
	case "timewindows":
		return s.timeWindows(c)
	}
	x, v, i := s.expr(c.Args[0]), s.variable(), s.variable()
	values := []string{v}
	if c.Args[0].Type().Kind == row.Map {
		x = "map_entries(" + x + ")"
		values = []string{"struct_extract(" + v + ", 'key')", "struct_extract(" + v + ", 'value')"}
	}
	if name == "posexplode" {
		values = append([]string{"CAST(" + i + " - 1 AS INTEGER)"}, values...)
	}
	return fmt.Sprintf("list_transform(%s, lambda %s, %s: %s)", x, v, i, structOf(cols, values))
}

func (s *speller) stacked(c *expr.Call, cols row.Schema) string {
	var rows []string
	values := c.Args[1:]
	for start := 0; start < len(values); start += len(cols) {
		cells := make([]string, len(cols))
		for k, f := range cols {
			cells[k] = "CAST(NULL AS " + TypeSQL(f.Type) + ")"
			if start+k < len(values) {
				cells[k] = s.expr(expr.Convert(values[start+k], f.Type))
			}
		}
		rows = append(rows, structOf(cols, cells))
	}
	return "[" + strings.Join(rows, ", ") + "]"
}
