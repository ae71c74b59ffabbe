package job

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/klauspost/compress/gzip"
)

// ChangesFile is the file of a job's folder with the documents that it changes:
// as they were, and as they are to be. It is made before the first of them is
// changed, and is what the changes are sent from.
//
// It is NDJSON in gzip, so that zcat shows it: a first line with the version, one
// line a document, and a last line that tells how many there are. It is written
// in blocks that stand alone; without the last line it is not complete.
const ChangesFile = "changes.ndjson.gz"

// AgainFile is the file of changes of the nth round after the first: of the
// documents that another writer changed meanwhile.
func AgainFile(round int) string { return fmt.Sprintf("changes-%d.ndjson.gz", round) }

// Change is what happens to one document.
type Change struct {
	Row         int64       // from 1; in the first file the number of the line
	Action      esds.Action // IndexDoc, CreateDoc or DeleteDoc
	Index       string      // the concrete index; "" for the one that the write names
	ID          string
	Routing     string // "" for none
	SeqNo       int64  // with PrimaryTerm, the state that is changed; both 0 for none
	PrimaryTerm int64
	Before      []byte // the document as JSON; nil when it was not there
	After       []byte // nil when it is not there afterwards
}

// ErrIncomplete is a file of changes that was never completed.
var ErrIncomplete = errors.New("the file of changes is not complete")

// changesVersion is the form of the file.
const changesVersion = 1

// changesBlock is how many bytes, before compression, stand in a block.
const changesBlock = 1 << 20

// ChangeWriter writes a file of changes.
type ChangeWriter struct {
	path string
	file *os.File
	zip  *gzip.Writer
	buf  []byte
	rows int64
}

// CreateChanges makes a file of changes, in the place of one that is there.
func CreateChanges(path string) (*ChangeWriter, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("file of changes: %w", err)
	}
	zip, err := gzip.NewWriterLevel(f, gzip.BestSpeed)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	w := &ChangeWriter{path: path, file: f, zip: zip}
	w.buf = fmt.Appendf(nil, "{\"changes\":%d}\n", changesVersion)
	return w, nil
}

// Add appends a change; its documents hold no line breaks.
func (w *ChangeWriter) Add(c Change) error {
	w.rows++
	w.buf = appendChange(w.buf, c)
	if len(w.buf) < changesBlock {
		return nil
	}
	return w.flush()
}

// Rows returns how many changes were added.
func (w *ChangeWriter) Rows() int64 { return w.rows }

func (w *ChangeWriter) flush() error {
	w.zip.Reset(w.file)
	_, err := w.zip.Write(w.buf)
	if err == nil {
		err = w.zip.Close()
	}
	w.buf = w.buf[:0]
	if err != nil {
		return fmt.Errorf("file of changes %s: %w", w.path, bare(err))
	}
	return nil
}

// Complete writes the end. When it returns without error the file survives a
// power loss.
func (w *ChangeWriter) Complete() error {
	w.buf = fmt.Appendf(w.buf, "{\"end\":%d}\n", w.rows)
	if err := w.flush(); err != nil {
		return err
	}
	if err := w.file.Sync(); err != nil {
		return fmt.Errorf("file of changes %s: %w", w.path, bare(err))
	}
	syncDir(filepath.Dir(w.path))
	return w.Close()
}

// Close closes the file, which is of no use unless it is complete. It may be
// called twice.
func (w *ChangeWriter) Close() error {
	if w.file == nil {
		return nil
	}
	err := w.file.Close()
	w.file = nil
	if err != nil {
		return fmt.Errorf("file of changes %s: %w", w.path, bare(err))
	}
	return nil
}

func appendChange(dst []byte, c Change) []byte {
	dst = fmt.Appendf(dst, `{"row":%d,"action":%q`, c.Row, c.Action)
	if c.Index != "" {
		dst = row.AppendQuoted(append(dst, `,"index":`...), c.Index)
	}
	dst = row.AppendQuoted(append(dst, `,"id":`...), c.ID)
	if c.Routing != "" {
		dst = row.AppendQuoted(append(dst, `,"routing":`...), c.Routing)
	}
	if c.PrimaryTerm > 0 {
		dst = fmt.Appendf(dst, `,"seq_no":%d,"primary_term":%d`, c.SeqNo, c.PrimaryTerm)
	}
	if c.Before != nil {
		dst = append(append(dst, `,"before":`...), c.Before...)
	}
	if c.After != nil {
		dst = append(append(dst, `,"after":`...), c.After...)
	}
	return append(dst, '}', '\n')
}

// ChangeReader reads a file of changes.
type ChangeReader struct {
	path   string
	file   *os.File
	in     *bufio.Reader
	line   []byte
	rows   int64
	ended  bool
	closed bool
}

// OpenChanges opens a file of changes.
func OpenChanges(path string) (*ChangeReader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("file of changes: %w", err)
	}
	r := &ChangeReader{path: path, file: f}
	zip, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil { // it has no block
		return nil, errors.Join(r.fail(ErrIncomplete), f.Close())
	}
	r.in = bufio.NewReaderSize(zip, 1<<16)
	version := 0
	if err := r.next(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if _, err := fmt.Sscanf(string(r.line), `{"changes":%d}`, &version); err != nil || version != changesVersion {
		return nil, errors.Join(r.fail(fmt.Errorf("it is of another version of eslake: %.40s", r.line)), f.Close())
	}
	return r, nil
}

func (r *ChangeReader) fail(err error) error {
	return fmt.Errorf("file of changes %s: %w", r.path, err)
}

// next reads a line without its end.
func (r *ChangeReader) next() error {
	r.line = r.line[:0]
	for {
		part, err := r.in.ReadSlice('\n')
		r.line = append(r.line, part...)
		switch {
		case err == nil:
			r.line = r.line[:len(r.line)-1]
			return nil
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum):
			return r.fail(ErrIncomplete)
		default:
			return r.fail(bare(err))
		}
	}
}

// Next returns the next change. The error is io.EOF after the last of a complete
// file, and ErrIncomplete where one that is not ends.
func (r *ChangeReader) Next() (Change, error) {
	if r.ended {
		return Change{}, io.EOF
	}
	if err := r.next(); err != nil {
		return Change{}, err
	}
	var end int64
	if n, _ := fmt.Sscanf(string(r.line[:min(len(r.line), 30)]), `{"end":%d}`, &end); n == 1 {
		if end != r.rows {
			return Change{}, r.fail(fmt.Errorf("it tells of %d changes and has %d", end, r.rows))
		}
		return Change{}, io.EOF
	}
	r.rows++
	c, err := parseChange(r.line)
	if err != nil {
		return c, r.fail(fmt.Errorf("change %d: %w", r.rows, err))
	}
	return c, nil
}

// Close closes the file. It may be called twice.
func (r *ChangeReader) Close() error {
	if r.closed {
		return nil
	}
	r.closed = true
	return r.file.Close()
}

func parseChange(line []byte) (Change, error) {
	var c Change
	d := jsontext.NewDecoder(bytes.NewBuffer(line), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if _, err := d.ReadToken(); err != nil {
		return c, err
	}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return c, err
		}
		key := name.String()
		if key == "before" || key == "after" {
			doc, err := d.ReadValue()
			if err != nil {
				return c, err
			}
			if doc = append(jsontext.Value{}, doc...); key == "before" {
				c.Before = doc
			} else {
				c.After = doc
			}
			continue
		}
		value, err := d.ReadToken()
		if err != nil {
			return c, err
		}
		if err := c.set(key, value); err != nil {
			return c, err
		}
	}
	_, err := d.ReadToken()
	return c, err
}

func (c *Change) set(key string, value jsontext.Token) (err error) {
	switch key {
	case "row":
		c.Row, err = value.Int()
	case "action":
		c.Action = esds.Action(value.String())
	case "index":
		c.Index = value.String()
	case "id":
		c.ID = value.String()
	case "routing":
		c.Routing = value.String()
	case "seq_no":
		c.SeqNo, err = value.Int()
	case "primary_term":
		c.PrimaryTerm, err = value.Int()
	}
	return err
}

// ChangeRows is a file of changes as rows of esds.ChangeSchema, for esds.Write.
type ChangeRows struct {
	changes *ChangeReader
	made    bool // each makes the document as it was before
}

// Rows returns the changes as rows. Closing them closes the file.
func (r *ChangeReader) Rows() *ChangeRows { return &ChangeRows{changes: r} }

// Made returns rows that make the documents as they were before the changes.
// Closing them closes the file.
func (r *ChangeReader) Made() *ChangeRows { return &ChangeRows{changes: r, made: true} }

// Schema returns esds.ChangeSchema.
func (r *ChangeRows) Schema() row.Schema { return esds.ChangeSchema() }

// Next returns the next rows.
func (r *ChangeRows) Next(context.Context) (*row.Batch, error) {
	b, size := row.NewBatch(esds.ChangeSchema()), 0
	for b.Len < row.BatchSize && size < changesBlock {
		c, err := r.changes.Next()
		if row.Ended(err) && b.Len > 0 {
			r.changes.ended = true
			return b, nil
		}
		if err != nil {
			return nil, err
		}
		if r.made {
			c = Change{Action: esds.CreateDoc, ID: c.ID, Routing: c.Routing, After: c.Before}
		}
		size += len(c.After)
		if err := b.AppendRow(string(c.Action), c.ID, orNil(c.Index), orNil(c.Routing), c.condition(c.SeqNo), c.condition(c.PrimaryTerm), document(c.After)); err != nil {
			return nil, r.changes.fail(err)
		}
	}
	return b, nil
}

// Close closes the file.
func (r *ChangeRows) Close() error { return r.changes.Close() }

func orNil(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func (c Change) condition(v int64) any {
	if c.PrimaryTerm == 0 {
		return nil
	}
	return v
}

func document(doc []byte) any {
	if doc == nil {
		return nil
	}
	return doc
}
