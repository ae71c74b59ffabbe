package job

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

const (
	journalFile = "journal.ndjson"
	lockFile    = "lock"
	openFile    = "open" // is there until the job is done
)

// lookTime is how long a lock is waited for: List and Debris, in whatever
// process, hold the locks that they look at for a moment.
const lookTime = 200 * time.Millisecond

// Store is a folder of jobs. Several processes may use it at once. Nothing is
// made before the first job begins.
type Store struct {
	dir  string
	now  func() time.Time
	boot string
}

// Open returns the store in dir, which need not be there.
func Open(dir string) *Store { return &Store{dir: dir, now: time.Now, boot: boot()} }

// Dir returns the folder.
func (s *Store) Dir() string { return s.dir }

// Begin makes the folder of a new job, locks it and writes the start: when it
// returns without error both survive a power loss. The lock is held until Close,
// or until the process ends in any way. A name that another job has is ErrTaken.
func (s *Store) Begin(start Start) (*Journal, error) {
	fail := func(err error) error { return &Error{Op: "begin", Job: start.ID, Err: err} }
	if !plain(start.ID) {
		return nil, fail(errors.New("the id cannot be the name of a folder"))
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, fail(err)
	}
	if start.Name != "" { // two processes with one name: one of them is first
		unlock, err := takeLock(filepath.Join(s.dir, lockFile), 10*time.Second)
		if err != nil {
			return nil, fail(err)
		}
		defer unlock()
		if other, err := s.Named(start.Name); err != nil || other != nil {
			return nil, fail(cmp.Or(err, ErrTaken))
		}
	}
	dir := filepath.Join(s.dir, start.ID)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, fail(err)
	}
	unlock, err := takeLock(filepath.Join(dir, lockFile), lookTime)
	if err != nil {
		return nil, fail(err)
	}
	j, err := s.journal(dir, start.ID, unlock)
	if err == nil {
		err = os.WriteFile(j.Path(openFile), nil, 0o600)
	}
	if err == nil {
		if err = j.append(entry{Start: &start}, true); err == nil {
			syncDir(dir)
			syncDir(s.dir)
			return j, nil
		}
	}
	if j != nil {
		_ = j.Close()
	}
	_ = os.RemoveAll(dir) // nothing was done yet
	return nil, err
}

// journal opens the file of a job whose lock is held; after an error the lock is
// not.
func (s *Store) journal(dir, id string, unlock func()) (*Journal, error) {
	f, err := os.OpenFile(filepath.Join(dir, journalFile), os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		unlock()
		return nil, &Error{Op: "write", Job: id, Err: err}
	}
	return newJournal(f, dir, id, s, unlock), nil
}

// List returns all jobs, the newest first. A folder without a readable start is
// no job.
func (s *Store) List() ([]Record, error) { return s.list(func(string) bool { return true }) }

// Unfinished returns the jobs that are neither done nor undone, the newest first.
// It reads the journals of no other.
func (s *Store) Unfinished() ([]Record, error) {
	return s.list(func(id string) bool {
		_, err := os.Stat(filepath.Join(s.dir, id, openFile))
		return err == nil
	})
}

func (s *Store) list(wanted func(id string) bool) ([]Record, error) {
	ids, err := s.ids()
	if err != nil {
		return nil, err
	}
	var list []Record
	for _, id := range ids {
		if !wanted(id) {
			continue
		}
		r, err := s.read(id)
		if errors.Is(err, ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		list = append(list, *r)
	}
	slices.SortStableFunc(list, func(a, b Record) int {
		return cmp.Or(b.Began.Compare(a.Began), cmp.Compare(b.ID, a.ID))
	})
	return list, nil
}

// ids returns the names of the folders.
func (s *Store) ids() ([]string, error) {
	entries, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list jobs: %w", err)
	}
	var ids []string
	for _, e := range entries {
		if e.IsDir() {
			ids = append(ids, e.Name())
		}
	}
	return ids, nil
}

// Named returns the job with the name of --job-id, nil when there is none.
func (s *Store) Named(name string) (*Record, error) {
	ids, err := s.ids()
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		if start, err := firstLine(filepath.Join(s.dir, id)); err == nil && start.Name == name {
			return s.read(id)
		}
	}
	return nil, nil
}

// Read returns a job by its id, by a beginning of the id that no other has, or by
// the name of --job-id.
func (s *Store) Read(id string) (*Record, error) {
	full, err := s.find(id)
	if err != nil {
		return nil, err
	}
	return s.read(full)
}

func (s *Store) find(id string) (string, error) {
	ids, err := s.ids()
	if err != nil {
		return "", err
	}
	var found []string
	for _, other := range ids {
		if other == id {
			return id, nil
		}
		if id != "" && strings.HasPrefix(other, id) {
			found = append(found, other)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return "", &Error{Op: "find", Job: id, Err: fmt.Errorf("several jobs begin so: %s", strings.Join(found, ", "))}
	}
	named, err := s.Named(id)
	if err != nil {
		return "", err
	}
	if named != nil {
		return named.ID, nil
	}
	return "", &Error{Op: "find", Job: id, Err: ErrNotFound, Hint: "SHOW JOBS lists them"}
}

// read returns a job whose id is whole.
func (s *Store) read(id string) (*Record, error) {
	dir := filepath.Join(s.dir, id)
	r, _, err := s.readJournal(dir, id)
	if err != nil {
		return nil, err
	}
	if r.State == Interrupted && held(filepath.Join(dir, lockFile)) {
		r.State = Running
	}
	return r, nil
}

// Resume locks a job that is not done, and returns its journal to go on with and
// what it tells so far. The error is ErrRunning when another process has it, and
// ErrFinished when there is nothing left to do.
func (s *Store) Resume(id string) (*Journal, *Record, error) {
	j, r, err := s.Reopen(id)
	if err != nil {
		return nil, nil, err
	}
	if r.Finished() {
		_ = j.Close()
		return nil, nil, &Error{Op: "resume", Job: r.ID, Err: ErrFinished}
	}
	j.base = r.Settled
	if err := j.append(entry{Resumed: r.Runs + 1}, true); err != nil {
		return nil, nil, errors.Join(err, j.Close())
	}
	r.Runs++
	r.State, r.Outcome = Running, nil
	return j, r, nil
}

// Reopen locks a job in whatever state it is, to add to its journal. The error is
// ErrRunning when another process has it.
func (s *Store) Reopen(id string) (*Journal, *Record, error) {
	full, err := s.find(id)
	if err != nil {
		return nil, nil, err
	}
	dir := filepath.Join(s.dir, full)
	unlock, err := takeLock(filepath.Join(dir, lockFile), lookTime)
	if err != nil {
		return nil, nil, &Error{Op: "open", Job: full, Err: err}
	}
	r, size, err := s.readJournal(dir, full)
	if err != nil {
		unlock()
		return nil, nil, err
	}
	j, err := s.journal(dir, full, unlock)
	if err != nil {
		return nil, nil, err
	}
	if err := j.file.Truncate(size); err != nil { // what a crash cut off
		return nil, nil, errors.Join(&Error{Op: "write", Job: full, Err: err}, j.Close())
	}
	return j, r, nil
}

// Remove deletes the folder of a job. The error is ErrRunning when a process
// works on it.
func (s *Store) Remove(id string) error {
	full, err := s.find(id)
	if err != nil {
		return err
	}
	dir := filepath.Join(s.dir, full)
	unlock, err := takeLock(filepath.Join(dir, lockFile), lookTime)
	if err != nil {
		return &Error{Op: "remove", Job: full, Err: err}
	}
	err = os.Remove(filepath.Join(dir, journalFile)) // first: without it the folder is no job
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	unlock()
	if err = errors.Join(err, os.RemoveAll(dir)); err != nil {
		return &Error{Op: "remove", Job: full, Err: err}
	}
	return nil
}

// Debris returns the folders without a start: of jobs that ended before they
// began, or were removed in part.
func (s *Store) Debris() ([]string, error) {
	ids, err := s.ids()
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(ids, func(id string) bool {
		dir := filepath.Join(s.dir, id)
		_, err := firstLine(dir)
		return err == nil || held(filepath.Join(dir, lockFile))
	}), nil
}

// plain reports whether an id is safe as the name of a folder.
func plain(id string) bool {
	return id != "" && !strings.HasPrefix(id, ".") && !strings.ContainsAny(id, `/\:`)
}

// takeLock locks a file, waiting so long for another process.
func takeLock(path string, wait time.Duration) (unlock func(), err error) {
	l := flock.New(path, flock.SetPermissions(0o600))
	ctx, cancel := context.WithTimeout(context.Background(), wait+time.Millisecond)
	defer cancel()
	ok, err := l.TryLock() // at least once, however busy the machine is
	if err == nil && !ok {
		ok, err = l.TryLockContext(ctx, 5*time.Millisecond)
	}
	if errors.Is(err, context.DeadlineExceeded) || err == nil && !ok {
		_ = l.Close()
		return nil, ErrRunning
	}
	if err != nil {
		_ = l.Close()
		return nil, err
	}
	return func() { _ = l.Close() }, nil
}

// held reports whether a process has the lock. What cannot be known counts as
// not held: a resume finds out.
func held(path string) bool {
	if _, err := os.Stat(path); err != nil {
		return false
	}
	l := flock.New(path, flock.SetFlag(os.O_RDONLY))
	defer l.Close()
	ok, err := l.TryRLock()
	return err == nil && !ok
}

// syncDir makes a new name last; where a folder cannot be synced nothing is lost
// but that promise.
func syncDir(path string) {
	if d, err := os.Open(path); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}

// firstLine reads the start of a job and no more.
func firstLine(dir string) (*Start, error) {
	f, err := os.Open(filepath.Join(dir, journalFile))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var e entry
	if err := json.NewDecoder(f).Decode(&e); err != nil {
		return nil, err
	}
	if e.Start == nil {
		return nil, ErrNotFound
	}
	return e.Start, nil
}
