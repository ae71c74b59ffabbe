package duck

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

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

// openText opens a file as UTF-8 text without a byte order mark. Its bytes are
// counted by p, which may be nil.
func openText(path string, d *dialect, p *pace) (io.ReadCloser, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, &FileError{Path: path, Err: withoutPath(err)}
	}
	text, err := decompress(&paced{file, p}, path)
	var sound *soundReader
	if d.ignoreCorrupt {
		sound = &soundReader{in: text, failed: err, ended: err != nil}
		text, err = sound, nil
	}
	if err != nil {
		file.Close()
		return nil, &FileError{Path: path, Err: err}
	}
	text = &bomReader{in: text}
	switch encoding := d.encoding; strings.ToUpper(strings.ReplaceAll(encoding, "_", "-")) {
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
	if d.comments {
		text = &plainComments{in: text}
	}
	return &openedFile{Reader: text, file: file, path: path, sound: sound, left: d.left}, nil
}

type openedFile struct {
	io.Reader
	file  *os.File
	path  string
	sound *soundReader // nil where a file that cannot be read is an error
	left  func(path string, err error)
}

// Close closes the file, and tells what of it was left out.
func (f *openedFile) Close() error {
	if f.sound != nil && f.sound.failed != nil {
		f.left(f.path, f.sound.failed)
	}
	return f.file.Close()
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
