package bench

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/eslake/eslake/esds/duckdb"
	"github.com/eslake/eslake/esds/esdstest/gencsv"
)

// LimitLakeLoad copies a CSV file into a new DuckDB file, with DuckDB's own
// COPY and the settings that eslake gives DuckDB. As eslake does, it sees to it
// that no id comes twice.
func LimitLakeLoad(ctx context.Context, file, csv string) error {
	if err := os.RemoveAll(file); err != nil {
		return err
	}
	return onFile(ctx, file, "CREATE TABLE limits.rows ("+gencsv.DDL()+", PRIMARY KEY (id)); COPY limits.rows FROM "+duckdb.Text(csv)+" (HEADER); CHECKPOINT limits")
}

// LimitLakeRead copies what LimitLakeLoad loaded to a CSV or JSON file.
func LimitLakeRead(ctx context.Context, file, to string) error {
	format := "CSV, HEADER"
	if strings.HasSuffix(to, "json") {
		format = "JSON"
	}
	return onFile(ctx, file, fmt.Sprintf("COPY limits.rows TO %s (FORMAT %s)", duckdb.Text(to), format))
}

// LimitLakeQuery runs a query on what LimitLakeLoad loaded and throws the answer
// away.
func LimitLakeQuery(ctx context.Context, file, sql string) error {
	return onFile(ctx, file, sql)
}

func onFile(ctx context.Context, file, sql string) (err error) {
	db := duckdb.New(duckdb.Config{})
	defer func() {
		if closeErr := db.Close(); err == nil {
			err = closeErr
		}
	}()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	return conn.Exec(ctx, "ATTACH "+duckdb.Text(file)+" AS limits (TYPE duckdb); "+sql)
}
