// Package local keeps the contract of esds on one DuckDB file: the embedded
// lake. An index is a table with a typed column for each field of its mapping; a
// query reads it inside the process's DuckDB, with nothing copied out.
package local

import (
	"context"
	"os"
	"sync"
	"time"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/esds/duckdb"
)

// patience is how long a process waits for another that has the lake open.
const patience = 3 * time.Second

// Source is the embedded lake. The file is made and attached at its first use.
type Source struct {
	db   *duckdb.DB
	path string
	wait func(ctx context.Context, d time.Duration) error

	writing sync.Mutex // one statement changes the lake at a time

	mu      sync.Mutex // guards what follows
	catalog string     // the lake's name within DuckDB; "" while it is not attached
	indices map[string]*stored
	closed  bool
}

var (
	_ esds.Source   = (*Source)(nil)
	_ esds.Index    = (*index)(nil)
	_ esds.Relation = (*index)(nil)
)

// Open returns the lake in the file at path, within db. It does no I/O: the
// file, and the folder, are made at the first use. The lake does not own db.
func Open(db *duckdb.DB, path string) *Source {
	return &Source{db: db, path: path, wait: pause}
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// String names the lake for messages.
func (s *Source) String() string { return "the embedded lake " + s.path }

// Close writes everything to the file and lets go of it.
func (s *Source) Close() error {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	attached := s.catalog
	s.closed, s.catalog = true, ""
	if attached == "" {
		return nil
	}
	ctx := context.Background()
	c, err := s.db.Conn(ctx)
	if err != nil {
		return s.fail("close", "", err)
	}
	defer c.Close()
	return s.fail("close", "", c.Exec(ctx, "DETACH "+duckdb.Name(attached)))
}

// conn opens a connection, and attaches the lake when it is not yet.
func (s *Source) conn(ctx context.Context) (*duckdb.Conn, error) {
	c, err := s.db.Conn(ctx)
	if err != nil {
		return nil, s.fail("open", "", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.attach(ctx, c); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// attached makes sure that the indices are known.
func (s *Source) attached(ctx context.Context) error {
	s.mu.Lock()
	ready := s.catalog != ""
	s.mu.Unlock()
	if ready {
		return ctx.Err()
	}
	c, err := s.conn(ctx)
	if err != nil {
		return err
	}
	return c.Close()
}

// table is the SQL name of an index's table.
func (s *Source) table(index string) string {
	return duckdb.Name(s.catalog) + ".main." + duckdb.Name(index)
}

// exists reports whether the lake's file is there.
func (s *Source) exists() bool {
	_, err := os.Stat(s.path)
	return err == nil
}
