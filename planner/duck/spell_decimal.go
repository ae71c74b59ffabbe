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
	if s.ansi && op != "+" && op != "-" && op != "*" {
		b = s.ansiDivisor(a, b, c)
	}
	scale := max(ta.Scale, tb.Scale)
	aligned := max(ta.Precision-ta.Scale, tb.Precision-tb.Scale) + scale // digits of both with one scale
	switch op {
	case "/":
		return s.decimalQuotient(a, b, ta, tb, c)
	case "div", "%", "pmod":
		if aligned > 38 {
			return s.wideDecimal(op, a, b, c)
		}
		return s.decimalRemainder(op, a, b, scale, c)
	case "*":
		if ta.Scale+tb.Scale > c.T.Scale {
			return s.wideDecimal(op, a, b, c)
		}
	default:
		if scale > c.T.Scale {
			return s.wideDecimal(op, a, b, c) // TRY is no help: the engine takes casts that come twice out of it
		}
	}
	if most := 18; c.T.Precision > most && max(ta.Precision, tb.Precision) <= most { // the engine would compute with 18 digits
		a = fmt.Sprintf("CAST(%s AS DECIMAL(%d,%d))", a, most+1, ta.Scale)
	}
	text := fmt.Sprintf("CAST(%s %s %s AS %s)", a, op, b, TypeSQL(c.T))
	if c.T.Precision < 38 || s.ansi {
		return text
	}
	return tried(text, c)
}

// decimalRemainder writes div, % and pmod.
func (s *speller) decimalRemainder(op, a, b string, scale int, c *expr.Call) string {
	ta, tb, name := c.Args[0].Type(), c.Args[1].Type(), TypeSQL(c.T)
	switch op {
	case "div":
		q := fmt.Sprintf("%s // nullif(%s, 0)", unscaled(a, ta, scale), unscaled(b, tb, scale))
		if s.ansi {
			return s.checked("TRY_CAST("+q+" AS BIGINT)", []string{q}, c, QuoteText("the result of div is out of range for BIGINT"))
		}
		return "spark_low(" + q + ")"
	case "%":
		return fmt.Sprintf("CAST(%s %% nullif(%s, 0) AS %s)", a, b, name)
	}
	return fmt.Sprintf("TRY_CAST(CASE WHEN %s %% nullif(%s, 0) < 0 THEN (%s %% %s + %s) %% %s ELSE %s %% nullif(%s, 0) END AS %s)", a, b, a, b, b, b, a, b, name)
}

// decimalQuotient divides whole numbers: the dividend with as many zeros more as
// the result's scale asks for, rounded half away from zero.
func (s *speller) decimalQuotient(a, b string, ta, tb row.Type, c *expr.Call) string {
	up := c.T.Scale - ta.Scale + tb.Scale
	if ta.Precision+up > 38 {
		return s.wideDecimal("/", a, b, c)
	}
	return scaledQuotient(unscaled(a, ta, ta.Scale+up), unscaled(b, tb, tb.Scale), c.T)
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
