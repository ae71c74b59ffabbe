package session

import (
	"context"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

// tell passes on what a source says of an answer, once a statement, also while its
// rows are read.
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
	s.notice(text)
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
