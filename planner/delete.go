package planner

import (
	"context"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/planner/exec"
	"github.com/eslake/eslake/sql"
)

// PlanDelete binds a DELETE. The job's id is part of names only.
func PlanDelete(ctx context.Context, env *Env, st *sql.Delete, jobID string) (*Modify, error) {
	bind := func(ctx context.Context, only []string) (*Modify, error) {
		m := &modifying{builder: newBuilder(ctx, env), word: "DELETE", jobID: jobID, only: only}
		return m.delete(st)
	}
	p, err := bind(ctx, nil)
	if err != nil {
		return nil, err
	}
	p.again(env, bind)
	return p, nil
}

func (m *modifying) delete(st *sql.Delete) (*Modify, error) {
	if err := m.modifyTable(st.Table, st.Alias); err != nil {
		return nil, err
	}
	node, _, err := m.selected(st.Where)
	if err != nil {
		return nil, err
	}
	items, err := m.metaItems(intLiteral(0))
	if err != nil {
		return nil, err
	}
	return m.plan(&Project{Input: node, Items: items}, []exec.Clause{{Action: esds.DeleteDoc}})
}
