// Package planner turns statements into plans: it binds names and types, applies
// rules, explains, and compiles a plan to batches of rows.
package planner

import (
	"context"
	"strings"
	"time"

	"github.com/eslake/eslake/catalog"
	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/planner/duck"
	"github.com/eslake/eslake/sql/lex"
)

// Sources opens the source that a table's options name.
type Sources interface {
	Source(ctx context.Context, opts esds.Options) (esds.Source, error)
}

// Resolver finds tables and views by name; *catalog.Catalog is one. The database
// is "" for the current one.
type Resolver interface {
	Lookup(database, name string) (catalog.Relation, error)
}

// Env is what planning and running a statement need of the session.
type Env struct {
	Resolver Resolver
	Sources  Sources
	Engine   *duck.Engine
	Database string            // the current database
	Settings map[string]string // SET values, keys in lower case
	Now      time.Time         // the statement's current_timestamp
	Notice   func(string)      // tells the user something that is no error; may be nil
}

// ANSI reports whether spark.sql.ansi.enabled is on.
func (e *Env) ANSI() bool { return strings.EqualFold(e.Settings["spark.sql.ansi.enabled"], "true") }

func (e *Env) notice(text string) {
	if e.Notice != nil {
		e.Notice(text)
	}
}

// Codes of the errors that binding finds, see docs/errors.md.
const (
	codeTable       = "E2101" // unknown table or view
	codeColumn      = "E2104" // unknown column
	codeAmbiguous   = "E2105" // a name that could be several columns
	codeAggregate   = "E2106" // an aggregate where none may stand
	codeGrouped     = "E2107" // neither grouped nor aggregated
	codeArity       = "E2108" // other number of columns or values
	codeStore       = "E2122" // a value that its column does not take
	codePlace       = "E2118" // an expression where it may not stand
	codeOption      = "E2120" // an option of a table that cannot be
	codeTwice       = "E2119" // a column that comes twice
	codeCardinality = "E2123" // MERGE: several rows of the source for one document
	codeSearch      = "E2117" // a full-text function away from its index
	codeLater       = "E2190" // a statement that is known, but not supported yet
)

func errorAt(at lex.Span, code, message, hint string) error {
	return &lex.Error{Code: code, Span: at, Message: message, Hint: hint}
}
