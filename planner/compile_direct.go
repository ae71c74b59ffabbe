package planner

import (
	"context"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/planner/duck"
	"github.com/eslake/eslake/planner/exec"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

type opener = func(ctx context.Context) (row.Reader, error)

// direct compiles a plan that needs no local engine: a scan whose filters the
// index answers, cut, counted, and with its columns chosen; files; rows of
// constants.
func direct(n Node) (opener, bool) {
	switch n := n.(type) {
	case *Scan:
		return func(ctx context.Context) (row.Reader, error) { return n.Index.Scan(ctx, scanOf(n)) }, true
	case *CountScan:
		return func(ctx context.Context) (row.Reader, error) { return countReader(ctx, n) }, true
	case *Rows:
		return func(context.Context) (row.Reader, error) { return n.open(), nil }, true
	case *FileScan:
		return directFile(n)
	case *Values:
		return directValues(n)
	case *Limit:
		return directLimit(n)
	case *Project:
		return directProject(n)
	}
	return nil, false
}

// directFile reads CSV and JSON as they are; other formats need the engine.
func directFile(n *FileScan) (opener, bool) {
	if n.Format == esds.ProviderParquet {
		return nil, false
	}
	pick := make([]int, len(n.Cols))
	for i, c := range n.Cols {
		pick[i] = n.Schema.Index(c.Name)
	}
	return func(context.Context) (row.Reader, error) {
		in, err := duck.OpenFile(n.Format, n.Path, n.Options, n.Schema)
		if err != nil {
			return nil, err
		}
		return exec.NewColumns(in, schemaOf(n.Cols), pick), nil
	}, len(pick) > 0
}

func directLimit(n *Limit) (opener, bool) {
	open, ok := direct(n.Input)
	if !ok || n.Offset > 0 || n.N < 0 {
		return nil, false
	}
	return func(ctx context.Context) (row.Reader, error) {
		if n.N == 0 {
			return row.NewBatches(schemaOf(n.Output())), nil
		}
		in, err := open(ctx)
		if err != nil {
			return nil, err
		}
		return exec.NewLimit(in, n.N), nil
	}, true
}

// directProject chooses columns of a direct input. Items that compute something
// need the engine.
func directProject(n *Project) (opener, bool) {
	open, ok := direct(n.Input)
	if !ok {
		return nil, false
	}
	at := map[int]int{}
	for i, c := range n.Input.Output() {
		at[c.ID] = i
	}
	pick := make([]int, len(n.Items))
	for i, it := range n.Items {
		c, ok := it.X.(*expr.Column)
		if !ok {
			return nil, false
		}
		from, ok := at[c.ID]
		if !ok {
			return nil, false
		}
		pick[i] = from
	}
	return func(ctx context.Context) (row.Reader, error) {
		in, err := open(ctx)
		if err != nil {
			return nil, err
		}
		return exec.NewColumns(in, schemaOf(n.Output()), pick), nil
	}, true
}

// directValues makes the rows of literals.
func directValues(n *Values) (opener, bool) {
	for _, r := range n.Rows {
		for _, e := range r {
			if !literalRow(e) {
				return nil, false
			}
		}
	}
	schema := schemaOf(n.Cols)
	return func(context.Context) (row.Reader, error) {
		b := row.NewBatch(schema)
		for _, r := range n.Rows {
			cells := make([]any, len(r))
			for k, e := range r {
				cells[k] = e.(*expr.Literal).Value
			}
			if err := b.AppendRow(cells...); err != nil {
				return nil, err
			}
		}
		return row.NewBatches(schema, b), nil
	}, len(n.Cols) > 0
}

// literalRow reports whether an expression is a constant that a column takes as
// it is.
func literalRow(e expr.Expr) bool {
	l, ok := e.(*expr.Literal)
	return ok && l.T.Kind != row.Interval
}

func countReader(ctx context.Context, n *CountScan) (row.Reader, error) {
	count, err := n.Index.Count(ctx, n.Filter)
	if err != nil {
		return nil, err
	}
	schema := schemaOf(n.Output())
	b := row.NewBatch(schema)
	if err := b.AppendRow(count); err != nil {
		return nil, err
	}
	return row.NewBatches(schema, b), nil
}
