package session

import (
	"context"
	"fmt"
	"strings"

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
	Statement string // UPDATE, DELETE, MERGE or UNDO
	Table     string
	Index     string // as the table names it
	Source    string
	Preview   exec.Preview
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
		Hint: "add a WHERE, or allow it with --allow-full-table",
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
