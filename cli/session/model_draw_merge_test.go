package session_test

import (
	"fmt"
	"slices"
	"strings"
)

func (g drawer) merge(t *modelTable) change {
	table, cols := g.target(t)
	from, source := g.mergeSource(t)
	target, given := side{"t", cols}, side{"s", t.cols}
	m := merging{source: source, on: g.on(target, given)}
	var texts []string
	star := table == t.name
	add := func(kind string, most int, make func(kind string, star bool) (when, string)) {
		for i, n := 0, g.upto(most); i < n; i++ {
			w, text := make(kind, star)
			if i+1 < n || g.chance(40) {
				c := g.condition(sidesOf(kind, target, given), 1)
				w.cond, kind = &c, w.kind
				texts = append(texts, fmt.Sprintf("%s AND %s THEN %s", w.kind, c.text, text))
			} else {
				texts = append(texts, fmt.Sprintf("%s THEN %s", w.kind, text))
			}
			m.whens = append(m.whens, w)
		}
	}
	add(whenMatched, 3, func(kind string, star bool) (when, string) { return g.updating(kind, star, target, given) })
	add(whenMissing, 2, func(kind string, star bool) (when, string) { return g.inserting(t, star, cols, given) })
	add(whenLeft, 2, func(kind string, _ bool) (when, string) { return g.updating(kind, false, target, given) })
	if len(m.whens) == 0 {
		w, text := g.inserting(t, star, cols, given)
		m.whens, texts = append(m.whens, w), append(texts, whenMissing+" THEN "+text)
	}
	return change{
		fmt.Sprintf("MERGE INTO %s t USING %s ON %s %s", table, from, m.on.text, strings.Join(texts, " ")), "MERGE", table,
		func() effect { return t.merge(m) }, nil,
	}
}

func sidesOf(kind string, target, given side) []side {
	switch kind {
	case whenMissing:
		return []side{given}
	case whenLeft:
		return []side{target}
	}
	return []side{target, given}
}

// mergeSource is the source, under the alias s, and its rows.
func (g drawer) mergeSource(t *modelTable) (string, func() []record) {
	switch g.upto(4) {
	case 0:
		return g.source.name + " s", through(g.source.records, nil)
	case 1:
		where := g.condition([]side{{"f", g.source.cols}}, 1)
		return fmt.Sprintf("(SELECT * FROM %s f WHERE %s) s", g.source.name, where.text), through(filtered(g.source.records, where), nil)
	case 2:
		return g.ownRows(t)
	}
	list := append(g.records(t.cols, 4), g.record(t.cols))
	if g.chance(75) { // mostly no key twice
		list = distinctKeys(list)
	}
	if g.chance(50) {
		return fmt.Sprintf("(VALUES %s) AS s(%s)", valuesOf(t.cols, list), names(t.cols)), through(list, nil)
	}
	return fmt.Sprintf("(SELECT * FROM VALUES %s AS v(%s)) s", valuesOf(t.cols, list), names(t.cols)), through(list, nil)
}

func sortedByKey(list []record) []record {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b record) int { return strings.Compare(fmt.Sprint(a["k"]), fmt.Sprint(b["k"])) })
	return list
}

func filtered(list []record, where term) []record {
	var out []record
	for _, r := range list {
		if where.holds(rows{"f": r}) {
			out = append(out, r)
		}
	}
	return out
}

// through is, when it is asked, what terms make of rows under the alias f; without
// terms the rows.
func through(list []record, set []assignment) func() []record {
	return func() []record {
		if set == nil {
			return list
		}
		var out []record
		for _, r := range list {
			out = append(out, evaluated(set, rows{"f": r}))
		}
		return out
	}
}

// ownRows is a source of the target's own rows, changed a little.
func (g drawer) ownRows(t *modelTable) (string, func() []record) {
	sides := []side{{"f", t.cols}}
	var items []string
	var set []assignment
	for _, c := range t.cols {
		x := columnOf("f", c)
		switch {
		case c.name == "r" && t.routed:
			x = routingOf("f")
		case c.name != "k" && g.chance(30):
			x = g.value(sides, c.kind, 1)
		}
		set = append(set, assignment{c, x})
		items = append(items, x.text+" AS "+c.name)
	}
	where := g.condition(sides, 1)
	return fmt.Sprintf("(SELECT %s FROM %s f WHERE %s) s", strings.Join(items, ", "), t.name, where.text), func() []record {
		var list []record
		for _, own := range filtered(t.list(), where) {
			r := record{}
			for _, a := range set {
				r[a.to.name] = a.x.eval(rows{"f": own}) // a sum of decimals may be longer than they are
			}
			list = append(list, r)
		}
		return list
	}
}

// on is mostly that keys are equal.
func (g drawer) on(target, given side) term {
	sides := []side{target, given}
	c := field{"k", target.cols[0].kind}
	if g.chance(10) {
		c = anyOf(g, "joined by", given.cols)
		if !slices.Contains(ordered, c.kind) {
			c = target.cols[0]
		}
	}
	on := comparison(columnOf("t", c), columnOf("s", c), "=")
	if g.chance(15) {
		more := drawer{r: g.r, source: g.source, within: true}.condition(sides, 0)
		return term{on.text + " AND " + more.text, boolKind, func(r rows) any { return both(on.eval(r), more.eval(r)) }}
	}
	return on
}

// updating is UPDATE SET or DELETE.
func (g drawer) updating(kind string, star bool, target, given side) (when, string) {
	w := when{kind: kind}
	switch {
	case g.chance(30):
		return w, "DELETE"
	case star && g.chance(30):
		for _, c := range given.cols {
			w.set = append(w.set, assignment{c, columnOf("s", c)})
		}
		return w, "UPDATE SET *"
	}
	prefix := ""
	if g.chance(50) {
		prefix = "t."
	}
	set, text := g.set(target.cols, sidesOf(kind, target, given), prefix)
	if len(set) == 0 {
		return w, "DELETE"
	}
	w.set = set
	return w, "UPDATE SET " + text
}

// inserting is INSERT.
func (g drawer) inserting(t *modelTable, star bool, cols []field, given side) (when, string) {
	w := when{kind: whenMissing}
	if star && g.chance(50) {
		for _, c := range given.cols {
			w.set = append(w.set, assignment{c, columnOf("s", c)})
		}
		return w, "INSERT *"
	}
	var texts []string
	chosen := g.some(t, cols)
	for _, c := range chosen {
		x := g.stored([]side{given}, c.kind)
		switch {
		case c.name == "k":
			x = columnOf("s", c)
		case c.name == "r" && t.routed:
			x = routingOf("s")
		}
		w.set, texts = append(w.set, assignment{c, x}), append(texts, x.text)
	}
	return w, fmt.Sprintf("INSERT (%s) VALUES (%s)", names(chosen), strings.Join(texts, ", "))
}
