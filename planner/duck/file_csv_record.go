package duck

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/eslake/eslake/sql/row"
)

// csvField is a value as the file has it, without the quotes around it.
type csvField struct {
	text   []byte // into the buffer, or a copy; valid until the next record
	quoted bool
}

// csvFile cuts a file into records and fields, by the rules of the parser that
// Spark uses (Univocity): a quote that does not end a value is a part of it,
// the escape character stands for itself unless a quote or another one follows.
type csvFile struct {
	path   string
	d      *dialect
	in     io.ReadCloser
	buf    []byte
	pos    int   // of the next record
	start  int   // of the current record
	end    bool  // nothing is left to read
	line   int64 // where the current record begins
	lines  int64 // lines before pos
	failed bool  // the file itself, not a record
	fields []csvField
	room   []byte   // of values of the record that had escapes
	names  []string // of the header
}

const (
	csvBuffer = 256 << 10
	csvRecord = 64 << 20 // longest record
)

func openCSV(path string, d *dialect, p *pace) (*csvFile, error) {
	in, err := openText(path, d, p)
	if err != nil {
		return nil, err
	}
	f := &csvFile{path: path, d: d, in: in, buf: make([]byte, 0, csvBuffer)}
	if d.header {
		if err := f.next(); err != nil && !errors.Is(err, io.EOF) {
			in.Close()
			return nil, err
		}
		for _, name := range f.fields {
			f.names = append(f.names, string(name.text))
		}
	}
	return f, nil
}

func (f *csvFile) close() { f.in.Close() }

func (f *csvFile) record() []byte { return bytes.TrimRight(f.buf[f.start:f.pos], "\r\n") }

// next reads a record into fields. Blank lines and comments are passed over.
func (f *csvFile) next() error {
	for {
		f.start, f.line = f.pos, f.lines+1
		complete, err := f.split()
		if err != nil {
			return err
		}
		if !complete {
			if err := f.more(); err != nil {
				return err
			}
			continue
		}
		if f.start == f.pos {
			return io.EOF
		}
		if f.skipped() {
			continue
		}
		return nil
	}
}

// skipped reports whether the record is a blank line or a comment.
func (f *csvFile) skipped() bool {
	if f.d.comment != 0 && f.buf[f.start] == f.d.comment {
		return true
	}
	if len(f.fields) != 1 || f.fields[0].quoted {
		return false
	}
	return len(bytes.TrimSpace(f.record())) == 0
}

// more reads on, and keeps what is left of the buffer.
func (f *csvFile) more() error {
	if f.start > 0 {
		f.buf = f.buf[:copy(f.buf, f.buf[f.start:])]
		f.pos, f.start = f.pos-f.start, 0
	}
	if len(f.buf) == cap(f.buf) {
		if len(f.buf) >= csvRecord {
			f.failed = true
			return &FileError{Path: f.path, Line: f.line, Err: fmt.Errorf("a record is longer than %d MB: is a quote missing?", csvRecord>>20)}
		}
		f.buf = append(make([]byte, 0, 2*cap(f.buf)), f.buf...)
	}
	n, err := io.ReadAtLeast(f.in, f.buf[len(f.buf):cap(f.buf)], 1)
	f.buf = f.buf[:len(f.buf)+n]
	switch {
	case errors.Is(err, io.EOF):
		f.end = true
	case err != nil:
		f.failed = true
		return &FileError{Path: f.path, Line: f.line, Err: err}
	}
	return nil
}

// split cuts the record at pos into fields and moves pos behind it; false when
// the buffer ends before the record does.
func (f *csvFile) split() (bool, error) { //nolint:gocognit // a scanner: one loop over bytes, apart it would be slower and harder to follow
	f.fields, f.room = f.fields[:0], f.room[:0]
	p, lines := f.pos, int64(0)
	comment := f.d.comment != 0 && p < len(f.buf) && f.buf[p] == f.d.comment
	usual := !comment && len(f.d.sep) == 1 && !f.d.trimLeft && !f.d.trimRight
	for {
		if usual && p < len(f.buf) && f.buf[p] != f.d.quote { // most fields
			if end := f.stop(p); end < len(f.buf) && f.buf[end] == f.d.sep[0] {
				f.fields = append(f.fields, csvField{text: f.buf[p:end]})
				p = end + 1
				continue
			}
		}
		var field csvField
		var state int
		from := p
		if f.d.trimLeft {
			for p < len(f.buf) && (f.buf[p] == ' ' || f.buf[p] == '\t') && f.d.sep[0] != f.buf[p] {
				p++
			}
		}
		if !comment && f.d.quote != 0 && p < len(f.buf) && f.buf[p] == f.d.quote {
			field, p, state = f.quoted(p, &lines)
			if state == torn && f.end {
				return f.tornQuote(from, lines)
			}
			if state == unquoted { // the quotes are a part of the value
				field, p, state = f.plain(from)
			}
		} else {
			field, p, state = f.plain(p)
		}
		if state == torn {
			return false, nil
		}
		f.fields = append(f.fields, field)
		if state != separated {
			f.pos, f.lines = p, f.lines+lines
			if state == lineEnded {
				f.lines++
			}
			return true, nil
		}
	}
}

// tornQuote ends a value whose quote is never closed at the end of the file.
func (f *csvFile) tornQuote(from int, lines int64) (bool, error) {
	text := f.buf[from+1:]
	f.pos, f.lines = len(f.buf), f.lines+lines
	if f.d.mode != permissive {
		return true, &FileError{Path: f.path, Line: f.line, Value: shorten(f.buf[from:]), Err: errors.New("the quote is not closed before the end of the file")}
	}
	f.fields = append(f.fields, csvField{text: text, quoted: true})
	return true, nil
}

// How a field ends.
const (
	separated = iota
	lineEnded
	fileEnded
	torn     // the buffer ends first
	unquoted // it begins with a quote but is not a quoted value
)

// plain reads a value up to the next separator or line end.
func (f *csvFile) plain(p int) (csvField, int, int) {
	from, sep := p, f.d.sep
	for ; ; p++ {
		if p = f.stop(p); p == len(f.buf) {
			break
		}
		switch c := f.buf[p]; {
		case c == sep[0] && (len(sep) == 1 || bytes.HasPrefix(f.buf[p:], sep)):
			return csvField{text: f.trim(f.buf[from:p])}, p + len(sep), separated
		case c == '\n':
			return csvField{text: f.trim(f.buf[from:p])}, p + 1, lineEnded
		case c == '\r':
			if p+1 == len(f.buf) && !f.end {
				return csvField{}, p, torn
			}
			return csvField{text: f.trim(f.buf[from:p])}, p + len(lineEnd(f.buf[p:])), lineEnded
		}
	}
	if !f.end {
		return csvField{}, p, torn
	}
	return csvField{text: f.trim(f.buf[from:])}, p, fileEnded
}

// stop returns where the next byte from p on is that may end a value: the first
// one of the separator, or a control character.
func (f *csvFile) stop(p int) int {
	buf, sep := f.buf, f.d.sep[0]
	for ; p+8 <= len(buf); p += 8 {
		w := row.WordAt(buf, p)
		if found := w.Equal(sep) | w.Below('\r'+1); found != 0 {
			return p + found.First()
		}
	}
	for p < len(buf) && buf[p] > '\r' && buf[p] != sep {
		p++
	}
	return p
}

func lineEnd(b []byte) []byte {
	if len(b) > 1 && b[0] == '\r' && b[1] == '\n' {
		return b[:2]
	}
	return b[:1]
}

func (f *csvFile) trim(text []byte) []byte {
	if f.d.trimRight {
		return bytes.TrimRight(text, " \t")
	}
	return text
}

// quoted reads a value between quotes. The text is unescaped within the buffer
// only when it must be.
func (f *csvFile) quoted(p int, lines *int64) (csvField, int, int) {
	p++
	from, quote, escape := p, f.d.quote, f.d.escape
	if escape == 0 {
		escape = quote
	}
	escaped := false
	for ; ; p++ {
		p = either(f.buf, p, quote, escape)
		if p == len(f.buf) || p+1 == len(f.buf) && (f.buf[p] != quote || !f.end) {
			return csvField{}, p, torn
		}
		if f.buf[p] == escape && f.d.escape != 0 && p+1 < len(f.buf) && (f.buf[p+1] == quote || f.buf[p+1] == escape) {
			escaped = true
			p++
			continue
		}
		if f.buf[p] != quote {
			continue
		}
		end, state := f.after(p + 1)
		if state == torn || state == unquoted {
			return csvField{}, p, state
		}
		text := f.buf[from:p]
		*lines += int64(bytes.Count(text, newline))
		return csvField{text: f.unescape(text, escaped), quoted: true}, end, state
	}
}

var newline = []byte{'\n'}

// either returns where the next of two bytes is from p on, as stop does.
func either(buf []byte, p int, a, b byte) int {
	for ; p+8 <= len(buf); p += 8 {
		w := row.WordAt(buf, p)
		if found := w.Equal(a) | w.Equal(b); found != 0 {
			return p + found.First()
		}
	}
	for p < len(buf) && buf[p] != a && buf[p] != b {
		p++
	}
	return p
}

// after looks what follows a closing quote: blanks, then the end of the value,
// or something else.
func (f *csvFile) after(p int) (int, int) {
	sep := f.d.sep
	for ; p < len(f.buf); p++ {
		switch c := f.buf[p]; {
		case c == sep[0] && (len(sep) == 1 || bytes.HasPrefix(f.buf[p:], sep)):
			return p + len(sep), separated
		case c == '\n':
			return p + 1, lineEnded
		case c == '\r':
			if p+1 == len(f.buf) && !f.end {
				return p, torn
			}
			return p + len(lineEnd(f.buf[p:])), lineEnded
		case c != ' ' && c != '\t':
			return p, unquoted
		}
	}
	if f.end {
		return p, fileEnded
	}
	return p, torn
}

// unescape drops the escape characters. It makes a copy, since the buffer may be
// read again when the record goes on behind it.
func (f *csvFile) unescape(text []byte, escaped bool) []byte {
	if !escaped {
		return text
	}
	start := len(f.room)
	for i := 0; i < len(text); i++ {
		if text[i] == f.d.escape && i+1 < len(text) && (text[i+1] == f.d.quote || text[i+1] == f.d.escape) {
			i++
		}
		f.room = append(f.room, text[i])
	}
	return f.room[start:len(f.room):len(f.room)]
}
