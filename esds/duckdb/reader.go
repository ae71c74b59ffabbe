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

	chunk bindings.DataChunk // Ptr is nil when all of it was given out
	from  int                // rows of the chunk that were given out
	rows  int                // of the next batch, about
}

// firstRows is how many rows the first batch has at most. Rows may be wide: what
// a batch takes shows how many the next one may have.
const firstRows = 128

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

// Next returns the next chunk, or a part of it when rows are wide.
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
	if r.chunk.Ptr == nil {
		if err := r.fetch(); err != nil {
			r.done = true
			return nil, err
		}
	}
	b, err := r.batch()
	if err != nil {
		r.done = true
	}
	return b, err
}

// fetch waits for a chunk that has rows.
func (r *reader) fetch() error {
	chunk := bindings.FetchChunk(r.res)
	if chunk.Ptr == nil {
		if text := bindings.ResultError(&r.res); text != "" {
			return r.act.cause(answered(bindings.ResultErrorType(&r.res), text))
		}
		return io.EOF
	}
	if bindings.DataChunkGetSize(chunk) == 0 {
		bindings.DestroyDataChunk(&chunk)
		return io.EOF
	}
	r.chunk, r.from = chunk, 0
	return nil
}

// batch copies rows of the chunk, about chunkBytes of them, and drops the chunk
// after its last row.
func (r *reader) batch() (*row.Batch, error) {
	size := int(bindings.DataChunkGetSize(r.chunk))
	end := min(size, r.from+r.rows)
	b := row.NewBatch(r.schema)
	b.Len = end - r.from
	bytes := 0
	for i, c := range b.Columns {
		vec := newVector(bindings.DataChunkGetVector(r.chunk, bindings.IdxT(i)))
		c.Grow(b.Len, 0)
		if err := r.copy[i](c, vec, r.from, end); err != nil {
			return nil, fmt.Errorf("column %s: %w", r.schema[i].Name, err)
		}
		bytes += c.TextBytes()
	}
	r.from, r.rows = end, rowsOf(bytes, b.Len)
	if end == size {
		bindings.DestroyDataChunk(&r.chunk)
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
	if r.chunk.Ptr != nil {
		bindings.DestroyDataChunk(&r.chunk)
	}
	bindings.DestroyResult(&r.res)
	r.conn.end(r.act)
	r.act = nil
	if r.owns {
		return r.conn.Close()
	}
	return nil
}
