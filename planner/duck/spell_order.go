package duck

import (
	"fmt"
	"strings"

	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// SpellOrder writes a key of ORDER BY, without its direction.
func SpellOrder(e expr.Expr, m Mode, name func(*expr.Column) string, query func(*expr.Subquery) (string, error)) (string, error) {
	s := &speller{name: name, query: query, ansi: m.ANSI, zone: m.Zone}
	text := s.orderKey(s.expr(e), e.Type())
	return text, s.err
}

// orderKey is a value that sorts as Spark sorts x: NULL within an array or a
// struct comes first, where the engine puts it last.
func (s *speller) orderKey(x string, t row.Type) string {
	inner := func(v string, t row.Type) string {
		return fmt.Sprintf("struct_pack(a := %s IS NOT NULL, b := %s)", v, s.orderKey(v, t))
	}
	switch t.Kind {
	case row.Array:
		v := s.variable()
		return fmt.Sprintf("list_transform(%s, lambda %s: %s)", x, v, inner(v, *t.Elem))
	case row.Struct:
		if len(t.Fields) == 0 {
			return x
		}
		parts := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			parts[i] = fmt.Sprintf("f%d := %s", i, inner("struct_extract("+x+", "+QuoteText(f.Name)+")", f.Type))
		}
		return fmt.Sprintf("CASE WHEN %s IS NOT NULL THEN struct_pack(%s) END", x, strings.Join(parts, ", "))
	}
	return x
}

// orderWords is what follows a key of ORDER BY: Spark sorts NULLs first when
// ascending and last when descending.
func orderWords(o expr.Order) string {
	first, text := !o.Desc, " ASC"
	if o.Desc {
		text = " DESC"
	}
	if o.NullsFirst != nil {
		first = *o.NullsFirst
	}
	if first {
		return text + " NULLS FIRST"
	}
	return text + " NULLS LAST"
}

// keyOf is the orderKey of any expression: what is no name is computed once.
func (s *speller) keyOf(x string, t row.Type) string {
	if !nested(t) {
		return x
	}
	return s.once(x, func(v string) string { return s.orderKey(v, t) })
}

// once is what f makes of an expression that it names more than once: it is computed
// once, also when it is another value each time, as rand() is.
func (s *speller) once(x string, f func(v string) string) string {
	v := s.variable()
	return fmt.Sprintf("list_transform([%s], lambda %s: %s)[1]", x, v, f(v))
}

// nested reports whether NULLs may stand within what is ordered.
func nested(t row.Type) bool { return t.Kind == row.Array || t.Kind == row.Struct }

// ordered writes the comparisons of nested values, and the functions that order them.
func (s *speller) ordered(name string, c *expr.Call) (string, bool) {
	if len(c.Args) == 0 || !nested(c.Args[0].Type()) {
		return "", false
	}
	t := c.Args[0].Type()
	switch name {
	case "<", "<=", ">", ">=":
		return fmt.Sprintf("(%s %s %s)", s.keyOf(s.expr(c.Args[0]), t), name, s.keyOf(s.expr(c.Args[1]), t)), true
	case "between":
		return fmt.Sprintf("(%s BETWEEN %s AND %s)", s.keyOf(s.expr(c.Args[0]), t), s.keyOf(s.expr(c.Args[1]), t), s.keyOf(s.expr(c.Args[2]), t)), true
	case "greatest", "least":
		return s.extreme("["+strings.Join(s.exprs(c.Args), ", ")+"]", t, name == "greatest"), true
	}
	if t.Kind != row.Array || !nested(*t.Elem) {
		return "", false
	}
	switch name {
	case "array_max", "array_min":
		return s.extreme(s.expr(c.Args[0]), *t.Elem, name == "array_max"), true
	case "array_sort":
		return s.sortedList(s.expr(c.Args[0]), *t.Elem, "ASC", "IS NULL"), len(c.Args) == 1
	case "sort_array":
		up := s.sortedList(s.expr(c.Args[0]), *t.Elem, "ASC", "IS NOT NULL")
		if len(c.Args) == 1 {
			return up, true
		}
		return fmt.Sprintf("CASE WHEN %s THEN %s ELSE %s END", s.expr(c.Args[1]), up, s.sortedList(s.expr(c.Args[0]), *t.Elem, "DESC", "IS NOT NULL")), true
	}
	return "", false
}

// extreme is the greatest or least element of a list, NULLs left out.
func (s *speller) extreme(list string, t row.Type, greatest bool) string {
	way, v := "ASC", s.variable()
	if greatest {
		way = "DESC"
	}
	list = fmt.Sprintf("list_filter(%s, lambda %s: %s IS NOT NULL)", list, v, v)
	return "list_extract(" + s.sortedList(list, t, way, "IS NULL") + ", 1)"
}

// sortedList sorts a list by keys of its elements; before them counts what a condition
// says of each.
func (s *speller) sortedList(list string, t row.Type, way, condition string) string {
	v, p := s.variable(), s.variable()
	pairs := fmt.Sprintf("list_transform(%s, lambda %s: struct_pack(a := %s %s, k := %s, v := %s))", list, v, v, condition, s.orderKey(v, t), v)
	q := s.variable() // the engine would take a constant NULL for one without a type
	return fmt.Sprintf("list_transform(list_transform([%s], lambda %s: list_sort(%s, '%s'))[1], lambda %s: struct_extract(%s, 'v'))", pairs, q, q, way, p, p)
}

// greatestArgs gives max, min, max_by and min_by of nested values the keys to order
// them by.
func (s *speller) greatestArgs(name *string, c *expr.Call, args []string) []string {
	switch *name {
	case "max", "min":
		if nested(c.Args[0].Type()) {
			*name += "_nested"
			return []string{args[0], s.keyOf(args[0], c.Args[0].Type())}
		}
	case "max_by", "min_by":
		return []string{args[0], s.keyOf(args[1], c.Args[1].Type())}
	}
	return args
}
