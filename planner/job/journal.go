package job

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/eslake/eslake/esds"
)

// entry is a line of the journal. Besides the time one thing is set.
type entry struct {
	Time    time.Time      `json:"time"`
	Start   *Start         `json:"start,omitempty"`
	Process *process       `json:"process,omitempty"` // with Start and Resumed
	Resumed int            `json:"resumed,omitempty"` // the number of the run
	Step    string         `json:"step,omitempty"`
	Facts   map[string]any `json:"facts,omitempty"` // with Step
	Acked   int64          `json:"acked,omitempty"` // rows from the first that are settled
	Settled *esds.Report   `json:"settled,omitempty"`
	Sent    int64          `json:"sent,omitempty"` // rows from the first that may have been sent
	End     *Outcome       `json:"end,omitempty"`
	Undone  string         `json:"undone,omitempty"`
}

type process struct {
	PID  int    `json:"pid"`
	Host string `json:"host,omitempty"`
	Boot string `json:"boot,omitempty"` // see boot
}

// Journal is a job that this process works on. Its methods may be called by
// several goroutines.
type Journal struct {
	dir, id string
	file    *os.File
	now     func() time.Time
	boot    string
	unlock  func()
	base    esds.Report // settled by earlier runs

	mu     sync.Mutex
	broken error // that a line may not have been written

	dirty  chan struct{} // asks the syncer for one more sync
	synced chan struct{} // closed when the syncer has ended
	failed error         // of the syncer, under mu
}

func newJournal(f *os.File, dir, id string, s *Store, unlock func()) *Journal {
	return &Journal{dir: dir, id: id, file: f, now: s.now, boot: s.boot, unlock: unlock}
}

// ID returns the job's id.
func (j *Journal) ID() string { return j.id }

// Path returns the path of a file in the job's folder, which it does not make.
func (j *Journal) Path(name string) string { return filepath.Join(j.dir, name) }

// Base returns what earlier runs settled: zero for the first run.
func (j *Journal) Base() esds.Report { return j.base }

// Restart forgets what earlier runs settled, for a run that begins at the first
// row again.
func (j *Journal) Restart() { j.base = esds.Report{} }

// Step writes that a named point was reached. It survives a power loss when Step
// returns without error.
func (j *Journal) Step(name string, facts map[string]any) error {
	return j.append(entry{Step: name, Facts: facts}, true)
}

// Ack writes that all rows up to a number are settled, and what became of those
// that this run sent. The line survives the end of the process at once, and a
// power loss soon after: the disk is not waited for, since what a journal lags
// behind is sent again under the same ids. An error of an earlier line is told by
// a later call.
func (j *Journal) Ack(upto int64, settled esds.Report) error {
	total := Sum(j.base, settled)
	if err := j.append(entry{Acked: upto, Settled: &total}, false); err != nil {
		return err
	}
	j.syncSoon()
	return nil
}

// Sent writes that rows up to a number are about to be sent. The line survives the
// end of the process at once; a power loss may take it, until the next line that
// is synced.
func (j *Journal) Sent(upto int64) error { return j.append(entry{Sent: upto}, false) }

// Undone writes that the job's changes were put back by another job.
func (j *Journal) Undone(by string) error { return j.append(entry{Undone: by}, true) }

// Finish writes how this run ended. When the job is done the rows that were kept
// for a resume are removed.
func (j *Journal) Finish(o Outcome) error {
	if err := j.append(entry{End: &o}, true); err != nil || o.Error != "" {
		return err
	}
	for _, name := range []string{SpoolFile, openFile} {
		if err := os.Remove(j.Path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return j.fail(err)
		}
	}
	return nil
}

// Close ends the work of this process on the job and frees its lock. It may be
// called twice.
func (j *Journal) Close() error {
	if j.file == nil {
		return nil
	}
	if j.dirty != nil {
		close(j.dirty)
		<-j.synced
		j.dirty = nil
	}
	err := j.file.Close()
	j.file = nil
	j.unlock()
	if err = errors.Join(j.failed, err); err != nil {
		return j.fail(err)
	}
	return nil
}

// append writes one line, in one call, so that a crash leaves it whole or cut,
// but never mixed with another.
func (j *Journal) append(e entry, sync bool) error {
	e.Time = j.now().UTC()
	if e.Start != nil || e.Resumed > 0 {
		host, _ := os.Hostname() // only for a person to read
		e.Process = &process{PID: os.Getpid(), Host: host, Boot: j.boot}
	}
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		return j.fail(err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := errors.Join(j.broken, j.failed); err != nil { // a later line would stand behind a cut one
		return j.fail(err)
	}
	_, err := j.file.Write(line.Bytes())
	if err == nil && sync {
		err = j.file.Sync()
	}
	if err != nil {
		j.broken = err
		return j.fail(err)
	}
	return nil
}

// syncSoon has the file synced in the background, once for all lines that come
// meanwhile.
func (j *Journal) syncSoon() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.dirty == nil {
		j.dirty, j.synced = make(chan struct{}, 1), make(chan struct{})
		go j.syncer(j.dirty, j.file)
	}
	select {
	case j.dirty <- struct{}{}:
	default: // one is asked for, and it will see this line too
	}
}

func (j *Journal) syncer(dirty <-chan struct{}, file *os.File) {
	defer close(j.synced)
	for range dirty {
		if err := file.Sync(); err != nil {
			j.mu.Lock()
			j.failed = err
			j.mu.Unlock()
		}
	}
}

func (j *Journal) fail(err error) error {
	return &Error{Op: "write the journal of", Job: j.id, Err: bare(err), Hint: "see that there is room and that " + j.dir + " can be written"}
}

func bare(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// Sum adds two reports.
func Sum(a, b esds.Report) esds.Report {
	a.Rows += b.Rows
	a.Created += b.Created
	a.Updated += b.Updated
	a.Deleted += b.Deleted
	a.Noop += b.Noop
	a.Rejected += b.Rejected
	a.Retried += b.Retried
	a.Bytes += b.Bytes
	return a
}

// readJournal reads a job, and how many bytes of its journal are whole lines. The
// state is Interrupted when no end is written; whether a process still works on
// it shows in the lock.
func (s *Store) readJournal(dir, id string) (*Record, int64, error) {
	data, err := os.ReadFile(filepath.Join(dir, journalFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, &Error{Op: "read", Job: id, Err: ErrNotFound}
	}
	if err != nil {
		return nil, 0, &Error{Op: "read", Job: id, Err: err}
	}
	r := &Record{Dir: dir, State: Interrupted}
	whole := int64(0)
	for number := 1; ; number++ {
		line, rest, found := bytes.Cut(data, []byte("\n"))
		if !found {
			break // cut off
		}
		var e entry
		if err := json.Unmarshal(line, &e); err != nil {
			if len(rest) == 0 {
				break // a power loss may leave zeros where the last line was to be
			}
			return nil, 0, &Error{Op: "read", Job: id, Err: fmt.Errorf("line %d of %s: %w", number, filepath.Join(dir, journalFile), err)}
		}
		r.add(e)
		whole += int64(len(line)) + 1
		data = rest
	}
	if r.ID == "" {
		return nil, 0, &Error{Op: "read", Job: id, Err: ErrNotFound}
	}
	r.startedOn(s.boot)
	return r, whole, nil
}

// startedOn takes up that a run of the job begins since the machine began. A run before
// that did not come to its end may have lost what it wrote last.
func (r *Record) startedOn(boot string) {
	r.Cut = r.Cut || r.boot != "" && boot != "" && boot != r.boot
	r.boot = boot
}

// add takes up a line.
func (r *Record) add(e entry) {
	r.Last = e.Time
	if e.Process != nil {
		r.startedOn(e.Process.Boot)
	}
	switch {
	case e.Start != nil:
		r.Start, r.Began, r.Runs = *e.Start, e.Time, 1
	case e.Resumed > 0:
		r.Runs, r.State, r.Outcome = e.Resumed, Interrupted, nil
	case e.Step != "":
		r.Steps = append(r.Steps, Step{Time: e.Time, Name: e.Step, Facts: e.Facts})
	case e.Settled != nil:
		r.Acked, r.Settled = e.Acked, *e.Settled
	case e.Sent > 0:
		r.Sent = max(r.Sent, e.Sent) // a run that goes on begins before what the one before has sent
	case e.End != nil:
		r.Outcome, r.State = e.End, Done
		r.boot = "" // the disk has all that stands before an end
		if e.End.Error != "" {
			r.State = Failed
		}
	case e.Undone != "":
		r.UndoneBy, r.State = e.Undone, Undone
	}
}
