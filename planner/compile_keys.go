package planner

import (
	"context"
	"fmt"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// Bounds of a side of a join that is read before the other one.
const (
	keyRows  = 100_000  // rows that are kept
	keyBytes = 32 << 20 // of text in them
	keyCount = 10_000   // different values that are looked up
	keyGain  = 4        // the other side must be so many times as large
)

// settleJoin reads the smaller side of a join first where its keys may be looked
// up in the index that the other side reads. The rows are kept, so that nothing is
// read twice; a side that turns out to be large is not kept, and read with the
// rest.
func (e *Env) settleJoin(ctx context.Context, j *Join) (Node, error) {
	push, ok, err := e.worthwhile(ctx, j)
	settled := *j
	settled.Keys = nil
	if err != nil || !ok {
		return &settled, err
	}
	small, large := j.Right, j.Left
	if push.ToRight {
		small, large = j.Left, j.Right
	}
	rows, err := e.keepSmall(ctx, small)
	if err != nil || rows == nil {
		return &settled, err
	}
	for _, k := range j.Keys {
		if k.ToRight == push.ToRight {
			large = lookUp(ctx, large, k, rows)
		}
	}
	settled.Left, settled.Right = large, rows
	if push.ToRight {
		settled.Left, settled.Right = rows, large
	}
	return &settled, nil
}

// worthwhile chooses the direction in which the keys of a join go, if any.
func (e *Env) worthwhile(ctx context.Context, j *Join) (KeyPush, bool, error) {
	if len(j.Keys) == 0 {
		return KeyPush{}, false, nil
	}
	left, err := estimate(ctx, j.Left)
	if err != nil {
		return KeyPush{}, false, err
	}
	right, err := estimate(ctx, j.Right)
	if err != nil {
		return KeyPush{}, false, err
	}
	for _, k := range j.Keys {
		from, into := right, left
		if k.ToRight {
			from, into = left, right
		}
		if from <= keyRows && from*keyGain <= into {
			return k, true, nil
		}
	}
	return KeyPush{}, false, nil
}

// estimate is about how many rows a plan reads: at most, where conditions and
// groups are met on the way; 0 where that is not known before.
func estimate(ctx context.Context, n Node) (int64, error) {
	switch n := n.(type) {
	case *Scan:
		return n.Index.Estimate(ctx, exactOf(n))
	case *Rows:
		return n.Len, nil
	case *Values:
		return int64(len(n.Rows)), nil
	case *Range:
		return max(0, (n.End-n.Start)/n.Step), nil
	case *Limit:
		rows, err := estimate(ctx, n.Input)
		if n.N >= 0 && (rows == 0 || n.N < rows) {
			rows = n.N
		}
		return rows, err
	case *Join:
		left, err := estimate(ctx, n.Left)
		if err != nil {
			return 0, err
		}
		right, err := estimate(ctx, n.Right)
		return max(left, right), err
	}
	total := int64(0)
	for _, c := range n.Children() {
		rows, err := estimate(ctx, c)
		if err != nil {
			return 0, err
		}
		total += rows
	}
	return total, nil
}

func exactOf(s *Scan) []expr.Expr {
	var exact []expr.Expr
	for _, f := range s.Filter {
		if s.Index.Pushdown(f) == esds.Exact {
			exact = append(exact, f)
		}
	}
	return exact
}

// keepSmall runs a plan and keeps its rows; nil when there are too many.
func (e *Env) keepSmall(ctx context.Context, n Node) (*Rows, error) {
	if rows, ok := n.(*Rows); ok {
		return rows, nil
	}
	r := e.Run(n)
	defer r.Close()
	out := &Rows{Cols: n.Output()}
	bytes := 0
	for {
		b, err := r.Next(ctx)
		if row.Ended(err) {
			break
		}
		if err != nil {
			return nil, err
		}
		out.Len += int64(b.Len)
		for _, c := range b.Columns {
			bytes += size(c)
		}
		if out.Len > keyRows || bytes > keyBytes {
			return nil, nil
		}
		out.batches = append(out.batches, b)
	}
	return out, nil
}

func size(c *row.Column) int {
	n := len(c.Bytes) + 8*c.Len()
	for _, child := range c.Children {
		n += size(child)
	}
	return n
}

// lookUp adds the values of a column to the conditions of the scan that the other
// column comes from.
func lookUp(ctx context.Context, large Node, k KeyPush, rows *Rows) Node {
	at := -1
	for i, c := range rows.Cols {
		if c.ID == k.From.ID {
			at = i
		}
	}
	if at < 0 {
		return large
	}
	values, ok := distinctValues(rows.batches, at, k.From.T)
	if !ok {
		esds.TraceOf(ctx).Note(fmt.Sprintf("more than %d values of %s are not looked up in %s", keyCount, row.QuoteName(k.From.Name), k.Table))
		return large
	}
	return reduce(large, k.Into, func(s *Scan, c *expr.Column) *Scan {
		in := lookup(c, values)
		if s.Index.Pushdown(in) == esds.No {
			return s
		}
		esds.TraceOf(ctx).Note(fmt.Sprintf("%d values of %s are looked up in %s.%s", len(values), row.QuoteName(k.From.Name), k.Table, row.QuoteName(c.Name)))
		out := *s
		out.Filter = append(append([]expr.Expr{}, s.Filter...), in)
		return &out
	})
}

// distinctValues are the different values of a column without NULL; false when
// there are too many, or of a type that is not looked up.
func distinctValues(batches []*row.Batch, at int, t row.Type) ([]expr.Expr, bool) {
	if sample(t).(*expr.Literal).Value == nil {
		return nil, false
	}
	seen := map[any]bool{}
	var out []expr.Expr
	for _, b := range batches {
		c := b.Columns[at]
		for i := range b.Len {
			if c.IsNull(i) {
				continue
			}
			var v any
			switch t.Kind {
			case row.String:
				v = string(c.Text(i))
			case row.Boolean:
				v = c.Bool(i)
			default:
				v = c.Ints[i]
			}
			if seen[v] {
				continue
			}
			if seen[v] = true; len(seen) > keyCount {
				return nil, false
			}
			out = append(out, &expr.Literal{Node: expr.Node{T: t}, Value: v})
		}
	}
	return out, true
}
