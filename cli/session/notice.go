package session

import (
	"context"
	"slices"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

// notice keeps a note for the result, each once.
func (s *Session) notice(text string) {
	s.telling.Lock()
	defer s.telling.Unlock()
	s.keep(text)
}

// keep is notice with the lock held.
func (s *Session) keep(text string) {
	if !slices.Contains(s.notices, text) {
		s.notices = append(s.notices, text)
	}
}

func (s *Session) noticed() []string {
	s.telling.Lock()
	defer s.telling.Unlock()
	return slices.Clone(s.notices)
}

func (s *Session) forgetNotices() {
	s.telling.Lock()
	defer s.telling.Unlock()
	s.notices = nil
}

// tell passes on what a source says of an answer, once a statement, also while its
// rows are read. Warn is called by one goroutine at a time.
func (s *Session) tell(text string) {
	s.telling.Lock()
	defer s.telling.Unlock()
	if s.told[text] {
		return
	}
	s.told[text] = true
	if s.cfg.Warn != nil {
		s.cfg.Warn(text)
		return
	}
	s.keep(text)
}

// heard lets the source of rows tell the session what a person should know.
type heard struct {
	row.Reader
	session *Session
}

// Next returns the next batch.
func (h heard) Next(ctx context.Context) (*row.Batch, error) {
	return h.Reader.Next(esds.WithNotice(ctx, h.session.tell))
}

// Print is Next for the lines of a row.Printer.
func (h heard) Print(ctx context.Context, l *row.Lines) (row.Printed, error) {
	return row.Print(esds.WithNotice(ctx, h.session.tell), h.Reader, l)
}
