package row

import (
	"context"
	"io"
	"maps"
	"slices"
)

// BatchSize is the number of rows that producers aim at. Batches may be smaller
// and, where a source's page is larger, larger.
const BatchSize = 2048

// Batch is some rows of a schema, column by column. All columns have Len values.
type Batch struct {
	Len     int
	Columns []*Column
}

// NewBatch returns an empty batch with a column for every field.
func NewBatch(s Schema) *Batch {
	b := &Batch{Columns: make([]*Column, len(s))}
	for i, f := range s {
		b.Columns[i] = NewColumn(f.Type)
	}
	return b
}

// AppendRow appends a row of Go values, see Column.Append.
func (b *Batch) AppendRow(values ...any) error {
	for i, v := range values {
		if err := b.Columns[i].Append(v); err != nil {
			for _, c := range b.Columns[:i] {
				c.Truncate(b.Len)
			}
			return err
		}
	}
	b.Len++
	return nil
}

// Row returns row i as Go values, see Column.Value.
func (b *Batch) Row(i int) []any {
	values := make([]any, len(b.Columns))
	for k, c := range b.Columns {
		values[k] = c.Value(i)
	}
	return values
}

// Truncate drops all rows from n on.
func (b *Batch) Truncate(n int) {
	if n >= b.Len {
		return
	}
	for _, c := range b.Columns {
		c.Truncate(n)
	}
	b.Len = n
}

// Reader yields batches of rows. Next returns io.EOF after the last one, and an
// error only once. A batch belongs to the caller, who may change it. Close frees
// what the reader holds, also on a server, and may be called twice.
type Reader interface {
	Schema() Schema
	Next(ctx context.Context) (*Batch, error)
	Close() error
}

// Ended reports whether an error of Next is the end of the rows. That is io.EOF
// itself: a wrapped one is a connection that broke off, and rows are missing.
func Ended(err error) bool {
	return err == io.EOF //nolint:errorlint // see above
}

// Batches is a Reader over batches in memory.
type Batches struct {
	schema Schema
	rest   []*Batch
}

// NewBatches returns a Reader that yields the given batches.
func NewBatches(s Schema, batches ...*Batch) *Batches {
	return &Batches{schema: s, rest: batches}
}

// Schema returns the columns.
func (r *Batches) Schema() Schema { return r.schema }

// Next returns the next batch.
func (r *Batches) Next(context.Context) (*Batch, error) {
	if len(r.rest) == 0 {
		return nil, io.EOF
	}
	b := r.rest[0]
	r.rest = r.rest[1:]
	return b, nil
}

// Close drops the batches left.
func (r *Batches) Close() error {
	r.rest = nil
	return nil
}

// ReadAll reads r to its end, closes it, and returns the rows as Go values.
func ReadAll(ctx context.Context, r Reader) ([][]any, error) {
	defer r.Close()
	var rows [][]any
	for {
		b, err := r.Next(ctx)
		if Ended(err) {
			return rows, nil
		}
		if err != nil {
			return rows, err
		}
		for i := range b.Len {
			rows = append(rows, b.Row(i))
		}
	}
}

func sortedKeys(m map[string]any) []string {
	return slices.Sorted(maps.Keys(m))
}
