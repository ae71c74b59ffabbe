package planner

import (
	"context"
	"fmt"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/planner/exec"
	"github.com/eslake/eslake/sql"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/lex"
	"github.com/eslake/eslake/sql/row"
)

// PlanUpdate binds an UPDATE. The job's id is part of names only.
func PlanUpdate(ctx context.Context, env *Env, st *sql.Update, jobID string) (*Modify, error) {
	bind := func(ctx context.Context, only []string) (*Modify, error) {
		m := &modifying{builder: newBuilder(ctx, env), word: "UPDATE", jobID: jobID, only: only}
		return m.update(st)
	}
	p, err := bind(ctx, nil)
	if err != nil {
		return nil, err
	}
	p.again(env, bind)
	return p, nil
}

func (m *modifying) update(st *sql.Update) (*Modify, error) {
	if err := m.modifyTable(st.Table, st.Alias); err != nil {
		return nil, err
	}
	node, bind, err := m.selected(st.Where)
	if err != nil {
		return nil, err
	}
	clause := exec.Clause{Action: esds.IndexDoc}
	items, err := m.metaItems(intLiteral(0))
	if err != nil {
		return nil, err
	}
	var at []lex.Span
	for _, s := range st.Set {
		a, x, err := m.assign(bind, s.Column, s.Value)
		if err != nil {
			return nil, err
		}
		if m.isID(a) {
			return nil, m.idChange(a, s.Column.At)
		}
		a.Column = len(items)
		items = append(items, Item{Out: m.newColumn(a.Name, a.Type), X: x})
		clause.Set = append(clause.Set, a)
		at = append(at, s.Column.At)
	}
	if err := distinctFields(clause.Set, at); err != nil {
		return nil, err
	}
	return m.plan(&Project{Input: node, Items: items}, []exec.Clause{clause})
}

// idChange refuses to set the column that ids come from.
func (m *modifying) idChange(a exec.Assigned, at lex.Span) error {
	return errorAt(at, codePlace, fmt.Sprintf("column %s holds the ids of the documents of %s, which cannot change", row.QuoteName(a.Name), m.into.Name),
		"INSERT INTO the table the rows with their new ids, then DELETE the old ones")
}

// selected is the rows of the table that WHERE keeps, and how names bind there.
func (m *modifying) selected(where expr.Expr) (Node, *binding, error) {
	node, err := m.restricted(m.node)
	if err != nil {
		return nil, nil, err
	}
	bind := &binding{builder: m.builder, scope: &scope{rels: []relation{m.rel}}}
	if where == nil {
		return node, bind, nil
	}
	cond, err := bind.condition(where, "WHERE")
	if err != nil {
		return nil, nil, err
	}
	return &Filter{Input: node, Cond: cond}, bind, nil
}

func intLiteral(n int64) expr.Expr {
	return &expr.Literal{Node: expr.Node{T: row.IntType}, Value: n}
}
