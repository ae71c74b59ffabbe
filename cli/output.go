package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/eslake/eslake/cli/render"
	"github.com/eslake/eslake/sql/row"
)

// output is where results go: stdout, or a file that takes its place only when
// all is done.
type output struct {
	w      io.Writer
	file   *os.File // nil for stdout
	path   string   // that a temporary file is renamed to; "" when it was opened itself
	sets   int      // results written
	closed bool     // the reader has gone
}

func newOutput(stdout io.Writer, path string) (*output, error) {
	if path == "" {
		return &output{w: stdout}, nil
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		return nil, usagef("", "--output %s: is a folder", path)
	}
	if err == nil && !info.Mode().IsRegular() { // a pipe or device cannot be exchanged
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return nil, outputError(path, err)
		}
		return &output{w: f, file: f}, nil
	}
	tmp := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"."+strings.ToLower(rand.Text()[:8])+".tmp")
	f, openErr := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if openErr != nil {
		return nil, outputError(path, openErr)
	}
	if err == nil {
		_ = f.Chmod(info.Mode().Perm()) // where that is not possible the umask holds
	}
	return &output{w: f, file: f, path: path}, nil
}

func outputError(path string, err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return usagef("", "--output %s: %w", path, err)
}

// write shows a result. When the reader of stdout has gone, results are dropped
// and that is no error.
func (o *output) write(ctx context.Context, f render.Format, r row.Reader, opts render.Options) (render.Summary, error) {
	if o.closed {
		return render.Summary{}, nil
	}
	s, err := render.Write(ctx, &spaced{w: o.w, gap: o.sets > 0 && opts.Width == 0 && gaps(f)}, f, r, opts)
	o.sets++
	if errors.Is(err, render.ErrClosed) {
		o.closed, err = true, nil
	}
	var p *os.PathError
	if o.path != "" && errors.As(err, &p) && p.Path == o.file.Name() {
		p.Path = o.path // the user does not know the temporary file
	}
	return s, err
}

// gaps reports whether an empty line stands between two results.
func gaps(f render.Format) bool { return f != render.JSON && f != render.NDJSON && f != render.Raw }

// spaced writes an empty line before the first bytes.
type spaced struct {
	w   io.Writer
	gap bool
}

func (s *spaced) Write(p []byte) (int, error) {
	if s.gap {
		s.gap = false
		if _, err := s.w.Write([]byte("\n")); err != nil {
			return 0, err
		}
	}
	return s.w.Write(p)
}

// finish puts the file in its place, or removes it when keep is false.
func (o *output) finish(keep bool) error {
	if o.file == nil {
		return nil
	}
	if o.path == "" {
		return o.file.Close()
	}
	var err error
	if keep {
		err = o.file.Sync()
	}
	err = errors.Join(err, o.file.Close())
	if keep && err == nil {
		err = os.Rename(o.file.Name(), o.path)
	}
	if !keep || err != nil {
		_ = os.Remove(o.file.Name())
	}
	return err
}

// formatOf picks the format by a file's name.
func formatOf(path string) render.Format {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".tsv":
		return render.TSV
	case ".json":
		return render.JSON
	case ".ndjson", ".jsonl":
		return render.NDJSON
	case ".md":
		return render.Markdown
	default:
		return render.Auto
	}
}
