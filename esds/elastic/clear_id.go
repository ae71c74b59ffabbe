package elastic

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

// unhandled reports whether a server lacks what was asked for: the delete by query
// is a module that a distribution may leave out.
func unhandled(err error) bool {
	var e *esds.Error
	return errors.As(err, &e) && e.Status == http.StatusBadRequest && strings.Contains(e.Error(), "no handler found for uri")
}

// clearByID reads which documents there are, and deletes each by its id.
func (s *Source) clearByID(ctx context.Context, name string) error {
	index, err := s.Open(ctx, name, nil)
	if err != nil {
		return err
	}
	rows, err := index.Scan(ctx, esds.Scan{Columns: row.Schema{
		{Name: "_id", Type: row.StringType}, {Name: "_index", Type: row.StringType}, {Name: "_routing", Type: row.StringType},
	}})
	if err != nil {
		return err
	}
	_, err = s.Write(ctx, esds.Write{Index: name, Changes: true, Reject: func(r esds.Reject) error {
		if r.Status == http.StatusConflict || r.Status == http.StatusNotFound { // another writer; Clear counts again
			return nil
		}
		return &esds.Error{Op: "delete documents of", Index: r.Index, Status: r.Status, Err: fmt.Errorf("document %s: %s", r.ID, r.Reason)}
	}}, &deletions{rows})
	if err != nil {
		return err
	}
	return s.Refresh(ctx, name)
}

// deletions turns the ids of documents into changes that delete them.
type deletions struct{ ids row.Reader }

func (d *deletions) Schema() row.Schema { return esds.ChangeSchema() }

func (d *deletions) Next(ctx context.Context) (*row.Batch, error) {
	b, err := d.ids.Next(ctx)
	if err != nil {
		return nil, err
	}
	out := row.NewBatch(esds.ChangeSchema())
	for i := range b.Len {
		var routing any
		if c := b.Columns[2]; !c.IsNull(i) {
			routing = string(c.Text(i))
		}
		err := out.AppendRow(string(esds.DeleteDoc), string(b.Columns[0].Text(i)), string(b.Columns[1].Text(i)), routing, nil, nil, nil)
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (d *deletions) Close() error { return d.ids.Close() }
