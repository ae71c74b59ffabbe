package exec

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

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
	// Limit is what eslake.max.rejects allows, when the statement stopped since there
	// were more; "" otherwise.
	Limit string
}

// Error counts the rejected rows.
func (e *PartialError) Error() string {
	if e.Limit != "" {
		after := fmt.Sprintf("%d rows had been written", e.Report.Accepted())
		if e.Kept {
			after = "the old rows stay as they were"
		}
		return fmt.Sprintf("stopped after %d rows: %d were rejected, more than eslake.max.rejects = %s; %s", e.Report.Rows, e.Report.Rejected, e.Limit, after)
	}
	if e.Kept {
		return fmt.Sprintf("%d of %d rows were rejected; the old rows stay as they were", e.Report.Rejected, e.Report.Rows)
	}
	return fmt.Sprintf("%d of %d rows were rejected, the others were written", e.Report.Rejected, e.Report.Rows)
}

// Rejects collects the rows that a write refused: all in a file, which is made
// with the first, and some for the message.
type Rejects struct {
	path string
	most *MaxRejects // nil for any number
	n    int64       // added

	mu    sync.Mutex // rejects and acknowledgements come from two goroutines
	file  *os.File
	buf   []byte
	first []esds.Reject
	dirty bool // something is not synced
}

// NewRejects returns a collection whose file will be at path.
func NewRejects(path string) *Rejects { return &Rejects{path: path} }

// Add keeps a reject. An error says that the file cannot be written.
func (r *Rejects) Add(x esds.Reject) error {
	r.mu.Lock()
	defer r.mu.Unlock()
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
	r.dirty = true
	if _, err := r.file.Write(r.buf); err != nil {
		return fmt.Errorf("rejects file: %w", err)
	}
	if r.n++; r.most != nil && r.most.exceeded(r.n, x.Row) {
		return errTooMany
	}
	return nil
}

// stopped words the end of a write that had too many rejects.
func (r *Rejects) stopped(err error, report esds.Report) error {
	if !errors.Is(err, errTooMany) {
		return err
	}
	return &PartialError{Report: report, First: r.first, File: r.path, Limit: r.most.String()}
}

// Sync makes what was added survive a power loss.
func (r *Rejects) Sync() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.dirty {
		return nil
	}
	r.dirty = false
	if err := r.file.Sync(); err != nil {
		return fmt.Errorf("rejects file: %w", err)
	}
	return nil
}

// TrimRejects removes from the file at path, behind the first at bytes, the
// rejects of rows after upto, and a line that was cut off. An absent file has
// none.
func TrimRejects(path string, at, upto int64) error {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("rejects file: %w", err)
	}
	at = min(at, int64(len(data)))
	keep := append([]byte{}, data[:at]...)
	for line := range bytes.Lines(data[at:]) {
		var row int64
		_, err := fmt.Sscanf(string(line[:min(len(line), 40)]), `{"row":%d,`, &row)
		if err == nil && row <= upto && bytes.HasSuffix(line, []byte("\n")) {
			keep = append(keep, line...)
		}
	}
	if len(keep) == len(data) {
		return nil
	}
	tmp := path + ".tmp"
	if err = os.WriteFile(tmp, keep, 0o600); err == nil {
		err = os.Rename(tmp, path)
	}
	if err != nil {
		_ = os.Remove(tmp)
		return fmt.Errorf("rejects file: %w", err)
	}
	return nil
}

func appendReject(dst []byte, x esds.Reject) []byte {
	dst = fmt.Appendf(dst, `{"row":%d,`, x.Row)
	if x.Source != "" {
		dst = append(row.AppendQuoted(append(dst, `"source":`...), x.Source), ',')
	}
	dst = row.AppendQuoted(append(dst, `"id":`...), x.ID)
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
