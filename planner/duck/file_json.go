package duck

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/eslake/eslake/sql/row"
)

// jsonDialect is how a json file is written and read.
type jsonDialect struct {
	*dialect       // mode, encoding, forms of dates
	multiLine bool // values span lines
	texts     bool // primitives are read as text
	decimals  bool // fractions are read as decimals
}

func newJSONDialect(opts map[string]string) (*jsonDialect, error) {
	d, err := newDialect(opts)
	return &jsonDialect{dialect: d, multiLine: opts["multiLine"] == "true", texts: opts["primitivesAsString"] == "true", decimals: opts["prefersDecimal"] == "true"}, err
}

// jsonFile reads a file's objects one after the other: one a line, or any number
// where values span lines. A list stands for its elements.
type jsonFile struct {
	path  string
	in    io.ReadCloser
	lines *bufio.Reader
	text  bytes.Reader      // of the line
	dec   *jsontext.Decoder // of the line, or of the whole file
	line  int64
	multi bool
	open  bool // dec has values left
	list  bool // within a list
	buf   []byte
	count *lineCounter
}

var lenientJSON = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

func openJSON(path string, d *jsonDialect, p *pace) (*jsonFile, error) {
	in, err := openText(path, d.dialect, p)
	if err != nil {
		return nil, err
	}
	f := &jsonFile{path: path, in: in, multi: d.multiLine}
	if f.multi {
		f.count = &lineCounter{in: in}
		f.dec, f.open = jsontext.NewDecoder(f.count, lenientJSON...), true
		return f, nil
	}
	f.lines = bufio.NewReaderSize(in, 256<<10)
	f.dec = jsontext.NewDecoder(&f.text, lenientJSON...)
	return f, nil
}

func (f *jsonFile) close() { f.in.Close() }

// lineCounter keeps what was read last, so that an offset becomes a line.
type lineCounter struct {
	in    io.Reader
	ends  []int64 // offsets of line ends
	total int64
}

func (l *lineCounter) Read(p []byte) (int, error) {
	n, err := l.in.Read(p)
	for i, b := range p[:n] {
		if b == '\n' {
			l.ends = append(l.ends, l.total+int64(i))
		}
	}
	l.total += int64(n)
	return n, err
}

// lineAt returns the line of an offset, and forgets the lines before it.
func (l *lineCounter) lineAt(base, offset int64) (int64, []int64) {
	ends := l.ends
	for len(ends) > 0 && ends[0] < offset {
		ends = ends[1:]
		base++
	}
	return base, ends
}

// value is the next value of the file as it stands there. The error is io.EOF at
// the end, else a *FileError; the values behind a torn one in its line are lost.
func (f *jsonFile) value() (jsontext.Value, error) {
	for {
		if !f.open {
			if err := f.nextLine(); err != nil {
				return nil, err
			}
		}
		v, err := f.read()
		switch {
		case errors.Is(err, io.EOF):
			f.open = false
			if f.multi {
				return nil, io.EOF
			}
			continue
		case err != nil:
			f.open, f.list = false, false
			f.position(errorOffset(err, f.dec.InputOffset()))
			bad := f.fail(fmt.Errorf("not JSON: %s", jsonReason(err)), f.buf)
			if f.multi {
				f.lines, f.multi = bufio.NewReader(bytes.NewReader(nil)), false // nothing more can be read
			}
			return nil, bad
		case v != nil:
			return v, nil
		}
	}
}

// position finds the line of an offset where lines are not read one by one.
func (f *jsonFile) position(offset int64) {
	if f.count != nil {
		f.line, f.count.ends = f.count.lineAt(max(f.line, 1), offset)
	}
}

func errorOffset(err error, or int64) int64 {
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		return syntax.ByteOffset
	}
	return or
}

// read returns nil where a list begins or ends.
func (f *jsonFile) read() (jsontext.Value, error) {
	switch kind := f.dec.PeekKind(); {
	case !f.list && kind == '[', f.list && kind == ']':
		f.list = kind == '['
		_, err := f.dec.ReadToken()
		return nil, err
	}
	v, err := f.dec.ReadValue()
	if err == nil {
		f.position(f.dec.InputOffset())
	}
	return v, err
}

func (f *jsonFile) nextLine() error {
	if f.lines == nil {
		return io.EOF
	}
	f.buf = f.buf[:0]
	for {
		part, err := f.lines.ReadSlice('\n')
		f.buf = append(f.buf, part...)
		switch {
		case err == nil:
		case errors.Is(err, bufio.ErrBufferFull):
			if len(f.buf) > csvRecord {
				return f.fail(fmt.Errorf("a line is longer than %d MB", csvRecord>>20), nil)
			}
			continue
		case !errors.Is(err, io.EOF):
			f.lines = nil
			return f.fail(err, nil)
		case len(f.buf) == 0:
			return io.EOF
		default:
			f.lines = nil
		}
		f.line++
		if len(bytes.TrimSpace(f.buf)) > 0 {
			break
		}
		f.buf = f.buf[:0]
		if f.lines == nil {
			return io.EOF
		}
	}
	f.text.Reset(f.buf)
	f.dec.Reset(&f.text, lenientJSON...)
	f.open, f.list = true, false
	return nil
}

func (f *jsonFile) fail(err error, value []byte) error {
	return &FileError{Path: f.path, Line: f.line, Value: shorten(bytes.TrimSpace(value)), Err: err}
}

func jsonReason(err error) string {
	var syntax *jsontext.SyntacticError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "the text ends within a value"
	case errors.As(err, &syntax) && syntax.Err != nil:
		return syntax.Err.Error()
	}
	return err.Error()
}

// jsonReader reads json files one after the other.
type jsonReader struct {
	d      *jsonDialect
	schema row.Schema
	need   []bool
	list   []string
	cur    *jsonFile
	pace   pace
	track  track
	values *jsonValues
	bad    int   // the column that gets what cannot be read, -1 for none
	err    error // to give after the rows before it
}

func newJSONReader(list []string, d *jsonDialect, schema row.Schema, need []bool) (*jsonReader, error) {
	bad, err := d.badColumn(schema)
	return &jsonReader{d: d, schema: schema, need: need, list: list, values: newJSONValues(d), bad: bad}, err
}

// Schema returns the columns.
func (r *jsonReader) Schema() row.Schema { return r.schema }

// Close closes the file that is read.
func (r *jsonReader) Close() error {
	r.list = nil
	if r.cur != nil {
		r.cur.close()
		r.cur = nil
	}
	return nil
}

// Next returns the next rows.
func (r *jsonReader) Next(ctx context.Context) (*row.Batch, error) {
	if r.err != nil {
		return nil, r.err
	}
	b := row.NewBatch(r.schema)
	for b.Len < row.BatchSize {
		if err := r.readRow(b); err != nil {
			if b.Len > 0 {
				r.err = err
				break
			}
			return nil, err
		}
	}
	r.pace.tell(ctx)
	r.track.tell(ctx)
	r.d.tell(ctx)
	return b, ctx.Err()
}

// readRow appends the next object. What cannot be read ends the reading, is a row
// of NULLs, or is left out, as the mode says.
func (r *jsonReader) readRow(b *row.Batch) error {
	for {
		if err := r.open(); err != nil {
			return err
		}
		v, err := r.cur.value()
		if errors.Is(err, io.EOF) {
			r.cur.close()
			r.cur = nil
			continue
		}
		if err == nil {
			if err = r.appendObject(b, v); err == nil {
				r.track.add(r.cur.path, r.cur.line)
				return nil
			}
		}
		switch r.d.mode {
		case dropMalformed:
		case permissive:
			for i, c := range b.Columns {
				if i == r.bad {
					c.AppendText(bytes.TrimRight(r.cur.torn(v), "\r\n"))
					continue
				}
				c.AppendNull()
			}
			b.Len++
			r.track.add(r.cur.path, r.cur.line)
			return nil
		default:
			return err
		}
	}
}

// open opens the next file when none is open.
func (r *jsonReader) open() error {
	if r.cur != nil {
		return nil
	}
	for len(r.list) > 0 {
		f, err := openJSON(r.list[0], r.d, &r.pace)
		r.list = r.list[1:]
		if err != nil && r.d.gone(err) {
			continue
		}
		r.cur = f
		return err
	}
	return io.EOF
}

// torn is the text of a record that cannot be read: the line, or the value.
func (f *jsonFile) torn(v jsontext.Value) []byte {
	if f.count == nil {
		return f.buf
	}
	return v
}

func (r *jsonReader) appendObject(b *row.Batch, v jsontext.Value) error {
	if v.Kind() != '{' {
		return r.cur.fail(errors.New("an object is expected"), v)
	}
	found, err := r.values.members(v, r.schema)
	if err != nil {
		return r.cur.fail(fmt.Errorf("not JSON: %s", jsonReason(err)), v)
	}
	unfit := false
	for i, c := range b.Columns {
		if i == r.bad || !r.need[i] && (r.bad < 0 || !r.need[r.bad]) || found[i] == nil {
			c.AppendNull()
			continue
		}
		r.values.unfit = false
		err := r.values.append(c, found[i])
		if unfit = unfit || r.values.unfit; err != nil {
			for _, done := range b.Columns[:i+1] {
				done.Truncate(b.Len)
			}
			return &FileError{Path: r.cur.path, Line: r.cur.line, Column: r.schema[i].Name, Value: shorten(found[i]), Err: err}
		}
	}
	if unfit && r.bad >= 0 {
		c := b.Columns[r.bad]
		c.Truncate(b.Len)
		c.AppendText(bytes.TrimRight(r.cur.torn(v), "\r\n"))
	}
	b.Len++
	return nil
}
