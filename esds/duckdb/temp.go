package duckdb

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"

	"github.com/gofrs/flock"
)

// tempLock is a file in the folder for what is spilled. It is locked while the
// process lives: the number of a process tells nothing among containers that
// share a folder.
const tempLock = "lock"

func makeTemp(dir string) (string, *flock.Flock, error) {
	temp, err := os.MkdirTemp(dir, "eslake-"+strconv.Itoa(os.Getpid())+"-")
	if err != nil {
		return "", nil, err
	}
	lock := flock.New(filepath.Join(temp, tempLock), flock.SetPermissions(0o600))
	if _, err := lock.TryLock(); err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(temp))
	}
	return temp, lock, nil
}

func removeTemp(temp string, lock *flock.Flock) error {
	return errors.Join(lock.Close(), os.RemoveAll(temp))
}

var tempName = regexp.MustCompile(`^eslake-([0-9]+)-[0-9]+$`)

// Leftovers returns the folders in dir, "" for the system's temporary one, whose
// process ended without removing what it spilled.
func Leftovers(dir string) []string {
	if dir == "" {
		dir = os.TempDir()
	}
	found, _ := filepath.Glob(filepath.Join(dir, "eslake-*")) // the pattern is good
	var list []string
	for _, path := range found {
		if m := tempName.FindStringSubmatch(filepath.Base(path)); m != nil && !inUse(path, m[1]) {
			list = append(list, path)
		}
	}
	return list
}

// inUse reports whether a process has the folder: by the lock, and in a folder of
// a version without one, or which is just being made, by the number.
func inUse(path, number string) bool {
	if lock, err := os.OpenFile(filepath.Join(path, tempLock), os.O_RDONLY, 0); err == nil {
		lock.Close()
		l := flock.New(filepath.Join(path, tempLock), flock.SetFlag(os.O_RDONLY))
		defer l.Close()
		free, err := l.TryRLock()
		return err != nil || !free
	}
	pid, err := strconv.Atoi(number)
	if err != nil {
		return true
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	err = p.Signal(syscall.Signal(0))
	return !errors.Is(err, os.ErrProcessDone) && !errors.Is(err, syscall.ESRCH)
}
