package session

import (
	"context"
	"fmt"
	"strings"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/planner/exec"
	"github.com/eslake/eslake/sql"
	"github.com/eslake/eslake/sql/row"
)

// Safety is what keeps documents from being changed by mistake. The zero value
// allows all that names its documents.
type Safety struct {
	MaxAffected    int64 // a statement that would change more documents does not begin; 0 for any number
	AllowFullTable bool  // UPDATE and DELETE may stand without WHERE
	// Confirm shows what a statement is about to do and reports whether it may. Nil
	// asks nobody.
	Confirm func(ctx context.Context, c Change) (bool, error)
}

// Change is what a statement is about to do.
type Change struct {
	Statement string // UPDATE, DELETE, MERGE, UNDO, INSERT OVERWRITE, TRUNCATE, or DROP with PURGE
	Table     string
	Index     string // as the table names it
	Source    string
	Preview   exec.Preview
	Removed   int64 // all documents of the index, of the last three statements
}

// Codes of errors of safety, see docs/errors.md.
const (
	codeFullTable   = "E5001" // UPDATE or DELETE without WHERE
	codeMaxAffected = "E5002" // more documents than --max-affected
	codeDeclined    = "E5003" // not confirmed
)

// SafetyError is a statement that was stopped before it changed anything.
type SafetyError struct {
	Code, Message, Hint string
}

// Error returns the message.
func (e *SafetyError) Error() string { return e.Message }

// allowed keeps a change of n documents from being made when that is more than it
// may be, or when the person does not want it.
func (s *Session) allowed(ctx context.Context, n int64, hint string, c Change) error {
	if most := s.cfg.Safety.MaxAffected; most > 0 && n > most {
		return &SafetyError{
			Code: codeMaxAffected, Message: fmt.Sprintf("%s would change %s documents of %s, --max-affected allows %s; nothing was changed", c.Statement, thousands(n), c.Table, thousands(most)),
			Hint: hint,
		}
	}
	if s.cfg.Safety.Confirm == nil || n == 0 {
		return nil
	}
	ok, err := s.cfg.Safety.Confirm(ctx, c)
	if err != nil {
		return err
	}
	if !ok {
		return &SafetyError{Code: codeDeclined, Message: fmt.Sprintf("%s of %s was not confirmed; nothing was changed", c.Statement, c.Table)}
	}
	return nil
}

// mayRemove asks whether all documents of an index may go. It counts them only
// when somebody wants to know.
func (s *Session) mayRemove(ctx context.Context, source esds.Source, t esds.Target, c Change) error {
	if s.cfg.Safety.MaxAffected == 0 && s.cfg.Safety.Confirm == nil || t.Kind == esds.Absent || t.Kind == esds.Dynamically {
		return nil // of a name that rows complete the write asks when they are known
	}
	n, err := source.Count(ctx, t.Name)
	if err != nil {
		return err
	}
	return s.mayRemoveAll(ctx, source, t.Name, n, c)
}

// mayRemoveAll is mayRemove for documents that are counted.
func (s *Session) mayRemoveAll(ctx context.Context, source esds.Source, index string, n int64, c Change) error {
	c.Index, c.Source, c.Removed = index, source.String(), n
	return s.allowed(ctx, n, "look whether it is the right table, or raise --max-affected", c)
}

// wholeTable refuses to change every document of a table, unless that is allowed.
func (s *Session) wholeTable(st sql.Statement) error {
	if s.cfg.Safety.AllowFullTable {
		return nil
	}
	return FullTable(st)
}

// FullTable is the error for an UPDATE or DELETE without WHERE, nil for other
// statements.
func FullTable(st sql.Statement) error {
	var name sql.TableName
	word := ""
	switch st := st.(type) {
	case *sql.Update:
		if st.Where == nil {
			word, name = "UPDATE", st.Table
		}
	case *sql.Delete:
		if st.Where == nil {
			word, name = "DELETE", st.Table
		}
	}
	if word == "" {
		return nil
	}
	return &SafetyError{
		Code: codeFullTable, Message: fmt.Sprintf("%s without WHERE would change every document of %s", word, row.QuoteName(name.Table.Name)),
		Hint: "add a WHERE; WHERE true, or --allow-full-table, means all of them",
	}
}

// Samples shows the first changes of a preview: for each document its id, and the
// fields that change.
func Samples(p exec.Preview, n int) string {
	var b strings.Builder
	for _, c := range p.Samples[:min(n, len(p.Samples))] {
		fmt.Fprintf(&b, "  %s  %s\n", c.ID, strings.Join(exec.Differences(c), ", "))
	}
	if more := p.Affected() - int64(min(n, len(p.Samples))); more > 0 && len(p.Samples) > 0 {
		fmt.Fprintf(&b, "  … and %s more\n", thousands(more))
	}
	return b.String()
}
