package exec

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/planner/job"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// current is a document as it is now.
type current struct {
	routing     string
	seqNo, term int64
	source      []byte // nil when the index keeps none
}

// docKey names a document.
type docKey struct{ index, id string }

// readChunk is how many documents are read at once by their ids.
const readChunk = 1000

// eachCurrent calls f with each change and its document as it is now, nil when it
// is not there.
func eachCurrent(ctx context.Context, src esds.Source, write esds.Write, changes []job.Change, f func(job.Change, *current) error) error {
	for len(changes) > 0 {
		n := min(readChunk, len(changes))
		now, err := readDocuments(ctx, src, write, changes[:n])
		if err != nil {
			return err
		}
		for _, c := range changes[:n] {
			if err := f(c, now[docKey{indexOf(c, write), c.ID}]); err != nil {
				return err
			}
		}
		changes = changes[n:]
	}
	return nil
}

// indexOf is the index of a change's document.
func indexOf(c job.Change, w esds.Write) string {
	if c.Index == "" {
		return w.Index
	}
	return c.Index
}

// readDocuments reads the documents of some changes.
func readDocuments(ctx context.Context, src esds.Source, write esds.Write, changes []job.Change) (map[docKey]*current, error) {
	ids := map[string][]expr.Expr{}
	for _, c := range changes {
		lit := &expr.Literal{Node: expr.Node{T: row.StringType}, Value: c.ID}
		index := indexOf(c, write)
		ids[index] = append(ids[index], lit)
	}
	found := map[docKey]*current{}
	for index, list := range ids {
		if err := readIndex(ctx, src, write.Options, index, list, found); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// documentColumns are what a change needs to know of a document.
var documentColumns = row.Schema{
	{Name: "_id", Type: row.StringType},
	{Name: "_routing", Type: row.StringType},
	{Name: "_seq_no", Type: row.BigIntType},
	{Name: "_primary_term", Type: row.BigIntType},
	{Name: "_source", Type: row.StringType},
}

func readIndex(ctx context.Context, src esds.Source, opts esds.Options, index string, ids []expr.Expr, found map[docKey]*current) error {
	if !opts.Has("es.scroll.size") { // so that all of them come with the first page
		opts = opts.With(esds.Options{"es.scroll.size": strconv.Itoa(readChunk)})
	}
	open, err := src.Open(ctx, index, opts)
	if err != nil {
		return err
	}
	id := &expr.Column{Node: expr.Node{T: row.StringType}, ID: 1, Name: "_id"}
	cond, err := expr.Resolve(&expr.Call{Func: "in", Args: append([]expr.Expr{id}, ids...)})
	if err != nil {
		return err
	}
	scan := esds.Scan{Columns: documentColumns}
	if open.Pushdown(cond) == esds.No {
		return &esds.Error{Op: "read documents by id", Index: index, Err: errors.New("the source cannot look up ids")}
	}
	scan.Filter = []expr.Expr{cond}
	return eachScanned(ctx, open, scan, func(id string, c *current) error {
		found[docKey{index, id}] = c
		return nil
	})
}

// eachScanned calls f with each document of a scan of documentColumns.
func eachScanned(ctx context.Context, open esds.Index, scan esds.Scan, f func(id string, d *current) error) error {
	rows, err := open.Scan(ctx, scan)
	if err != nil {
		return err
	}
	defer rows.Close()
	_, err = eachBatch(ctx, rows, func(b *row.Batch) error {
		for i := range b.Len {
			id := textOf(b.Columns[0], i)
			d, err := currentOf(b, i)
			if err != nil {
				return fmt.Errorf("document %s: %w", id, err)
			}
			if err := f(id, d); err != nil {
				return err
			}
		}
		return nil
	})
	return err
}

// currentOf is a row of documentColumns.
func currentOf(b *row.Batch, i int) (*current, error) {
	c := &current{routing: textOf(b.Columns[1], i), seqNo: intOf(b.Columns[2], i), term: intOf(b.Columns[3], i)}
	var err error
	c.source, err = sourceOf(b.Columns[4], i)
	return c, err
}

// sourceOf returns a document on one line, nil when the index keeps none.
func sourceOf(c *row.Column, i int) ([]byte, error) {
	if c.IsNull(i) {
		return nil, nil
	}
	return oneLine(append([]byte{}, c.Text(i)...))
}

func textOf(c *row.Column, i int) string {
	if c.IsNull(i) {
		return ""
	}
	return string(c.Text(i))
}

func intOf(c *row.Column, i int) int64 {
	if c.IsNull(i) {
		return 0
	}
	return c.Ints[i]
}
