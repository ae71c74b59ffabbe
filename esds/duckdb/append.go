package duckdb

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/eslake/eslake/sql/row"
)

// Append adds the rows of r to a table, which is spelled as SQL needs it, and
// closes r. The reader's columns go to the table's by name. It runs in the
// connection's transaction, so without one all rows are added or none.
func (c *Conn) Append(ctx context.Context, table string, r row.Reader) (int64, error) {
	defer r.Close()
	sql, release := c.db.Register(r.Schema(), once(r), 0)
	defer release()
	names := make([]string, len(r.Schema()))
	for i, f := range r.Schema() {
		names[i] = Name(f.Name)
	}
	list := strings.Join(names, ", ")
	return c.Count(ctx, fmt.Sprintf("INSERT INTO %s (%s) SELECT %s FROM %s", table, list, list, sql))
}

// once opens a reader that exists already; it cannot be read twice.
func once(r row.Reader) func(context.Context) (row.Reader, error) {
	used := false
	return func(context.Context) (row.Reader, error) {
		if used {
			return nil, errors.New("the rows were read already")
		}
		used = true
		return r, nil
	}
}

// Count runs SQL whose result is one whole number: count(*), or the rows that an
// INSERT, UPDATE or DELETE changed.
func (c *Conn) Count(ctx context.Context, sql string) (int64, error) {
	r, err := c.Query(ctx, sql, row.Schema{{Name: "count", Type: row.BigIntType}})
	if err != nil {
		return 0, err
	}
	defer r.Close()
	n := int64(0)
	for {
		b, err := r.Next(ctx)
		if row.Ended(err) {
			return n, nil
		}
		if err != nil {
			return 0, err
		}
		if b.Len > 0 {
			n = b.Columns[0].Ints[0]
		}
	}
}
