package sql

import "github.com/eslake/eslake/sql/lex"

// Error is a mistake in the SQL text, see lex.Error.
type Error = lex.Error
