package session

import (
	"context"

	"github.com/eslake/eslake/sql/row"
)

// zoned shows the timestamps of rows in the session's time zone.
type zoned struct {
	row.Reader
	zone *row.Zone
}

// Next returns the next batch.
func (z zoned) Next(ctx context.Context) (*row.Batch, error) {
	b, err := z.Reader.Next(ctx)
	if b != nil {
		for _, c := range b.Columns {
			show(c, z.zone)
		}
	}
	return b, err
}

func show(c *row.Column, z *row.Zone) {
	c.Zone = z
	for _, child := range c.Children {
		show(child, z)
	}
}
