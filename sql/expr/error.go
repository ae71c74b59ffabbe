package expr

import (
	"fmt"

	"github.com/eslake/eslake/sql/lex"
	"github.com/eslake/eslake/sql/row"
)

// The codes of typing errors.
const (
	CodeField     = "E2109" // no such field of a struct
	CodeFunction  = "E2110" // unknown function
	CodeArguments = "E2111" // wrong number of arguments
	CodeTypes     = "E2112" // types that do not go together
	CodeLater     = "E2113" // a function of Spark's that is not served
	CodeConstant  = "E2114" // an argument must be a constant, or another one
	CodeWindow    = "E2115" // OVER missing or out of place
	CodeCast      = "E2116" // a type cannot be cast to another
)

func errorAt(code string, at lex.Span, format string, args ...any) *lex.Error {
	return &lex.Error{Code: code, Span: at, Message: fmt.Sprintf(format, args...)}
}

// Errorf returns an error at the place of an expression; e may be nil.
func Errorf(e Expr, code, format string, args ...any) error {
	var at lex.Span
	if e != nil {
		at = e.Span()
	}
	return errorAt(code, at, format, args...)
}

// typeError says that a function or operator does not take an argument's type.
func typeError(c *Call, arg int, want string) error {
	x := c.Args[arg]
	return errorAt(CodeTypes, x.Span(), "argument %d of %s must be %s, not %s", arg+1, c.Func, want, typeName(x.Type()))
}

// pairError says that two types do not go together under an operator.
func pairError(at lex.Span, what string, a, b row.Type) error {
	return errorAt(CodeTypes, at, "%s and %s cannot be %s", typeName(a), typeName(b), what)
}

func typeName(t row.Type) string { return t.SQL() }
