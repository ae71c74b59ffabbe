package session_test

import (
	"fmt"
	"slices"
	"strings"
)

// change is a statement that changes a table: its text, and what it ought to do.
type change struct {
	text, word, table string
	apply             func() effect
	undoes            *modelJob
}

// keys are what the key column holds, by its kind.
var keys = map[kind][]any{
	intKind:  {int64(1), int64(2), int64(3), int64(4), int64(5), int64(-1)},
	longKind: {int64(1), int64(2), int64(3), int64(9007199254740993)},
	dayKind:  {day("2024-02-29"), day("1969-12-31"), day("2024-03-01"), day("2024-03-02")},
	decKind:  {dec(150), dec(200), dec(-10), dec(0)},
	textKind: {"a", "A", "b", "a b", "a/b", `say "x"`, "it's", "ü", "🙂", "*", "a,b", "_x", "..", "%41", "two\nlines", `\`, "a?b#c&d", "+", "1", "NULL", " "},
}

func (g drawer) key(k kind) any {
	if g.chance(2) {
		return nil
	}
	if k == textKind && g.chance(2) {
		return anyOf(g, "odd key", []any{"", strings.Repeat("k", 513), strings.Repeat("ü", 256)})
	}
	return anyOf(g, "key", keys[k])
}

// record draws a row of a table with these columns.
func (g drawer) record(cols []field) record {
	out := record{}
	for _, c := range cols {
		switch c.name {
		case "k":
			out["k"] = g.key(c.kind)
		case "r":
			if k := textOf(out["k"]); k != nil {
				out["r"] = "r" + k.(string)
			}
		default:
			if !g.chance(20) {
				out[c.name] = anyOf(g, "value of "+c.name, values[c.kind])
			}
		}
	}
	return out
}

func (g drawer) records(cols []field, most int) []record {
	list := make([]record, g.upto(most))
	for i := range list {
		list[i] = g.record(cols)
	}
	return list
}

// valuesOf spells rows.
func valuesOf(cols []field, list []record) string {
	var lines []string
	for _, r := range list {
		var cells []string
		for _, c := range cols {
			cells = append(cells, spell(c.kind, r[c.name]))
		}
		lines = append(lines, "("+strings.Join(cells, ", ")+")")
	}
	return strings.Join(lines, ", ")
}

// target is one of the two tables over the index.
func (g drawer) target(t *modelTable) (string, []field) {
	if g.chance(25) {
		return t.wide, append(slices.Clone(t.cols), field{"extra", intKind})
	}
	return t.name, t.cols
}

// change draws a statement.
func (g drawer) change(t *modelTable) change {
	switch n := g.upto(99); {
	case n < 25:
		return g.insert(t, "INSERT")
	case n < 32:
		return g.insert(t, "INSERT OVERWRITE")
	case n < 34:
		return g.truncate(t)
	case n < 50:
		return g.update(t)
	case n < 60:
		return g.remove(t)
	case n < 85 || len(t.jobs) == 0:
		return g.merge(t)
	}
	return g.undo(t)
}

// some draws a few columns; those that every new row needs are among them.
func (g drawer) some(t *modelTable, cols []field) []field {
	var out []field
	for _, c := range cols {
		if c.name == "k" && t.keyed || c.name == "r" && t.routed || g.chance(60) {
			out = append(out, c)
		}
	}
	if len(out) == 0 {
		return cols[:1]
	}
	return out
}

// operations are those of es.write.operation besides index. Each has a table.
var operations = []string{"create", "upsert", "update", "delete"}

func (g drawer) insert(t *modelTable, word string) change {
	table, cols := g.target(t)
	operation := "index"
	if t.keyed && word == "INSERT" && g.chance(30) {
		operation = anyOf(g, "operation", operations)
		table, cols = "t"+operation, t.cols
	}
	list := ""
	if g.chance(40) {
		cols = g.some(t, cols)
		list = " (" + names(cols) + ")"
	}
	c := change{word: word, table: table}
	act := func(rows []record) effect { return t.insert(operation, cols, rows) }
	text := "INSERT INTO " + table + list
	if word != "INSERT" {
		act, text = func(rows []record) effect { return t.overwrite(cols, rows) }, "INSERT OVERWRITE "+table+list
	}
	if g.chance(40) && (word == "INSERT" || !t.truncates) { // which may not read what it deletes
		if query, selected, ok := g.selection(t, cols); ok {
			c.text, c.apply = text+" "+query, func() effect { return act(selected()) }
			return c
		}
	}
	given := append(g.records(cols, 5), g.record(cols))
	if g.lake && (operation == "upsert" || operation == "update") {
		given = distinctKeys(given) // the lake merges rows of one id first, and counts what comes of them
	}
	c.text, c.apply = text+" VALUES "+valuesOf(cols, given), func() effect { return act(given) }
	return c
}

// truncate is TRUNCATE TABLE.
func (g drawer) truncate(t *modelTable) change {
	return change{"TRUNCATE TABLE t", "TRUNCATE", "t", func() effect {
		o := t.overwrite(t.cols, nil)
		o.replaced = len(t.docs)
		return o
	}, nil}
}

// selection is a query for the columns of an INSERT. It has no key twice, since
// nobody knows which of them would come last.
func (g drawer) selection(t *modelTable, cols []field) (string, func() []record, bool) {
	name, from, all := g.source.name, g.source.cols, g.source.records
	if g.chance(40) {
		name, from, all = t.name, t.cols, t.list()
	}
	var items []string
	var set []assignment
	for _, c := range cols {
		x := g.value([]side{{"f", from}}, c.kind, 1)
		switch {
		case c.name == "k" && (t.keyed || g.chance(80)):
			x = columnOf("f", c)
		case c.name == "r" && t.routed:
			x = routingOf("f")
		}
		items, set = append(items, x.text), append(set, assignment{c, x})
	}
	where := g.condition([]side{{"f", from}}, 1)
	all = filtered(all, where)
	if t.keyed && len(distinctKeys(all)) < len(all) {
		return "", nil, false
	}
	return fmt.Sprintf("SELECT %s FROM %s f WHERE %s", strings.Join(items, ", "), name, where.text), through(all, set), true
}

func distinctKeys(list []record) []record {
	return slices.CompactFunc(sortedByKey(list), func(a, b record) bool { return a["k"] == b["k"] })
}

// routingOf is the routing of a new row: text of its key.
func routingOf(alias string) term {
	return term{fmt.Sprintf("concat('r', CAST(%s.k AS STRING))", alias), textKind, func(r rows) any {
		if k := textOf(r[alias]["k"]); k != nil {
			return "r" + k.(string)
		}
		return nil
	}}
}

func (t *modelTable) list() []record {
	var list []record
	for _, d := range t.docs {
		list = append(list, d.values)
	}
	return list
}

// set draws assignments to some columns, never to the key.
func (g drawer) set(cols []field, sides []side, prefix string) ([]assignment, string) {
	var set []assignment
	var texts []string
	for _, c := range cols {
		if c.name == "k" || len(set) > 0 && g.chance(60) || g.chance(25) && c != cols[len(cols)-1] {
			continue
		}
		if c.kind == pairKind && g.chance(50) {
			c = anyOf(g, "part", []field{{"st.x", intKind}, {"st.y", textKind}})
			set = append(set, assignment{c, literal(c.kind, anyOf(g, "value", values[c.kind]))})
			texts = append(texts, fmt.Sprintf("%s%s = %s", prefix, c.name, set[len(set)-1].x.text))
			continue
		}
		x := g.stored(sides, c.kind)
		set = append(set, assignment{c, x})
		texts = append(texts, fmt.Sprintf("%s%s = %s", prefix, c.name, x.text))
	}
	return set, strings.Join(texts, ", ")
}

// stored is a value for a column, of its kind or of one that is converted.
func (g drawer) stored(sides []side, k kind) term {
	from := map[kind][]kind{
		intKind: {longKind}, longKind: {intKind}, realKind: {intKind, decKind}, decKind: {intKind, realKind}, textKind: {intKind, boolKind, dayKind},
	}[k]
	if len(from) > 0 && g.chance(20) {
		if c, ok := g.column(sides, from...); ok {
			return c
		}
	}
	return g.value(sides, k, 2)
}

func (g drawer) update(t *modelTable) change {
	table, cols := g.target(t)
	alias, as := "p", " p"
	if g.chance(40) {
		alias, as = "", ""
	}
	sides := []side{{alias, cols}}
	set, text := g.set(cols, sides, "")
	if len(set) == 0 {
		return g.remove(t)
	}
	where := g.condition(sides, 2)
	return change{
		fmt.Sprintf("UPDATE %s%s SET %s WHERE %s", table, as, text, where.text), "UPDATE", table,
		func() effect { return t.update(alias, set, where) }, nil,
	}
}

func (g drawer) remove(t *modelTable) change {
	table, cols := g.target(t)
	alias, as := "p", " p"
	if g.chance(40) {
		alias, as = "", ""
	}
	where := g.condition([]side{{alias, cols}}, 2)
	return change{fmt.Sprintf("DELETE FROM %s%s WHERE %s", table, as, where.text), "DELETE", table, func() effect { return t.remove(alias, where) }, nil}
}

// undo takes back the last job, or one of those before.
func (g drawer) undo(t *modelTable) change {
	j := t.jobs[len(t.jobs)-1]
	if g.chance(40) {
		j = anyOf(g, "job", t.jobs)
	}
	return change{fmt.Sprintf("UNDO JOB '%s'", j.id), "UNDO", j.table, func() effect { return t.undo(j) }, j}
}
