// Package duckdb is the process's one DuckDB, and column batches in and out of
// it. The embedded lake (esds/local) and the query engine (planner/duck) share
// it, so a query over the lake runs inside it with nothing copied out.
package duckdb

import (
	"context"
	"fmt"
	"runtime"
	"runtime/cgo"
	"strconv"
	"sync"

	bindings "github.com/duckdb/duckdb-go-bindings"
	"github.com/gofrs/flock"
)

// Config says how much a DB may use.
type Config struct {
	MemoryLimit string // of DuckDB's own memory, as "160MB"; "" is 128MB, and more for what cannot do with it
	Threads     int    // 0: as many as there are processors, from 2 to 4
	TempDir     string // where a private folder for spilling is made; "" is the system's
}

// DB is a DuckDB in memory that is opened at its first use. It is safe for
// concurrent use.
type DB struct {
	config Config
	memory memory

	mu     sync.Mutex
	handle bindings.Database // its Ptr is nil while it is not open
	self   cgo.Handle        // what the table function finds the DB by
	temp   string
	lock   *flock.Flock // of temp
	closed bool
	conns  map[bindings.IdxT]*Conn // by DuckDB's own number of the connection
	scans  map[int64]*Rows
	lastID int64

	provided map[string]func(argument string) (Rows, error)
	texts    map[string]TextFunction
	wholes   map[string]WholeFunction
}

// New returns a DB without opening it.
func New(c Config) *DB {
	fixed := c.MemoryLimit != ""
	if !fixed {
		c.MemoryLimit = fmt.Sprintf("%dB", leastMemory)
	}
	if c.Threads <= 0 {
		c.Threads = min(max(2, runtime.NumCPU()), 4)
	}
	return &DB{
		config: c, memory: memory{fixed: fixed, now: leastMemory}, conns: map[bindings.IdxT]*Conn{}, scans: map[int64]*Rows{},
		provided: map[string]func(string) (Rows, error){}, texts: map[string]TextFunction{},
		wholes: map[string]WholeFunction{},
	}
}

// Opened reports whether DuckDB was started.
func (db *DB) Opened() bool {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.handle.Ptr != nil
}

// Threads returns the number of threads that one query may use.
func (db *DB) Threads() int { return db.config.Threads }

// Conn opens a connection, and the database when it is the first. The caller
// closes it. A connection does one thing at a time.
func (db *DB) Conn(ctx context.Context) (*Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		return nil, &Error{Kind: "Connection", Message: "the database is closed"}
	}
	if db.handle.Ptr == nil {
		if err := db.open(); err != nil {
			return nil, err
		}
	}
	return db.connect()
}

func (db *DB) connect() (*Conn, error) {
	c := &Conn{db: db}
	if bindings.Connect(db.handle, &c.handle) != bindings.StateSuccess {
		return nil, &Error{Kind: "Connection", Message: "DuckDB gives no connection"}
	}
	var client bindings.ClientContext
	bindings.ConnectionGetClientContext(c.handle, &client)
	c.id = bindings.ClientContextGetConnectionId(client)
	bindings.DestroyClientContext(&client)
	db.conns[c.id] = c
	return c, nil
}

// Close frees the database and removes what it spilled. Connections that are
// still open keep their memory until they are closed.
func (db *DB) Close() error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		return nil
	}
	db.closed = true
	if db.handle.Ptr == nil {
		return nil
	}
	bindings.Close(&db.handle)
	db.self.Delete()
	return removeTemp(db.temp, db.lock)
}

// open starts DuckDB. The mutex is held.
func (db *DB) open() error {
	temp, lock, err := makeTemp(db.config.TempDir)
	if err != nil {
		return fmt.Errorf("open DuckDB: %w", err)
	}
	var config bindings.Config
	if bindings.CreateConfig(&config) != bindings.StateSuccess {
		return &Error{Kind: "Out of Memory", Message: "no memory for DuckDB's configuration"}
	}
	defer bindings.DestroyConfig(&config)
	for _, option := range [][2]string{
		{"memory_limit", db.config.MemoryLimit},
		{"threads", strconv.Itoa(db.config.Threads)},
		{"temp_directory", temp},
		{"allocator_flush_threshold", "1MB"}, // memory that is free goes back to the system soon
		{"allocator_bulk_deallocation_flush_threshold", "4MB"},
		{"allocator_background_threads", "true"}, // and from threads that rest
		{"autoinstall_known_extensions", "false"},
		{"autoload_known_extensions", "false"},
		{"allow_community_extensions", "false"},
	} {
		if bindings.SetConfig(config, option[0], option[1]) != bindings.StateSuccess {
			_ = removeTemp(temp, lock)
			return &Error{Kind: "Settings", Message: fmt.Sprintf("DuckDB does not take %s = %q", option[0], option[1])}
		}
	}
	var text string
	if bindings.OpenExt(":memory:", &db.handle, config, &text) != bindings.StateSuccess {
		_ = removeTemp(temp, lock)
		db.handle = bindings.Database{}
		return newError(bindings.ErrorTypeInvalid, text)
	}
	db.temp, db.lock = temp, lock
	db.self = cgo.NewHandle(db)
	return db.prepare()
}

// prepare registers the scan functions and sets what only SQL can set.
func (db *DB) prepare() error {
	c, err := db.connect()
	if err != nil {
		return err
	}
	defer c.disconnect()
	defer delete(db.conns, c.id)
	if err := registerScans(c.handle, db.self); err != nil {
		return err
	}
	if err := registerText(c.handle, db.self); err != nil {
		return err
	}
	if err := registerWhole(c.handle, db.self); err != nil {
		return err
	}
	return c.Exec(context.Background(), "SET GLOBAL TimeZone = 'UTC'")
}
