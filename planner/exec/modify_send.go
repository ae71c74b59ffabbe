package exec

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"strconv"
	"sync"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/planner/job"
)

// sending sends one file of changes.
type sending struct {
	m       *Modify
	round   int
	offset  int64 // rows of the rounds before
	rejects *Rejects

	mu      sync.Mutex // rejects and acknowledgements come from two goroutines
	clashes *os.File   // numbers of the rows in conflict, nil before the first
	unsaved bool
}

func (s *sending) file() string {
	if s.round == 0 {
		return s.m.Journal.Path(job.ChangesFile)
	}
	return s.m.Journal.Path(job.AgainFile(s.round))
}

// clashFile has the numbers of the rows in conflict, one a line. It is synced
// before they are acknowledged.
func (s *sending) clashFile() string { return s.m.Journal.Path(clashName(s.round)) }

func clashName(round int) string { return fmt.Sprintf("conflicts-%d", round) }

// send sends the rows after the first from.
func (s *sending) send(ctx context.Context, from int64) error {
	file, err := job.OpenChanges(s.file())
	if err != nil {
		return err
	}
	w := s.m.Write
	w.Changes, w.From = true, from
	if w.Resumed = s.m.Resumed != nil; w.Resumed {
		w.Doubt = s.m.sums.rows[s.round]
	}
	base := s.m.sent
	w.Acked = func(upto int64, settled esds.Report) error {
		if err := errors.Join(s.saveClashes(), s.rejects.Sync()); err != nil {
			return err
		}
		return s.m.Journal.Ack(s.offset+upto, job.Sum(base, settled))
	}
	w.Reject = s.reject
	if progress := w.Progress; progress != nil {
		w.Progress = func(r esds.Report) { progress(job.Sum(base, r)) }
	}
	report, err := s.m.Source.Write(ctx, w, file.Rows())
	s.m.sent = job.Sum(base, report)
	if closed := s.saveClashes(); err == nil {
		err = closed
	}
	if s.clashes != nil {
		err = errors.Join(err, s.clashes.Close())
	}
	return err
}

// reject keeps a row that was not accepted: a conflict for the next round, others
// for good.
func (s *sending) reject(r esds.Reject) error {
	if r.Status != http.StatusConflict {
		return s.rejects.Add(r)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.clashes == nil {
		f, err := os.OpenFile(s.clashFile(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if err != nil {
			return fmt.Errorf("list of conflicts: %w", err)
		}
		s.clashes = f
	}
	s.unsaved = true
	if _, err := fmt.Fprintln(s.clashes, r.Row); err != nil {
		return fmt.Errorf("list of conflicts: %w", err)
	}
	return nil
}

func (s *sending) saveClashes() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.unsaved {
		return nil
	}
	s.unsaved = false
	if err := s.clashes.Sync(); err != nil {
		return fmt.Errorf("list of conflicts: %w", err)
	}
	return nil
}

// conflicts returns the changes of the round that did not take effect since their
// documents were no longer as they had been read.
func (s *sending) conflicts() ([]job.Change, error) {
	numbers, err := clashNumbers(s.clashFile(), s.m.sums.rows[s.round])
	if err != nil || len(numbers) == 0 {
		return nil, err
	}
	file, err := job.OpenChanges(s.file())
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var found []job.Change
	for n := int64(1); len(found) < len(numbers); n++ {
		c, err := file.Next()
		if err != nil {
			return nil, err
		}
		if numbers[n] {
			found = append(found, c)
		}
	}
	return found, nil
}

// clashNumbers reads a list of conflicts within so many rows. A number that a
// crash cut off was not acknowledged, and comes again.
func clashNumbers(path string, rows int64) (map[int64]bool, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list of conflicts: %w", err)
	}
	defer f.Close()
	numbers := map[int64]bool{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		n, err := strconv.ParseInt(lines.Text(), 10, 64)
		if err == nil && n > 0 && n <= rows {
			numbers[n] = true
		}
	}
	return numbers, lines.Err()
}

// giveUp rejects what is still in conflict after the last round.
func (s *sending) giveUp(conflicts []job.Change) error {
	for _, c := range conflicts {
		reason := fmt.Sprintf("another writer changed the document each of the %d times that it was read", modifyRounds+1)
		if err := s.rejects.Add(conflictOf(c, reason)); err != nil {
			return err
		}
	}
	return nil
}
