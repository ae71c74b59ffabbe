package duckdb

import (
	"strings"

	bindings "github.com/duckdb/duckdb-go-bindings"
)

// Error is what DuckDB answered instead of a result.
type Error struct {
	Kind    string // "Conversion", "Binder", "IO", "Out of Memory", "Invalid Input", …
	Message string // one line or several, without the kind and without the SQL text
}

// Error returns the message, with the kind where the message alone says little.
func (e *Error) Error() string {
	switch e.Kind {
	case "", "Conversion", "Invalid Input", "IO", "Constraint", "Connection", "Settings":
		return e.Message
	default:
		return strings.ToLower(e.Kind) + ": " + e.Message
	}
}

// answered returns the error of a statement.
func answered(kind bindings.ErrorType, text string) error { return asError(newError(kind, text)) }

// newError cleans DuckDB's text: "Conversion Error: Could not … \n\nLINE 1: …".
func newError(kind bindings.ErrorType, text string) *Error {
	e := &Error{Message: strings.TrimSpace(text)}
	if name, rest, ok := strings.Cut(e.Message, " Error: "); ok && len(name) < 32 && !strings.ContainsAny(name, ":\n'\"") {
		e.Kind, e.Message = name, rest
	}
	if at := strings.Index(e.Message, "\n\nLINE "); at >= 0 {
		e.Message = e.Message[:at]
	}
	if kind == bindings.ErrorTypeOutOfMemory {
		e.Kind = "Out of Memory"
		e.Message, _, _ = strings.Cut(e.Message, "\n\nPossible solutions") // they are for those who set up DuckDB
	}
	if e.Message == "" {
		e.Message = "DuckDB gives no reason"
	}
	return e
}
