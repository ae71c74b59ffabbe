package duck

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/eslake/eslake/esds/duckdb"
	"github.com/eslake/eslake/sql/row"
)

// Engine runs spelled queries in the process's DuckDB, which it opens at its
// first query. It is safe for concurrent use.
type Engine struct {
	db *duckdb.DB

	mu     sync.Mutex
	macros map[string]string // those not defined yet, by name; nil at first
}

// New returns an engine without opening the database.
func New(db *duckdb.DB) *Engine {
	db.Provide(fileRows, readFiles)
	for name, f := range textFunctions {
		db.ProvideText(name, f)
	}
	for name, f := range zoneFunctions {
		db.ProvideWhole(name, f)
	}
	return &Engine{db: db}
}

// Query runs a query and streams its result. Want gives the types of its
// columns, by position; nil takes DuckDB's. The context governs the whole
// reading. An error of registered rows comes out unchanged, and that of a file
// is a *FileError.
func (e *Engine) Query(ctx context.Context, sql string, want row.Schema) (row.Reader, error) {
	if err := e.prepare(ctx, sql); err != nil {
		return nil, err
	}
	return e.db.Query(ctx, sql, want)
}

// Copy writes a query's rows to a Parquet file and returns how many there were.
// Compression is one of Spark's words, "" for snappy.
func (e *Engine) Copy(ctx context.Context, sql, file, compression string) (int64, error) {
	if compression == "" {
		compression = "snappy"
	}
	if err := e.prepare(ctx, sql); err != nil {
		return 0, err
	}
	text := fmt.Sprintf("COPY (%s) TO %s (FORMAT parquet, COMPRESSION %s)", sql, QuoteText(file), QuoteText(strings.ToLower(compression)))
	r, err := e.db.Query(ctx, text, nil)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	rows, err := row.ReadAll(ctx, r)
	if err != nil || len(rows) != 1 {
		return 0, err
	}
	n, _ := rows[0][0].(int64)
	return n, nil
}

// Register makes rows usable in a query: see duckdb.DB.Register.
func (e *Engine) Register(s row.Schema, rows func(ctx context.Context) (row.Reader, error), estimate int64) (sql string, release func()) {
	return e.db.Register(s, rows, estimate)
}

// Leftovers returns the folders in dir, "" for the system's temporary one, that
// hold what dead processes spilled.
func Leftovers(dir string) []string { return duckdb.Leftovers(dir) }

// Opened reports whether any query ran.
func (e *Engine) Opened() bool { return e.db.Opened() }

// prepare defines the macros that a query calls and no query before it called:
// all of them would cost more than most queries.
func (e *Engine) prepare(ctx context.Context, sql string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.macros == nil {
		e.macros = readMacros(Macros)
	}
	var define strings.Builder
	e.need(sql, &define)
	if define.Len() == 0 {
		return nil
	}
	c, err := e.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.Exec(ctx, define.String()); err != nil {
		e.macros = nil // those that were not defined are missing still
	}
	return err
}

var macroName = regexp.MustCompile(`\bspark_\w+`)

// need writes the definitions of what a text calls, those called first.
func (e *Engine) need(text string, define *strings.Builder) {
	for _, name := range macroName.FindAllString(text, -1) {
		if definition, ok := e.macros[name]; ok {
			delete(e.macros, name)
			e.need(definition, define)
			define.WriteString(definition)
		}
	}
}

// readMacros takes a script apart. A macro is defined for the whole database
// instead of one connection.
func readMacros(script string) map[string]string {
	const begin = "\nCREATE OR REPLACE TEMP MACRO "
	macros := map[string]string{}
	for _, text := range strings.Split(script, begin)[1:] {
		name, _, _ := strings.Cut(text, "(")
		macros[name] += "CREATE OR REPLACE MACRO " + text + ";"
	}
	return macros
}
