package session_test

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// record is a row by the names of its columns; NULL may be left out.
type record map[string]any

// rows is what a term is asked of: the rows of the aliases in scope.
type rows map[string]record

// term is an expression: as it is written, and what it is for given rows.
type term struct {
	text string
	kind kind
	eval func(rows) any
}

// holds reports whether a condition is true, neither false nor NULL.
func (t term) holds(r rows) bool { return t.eval(r) == true }

// field is a column of a table.
type field struct {
	name string
	kind kind
}

// side is a table that terms may name, under an alias; "" writes the columns bare.
type side struct {
	alias string
	cols  []field
}

// drawer draws terms and statements.
type drawer struct {
	r      *rapid.T
	source *sourceTable // that subqueries ask
	lake   bool         // it is the embedded lake
	within bool         // a subquery: there is no other in it
}

func (g drawer) chance(percent int) bool { return rapid.IntRange(0, 99).Draw(g.r, "chance") < percent }

func (g drawer) upto(n int) int { return rapid.IntRange(0, n).Draw(g.r, "number") }

func anyOf[T any](g drawer, name string, from []T) T {
	return from[rapid.IntRange(0, len(from)-1).Draw(g.r, name)]
}

func literal(k kind, v any) term {
	return term{spell(k, v), k, func(rows) any { return v }}
}

func (g drawer) literal(k kind) term {
	if g.chance(8) {
		return literal(k, nil)
	}
	return literal(k, anyOf(g, "literal", values[k]))
}

// column is a column of one of the sides with one of the kinds, or false.
func (g drawer) column(sides []side, kinds ...kind) (term, bool) {
	var found []term
	for _, s := range sides {
		for _, c := range s.cols {
			if slices.Contains(kinds, c.kind) {
				found = append(found, columnOf(s.alias, c))
			}
			for part, k := range partsOf(c) {
				if slices.Contains(kinds, k) {
					found = append(found, partOf(columnOf(s.alias, c), part, k))
				}
			}
		}
	}
	if len(found) == 0 {
		return term{}, false
	}
	return anyOf(g, "column", found), true
}

func columnOf(alias string, c field) term {
	text := c.name
	if alias != "" {
		text = alias + "." + c.name
	}
	return term{text, c.kind, func(r rows) any { return r[alias][c.name] }}
}

// partsOf are the fields of a struct.
func partsOf(c field) iter.Seq2[string, kind] {
	return func(yield func(string, kind) bool) {
		if c.kind == pairKind && yield("x", intKind) {
			yield("y", textKind)
		}
	}
}

func partOf(c term, part string, k kind) term {
	return term{c.text + "." + part, k, func(r rows) any {
		p, ok := c.eval(r).(pair)
		switch {
		case !ok:
			return nil
		case part == "x":
			return p.x
		}
		return p.y
	}}
}

// operand is a column where there is one, else a literal.
func (g drawer) operand(sides []side, k kind) term {
	if c, ok := g.column(sides, k); ok && g.chance(80) {
		return c
	}
	return g.literal(k)
}

// value is a term of a kind for the right side of an assignment.
func (g drawer) value(sides []side, k kind, depth int) term {
	if depth == 0 {
		return g.operand(sides, k)
	}
	switch g.upto(5) {
	case 0:
		return g.literal(k)
	case 1:
		a, b := g.value(sides, k, depth-1), g.value(sides, k, depth-1)
		return term{fmt.Sprintf("coalesce(%s, %s)", a.text, b.text), k, func(r rows) any {
			if v := a.eval(r); v != nil {
				return v
			}
			return b.eval(r)
		}}
	case 2:
		return g.choice(sides, k, depth)
	case 3:
		if t, ok := g.scalar(sides, k); ok {
			return t
		}
	case 4:
		return g.operand(sides, k)
	}
	return g.computed(sides, k)
}

// choice is a CASE.
func (g drawer) choice(sides []side, k kind, depth int) term {
	cond, a := g.condition(sides, depth-1), g.value(sides, k, depth-1)
	b, tail := literal(k, nil), ""
	if g.chance(70) {
		b = g.value(sides, k, depth-1)
		tail = " ELSE " + b.text
	}
	return term{fmt.Sprintf("CASE WHEN %s THEN %s%s END", cond.text, a.text, tail), k, func(r rows) any {
		if cond.holds(r) {
			return a.eval(r)
		}
		return b.eval(r)
	}}
}

// computed is what functions make of columns; a literal where there is nothing.
func (g drawer) computed(sides []side, k kind) term {
	a := g.operand(sides, k)
	switch k {
	case intKind, realKind, decKind:
		return sum(a, g.operand(sides, k))
	case longKind:
		return sum(a, g.operand(sides, anyOf(g, "beside", []kind{intKind, longKind})))
	case textKind:
		b := literal(textKind, anyOf(g, "tail", []any{"!", "x", "'", "", nil}))
		if c, ok := g.column(sides, intKind, longKind, boolKind, dayKind, decKind); ok && g.chance(40) {
			b = term{fmt.Sprintf("CAST(%s AS STRING)", c.text), textKind, func(r rows) any { return textOf(c.eval(r)) }}
		}
		return strict("concat(%s, %s)", k, func(x, y any) any { return x.(string) + y.(string) }, a, b)
	case boolKind:
		return g.condition(sides, 1)
	case tagsKind, numsKind:
		element := map[kind]kind{tagsKind: textKind, numsKind: intKind}[k]
		x, y := g.operand(sides, element), g.operand(sides, element)
		return term{fmt.Sprintf("array(%s, %s)", x.text, y.text), k, func(r rows) any { return []any{x.eval(r), y.eval(r)} }}
	}
	return a
}

// strict is a term that is NULL where an operand is.
func strict(format string, k kind, f func(x, y any) any, a, b term) term {
	return term{fmt.Sprintf(format, a.text, b.text), k, func(r rows) any {
		x, y := a.eval(r), b.eval(r)
		if x == nil || y == nil {
			return nil
		}
		return f(x, y)
	}}
}

// sum adds two numbers. Whole numbers that overflow are an error in eslake.
func sum(a, b term) term {
	return strict("%s + %s", a.kind, func(x, y any) any {
		switch x := x.(type) {
		case float64:
			return x + y.(float64)
		case dec:
			return x + y.(dec)
		}
		p, q := x.(int64), y.(int64)
		n := p + q
		if p > 0 && q > 0 && n < 0 || a.kind == intKind && b.kind == intKind && (n > math.MaxInt32 || n < math.MinInt32) {
			panic(errValue)
		}
		return n
	}, a, b)
}

// scalar is a subquery for one value, alone or of the row's key.
func (g drawer) scalar(sides []side, k kind) (term, bool) {
	c, ok := g.source.column(g, k)
	if !ok || k == tagsKind || k == numsKind || k == boolKind || k == pairKind {
		return term{}, false
	}
	where := func(rows, record) bool { return true }
	text := ""
	if key, found := keyOf(sides); found && g.chance(60) {
		text = " WHERE q.k = " + key.text
		where = func(r rows, q record) bool { v := key.eval(r); return v != nil && q["k"] == v }
	}
	return term{fmt.Sprintf("(SELECT max(q.%s) FROM %s q%s)", c.name, g.source.name, text), k, func(r rows) any {
		var most any
		for _, q := range g.source.records {
			if v := q[c.name]; v != nil && where(r, q) && (most == nil || order(v, most) > 0) {
				most = v
			}
		}
		return most
	}}, true
}

// keyOf is the key of the first side that has one, under its alias.
func keyOf(sides []side) (term, bool) {
	for _, s := range sides {
		for _, c := range s.cols {
			if c.name == "k" && s.alias != "" {
				return columnOf(s.alias, c), true
			}
		}
	}
	return term{}, false
}

// sourceTable is the table that statements read from. It does not change.
type sourceTable struct {
	name    string
	cols    []field
	records []record
}

func (s *sourceTable) column(g drawer, k kind) (field, bool) {
	var found []field
	for _, c := range s.cols {
		if c.kind == k {
			found = append(found, c)
		}
	}
	if len(found) == 0 {
		return field{}, false
	}
	return anyOf(g, "of the source", found), true
}

// names lists columns.
func names(cols []field) string {
	var list []string
	for _, c := range cols {
		list = append(list, c.name)
	}
	return strings.Join(list, ", ")
}
