package expr

import (
	"strings"

	"github.com/eslake/eslake/sql/row"
)

// arithmetic types + - * / % div, pmod and their try_ forms.
func arithmetic(c *Call) (*Call, error) {
	op := strings.TrimPrefix(strings.ToLower(c.Func), "try_")
	a, b := c.Args[0].Type(), c.Args[1].Type()
	if isTime(a) || isTime(b) || a.Kind == row.Interval || b.Kind == row.Interval {
		return timeArithmetic(c, op)
	}
	for i, t := range []row.Type{a, b} {
		switch other := []row.Type{b, a}[i]; {
		case t.Kind == row.String && c.ANSI && other.Integral():
			c.Args[i] = Convert(c.Args[i], row.BigIntType)
		case t.Kind == row.String && op != "div":
			c.Args[i] = Convert(c.Args[i], row.DoubleType)
		case !t.Numeric() && t.Kind != row.Void:
			return nil, pairError(c.At, "used with "+c.Func, a, b)
		}
	}
	return numberArithmetic(c, op)
}

func numberArithmetic(c *Call, op string) (*Call, error) {
	a, b := c.Args[0].Type(), c.Args[1].Type()
	t, _ := tightest(a, b)
	switch {
	case a.Kind == row.Void && b.Kind == row.Void:
		t = row.DoubleType
	case fractional(a) || fractional(b):
		if a.Kind == row.Decimal || b.Kind == row.Decimal || c.ANSI && (a.Integral() || b.Integral()) {
			t = row.DoubleType
		}
	case a.Kind == row.Decimal || b.Kind == row.Decimal:
		return decimalArithmetic(c, op)
	}
	switch op {
	case "/", "divide":
		t = row.DoubleType
	case "div":
		if !t.Integral() && t.Kind != row.Double || fractional(a) || fractional(b) {
			return nil, pairError(c.At, "used with div", a, b)
		}
		t = row.BigIntType
	}
	c.Args[0], c.Args[1] = Convert(c.Args[0], t), Convert(c.Args[1], t)
	c.T = t
	return c, nil
}

func decimalArithmetic(c *Call, op string) (*Call, error) {
	var d [2]row.Type
	for i, x := range c.Args {
		if x.Type().Kind == row.Void {
			d[i] = decimalOf(c.Args[1-i])
		} else {
			d[i] = decimalOf(x)
		}
		c.Args[i] = Convert(x, d[i])
	}
	switch op {
	case "div":
		c.T = row.BigIntType
	case "divide":
		c.T = decimalResult("/", d[0], d[1])
	default:
		c.T = decimalResult(c.Func, d[0], d[1])
	}
	return c, nil
}

// timeArithmetic serves dates, timestamps and intervals.
func timeArithmetic(c *Call, op string) (*Call, error) {
	if sign, ok := map[string]string{"add": "+", "subtract": "-", "multiply": "*", "divide": "/"}[op]; ok {
		op = sign
	}
	x, y := c.Args[0], c.Args[1]
	if op == "+" && (y.Type().Kind != row.Interval && x.Type().Kind == row.Interval || isTime(y.Type()) && !isTime(x.Type())) {
		x, y = y, x // the time stands at the left
	}
	a, b := x.Type(), y.Type()
	switch {
	case a.Kind == row.Interval || b.Kind == row.Interval:
		return withInterval(c, op, x, y)
	case a.Kind == row.Date && countsDays(b) && (op == "+" || op == "-"):
		y, c.T = Convert(y, row.IntType), row.DateType
	case op == "-" && timeOrText(a) && timeOrText(b):
		t, _ := comparisonType(a, b, c.ANSI)
		if a.Kind == row.TimestampNTZ || b.Kind == row.TimestampNTZ { // what the clocks show, of both
			t = row.TimestampNTZType
		}
		x, y, c.T = Convert(x, t), Convert(y, t), row.IntervalOf(row.DayUnit, row.SecondUnit)
		if t.Kind == row.Date {
			c.T = row.IntervalOf(row.DayUnit, row.DayUnit)
		}
	default:
		return nil, pairError(c.At, "used with "+c.Func, c.Args[0].Type(), c.Args[1].Type())
	}
	c.Args[0], c.Args[1] = x, y
	return c, nil
}

// withInterval serves an interval and another one, a number or a time. NULL beside it is
// one as well, or a number.
func withInterval(c *Call, op string, x, y Expr) (*Call, error) {
	a, b, moves := x.Type(), y.Type(), op == "+" || op == "-"
	if a.Kind != row.Interval && (b.Kind == row.Interval && op == "*") {
		x, y, a, b = y, x, b, a
	}
	switch {
	case moves && (a.Kind == row.Interval || a.Kind == row.Void) && (b.Kind == row.Interval || b.Kind == row.Void):
		t, ok := tightest(a, b)
		if !ok {
			return nil, pairError(c.At, "used with "+c.Func, c.Args[0].Type(), c.Args[1].Type())
		}
		x, y, c.T = Convert(x, t), Convert(y, t), t
		if a.Kind == row.Interval && b.Kind == row.Interval {
			x, y = c.Args[0], c.Args[1]
		}
	case !moves && (op == "*" || op == "/") && a.Kind == row.Interval && (b.Numeric() || b.Kind == row.Void):
		c.T = wholeInterval(a)
		if b.Kind == row.Void {
			y = Convert(y, row.DoubleType)
		}
	case b.Kind == row.Interval && moves:
		return timeAndInterval(c, x, y)
	default:
		return nil, pairError(c.At, "used with "+c.Func, c.Args[0].Type(), c.Args[1].Type())
	}
	c.Args[0], c.Args[1] = x, y
	return c, nil
}

// wholeInterval has all units of its kind: YEAR TO MONTH or DAY TO SECOND.
func wholeInterval(t row.Type) row.Type {
	switch {
	case t.Precision == 0:
		return t
	case t.Months():
		return row.IntervalOf(row.YearUnit, row.MonthUnit)
	}
	return row.IntervalOf(row.DayUnit, row.SecondUnit)
}

// countsDays reports whether a number of this type may be added to a date.
func countsDays(t row.Type) bool {
	return t.Integral() && t.Kind != row.BigInt || t.Kind == row.Void
}

func timeOrText(t row.Type) bool { return isTime(t) || t.Kind == row.String || t.Kind == row.Void }

func timeAndInterval(c *Call, x, y Expr) (*Call, error) {
	switch t := x.Type(); {
	case t.Kind == row.Date && hasTimeOfDay(y):
		x = Convert(x, row.TimestampType)
	case t.Kind == row.String:
		x = Convert(x, row.TimestampType)
	case !isTime(t):
		return nil, pairError(c.At, "used with "+c.Func, t, y.Type())
	}
	c.Args[0], c.Args[1] = x, y
	c.T = x.Type()
	return c, nil
}

// hasTimeOfDay reports whether an interval may be finer than a day.
func hasTimeOfDay(e Expr) bool {
	t := e.Type()
	return t.Precision > 0 && t.Scale > row.DayUnit
}

func signed(c *Call) (*Call, error) {
	t := c.Args[0].Type()
	switch {
	case t.Kind == row.String, t.Kind == row.Void:
		t = row.DoubleType
		c.Args[0] = Convert(c.Args[0], t)
	case !t.Numeric() && t.Kind != row.Interval:
		return nil, typeError(c, 0, "a number")
	}
	c.T = t
	return c, nil
}

func bitwise(c *Call) (*Call, error) {
	if c.T.Kind == row.Void {
		c.T = row.IntType
		c.Args[0], c.Args[1] = Convert(c.Args[0], c.T), Convert(c.Args[1], c.T)
	}
	if !c.T.Integral() {
		return nil, pairError(c.At, "used with "+c.Func, c.Args[0].Type(), c.Args[1].Type())
	}
	return c, nil
}

// comparison types = <=> <> < <= > >=.
func comparison(c *Call) (*Call, error) {
	x, y, err := comparable(c.Args[0], c.Args[1], c.ANSI)
	if err != nil {
		return nil, pairError(c.At, "compared", c.Args[0].Type(), c.Args[1].Type())
	}
	op := c.Func
	orders := op != "=" && op != "==" && op != "<>" && op != "!=" && op != "<=>" && op != "equal_null"
	truth := (c.Args[0].Type().Kind == row.Boolean) != (c.Args[1].Type().Kind == row.Boolean) && x.Type().Numeric()
	if t := x.Type(); orders && (!isOrderable(t) || truth) || t.Kind == row.Map {
		return nil, pairError(c.At, "compared with "+c.Func, c.Args[0].Type(), c.Args[1].Type())
	}
	c.Args[0], c.Args[1], c.T = x, y, row.BooleanType
	return c, nil
}

// comparable brings two values to the type in which they are compared. A literal
// takes the type of the other side when it has a value there, so that a column
// stays bare.
func comparable(x, y Expr, ansi bool) (Expr, Expr, error) {
	if a, b, ok := tuples(x, y); ok && sameNames(a.T, b.T) {
		return comparableTuples(a, b, ansi)
	}
	if l := asOther(y, x); l != nil {
		return x, l, nil
	}
	if l := asOther(x, y); l != nil {
		return l, y, nil
	}
	a, b := x.Type(), y.Type()
	var t row.Type
	switch {
	case a.Kind == row.Decimal && b.Integral() || a.Integral() && b.Kind == row.Decimal:
		t = widerDecimal(decimalOf(x), decimalOf(y))
	case ansi && (a.Kind == row.Boolean) != (b.Kind == row.Boolean) && (a.Numeric() || b.Numeric()):
		return nil, nil, pairError(x.Span().To(y.Span()), "compared", a, b)
	case a.Kind == row.Boolean && b.Numeric():
		t = b
	case b.Kind == row.Boolean && a.Numeric():
		t = a
	default:
		var ok bool
		if t, ok = comparisonType(a, b, ansi); !ok {
			return nil, nil, pairError(x.Span().To(y.Span()), "compared", a, b)
		}
	}
	return Convert(x, t), Convert(y, t), nil
}

// asOther returns a whole-number literal, or text that is one, as one of the
// integral type of the other side, nil when it is none or does not fit.
func asOther(x, other Expr) Expr {
	l, ok := x.(*Literal)
	if !ok || l.Value == nil || !l.T.Integral() && l.T.Kind != row.String || !other.Type().Integral() {
		return nil
	}
	if folded := foldLiteral(l, other.Type()); folded != nil {
		return folded
	}
	return nil
}

func between(c *Call) (*Call, error) {
	types := make([]row.Type, 2)
	for i := range types {
		x, _, err := comparable(c.Args[0], c.Args[i+1], c.ANSI)
		if err != nil {
			return nil, err
		}
		types[i] = x.Type()
	}
	t := types[0]
	if !types[0].Equal(types[1]) {
		var ok bool
		if t, ok = widen(types[0], types[1], noText); !ok {
			return nil, pairError(c.At, "bounds of BETWEEN", types[0], types[1])
		}
	}
	if !isOrderable(t) {
		return nil, pairError(c.At, "compared", c.Args[0].Type(), c.Args[1].Type())
	}
	for i := range c.Args {
		c.Args[i] = Convert(c.Args[i], t)
	}
	c.T = row.BooleanType
	return c, nil
}

// inList types x IN (a, b): all get their common type, where text wins.
func inList(c *Call) (*Call, error) {
	c.T = row.BooleanType
	if inTuples(c) {
		return c, nil
	}
	if intoFirst(c) {
		return c, nil
	}
	types := make([]row.Type, len(c.Args))
	for i, x := range c.Args {
		types[i] = x.Type()
	}
	t, ok := CommonType(c.ANSI, types...)
	if !ok {
		return nil, noCommon(c.At, "the values of IN", types)
	}
	for i, x := range c.Args {
		c.Args[i] = Convert(x, t)
	}
	return c, nil
}

// intoFirst turns a list of whole-number literals into literals of the integral
// type before IN.
func intoFirst(c *Call) bool {
	t := c.Args[0].Type()
	if !t.Integral() {
		return false
	}
	args := append([]Expr{}, c.Args...)
	for i, x := range args[1:] {
		l, ok := x.(*Literal)
		if !ok || !l.T.Integral() && l.Value != nil {
			return false
		}
		folded := foldLiteral(l, t)
		if folded == nil {
			return false
		}
		args[i+1] = folded
	}
	c.Args = args
	return true
}

// concatenation types || and concat: arrays with arrays, bytes with bytes, and
// everything else as text.
func concatenation(c *Call) (*Call, error) {
	types := make([]row.Type, len(c.Args))
	binary, array := len(c.Args) > 0, false
	for i, x := range c.Args {
		types[i] = x.Type()
		binary = binary && types[i].Kind == row.Binary
		array = array || types[i].Kind == row.Array
	}
	c.T = row.StringType
	switch {
	case binary:
		c.T = row.BinaryType
	case array:
		t, ok := CommonType(c.ANSI, types...)
		if !ok {
			return nil, noCommon(c.At, "the arguments of "+c.Func, types)
		}
		c.T = t
	}
	for i, x := range c.Args {
		if types[i].Nested() && !array {
			return nil, typeError(c, i, "text, bytes or an ARRAY")
		}
		c.Args[i] = Convert(x, c.T)
	}
	return c, nil
}
