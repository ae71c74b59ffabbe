package esdstest

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"

	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// eval is SQL's answer to an expression for one row: the brute force that
// sources are compared with. NULL is nil; dates are days, timestamps
// microseconds, decimals their digits.
func eval(e expr.Expr, values map[string]any) any {
	switch e := e.(type) {
	case *expr.Literal:
		return typed(e.Value, e.T)
	case *expr.Column:
		return typed(values[e.Name], e.T)
	case *expr.Cast:
		return evalCast(e, eval(e.X, values))
	case *expr.Call:
		args := make([]any, len(e.Args))
		for i, a := range e.Args {
			args[i] = eval(a, values)
		}
		return evalCall(e, args)
	}
	panic(fmt.Sprintf("esdstest: %T is not evaluated", e))
}

// typed marks the digits of a decimal.
func typed(v any, t row.Type) any {
	if s, ok := v.(string); ok && t.Kind == row.Decimal {
		return decimal(s)
	}
	return v
}

func evalCast(e *expr.Cast, v any) any {
	if days, ok := v.(int64); ok && e.X.Type().Kind == row.Date && e.T.Kind == row.Timestamp {
		return days * 86_400_000_000
	}
	return v
}

func evalCall(e *expr.Call, args []any) any {
	switch e.Func {
	case "and":
		return and(args[0], args[1])
	case "or":
		return not(and(not(args[0]), not(args[1])))
	case "not":
		return not(args[0])
	case "isnull":
		return args[0] == nil
	case "isnotnull":
		return args[0] != nil
	case "istrue":
		return args[0] == true
	case "isfalse":
		return args[0] == false
	case "<=>":
		if args[0] == nil || args[1] == nil {
			return args[0] == args[1]
		}
		return order(args[0], args[1]) == 0
	case "between":
		return and(evalOrder(">=", args[0], args[1]), evalOrder("<=", args[0], args[2]))
	case "in":
		return evalIn(args[0], args[1:])
	case "length":
		if args[0] == nil {
			return nil
		}
		return int64(len([]rune(args[0].(string))))
	case "like":
		if args[0] == nil || args[1] == nil {
			return nil
		}
		return sqlLike(args[1].(string), args[0].(string))
	case "rlike":
		if args[0] == nil || args[1] == nil {
			return nil
		}
		return regexp.MustCompile(args[1].(string)).MatchString(args[0].(string))
	}
	return evalOrder(e.Func, args[0], args[1])
}

func and(a, b any) any {
	switch {
	case a == false || b == false:
		return false
	case a == nil || b == nil:
		return nil
	}
	return true
}

func not(a any) any {
	if a == nil {
		return nil
	}
	return a == false
}

func evalIn(x any, list []any) any {
	var result any = false
	for _, v := range list {
		switch evalOrder("=", x, v) {
		case true:
			return true
		case nil:
			result = nil
		}
	}
	return result
}

func evalOrder(op string, a, b any) any {
	if a == nil || b == nil {
		return nil
	}
	n := order(a, b)
	switch op {
	case "=":
		return n == 0
	case "<>":
		return n != 0
	case "<":
		return n < 0
	case "<=":
		return n <= 0
	case ">":
		return n > 0
	case ">=":
		return n >= 0
	}
	panic("esdstest: " + op + " is not evaluated")
}

// order compares values of one type. Decimals are text that is no longer than
// its digits; they are told from strings by being numbers on both sides.
func order(a, b any) int {
	switch x := a.(type) {
	case bool:
		y := b.(bool)
		switch {
		case x == y:
			return 0
		case y:
			return -1
		}
		return 1
	case float64:
		return asRat(x).Cmp(asRat(b))
	case int64:
		return asRat(x).Cmp(asRat(b))
	case decimal:
		p, _ := new(big.Rat).SetString(string(x))
		q, _ := new(big.Rat).SetString(string(b.(decimal)))
		return p.Cmp(q)
	}
	return strings.Compare(a.(string), b.(string))
}

// decimal is the digits of a DECIMAL, so that order can tell it from text.
type decimal string

// sqlLike is LIKE with \ as the escape.
func sqlLike(pattern, s string) bool {
	var out strings.Builder
	escaped := false
	for _, r := range pattern {
		switch {
		case escaped:
			if r == '*' || r == '?' || r == '\\' {
				out.WriteByte('\\')
			}
			out.WriteRune(r)
			escaped = false
		case r == '\\':
			escaped = true
		case r == '%':
			out.WriteByte('*')
		case r == '_':
			out.WriteByte('?')
		case r == '*' || r == '?':
			out.WriteByte('\\')
			out.WriteRune(r)
		default:
			out.WriteRune(r)
		}
	}
	return like(out.String(), s, true)
}
