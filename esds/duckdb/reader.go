package duckdb

import (
	"context"
	"fmt"
	"io"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/eslake/eslake/sql/row"
)

// reader streams the chunks of a result as batches.
type reader struct {
	conn   *Conn
	owns   bool // Close closes the connection too
	act    *activity
	res    bindings.Result
	schema row.Schema
	copy   []copier // one for each column
	done   bool
}

// Schema returns the columns.
func (r *reader) Schema() row.Schema { return r.schema }

// describe finds how each column is copied.
func (r *reader) describe(want row.Schema) error {
	n := int(bindings.ColumnCount(&r.res))
	if want != nil && len(want) != n {
		return fmt.Errorf("DuckDB gives %d columns, %d are wanted", n, len(want))
	}
	r.schema = make(row.Schema, n)
	r.copy = make([]copier, n)
	for i := range n {
		t := bindings.ColumnLogicalType(&r.res, bindings.IdxT(i))
		from := readLogical(t)
		bindings.DestroyLogicalType(&t)
		r.schema[i] = row.Field{Name: bindings.ColumnName(&r.res, bindings.IdxT(i)), Type: from.rowType()}
		if want != nil {
			r.schema[i] = want[i]
		}
		var err error
		if r.copy[i], err = newCopier(from, r.schema[i].Type); err != nil {
			return fmt.Errorf("column %s: %w", r.schema[i].Name, err)
		}
	}
	return nil
}

// Next returns the next chunk.
func (r *reader) Next(ctx context.Context) (*row.Batch, error) {
	if r.done {
		return nil, io.EOF
	}
	if err := ctx.Err(); err != nil {
		r.done = true
		return nil, err
	}
	if ctx != r.act.ctx && ctx.Done() != nil {
		stop := context.AfterFunc(ctx, func() { r.act.cancel(); r.conn.interrupt() })
		defer stop()
	}
	chunk := bindings.FetchChunk(r.res)
	if chunk.Ptr == nil {
		r.done = true
		if text := bindings.ResultError(&r.res); text != "" {
			return nil, r.act.cause(answered(bindings.ResultErrorType(&r.res), text))
		}
		return nil, io.EOF
	}
	defer bindings.DestroyDataChunk(&chunk)
	if bindings.DataChunkGetSize(chunk) == 0 {
		r.done = true
		return nil, io.EOF
	}
	b, err := r.batch(chunk)
	if err != nil {
		r.done = true
	}
	return b, err
}

func (r *reader) batch(chunk bindings.DataChunk) (*row.Batch, error) {
	b := row.NewBatch(r.schema)
	b.Len = int(bindings.DataChunkGetSize(chunk))
	for i, c := range b.Columns {
		vec := newVector(bindings.DataChunkGetVector(chunk, bindings.IdxT(i)))
		c.Grow(b.Len, 0)
		if err := r.copy[i](c, vec, 0, b.Len); err != nil {
			return nil, fmt.Errorf("column %s: %w", r.schema[i].Name, err)
		}
	}
	return b, nil
}

// Close stops the query when it still runs.
func (r *reader) Close() error {
	if r.act == nil {
		return nil
	}
	r.act.cancel() // readers that DuckDB waits for give up
	if !r.done {
		r.conn.interrupt()
	}
	r.done = true
	bindings.DestroyResult(&r.res)
	r.conn.end(r.act)
	r.act = nil
	if r.owns {
		return r.conn.Close()
	}
	return nil
}
