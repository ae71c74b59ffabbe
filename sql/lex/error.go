package lex

// Error is a mistake in SQL text, found by the lexer, the parser or binding. The
// printer adds file, line and caret.
type Error struct {
	Code    string // "E2104": E2xxx are mistakes in the SQL, see docs/errors.md
	Span    Span
	Message string
	Hint    string // what to do or the near name, "" for none

	Statement int // number of the statement in its script, from 1; 0 when it does not matter
}

// Error returns the message without its place.
func (e *Error) Error() string { return e.Message }
