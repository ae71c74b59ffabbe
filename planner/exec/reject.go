package exec

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

// ShownRejects is how many rejected rows a PartialError holds; all are in its file.
const ShownRejects = 10

// PartialError says that some rows of a write were refused. The others were
// written, unless Kept says that the old rows stay.
type PartialError struct {
	Report esds.Report
	First  []esds.Reject // at most ShownRejects
	File   string        // NDJSON of all rejects
	Kept   bool          // nothing was put in place
}

// Error counts the rejected rows.
func (e *PartialError) Error() string {
	if e.Kept {
		return fmt.Sprintf("%d of %d rows were rejected; the old rows stay as they were", e.Report.Rejected, e.Report.Rows)
	}
	return fmt.Sprintf("%d of %d rows were rejected, the others were written", e.Report.Rejected, e.Report.Rows)
}

// Rejects collects the rows that a write refused: all in a file, which is made
// with the first, and some for the message.
type Rejects struct {
	path  string
	file  *os.File
	buf   []byte
	first []esds.Reject
}

// NewRejects returns a collection whose file will be at path.
func NewRejects(path string) *Rejects { return &Rejects{path: path} }

// Add keeps a reject. An error says that the file cannot be written.
func (r *Rejects) Add(x esds.Reject) error {
	if r.file == nil {
		if err := os.MkdirAll(filepath.Dir(r.path), 0o700); err != nil {
			return fmt.Errorf("rejects file: %w", err)
		}
		f, err := os.OpenFile(r.path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if err != nil {
			return fmt.Errorf("rejects file: %w", err)
		}
		r.file = f
	}
	if len(r.first) < ShownRejects {
		r.first = append(r.first, x)
	}
	r.buf = appendReject(r.buf[:0], x)
	if _, err := r.file.Write(r.buf); err != nil {
		return fmt.Errorf("rejects file: %w", err)
	}
	return nil
}

func appendReject(dst []byte, x esds.Reject) []byte {
	dst = fmt.Appendf(dst, `{"row":%d,"id":`, x.Row)
	dst = row.AppendQuoted(dst, x.ID)
	dst = row.AppendQuoted(append(dst, `,"index":`...), x.Index)
	dst = fmt.Appendf(dst, `,"status":%d,"type":`, x.Status)
	dst = row.AppendQuoted(dst, x.Type)
	dst = row.AppendQuoted(append(dst, `,"reason":`...), x.Reason)
	if len(x.Document) > 0 {
		dst = append(append(dst, `,"document":`...), x.Document...)
	}
	return append(dst, '}', '\n')
}

// Close completes the file and returns the error that a report with rejects is,
// nil without any.
func (r *Rejects) Close(report esds.Report) error {
	if r.file != nil {
		if err := r.file.Close(); err != nil {
			return fmt.Errorf("rejects file %s: %w", r.path, err)
		}
	}
	if report.Rejected == 0 {
		return nil
	}
	return &PartialError{Report: report, First: r.first, File: r.path}
}
