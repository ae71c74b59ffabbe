package local

import (
	"context"
	"fmt"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

var _ esds.Encoder = (*encoder)(nil)

// encoder makes documents of rows.
type encoder struct{ l *loader }

// Encode returns what makes documents of rows of a schema as Write does.
func (s *Source) Encode(ctx context.Context, w esds.Write, schema row.Schema) (esds.Encoder, error) {
	t := &transaction{source: s, write: w}
	t.defaultAction()
	if w.Changes {
		return changeEncoder{}, nil
	}
	if err := s.attached(ctx); err != nil {
		return nil, err
	}
	l, err := newLoader(t, row.NewBatches(schema))
	if err != nil {
		return nil, s.fail("write", w.Index, err)
	}
	return &encoder{l}, nil
}

// AppendID appends the id of a row.
func (e *encoder) AppendID(dst []byte, b *row.Batch, i int, n int64) ([]byte, error) {
	return e.l.appendID(dst, b, i, n)
}

// AppendDocument appends a row as JSON.
func (e *encoder) AppendDocument(dst []byte, b *row.Batch, i int) ([]byte, error) {
	return e.l.appendDocument(dst, b, i, e.l.t.writeNull())
}

// changeEncoder gives the documents of changes as they are.
type changeEncoder struct{}

// AppendID appends the id of a change.
func (changeEncoder) AppendID(dst []byte, b *row.Batch, i int, _ int64) ([]byte, error) {
	if b.Columns[esds.ChangeID].IsNull(i) {
		return dst, errNoID
	}
	return append(dst, b.Columns[esds.ChangeID].Text(i)...), nil
}

// AppendDocument appends the document of a change.
func (changeEncoder) AppendDocument(dst []byte, b *row.Batch, i int) ([]byte, error) {
	if b.Columns[esds.ChangeSource].IsNull(i) {
		return dst, fmt.Errorf("the document is NULL")
	}
	return append(dst, b.Columns[esds.ChangeSource].Text(i)...), nil
}
