package duckdb

import (
	"runtime/cgo"
	"strings"
	"unsafe"

	bindings "github.com/duckdb/duckdb-go-bindings"
)

/*
void eslakeWhole(void *info, void *chunk, void *result);
*/
import "C"

// WholeFunction computes a whole number of a text and whole numbers, none of
// which is NULL; false is NULL.
type WholeFunction func(text string, args []int64) (int64, bool, error)

// ProvideWhole makes WholeSQL(name, …) usable in queries. The function is called
// from several threads.
func (db *DB) ProvideWhole(name string, f WholeFunction) {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.wholes[name] = f
}

// WholeSQL spells the call of a provided function with a constant text over SQL
// expressions of type BIGINT. It is NULL when one of them is.
func WholeSQL(name, text string, args ...string) string {
	return "eslake_whole(" + Text(name) + ", " + Text(text) + ", " + strings.Join(args, ", ") + ")"
}

func registerWhole(conn bindings.Connection, db cgo.Handle) error {
	f := bindings.CreateScalarFunction()
	defer bindings.DestroyScalarFunction(&f)
	text := bindings.CreateLogicalType(bindings.TypeVarchar)
	defer bindings.DestroyLogicalType(&text)
	whole := bindings.CreateLogicalType(bindings.TypeBigInt)
	defer bindings.DestroyLogicalType(&whole)
	bindings.ScalarFunctionSetName(f, "eslake_whole")
	bindings.ScalarFunctionAddParameter(f, text)
	bindings.ScalarFunctionAddParameter(f, text)
	bindings.ScalarFunctionSetVarargs(f, whole)
	bindings.ScalarFunctionSetReturnType(f, whole)
	box, free := boxed(db)
	bindings.ScalarFunctionSetExtraInfo(f, box, free)
	bindings.ScalarFunctionSetFunction(f, C.eslakeWhole)
	if bindings.RegisterScalarFunction(conn, f) != bindings.StateSuccess {
		return &Error{Kind: "Catalog", Message: "DuckDB does not take the function eslake_whole"}
	}
	return nil
}

//export eslakeWhole
func eslakeWhole(p, chunk, result unsafe.Pointer) {
	info := bindings.FunctionInfo{Ptr: p}
	db := handleOf(bindings.ScalarFunctionGetExtraInfo(info)).Value().(*DB)
	err := guard(func() error { return db.wholed(bindings.DataChunk{Ptr: chunk}, bindings.Vector{Ptr: result}) })
	if err != nil {
		bindings.ScalarFunctionSetError(info, err.Error())
	}
}

// wholed calls a function for each row of a chunk, whose first columns are its
// name and its text.
func (db *DB) wholed(chunk bindings.DataChunk, result bindings.Vector) error {
	n := int(bindings.DataChunkGetSize(chunk))
	if n == 0 {
		return nil
	}
	columns := make([]vector, bindings.DataChunkGetColumnCount(chunk))
	for i := range columns {
		columns[i] = newVector(bindings.DataChunkGetVector(chunk, bindings.IdxT(i)))
	}
	name := string(values[stringT](columns[0], n)[0].bytes())
	text := string(values[stringT](columns[1], n)[0].bytes())
	columns = columns[2:]
	lists := make([][]int64, len(columns))
	for i := range columns {
		lists[i] = values[int64](columns[i], n)
	}
	db.mu.Lock()
	f := db.wholes[name]
	db.mu.Unlock()
	if f == nil {
		return &Error{Kind: "Catalog", Message: "there is no function " + name}
	}
	bindings.VectorEnsureValidityWritable(result)
	valid := bindings.VectorGetValidity(result)
	out := values[int64](newVector(result), n)
	args := make([]int64, len(columns))
	for row := range n {
		ok := true
		for i := range args {
			ok = ok && !columns[i].null(row)
			args[i] = lists[i][row]
		}
		if ok {
			var err error
			if out[row], ok, err = f(text, args); err != nil {
				return err
			}
		}
		if !ok {
			bindings.ValiditySetRowInvalid(valid, bindings.IdxT(row))
		}
	}
	return nil
}
