package duck

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/eslake/eslake/esds"
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
	nan, inf, low string           // texts of NaN and the infinities
	byName        bool             // the header must have the names of the columns
	corrupt       string           // name of the column that gets what cannot be read
	ignoreMissing bool             // leave out a file that is gone
	ignoreCorrupt bool             // leave out what cannot be read of a file
	comments      bool             // of JSON
	notes         []string         // what was left out, until it is told
}

// left keeps that a file, or the rest of one, is left out.
func (d *dialect) left(path string, err error) {
	d.notes = append(d.notes, fmt.Sprintf("%s: the rest is left out (ignoreCorruptFiles): %v", path, err))
}

// gone reports whether an error is about a file that may be absent.
func (d *dialect) gone(err error) bool {
	if !d.ignoreMissing || !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	d.notes = append(d.notes, err.Error()+": left out (ignoreMissingFiles)")
	return true
}

// tell tells what was left out.
func (d *dialect) tell(ctx context.Context) {
	for _, n := range d.notes {
		esds.Notice(ctx, n)
	}
	d.notes = d.notes[:0]
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
		nan: get("nanValue", "NaN"), inf: get("positiveInf", "Inf"), low: get("negativeInf", "-Inf"), byName: get("enforceSchema", "true") == "false",
		corrupt: get("columnNameOfCorruptRecord", "_corrupt_record"), ignoreMissing: get("ignoreMissingFiles", "false") == "true",
		ignoreCorrupt: get("ignoreCorruptFiles", "false") == "true", comments: get("allowComments", "false") == "true",
	}
	if len(d.sep) == 0 {
		return nil, errors.New("option sep: expects a character")
	}
	if end := unescapeChar(strings.ReplaceAll(opts["lineSep"], `\r`, "\r")); strings.Trim(end, "\r\n") != "" {
		return nil, fmt.Errorf("option lineSep: lines end with \\n, \\r\\n or \\r, not %q", end)
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
	fields []fieldUse // by their places in a record
	bad    int        // the column of the schema that gets what cannot be read, -1 for none
	list   []string
	cur    *csvFile
	pace   pace
	track  track
	room   []int // bytes of text that the last full batch has, by column
	prints *csvPrinter
	err    error // to give after the rows before it
}

// fieldUse is what becomes of a field of each record.
type fieldUse struct {
	column int
	kind   row.Kind
	parse  parser
	unused bool // nobody looks at the column
}

func newCSVReader(list []string, d *dialect, schema row.Schema, need []bool) (*csvReader, error) {
	r := &csvReader{d: d, schema: schema, list: list, bad: -1}
	var err error
	if r.bad, err = d.badColumn(schema); err != nil {
		return nil, err
	}
	for i, f := range schema {
		parse, err := d.parser(f.Type)
		if err != nil {
			return nil, &FileError{Path: r.at(), Column: f.Name, Err: err}
		}
		if i != r.bad {
			r.fields = append(r.fields, fieldUse{column: i, kind: f.Type.Kind, parse: parse, unused: !need[i] && (r.bad < 0 || !need[r.bad])})
		}
	}
	return r, nil
}

// at is a file to name in an error about all of them.
func (r *csvReader) at() string {
	if len(r.list) == 0 {
		return "no file"
	}
	return r.list[0]
}

// badColumn is the place of the column that gets records that cannot be read, -1
// when the schema has none.
func (d *dialect) badColumn(schema row.Schema) (int, error) {
	i := schema.Index(d.corrupt)
	if i >= 0 && schema[i].Type.Kind != row.String {
		return -1, fmt.Errorf("column %s gets the records that cannot be read (columnNameOfCorruptRecord): it must be of type STRING", row.QuoteName(schema[i].Name))
	}
	return i, nil
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
		if err := r.readRow(func() error { return r.appendRow(b) }); err != nil {
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
	r.d.tell(ctx)
	return b, ctx.Err()
}

// readRow lets the next record that is not dropped be appended.
func (r *csvReader) readRow(add func() error) error {
	for {
		if r.cur == nil {
			if err := r.open(); err != nil {
				return err
			}
		}
		err := r.cur.next()
		if errors.Is(err, io.EOF) {
			r.cur.close()
			r.cur = nil
			continue
		}
		if err == nil {
			err = add()
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

// open opens the next file that is there. The error is io.EOF after the last one.
func (r *csvReader) open() error {
	for len(r.list) > 0 {
		f, err := openCSV(r.list[0], r.d, &r.pace)
		r.list = r.list[1:]
		if err == nil {
			err = r.named(f)
		}
		if err == nil {
			r.cur = f
			return nil
		}
		if !r.d.gone(err) {
			return err
		}
	}
	return io.EOF
}

// named checks the header against the names of the columns, where it must have
// them.
func (r *csvReader) named(f *csvFile) error {
	if !r.d.header || !r.d.byName {
		return nil
	}
	var want []string
	for i, c := range r.schema {
		if i != r.bad {
			want = append(want, c.Name)
		}
	}
	if slices.EqualFunc(f.names, want, strings.EqualFold) {
		return nil
	}
	f.close()
	return &FileError{Path: f.path, Line: 1, Err: fmt.Errorf("the header has %s, the table %s (enforceSchema = false)", strings.Join(f.names, ", "), strings.Join(want, ", "))}
}

// appendRow converts the fields of the current record.
func (r *csvReader) appendRow(b *row.Batch) error {
	f, want := r.cur, len(r.fields)
	var bad error
	if n := len(f.fields); n != want && want > 0 {
		bad = &FileError{Path: f.path, Line: f.line, Value: shorten(f.record()), Err: fmt.Errorf("%d columns are expected, the line has %d", want, n)}
		if r.d.mode != permissive {
			return bad
		}
	}
	for k := range r.fields {
		use := &r.fields[k]
		c := b.Columns[use.column]
		if use.unused || k >= len(f.fields) {
			c.AppendNull()
			continue
		}
		text, null := r.d.value(&f.fields[k], use.kind)
		if null {
			c.AppendNull()
			continue
		}
		if err := use.parse(c, text); err != nil {
			if r.d.mode != permissive {
				return r.refuse(b, use.column, text, err)
			}
			bad = err
			c.AppendNull()
		}
	}
	if r.bad >= 0 {
		c := b.Columns[r.bad]
		if bad != nil {
			c.AppendText(f.record())
		} else {
			c.AppendNull()
		}
	}
	b.Len++
	return nil
}

// refuse takes back what was appended of a record, and says what is wrong with
// the value of a column.
func (r *csvReader) refuse(b *row.Batch, column int, text []byte, cause error) error {
	for _, done := range b.Columns {
		done.Truncate(b.Len)
	}
	return &FileError{Path: r.cur.path, Line: r.cur.line, Column: r.schema[column].Name, Value: shorten(text), Err: cause}
}

// quotedEmptyIsNull would read "" as NULL as Spark does while nullValue and
// emptyValue are both empty. It is off so that the empty strings that were
// written are the ones that are read.
const quotedEmptyIsNull = false

// value returns the text of a field, or that it is NULL.
func (d *dialect) value(f *csvField, kind row.Kind) (text []byte, null bool) {
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
