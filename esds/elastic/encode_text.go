package elastic

import (
	"bytes"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

// textual makes lines of a bulk request of rows that come as text: each as the id,
// where it does not stand first in the document, and the members of the document,
// each behind a comma.
type textual struct {
	lines   *row.Lines
	action  esds.Action
	opening []byte
	ids     *encoder // makes ids where no column has them; nil where one does
	idOpen  []byte   // stands before the id, which is a part of the document then
}

// textual returns how rows become lines without becoming values before, nil when
// more is to be said of a row than its id and its document.
func (e *encoder) textual() *textual {
	if e.input || e.script != nil || e.names != nil || e.routing != nil || e.version != nil || e.action != esds.IndexDoc && e.action != esds.CreateDoc {
		return nil
	}
	t := &textual{
		action: e.action, opening: e.opening,
		lines: &row.Lines{JSON: true, Omit: !e.nulls, Null: []byte("null"), Close: []byte("}\n"), Text: row.AppendQuoted[[]byte]},
	}
	if e.id == nil {
		t.ids = e
	} else if !t.withID(e) {
		return nil
	}
	for k := range e.columns {
		c := &e.columns[k]
		t.lines.Columns, t.lines.Open = append(t.lines.Columns, c.at), append(t.lines.Open, c.quoted)
		t.lines.Values = append(t.lines.Values, row.PlaceValue{Append: c.append, Copied: c.copied})
	}
	return t
}

// withID sees to it that lines begin with the id. It is false when the id is not
// what JSON has of a column.
func (t *textual) withID(e *encoder) bool {
	id, ok := e.id.(*pickColumn)
	if !ok || len(id.path) > 0 || id.typ.Kind != row.String && !id.typ.Integral() {
		return false
	}
	if len(e.columns) > 0 && e.columns[0].at == id.at && e.columns[0].copied {
		t.idOpen = e.columns[0].quoted
		return true
	}
	t.lines.Columns, t.lines.Open, t.lines.Values = []int{id.at}, [][]byte{nil}, []row.PlaceValue{{}}
	return true
}

// encode appends a row that came as text to a batch, as encoder.encode does with
// one of values.
func (t *textual) encode(to *batch, it *item, line []byte) error {
	it.action, it.doc = t.action, len(to.buf)
	doc, err := t.appendAction(to, it, line)
	it.doc = len(to.buf)
	to.buf = append(to.buf, '{')
	if doc[0] == ',' {
		doc = doc[1:]
	}
	to.buf = append(to.buf, doc...)
	return err
}

// appendAction appends the line that says what to do with which document, and
// returns what the document is made of.
func (t *textual) appendAction(to *batch, it *item, line []byte) (doc []byte, err error) {
	if t.ids != nil {
		if to.ids, err = t.ids.appendID(to.ids, picked{}, it.row); err != nil {
			return line, err
		}
		to.buf = row.AppendQuoted(append(to.buf, t.opening...), to.ids[it.idStart:])
		to.buf = append(to.buf, "}}\n"...)
		return line, nil
	}
	id, doc := t.split(line)
	quoted := len(id) > 0 && id[0] == '"'
	switch {
	case len(id) == 0 || string(id) == "null":
		return doc, errRow{"the id is NULL"}
	case !quoted:
		to.ids = append(to.ids, id...)
	case bytes.IndexByte(id, '\\') < 0:
		to.ids = append(to.ids, id[1:len(id)-1]...)
	default:
		if to.ids, err = appendUnquoted(to.ids, id); err != nil {
			return doc, err
		}
	}
	if err := checkID(to.ids[it.idStart:]); err != nil {
		to.ids = to.ids[:it.idStart]
		return doc, err
	}
	to.buf = append(to.buf, t.opening...)
	if quoted {
		to.buf = append(to.buf, id...)
	} else {
		to.buf = append(append(append(to.buf, '"'), id...), '"')
	}
	to.buf = append(to.buf, "}}\n"...)
	return doc, nil
}

// split returns the id as JSON, empty for none, and what the document is made of.
func (t *textual) split(line []byte) (id, doc []byte) {
	from := len(t.idOpen)
	if !bytes.HasPrefix(line, t.idOpen) {
		return nil, line
	}
	end := from
	if line[from] == '"' {
		end, _, _ = scanText(line, from) // it is one that we wrote
	}
	for line[end] != ',' && line[end] != '}' {
		end++
	}
	if from > 0 {
		return line[from:end], line
	}
	return line[:end], line[end:]
}
