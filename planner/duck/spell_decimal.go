package duck

import (
	"fmt"
	"strings"

	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

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
	text := fmt.Sprintf("CAST(%s %s %s AS %s)", a, op, b, name)
	if c.T.Precision < 38 || s.ansi {
		return text
	}
	return tried(text, c)
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
