package duck

import (
	"github.com/eslake/eslake/esds/duckdb"
	"github.com/eslake/eslake/sql/row"
)

// TypeSQL returns DuckDB's type for values of a type. It differs from that of
// stored values in intervals, which are computed with.
func TypeSQL(t row.Type) string { return duckdb.SpellType(t, "INTERVAL") }

// QuoteName writes a name of DuckDB's.
func QuoteName(name string) string { return duckdb.Name(name) }
