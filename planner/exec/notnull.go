package exec

import (
	"context"
	"fmt"

	"github.com/eslake/eslake/sql/row"
)

// NotNull fails on a NULL in a column that is declared NOT NULL.
type NotNull struct {
	row.Reader
	columns []int
	read    int64
}

// NewNotNull returns a reader that owns in. Columns are the positions that may
// not be NULL; without any it is in itself.
func NewNotNull(in row.Reader, columns []int) row.Reader {
	if len(columns) == 0 {
		return in
	}
	return &NotNull{Reader: in, columns: columns}
}

// Next returns the next batch, or an error that names the first row with a NULL.
func (n *NotNull) Next(ctx context.Context) (*row.Batch, error) {
	b, err := n.Reader.Next(ctx)
	if err != nil {
		return nil, err
	}
	for _, at := range n.columns {
		c := b.Columns[at]
		for i := 0; c.HasNulls() && i < b.Len; i++ {
			if c.IsNull(i) {
				return nil, fmt.Errorf("row %d: column %s is NOT NULL, the value is NULL", n.read+int64(i)+1, row.QuoteName(n.Schema()[at].Name))
			}
		}
	}
	n.read += int64(b.Len)
	return b, nil
}
