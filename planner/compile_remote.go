package planner

import (
	"context"
	"errors"
	"fmt"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

// settle runs the parts of a plan on whose rows it depends how the rest is run:
// what an index is to group, the smaller side of a join whose keys can be looked up in
// the other. A part that the index cannot answer exactly after all
// becomes its fallback.
func (e *Env) settle(ctx context.Context, n Node) (Node, error) {
	switch n := n.(type) {
	case *AggregateScan:
		return e.settleAggregate(ctx, n)
	case *Aggregate:
		if fine := fineScan(n); fine != nil {
			return e.settleDivided(ctx, n, fine)
		}
	}
	var failed error
	inner := func(n Node) Node {
		out, err := e.settle(ctx, n)
		if err != nil {
			failed = errors.Join(failed, err)
			return n
		}
		return out
	}
	children := n.Children()
	next := make([]Node, len(children))
	for i, c := range children {
		next[i] = inner(c)
	}
	if len(children) > 0 {
		n = n.withChildren(next)
	}
	n = inSubqueries(n, inner)
	if j, ok := n.(*Join); ok && failed == nil {
		return e.settleJoin(ctx, j)
	}
	return n, failed
}

func (e *Env) settleAggregate(ctx context.Context, n *AggregateScan) (Node, error) {
	r, err := n.Index.Aggregate(ctx, n.Want)
	var inexact *esds.InexactError
	if errors.As(err, &inexact) {
		esds.TraceOf(ctx).Note(fmt.Sprintf("documents of %s are read instead of groups: %s", n.Table, inexact.Reason))
		return e.settle(ctx, n.Fallback)
	}
	if err != nil {
		return nil, err
	}
	return keep(ctx, n, r)
}

// fineScan is the scan of the finer groups that an Aggregate puts together, nil for
// none.
func fineScan(n *Aggregate) *AggregateScan {
	if p, ok := n.Input.(*Project); ok {
		if fine, ok := p.Input.(*AggregateScan); ok && fine.Whole != nil {
			return fine
		}
	}
	return nil
}

func (e *Env) settleDivided(ctx context.Context, n *Aggregate, fine *AggregateScan) (Node, error) {
	asked := *fine
	asked.Fallback = fine.Whole
	rows, err := e.settleAggregate(ctx, &asked)
	if _, answered := rows.(*Rows); !answered || err != nil {
		return rows, err
	}
	return n.withChildren([]Node{n.Input.withChildren([]Node{rows})}), nil
}

// keep reads r to its end and returns its rows as a part of the plan.
func keep(ctx context.Context, n Node, r row.Reader) (*Rows, error) {
	defer r.Close()
	out := &Rows{Cols: n.Output()}
	for {
		b, err := r.Next(ctx)
		if row.Ended(err) {
			break
		}
		if err != nil {
			return nil, err
		}
		out.batches = append(out.batches, b)
		out.Len += int64(b.Len)
	}
	return out, nil
}

// open returns the rows from the first one. The batches are the caller's, so they
// are copies.
func (n *Rows) open() row.Reader {
	schema := schemaOf(n.Cols)
	return row.NewBatches(schema, copies(schema, n.batches)...)
}

// copies are batches that may be changed.
func copies(s row.Schema, batches []*row.Batch) []*row.Batch {
	out := make([]*row.Batch, len(batches))
	for i, b := range batches {
		out[i] = &row.Batch{Len: b.Len}
		for k := range s {
			c := row.NewColumn(b.Columns[k].Type)
			for at := range b.Len {
				c.AppendFrom(b.Columns[k], at)
			}
			out[i].Columns = append(out[i].Columns, c)
		}
	}
	return out
}
