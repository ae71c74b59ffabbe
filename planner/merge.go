package planner

import (
	"context"
	"fmt"
	"strings"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/planner/exec"
	"github.com/eslake/eslake/sql"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/lex"
	"github.com/eslake/eslake/sql/row"
)

// PlanMerge binds a MERGE. New documents get their ids as in an INSERT, from
// es.mapping.id or of the job's id and their number.
func PlanMerge(ctx context.Context, env *Env, st *sql.Merge, jobID string) (*Modify, error) {
	bind := func(ctx context.Context, only []string) (*Modify, error) {
		m := &merging{modifying: modifying{builder: newBuilder(ctx, env), word: "MERGE", jobID: jobID, only: only}, st: st}
		return m.merge()
	}
	p, err := bind(ctx, nil)
	if err != nil {
		return nil, err
	}
	p.again(env, bind)
	p.Changer.Joined = true
	if unique(st.Whens) {
		p.Changer.Twice = func(ctx context.Context, index, id string) error { return twice(ctx, env, st, index, id) }
	}
	if id := p.Changer.Insert.ID; id != "" {
		p.Changer.MadeTwice = func(made string) error {
			return errorAt(st.On.Span(), codeCardinality,
				fmt.Sprintf("two rows of the source would make document %s of %s: %s gives both its id; nothing was changed", made, p.Table.Name, id),
				"make the source unique by the column that ids come from")
		}
	}
	return p, nil
}

// unique reports whether a document may match one row of the source only. As in
// Spark it does not matter where all matches delete it.
func unique(whens []sql.MergeWhen) bool {
	var matched []sql.MergeWhen
	for _, w := range whens {
		if w.Matched {
			matched = append(matched, w)
		}
	}
	return len(matched) > 1 || len(matched) == 1 && (matched[0].Action != sql.MergeDelete || matched[0].Cond != nil)
}

// merging is a MERGE while it is bound.
type merging struct {
	modifying
	st      *sql.Merge
	from    *scope // of the source's rows
	present *expr.Column
	both    *binding
	clauses []exec.Clause
	whens   []expr.When // the number of the clause by its condition
	taken   [3]lex.Span // by kind of clause, the one without condition
	values  []*mergeValue
}

// mergeValue is the column of values for one field: what it is in each clause.
type mergeValue struct {
	field exec.Assigned
	whens []expr.When
}

func (m *merging) merge() (*Modify, error) {
	if err := m.modifyTable(m.st.Table, m.st.Alias); err != nil {
		return nil, err
	}
	joined, err := m.joined()
	if err != nil {
		return nil, err
	}
	number := m.newColumn("_clause", row.IntType)
	for i, w := range m.st.Whens {
		if err := m.when(i, w, number); err != nil {
			return nil, err
		}
	}
	return m.result(joined, number)
}

// joined is the rows of the target beside those of the source.
func (m *merging) joined() (Node, error) {
	target, err := m.restricted(m.node)
	if err != nil {
		return nil, err
	}
	node, sc, err := m.table(m.st.Source, &scope{})
	if err != nil {
		return nil, err
	}
	m.from = sc
	m.present = m.newColumn("_present", row.BooleanType)
	items := []Item{{Out: m.present, X: &expr.Literal{Node: expr.Node{T: row.BooleanType}, Value: true}}}
	items = append(items, kept(node.Output())...)
	m.both = &binding{builder: m.builder, scope: (&scope{rels: []relation{m.rel}}).join(sc)}
	on, err := m.both.condition(m.st.On, "ON")
	if err != nil {
		return nil, err
	}
	join := &Join{Kind: "INNER", Left: target, Right: &Project{Input: node, Items: items}, On: on}
	inserts, leftovers := false, false
	for _, w := range m.st.Whens {
		inserts = inserts || !w.Matched && !w.BySource
		leftovers = leftovers || w.BySource
	}
	switch {
	case inserts && leftovers:
		join.Kind = string(sql.FullJoin)
	case inserts:
		join.Kind = string(sql.RightJoin)
	case leftovers:
		join.Kind = string(sql.LeftJoin)
	}
	return m.besideRows(join)
}

// The kinds of WHEN clauses.
const (
	whenMatched = iota
	whenMissing // WHEN NOT MATCHED
	whenLeft    // WHEN NOT MATCHED BY SOURCE
)

func kindOf(w sql.MergeWhen) int {
	switch {
	case w.Matched:
		return whenMatched
	case w.BySource:
		return whenLeft
	}
	return whenMissing
}

// when binds one WHEN clause.
func (m *merging) when(i int, w sql.MergeWhen, number *expr.Column) error {
	kind := kindOf(w)
	if m.taken[kind].Line > 0 {
		return errorAt(m.taken[kind], codePlace, "only the last WHEN clause of its kind may stand without a condition", "no row comes to a later one")
	}
	bind := m.both
	switch kind {
	case whenMissing:
		bind = &binding{builder: m.builder, scope: m.from}
	case whenLeft:
		bind = &binding{builder: m.builder, scope: &scope{rels: []relation{m.rel}}}
	}
	id, err := m.meta(row.Field{Name: "_id", Type: row.StringType})
	if err != nil {
		return err
	}
	conds := []expr.Expr{isThere(id, kind != whenMissing), isThere(m.present, kind != whenLeft)}
	if w.Cond != nil {
		cond, err := bind.condition(w.Cond, "WHEN")
		if err != nil {
			return err
		}
		conds = append(conds, cond)
	} else {
		m.taken[kind] = m.st.Span()
	}
	m.whens = append(m.whens, expr.When{Cond: expr.And(conds...), Then: intLiteral(int64(i))})
	clause, err := m.action(w, bind, isClause(number, i))
	m.clauses = append(m.clauses, clause)
	return err
}

// isThere is x IS [NOT] NULL.
func isThere(x expr.Expr, there bool) expr.Expr {
	word := "isnull"
	if there {
		word = "isnotnull"
	}
	return &expr.Call{Node: expr.Node{T: row.BooleanType}, Func: word, Args: []expr.Expr{x}}
}

func isClause(number *expr.Column, i int) expr.Expr {
	return &expr.Call{Node: expr.Node{T: row.BooleanType}, Func: "=", Args: []expr.Expr{number, intLiteral(int64(i))}}
}

// action binds what a clause does; chosen is the condition that it is the one.
func (m *merging) action(w sql.MergeWhen, bind *binding, chosen expr.Expr) (exec.Clause, error) {
	switch w.Action {
	case sql.MergeDelete:
		return exec.Clause{Action: esds.DeleteDoc}, nil
	case sql.MergeInsert:
		return m.insertion(w, bind, chosen)
	}
	clause := exec.Clause{Action: esds.IndexDoc}
	set := w.Set
	if w.All {
		set = m.allColumns()
		bind = &binding{builder: m.builder, scope: m.from}
	}
	var at []lex.Span
	for _, s := range set {
		a, x, err := m.assign(bind, s.Column, s.Value)
		if err != nil {
			return clause, err
		}
		clause.Set = append(clause.Set, m.value(a, chosen, x))
		at = append(at, s.Column.At)
	}
	return clause, distinctFields(clause.Set, at)
}

// allColumns is what * stands for: every column of the table from the column of
// the source with its name.
func (m *merging) allColumns() []sql.Assignment {
	var set []sql.Assignment
	for _, f := range m.fields {
		if m.isMeta(f.Name) || m.excluded(exec.Assigned{Path: []string{f.Name}}, lex.Span{}) != nil {
			continue
		}
		name := &expr.Name{Node: expr.Node{At: m.st.Span()}, Parts: []string{f.Name}}
		set = append(set, sql.Assignment{Column: name, Value: name})
	}
	return set
}

// value puts a value into the column of its field, for one clause.
func (m *merging) value(a exec.Assigned, chosen, x expr.Expr) exec.Assigned {
	key := strings.Join(a.Path, ".")
	for i, v := range m.values {
		if strings.Join(v.field.Path, ".") == key {
			v.whens = append(v.whens, expr.When{Cond: chosen, Then: x})
			a.Column = valuesFrom + i
			return a
		}
	}
	a.Column = valuesFrom + len(m.values)
	m.values = append(m.values, &mergeValue{field: a, whens: []expr.When{{Cond: chosen, Then: x}}})
	return a
}

// valuesFrom is the position of the first value in the rows of a statement.
var valuesFrom = len(exec.StatementColumns())

// result is the rows for exec: the document, the clause, and the values in it.
// Rows without a clause are needed where a second match is an error.
func (m *merging) result(joined Node, number *expr.Column) (*Modify, error) {
	items := []Item{{Out: number, X: &expr.Case{Node: expr.Node{T: row.IntType}, Whens: m.whens, Else: &expr.Literal{Node: expr.Node{T: row.IntType}}}}}
	items = append(items, kept(joined.Output())...)
	var node Node = &Project{Input: joined, Items: items}
	keep := isThere(number, true)
	if unique(m.st.Whens) {
		id, err := m.meta(row.Field{Name: "_id", Type: row.StringType})
		if err != nil {
			return nil, err
		}
		matched := expr.And(isThere(id, true), isThere(m.present, true))
		keep = &expr.Call{Node: expr.Node{T: row.BooleanType}, Func: "or", Args: []expr.Expr{keep, matched}}
	}
	node = &Filter{Input: node, Cond: keep}
	last, err := m.metaItems(number)
	if err != nil {
		return nil, err
	}
	for _, v := range m.values {
		x := &expr.Case{Node: expr.Node{T: v.field.Type}, Whens: v.whens, Else: &expr.Literal{Node: expr.Node{T: v.field.Type}}}
		last = append(last, Item{Out: m.newColumn(v.field.Name, v.field.Type), X: x})
	}
	p, err := m.plan(&Project{Input: node, Items: last}, m.clauses)
	if err != nil {
		return nil, err
	}
	return p, m.insertWrite(p)
}

// twice words the error for a document that several rows of the source match,
// and names two of them. It is nil when there are no two.
func twice(ctx context.Context, env *Env, st *sql.Merge, index, id string) error {
	m := &merging{modifying: modifying{builder: newBuilder(ctx, env), word: "MERGE", only: []string{id}}, st: st}
	if err := m.modifyTable(st.Table, st.Alias); err != nil {
		return err
	}
	st = &sql.Merge{Table: st.Table, Alias: st.Alias, Source: st.Source, On: st.On} // only matches
	m.st = st
	joined, err := m.joined()
	if err != nil {
		return err
	}
	found, err := m.meta(row.Field{Name: "_index", Type: row.StringType})
	if err != nil {
		return err
	}
	same, err := expr.Resolve(&expr.Call{Func: "=", Args: []expr.Expr{found, &expr.Literal{Node: expr.Node{T: row.StringType}, Value: index}}})
	if err != nil {
		return err
	}
	var items []Item
	for _, c := range m.from.columns() {
		items = append(items, Item{Out: m.newColumn(c.Name, c.T), X: c})
	}
	node, err := env.optimize(&Limit{Input: &Project{Input: &Filter{Input: joined, Cond: same}, Items: items}, N: 2})
	if err != nil {
		return err
	}
	rows, err := row.ReadAll(ctx, env.Run(node))
	if err != nil || len(rows) < 2 {
		return err
	}
	names := schemaOf(outs(items)).Names()
	return errorAt(st.On.Span(), codeCardinality,
		fmt.Sprintf("two rows of the source match document %s of %s: %s and %s; nothing was changed", id, index, rowText(names, rows[0]), rowText(names, rows[1])),
		"make the source unique by the columns of ON, or add to ON what tells its rows apart")
}

// rowText shows a row for a person.
func rowText(names []string, values []any) string {
	var parts []string
	for i, v := range values {
		text := "NULL"
		if v != nil {
			text = fmt.Sprint(v)
		}
		if runes := []rune(text); len(runes) > 40 {
			text = string(runes[:40]) + "…"
		}
		if parts = append(parts, names[i]+" = "+text); len(parts) == 6 && len(values) > 6 {
			parts = append(parts, "…")
			break
		}
	}
	return "(" + strings.Join(parts, ", ") + ")"
}
