package duckdb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/cgo"
	"runtime/debug"
	"sync"
	"unsafe"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/eslake/eslake/sql/row"
)

/*
#include <stdint.h>
void eslakeBind(void *info);
void eslakeInit(void *info);
void eslakeNext(void *info, void *chunk);
void eslakeDelete(void *handle);
// Handles of Go travel as pointers through DuckDB.
static inline void *eslakePointer(uintptr_t handle) { return (void *)handle; }
*/
import "C"

const vectorSize = 2048

// scan is rows that SQL can name: the argument of eslake_scan.
type scan struct {
	schema   row.Schema
	open     func(ctx context.Context) (row.Reader, error)
	estimate int64
}

// Register makes rows usable in a query: the SQL that it returns stands where a
// table does and yields columns of the schema's names and of the types of
// TypeSQL. Each time a query reads it, rows is called with the query's context,
// and the reader is closed at the end; an error of the reader comes out of the
// query unchanged. Estimate is about how many rows there are, 0 when nobody
// knows. Release forgets the rows; queries that run go on.
func (db *DB) Register(schema row.Schema, rows func(ctx context.Context) (row.Reader, error), estimate int64) (sql string, release func()) {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.lastID++
	id := db.lastID
	db.scans[id] = &scan{schema: schema, open: rows, estimate: estimate}
	return fmt.Sprintf("eslake_scan(%d)", id), func() {
		db.mu.Lock()
		defer db.mu.Unlock()
		delete(db.scans, id)
	}
}

// registerScan makes the table function known to the database. DuckDB passes
// the DB to each callback by its handle.
func registerScan(conn bindings.Connection, db cgo.Handle) error {
	f := bindings.CreateTableFunction()
	defer bindings.DestroyTableFunction(&f)
	bindings.TableFunctionSetName(f, "eslake_scan")
	id := bindings.CreateLogicalType(bindings.TypeBigInt)
	defer bindings.DestroyLogicalType(&id)
	bindings.TableFunctionAddParameter(f, id)
	bindings.TableFunctionSetExtraInfo(f, C.eslakePointer(C.uintptr_t(db)), nil)
	bindings.TableFunctionSetBind(f, C.eslakeBind)
	bindings.TableFunctionSetInit(f, C.eslakeInit)
	bindings.TableFunctionSetFunction(f, C.eslakeNext)
	if bindings.RegisterTableFunction(conn, f) != bindings.StateSuccess {
		return &Error{Kind: "Catalog", Message: "DuckDB does not take the scan function"}
	}
	return nil
}

func handleOf(p unsafe.Pointer) cgo.Handle { return cgo.Handle(uintptr(p)) }

// keep returns v as a pointer for DuckDB, and what frees it.
func keep(v any) (pointer, free unsafe.Pointer) {
	return C.eslakePointer(C.uintptr_t(cgo.NewHandle(v))), C.eslakeDelete
}

//export eslakeDelete
func eslakeDelete(p unsafe.Pointer) {
	h := handleOf(p)
	if r, ok := h.Value().(*running); ok {
		r.close()
	}
	h.Delete()
}

// bound is a scan within one statement.
type bound struct {
	*scan
	conn *Conn
}

//export eslakeBind
func eslakeBind(p unsafe.Pointer) {
	info := bindings.BindInfo{Ptr: p}
	db := handleOf(bindings.BindGetExtraInfo(info)).Value().(*DB)
	value := bindings.BindGetParameter(info, 0)
	id := bindings.GetInt64(value)
	bindings.DestroyValue(&value)
	var client bindings.ClientContext
	bindings.TableFunctionGetClientContext(info, &client)
	number := bindings.ClientContextGetConnectionId(client)
	bindings.DestroyClientContext(&client)
	db.mu.Lock()
	s, conn := db.scans[id], db.conns[number]
	db.mu.Unlock()
	if s == nil || conn == nil {
		bindings.BindSetError(info, fmt.Sprintf("there is no scan %d", id))
		return
	}
	for _, f := range s.schema {
		t := makeLogical(f.Type)
		bindings.BindAddResultColumn(info, f.Name, t)
		bindings.DestroyLogicalType(&t)
	}
	if s.estimate > 0 {
		bindings.BindSetCardinality(info, bindings.IdxT(s.estimate), false)
	}
	data, free := keep(bound{s, conn})
	bindings.BindSetBindData(info, data, free)
}

// running is a scan that a query reads, from several threads of DuckDB.
type running struct {
	act *activity

	mu     sync.Mutex
	reader row.Reader
	batch  *row.Batch
	from   int  // rows of batch that were handed out
	done   bool // at the end, or after an error
}

//export eslakeInit
func eslakeInit(p unsafe.Pointer) {
	info := bindings.InitInfo{Ptr: p}
	b := handleOf(bindings.InitGetBindData(info)).Value().(bound)
	b.conn.mu.Lock()
	act := b.conn.active
	b.conn.mu.Unlock()
	if act == nil {
		bindings.InitSetError(info, "the scan is read outside a query")
		return
	}
	r := &running{act: act}
	err := guard(func() (err error) {
		r.reader, err = b.open(act.ctx)
		return err
	})
	if err != nil {
		act.fail(err)
		bindings.InitSetError(info, err.Error())
		return
	}
	data, free := keep(r)
	bindings.InitSetInitData(info, data, free)
	bindings.InitSetMaxThreads(info, bindings.IdxT(b.conn.db.Threads()))
}

//export eslakeNext
func eslakeNext(p, chunk unsafe.Pointer) {
	info := bindings.FunctionInfo{Ptr: p}
	r := handleOf(bindings.FunctionGetInitData(info)).Value().(*running)
	out := bindings.DataChunk{Ptr: chunk}
	err := guard(func() error {
		b, start, end, err := r.next()
		if err != nil || b == nil {
			bindings.DataChunkSetSize(out, 0)
			return err
		}
		for i, c := range b.Columns {
			fill(bindings.DataChunkGetVector(out, bindings.IdxT(i)), c, start, end)
		}
		bindings.DataChunkSetSize(out, bindings.IdxT(end-start))
		return nil
	})
	if err != nil {
		r.act.fail(err)
		bindings.FunctionSetError(info, err.Error())
	}
}

// next hands out rows that fit one chunk, nil at the end. The caller only reads
// the batch, since other threads may read it too.
func (r *running) next() (b *row.Batch, start, end int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for !r.done && (r.batch == nil || r.from == r.batch.Len) {
		r.batch, r.from = nil, 0
		r.batch, err = r.reader.Next(r.act.ctx)
		if err != nil {
			r.done = true
		}
	}
	if r.done {
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return nil, 0, 0, err
	}
	start = r.from
	r.from = min(r.batch.Len, start+vectorSize)
	return r.batch, start, r.from, nil
}

func (r *running) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done = true
	r.reader.Close()
}

// guard turns a panic into an error: one must not unwind through DuckDB.
func guard(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic while rows were read: %v\n%s", p, debug.Stack())
		}
	}()
	return f()
}
