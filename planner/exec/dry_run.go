package exec

import (
	"context"
	"errors"
	"fmt"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

// ShownDocuments is how many documents a Rehearsal holds.
const ShownDocuments = 5

// Rehearsal is what a write would do.
type Rehearsal struct {
	Target    esds.Target
	Mode      string   // of an overwrite; "" for an append
	Before    int64    // documents that the target has
	Rows      int64    // all were read and made documents
	Refused   int64    // rows that cannot be made documents
	Why       string   // of the first of them
	Documents []string // the first, as they would be sent: id and JSON
	Fields    []string // how the columns differ from the fields of the index
}

// Rehearse reads all rows, which it closes, makes their documents, and writes
// nothing. It asks the source for nothing but what it has.
func (j *Job) Rehearse(ctx context.Context, rows row.Reader) (Rehearsal, error) {
	r, err := j.rehearseTarget(ctx, rows.Schema())
	if err == nil {
		err = j.rehearseRows(ctx, rows, &r)
	}
	return r, errors.Join(err, rows.Close())
}

func (j *Job) rehearseTarget(ctx context.Context, columns row.Schema) (r Rehearsal, err error) {
	if r.Target, err = j.resolve(ctx); err != nil {
		return r, err
	}
	if err = j.check(r.Target); err != nil {
		return r, err
	}
	if r.Target.Kind == esds.Dynamically {
		r.Mode = j.Overwrite
		return r, nil
	}
	if err = j.Source.Blocked(ctx, r.Target.Name); err != nil {
		return r, err
	}
	if j.Overwrite != "" {
		if r.Mode, err = j.mode(r.Target); err != nil {
			return r, err
		}
	}
	if r.Target.Kind == esds.Absent {
		return r, nil
	}
	if r.Before, err = j.Source.Count(ctx, r.Target.Name); err != nil {
		return r, err
	}
	index, err := j.Source.Open(ctx, r.Target.Name, j.Write.Options)
	if err != nil {
		return r, err
	}
	have := index.Schema()
	for _, c := range columns {
		switch i := have.Index(c.Name); {
		case i < 0:
			r.Fields = append(r.Fields, fmt.Sprintf("%s %s is new", row.QuoteName(c.Name), c.Type.SQL()))
		case !have[i].Type.Equal(c.Type):
			r.Fields = append(r.Fields, fmt.Sprintf("%s %s is %s in the index", row.QuoteName(c.Name), c.Type.SQL(), have[i].Type.SQL()))
		}
	}
	return r, nil
}

func (j *Job) rehearseRows(ctx context.Context, rows row.Reader, r *Rehearsal) error {
	enc, err := j.Source.Encode(ctx, j.Write, rows.Schema())
	if err != nil {
		return err
	}
	_, err = eachBatch(ctx, rows, func(b *row.Batch) error {
		for i := range b.Len {
			r.add(enc, b, i)
		}
		return nil
	})
	return err
}

// add makes a document of a row.
func (r *Rehearsal) add(enc esds.Encoder, b *row.Batch, i int) {
	r.Rows++
	id, err := enc.AppendID(nil, b, i, r.Rows)
	var document []byte
	if err == nil {
		document, err = enc.AppendDocument(nil, b, i)
	}
	switch {
	case err == nil && len(r.Documents) < ShownDocuments:
		r.Documents = append(r.Documents, string(id)+" "+string(document))
	case err != nil:
		if r.Refused++; r.Why == "" {
			r.Why = fmt.Sprintf("row %d: %v", r.Rows, err)
		}
	}
}
