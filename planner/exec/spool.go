package exec

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"

	"github.com/eslake/eslake/sql/row"
)

// A spool is a file of rows: a line that says what it is, and blocks. A block is
// the length and the checksum of what follows, in four bytes each, its kind, and
// its content: the columns as text, a batch, or how many rows there are.
const (
	spoolMagic = "eslake rows 1\n"
	spoolMax   = 1 << 30 // bytes of a block

	spoolColumns = 'c'
	spoolRows    = 'r'
	spoolEnd     = 'e'
)

var errDamaged = errors.New("it is damaged")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// SpoolError is a spool that cannot be written or read.
type SpoolError struct {
	Path string
	Err  error
}

// Error names the file and the cause.
func (e *SpoolError) Error() string { return fmt.Sprintf("kept rows %s: %v", e.Path, e.Err) }

func (e *SpoolError) Unwrap() error { return e.Err }

// WriteSpool writes all rows of in, which it closes, to a new file at path, and
// returns their number. The file survives a power loss when there is no error;
// with one it is removed.
func WriteSpool(ctx context.Context, path string, in row.Reader) (rows int64, err error) {
	defer func() { err = errors.Join(err, in.Close()) }()
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, &SpoolError{Path: path, Err: barePath(err)}
	}
	w := &spoolWriter{file: bufio.NewWriterSize(f, 1<<20)}
	rows, readErr := w.all(ctx, in)
	if readErr == nil && w.err == nil {
		w.err = errors.Join(w.file.Flush(), f.Sync())
	}
	if err := f.Close(); w.err == nil {
		w.err = err
	}
	if readErr == nil && w.err == nil {
		syncFolder(filepath.Dir(path))
		return rows, nil
	}
	_ = os.Remove(path)
	if readErr != nil {
		return 0, readErr
	}
	return 0, &SpoolError{Path: path, Err: barePath(w.err)}
}

type spoolWriter struct {
	file *bufio.Writer
	buf  []byte
	err  error // the first of writing
}

// all writes the rows. The error is one of reading.
func (w *spoolWriter) all(ctx context.Context, in row.Reader) (rows int64, err error) {
	w.write([]byte(spoolMagic))
	w.block(append([]byte{spoolColumns}, in.Schema().Fingerprint()...))
	for w.err == nil {
		b, err := in.Next(ctx)
		if row.Ended(err) {
			w.block(binary.AppendVarint([]byte{spoolEnd}, rows))
			break
		}
		if err != nil {
			return rows, err
		}
		if b.Len == 0 {
			continue
		}
		rows += int64(b.Len)
		w.buf = b.AppendBinary(append(w.buf[:0], spoolRows))
		w.block(w.buf)
	}
	return rows, nil
}

func (w *spoolWriter) block(data []byte) {
	if len(data) > spoolMax && w.err == nil {
		w.err = fmt.Errorf("a page of rows takes %d bytes, %d are the most; read smaller pages: es.scroll.size", len(data), spoolMax)
	}
	var head [8]byte
	binary.LittleEndian.PutUint32(head[:], uint32(len(data)))
	binary.LittleEndian.PutUint32(head[4:], crc32.Checksum(data, castagnoli))
	w.write(head[:])
	w.write(data)
}

func (w *spoolWriter) write(data []byte) {
	if w.err == nil {
		_, w.err = w.file.Write(data)
	}
}

// Spool reads rows that WriteSpool wrote, in their order.
type Spool struct {
	path   string
	schema row.Schema
	file   *os.File
	in     *bufio.Reader
	rows   int64
	buf    []byte
}

// OpenSpool opens the file at path, which must hold rows of the schema.
func OpenSpool(path string, schema row.Schema) (*Spool, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, &SpoolError{Path: path, Err: barePath(err)}
	}
	s := &Spool{path: path, schema: schema, file: f, in: bufio.NewReaderSize(f, 1<<20)}
	if err := s.head(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return s, nil
}

func (s *Spool) head() error {
	magic := make([]byte, len(spoolMagic))
	if _, err := io.ReadFull(s.in, magic); err != nil || string(magic) != spoolMagic {
		return s.fail(errors.New("it is not a file of rows of this version"))
	}
	kind, columns, err := s.block()
	if err != nil {
		return err
	}
	if kind != spoolColumns || string(columns) != s.schema.Fingerprint() {
		return s.fail(errors.New("its columns are not those of the statement any more"))
	}
	return nil
}

// Schema returns the columns.
func (s *Spool) Schema() row.Schema { return s.schema }

// Next returns the next batch. A file that does not end as it should is an error.
func (s *Spool) Next(ctx context.Context) (*row.Batch, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	kind, data, err := s.block()
	if err != nil {
		return nil, err
	}
	if kind == spoolEnd {
		if total, n := binary.Varint(data); n <= 0 || total != s.rows {
			return nil, s.fail(fmt.Errorf("%d rows were read of %d", s.rows, total))
		}
		return nil, io.EOF
	}
	b, err := row.DecodeBatch(s.schema, data)
	if err != nil {
		return nil, s.fail(err)
	}
	s.rows += int64(b.Len)
	return b, nil
}

// block reads a block and checks it. The bytes are good until the next one.
func (s *Spool) block() (kind byte, data []byte, err error) {
	var head [8]byte
	if _, err := io.ReadFull(s.in, head[:]); err != nil {
		return 0, nil, s.fail(fmt.Errorf("it is cut off: %w", err))
	}
	size := int(binary.LittleEndian.Uint32(head[:]))
	if size == 0 || size > spoolMax {
		return 0, nil, s.fail(errDamaged)
	}
	if cap(s.buf) < size {
		s.buf = make([]byte, size)
	}
	s.buf = s.buf[:size]
	if _, err := io.ReadFull(s.in, s.buf); err != nil {
		return 0, nil, s.fail(fmt.Errorf("it is cut off: %w", err))
	}
	if crc32.Checksum(s.buf, castagnoli) != binary.LittleEndian.Uint32(head[4:]) {
		return 0, nil, s.fail(errDamaged)
	}
	return s.buf[0], s.buf[1:], nil
}

// Close closes the file.
func (s *Spool) Close() error {
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	s.file = nil
	return err
}

func (s *Spool) fail(err error) error { return &SpoolError{Path: s.path, Err: err} }

// syncFolder makes a new name last, where the system can.
func syncFolder(path string) {
	if d, err := os.Open(path); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}

func barePath(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
