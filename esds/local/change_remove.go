package local

import (
	"context"
	"fmt"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

var wantedSchema = row.Schema{{Name: "n", Type: row.BigIntType}, {Name: "id", Type: row.StringType}}

// want fills the table of ids to look for.
func (c *changes) want(ctx context.Context, part []*change) error {
	if err := c.t.exec(ctx, "DELETE FROM wanted"); err != nil {
		return err
	}
	wanted := row.NewBatch(wantedSchema)
	for i, one := range part {
		wanted.Columns[0].AppendInt(int64(i))
		wanted.Columns[1].AppendString(one.id)
		wanted.Len++
	}
	_, err := c.t.conn.Append(ctx, "wanted", row.NewBatches(wantedSchema, wanted))
	return err
}

// find notes which documents are there.
func (c *changes) find(ctx context.Context, x *changed, part []*change) error {
	if err := c.want(ctx, part); err != nil {
		return err
	}
	three := row.Schema{{Name: "n", Type: row.BigIntType}, {Name: "s", Type: row.BigIntType}, {Name: "v", Type: row.BigIntType}}
	there := "SELECT w.n, t._seq_no, t._version FROM wanted w JOIN " + x.table + " t ON t._id = w.id"
	if x.removed > 0 {
		there += fmt.Sprintf(" WHERE t._seq_no NOT IN (SELECT seq_no FROM gone WHERE number = %d)", x.number)
	}
	r, err := c.t.conn.Query(ctx, there, three)
	if err != nil {
		return err
	}
	defer r.Close()
	for {
		b, err := r.Next(ctx)
		if err != nil {
			return endOf(err)
		}
		for i := range b.Len {
			one := part[b.Columns[0].Ints[i]]
			one.found, one.seqNo, one.version = true, b.Columns[1].Ints[i], b.Columns[2].Ints[i]
		}
	}
}

var goneSchema = row.Schema{{Name: "number", Type: row.BigIntType}, {Name: "seq_no", Type: row.BigIntType}}

// remove notes the documents that are deleted or replaced, and counts. They stay
// until the end: DuckDB does not commit a table that has lost rows before it was
// altered, as it is for fields that later documents bring.
func (c *changes) remove(ctx context.Context, x *changed, part []*change) error {
	gone := row.NewBatch(goneSchema)
	for _, one := range part {
		switch {
		case one.action == esds.DeleteDoc:
			c.t.report.Deleted++
		case one.found:
			c.t.report.Updated++
		default:
			c.t.report.Created++
			continue
		}
		gone.Columns[0].AppendInt(int64(x.number))
		gone.Columns[1].AppendInt(one.seqNo)
		gone.Len++
	}
	if gone.Len == 0 {
		return nil
	}
	x.removed += int64(gone.Len)
	_, err := c.t.conn.Append(ctx, "gone", row.NewBatches(goneSchema, gone))
	return err
}

// removeGone takes out what remove noted.
func (c *changes) removeGone(ctx context.Context) error {
	for name, x := range c.indices {
		if name != x.stored.name || x.removed == 0 {
			continue
		}
		n, err := c.t.count(ctx, "DELETE FROM %s WHERE _seq_no IN (SELECT seq_no FROM gone WHERE number = %d)", x.table, x.number)
		if err == nil && n != x.removed {
			err = fmt.Errorf("%d documents were there of %d", n, x.removed)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
