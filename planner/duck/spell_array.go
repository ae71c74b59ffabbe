package duck

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// arraySpellings are templates as scalarSpellings are.
var arraySpellings = map[string]string{
	"array_size": "CAST(len($1) AS INTEGER)", "array_contains": "spark_array_contains($1, $2)", "array_position": "spark_array_position($1, $2)",
	"array_distinct": "spark_distinct($1)", "array_remove": "spark_array_remove($1, $2)", "array_append": "spark_array_append($1, $2)",
	"array_prepend": "spark_array_prepend($1, $2)",
	"array_compact": "list_filter($1, lambda e: e IS NOT NULL)", "array_union": "spark_array_union($1, $2)",
	"array_intersect": "spark_array_intersect($1, $2)", "array_except": "spark_array_except($1, $2)", "arrays_overlap": "spark_arrays_overlap($1, $2)",
	"array_join": "spark_join(list_filter($1, lambda e: e IS NOT NULL), $2)", "array_join/3": "spark_array_join($1, $2, $3)",
	"array_max": "list_max($1)", "array_min": "list_min($1)", "array_repeat": "spark_array_repeat($1, $2)",
	"array_sort": "list_sort($1, 'ASC', 'NULLS LAST')", "sort_array": "list_sort($1, 'ASC', 'NULLS FIRST')",
	"sort_array/2": "CASE WHEN $2 THEN list_sort($1, 'ASC', 'NULLS FIRST') ELSE list_sort($1, 'DESC', 'NULLS LAST') END",
	"flatten":      "CASE WHEN list_count($1) = len($1) THEN flatten($1) END",
	"map_keys":     "map_keys($1)", "map_values": "map_values($1)", "map_entries": "map_entries($1)", "map_from_arrays": "map($1, $2)",
	"map_contains_key": "list_contains(map_keys($1), $2)", "map_from_entries": "CASE WHEN list_count($1) = len($1) THEN map_from_entries($1) END",
	"str_to_map": "spark_str_to_map($1, ',', ':')", "str_to_map/2": "spark_str_to_map($1, $2, ':')", "str_to_map/3": "spark_str_to_map($1, $2, $3)",
}

// listed writes the functions of arrays.
func (s *speller) listed(name string, c *expr.Call) (string, bool) {
	switch name {
	case "array":
		if len(c.Args) == 0 || c.Args[0].Type().Kind == row.Void {
			return "CAST([" + strings.Join(s.exprs(c.Args), ", ") + "] AS " + TypeSQL(c.T) + ")", true
		}
		return "[" + strings.Join(s.exprs(c.Args), ", ") + "]", true
	case "size":
		return s.size(c), true
	case "element_at", "try_element_at":
		if c.Args[0].Type().Kind == row.Map {
			return s.mapValue(s.expr(c.Args[0]), c.Args[1]), true
		}
		return s.elementAt(c), true
	case "get":
		defer func(ansi bool) { s.ansi = ansi }(s.ansi)
		s.ansi = false
		return s.index(&expr.Index{Node: c.Node, X: c.Args[0], Key: c.Args[1]}), true
	case "arrays_zip":
		return s.arraysZip(c), true
	case "sequence":
		return s.sequence(c), true
	case "slice", "array_insert":
		return s.positioned(name, c), true
	case "transform", "filter", "exists", "forall", "aggregate", "zip_with":
		return s.higherOrder(name, c), true
	case "array_sort":
		if len(c.Args) == 2 {
			return s.sortedBy(c), true
		}
	case "shuffle":
		return s.unserved(c, "by the local engine"), true
	}
	template, ok := arraySpellings[fmt.Sprintf("%s/%d", name, len(c.Args))]
	if !ok {
		template, ok = arraySpellings[name]
	}
	if !ok {
		return "", false
	}
	return fill(template, s.exprs(c.Args), c.T), true
}

// sortedBy writes array_sort with a comparison: each element goes behind those
// that are not greater. A comparison that gives NULL is an error, as in Spark.
func (s *speller) sortedBy(c *expr.Call) string {
	x, acc, e, a := s.expr(c.Args[0]), s.variable(), s.variable(), s.variable()
	order := s.body(c.Args[1].(*expr.Lambda), a, e+"[1]")
	behind := fmt.Sprintf("CASE WHEN (%s) IS NULL THEN %s ELSE (%s) <= 0 END", order, s.raise(c, QuoteText("the comparison of array_sort gives NULL")), order)
	return fmt.Sprintf("CASE WHEN %s IS NOT NULL THEN list_reduce(list_concat([CAST([] AS %s)], list_transform(%s, lambda %s: [%s])), lambda %s, %s: "+
		"list_concat(list_concat(list_filter(%s, lambda %s: %s), %s), list_filter(%s, lambda %s: NOT %s))) END",
		x, TypeSQL(c.T), x, e, e, acc, e, acc, a, behind, e, acc, a, behind)
}

func (s *speller) size(c *expr.Call) string {
	x := s.expr(c.Args[0])
	switch kind := c.Args[0].Type().Kind; {
	case s.ansi && kind == row.Void:
		return "CAST(NULL AS INTEGER)"
	case s.ansi && kind == row.Map:
		return "CAST(cardinality(" + x + ") AS INTEGER)"
	case s.ansi:
		return "CAST(len(" + x + ") AS INTEGER)"
	case kind == row.Void:
		return "(-1)"
	case kind == row.Map:
		return "coalesce(CAST(cardinality(" + x + ") AS INTEGER), -1)"
	}
	return "coalesce(CAST(len(" + x + ") AS INTEGER), -1)"
}

func (s *speller) arraysZip(c *expr.Call) string {
	args := s.exprs(c.Args)
	if len(args) == 0 {
		return s.unserved(c, "without arguments")
	}
	v := s.variable()
	var lengths, fields, conditions []string
	for i, a := range args {
		lengths = append(lengths, "len("+a+")")
		conditions = append(conditions, a+" IS NOT NULL")
		fields = append(fields, fmt.Sprintf("%s := list_extract(%s, %s)", QuoteName(c.T.Elem.Fields[i].Name), a, v))
	}
	longest := lengths[0]
	if len(lengths) > 1 {
		longest = "greatest(" + strings.Join(lengths, ", ") + ")"
	}
	return fmt.Sprintf("CASE WHEN %s THEN list_transform(range(1, %s + 1), lambda %s: struct_pack(%s)) END",
		strings.Join(conditions, " AND "), longest, v, strings.Join(fields, ", "))
}

// positioned writes slice and array_insert: positions count from 1, or from the end.
func (s *speller) positioned(name string, c *expr.Call) string {
	args := s.exprs(c.Args)
	refused := ""
	if n, ok := expr.ConstantInt(c.Args[1]); !ok || n == 0 {
		refused += fmt.Sprintf(" WHEN %s = 0 THEN %s", args[1], s.raise(c, QuoteText(name+" counts positions from 1, or from -1 at the end; there is no 0")))
	}
	if n, ok := expr.ConstantInt(c.Args[2]); name == "slice" && (!ok || n < 0) {
		refused += fmt.Sprintf(" WHEN %s < 0 THEN %s", args[2], s.raise(c, QuoteText("slice cannot take "), args[2], QuoteText(" elements")))
	}
	text := "spark_" + name + "(" + strings.Join(args, ", ") + ")"
	if refused == "" {
		return text
	}
	return fmt.Sprintf("CASE WHEN %s IS NULL THEN NULL%s ELSE %s END", args[0], refused, text)
}

// sequence refuses a step that leads away from the end.
func (s *speller) sequence(c *expr.Call) string {
	args := s.exprs(c.Args)
	text := s.sequenceText(c, args)
	way := ""
	if len(args) == 3 {
		way = "sign(" + args[2] + ")"
		if !c.T.Elem.Integral() {
			way = intervalSign(c.Args[2])
		}
	}
	if way == "" {
		return text
	}
	shown := func(i int) string { return "CAST(" + args[i] + " AS VARCHAR)" }
	failed := s.raise(c, QuoteText("no sequence goes from "), shown(0), QuoteText(" to "), shown(1), QuoteText(" by "), shown(2))
	return fmt.Sprintf("CASE WHEN %[1]s = %[2]s AND %[3]s IS NOT NULL THEN CAST([%[1]s] AS %[4]s) WHEN %[1]s < %[2]s AND %[3]s < 1 OR %[1]s > %[2]s AND %[3]s > -1 THEN %[5]s ELSE %[6]s END",
		args[0], args[1], way, TypeSQL(c.T), failed, text)
}

// intervalSign returns 1, 0 or -1 of a constant interval, "" of others.
func intervalSign(e expr.Expr) string {
	l, ok := e.(*expr.Literal)
	if !ok {
		return ""
	}
	step, ok := l.Value.(expr.Interval)
	if !ok {
		return ""
	}
	const day = 24 * 60 * 60 * 1_000_000
	micros := (int64(step.Months)*30+int64(step.Days))*day + step.Micros
	return strconv.Itoa(cmp.Compare(micros, 0))
}

func (s *speller) sequenceText(c *expr.Call, args []string) string {
	whole := c.T.Elem.Integral()
	step := ""
	switch {
	case len(args) == 3:
		step = args[2]
	case whole:
		step = fmt.Sprintf("CASE WHEN %s <= %s THEN 1 ELSE -1 END", args[0], args[1])
	default:
		step = fmt.Sprintf("CASE WHEN %s <= %s THEN to_days(1) ELSE to_days(-1) END", args[0], args[1])
	}
	if c.T.Elem.Kind == row.Timestamp && s.zone != nil {
		t := row.IntervalOf(row.DayUnit, row.SecondUnit)
		if len(args) == 3 {
			t = c.Args[2].Type()
		}
		return s.zonedSequence(c, step, t)
	}
	if !whole {
		if text, ok := monthly(c, args); ok {
			return text
		}
		return fmt.Sprintf("CAST(generate_series(CAST(%s AS TIMESTAMP), CAST(%s AS TIMESTAMP), %s) AS %s)", args[0], args[1], step, TypeSQL(c.T))
	}
	return fmt.Sprintf("CAST(generate_series(CAST(%s AS BIGINT), CAST(%s AS BIGINT), CAST(%s AS BIGINT)) AS %s)", args[0], args[1], step, TypeSQL(c.T))
}

// monthly writes a sequence by months: each step starts from the first value, so
// that the end of a month stays one.
func monthly(c *expr.Call, args []string) (string, bool) {
	if len(c.Args) < 3 {
		return "", false
	}
	l, ok := c.Args[2].(*expr.Literal)
	if !ok {
		return "", false
	}
	step, ok := l.Value.(expr.Interval)
	if !ok || step.Months == 0 || step.Days != 0 || step.Micros != 0 {
		return "", false
	}
	sign, size := "<=", step.Months
	if step.Months < 0 {
		sign, size = ">=", -step.Months
	}
	return fmt.Sprintf("CAST(list_filter(list_transform(range(0, abs(date_diff('month', %s, %s)) // %d + 1), lambda i: %s + to_months(CAST(i * %d AS INTEGER))), lambda t: t %s %s) AS %s)",
		args[0], args[1], size, args[0], step.Months, sign, args[1], TypeSQL(c.T)), true
}

// higherOrder writes the functions that take a lambda over an array.
func (s *speller) higherOrder(name string, c *expr.Call) string {
	x := s.expr(c.Args[0])
	switch name {
	case "zip_with":
		y, v := s.expr(c.Args[1]), s.variable()
		body := s.body(c.Args[2].(*expr.Lambda), "list_extract("+x+", "+v+")", "list_extract("+y+", "+v+")")
		return fmt.Sprintf("CASE WHEN %s IS NOT NULL AND %s IS NOT NULL THEN list_transform(range(1, greatest(len(%s), len(%s)) + 1), lambda %s: %s) END", x, y, x, y, v, body)
	case "aggregate":
		return s.reduce(c, x)
	}
	l := c.Args[1].(*expr.Lambda)
	v, head := s.variable(), ""
	head = v
	params := []string{v}
	if len(l.Params) == 2 {
		i := s.variable()
		head += ", " + i
		params = append(params, "CAST("+i+" - 1 AS INTEGER)")
	}
	body := s.body(l, params...)
	switch name {
	case "filter":
		return fmt.Sprintf("list_filter(%s, lambda %s: %s)", x, head, body)
	case "exists", "forall":
		return fmt.Sprintf("spark_%s(list_transform(%s, lambda %s: %s))", name, x, head, body)
	}
	return fmt.Sprintf("list_transform(%s, lambda %s: %s)", x, head, body)
}

// reduce folds positions into the accumulator's type, so that it may differ from
// the elements'.
func (s *speller) reduce(c *expr.Call, x string) string {
	acc, v := s.variable(), s.variable()
	start := s.expr(c.Args[1])
	t := TypeSQL(c.Args[1].Type())
	merge := s.body(c.Args[2].(*expr.Lambda), "struct_extract("+acc+", 'a')", "struct_extract("+v+", 'e')")
	elem := TypeSQL(*c.Args[0].Type().Elem)
	item := s.variable()
	list := fmt.Sprintf("list_transform(%s, lambda %s: struct_pack(a := CAST(NULL AS %s), e := %s))", x, item, t, item)
	first := fmt.Sprintf("struct_pack(a := CAST(%s AS %s), e := CAST(NULL AS %s))", start, t, elem)
	text := fmt.Sprintf("CAST(struct_extract(list_reduce(%s, lambda %s, %s: struct_pack(a := CAST(%s AS %s), e := CAST(NULL AS %s)), %s), 'a') AS %s)",
		list, acc, v, merge, t, elem, first, t)
	if len(c.Args) == 4 {
		return "CAST(" + s.body(c.Args[3].(*expr.Lambda), text) + " AS " + TypeSQL(c.T) + ")"
	}
	return text
}
