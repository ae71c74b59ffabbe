package session_test

import (
	"fmt"
	"slices"
	"strings"
)

// condition is a random predicate over the columns of some sides, with the three
// values of SQL: true, false and nil.
func (g drawer) condition(sides []side, depth int) term {
	if depth > 0 {
		switch g.upto(4) {
		case 0:
			a, b := g.condition(sides, depth-1), g.condition(sides, depth-1)
			return term{fmt.Sprintf("(%s AND %s)", a.text, b.text), boolKind, func(r rows) any { return both(a.eval(r), b.eval(r)) }}
		case 1:
			a, b := g.condition(sides, depth-1), g.condition(sides, depth-1)
			return term{fmt.Sprintf("(%s OR %s)", a.text, b.text), boolKind, func(r rows) any { return either(a.eval(r), b.eval(r)) }}
		case 2:
			return negated(g.condition(sides, depth-1))
		}
	}
	return g.predicate(sides)
}

func negated(a term) term {
	return term{fmt.Sprintf("NOT (%s)", a.text), boolKind, func(r rows) any { return not(a.eval(r)) }}
}

func not(v any) any {
	if v == nil {
		return nil
	}
	return v == false
}

func both(a, b any) any {
	switch {
	case a == false || b == false:
		return false
	case a == nil || b == nil:
		return nil
	}
	return true
}

func either(a, b any) any { return not(both(not(a), not(b))) }

// ordered are the kinds that are compared.
var ordered = []kind{intKind, longKind, textKind, realKind, decKind, boolKind, dayKind, stampKind}

func (g drawer) predicate(sides []side) term {
	if !g.within && g.chance(10) {
		return g.subquery(sides)
	}
	a, ok := g.column(sides, append([]kind{tagsKind, numsKind, pairKind}, ordered...)...)
	if !ok {
		return literal(boolKind, g.chance(50))
	}
	if a.kind == pairKind || g.chance(20) {
		return nullness(a, g.chance(50))
	}
	if a.kind == tagsKind || a.kind == numsKind {
		return g.contains(a)
	}
	if a.kind == boolKind && g.chance(40) {
		return a
	}
	b := g.literal(a.kind)
	if g.chance(25) {
		b = g.operand(sides, a.kind)
	}
	switch g.upto(8) {
	case 0:
		return g.among(a)
	case 1:
		return g.between(a)
	case 2:
		return term{fmt.Sprintf("%s <=> %s", a.text, b.text), boolKind, func(r rows) any { x, y := a.eval(r), b.eval(r); return x == y }}
	case 3:
		if a.kind == intKind {
			return comparison(sum(a, literal(intKind, int64(1))), b, anyOf(g, "operator", operators))
		}
	case 4:
		if a.kind == textKind {
			return g.like(a)
		}
	case 5: // nothing that an index could answer
		if a.kind == textKind {
			a = strict("concat(%s, %s)", textKind, func(x, y any) any { return x.(string) + y.(string) }, a, literal(textKind, ""))
		}
	}
	return comparison(a, b, anyOf(g, "operator", operators))
}

func nullness(a term, is bool) term {
	word := "IS NULL"
	if !is {
		word = "IS NOT NULL"
	}
	return term{a.text + " " + word, boolKind, func(r rows) any { return (a.eval(r) == nil) == is }}
}

var operators = []string{"=", "<>", "<", "<=", ">", ">="}

func comparison(a, b term, operator string) term {
	return strict("%s "+operator+" %s", boolKind, func(x, y any) any {
		n := order(x, y)
		switch operator {
		case "=":
			return n == 0
		case "<>":
			return n != 0
		case "<":
			return n < 0
		case "<=":
			return n <= 0
		case ">":
			return n > 0
		}
		return n >= 0
	}, a, b)
}

func (g drawer) among(a term) term {
	list := []term{g.literal(a.kind), g.literal(a.kind), g.literal(a.kind)}
	var texts []string
	for _, t := range list {
		texts = append(texts, t.text)
	}
	return term{fmt.Sprintf("%s IN (%s)", a.text, strings.Join(texts, ", ")), boolKind, func(r rows) any {
		var found any = false
		for _, t := range list {
			found = either(found, comparison(a, t, "=").eval(r))
		}
		return found
	}}
}

func (g drawer) between(a term) term {
	low, high := g.literal(a.kind), g.literal(a.kind)
	return term{fmt.Sprintf("%s BETWEEN %s AND %s", a.text, low.text, high.text), boolKind, func(r rows) any {
		return both(comparison(a, low, ">=").eval(r), comparison(a, high, "<=").eval(r))
	}}
}

func (g drawer) like(a term) term {
	part := anyOf(g, "part", []string{"a", "b", "it", "long", "%"})
	text, f := fmt.Sprintf("%s LIKE '%s%%'", a.text, part), func(s string) bool { return part == "%" || strings.HasPrefix(s, part) }
	if g.chance(40) {
		text, f = fmt.Sprintf("%s LIKE '%%%s'", a.text, part), func(s string) bool { return part == "%" || strings.HasSuffix(s, part) }
	}
	return term{text, boolKind, func(r rows) any {
		s, ok := a.eval(r).(string)
		if !ok {
			return nil
		}
		return f(s)
	}}
}

func (g drawer) contains(a term) term {
	var x any = "a"
	element := textKind
	if a.kind == numsKind {
		x, element = int64(1), intKind
	}
	return term{fmt.Sprintf("array_contains(%s, %s)", a.text, spell(element, x)), boolKind, func(r rows) any {
		list, ok := a.eval(r).([]any)
		switch {
		case !ok:
			return nil
		case slices.Contains(list, x):
			return true
		case slices.Contains(list, nil):
			return nil
		}
		return false
	}}
}

// subquery is IN or EXISTS over the source.
func (g drawer) subquery(sides []side) term {
	key, ok := keyOf(sides)
	if !ok {
		return literal(boolKind, true)
	}
	inner := side{"q", g.source.cols}
	where := drawer{r: g.r, source: g.source, within: true}.condition([]side{inner}, 0)
	found := func(r rows, more func(record) any) any {
		var any any = false
		for _, q := range g.source.records {
			if where.holds(rows{"q": q}) {
				any = either(any, more(q))
			}
		}
		return any
	}
	same := func(r rows) func(record) any {
		return func(q record) any {
			return comparison(key, columnOf("q", field{"k", key.kind}), "=").eval(rows{"q": q, aliasOf(key): r[aliasOf(key)]})
		}
	}
	if g.chance(60) {
		t := term{fmt.Sprintf("%s IN (SELECT q.k FROM %s q WHERE %s)", key.text, g.source.name, where.text), boolKind, func(r rows) any { return found(r, same(r)) }}
		if g.chance(40) {
			t = term{strings.Replace(t.text, " IN ", " NOT IN ", 1), boolKind, func(r rows) any { return not(found(r, same(r))) }}
		}
		return t
	}
	text := fmt.Sprintf("EXISTS (SELECT 1 FROM %s q WHERE q.k = %s AND %s)", g.source.name, key.text, where.text)
	return term{text, boolKind, func(r rows) any { return found(r, same(r)) == true }}
}

// aliasOf is the alias of a column's name.
func aliasOf(c term) string { alias, _, _ := strings.Cut(c.text, "."); return alias }
