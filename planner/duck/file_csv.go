package duck

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/eslake/eslake/sql/row"
)

// dialect is how a csv file is written.
type dialect struct {
	sep           []byte
	quote, escape byte // 0 for none
	comment       byte // 0 for none
	header        bool
	null, empty   []byte // texts of NULL and of the empty string
	trimLeft      bool
	trimRight     bool
	mode          string
	encoding      string
	date, ts, ntz *row.TimePattern // nil for the usual forms
	zone          *row.Zone        // of timestamps without one
}

func newDialect(opts map[string]string) (*dialect, error) {
	get := func(key, or string) string {
		if v, ok := opts[key]; ok {
			return v
		}
		return or
	}
	first := func(s string) byte {
		if s == "" || s == "\\0" {
			return 0
		}
		return s[0]
	}
	d := &dialect{
		sep: []byte(unescapeChar(get("sep", ","))), quote: first(get("quote", `"`)), escape: first(get("escape", `\`)), comment: first(get("comment", "")),
		header: get("header", "false") == "true", null: []byte(get("nullValue", "")), empty: []byte(get("emptyValue", "")),
		trimLeft: get("ignoreLeadingWhiteSpace", "false") == "true", trimRight: get("ignoreTrailingWhiteSpace", "false") == "true",
		mode: modeOf(opts), encoding: get("encoding", ""),
	}
	if len(d.sep) == 0 {
		return nil, errors.New("option sep: expects a character")
	}
	var err error
	for _, p := range []struct {
		at         **row.TimePattern
		key, usual string
	}{{&d.date, "dateFormat", "yyyy-MM-dd"}, {&d.ts, "timestampFormat", ""}, {&d.ntz, "timestampNTZFormat", ""}} {
		if *p.at, err = row.NewTimePattern(opts[p.key], p.usual); err == nil {
			err = (*p.at).CanRead()
		}
		if err != nil {
			return nil, fmt.Errorf("option %s: %w", p.key, err)
		}
	}
	d.zone, err = row.ParseZone(opts["timeZone"])
	return d, err
}

func unescapeChar(s string) string {
	return strings.NewReplacer(`\t`, "\t", `\n`, "\n", `\\`, `\`).Replace(s)
}

// csvReader reads csv files one after the other.
type csvReader struct {
	d      *dialect
	schema row.Schema
	need   []bool
	parse  []parser
	list   []string
	cur    *csvFile
	pace   pace
	track  track
	room   []int // bytes of text that the last full batch has, by column
	err    error // to give after the rows before it
}

func newCSVReader(list []string, d *dialect, schema row.Schema, need []bool) (*csvReader, error) {
	r := &csvReader{d: d, schema: schema, need: need, list: list, parse: make([]parser, len(schema))}
	for i, f := range schema {
		var err error
		if r.parse[i], err = d.parser(f.Type); err != nil {
			return nil, &FileError{Path: list[0], Column: f.Name, Err: err}
		}
	}
	return r, nil
}

// Schema returns the columns.
func (r *csvReader) Schema() row.Schema { return r.schema }

// Close closes the file that is read.
func (r *csvReader) Close() error {
	r.list = nil
	if r.cur != nil {
		r.cur.close()
		r.cur = nil
	}
	return nil
}

// Next returns the next rows.
func (r *csvReader) Next(ctx context.Context) (*row.Batch, error) {
	if r.err != nil {
		return nil, r.err
	}
	b := row.NewBatch(r.schema)
	for i := range r.room {
		b.Columns[i].Grow(row.BatchSize, r.room[i])
	}
	for b.Len < row.BatchSize {
		if err := r.readRow(b); err != nil {
			if b.Len > 0 {
				r.err = err
				break
			}
			return nil, err
		}
	}
	if b.Len == row.BatchSize {
		r.room = r.room[:0]
		for _, c := range b.Columns {
			r.room = append(r.room, len(c.Bytes)+len(c.Bytes)/16)
		}
	}
	r.pace.tell(ctx)
	r.track.tell(ctx)
	return b, ctx.Err()
}

// readRow appends the next record that is not dropped.
func (r *csvReader) readRow(b *row.Batch) error {
	for {
		if r.cur == nil {
			if len(r.list) == 0 {
				return io.EOF
			}
			f, err := openCSV(r.list[0], r.d, &r.pace)
			if err != nil {
				return err
			}
			r.cur, r.list = f, r.list[1:]
		}
		err := r.cur.next()
		if errors.Is(err, io.EOF) {
			r.cur.close()
			r.cur = nil
			continue
		}
		if err == nil {
			err = r.appendRow(b)
		}
		if err == nil {
			r.track.add(r.cur.path, r.cur.line)
			return nil
		}
		if r.d.mode != dropMalformed || r.cur.failed {
			return err
		}
	}
}

// appendRow converts the fields of the current record.
func (r *csvReader) appendRow(b *row.Batch) error {
	f := r.cur
	if n := len(f.fields); n != len(r.schema) && r.d.mode != permissive && len(r.schema) > 0 {
		return &FileError{Path: f.path, Line: f.line, Value: shorten(f.record()), Err: fmt.Errorf("%d columns are expected, the line has %d", len(r.schema), n)}
	}
	for i, c := range b.Columns {
		if !r.need[i] || i >= len(f.fields) {
			c.AppendNull()
			continue
		}
		text, null := r.d.value(f.fields[i], c.Type.Kind)
		if null {
			c.AppendNull()
			continue
		}
		if err := r.parse[i](c, text); err != nil {
			if r.d.mode == permissive {
				c.AppendNull()
				continue
			}
			for _, done := range b.Columns[:i+1] {
				done.Truncate(b.Len)
			}
			return &FileError{Path: f.path, Line: f.line, Column: r.schema[i].Name, Value: shorten(text), Err: err}
		}
	}
	b.Len++
	return nil
}

// quotedEmptyIsNull would read "" as NULL as Spark does while nullValue and
// emptyValue are both empty. It is off so that the empty strings that were
// written are the ones that are read.
const quotedEmptyIsNull = false

// value returns the text of a field, or that it is NULL.
func (d *dialect) value(f csvField, kind row.Kind) (text []byte, null bool) {
	switch {
	case f.quoted && len(f.text) == 0:
		text = d.empty
		if len(text) == 0 {
			return text, kind != row.String && kind != row.Binary || quotedEmptyIsNull && len(d.null) == 0
		}
	case len(f.text) == 0:
		return nil, true
	default:
		text = f.text
	}
	return text, bytes.Equal(text, d.null)
}

func shorten[T ~string | ~[]byte](s T) string {
	const most = 80
	text := string(s)
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
