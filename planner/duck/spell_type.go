package duck

import (
	"fmt"
	"strings"

	"github.com/eslake/eslake/sql/row"
)

var typeNames = map[row.Kind]string{
	row.Void: "INTEGER", row.Boolean: "BOOLEAN", row.TinyInt: "TINYINT", row.SmallInt: "SMALLINT", row.Int: "INTEGER",
	row.BigInt: "BIGINT", row.Float: "FLOAT", row.Double: "DOUBLE", row.String: "VARCHAR", row.Binary: "BLOB", row.Date: "DATE",
	row.Timestamp: "TIMESTAMP", row.TimestampNTZ: "TIMESTAMP", row.Interval: "INTERVAL",
}

// TypeSQL returns DuckDB's type for values of a type. Instants are kept as
// TIMESTAMP in UTC, so that nothing hangs on a session's zone; a column of type
// Void is an INTEGER column of NULLs.
func TypeSQL(t row.Type) string {
	switch t.Kind {
	case row.Decimal:
		return fmt.Sprintf("DECIMAL(%d,%d)", t.Precision, t.Scale)
	case row.Array:
		return TypeSQL(*t.Elem) + "[]"
	case row.Map:
		return "MAP(" + TypeSQL(*t.Key) + ", " + TypeSQL(*t.Elem) + ")"
	case row.Struct:
		parts := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			parts[i] = QuoteName(f.Name) + " " + TypeSQL(f.Type)
		}
		return "STRUCT(" + strings.Join(parts, ", ") + ")"
	}
	return typeNames[t.Kind]
}

// QuoteName writes a name of DuckDB's.
func QuoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
