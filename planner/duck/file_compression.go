package duck

import (
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
)

// compressions are the endings of compressed files.
var compressions = map[string]func(io.Reader) (io.Reader, error){
	".gz": func(in io.Reader) (io.Reader, error) {
		zip, err := gzip.NewReader(in)
		if errors.Is(err, io.EOF) {
			return bytes.NewReader(nil), nil
		}
		return zip, err
	},
	".zst": func(in io.Reader) (io.Reader, error) {
		zip, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true))
		if err != nil {
			return nil, err
		}
		return zip.IOReadCloser(), nil
	},
	".bz2":     func(in io.Reader) (io.Reader, error) { return bzip2.NewReader(in), nil },
	".deflate": func(in io.Reader) (io.Reader, error) { return zlib.NewReader(in) },
	".snappy":  func(in io.Reader) (io.Reader, error) { return &snappyReader{in: in}, nil },
	".lz4": func(io.Reader) (io.Reader, error) {
		return nil, errors.New("files compressed by lz4 are not supported: compress them by gzip or zstd")
	},
}

func ending(path string) string {
	dot := strings.LastIndexByte(path, '.')
	if dot < 0 {
		return ""
	}
	return path[dot:]
}

func compressed(path string) bool {
	_, ok := compressions[ending(path)]
	return ok
}

func decompress(file io.Reader, path string) (io.Reader, error) {
	if open, ok := compressions[ending(path)]; ok {
		return open(file)
	}
	return file, nil
}

// snappyReader reads what Hadoop's SnappyCodec writes: blocks of a length, then
// chunks with a length each until the block is full.
type snappyReader struct {
	in    io.Reader
	left  int // bytes of the block that are still to come
	chunk []byte
}

// mostSnappy is the longest block that is taken for one.
const mostSnappy = 64 << 20

func (s *snappyReader) length() (int, error) {
	var b [4]byte
	if _, err := io.ReadFull(s.in, b[:]); err != nil {
		return 0, err
	}
	n := binary.BigEndian.Uint32(b[:])
	if n > mostSnappy {
		return 0, fmt.Errorf("not a file of Hadoop's snappy: a block of %d bytes", n)
	}
	return int(n), nil
}

// Read reads decompressed bytes.
func (s *snappyReader) Read(p []byte) (int, error) {
	for len(s.chunk) == 0 {
		if err := s.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, s.chunk)
	s.chunk = s.chunk[n:]
	return n, nil
}

func (s *snappyReader) next() error {
	var err error
	if s.left == 0 {
		if s.left, err = s.length(); err != nil {
			return err // io.EOF between blocks
		}
		if s.left == 0 {
			return nil
		}
	}
	n, err := s.length()
	if err == nil {
		packed := make([]byte, n)
		if _, err = io.ReadFull(s.in, packed); err == nil {
			s.chunk, err = snappy.Decode(nil, packed)
		}
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err == nil && len(s.chunk) > s.left {
		err = errors.New("a chunk of snappy is longer than its block")
	}
	s.left -= len(s.chunk)
	return err
}

// soundReader ends a file where it cannot be read on: with the last whole line
// before. What went wrong is kept.
type soundReader struct {
	in     io.Reader
	buf    []byte // read, up to whole lines
	tail   []byte // behind the last whole line
	failed error  // nil while nothing went wrong
	ended  bool
}

// Read reads whole lines.
func (s *soundReader) Read(p []byte) (int, error) {
	for len(s.buf) == 0 {
		if s.ended {
			return 0, io.EOF
		}
		s.fill()
	}
	n := copy(p, s.buf)
	s.buf = s.buf[n:]
	return n, nil
}

func (s *soundReader) fill() {
	chunk := make([]byte, 64<<10)
	n, err := s.in.Read(chunk)
	s.tail = append(s.tail, chunk[:n]...)
	if cut := bytes.LastIndexByte(s.tail, '\n'); cut >= 0 {
		s.buf, s.tail = s.tail[:cut+1:cut+1], bytes.Clone(s.tail[cut+1:])
	}
	switch {
	case errors.Is(err, io.EOF):
		s.buf, s.tail, s.ended = append(s.buf, s.tail...), nil, true
	case err != nil:
		s.tail, s.ended, s.failed = nil, true, err
	}
}

// plainComments puts blanks in the place of comments in JSON: // up to the end of
// the line, and /* … */.
type plainComments struct {
	in    io.Reader
	state byte // 0 outside, '"' in a string, '\\' behind a backslash in one, '/' in a line's comment, '*' in a block's
	last  byte // the byte before, of which it is not known what it begins; 0 for none
	out   []byte
	err   error
}

// Read reads text without comments.
func (c *plainComments) Read(p []byte) (int, error) {
	for len(c.out) == 0 && c.err == nil {
		chunk := make([]byte, 64<<10)
		n, err := c.in.Read(chunk)
		c.out = c.out[:0]
		for _, b := range chunk[:n] {
			c.add(b)
		}
		if c.err = err; err != nil && c.last != 0 && c.state != '*' {
			c.out, c.last = append(c.out, c.last), 0
		}
	}
	if len(c.out) == 0 {
		return 0, c.err
	}
	n := copy(p, c.out)
	c.out = c.out[n:]
	return n, nil
}

func (c *plainComments) add(b byte) {
	before := c.last
	c.last = 0
	switch c.state {
	case '"':
		if c.out = append(c.out, b); b == '\\' {
			c.state = '\\'
		} else if b == '"' {
			c.state = 0
		}
	case '\\':
		c.out, c.state = append(c.out, b), '"'
	case '/':
		if b == '\n' {
			c.out, c.state = append(c.out, b), 0
		}
	case '*':
		switch {
		case before == '*' && b == '/':
			c.out, c.state = append(c.out, ' '), 0
		case b == '\n':
			c.out = append(c.out, b)
		default:
			c.last = b
		}
	default:
		c.outside(before, b)
	}
}

func (c *plainComments) outside(before, b byte) {
	switch {
	case before == '/' && (b == '/' || b == '*'):
		c.state = b
		return
	case before != 0:
		c.out = append(c.out, before)
	}
	if b == '/' {
		c.last = b
		return
	}
	if c.out = append(c.out, b); b == '"' {
		c.state = '"'
	}
}
