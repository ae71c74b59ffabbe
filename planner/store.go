package planner

import (
	"fmt"
	"strings"

	"github.com/eslake/eslake/sql"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// stored converts each value by Spark's store assignment, and fails where that
// does not allow it.
func (b *builder) stored(st *sql.Insert, node Node, named row.Schema, policy expr.StorePolicy) ([]Item, error) {
	items := make([]Item, len(named))
	for i, c := range node.Output() {
		f := named[i]
		if !expr.StoreAssignment(c.T, f.Type, policy) {
			return nil, storeError(st, node, i, c, f)
		}
		if rounds(c.T, f.Type) {
			b.env.notice(fmt.Sprintf("column %s keeps %d digits after the point; values with more are rounded half up, as in Spark", row.QuoteName(f.Name), f.Type.Scale))
		}
		var x expr.Expr = c
		if !c.T.Equal(f.Type) {
			x = &expr.Cast{Node: expr.Node{At: c.At, T: f.Type}, X: c, Implicit: true, Strict: policy != expr.StoreLegacy}
		}
		items[i] = Item{Out: b.newColumn(f.Name, f.Type), X: x}
	}
	return items, nil
}

// rounds reports whether a decimal may lose digits after its point.
func rounds(from, to row.Type) bool {
	return to.Kind == row.Decimal && from.Kind == row.Decimal && from.Scale > to.Scale
}

// storedValues converts literals at once, so that rows of constants need no
// engine.
func storedValues(v *Values, items []Item) Node {
	folded := &Values{Cols: outs(items)}
	for _, r := range v.Rows {
		cells := make([]expr.Expr, len(items))
		for k, item := range items {
			x := item.X // the default of a column that the rows leave out
			if k < len(r) {
				x = expr.Convert(r[k], item.Out.T)
			}
			if _, ok := x.(*expr.Literal); !ok {
				return &Project{Input: v, Items: items}
			}
			cells[k] = x
		}
		folded.Rows = append(folded.Rows, cells)
	}
	return folded
}

func storeError(st *sql.Insert, node Node, i int, c *expr.Column, f row.Field) error {
	at, what := st.Query.At, c.Name
	if v, ok := node.(*Values); ok {
		for _, r := range v.Rows {
			at, what = r[i].Span(), r[i].String()
			break
		}
	} else if s, ok := st.Query.Body.(*sql.Select); ok && i < len(s.Items) && len(s.Items) == len(node.Output()) {
		at, what = s.Items[i].X.Span(), s.Items[i].X.String()
	}
	return errorAt(at, codeStore, fmt.Sprintf("cannot store %s %s in column %s of type %s", c.T.SQL(), what, row.QuoteName(f.Name), f.Type.SQL()),
		fmt.Sprintf("write CAST(… AS %s), or SET spark.sql.storeAssignmentPolicy = LEGACY", f.Type.SQL()))
}

func (e *Env) storePolicy() (expr.StorePolicy, error) {
	switch policy := strings.ToUpper(e.Settings["spark.sql.storeassignmentpolicy"]); policy {
	case "", "ANSI":
		return expr.StoreANSI, nil
	case "STRICT":
		return expr.StoreStrict, nil
	case "LEGACY":
		return expr.StoreLegacy, nil
	default:
		return 0, fmt.Errorf("spark.sql.storeAssignmentPolicy is %q; it is ANSI, STRICT or LEGACY", policy)
	}
}
