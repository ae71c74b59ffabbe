package duckdb

import (
	"context"
	"fmt"
	"runtime/cgo"
	"runtime/debug"
	"sync"
	"unsafe"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/eslake/eslake/sql/row"
)

/*
#include <stdint.h>
#include <stdlib.h>
void eslakeBind(void *info);
void eslakeBindCall(void *info);
void eslakeInit(void *info);
void eslakeNext(void *info, void *chunk);
void eslakeDelete(void *box);
void eslakeFree(void *box);
// Handles of Go travel through DuckDB in memory of C: they are small numbers, and
// Go stops a program that has such a number where a pointer belongs.
static inline void *eslakeBox(uintptr_t handle) {
	uintptr_t *box = malloc(sizeof *box);
	if (box == NULL) abort();
	*box = handle;
	return box;
}
*/
import "C"

const vectorSize = 2048

// Rows are what a query reads of something outside DuckDB. Open is called with
// the query's context, each time the query reads them; need says for each column
// of the schema whether the query uses it: the others may hold anything. An error
// comes out of the query unchanged.
type Rows struct {
	Schema   row.Schema
	Open     func(ctx context.Context, need []bool) (row.Reader, error)
	Estimate int64 // about how many there are, 0 when nobody knows
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
	open := func(ctx context.Context, _ []bool) (row.Reader, error) { return rows(ctx) }
	db.scans[id] = &Rows{Schema: schema, Open: open, Estimate: estimate}
	return fmt.Sprintf("eslake_scan(%d)", id), func() {
		db.mu.Lock()
		defer db.mu.Unlock()
		delete(db.scans, id)
	}
}

// Provide makes CallSQL(name, …) usable in queries: f says which rows the
// argument stands for. It is called when a query is planned.
func (db *DB) Provide(name string, f func(argument string) (Rows, error)) {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.provided[name] = f
}

// CallSQL spells the rows of a provided name.
func CallSQL(name, argument string) string {
	return "eslake_call(" + Text(name) + ", " + Text(argument) + ")"
}

// registerScans makes the table functions known to the database. DuckDB passes
// the DB to each callback by its handle.
func registerScans(conn bindings.Connection, db cgo.Handle) error {
	if err := registerFunction(conn, db, "eslake_scan", C.eslakeBind, bindings.TypeBigInt); err != nil {
		return err
	}
	return registerFunction(conn, db, "eslake_call", C.eslakeBindCall, bindings.TypeVarchar, bindings.TypeVarchar)
}

func registerFunction(conn bindings.Connection, db cgo.Handle, name string, bind unsafe.Pointer, parameters ...bindings.Type) error {
	f := bindings.CreateTableFunction()
	defer bindings.DestroyTableFunction(&f)
	bindings.TableFunctionSetName(f, name)
	for _, p := range parameters {
		t := bindings.CreateLogicalType(p)
		bindings.TableFunctionAddParameter(f, t)
		bindings.DestroyLogicalType(&t)
	}
	box, free := boxed(db)
	bindings.TableFunctionSetExtraInfo(f, box, free)
	bindings.TableFunctionSetBind(f, bind)
	bindings.TableFunctionSetInit(f, C.eslakeInit)
	bindings.TableFunctionSetFunction(f, C.eslakeNext)
	bindings.TableFunctionSupportsProjectionPushdown(f, true)
	if bindings.RegisterTableFunction(conn, f) != bindings.StateSuccess {
		return &Error{Kind: "Catalog", Message: "DuckDB does not take the function " + name}
	}
	return nil
}

// boxed returns a handle as a pointer for DuckDB, and what frees that.
func boxed(h cgo.Handle) (box, free unsafe.Pointer) {
	return C.eslakeBox(C.uintptr_t(h)), C.eslakeFree
}

func handleOf(box unsafe.Pointer) cgo.Handle { return *(*cgo.Handle)(box) }

// keep returns v as a pointer for DuckDB, and what frees it.
func keep(v any) (pointer, free unsafe.Pointer) {
	return C.eslakeBox(C.uintptr_t(cgo.NewHandle(v))), C.eslakeDelete
}

//export eslakeDelete
func eslakeDelete(p unsafe.Pointer) {
	h := handleOf(p)
	if r, ok := h.Value().(*running); ok {
		r.close()
	}
	h.Delete()
	C.free(p)
}

// eslakeFree gives the box of a handle back, and leaves the handle to its owner.
//
//export eslakeFree
func eslakeFree(p unsafe.Pointer) { C.free(p) }

// bound is rows within one statement.
type bound struct {
	Rows
	conn *Conn
}

//export eslakeBind
func eslakeBind(p unsafe.Pointer) {
	info := bindings.BindInfo{Ptr: p}
	db := handleOf(bindings.BindGetExtraInfo(info)).Value().(*DB)
	value := bindings.BindGetParameter(info, 0)
	id := bindings.GetInt64(value)
	bindings.DestroyValue(&value)
	db.mu.Lock()
	rows := db.scans[id]
	db.mu.Unlock()
	if rows == nil {
		bindings.BindSetError(info, fmt.Sprintf("there is no scan %d", id))
		return
	}
	db.bind(info, *rows)
}

//export eslakeBindCall
func eslakeBindCall(p unsafe.Pointer) {
	info := bindings.BindInfo{Ptr: p}
	db := handleOf(bindings.BindGetExtraInfo(info)).Value().(*DB)
	name, argument := textParameter(info, 0), textParameter(info, 1)
	db.mu.Lock()
	f := db.provided[name]
	db.mu.Unlock()
	if f == nil {
		bindings.BindSetError(info, "there are no rows named "+name)
		return
	}
	var rows Rows
	err := guard(func() (err error) {
		rows, err = f(argument)
		return err
	})
	if err != nil {
		if c := db.connOf(info); c != nil {
			c.fail(err)
		}
		bindings.BindSetError(info, err.Error())
		return
	}
	db.bind(info, rows)
}

func textParameter(info bindings.BindInfo, i bindings.IdxT) string {
	value := bindings.BindGetParameter(info, i)
	defer bindings.DestroyValue(&value)
	return bindings.GetVarchar(value)
}

// connOf finds the connection whose statement is planned.
func (db *DB) connOf(info bindings.BindInfo) *Conn {
	var client bindings.ClientContext
	bindings.TableFunctionGetClientContext(info, &client)
	number := bindings.ClientContextGetConnectionId(client)
	bindings.DestroyClientContext(&client)
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.conns[number]
}

func (db *DB) bind(info bindings.BindInfo, rows Rows) {
	conn := db.connOf(info)
	if conn == nil {
		bindings.BindSetError(info, "the connection is unknown")
		return
	}
	for _, f := range rows.Schema {
		t := makeLogical(f.Type)
		bindings.BindAddResultColumn(info, f.Name, t)
		bindings.DestroyLogicalType(&t)
	}
	if rows.Estimate > 0 {
		bindings.BindSetCardinality(info, bindings.IdxT(rows.Estimate), false)
	}
	data, free := keep(bound{rows, conn})
	bindings.BindSetBindData(info, data, free)
}

// running is a scan that a query reads, from several threads of DuckDB.
type running struct {
	act     *activity
	columns []int // of the schema, in the order that the query wants them

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
	need := make([]bool, len(b.Schema))
	for i := range bindings.InitGetColumnCount(info) {
		k := int(bindings.InitGetColumnIndex(info, i))
		if k >= len(need) { // a row without columns, for count(*)
			k = -1
		} else {
			need[k] = true
		}
		r.columns = append(r.columns, k)
	}
	err := guard(func() (err error) {
		r.reader, err = b.Open(act.ctx, need)
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
		for i, k := range r.columns {
			if k >= 0 {
				fill(bindings.DataChunkGetVector(out, bindings.IdxT(i)), b.Columns[k], start, end)
			}
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
		if row.Ended(err) {
			err = nil
		}
		return nil, 0, 0, err
	}
	start = r.from
	r.from = min(r.batch.Len, start+r.chunk(r.batch))
	return r.batch, start, r.from, nil
}

// chunkBytes is how much text a chunk holds, about. DuckDB keeps several chunks
// a thread, outside its memory limit.
const chunkBytes = 1 << 20

// chunk returns how many rows of a batch fit a chunk.
func (r *running) chunk(b *row.Batch) int {
	bytes := 0
	for _, k := range r.columns {
		if k >= 0 {
			bytes += b.Columns[k].TextBytes()
		}
	}
	return rowsOf(bytes, b.Len)
}

// rowsOf returns how many rows of a width, shown by n rows with so much text, make a
// chunk.
func rowsOf(bytes, n int) int {
	return min(max(chunkBytes/max(1, bytes/n), 16), vectorSize)
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
