// Package duck is the local SQL engine: it turns plans into DuckDB's SQL, runs
// them, and moves batches in and out.
package duck

import (
	"fmt"
	"strings"

	"github.com/eslake/eslake/esds/duckdb"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// The codes of errors that spelling finds.
const (
	codeUnserved = "E2113" // a function or a use of one that is not served
	codeFullText = "E2117" // a full-text function away from its index
)

// Spell writes a typed expression as DuckDB SQL that gives Spark's answer, of the
// type that TypeSQL gives for the expression's. The text relies on Macros.
// Columns are written as name says; query writes the query of a subquery,
// without parentheses.
func Spell(e expr.Expr, m Mode, name func(*expr.Column) string, query func(*expr.Subquery) (string, error)) (string, error) {
	s := &speller{name: name, query: query, ansi: m.ANSI, zone: m.Zone}
	text := s.expr(e)
	return text, s.err
}

// Mode is what the session says of the meaning of expressions.
type Mode struct {
	ANSI bool      // what does not fit is an error, see ValueError
	Zone *row.Zone // where timestamps have a date and a time of day; nil is UTC
}

// speller writes expressions. Every text that it makes can stand as an operand:
// operators put themselves between parentheses.
type speller struct {
	name  func(*expr.Column) string
	query func(*expr.Subquery) (string, error)
	ansi  bool // spark.sql.ansi.enabled
	zone  *row.Zone
	try   bool  // within TRY_CAST
	err   error // the first one
	vars  int   // lambda variables made so far

	options map[string]string // of the call that is written, in lower case

	// params are texts for parameters of lambdas that are no variable of DuckDB's
	params map[int]string
}

// fail keeps the first error; the text that it returns is never used.
func (s *speller) fail(at expr.Expr, code, format string, args ...any) string {
	if s.err == nil {
		s.err = expr.Errorf(at, code, format, args...)
	}
	return "NULL"
}

func (s *speller) unserved(c *expr.Call, why string) string {
	return s.fail(c, codeUnserved, "function %s is not supported yet %s", c.Func, why)
}

// variable returns a name for the parameter of a lambda that spelling makes.
func (s *speller) variable() string {
	s.vars++
	return fmt.Sprintf("v%d", s.vars)
}

func (s *speller) expr(e expr.Expr) string {
	switch e := e.(type) {
	case *expr.Literal:
		return s.literal(e)
	case *expr.Column:
		return s.column(e)
	case *expr.Field:
		return s.field(e)
	case *expr.Index:
		return s.index(e)
	case *expr.Cast:
		if e.Strict {
			return s.stored(e)
		}
		return s.castOf(e)
	case *expr.Case:
		return s.caseOf(e)
	case *expr.Call:
		return s.call(e)
	case *expr.Subquery:
		return s.subquery(e)
	case *expr.Star:
		return "*"
	}
	return s.fail(e, codeUnserved, "%s cannot stand here", e)
}

// column writes a column, or the parameter of a lambda, which has a negative ID.
func (s *speller) column(c *expr.Column) string {
	if text, ok := s.params[c.ID]; ok {
		return text
	}
	if c.ID < 0 {
		return lambdaName(c)
	}
	return s.name(c)
}

func lambdaName(c *expr.Column) string { return fmt.Sprintf("p%d", -c.ID) }

// body writes the body of a lambda whose parameters stand for the given texts.
func (s *speller) body(l *expr.Lambda, params ...string) string {
	if s.params == nil {
		s.params = map[int]string{}
	}
	for i, p := range l.Bound {
		if i < len(params) {
			s.params[p.ID] = params[i]
		}
	}
	return s.expr(l.Body)
}

func (s *speller) exprs(es []expr.Expr) []string {
	out := make([]string, len(es))
	for i, e := range es {
		out[i] = s.expr(e)
	}
	return out
}

func (s *speller) field(e *expr.Field) string {
	x := s.expr(e.X)
	if e.X.Type().Kind == row.Array {
		v := s.variable()
		return fmt.Sprintf("list_transform(%s, lambda %s: struct_extract(%s, %s))", x, v, v, QuoteText(e.Name))
	}
	text := fmt.Sprintf("struct_extract(%s, %s)", x, QuoteText(e.Name))
	if isConstant(e.X) { // the engine would forget the type of a NULL
		return "CAST(" + text + " AS " + TypeSQL(e.T) + ")"
	}
	return text
}

// isConstant reports whether the engine computes an expression while it plans.
func isConstant(e expr.Expr) bool {
	constant := true
	expr.Walk(e, func(x expr.Expr) bool {
		switch x.(type) {
		case *expr.Column, *expr.Subquery:
			constant = false
		}
		return constant
	})
	return constant
}

func (s *speller) index(e *expr.Index) string {
	x := s.expr(e.X)
	if e.X.Type().Kind == row.Map {
		return s.mapValue(x, e.Key)
	}
	if k, ok := expr.ConstantInt(e.Key); ok && !s.ansi {
		if k < 0 {
			return fmt.Sprintf("CAST(NULL AS %s)", TypeSQL(e.T))
		}
		return fmt.Sprintf("list_extract(%s, %d)", x, k+1)
	}
	key := s.expr(e.Key)
	if s.ansi {
		return s.ansiIndex(x, key, e)
	}
	return fmt.Sprintf("list_extract(%s, CASE WHEN %s >= 0 THEN CAST(%s AS BIGINT) + 1 END)", x, key, key)
}

// castOf writes CAST and TRY_CAST; the second gives NULL for what ANSI refuses, in
// any mode.
func (s *speller) castOf(e *expr.Cast) string {
	if e.Try {
		x := s.expr(e.X)
		defer func(try bool) { s.try = try }(s.try)
		s.try = true
		return s.cast(x, e.X.Type(), e.T, e)
	}
	return s.cast(s.expr(e.X), e.X.Type(), e.T, e)
}

func (s *speller) mapValue(x string, key expr.Expr) string {
	return fmt.Sprintf("map_extract_value(%s, %s)", x, s.expr(key))
}

func (s *speller) caseOf(e *expr.Case) string {
	var b strings.Builder
	b.WriteString("CASE")
	if e.Operand != nil {
		b.WriteString(" " + s.expr(e.Operand))
	}
	for _, w := range e.Whens {
		b.WriteString(" WHEN " + s.expr(w.Cond) + " THEN " + s.expr(w.Then))
	}
	if e.Else != nil {
		b.WriteString(" ELSE " + s.expr(e.Else))
	}
	b.WriteString(" END")
	return b.String()
}

func (s *speller) subquery(e *expr.Subquery) string {
	text, err := s.query(e)
	if err != nil {
		if s.err == nil {
			s.err = err
		}
		return "NULL"
	}
	switch e.Kind {
	case expr.Exists:
		return "EXISTS (" + text + ")"
	case expr.In:
		if c, ok := e.X.(*expr.Call); ok && c.Func == "struct" {
			return "((" + strings.Join(s.exprs(c.Args), ", ") + ") IN (" + text + "))"
		}
		return "(" + s.expr(e.X) + " IN (" + text + "))"
	default:
		return "(" + text + ")"
	}
}

// QuoteText writes a text literal.
func QuoteText(text string) string { return duckdb.Text(text) }
