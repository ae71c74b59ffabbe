package elastic

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

// coder turns rows into the lines of a bulk request.
type coder interface {
	esds.Encoder
	// encode appends row i of b, whose number is it.row, to a batch: its lines, its
	// id, and what the item has to say besides. An error is why the row is
	// rejected.
	encode(to *batch, it *item, b *row.Batch, i int) error
	// own reports whether the ids are made by eslake, so that all differ and a
	// conflict is with an earlier try.
	own() bool
	// manyIndices reports whether each row names its index.
	manyIndices() bool
	// scripted reports whether a row cannot be sent twice without harm.
	scripted(it *item) bool
}

// encoder turns the rows of a table into lines.
type encoder struct {
	index   string
	action  esds.Action
	id      int // column; -1 for ids of prefix and row number
	prefix  string
	columns []encoded
	nulls   bool // write NULL as null
	opening []byte
}

func newEncoder(w esds.Write, s row.Schema, fields []esds.Field) (*encoder, error) {
	e := &encoder{index: w.Index, action: w.Action, id: -1, prefix: w.IDPrefix, nulls: w.Options.Bool("es.spark.dataframe.write.null")}
	switch {
	case w.ID != "":
		if e.id = s.Index(w.ID); e.id < 0 {
			return nil, fmt.Errorf("column %s, which is to hold the id, is not among the rows", w.ID)
		}
		if t := s[e.id].Type; t.Nested() || t.Kind == row.Float || t.Kind == row.Double || t.Kind == row.Binary {
			return nil, fmt.Errorf("column %s is %s: an id must be text, a whole number, a decimal, a date or a boolean", w.ID, t)
		}
	case w.IDPrefix == "":
		return nil, errors.New("neither a column for the ids nor a prefix of ids is given")
	}
	if e.action == "" {
		e.action = esds.IndexDoc
	}
	include, exclude := w.Options.List("es.mapping.include"), w.Options.List("es.mapping.exclude")
	for i, f := range s {
		if isMetadata(f.Name) || len(include) > 0 && !esds.MatchNames(include, f.Name) || esds.MatchNames(exclude, f.Name) {
			continue
		}
		e.columns = append(e.columns, newEncoded(i, f, fields))
	}
	e.opening = []byte(`{"` + bulkAction(e.action) + `":{"_id":`)
	return e, nil
}

// bulkAction is the name of an action in a bulk request.
func bulkAction(a esds.Action) string {
	if a == esds.UpsertDoc {
		return string(esds.UpdateDoc)
	}
	return string(a)
}

func (e *encoder) own() bool           { return e.id < 0 && e.action == esds.CreateDoc }
func (e *encoder) manyIndices() bool   { return false }
func (e *encoder) scripted(*item) bool { return false }

// errRow is why a row cannot be sent.
type errRow struct{ reason string }

func (e errRow) Error() string { return e.reason }

func (e *encoder) encode(to *batch, it *item, b *row.Batch, i int) error {
	var idErr error
	it.action = e.action
	to.ids, idErr = e.AppendID(to.ids, b, i, it.row)
	to.buf = append(to.buf, e.opening...)
	to.buf = append(row.AppendQuoted(to.buf, to.ids[it.idStart:]), "}}\n"...)
	it.doc = len(to.buf)
	var err error
	if to.buf, err = e.appendLines(to.buf, b, i); idErr != nil {
		to.ids = to.ids[:it.idStart]
		return idErr
	}
	return err
}

// AppendID appends the id of a row.
func (e *encoder) AppendID(dst []byte, b *row.Batch, i int, n int64) ([]byte, error) {
	if e.id < 0 {
		return strconv.AppendInt(append(dst, e.prefix...), n, 10), nil
	}
	c := b.Columns[e.id]
	if c.IsNull(i) {
		return dst, errRow{"the id is NULL"}
	}
	start := len(dst)
	dst = row.AppendText(dst, c, i)
	return dst, checkID(dst[start:])
}

func checkID(id []byte) error {
	switch n := len(id); {
	case n == 0:
		return errRow{"the id is empty"}
	case n > 512:
		return errRow{fmt.Sprintf("the id has %d bytes; 512 are the most", n)}
	}
	return nil
}

// appendLines appends the document with what its action puts around it.
func (e *encoder) appendLines(dst []byte, b *row.Batch, i int) ([]byte, error) {
	var err error
	switch e.action {
	case esds.DeleteDoc:
		return dst, nil
	case esds.UpdateDoc, esds.UpsertDoc:
		dst, err = e.AppendDocument(append(dst, `{"doc":`...), b, i)
		if e.action == esds.UpsertDoc {
			dst = append(dst, `,"doc_as_upsert":true`...)
		}
		dst = append(dst, '}')
	default:
		dst, err = e.AppendDocument(dst, b, i)
	}
	return append(dst, '\n'), err
}

// AppendDocument appends a row as a JSON object. A NULL column is left out.
func (e *encoder) AppendDocument(dst []byte, b *row.Batch, i int) ([]byte, error) {
	dst = append(dst, '{')
	start := len(dst)
	var err error
	for k := range e.columns {
		c := &e.columns[k]
		col := b.Columns[c.at]
		if col.IsNull(i) && !e.nulls {
			continue
		}
		if len(dst) > start {
			dst = append(dst, ',')
		}
		dst = append(dst, c.quoted...)
		before := err
		if dst, err = c.appendValue(dst, col, i, e.nulls); err != nil {
			err = errRow{fmt.Sprintf("column %s %s", c.name, err)}
		}
		if before != nil {
			err = before
		}
	}
	return append(dst, '}'), err
}

// appendMember appends a name and a text as a member of an object.
func appendMember(dst []byte, name, value string) []byte {
	dst = append(append(append(dst, '"'), name...), `":`...)
	return row.AppendQuoted(dst, value)
}
