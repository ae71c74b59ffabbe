package duckdb

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/eslake/eslake/esds"
)

const valueMark = "eslake value error: "

// ValueErrorSQL spells an expression that ends the query with an
// *esds.ValueError. Id and value are SQL; the value is shown as JSON.
func ValueErrorSQL(index, id, field, value, reason string) string {
	return fmt.Sprintf("error(%s || CAST(to_json([%s, %s, %s, left(CAST(to_json(%s) AS VARCHAR), 200), %s]) AS VARCHAR))",
		Text(valueMark), Text(index), id, Text(field), value, Text(reason))
}

// asError returns the error that DuckDB's text stands for.
func asError(e *Error) error {
	rest, ok := strings.CutPrefix(e.Message, valueMark)
	if !ok {
		return e
	}
	var parts []string
	if json.Unmarshal([]byte(rest), &parts) != nil || len(parts) != 5 {
		return e
	}
	return &esds.ValueError{Index: parts[0], ID: parts[1], Field: parts[2], Value: parts[3], Err: errors.New(parts[4])}
}
