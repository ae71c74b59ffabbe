package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/esds/duckdb"
)

// metaTable says what the tables of the lake are. No index has a name that
// begins with "_".
const metaTable = "_eslake"

// attach makes or opens the file. The mutex is held.
func (s *Source) attach(ctx context.Context, c *duckdb.Conn) error {
	switch {
	case s.closed:
		return s.fail("open", "", errors.New("the embedded lake is closed"))
	case s.catalog != "":
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return s.fail("open", "", err)
	}
	fresh := !s.exists()
	if _, err := os.Lstat(s.path); errors.Is(err, os.ErrNotExist) { // else a link may name a file that is not there yet
		if err := s.create(ctx, c); err != nil {
			return err
		}
	}
	name, err := s.attachFile(ctx, c, s.path)
	if err != nil {
		return err
	}
	s.catalog = name
	err = s.load(ctx, c)
	if err != nil {
		s.catalog = ""
		detached := c.Exec(context.WithoutCancel(ctx), "DETACH "+duckdb.Name(name))
		return errors.Join(s.fail("open", "", err), detached)
	}
	if fresh {
		return s.fail("open", "", os.Chmod(s.path, 0o600))
	}
	return nil
}

// create makes an empty lake under another name and lets it appear when it is whole:
// a process that is killed while DuckDB writes the head of a file leaves one that
// DuckDB cannot open.
func (s *Source) create(ctx context.Context, c *duckdb.Conn) error {
	begun := s.path + ".new"
	name, err := s.attachFile(ctx, c, begun)
	if isDamaged(err) { // a process was killed, and nobody has the file
		if err := errors.Join(removed(begun), removed(begun+".wal")); err != nil {
			return s.fail("open", "", err)
		}
		name, err = s.attachFile(ctx, c, begun)
	}
	if err != nil {
		return err
	}
	if err := c.Exec(context.WithoutCancel(ctx), "DETACH "+duckdb.Name(name)); err != nil {
		return s.fail("open", "", err)
	}
	err = os.Chmod(begun, 0o600)
	if err == nil {
		if err = os.Link(begun, s.path); err != nil && !s.exists() { // no links here
			err = os.Rename(begun, s.path)
		}
	}
	if err != nil && !s.exists() { // else another process was faster
		return s.fail("open", "", err)
	}
	return s.fail("open", "", removed(begun))
}

func removed(path string) error {
	if err := os.Remove(path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// rowGroup is how many rows DuckDB keeps and compresses together: fewer than by
// default, since each column of a group that is written takes memory.
const rowGroup = 40960

// attachFile waits while another process has the file.
func (s *Source) attachFile(ctx context.Context, c *duckdb.Conn, path string) (string, error) {
	name, wait, waited := "lake", 20*time.Millisecond, time.Duration(0)
	for n := 2; ; {
		err := c.Exec(ctx, fmt.Sprintf("ATTACH %s AS %s (TYPE duckdb, ROW_GROUP_SIZE %d)", duckdb.Text(path), duckdb.Name(name), rowGroup))
		holder, locked := lockHolder(err)
		switch {
		case err == nil:
			return name, nil
		case nameTaken(err, name): // by another lake of this process
			name = fmt.Sprintf("lake_%d", n)
			n++
		case locked && waited < patience:
			if err := s.wait(ctx, wait); err != nil {
				return "", err
			}
			waited += wait
			wait = min(2*wait, 500*time.Millisecond)
		case locked:
			return "", &esds.Error{
				Op: "open " + s.path, Err: fmt.Errorf("%w by %s", esds.ErrLocked, holder),
				Hint: "wait until it ends, or give this run a lake of its own: --lake FILE",
			}
		default:
			return "", s.fail("open", "", err)
		}
	}
}

func nameTaken(err error, name string) bool {
	var e *duckdb.Error
	return errors.As(err, &e) && strings.Contains(e.Message, fmt.Sprintf("database with name %q already exists", name))
}

var lockText = regexp.MustCompile(`Conflicting lock is held in (.*?) \(PID (\d+)\)`)

// lockHolder reads from DuckDB's error which process has the file.
func lockHolder(err error) (holder string, locked bool) {
	var e *duckdb.Error
	if !errors.As(err, &e) {
		return "", false
	}
	if m := lockText.FindStringSubmatch(e.Message); m != nil {
		return fmt.Sprintf("process %s (%s)", m[2], filepath.Base(m[1])), true
	}
	return "another process", strings.Contains(e.Message, "Could not set lock on file") || strings.Contains(e.Message, "Conflicting lock")
}

// load reads the definitions, or makes the table for them in a new file. A file
// that something else made is left as it is.
func (s *Source) load(ctx context.Context, c *duckdb.Conn) error {
	meta := s.table(metaTable)
	tables, err := c.Count(ctx, "SELECT count(*) FROM duckdb_tables() WHERE database_name = "+duckdb.Text(s.catalog))
	if err != nil {
		return err
	}
	known, err := c.Count(ctx, fmt.Sprintf("SELECT count(*) FROM duckdb_tables() WHERE database_name = %s AND table_name = %s",
		duckdb.Text(s.catalog), duckdb.Text(metaTable)))
	if err != nil {
		return err
	}
	s.indices = map[string]*stored{}
	if known == 0 {
		if tables > 0 {
			return &esds.Error{Op: "open " + s.path, Err: errors.New("the file is a database that eslake did not make"), Hint: "choose another file: --lake FILE"}
		}
		return c.Exec(ctx, "CREATE TABLE "+meta+" (name VARCHAR, mappings VARCHAR, settings VARCHAR, aliases VARCHAR)")
	}
	return s.loadIndices(ctx, c, meta)
}

// fail puts an error of DuckDB or the system under the lake's path. Errors that
// say it already pass.
func (s *Source) fail(op, index string, err error) error {
	var known *esds.Error
	var value *esds.ValueError
	var duck *duckdb.Error
	switch {
	case err == nil, errors.As(err, &known), errors.As(err, &value), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	e := &esds.Error{Op: op, Index: index, Err: err}
	if index == "" {
		e.Op = op + " " + s.path
	}
	if errors.As(err, &duck) {
		e.Hint, e.Err = s.reason(duck)
	}
	return e
}

// reason words what DuckDB says of files and memory.
func (s *Source) reason(e *duckdb.Error) (hint string, err error) {
	switch {
	case strings.Contains(e.Message, "No space left on device") || strings.Contains(e.Message, "Disk quota exceeded"):
		return "free some space; the lake is as it was before the statement", fmt.Errorf("the disk of %s is full", s.path)
	case isDamaged(e):
		return "the file was left untouched; choose another one: --lake FILE", fmt.Errorf("%s is not a lake, or it is damaged: %w", s.path, e)
	case e.Kind == "Out of Memory":
		return "select fewer columns or fewer rows; this machine has no more memory for it", fmt.Errorf("not enough memory: %w", e)
	}
	return "", e
}

// isDamaged reports whether DuckDB says that a file is none of its own.
func isDamaged(err error) bool {
	var e *duckdb.Error
	if !errors.As(err, &e) {
		return false
	}
	says := func(text string) bool { return strings.Contains(e.Message, text) }
	return e.Kind == "Serialization" || says("not a valid DuckDB database file") || says("checksum") || says("Failed to load metadata") ||
		says("Could not read enough bytes")
}
