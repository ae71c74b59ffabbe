package duck

import (
	"fmt"
	"strings"

	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// amount is an interval as one whole number: months, or microseconds.
func amount(x string, t row.Type) string {
	if t.Months() {
		return "spark_months(" + x + ")"
	}
	return "epoch_us(" + x + ")"
}

// ofAmount makes an interval of a type from such a number.
func ofAmount(n string, t row.Type) string {
	if t.Months() {
		return "to_months(CAST(" + n + " AS INTEGER))"
	}
	return "to_microseconds(CAST(" + n + " AS BIGINT))"
}

// intervalText writes an interval as Spark casts one to text.
func intervalText(x string, t row.Type) string {
	if t.Precision == 0 {
		return "spark_interval_text(" + x + ")"
	}
	n := "abs(" + amount(x, t) + ")"
	var b strings.Builder
	fmt.Fprintf(&b, "('INTERVAL ''' || CASE WHEN %s < 0 THEN '-' ELSE '' END || ", amount(x, t))
	switch {
	case !t.Months():
		clockText(&b, n, t)
	case t.Precision == row.MonthUnit:
		b.WriteString(n)
	case t.Scale == row.YearUnit:
		b.WriteString("(" + n + " // 12)")
	default:
		fmt.Fprintf(&b, "(%s // 12) || '-' || (%s %% 12)", n, n)
	}
	fmt.Fprintf(&b, " || ''' %s')", strings.ToUpper(strings.TrimPrefix(t.String(), "interval ")))
	return b.String()
}

func clockText(b *strings.Builder, n string, t row.Type) {
	sizes := map[int]int64{row.DayUnit: 86_400_000_000, row.HourUnit: 3_600_000_000, row.MinuteUnit: 60_000_000, row.SecondUnit: 1_000_000}
	for unit := t.Precision; unit <= t.Scale; unit++ {
		part := n
		switch unit {
		case t.Precision:
		case row.HourUnit:
			b.WriteString(" || ' ' || ")
		default:
			b.WriteString(" || ':' || ")
		}
		if unit > t.Precision {
			part = fmt.Sprintf("(%s %% %d)", n, sizes[unit-1])
		}
		switch unit {
		case row.DayUnit:
			fmt.Fprintf(b, "(%s // %d)", part, sizes[unit])
		case row.SecondUnit:
			b.WriteString("spark_seconds_text(" + part + ")")
		default:
			fmt.Fprintf(b, "printf('%%02d', %s // %d)", part, sizes[unit])
		}
	}
}

// intervalArithmetic writes an interval times or divided by a number, rounded
// half up. Division by zero is an error, or with try NULL.
func intervalArithmetic(op, a, b string, c *expr.Call, try bool) string {
	ta, tb := c.Args[0].Type(), c.Args[1].Type()
	n := amount(a, ta)
	switch {
	case op == "*" && tb.Integral():
		n = fmt.Sprintf("(%s * CAST(%s AS BIGINT))", n, b)
	case op == "*":
		n = fmt.Sprintf("round(%s * %s)", n, b)
	case tb.Integral():
		n = fmt.Sprintf("spark_quotient(CAST(%s AS HUGEINT), CAST(%s AS HUGEINT))", n, b)
	default:
		n = fmt.Sprintf("round(%s / CAST(%s AS DOUBLE))", n, b)
	}
	text := ofAmount(n, ta)
	if op == "/" && try {
		return fmt.Sprintf("CASE WHEN %s <> 0 THEN %s END", b, text)
	}
	if op == "/" {
		return fmt.Sprintf("CASE WHEN %s = 0 AND %s IS NOT NULL THEN error('an interval is divided by zero') ELSE %s END", b, a, text)
	}
	return text
}

// intervalSum writes sum and avg of intervals.
func (s *speller) intervalSum(name string, c *expr.Call, args []string) string {
	t := c.Args[0].Type()
	around := s.around(c, []string{amount(args[0], t)}, "")
	if name == "sum" {
		return ofAmount("sum"+around, t)
	}
	return ofAmount("spark_quotient(CAST(sum"+around+" AS HUGEINT), CAST(count"+around+" AS HUGEINT))", t)
}

// intervalPart writes extract(part FROM interval).
func intervalPart(part, x string, c *expr.Call) string {
	t := c.Args[1].Type()
	n := amount(x, t)
	cut := map[string]string{
		"year": "%s // 12", "month": "spark_rest(%s, 12)", "day": "%s // 86400000000", "hour": "spark_rest(%s, 86400000000) // 3600000000",
		"minute": "spark_rest(%s, 3600000000) // 60000000", "second": "spark_rest(%s, 60000000)",
	}[part]
	text := fmt.Sprintf(cut, n)
	if part == "second" {
		return "CAST(CAST(" + text + " AS DECIMAL(8,0)) * CAST('0.000001' AS DECIMAL(6,6)) AS DECIMAL(8,6))"
	}
	return "CAST(" + text + " AS " + TypeSQL(c.T) + ")"
}
