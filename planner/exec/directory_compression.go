package exec

import (
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"io"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
)

// compression is how a file is compressed. What open returns is closed before the
// file where it is an io.Closer.
type compression struct {
	ending string
	open   func(w io.Writer) (io.Writer, error)
}

// plain hides that the file could be closed.
func plain(w io.Writer) (io.Writer, error) { return struct{ io.Writer }{w}, nil }

// compressions are those of csv and json files, by Spark's names.
var compressions = map[string]compression{
	"": {"", plain}, "none": {"", plain}, "uncompressed": {"", plain},
	"gzip":    {".gz", func(w io.Writer) (io.Writer, error) { return gzip.NewWriter(w), nil }},
	"deflate": {".deflate", func(w io.Writer) (io.Writer, error) { return zlib.NewWriter(w), nil }},
	"zstd":    {".zst", func(w io.Writer) (io.Writer, error) { return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1)) }},
	"snappy":  {".snappy", func(w io.Writer) (io.Writer, error) { return snappyWriter{w}, nil }},
}

// snappyWriter writes blocks as Hadoop's SnappyCodec does: the length of the block,
// the length of its one chunk, and the chunk.
type snappyWriter struct{ out io.Writer }

// mostSnappy is the longest block, which Hadoop's buffer takes as one.
const mostSnappy = 32 << 10

// Write writes p as blocks.
func (s snappyWriter) Write(p []byte) (int, error) {
	done := 0
	for done < len(p) {
		block := p[done:min(len(p), done+mostSnappy)]
		packed := snappy.Encode(nil, block)
		head := binary.BigEndian.AppendUint32(nil, uint32(len(block)))
		head = binary.BigEndian.AppendUint32(head, uint32(len(packed)))
		if _, err := s.out.Write(append(head, packed...)); err != nil {
			return done, err
		}
		done += len(block)
	}
	return done, nil
}
