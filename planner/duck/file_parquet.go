package duck

import (
	"context"
	"errors"
	"strings"

	"github.com/eslake/eslake/esds/duckdb"
	"github.com/eslake/eslake/sql/row"
)

// parquetSQL reads parquet by DuckDB. Columns of another type than declared are
// cast; one that the files lack is NULL.
func parquetSQL(path string, opts map[string]string, columns row.Schema) (string, error) {
	list, err := Files(path, opts)
	if err != nil {
		return "", err
	}
	if len(list) == 0 {
		return noRows(columns), nil
	}
	items := make([]string, len(columns))
	for i, f := range columns {
		items[i] = "CAST(" + duckdb.Name(f.Name) + " AS " + duckdb.TypeSQL(f.Type) + ") AS " + duckdb.Name(f.Name)
	}
	if len(items) == 0 {
		items = []string{"*"}
	}
	return "(SELECT " + strings.Join(items, ", ") + " FROM " + readParquet(list) + ")", nil
}

// noRows is a table without rows.
func noRows(columns row.Schema) string {
	items := make([]string, len(columns))
	for i, f := range columns {
		items[i] = "CAST(NULL AS " + duckdb.TypeSQL(f.Type) + ") AS " + duckdb.Name(f.Name)
	}
	return "(SELECT " + strings.Join(items, ", ") + " WHERE false)"
}

func readParquet(list []string) string {
	quoted := make([]string, len(list))
	for i, path := range list {
		quoted[i] = duckdb.Text(path)
	}
	return "read_parquet([" + strings.Join(quoted, ", ") + "], union_by_name = true)"
}

// parquetSchema returns the columns of the files.
func (e *Engine) parquetSchema(ctx context.Context, path string, opts map[string]string) (row.Schema, error) {
	list, err := Files(path, opts)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, &FileError{Path: path, Err: errors.New("the options leave no file to find columns in: declare the columns")}
	}
	if opts["mergeSchema"] == "false" {
		list = list[:1]
	}
	r, err := e.db.Query(ctx, "SELECT * FROM "+readParquet(list)+" LIMIT 0", nil)
	if err != nil {
		return nil, &FileError{Path: path, Err: err}
	}
	schema := r.Schema()
	return schema, errors.Join(r.Close())
}
