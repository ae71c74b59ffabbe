package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync"
)

// LimitBulk sends the recorded bodies to an index over so many connections, and
// then refreshes it where that was recorded. Of an answer it looks at the first
// bytes only, which say whether all is well.
func LimitBulk(ctx context.Context, cluster *Cluster, index, dir string) error {
	recorded, err := ReadRecording(dir)
	if err != nil {
		return err
	}
	if err := sendBulks(ctx, cluster, index, dir, recorded.BulkLanes); err != nil || recorded.Refreshes == 0 {
		return err
	}
	return cluster.do(ctx, http.MethodPost, "/"+index+"/_refresh", nil, nil)
}

func sendBulks(ctx context.Context, cluster *Cluster, index, dir string, lanes int) error {
	file, err := os.Open(filepath.Join(dir, bulkFile))
	if err != nil {
		return err
	}
	defer file.Close()
	src := &bodies{in: bufio.NewReaderSize(file, 1<<20)}
	return together(ctx, lanes, func(ctx context.Context, _ int) error {
		var body []byte
		for {
			var err error
			if body, err = src.next(body); err != nil {
				if errors.Is(err, io.EOF) {
					return nil
				}
				return err
			}
			if err := sendBulk(ctx, cluster, index, body); err != nil {
				return err
			}
		}
	})
}

func sendBulk(ctx context.Context, cluster *Cluster, index string, body []byte) error {
	path := "/" + index + "/_bulk?filter_path=errors,items.*.status,items.*.error,items.*.result"
	answer, err := cluster.open(ctx, http.MethodPost, path, body, "application/x-ndjson")
	if err != nil {
		return err
	}
	defer answer.Close()
	seen, err := drain(answer)
	if err == nil && !bytes.HasPrefix(seen.head, []byte(`{"errors":false`)) {
		err = fmt.Errorf("a bulk request was not accepted: %s", seen.head)
	}
	return err
}

// bodies yields recorded bodies.
type bodies struct {
	mu sync.Mutex
	in io.Reader
}

// next reads one body into the room of another. The error is io.EOF after the
// last.
func (b *bodies) next(room []byte) ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var length [4]byte
	if _, err := io.ReadFull(b.in, length[:]); err != nil {
		return nil, err
	}
	n := int(binary.BigEndian.Uint32(length[:]))
	if cap(room) < n {
		room = make([]byte, n+n/8)
	}
	room = room[:n]
	if _, err := io.ReadFull(b.in, room); err != nil {
		return nil, fmt.Errorf("a recorded body is cut: %w", err)
	}
	return room, nil
}

// together runs f so many times at once. The first error ends the others.
func together(ctx context.Context, times int, f func(ctx context.Context, i int) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var group sync.WaitGroup
	for i := range times {
		group.Go(func() {
			if err := f(ctx, i); err != nil {
				stop(err)
			}
		})
	}
	group.Wait()
	return context.Cause(ctx)
}
