package duck

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"
)

// Files returns the files that a path stands for, in the order in which they are
// read: itself, those of a folder, or those that a pattern matches.
func Files(path string) ([]string, error) { return listFiles(path) }

// listFiles returns the files behind a path, in order of their names. In a
// folder what begins with _ or . is left out, as Spark does.
func listFiles(path string) ([]string, error) {
	path = strings.TrimPrefix(path, "file://")
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.IsDir():
		return []string{path}, nil
	case err == nil:
		return listFolder(path)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, &FileError{Path: path, Err: withoutPath(err)}
	}
	matches, err := filepath.Glob(path)
	if err != nil {
		return nil, &FileError{Path: path, Err: err}
	}
	var list []string
	for _, m := range matches {
		more, err := listFiles(m)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	if len(list) == 0 {
		return nil, &FileError{Path: path, Err: errors.New("there is no such file")}
	}
	return list, nil
}

func listFolder(path string) ([]string, error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, &FileError{Path: path, Err: withoutPath(err)}
	}
	var list []string
	for _, e := range entries {
		name := filepath.Join(path, e.Name())
		switch {
		case strings.HasPrefix(e.Name(), "_"), strings.HasPrefix(e.Name(), "."):
		case e.IsDir() && strings.Contains(e.Name(), "="):
			return nil, &FileError{Path: name, Err: errors.New("folders by the value of a column are not supported yet: read one of them")}
		case !e.IsDir():
			list = append(list, name)
		}
	}
	if len(list) == 0 {
		return nil, &FileError{Path: path, Err: errors.New("there is no file in the folder")}
	}
	slices.Sort(list)
	return list, nil
}

func withoutPath(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// estimateRows guesses from the sizes of files.
func estimateRows(list []string, columns int) int64 {
	size := int64(0)
	for _, path := range list {
		if info, err := os.Stat(path); err == nil {
			size += info.Size()
			if compressed(path) {
				size += 4 * info.Size()
			}
		}
	}
	return size/int64(8*max(columns, 1)) + 1
}

func compressed(path string) bool {
	return strings.HasSuffix(path, ".gz") || strings.HasSuffix(path, ".zst")
}

// openText opens a file as UTF-8 text without a byte order mark. Its bytes are
// counted by p, which may be nil.
func openText(path, encoding string, p *pace) (io.ReadCloser, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, &FileError{Path: path, Err: withoutPath(err)}
	}
	text, err := decompress(&paced{file, p}, path)
	if err != nil {
		file.Close()
		return nil, &FileError{Path: path, Err: err}
	}
	text = &bomReader{in: text}
	switch strings.ToUpper(strings.ReplaceAll(encoding, "_", "-")) {
	case "", "UTF-8", "UTF8", "US-ASCII", "ASCII":
	case "ISO-8859-1", "LATIN1", "LATIN-1", "ISO8859-1":
		text = &decoder{in: text, decode: latin1}
	case "UTF-16LE":
		text = &decoder{in: text, decode: utf16With(false), unit: 2}
	case "UTF-16", "UTF-16BE":
		text = &decoder{in: text, decode: utf16With(true), unit: 2}
	default:
		file.Close()
		return nil, &FileError{Path: path, Err: fmt.Errorf("the encoding %s is not supported: UTF-8, ISO-8859-1, UTF-16LE and UTF-16BE are", encoding)}
	}
	return &openedFile{Reader: text, file: file}, nil
}

type openedFile struct {
	io.Reader
	file *os.File
}

func (f *openedFile) Close() error { return f.file.Close() }

func decompress(file io.Reader, path string) (io.Reader, error) {
	switch {
	case strings.HasSuffix(path, ".gz"):
		zip, err := gzip.NewReader(file)
		if errors.Is(err, io.EOF) {
			return bytes.NewReader(nil), nil
		}
		return zip, err
	case strings.HasSuffix(path, ".zst"):
		zip, err := zstd.NewReader(file, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true))
		if err != nil {
			return nil, err
		}
		return zip.IOReadCloser(), nil
	}
	return file, nil
}

// bomReader leaves out a byte order mark at the beginning.
type bomReader struct {
	in      io.Reader
	started bool
	rest    []byte
}

func (b *bomReader) Read(p []byte) (int, error) {
	if !b.started {
		b.started = true
		head := make([]byte, 3)
		n, err := io.ReadFull(b.in, head)
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return 0, err
		}
		b.rest = bytes.TrimPrefix(head[:n], []byte("\xef\xbb\xbf"))
	}
	if len(b.rest) > 0 {
		n := copy(p, b.rest)
		b.rest = b.rest[n:]
		return n, nil
	}
	return b.in.Read(p)
}

// decoder turns text of another encoding into UTF-8.
type decoder struct {
	in     io.Reader
	decode func(dst, src []byte) []byte
	unit   int // bytes that belong together, 0 for 1
	out    []byte
	left   []byte
	err    error
}

func (d *decoder) Read(p []byte) (int, error) {
	for len(d.out) == 0 && d.err == nil {
		buf := make([]byte, 32<<10)
		n, err := d.in.Read(buf)
		d.err = err
		src := append(d.left, buf[:n]...)
		whole := len(src)
		if d.unit > 1 {
			whole = d.wholeUnits(src)
		}
		d.out = d.decode(nil, src[:whole])
		d.left = append([]byte{}, src[whole:]...)
	}
	if len(d.out) == 0 {
		return 0, d.err
	}
	n := copy(p, d.out)
	d.out = d.out[n:]
	return n, nil
}

// wholeUnits keeps four bytes back, which may be half of a pair, until the end.
func (d *decoder) wholeUnits(src []byte) int {
	if d.err != nil {
		return len(src)
	}
	return max(0, len(src)/2*2-4)
}

func latin1(dst, src []byte) []byte {
	for _, b := range src {
		dst = utf8.AppendRune(dst, rune(b))
	}
	return dst
}

func utf16With(big bool) func(dst, src []byte) []byte {
	return func(dst, src []byte) []byte {
		units := make([]uint16, len(src)/2)
		for i := range units {
			a, b := src[2*i], src[2*i+1]
			if big {
				a, b = b, a
			}
			units[i] = uint16(a) | uint16(b)<<8
		}
		for _, r := range utf16.Decode(units) {
			if r != '\uFEFF' {
				dst = utf8.AppendRune(dst, r)
			}
		}
		return dst
	}
}
