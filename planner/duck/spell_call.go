package duck

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// call writes a function or operator: by code of its own where the types or
// constants decide, else by its template.
func (s *speller) call(c *expr.Call) string {
	f, ok := expr.Lookup(c.Func)
	if !ok {
		return s.fail(c, codeUnserved, "there is no function %s", c.Func)
	}
	name := f.Name()
	switch f.Kind {
	case expr.FullTextFunction:
		return s.fail(c, codeFullText, "%s is answered by an index alone; here it would have to be answered after the rows were read", c.Func)
	case expr.AggregateFunction, expr.WindowFunction:
		return s.aggregate(name, c)
	case expr.GeneratorFunction:
		return s.fail(c, codeUnserved, "%s can only stand in a select list or LATERAL VIEW", c.Func)
	}
	if text, ok := s.special(name, c); ok {
		return s.strict(name, text, c)
	}
	template, ok := scalarSpellings[name+"/"+strconv.Itoa(len(c.Args))]
	if !ok {
		template, ok = scalarSpellings[name]
	}
	if !ok {
		return s.unserved(c, "by the local engine")
	}
	return s.strict(name, fill(template, s.exprs(c.Args), c.T), c)
}

// fill puts arguments into a template: $1 to $9, $* for all with commas between,
// $T for the result's type.
func fill(template string, args []string, t row.Type) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(template, "$")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		switch c := rest[0]; c {
		case 'T':
			b.WriteString(TypeSQL(t))
		case '*':
			b.WriteString(strings.Join(args, ", "))
		default:
			if i := int(c - '1'); i < len(args) {
				b.WriteString(args[i])
			} else {
				b.WriteString("NULL")
			}
		}
		template = rest[1:]
	}
}

// special writes the functions whose spelling depends on types or constants.
func (s *speller) special(name string, c *expr.Call) (string, bool) {
	for _, group := range []func(string, *expr.Call) (string, bool){s.operator, s.rounded, s.textual, s.numbered, s.timely, s.listed, s.mapped, s.jsonic} {
		if text, ok := group(name, c); ok {
			return text, true
		}
	}
	switch name {
	case "sessionzone":
		return s.expr(c.Args[0]), true
	case "typeof":
		return QuoteText(c.Args[0].Type().String()), true
	case "bigint", "int", "smallint", "tinyint", "double", "float", "decimal", "boolean", "string", "binary", "date", "timestamp":
		return s.cast(s.expr(c.Args[0]), c.Args[0].Type(), c.T, c), true
	case "nullif":
		return s.nullIf(c), true
	case "hash", "xxhash64":
		return s.hashed(name, c), true
	case "rand", "randn":
		if len(c.Args) > 0 {
			return s.unserved(c, "with a seed"), true
		}
	}
	return "", false
}

func (s *speller) nullIf(c *expr.Call) string {
	args := s.exprs(c.Args)
	x := args[0]
	if len(args) == 3 {
		x = args[2]
	}
	return fmt.Sprintf("CASE WHEN %s = %s THEN NULL ELSE %s END", x, args[1], args[0])
}

// operator writes arithmetic, comparisons and logic.
func (s *speller) operator(name string, c *expr.Call) (string, bool) {
	switch name {
	case "+", "-", "*", "/", "%", "pmod", "div", "try_add", "try_subtract", "try_multiply", "try_divide":
		return s.arithmetic(name, c), true
	case "negative":
		return "(- " + s.expr(c.Args[0]) + ")", true
	case "abs":
		if t := c.Args[0].Type(); t.Kind == row.Interval {
			return ofAmount("abs("+amount(s.expr(c.Args[0]), t)+")", t), true
		}
	case "positive":
		return s.expr(c.Args[0]), true
	case "=", "==", "<>", "!=", "<", "<=", ">", ">=", "<=>", "&", "|", "and", "or":
		args := s.exprs(c.Args)
		sign := map[string]string{"==": "=", "!=": "<>", "<=>": "IS NOT DISTINCT FROM", "and": "AND", "or": "OR"}[name]
		if sign == "" {
			sign = name
		}
		return "(" + args[0] + " " + sign + " " + args[1] + ")", true
	case "in":
		args := s.exprs(c.Args)
		return "(" + args[0] + " IN (" + strings.Join(args[1:], ", ") + "))", true
	case "like", "ilike", "likeany", "likeall", "notlikeany", "notlikeall":
		return s.likes(name, c), true
	}
	return "", false
}

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

// decimalArithmetic gives Spark's result type; what does not fit in it is NULL.
func (s *speller) decimalArithmetic(op, a, b string, c *expr.Call) string {
	ta, tb := c.Args[0].Type(), c.Args[1].Type()
	name := TypeSQL(c.T)
	if s.ansi && op != "+" && op != "-" && op != "*" {
		b = s.ansiDivisor(a, b, c)
	}
	switch op {
	case "/":
		return s.decimalQuotient(a, b, ta, tb, c)
	case "div":
		scale := max(ta.Scale, tb.Scale)
		return fmt.Sprintf("TRY_CAST(%s // nullif(%s, 0) AS BIGINT)", unscaled(a, ta, scale), unscaled(b, tb, scale))
	case "%":
		return fmt.Sprintf("CAST(%s %% nullif(%s, 0) AS %s)", a, b, name)
	case "pmod":
		return fmt.Sprintf("TRY_CAST(CASE WHEN %s %% nullif(%s, 0) < 0 THEN (%s %% %s + %s) %% %s ELSE %s %% nullif(%s, 0) END AS %s)", a, b, a, b, b, b, a, b, name)
	case "*":
		if ta.Scale+tb.Scale > c.T.Scale {
			return s.longProduct(a, b, c)
		}
	}
	if most := 18; c.T.Precision > most && max(ta.Precision, tb.Precision) <= most { // the engine would compute with 18 digits
		a = fmt.Sprintf("CAST(%s AS DECIMAL(%d,%d))", a, most+1, ta.Scale)
	}
	text := fmt.Sprintf("%s %s %s", a, op, b)
	if c.T.Precision < 38 {
		return fmt.Sprintf("CAST(%s AS %s)", text, name)
	}
	if s.ansi {
		return fmt.Sprintf("CAST(%s AS %s)", text, name)
	}
	return tried(fmt.Sprintf("CAST(%s AS %s)", text, name), c)
}

// longProduct multiplies decimals whose product has more digits than fit: the
// whole parts and the fractions by themselves, then the fractions rounded to the
// result's scale.
func (s *speller) longProduct(a, b string, c *expr.Call) string {
	sa, sb := c.Args[0].Type().Scale, c.Args[1].Type().Scale
	if sa+sb > 37 {
		return s.unserved(c, "for decimals with so many digits behind the point")
	}
	whole := func(x string) string { return "CAST(trunc(" + x + ") AS DECIMAL(38,0))" }
	rest := func(x string, scale int) string {
		return fmt.Sprintf("CAST(%s - trunc(%s) AS DECIMAL(%d,%d))", x, x, scale+1, scale)
	}
	fine := fmt.Sprintf("DECIMAL(38,%d)", sa+sb)
	left, right := "("+whole(a)+" * "+rest(b, sb)+")", "("+rest(a, sa)+" * "+whole(b)+")"
	fractions := fmt.Sprintf("CAST(CAST(%s - trunc(%s) AS %s) + CAST(%s - trunc(%s) AS %s) + CAST(%s * %s AS %s) AS %s)",
		left, left, fine, right, right, fine, rest(a, sa), rest(b, sb), fine, TypeSQL(c.T))
	wholes := fmt.Sprintf("%s * %s + %s + %s", whole(a), whole(b), whole(left), whole(right))
	return tried(fmt.Sprintf("CAST(CAST(%s AS %s) + %s AS %s)", wholes, TypeSQL(c.T), fractions, TypeSQL(c.T)), c)
}

// decimalQuotient divides whole numbers: the dividend with as many zeros more as
// the result's scale asks for, rounded half away from zero.
func (s *speller) decimalQuotient(a, b string, ta, tb row.Type, c *expr.Call) string {
	up := c.T.Scale - ta.Scale + tb.Scale
	num, den := unscaled(a, ta, ta.Scale+up), unscaled(b, tb, tb.Scale)
	text := scaledQuotient(num, den, c.T)
	if ta.Precision+up > 38 {
		return tried(text, c)
	}
	return text
}

// scaledQuotient divides two HUGEINTs and sets the point of the result.
func scaledQuotient(num, den string, t row.Type) string {
	return scaled("spark_quotient("+num+", "+den+")", t)
}

// scaled makes a decimal of a HUGEINT that holds its digits.
func scaled(digits string, t row.Type) string {
	q := "TRY_CAST(" + digits + " AS DECIMAL(38,0))"
	if t.Scale > 0 {
		q = fmt.Sprintf("%s * CAST('0.%s1' AS DECIMAL(%d,%d))", q, strings.Repeat("0", t.Scale-1), t.Scale, t.Scale)
	}
	return fmt.Sprintf("TRY_CAST(%s AS %s)", q, TypeSQL(t))
}

// unscaled is a decimal times 10^scale as a HUGEINT.
func unscaled(x string, t row.Type, scale int) string {
	text := fmt.Sprintf("CAST(replace(CAST(%s AS VARCHAR), '.', '') AS HUGEINT)", x)
	if t.Scale == 0 {
		text = fmt.Sprintf("CAST(%s AS HUGEINT)", x)
	}
	if scale > t.Scale {
		text = fmt.Sprintf("(%s * CAST('1%s' AS HUGEINT))", text, strings.Repeat("0", scale-t.Scale))
	}
	return text
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

// likes writes LIKE; Spark's escape character is the backslash.
func (s *speller) likes(name string, c *expr.Call) string {
	x := s.expr(c.Args[0])
	op := "LIKE"
	if name == "ilike" {
		op = "ILIKE"
	}
	if name == "like" || name == "ilike" {
		escape := `'\'`
		if len(c.Args) == 3 {
			escape = s.expr(c.Args[2])
		}
		return like(x, op, s.expr(c.Args[1]), escape, c.Args[1])
	}
	join, not := " OR ", ""
	if strings.HasSuffix(name, "all") {
		join = " AND "
	}
	if strings.HasPrefix(name, "not") {
		not = "NOT "
	}
	parts := make([]string, len(c.Args)-1)
	for i, p := range c.Args[1:] {
		parts[i] = not + like(x, op, s.expr(p), `'\'`, p)
	}
	return "(" + strings.Join(parts, join) + ")"
}

func like(x, op, pattern, escape string, p expr.Expr) string {
	if text, ok := expr.ConstantText(p); ok && !strings.Contains(text, `\`) && escape == `'\'` {
		return fmt.Sprintf("(%s %s %s)", x, op, pattern)
	}
	return fmt.Sprintf("(%s %s %s ESCAPE %s)", x, op, pattern, escape)
}
