package planner

import (
	"context"

	"github.com/eslake/eslake/catalog"
	"github.com/eslake/eslake/sql"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// PlanQuery binds and optimizes a query.
func PlanQuery(ctx context.Context, env *Env, q *sql.Query) (Node, error) {
	node, err := newBuilder(ctx, env).query(q, nil)
	if err != nil {
		return nil, err
	}
	return env.optimize(node)
}

// optimize applies the rules, and checks what the plan then reads.
func (e *Env) optimize(n Node) (Node, error) {
	n, err := e.inZone(n)
	if err != nil {
		return nil, err
	}
	n = Optimize(n)
	return n, e.checkPresence(n)
}

// PlanCondition plans the query of ASSERT: one row with the condition.
func PlanCondition(ctx context.Context, env *Env, cond expr.Expr) (Node, error) {
	b := newBuilder(ctx, env)
	bind := &binding{builder: b, scope: &scope{}}
	x, err := bind.condition(cond, "ASSERT")
	if err != nil {
		return nil, err
	}
	item := Item{Out: b.newColumn("holds", row.BooleanType), X: x}
	return env.optimize(&Project{Input: &Values{Rows: [][]expr.Expr{{}}}, Items: []Item{item}})
}

// Schema returns the columns of a plan.
func Schema(n Node) row.Schema { return schemaOf(n.Output()) }

// TableSchema returns the columns of a table: those declared, else those of its
// index or file.
func TableSchema(ctx context.Context, env *Env, t *catalog.Table) (row.Schema, error) {
	if t.Columns != nil {
		return t.Columns, nil
	}
	_, rel, err := newBuilder(ctx, env).openTable(t)
	return schemaOf(rel.cols), err
}
