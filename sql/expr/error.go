package expr

import (
	"fmt"
	"strings"

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

// nearest returns the candidate that a mistyped word most likely meant, "" when
// none is near: a third of the letters may differ, a swap counts once.
func nearest(word string, candidates []string) string {
	best, found := max(len([]rune(word))/3, 1)+1, ""
	for _, c := range candidates {
		if d := distance([]rune(strings.ToLower(word)), []rune(strings.ToLower(c))); d < best {
			best, found = d, c
		}
	}
	return found
}

// distance is the optimal string alignment distance.
func distance(a, b []rune) int {
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next := make([]int, len(b)+1)
		next[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			next[j] = min(last[j]+1, next[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, last = last, next
	}
	return last[len(b)]
}
