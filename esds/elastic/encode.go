package elastic

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

// encoder turns rows into the lines of a bulk request.
type encoder struct {
	index   string
	action  esds.Action
	id      int // column; -1 for ids of prefix and row number
	prefix  string
	columns []encoded
	nulls   bool // write NULL as null
}

// encoded is a column of the documents.
type encoded struct {
	at     int
	name   string
	quoted []byte     // the name with quotes and colon
	date   dateFormat // of dates
	asJSON bool       // text that is JSON stands as it is: geo_point and the like
}

// item is one row in a batch: where its lines stand.
type item struct {
	row               int64
	start, doc, end   int // of the action line, the document, and the end of both
	idStart, idEnd    int // in the batch's ids
	unknown, retried  bool
	status            int
	errType, errCause string
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
	return e, nil
}

func newEncoded(at int, f row.Field, fields []esds.Field) encoded {
	c := encoded{at: at, name: f.Name, date: dateFormat{{kind: dateISO}}}
	field := esds.Find(fields, f.Name)
	if field != nil {
		c.name = field.Path // in the index's own case
		if isDate(field.Kind) {
			if known, ok := parseDateFormat(field.Format); ok {
				c.date = known
			}
		}
		if field.Kind == "long" {
			c.date = dateFormat{{kind: dateMillis}} // as elasticsearch-hadoop makes it
		}
		c.asJSON = hasOwnForm(field.Kind)
	}
	c.quoted = append(row.AppendQuoted(nil, c.name), ':')
	return c
}

// errRow is why a row cannot be sent.
type errRow struct{ reason string }

func (e errRow) Error() string { return e.reason }

// appendID appends the id of a row.
func (e *encoder) appendID(dst []byte, b *row.Batch, i int, n int64) ([]byte, error) {
	if e.id < 0 {
		return strconv.AppendInt(append(dst, e.prefix...), n, 10), nil
	}
	c := b.Columns[e.id]
	if c.IsNull(i) {
		return dst, errRow{"the id is NULL"}
	}
	start := len(dst)
	dst = row.AppendText(dst, c, i)
	switch n := len(dst) - start; {
	case n == 0:
		return dst, errRow{"the id is empty"}
	case n > 512:
		return dst, errRow{fmt.Sprintf("the id has %d bytes; 512 are the most", n)}
	}
	return dst, nil
}

// appendAction appends the line that says what to do.
func (e *encoder) appendAction(dst, id []byte) []byte {
	switch e.action {
	case esds.CreateDoc:
		dst = append(dst, `{"create":{"_id":`...)
	case esds.UpdateDoc, esds.UpsertDoc:
		dst = append(dst, `{"update":{"_id":`...)
	case esds.DeleteDoc:
		dst = append(dst, `{"delete":{"_id":`...)
	default:
		dst = append(dst, `{"index":{"_id":`...)
	}
	return append(row.AppendQuoted(dst, id), "}}\n"...)
}

// appendLines appends the document with what its action puts around it.
func (e *encoder) appendLines(dst []byte, b *row.Batch, i int) ([]byte, error) {
	var err error
	switch e.action {
	case esds.DeleteDoc:
		return dst, nil
	case esds.UpdateDoc, esds.UpsertDoc:
		dst, err = e.appendDocument(append(dst, `{"doc":`...), b, i)
		if e.action == esds.UpsertDoc {
			dst = append(dst, `,"doc_as_upsert":true`...)
		}
		dst = append(dst, '}')
	default:
		dst, err = e.appendDocument(dst, b, i)
	}
	return append(dst, '\n'), err
}

// appendDocument appends a row as a JSON object. A NULL column is left out.
func (e *encoder) appendDocument(dst []byte, b *row.Batch, i int) ([]byte, error) {
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

var errNotFinite = errors.New("is NaN or infinite, which JSON has no number for")

func (c *encoded) appendValue(dst []byte, col *row.Column, i int, nulls bool) ([]byte, error) {
	if col.IsNull(i) {
		return append(dst, "null"...), nil
	}
	switch col.Type.Kind {
	case row.Float, row.Double:
		if v := col.Floats[i]; math.IsNaN(v) || math.IsInf(v, 0) {
			return append(dst, "null"...), errNotFinite
		}
	case row.Date:
		return c.date.append(dst, col.Ints[i]*86_400_000_000, row.Date), nil
	case row.Timestamp, row.TimestampNTZ:
		return c.date.append(dst, col.Ints[i], col.Type.Kind), nil
	case row.String:
		if text := col.Text(i); c.asJSON && len(text) > 0 && (text[0] == '{' || text[0] == '[') && jsontext.Value(text).IsValid() {
			v := jsontext.Value(append([]byte{}, text...))
			if v.Compact() == nil { // a line must not hold a line break
				return append(dst, v...), nil
			}
		}
	case row.Array:
		return c.appendArray(dst, col, i, nulls)
	case row.Struct:
		return c.appendStruct(dst, col, i, nulls)
	case row.Map:
		return c.appendMap(dst, col, i, nulls)
	}
	return row.AppendJSON(dst, col, i), nil
}

func (c *encoded) appendArray(dst []byte, col *row.Column, i int, nulls bool) ([]byte, error) {
	start, end := col.Range(i)
	var err, first error
	dst = append(dst, '[')
	for j := start; j < end; j++ {
		if j > start {
			dst = append(dst, ',')
		}
		if dst, err = c.appendValue(dst, col.Children[0], j, nulls); err != nil {
			first = err
		}
	}
	return append(dst, ']'), first
}

func (c *encoded) appendStruct(dst []byte, col *row.Column, i int, nulls bool) ([]byte, error) {
	var err, first error
	dst = append(dst, '{')
	start := len(dst)
	for k, f := range col.Type.Fields {
		if col.Children[k].IsNull(i) && !nulls {
			continue
		}
		if len(dst) > start {
			dst = append(dst, ',')
		}
		dst = append(row.AppendQuoted(dst, f.Name), ':')
		if dst, err = c.appendValue(dst, col.Children[k], i, nulls); err != nil {
			first = err
		}
	}
	return append(dst, '}'), first
}

func (c *encoded) appendMap(dst []byte, col *row.Column, i int, nulls bool) ([]byte, error) {
	start, end := col.Range(i)
	var err, first error
	dst = append(dst, '{')
	for j := start; j < end; j++ {
		if j > start {
			dst = append(dst, ',')
		}
		dst = append(row.AppendQuoted(dst, row.AppendText(nil, col.Children[0], j)), ':')
		if dst, err = c.appendValue(dst, col.Children[1], j, nulls); err != nil {
			first = err
		}
	}
	return append(dst, '}'), first
}
