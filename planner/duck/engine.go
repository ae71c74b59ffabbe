package duck

import (
	"context"
	"strings"
	"sync"

	"github.com/eslake/eslake/esds/duckdb"
	"github.com/eslake/eslake/sql/row"
)

// Engine runs spelled queries in the process's DuckDB, which it opens at its
// first query. It is safe for concurrent use.
type Engine struct {
	db *duckdb.DB

	mu    sync.Mutex
	ready bool // the macros are there
}

// New returns an engine without opening the database.
func New(db *duckdb.DB) *Engine { return &Engine{db: db} }

// Query runs a query and streams its result. Want gives the types of its
// columns, by position; nil takes DuckDB's. The context governs the whole
// reading. An error of registered rows comes out unchanged, one of a file that a
// query of FileSQL reads is a *FileError.
func (e *Engine) Query(ctx context.Context, sql string, want row.Schema) (row.Reader, error) {
	if err := e.prepare(ctx); err != nil {
		return nil, err
	}
	r, err := e.db.Query(ctx, sql, want)
	if err != nil {
		return nil, fileError(ctx, e, err)
	}
	return &located{Reader: r, engine: e}, nil
}

// Register makes rows usable in a query: see duckdb.DB.Register.
func (e *Engine) Register(s row.Schema, rows func(ctx context.Context) (row.Reader, error), estimate int64) (sql string, release func()) {
	return e.db.Register(s, rows, estimate)
}

// Opened reports whether any query ran.
func (e *Engine) Opened() bool { return e.db.Opened() }

// prepare defines the macros, once for all connections.
func (e *Engine) prepare(ctx context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ready {
		return nil
	}
	c, err := e.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.Exec(ctx, strings.ReplaceAll(Macros, "REPLACE TEMP MACRO", "REPLACE MACRO")+fileMacros); err != nil {
		return err
	}
	e.ready = true
	return nil
}

// located words the errors of files.
type located struct {
	row.Reader
	engine *Engine
}

// Next returns the next batch.
func (l *located) Next(ctx context.Context) (*row.Batch, error) {
	b, err := l.Reader.Next(ctx)
	if err != nil {
		err = fileError(ctx, l.engine, err)
	}
	return b, err
}
