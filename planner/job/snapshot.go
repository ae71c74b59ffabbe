package job

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"slices"
)

// The content of a file up to wholeSize is read for its fingerprint; of a longer
// one, samples: its ends, and pieces between them.
const (
	wholeSize  = 64 << 20
	sampleSize = 64 << 10
	samples    = 256
)

// Look returns the files as they are now. Without content only size and time are
// taken.
func Look(paths []string, content bool) ([]File, error) {
	var list []File
	for _, path := range paths {
		f, err := look(path, content)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", path, bare(err))
		}
		list = append(list, f)
	}
	return list, nil
}

func look(path string, content bool) (File, error) {
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
	sum := sha256.New()
	if f.Size <= wholeSize {
		if _, err = io.Copy(sum, file); err != nil {
			return f, err
		}
		f.Check = "sha256:" + hex.EncodeToString(sum.Sum(nil))
		return f, nil
	}
	step := (f.Size - sampleSize) / (samples - 1)
	buf := make([]byte, sampleSize)
	for i := range int64(samples) {
		n, err := file.ReadAt(buf, i*step)
		if err != nil && err != io.EOF {
			return f, err
		}
		sum.Write(buf[:n])
	}
	f.Check = "samples:" + hex.EncodeToString(sum.Sum(nil))
	return f, nil
}

// Changed says what is different about the files that a job reads, "" for nothing.
// A file whose whole content is as it was may have another time.
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
	whole := len(f.Check) > 6 && f.Check[:6] == "sha256"
	switch {
	case f.Size != now.Size:
		return fmt.Sprintf("it has %d bytes, it had %d", now.Size, f.Size)
	case f.Check != now.Check:
		return "its content is not the same"
	case !whole && !f.Time.Equal(now.Time):
		return fmt.Sprintf("it was written at %s, before at %s", now.Time.Format("2006-01-02 15:04:05"), f.Time.Format("2006-01-02 15:04:05"))
	}
	return ""
}
