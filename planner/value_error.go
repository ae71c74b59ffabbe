package planner

import (
	"context"
	"fmt"
	"regexp"

	"github.com/eslake/eslake/planner/duck"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/lex"
	"github.com/eslake/eslake/sql/row"
)

// ValueError is a value that an expression of the statement does not take: a sum
// that overflows, or with ANSI a cast that fails. It unwraps to the *lex.Error of
// its place.
type ValueError struct{ At *lex.Error }

// Error returns the message without its place.
func (e *ValueError) Error() string { return e.At.Message }

// Unwrap returns the error with its place.
func (e *ValueError) Unwrap() error { return e.At }

// valueReader gives errors of values their place.
type valueReader struct {
	row.Reader
	plan Node
}

// Next returns the next batch.
func (r *valueReader) Next(ctx context.Context) (*row.Batch, error) {
	b, err := r.Reader.Next(ctx)
	if err != nil {
		err = located(err, r.plan)
	}
	return b, err
}

var overflow = regexp.MustCompile(`^Overflow in (addition|subtraction|multiplication) of (INT\d+|DECIMAL\(\d+\)) \((.*)\)[.!]`)

// located returns the error of an engine as one of a place, where that is known.
func located(err error, plan Node) error {
	said, at := duck.ValueError(err)
	if at != nil {
		return &ValueError{At: at}
	}
	m := overflow.FindStringSubmatch(said)
	if m == nil {
		return err
	}
	op := map[string]string{"addition": "+", "subtraction": "-", "multiplication": "*"}[m[1]]
	kind := map[string]row.Kind{"INT8": row.TinyInt, "INT16": row.SmallInt, "INT32": row.Int, "INT64": row.BigInt, "DECIMAL(38)": row.Decimal}[m[2]]
	var found []expr.Expr
	operators(plan, op, kind, &found)
	if len(found) != 1 { // which of them, the engine does not say
		return err
	}
	message := fmt.Sprintf("%s overflows %s", m[3], found[0].Type().SQL())
	return &ValueError{At: &lex.Error{Code: "E4102", Span: found[0].Span(), Message: message, Hint: "cast an operand to a wider type, or use try_add, try_subtract or try_multiply for NULL"}}
}

// operators collects the calls of an operator that give a kind.
func operators(n Node, op string, kind row.Kind, into *[]expr.Expr) {
	for _, e := range exprsOf(n) {
		expr.Walk(e, func(x expr.Expr) bool {
			switch x := x.(type) {
			case *expr.Call:
				if x.Func == op && x.T.Kind == kind {
					*into = append(*into, x)
				}
			case *expr.Subquery:
				if sub, ok := x.Query.(Node); ok {
					operators(sub, op, kind, into)
				}
			}
			return true
		})
	}
	for _, c := range n.Children() {
		operators(c, op, kind, into)
	}
}
