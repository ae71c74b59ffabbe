package duckdb

import (
	"runtime/cgo"
	"strings"
	"unsafe"

	bindings "github.com/duckdb/duckdb-go-bindings"
)

/*
void eslakeText(void *info, void *chunk, void *result);
*/
import "C"

// TextFunction computes a text of texts, none of which is NULL; false is NULL.
type TextFunction func(args []string) (string, bool, error)

// ProvideText makes TextSQL(name, …) usable in queries. The function is called
// from several threads.
func (db *DB) ProvideText(name string, f TextFunction) {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.texts[name] = f
}

// TextSQL spells the call of a provided function over SQL expressions of type
// VARCHAR. It is NULL when one of them is.
func TextSQL(name string, args ...string) string {
	return "eslake_text(" + Text(name) + ", " + strings.Join(args, ", ") + ")"
}

func registerText(conn bindings.Connection, db cgo.Handle) error {
	f := bindings.CreateScalarFunction()
	defer bindings.DestroyScalarFunction(&f)
	t := bindings.CreateLogicalType(bindings.TypeVarchar)
	defer bindings.DestroyLogicalType(&t)
	bindings.ScalarFunctionSetName(f, "eslake_text")
	bindings.ScalarFunctionSetVarargs(f, t)
	bindings.ScalarFunctionSetReturnType(f, t)
	box, free := boxed(db)
	bindings.ScalarFunctionSetExtraInfo(f, box, free)
	bindings.ScalarFunctionSetFunction(f, C.eslakeText)
	if bindings.RegisterScalarFunction(conn, f) != bindings.StateSuccess {
		return &Error{Kind: "Catalog", Message: "DuckDB does not take the function eslake_text"}
	}
	return nil
}

//export eslakeText
func eslakeText(p, chunk, result unsafe.Pointer) {
	info := bindings.FunctionInfo{Ptr: p}
	db := handleOf(bindings.ScalarFunctionGetExtraInfo(info)).Value().(*DB)
	err := guard(func() error { return db.texted(bindings.DataChunk{Ptr: chunk}, bindings.Vector{Ptr: result}) })
	if err != nil {
		bindings.ScalarFunctionSetError(info, err.Error())
	}
}

// texted calls a function for each row of a chunk, whose first column is its name.
func (db *DB) texted(chunk bindings.DataChunk, result bindings.Vector) error {
	n := int(bindings.DataChunkGetSize(chunk))
	if n == 0 {
		return nil
	}
	columns := make([]vector, bindings.DataChunkGetColumnCount(chunk))
	lists := make([][]stringT, len(columns))
	for i := range columns {
		columns[i] = newVector(bindings.DataChunkGetVector(chunk, bindings.IdxT(i)))
		lists[i] = values[stringT](columns[i], n)
	}
	name := string(lists[0][0].bytes())
	db.mu.Lock()
	f := db.texts[name]
	db.mu.Unlock()
	if f == nil {
		return &Error{Kind: "Catalog", Message: "there is no function " + name}
	}
	bindings.VectorEnsureValidityWritable(result)
	valid := bindings.VectorGetValidity(result)
	args := make([]string, len(columns)-1)
	for row := range n {
		null := false
		for i := range args {
			if null = null || columns[i+1].null(row); !null {
				args[i] = string(lists[i+1][row].bytes())
			}
		}
		text, ok := "", false
		if !null {
			var err error
			if text, ok, err = f(args); err != nil {
				return err
			}
		}
		if !ok {
			bindings.ValiditySetRowInvalid(valid, bindings.IdxT(row))
			continue
		}
		bindings.VectorAssignStringElementLen(result, bindings.IdxT(row), []byte(text))
	}
	return nil
}
