package duckdb

import (
	"context"
	"sync"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/eslake/eslake/sql/row"
)

// Conn is a connection: the scope of a transaction and of temporary tables. It
// is for one goroutine, and has at most one open Reader.
type Conn struct {
	db *DB
	id bindings.IdxT

	mu     sync.Mutex // guards handle against Interrupt, and active
	handle bindings.Connection
	active *activity
}

// activity is a statement that runs. It carries the statement's context to the
// readers that DuckDB asks for rows, on threads of its own, and their errors
// back.
type activity struct {
	ctx    context.Context // kept: DuckDB's callbacks get no context of ours
	cancel context.CancelFunc
	stop   func() bool

	mu  sync.Mutex
	err error
}

func (a *activity) fail(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.err == nil {
		a.err = err
	}
}

// fail keeps an error for the statement that runs or is planned.
func (c *Conn) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.active != nil {
		c.active.fail(err)
	}
}

// begin makes an activity. Cancelling ctx interrupts the statement.
func (c *Conn) begin(ctx context.Context) (*activity, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	a := &activity{}
	a.ctx, a.cancel = context.WithCancel(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.handle.Ptr == nil {
		return nil, &Error{Kind: "Connection", Message: "the connection is closed"}
	}
	if c.active != nil {
		return nil, &Error{Kind: "Connection", Message: "the connection is busy with another query"}
	}
	c.active = a
	a.stop = context.AfterFunc(ctx, c.interrupt)
	return a, nil
}

func (c *Conn) end(a *activity) {
	a.stop()
	a.cancel()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.active == a {
		c.active = nil
	}
}

func (c *Conn) interrupt() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.handle.Ptr != nil {
		bindings.Interrupt(c.handle)
	}
}

// cause picks the error to return: one of a reader below comes first and
// unchanged, then the context's, then DuckDB's.
func (a *activity) cause(err error) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.err != nil {
		return a.err
	}
	if a.ctx.Err() != nil {
		return context.Cause(a.ctx)
	}
	return err
}

// Exec runs one statement or several and drops their results.
func (c *Conn) Exec(ctx context.Context, sql string) error {
	a, err := c.begin(ctx)
	if err != nil {
		return err
	}
	defer c.end(a)
	res, err := c.run(a, sql, false)
	if err != nil {
		return err
	}
	bindings.DestroyResult(&res)
	return nil
}

// Query runs one statement or several and streams the last one's result: rows
// are made as they are read. Want gives the types of the result's columns, by
// position; nil derives them from DuckDB's. Rows of a query without ORDER BY
// come in the order of their source. The context governs the whole reading. The
// reader must be closed before the connection is used again.
func (c *Conn) Query(ctx context.Context, sql string, want row.Schema) (row.Reader, error) {
	a, err := c.begin(ctx)
	if err != nil {
		return nil, err
	}
	res, err := c.run(a, sql, true)
	if err != nil {
		c.end(a)
		return nil, err
	}
	r := &reader{conn: c, act: a, res: res, rows: firstRows}
	if err := r.describe(want); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// Query is Conn.Query on a connection of its own, which the reader closes. When
// the query needs more memory than DuckDB has as a rule, it is run again with more.
func (db *DB) Query(ctx context.Context, sql string, want row.Schema) (row.Reader, error) {
	g := &growing{lease: &lease{db: db}, open: func() (row.Reader, error) { return db.query(ctx, sql, want) }}
	if err := g.start(ctx); err != nil {
		g.lease.release()
		return nil, err
	}
	return g, nil
}

func (db *DB) query(ctx context.Context, sql string, want row.Schema) (row.Reader, error) {
	c, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	r, err := c.Query(ctx, sql, want)
	if err != nil {
		c.Close()
		return nil, err
	}
	r.(*reader).owns = true
	return r, nil
}

// Close rolls back an open transaction and drops the temporary tables.
func (c *Conn) Close() error {
	c.db.mu.Lock()
	delete(c.db.conns, c.id)
	c.db.mu.Unlock()
	c.disconnect() // without the DB's mutex: readers that end here may close connections
	return nil
}

func (c *Conn) disconnect() {
	c.mu.Lock()
	defer c.mu.Unlock()
	bindings.Disconnect(&c.handle)
}

// run executes all statements of sql and returns the last result.
func (c *Conn) run(a *activity, sql string, stream bool) (bindings.Result, error) {
	var res bindings.Result
	var all bindings.ExtractedStatements
	count := bindings.ExtractStatements(c.handle, sql, &all)
	defer bindings.DestroyExtracted(&all)
	if count == 0 {
		return res, answered(bindings.ErrorTypeParser, bindings.ExtractStatementsError(all))
	}
	for i := range count {
		last := i == count-1
		err := c.runOne(a, all, i, stream && last, &res)
		if err != nil {
			return res, a.cause(err)
		}
		if !last {
			bindings.DestroyResult(&res)
		}
	}
	return res, nil
}

func (c *Conn) runOne(a *activity, all bindings.ExtractedStatements, i bindings.IdxT, stream bool, res *bindings.Result) error {
	var stmt bindings.PreparedStatement
	defer bindings.DestroyPrepare(&stmt)
	if bindings.PrepareExtractedStatement(c.handle, all, i, &stmt) != bindings.StateSuccess {
		return answered(bindings.ErrorTypeInvalid, bindings.PrepareError(stmt))
	}
	start := bindings.PendingPrepared
	if stream {
		start = bindings.PendingPreparedStreaming
	}
	var pending bindings.PendingResult
	defer bindings.DestroyPending(&pending)
	if start(stmt, &pending) != bindings.StateSuccess {
		return answered(bindings.ErrorTypeInvalid, bindings.PendingError(pending))
	}
	if a.ctx.Err() != nil { // DuckDB forgets an interrupt that came before this point
		bindings.Interrupt(c.handle)
	}
	if bindings.ExecutePending(pending, res) != bindings.StateSuccess {
		err := answered(bindings.ResultErrorType(res), bindings.ResultError(res))
		bindings.DestroyResult(res)
		return err
	}
	return nil
}
