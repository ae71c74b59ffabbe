package catalog

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

// lockWait is how long a change waits for other processes.
const lockWait = 15 * time.Second

// store is the catalog's file and the credentials beside it. Readers take no
// lock: a file is only ever replaced as a whole.
type store struct {
	path string

	mu     sync.Mutex
	cached *content
	stamp  fs.FileInfo // of the file that cached was read from
	writer sync.Mutex
}

// file returns the path with links followed, so that all who mean one file take
// one lock.
func (s *store) file() string {
	if target, err := filepath.EvalSymlinks(s.path); err == nil {
		return target
	}
	return s.path
}

func (s *store) credentialsPath() string {
	dir, name := filepath.Split(s.file())
	if name == "catalog.json" {
		return filepath.Join(dir, "credentials.json")
	}
	return filepath.Join(dir, strings.TrimSuffix(name, ".json")+".credentials.json")
}

// read returns what the file holds. The caller must not change it.
func (s *store) read() (*content, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	info, err := os.Stat(s.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return newContent(), nil
	case err != nil:
		return nil, &FileError{Path: s.path, Err: bare(err)}
	case s.stamp != nil && os.SameFile(s.stamp, info) && s.stamp.ModTime().Equal(info.ModTime()) && s.stamp.Size() == info.Size():
		return s.cached, nil
	}
	data, err := os.ReadFile(s.path)
	if err != nil {
		return nil, &FileError{Path: s.path, Err: bare(err)}
	}
	c, err := decode(data)
	if err != nil {
		return nil, &FileError{Path: s.path, Err: err}
	}
	s.cached, s.stamp = c, info
	return c, nil
}

// forget makes the next read look at the file again.
func (s *store) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stamp = nil
}

func (s *store) readCredentials() (credentials, error) {
	path := s.credentialsPath()
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return credentials{}, nil
	case err != nil:
		return nil, &FileError{Path: path, Err: bare(err)}
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return nil, &FileError{Path: path, Err: errors.New("others may read it; make it your own with chmod 600")}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, &FileError{Path: path, Err: bare(err)}
	}
	c, err := decodeCredentials(data)
	if err != nil {
		return nil, &FileError{Path: path, Err: err}
	}
	return c, nil
}

// update changes the file by change, alone among all processes. An error from
// it leaves everything as it was; errUnchanged is none.
func (s *store) update(change func(*content, credentials) error) error {
	s.writer.Lock() // flock is one a process
	defer s.writer.Unlock()
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return &FileError{Path: s.path, Err: bare(err)}
	}
	unlock, err := lock(s.file() + ".lock")
	if err != nil {
		return &FileError{Path: s.path, Err: err}
	}
	defer unlock()
	sweep(s.file())
	s.forget()
	old, err := s.read()
	if err != nil {
		return err
	}
	creds, err := s.readCredentials()
	if err != nil {
		return err
	}
	next, nextCreds := old.clone(), maps.Clone(creds)
	if err := change(next, nextCreds); err != nil {
		if errors.Is(err, errUnchanged) {
			return nil
		}
		return err
	}
	return s.write(next, creds, nextCreds)
}

// write puts new credentials in place, then the catalog that refers to them,
// then removes those that nothing refers to. Wherever it is broken off, every
// reference finds its secret.
func (s *store) write(next *content, old, creds credentials) error {
	defer s.forget()
	if len(creds) > len(old) {
		if err := writeFile(s.credentialsPath(), encodeCredentials(creds)); err != nil {
			return err
		}
	}
	if err := writeFile(s.file(), next.encode()); err != nil {
		return err
	}
	used := credentials{}
	for _, ref := range next.refs() {
		if value, ok := creds[ref]; ok {
			used[ref] = value
		}
	}
	if len(used) == len(creds) {
		return nil
	}
	return writeFile(s.credentialsPath(), encodeCredentials(used))
}

func lock(path string) (unlock func(), err error) {
	l := flock.New(path, flock.SetPermissions(0o600))
	ctx, cancel := context.WithTimeout(context.Background(), lockWait)
	defer cancel()
	_, err = l.TryLockContext(ctx, 5*time.Millisecond)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, ErrBusy
	}
	if err != nil {
		return nil, bare(err)
	}
	return func() { _ = l.Close() }, nil
}

// sweep removes what a writer that was killed left behind. The caller holds the
// lock.
func sweep(path string) {
	left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*.json.*.tmp"))
	for _, name := range left {
		if strings.HasPrefix(name, path+".") {
			_ = os.Remove(name)
		}
	}
}

// writeFile replaces a file as a whole: after a power loss it is the old or the
// new one.
func writeFile(path string, data []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp")
	if err != nil {
		return &FileError{Path: path, Err: bare(err)}
	}
	_, err = tmp.Write(data)
	err = errors.Join(err, tmp.Sync(), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
		return &FileError{Path: path, Err: bare(err)}
	}
	syncDir(filepath.Dir(path))
	return nil
}

// syncDir makes a rename last; where a folder cannot be synced nothing is lost
// but that promise.
func syncDir(path string) {
	if d, err := os.Open(path); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}

// bare drops the path from an error, which the FileError says.
func bare(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
