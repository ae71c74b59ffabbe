package local

import (
	"context"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

// input is rows of whole documents (es.input.json) as changes.
type input struct {
	row.Reader
	write esds.Write
	n     int64
}

// Schema returns esds.ChangeSchema.
func (r *input) Schema() row.Schema { return esds.ChangeSchema() }

// Next returns the next rows.
func (r *input) Next(ctx context.Context) (*row.Batch, error) {
	b, err := r.Reader.Next(ctx)
	if err != nil {
		return nil, err
	}
	out := row.NewBatch(esds.ChangeSchema())
	for i := range b.Len {
		r.n++
		out.Columns[esds.ChangeAction].AppendString(string(r.write.Action))
		for _, k := range []int{esds.ChangeIndex, esds.ChangeRouting, esds.ChangeSeqNo, esds.ChangeTerm} {
			out.Columns[k].AppendNull()
		}
		out.Columns[esds.ChangeSource].AppendFrom(b.Columns[0], i)
		if id, ok := r.id(b, i); ok {
			out.Columns[esds.ChangeID].AppendText(id)
		} else {
			out.Columns[esds.ChangeID].AppendNull()
		}
		out.Len++
	}
	return out, nil
}

// id returns the id of a document, which it may hold under a path.
func (r *input) id(b *row.Batch, i int) ([]byte, bool) {
	if r.write.ID == "" {
		return rowID(nil, r.write.IDPrefix, r.n), true
	}
	if text, ok := constant(r.write.ID); ok {
		return []byte(text), true
	}
	if b.Columns[0].IsNull(i) {
		return nil, false
	}
	v := lookUp(b.Columns[0].Text(i), r.write.ID)
	switch v.Kind() {
	case '"':
		text, err := jsontext.AppendUnquote(nil, v)
		return text, err == nil
	case '0', 't', 'f':
		return v, true
	}
	return nil, false
}

// constant returns the text of <text>.
func constant(spec string) (string, bool) {
	if len(spec) > 1 && spec[0] == '<' && spec[len(spec)-1] == '>' {
		return spec[1 : len(spec)-1], true
	}
	return "", false
}

// lookUp returns what a path leads to within a document, null for nothing.
func lookUp(doc []byte, path string) jsontext.Value {
	d, err := readDocument(doc)
	if err != nil {
		return jsontext.Value("null")
	}
	for i, name := range d.names {
		if name == path {
			return d.values[i]
		}
	}
	head, rest, dotted := strings.Cut(path, ".")
	for i, name := range d.names {
		if dotted && name == head && d.values[i].Kind() == '{' {
			return lookUp(d.values[i], rest)
		}
	}
	return jsontext.Value("null")
}
