package duck

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/eslake/eslake/esds/duckdb"
	"github.com/eslake/eslake/sql/row"
)

// FileError is a file, or a place in one, that cannot be read.
type FileError struct {
	Path   string
	Line   int64  // from 1; 0 when no line is to blame
	Column string // "" when it is about none
	Value  string // as the file has it, "" for none
	Err    error
}

// Error names the file, the line, the column and the value.
func (e *FileError) Error() string {
	var b strings.Builder
	b.WriteString(e.Path)
	if e.Line > 0 {
		fmt.Fprintf(&b, ", line %d", e.Line)
	}
	if e.Column != "" {
		fmt.Fprintf(&b, ", column %s", e.Column)
	}
	if e.Value != "" {
		fmt.Fprintf(&b, ": %q", e.Value)
	}
	fmt.Fprintf(&b, ": %v", e.Err)
	return b.String()
}

func (e *FileError) Unwrap() error { return e.Err }

// FileSQL returns a table expression that reads files as Spark does: path is a
// file, a folder or a pattern, opts are those of esds.ParseFileOptions, and
// columns are what the files hold, by place for csv and by name for json and
// parquet. Csv and json are read by this package, since Spark's rules of quotes,
// NULL and numbers are not DuckDB's; parquet is read by DuckDB.
func FileSQL(format, path string, opts map[string]string, columns row.Schema) (string, error) {
	if format == "parquet" {
		return parquetSQL(path, opts, columns)
	}
	text, err := json.Marshal(files{Format: format, Path: path, Options: opts, Columns: columns})
	return duckdb.CallSQL(fileRows, string(text)), err
}

// fileRows is the name by which queries call for files.
const fileRows = "file"

// files is what the rows of FileSQL are made of.
type files struct {
	Format  string            `json:"format"`
	Path    string            `json:"path"`
	Options map[string]string `json:"options,omitempty"`
	Columns row.Schema        `json:"columns"`
}

// readFiles answers a query that calls for files.
func readFiles(argument string) (duckdb.Rows, error) {
	var f files
	if err := json.Unmarshal([]byte(argument), &f); err != nil {
		return duckdb.Rows{}, err
	}
	list, err := Files(f.Path, f.Options)
	if err != nil {
		return duckdb.Rows{}, err
	}
	open := func(_ context.Context, need []bool) (row.Reader, error) {
		if need == nil {
			need = allOf(f.Columns)
		}
		return f.open(list, need)
	}
	return duckdb.Rows{Schema: f.Columns, Open: open, Estimate: estimateRows(list, len(f.Columns))}, nil
}

func allOf(columns row.Schema) []bool {
	need := make([]bool, len(columns))
	for i := range need {
		need[i] = true
	}
	return need
}

func (f *files) open(list []string, need []bool) (row.Reader, error) {
	switch f.Format {
	case "csv":
		d, err := newDialect(f.Options)
		if err != nil {
			return nil, err
		}
		return newCSVReader(list, d, f.Columns, need)
	case "json":
		d, err := newJSONDialect(f.Options)
		if err != nil {
			return nil, err
		}
		return newJSONReader(list, d, f.Columns, need)
	}
	return nil, fmt.Errorf("files of format %s are not read", f.Format)
}

// OpenFile reads files without DuckDB, see FileSQL; parquet needs it.
func OpenFile(format, path string, opts map[string]string, columns row.Schema) (row.Reader, error) {
	list, err := Files(path, opts)
	if err != nil {
		return nil, err
	}
	f := files{Format: format, Path: path, Options: opts, Columns: columns}
	return f.open(list, allOf(columns))
}

// FileSchema returns the columns that files have: of csv the names of the header
// or _c0, _c1, …, all STRING unless inferSchema says to look at the values; of
// json what the values show; of parquet what the file says.
func (e *Engine) FileSchema(ctx context.Context, format, path string, opts map[string]string) (row.Schema, error) {
	if format == "parquet" {
		return e.parquetSchema(ctx, path, opts)
	}
	list, err := Files(path, opts)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, &FileError{Path: path, Err: errors.New("the options leave no file to find columns in: declare the columns")}
	}
	switch format {
	case "csv":
		d, err := newDialect(opts)
		if err != nil {
			return nil, err
		}
		return csvSchema(ctx, list, d, opts["inferSchema"] == "true")
	case "json":
		d, err := newJSONDialect(opts)
		if err != nil {
			return nil, err
		}
		return jsonSchema(ctx, list, d)
	}
	return nil, fmt.Errorf("files of format %s are not read", format)
}

// The modes of reading. Ours is FAILFAST where Spark's is PERMISSIVE: a value
// that cannot be read is not made NULL unless the table asks for it.
const (
	failFast      = "FAILFAST"
	permissive    = "PERMISSIVE"
	dropMalformed = "DROPMALFORMED"
)

func modeOf(opts map[string]string) string {
	if m := strings.ToUpper(opts["mode"]); m != "" {
		return m
	}
	return failFast
}
