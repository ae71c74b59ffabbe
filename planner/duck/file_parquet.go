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
func parquetSQL(path string, columns row.Schema) (string, error) {
	list, err := listFiles(path)
	if err != nil {
		return "", err
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

func readParquet(list []string) string {
	quoted := make([]string, len(list))
	for i, path := range list {
		quoted[i] = duckdb.Text(path)
	}
	return "read_parquet([" + strings.Join(quoted, ", ") + "], union_by_name = true)"
}

// parquetSchema returns the columns of the files.
func (e *Engine) parquetSchema(ctx context.Context, path string) (row.Schema, error) {
	list, err := listFiles(path)
	if err != nil {
		return nil, err
	}
	r, err := e.db.Query(ctx, "SELECT * FROM "+readParquet(list)+" LIMIT 0", nil)
	if err != nil {
		return nil, &FileError{Path: path, Err: err}
	}
	schema := r.Schema()
	return schema, errors.Join(r.Close())
}
