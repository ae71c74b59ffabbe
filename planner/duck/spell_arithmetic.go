package duck

import (
	"fmt"
	"strings"

	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// arithmetic writes + - * / % and the like of numbers and times, and try_add and the
// like.
func (s *speller) arithmetic(name string, c *expr.Call) string {
	op, try := strings.CutPrefix(name, "try_")
	if try {
		op = map[string]string{"add": "+", "subtract": "-", "multiply": "*", "divide": "/"}[op]
		if ta := c.Args[0].Type(); ta.Integral() || ta.Kind == row.Double || ta.Kind == row.Float {
			return s.tryNumber(op, c)
		}
		defer func(ansi bool) { s.ansi = ansi }(s.ansi)
		s.ansi = false
	}
	a, b := s.expr(c.Args[0]), s.expr(c.Args[1])
	ta, tb := c.Args[0].Type(), c.Args[1].Type()
	text := ""
	switch {
	case ta.Kind == row.Interval || tb.Kind == row.Interval || ta.Kind == row.Date || ta.Kind == row.Timestamp || ta.Kind == row.TimestampNTZ:
		if ta.Kind == row.Interval && (op == "*" || op == "/") {
			text = intervalArithmetic(op, a, b, c, try)
		} else {
			text = timeArithmetic(op, a, b, ta, tb, c.T)
			if zoned, ok := s.zonedArithmetic(op, c); ok {
				text = zoned
			}
		}
	case ta.Kind == row.Decimal:
		text = s.decimalArithmetic(op, a, b, c)
	default:
		text = s.numberArithmetic(op, a, b, c)
	}
	if try {
		return tried(text, c)
	}
	return text
}

// tryNumber is arithmetic that gives NULL for what does not fit. An error of what it
// computes with stays one.
func (s *speller) tryNumber(op string, c *expr.Call) string {
	a, b := s.expr(c.Args[0]), s.expr(c.Args[1])
	if op == "/" {
		b = divisor(b, c.Args[1])
	}
	if !c.T.Integral() {
		return fmt.Sprintf("(%s %s %s)", a, op, b)
	}
	wide := "BIGINT"
	if c.T.Kind == row.BigInt {
		wide = "HUGEINT"
	}
	return fmt.Sprintf("TRY_CAST(CAST(%s AS %s) %s CAST(%s AS %s) AS %s)", a, wide, op, b, wide, TypeSQL(c.T))
}

// tried turns an error of the engine into NULL; around aggregates, windows,
// subqueries and errors of ours the engine cannot do that.
func tried(text string, e expr.Expr) string {
	possible := !strings.Contains(text, "error(")
	expr.Walk(e, func(x expr.Expr) bool {
		switch x := x.(type) {
		case *expr.Subquery:
			possible = false
		case *expr.Call:
			possible = possible && x.Over == nil && !expr.IsAggregate(x.Func)
		}
		return possible
	})
	if possible {
		return "TRY(" + text + ")"
	}
	return text
}

// tryCall calls a function of the engine whose errors are NULL. Errors of ours in its
// arguments stay errors: the engine computes them before.
func (s *speller) tryCall(f string, args []string) string {
	if !strings.Contains(strings.Join(args, " "), "error(") {
		return "TRY(" + f + "(" + strings.Join(args, ", ") + "))"
	}
	v := s.variable()
	var fields, values []string
	for i, x := range args {
		fields = append(fields, fmt.Sprintf("a%d := %s", i, x))
		values = append(values, fmt.Sprintf("struct_extract(%s, 'a%d')", v, i))
	}
	return fmt.Sprintf("list_transform([struct_pack(%s)], lambda %s: TRY(%s(%s)))[1]", strings.Join(fields, ", "), v, f, strings.Join(values, ", "))
}

func (s *speller) numberArithmetic(op, a, b string, c *expr.Call) string {
	if s.ansi && op != "+" && op != "-" && op != "*" {
		b = s.ansiDivisor(a, b, c)
	}
	switch op {
	case "/":
		return fmt.Sprintf("(%s / %s)", a, divisor(b, c.Args[1]))
	case "div":
		if c.Args[0].Type().Kind != row.BigInt { // the smallest INT has no opposite
			a = "CAST(" + a + " AS BIGINT)"
		}
		return fmt.Sprintf("(%s // %s)", a, divisor(b, c.Args[1]))
	case "%":
		return fmt.Sprintf("(%s %% %s)", dividend(a, b, c), divisor(b, c.Args[1]))
	case "pmod":
		n := divisor(b, c.Args[1])
		a = dividend(a, b, c)
		return fmt.Sprintf("CASE WHEN %s %% %s < 0 THEN (%s %% %s + %s) %% %s ELSE %s %% %s END", a, n, a, n, n, n, a, n)
	}
	return fmt.Sprintf("(%s %s %s)", a, op, b)
}

// dividend is 0 for the divisor -1, by which the engine does not divide the smallest
// whole number.
func dividend(a, b string, c *expr.Call) string {
	if n, ok := expr.ConstantInt(c.Args[1]); ok && n != -1 || !c.Args[0].Type().Integral() {
		return a
	}
	return fmt.Sprintf("CASE WHEN %s = -1 THEN %s - %s ELSE %s END", b, a, a, a)
}

// divisor is NULL for 0.
func divisor(text string, e expr.Expr) string {
	if l, ok := e.(*expr.Literal); ok && l.Value != nil {
		switch v := l.Value.(type) {
		case int64:
			if v != 0 {
				return text
			}
		case float64:
			if v != 0 {
				return text
			}
		}
	}
	return "nullif(" + text + ", 0)"
}

func timeArithmetic(op, a, b string, ta, tb, result row.Type) string {
	switch {
	case result.Kind == row.Date && tb.Kind != row.Interval:
		return fmt.Sprintf("(%s %s %s)", a, op, b)
	case result.Kind == row.Date:
		return fmt.Sprintf("CAST(%s %s %s AS DATE)", a, op, b)
	case result.Kind == row.Interval && ta.Kind == row.Date:
		return fmt.Sprintf("to_days(CAST(%s - %s AS INTEGER))", a, b)
	}
	return fmt.Sprintf("(%s %s %s)", a, op, b)
}
