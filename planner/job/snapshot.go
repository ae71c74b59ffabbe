package job

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/zeebo/xxh3"
)

// Look returns the files as they are now. Without content only size and time are
// taken; with it every byte is read, at the speed of the disk: the fingerprint
// itself takes a second for 7 GB.
func Look(ctx context.Context, paths []string, content bool) ([]File, error) {
	var list []File
	for _, path := range paths {
		f, err := look(ctx, path, content)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", path, bare(err))
		}
		list = append(list, f)
	}
	return list, nil
}

func look(ctx context.Context, path string, content bool) (File, error) {
	file, err := os.Open(path)
	if err != nil {
		return File{}, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return File{}, err
	}
	f := File{Path: path, Size: info.Size(), Time: info.ModTime().UTC()}
	if !content || !info.Mode().IsRegular() { // a pipe can be read but once
		return f, nil
	}
	f.Check, err = fingerprint(ctx, file)
	return f, err
}

func fingerprint(ctx context.Context, in io.Reader) (string, error) {
	sum, buf := xxh3.New128(), make([]byte, 256<<10)
	for {
		n, err := in.Read(buf)
		_, _ = sum.Write(buf[:n]) // never fails
		if errors.Is(err, io.EOF) {
			return "xxh128:" + hex.EncodeToString(sum.Sum(nil)), nil
		}
		if err != nil {
			return "", err
		}
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
	}
}

// Changed says what is different about the files that a job reads, "" for nothing.
// A file whose content is as it was may have another time.
func Changed(before, now []File) string {
	for _, f := range before {
		i := slices.IndexFunc(now, func(g File) bool { return g.Path == f.Path })
		if i < 0 {
			return fmt.Sprintf("file %s is not there any more", f.Path)
		}
		if what := f.changed(now[i]); what != "" {
			return fmt.Sprintf("file %s was changed: %s", f.Path, what)
		}
	}
	for _, f := range now {
		if !slices.ContainsFunc(before, func(g File) bool { return g.Path == f.Path }) {
			return fmt.Sprintf("file %s was not there before", f.Path)
		}
	}
	return ""
}

func (f File) changed(now File) string {
	switch {
	case f.Size != now.Size:
		return fmt.Sprintf("it has %d bytes, it had %d", now.Size, f.Size)
	case f.Check != now.Check:
		return "its content is not the same"
	case f.Check == "" && !f.Time.Equal(now.Time):
		return fmt.Sprintf("it was written at %s, before at %s", now.Time.Format("2006-01-02 15:04:05"), f.Time.Format("2006-01-02 15:04:05"))
	}
	return ""
}
