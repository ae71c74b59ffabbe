package elastic

import (
	"context"
	"fmt"
	"strconv"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

// coder turns rows into the lines of a bulk request.
type coder interface {
	esds.Encoder
	// encode appends row i of b, whose number is it.row, to a batch: its lines, its
	// id, and what the item has to say besides. An errRow is why the row is
	// rejected, any other error ends the write.
	encode(ctx context.Context, to *batch, it *item, b *row.Batch, i int) error
	// textual returns how rows that come as text become lines, nil when they must come
	// as values.
	textual() *textual
	// own reports whether the ids are made by eslake, so that all differ and a
	// conflict is with an earlier try.
	own() bool
	// indices returns the indices that were written, nil for the one of the write.
	indices() []string
	// lanes tells which rows go in requests of their own.
	lanes() lanes
	// scripted reports whether a row cannot be sent twice without harm.
	scripted(it *item) bool
}

// errRow is why a row cannot be sent.
type errRow struct{ reason string }

func (e errRow) Error() string { return e.reason }

// encoder turns the rows of a table into lines.
type encoder struct {
	schema      row.Schema
	action      esds.Action
	prefix      string // of ids, where there is no id
	id          pick   // nil for ids of prefix and row number
	routing     pick   // nil for none
	version     pick   // nil for none
	versionType string
	retries     int // es.update.retry.on.conflict
	script      *script
	input       bool // es.input.json: the one column is the document
	nulls       bool // write NULL as null
	opening     []byte
	keep        func(name string) bool
	names       *namedIndices // nil for one index
	columns     []encoded
	spread      lanes
}

// own reports whether ids are made of prefix and row number.
func (e *encoder) own() bool { return e.id == nil && e.action == esds.CreateDoc }

func (e *encoder) lanes() lanes { return e.spread }

// scripted reports whether updates run a script.
func (e *encoder) scripted(*item) bool { return e.script != nil }

func (e *encoder) indices() []string {
	if e.names == nil {
		return nil
	}
	return e.names.made()
}

func (e *encoder) row(b *row.Batch, i int) (picked, error) {
	r := picked{b: b, i: i}
	if !e.input {
		return r, nil
	}
	if b.Columns[0].IsNull(i) {
		return r, errRow{"the document is NULL"}
	}
	var err error
	r.doc, err = appendJSONLine(nil, b.Columns[0].Text(i))
	return r, err
}

func (e *encoder) encode(ctx context.Context, to *batch, it *item, b *row.Batch, i int) error {
	it.action, it.doc = e.action, len(to.buf)
	r, err := e.row(b, i)
	if err != nil {
		to.buf = append(to.buf, r.doc...)
		return err
	}
	columns, headErr := e.columns, error(nil)
	if e.names != nil {
		var t *place
		if t, headErr = e.names.find(ctx, r); headErr == nil {
			it.index, columns = t.index, t.columns
		}
	}
	if headErr == nil {
		headErr = e.appendAction(to, it, r)
	}
	it.doc = len(to.buf)
	if to.buf, err = e.appendLines(to.buf, r, columns); headErr != nil {
		return headErr
	}
	return err
}

// appendAction appends the line that says what to do with which document.
func (e *encoder) appendAction(to *batch, it *item, r picked) (err error) {
	if to.ids, err = e.appendID(to.ids, r, it.row); err != nil {
		to.ids = to.ids[:it.idStart]
		return err
	}
	to.buf = append(to.buf, e.opening...)
	dst := row.AppendQuoted(to.buf, to.ids[it.idStart:])
	if it.index != "" {
		dst = appendMember(append(dst, ','), "_index", it.index)
	}
	if e.routing != nil {
		text, ok, err := e.routing.text(nil, r)
		if err != nil {
			return err
		}
		if it.routing = string(text); ok && it.routing != "" {
			dst = appendMember(append(dst, ','), "routing", it.routing)
		}
	}
	if e.version != nil {
		if dst, err = e.appendVersion(dst, r); err != nil {
			return err
		}
		it.versioned = true
	}
	if e.retries > 0 {
		dst = strconv.AppendInt(append(dst, `,"retry_on_conflict":`...), int64(e.retries), 10)
	}
	to.buf = append(dst, "}}\n"...)
	return nil
}

func (e *encoder) appendVersion(dst []byte, r picked) ([]byte, error) {
	text, ok, err := e.version.text(nil, r)
	if err != nil {
		return dst, err
	}
	n, bad := strconv.ParseInt(string(text), 10, 64)
	if !ok || bad != nil || n < 0 {
		return dst, errRow{fmt.Sprintf("the version %q is not a whole number from 0 on", text)}
	}
	dst = strconv.AppendInt(append(dst, `,"version":`...), n, 10)
	return appendMember(append(dst, ','), "version_type", e.versionType), nil
}

// AppendID appends the id of a row.
func (e *encoder) AppendID(dst []byte, b *row.Batch, i int, n int64) ([]byte, error) {
	r, err := e.row(b, i)
	if err != nil {
		return dst, err
	}
	return e.appendID(dst, r, n)
}

func (e *encoder) appendID(dst []byte, r picked, n int64) ([]byte, error) {
	if e.id == nil {
		return strconv.AppendInt(append(dst, e.prefix...), n, 10), nil
	}
	start := len(dst)
	dst, ok, err := e.id.text(dst, r)
	switch {
	case err != nil:
		return dst, err
	case !ok:
		return dst, errRow{"the id is NULL"}
	}
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
func (e *encoder) appendLines(dst []byte, r picked, columns []encoded) ([]byte, error) {
	var err error
	switch {
	case e.action == esds.DeleteDoc:
		return dst, nil
	case e.script != nil:
		dst, err = e.appendScript(dst, r, columns)
	case e.action == esds.UpdateDoc:
		dst, err = e.appendDocument(append(dst, `{"doc":`...), r, columns)
		dst = append(dst, '}')
	case e.action == esds.UpsertDoc:
		dst, err = e.appendDocument(append(dst, `{"doc":`...), r, columns)
		dst = append(dst, `,"doc_as_upsert":true}`...)
	default:
		dst, err = e.appendDocument(dst, r, columns)
	}
	return append(dst, '\n'), err
}

func (e *encoder) appendScript(dst []byte, r picked, columns []encoded) ([]byte, error) {
	dst, err := e.script.append(dst, r)
	if err != nil {
		return dst, err
	}
	switch {
	case e.action == esds.UpsertDoc && e.script.upsert:
		dst = append(dst, `,"scripted_upsert":true,"upsert":{}`...)
	case e.action == esds.UpsertDoc:
		dst, err = e.appendDocument(append(dst, `,"upsert":`...), r, columns)
	}
	return append(dst, '}'), err
}

// AppendDocument appends a row as a JSON object.
func (e *encoder) AppendDocument(dst []byte, b *row.Batch, i int) ([]byte, error) {
	r, err := e.row(b, i)
	if err != nil {
		return dst, err
	}
	return e.appendDocument(dst, r, e.columns)
}

// appendDocument appends a row as a JSON object. A NULL column is left out.
func (e *encoder) appendDocument(dst []byte, r picked, columns []encoded) ([]byte, error) {
	if e.input {
		return append(dst, r.doc...), nil
	}
	start := len(dst)
	var err error
	for k := range columns {
		c := &columns[k]
		col := r.b.Columns[c.at]
		if col.IsNull(r.i) {
			if e.nulls {
				dst = append(append(dst, c.quoted...), "null"...)
			}
			continue
		}
		var problem error
		if dst, problem = c.append(append(dst, c.quoted...), col, r.i); problem != nil && err == nil {
			err = errRow{fmt.Sprintf("column %s %s", c.name, problem)}
		}
	}
	if len(dst) == start {
		dst = append(dst, '{')
	}
	dst[start] = '{' // in the place of the first comma
	return append(dst, '}'), err
}

// appendMember appends a name and a text as a member of an object.
func appendMember(dst []byte, name, value string) []byte {
	dst = append(append(append(dst, '"'), name...), `":`...)
	return row.AppendQuoted(dst, value)
}
