package elastic

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

// changes turns rows of esds.ChangeSchema into lines.
type changes struct {
	index   string // for rows that name none; "" when each has to
	written map[string]bool
}

// changeCoder also finds out that the index is there, which a bulk request would
// make else.
func (s *Source) changeCoder(ctx context.Context, w *esds.Write, schema row.Schema) (coder, error) {
	if err := esds.CheckChanges(schema); err != nil {
		return nil, &esds.Error{Op: "write", Index: w.Index, Err: err}
	}
	t, err := s.Resolve(ctx, w.Index)
	if err != nil {
		return nil, err
	}
	if t.Kind == esds.Absent {
		return nil, &esds.Error{Op: "write", Index: w.Index, Status: http.StatusNotFound, Err: esds.ErrIndexNotFound}
	}
	c := &changes{index: w.Index, written: map[string]bool{}}
	if t.Write == "" {
		c.index = ""
	}
	return c, nil
}

func (c *changes) own() bool         { return false }
func (c *changes) lanes() lanes      { return lanes{} } // the rows are of several indices
func (c *changes) textual() *textual { return nil }
func (c *changes) indices() []string {
	return slices.Sorted(maps.Keys(c.written))
}
func (c *changes) scripted(*item) bool { return false }

func (c *changes) encode(_ context.Context, to *batch, it *item, b *row.Batch, i int) error {
	it.doc = it.start
	var err error
	if to.ids, err = c.AppendID(to.ids, b, i, it.row); err != nil {
		return err
	}
	if it.action = esds.Action(text(b, esds.ChangeAction, i)); it.action != esds.IndexDoc && it.action != esds.CreateDoc && it.action != esds.DeleteDoc {
		return errRow{fmt.Sprintf("%q is no change of a document", it.action)}
	}
	it.index, it.routing = text(b, esds.ChangeIndex, i), text(b, esds.ChangeRouting, i)
	if it.index == "" {
		it.index = c.index
	}
	if it.index == "" {
		return errRow{"the change does not say in which index"}
	}
	if !c.written[it.index] {
		c.written[it.index] = true
	}
	dst := append(append(append(to.buf, `{"`...), it.action...), `":{`...)
	dst = appendMember(dst, "_index", it.index)
	dst = append(row.AppendQuoted(append(dst, `,"_id":`...), to.ids[it.idStart:]), conditions(b, i, it)...)
	dst = append(dst, "}}\n"...)
	it.doc, to.buf = len(dst), dst
	if it.action == esds.DeleteDoc {
		return nil
	}
	if to.buf, err = c.AppendDocument(dst, b, i); err != nil {
		return err
	}
	to.buf = append(to.buf, '\n')
	return nil
}

// conditions is what the action line says besides.
func conditions(b *row.Batch, i int, it *item) (dst []byte) {
	if it.routing != "" {
		dst = appendMember(append(dst, ','), "routing", it.routing)
	}
	seq, term := b.Columns[esds.ChangeSeqNo], b.Columns[esds.ChangeTerm]
	if seq.IsNull(i) || term.IsNull(i) {
		return dst
	}
	it.conditional = true
	dst = strconv.AppendInt(append(dst, `,"if_seq_no":`...), seq.Ints[i], 10)
	return strconv.AppendInt(append(dst, `,"if_primary_term":`...), term.Ints[i], 10)
}

func text(b *row.Batch, column, i int) string {
	if c := b.Columns[column]; !c.IsNull(i) {
		return string(c.Text(i))
	}
	return ""
}

// AppendID appends the id of a change.
func (c *changes) AppendID(dst []byte, b *row.Batch, i int, _ int64) ([]byte, error) {
	col := b.Columns[esds.ChangeID]
	if col.IsNull(i) {
		return dst, errRow{"the id is NULL"}
	}
	return append(dst, col.Text(i)...), checkID(col.Text(i))
}

// AppendDocument appends the document of a change on one line.
func (c *changes) AppendDocument(dst []byte, b *row.Batch, i int) ([]byte, error) {
	col := b.Columns[esds.ChangeSource]
	if col.IsNull(i) {
		return dst, errRow{"the document is NULL"}
	}
	return appendJSONLine(dst, col.Text(i))
}

// appendJSONLine appends a JSON object without line breaks.
func appendJSONLine(dst, doc []byte) ([]byte, error) {
	start := len(dst)
	dst = append(dst, bytes.TrimSpace(doc)...)
	v := jsontext.Value(dst[start:])
	if !v.IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) || v.Kind() != '{' {
		return dst, errRow{"the document is not a JSON object"}
	}
	if bytes.ContainsAny(v, "\r\n") {
		if err := v.Compact(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err != nil {
			return dst, errRow{err.Error()}
		}
		dst = append(dst[:start], v...)
	}
	return dst, nil
}
