package planner

import (
	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// KeyPush is a column of one side of a join whose values may be looked up in the
// index that the other side reads, so that it gives fewer documents. Whether that
// is done, and in which direction, is decided when the plan runs.
type KeyPush struct {
	From, Into *expr.Column
	ToRight    bool   // Into is on the right side
	Table      string // that Into is read from
}

// String prints the keys as EXPLAIN shows them.
func (k KeyPush) String() string {
	return "values of " + row.QuoteName(k.From.Name) + " in " + k.Table + "." + row.QuoteName(k.Into.Name)
}

// pushKeys marks joins of which one side's keys may be looked up in the other.
func pushKeys(n Node) Node {
	return transform(n, func(n Node) Node {
		j, ok := n.(*Join)
		if !ok || j.On == nil || j.Lateral {
			return n
		}
		out := *j
		out.Keys = nil
		for _, cond := range expr.Conjuncts(j.On) {
			a, b, ok := equality(cond)
			if !ok {
				continue
			}
			if !within(a, j.Left.Output()) {
				a, b = b, a
			}
			out.Keys = append(out.Keys, keyPushes(j, a, b)...)
		}
		return &out
	})
}

// equality is the two columns of a condition column = column.
func equality(e expr.Expr) (a, b *expr.Column, ok bool) {
	c, ok := e.(*expr.Call)
	if !ok || len(c.Args) != 2 || c.Func != "=" && c.Func != "==" {
		return nil, nil, false
	}
	a, ok1 := unwrap(c.Args[0]).(*expr.Column)
	b, ok2 := unwrap(c.Args[1]).(*expr.Column)
	return a, b, ok1 && ok2 && a.T.Equal(b.T)
}

// keyPushes are the directions in which the keys of left = right may go: a side
// whose rows are all kept, matched or not, is never cut.
func keyPushes(j *Join, left, right *expr.Column) []KeyPush {
	if !within(left, j.Left.Output()) || !within(right, j.Right.Output()) {
		return nil
	}
	var out []KeyPush
	if j.Kind != "RIGHT OUTER" && j.Kind != "FULL OUTER" {
		if scan, ok := readFrom(j.Right, right); ok && selfContained(j.Left) {
			out = append(out, KeyPush{From: left, Into: right, ToRight: true, Table: scan.Table})
		}
	}
	if j.Kind == "INNER" || j.Kind == "RIGHT OUTER" || j.Kind == "LEFT SEMI" {
		if scan, ok := readFrom(j.Left, left); ok && selfContained(j.Right) {
			out = append(out, KeyPush{From: right, Into: left, Table: scan.Table})
		}
	}
	return out
}

// readFrom returns the scan that a column comes from, where dropping its other
// rows drops only rows of n that have other values in the column.
func readFrom(n Node, col *expr.Column) (found *Scan, ok bool) {
	reduce(n, col, func(s *Scan, c *expr.Column) *Scan {
		if in := lookup(c, []expr.Expr{sample(c.T)}); s.Index.Pushdown(in) != esds.No {
			found, ok = s, true
		}
		return s
	})
	return found, ok
}

// reduce applies f to the scan that a column comes from, and returns the plan with
// what f gives. The plan is n where the column comes from none.
func reduce(n Node, col *expr.Column, f func(*Scan, *expr.Column) *Scan) Node {
	down := func(i int, col *expr.Column) Node {
		children := append([]Node{}, n.Children()...)
		children[i] = reduce(children[i], col, f)
		return n.withChildren(children)
	}
	switch n := n.(type) {
	case *Scan:
		_, local := n.Index.(esds.Relation)
		if local || n.Limit > 0 || n.NoPushdown || !within(col, n.Cols) {
			return n
		}
		return f(n, col)
	case *Project:
		for _, it := range n.Items {
			if c, ok := unwrap(it.X).(*expr.Column); ok && it.Out.ID == col.ID && !windowed(n) {
				return down(0, c)
			}
		}
		return n
	case *Filter, *Distinct, *Sort, *Generate:
		if within(col, n.Children()[0].Output()) {
			return down(0, col)
		}
	case *Aggregate:
		if n.Sets == nil && within(col, n.Keys) {
			return down(0, col)
		}
	case *Join:
		if side := cutSide(n, col); side >= 0 {
			return down(side, col)
		}
	}
	return n
}

// cutSide is the side of a join that a column comes from and of which rows may be
// dropped, -1 for none.
func cutSide(n *Join, col *expr.Column) int {
	switch {
	case within(col, n.Left.Output()) && n.Kind != "RIGHT OUTER" && n.Kind != "FULL OUTER":
		return 0
	case within(col, n.Right.Output()) && (n.Kind == "INNER" || n.Kind == "CROSS" || n.Kind == "RIGHT OUTER") && !n.Lateral:
		return 1
	}
	return -1
}

// lookup is column IN (values).
func lookup(col *expr.Column, values []expr.Expr) expr.Expr {
	if len(values) == 0 {
		return &expr.Literal{Node: expr.Node{T: row.BooleanType}, Value: false}
	}
	return &expr.Call{Node: expr.Node{T: row.BooleanType}, Func: "in", Args: append([]expr.Expr{col}, values...)}
}

// sample is some value of a type, NULL for those that are not looked up.
func sample(t row.Type) expr.Expr {
	lit := &expr.Literal{Node: expr.Node{T: t}}
	switch {
	case t.Kind == row.String:
		lit.Value = "a"
	case t.Kind == row.Boolean:
		lit.Value = true
	case t.Integral() || isTimeKind(t.Kind):
		lit.Value = int64(1)
	}
	return lit
}
