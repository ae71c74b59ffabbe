package duck

import (
	"fmt"
	"strings"

	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// rounded writes round, bround, ceil and floor. Doubles are rounded by their
// decimal digits, as Spark does: round(1.005D, 2) is 1.01.
func (s *speller) rounded(name string, c *expr.Call) (string, bool) {
	switch name {
	case "round", "bround", "ceil", "floor":
	default:
		return "", false
	}
	x, t, digits := s.expr(c.Args[0]), c.Args[0].Type(), int64(0)
	if len(c.Args) == 2 {
		var ok bool
		if digits, ok = expr.ConstantInt(c.Args[1]); !ok {
			return "CAST(NULL AS " + TypeSQL(c.T) + ")", true
		}
	}
	switch {
	case t.Kind == row.Decimal:
		return decimalRound(name, x, t, c.T, int(digits)), true
	case name == "ceil" || name == "floor":
		if t.Integral() {
			return "CAST(" + x + " AS BIGINT)", true
		}
		return fmt.Sprintf("spark_cut_BIGINT(%s(%s))", name, x), true
	case t.Integral() && digits >= 0:
		return x, true
	case t.Integral():
		// through decimals, so that no digit of a BIGINT is lost
		d := row.DecimalType(20, 0)
		wide := decimalRound(name, "CAST("+x+" AS DECIMAL(20,0))", d, row.DecimalType(21, 0), int(digits))
		failed := s.raise(c, QuoteText(name+" of "), x, QuoteText(" overflows "+c.T.SQL()))
		return fmt.Sprintf("CASE WHEN %s IS NOT NULL THEN coalesce(TRY_CAST(%s AS %s), %s) END", x, wide, TypeSQL(c.T), failed), true
	}
	if t.Kind == row.Float {
		x = "CAST(" + x + " AS DOUBLE)"
	}
	return fmt.Sprintf("CAST(spark_%s_double(%s, %d) AS %s)", name, x, digits, TypeSQL(c.T)), true
}

// decimalRound rounds exactly: to a scale by a cast, before the point by a
// division of whole numbers.
func decimalRound(name, x string, t, result row.Type, digits int) string {
	if digits >= t.Scale {
		return fmt.Sprintf("CAST(%s AS %s)", x, TypeSQL(result))
	}
	if t.Scale-digits > 38 { // more than any decimal has: 0, or the next of such units
		next := map[string]string{"ceil": "x > 0 THEN ", "floor": "x < 0 THEN -"}[name]
		if next == "" {
			return fmt.Sprintf("CASE WHEN %s IS NOT NULL THEN CAST(0 AS %s) END", x, TypeSQL(result))
		}
		return fmt.Sprintf("CAST(CASE WHEN %s1%s WHEN %s IS NOT NULL THEN 0 END AS %s)", strings.Replace(next, "x", x, 1), strings.Repeat("0", -digits), x, TypeSQL(result))
	}
	unit := "1"
	for range t.Scale - digits {
		unit += "0"
	}
	q := fmt.Sprintf("spark_%s_whole(%s, CAST('%s' AS HUGEINT))", name, unscaled(x, t, t.Scale), unit)
	if digits < 0 {
		q = fmt.Sprintf("%s * CAST('1%s' AS HUGEINT)", q, unit[1+t.Scale:])
		return fmt.Sprintf("TRY_CAST(%s AS %s)", q, TypeSQL(result))
	}
	return scaled(q, result)
}
