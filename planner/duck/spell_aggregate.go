package duck

import (
	"fmt"
	"strings"

	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// aggregateSpellings are the aggregates that need no more than another name and
// a cast of the result. $@ stands for the call's arguments and what surrounds
// them: DISTINCT before, FILTER and OVER behind.
var aggregateSpellings = map[string]string{
	"min": "min$@", "max": "max$@", "min_by": "arg_min_null$@", "max_by": "arg_max_null$@",
	"min_nested": "arg_min$@", "max_nested": "arg_max$@",
	"stddev": "stddev_samp$@", "stddev_pop": "stddev_pop$@", "variance": "var_samp$@", "var_pop": "var_pop$@",
	"kurtosis": "spark_not_nan(kurtosis_pop$@)", "corr": "spark_not_nan(corr$@)", "covar_pop": "covar_pop$@", "covar_samp": "covar_samp$@",
	"regr_avgx": "regr_avgx$@", "regr_avgy": "regr_avgy$@", "regr_count": "CAST(regr_count$@ AS BIGINT)",
	"regr_intercept": "spark_not_nan(regr_intercept$@)", "regr_r2": "spark_not_nan(regr_r2$@)", "regr_slope": "spark_not_nan(regr_slope$@)",
	"regr_sxx": "regr_sxx$@", "regr_sxy": "regr_sxy$@", "regr_syy": "regr_syy$@",
	"bool_and": "bool_and$@", "bool_or": "bool_or$@",
	"bit_and": "bit_and$@", "bit_or": "bit_or$@", "bit_xor": "bit_xor$@",
	"median": "median$@", "mode": "mode$@", "percentile_approx": "quantile_disc$@",
	"percentile": "quantile_cont$@",
	"row_number": "CAST(row_number$@ AS INTEGER)", "rank": "CAST(rank$@ AS INTEGER)", "dense_rank": "CAST(dense_rank$@ AS INTEGER)",
	"percent_rank": "percent_rank$@", "cume_dist": "cume_dist$@", "ntile": "CAST(ntile$@ AS INTEGER)",
	"lag": "lag$@", "lead": "lead$@", "nth_value": "nth_value$@",
}

// aggregate writes an aggregate or window function.
func (s *speller) aggregate(name string, c *expr.Call) string {
	args := s.exprs(c.Args)
	switch name {
	case "count":
		return s.count(c, args)
	case "sum", "try_sum", "avg", "try_avg":
		return s.sumOrAverage(name, c, args)
	case "first", "last", "any_value":
		return s.firstOrLast(name, c, args)
	case "collect_list":
		return s.collected("list", c, args, false)
	case "collect_set":
		return s.collected("list", c, args, true)
	case "skewness":
		around := s.around(c, args, "")
		return fmt.Sprintf("spark_skewness(skewness%s, count%s, var_pop%s)", around, around, around)
	case "percentile", "percentile_approx":
		return s.quantile(name, c, args)
	case "count_if":
		return "count" + s.around(c, []string{"CASE WHEN " + args[0] + " THEN 1 END"}, "")
	case "percentile_cont", "percentile_disc":
		return s.within(name, c, args)
	case "approx_count_distinct": // exact: the engine's sketch is off even for a handful
		exact := *c
		exact.Distinct = c.Over == nil
		if c.Over != nil {
			return "CAST(approx_count_distinct" + s.around(c, args[:1], "") + " AS BIGINT)"
		}
		return "count" + s.around(&exact, args[:1], "")
	case "rank", "dense_rank", "percent_rank":
		args = nil
	case "nth_value":
		if len(args) == 3 {
			return s.unserved(c, "with three arguments")
		}
	case "mode", "min", "max", "min_by", "max_by":
		if len(c.Args) > 0 && c.Args[0].Type().Kind == row.Void {
			return "CAST(NULL AS " + TypeSQL(c.T) + ")"
		}
	}
	args = s.greatestArgs(&name, c, args)
	template, ok := aggregateSpellings[name]
	if !ok {
		return s.unserved(c, "by the local engine")
	}
	return strings.ReplaceAll(template, "$@", s.around(c, args, ""))
}

// around writes ([DISTINCT] args [IGNORE NULLS]) [FILTER (…)] [OVER (…)]. A
// condition adds to the call's own FILTER.
func (s *speller) around(c *expr.Call, args []string, condition string) string {
	var b strings.Builder
	b.WriteByte('(')
	if c.Distinct {
		b.WriteString("DISTINCT ")
	}
	b.WriteString(strings.Join(args, ", "))
	if c.IgnoreNulls {
		b.WriteString(" IGNORE NULLS")
	}
	b.WriteByte(')')
	if c.Filter != nil {
		filter := s.expr(c.Filter)
		if condition != "" {
			filter += " AND " + condition
		}
		condition = filter
	}
	if condition != "" {
		b.WriteString(" FILTER (WHERE " + condition + ")")
	}
	if c.Over != nil {
		b.WriteString(" OVER (" + s.window(c.Over) + ")")
	}
	return b.String()
}

// count counts the rows in which no argument is NULL.
func (s *speller) count(c *expr.Call, args []string) string {
	if len(args) < 2 {
		if len(args) == 1 && args[0] == "*" && c.Distinct {
			return s.unserved(c, "as count(DISTINCT *)")
		}
		return "count" + s.around(c, args, "")
	}
	conditions := make([]string, len(args))
	for i, a := range args {
		conditions[i] = a + " IS NOT NULL"
	}
	all := strings.Join(conditions, " AND ")
	if c.Distinct {
		return "count" + s.around(c, []string{"CASE WHEN " + all + " THEN row(" + strings.Join(args, ", ") + ") END"}, "")
	}
	return "count" + s.around(c, []string{"*"}, "("+all+")")
}

// sumOrAverage gives Spark's result type; a decimal average is computed from the
// exact sum.
func (s *speller) sumOrAverage(name string, c *expr.Call, args []string) string {
	base, try := strings.CutPrefix(name, "try_")
	text := base + s.around(c, args, "")
	t := c.Args[0].Type()
	switch {
	case t.Kind == row.Interval && t.Precision > 0:
		return s.intervalSum(base, c, args)
	case base == "avg" && t.Kind == row.Decimal:
		sum := fmt.Sprintf("CAST(sum%s AS DECIMAL(38,%d))", s.around(c, args, ""), t.Scale)
		n := "CAST(count" + s.around(c, args, "") + " AS HUGEINT)"
		if t.Precision > 24 { // with the digits of the sum and four more there are too many for the engine
			return wideText("/", sum, n, c.T)
		}
		num := unscaled(sum, row.DecimalType(38, t.Scale), c.T.Scale)
		return scaledQuotient(num, n, c.T)
	case t.Kind == row.Decimal:
		return fmt.Sprintf("TRY_CAST(%s AS %s)", text, TypeSQL(c.T))
	case base == "sum" && t.Integral() && try:
		return "TRY_CAST(" + text + " AS BIGINT)"
	case base == "sum" && t.Integral() && c.Over == nil:
		return s.checked("TRY_CAST("+text+" AS BIGINT)", []string{text}, c, QuoteText("the sum "), "CAST("+text+" AS VARCHAR)", QuoteText(" overflows BIGINT"), hint("try_sum gives NULL for it"))
	case base == "sum" && t.Integral():
		return "CAST(" + text + " AS BIGINT)"
	}
	return text
}

// firstOrLast skips NULLs when it is told to.
func (s *speller) firstOrLast(name string, c *expr.Call, args []string) string {
	skip := c.IgnoreNulls
	if len(c.Args) == 2 {
		l, ok := c.Args[1].(*expr.Literal)
		if !ok {
			return s.unserved(c, "without a constant as second argument")
		}
		skip = skip || l.Value == true
	}
	if name == "any_value" {
		name = "first"
	}
	x := args[0]
	if c.Over != nil {
		plain := *c
		plain.IgnoreNulls = skip
		return name + "_value" + s.around(&plain, []string{x}, "")
	}
	plain := *c
	plain.IgnoreNulls = false
	condition := ""
	if skip {
		condition = x + " IS NOT NULL"
	}
	return name + s.around(&plain, []string{x}, condition)
}

// collected leaves NULLs out and gives an empty array for nothing.
func (s *speller) collected(fn string, c *expr.Call, args []string, distinct bool) string {
	call := *c
	call.Distinct = c.Distinct || distinct && c.Over == nil
	text := fn + s.around(&call, args[:1], args[0]+" IS NOT NULL")
	if distinct && c.Over != nil {
		text = "list_distinct(" + text + ")"
	}
	return fmt.Sprintf("coalesce(%s, CAST([] AS %s))", text, TypeSQL(c.T))
}

func (s *speller) quantile(name string, c *expr.Call, args []string) string {
	if name == "percentile" && len(args) == 3 {
		return s.unserved(c, "with frequencies")
	}
	args = args[:2]
	if name == "percentile" {
		return "quantile_cont" + s.around(c, args, "")
	}
	return "quantile_disc" + s.around(c, args, "")
}

// within writes percentile_cont(p) WITHIN GROUP (ORDER BY x).
func (s *speller) within(name string, c *expr.Call, args []string) string {
	if len(c.Within) != 1 {
		return s.unserved(c, "without WITHIN GROUP (ORDER BY …)")
	}
	p := args[0]
	if c.Within[0].Desc {
		p = "1 - " + p
	}
	x := s.cast(s.expr(c.Within[0].X), c.Within[0].X.Type(), row.DoubleType, c)
	return strings.Replace(name, "percentile", "quantile", 1) + s.around(c, []string{x, p}, "")
}

// window writes what stands within OVER (…).
func (s *speller) window(w *expr.Window) string {
	var parts []string
	if len(w.Partition) > 0 {
		parts = append(parts, "PARTITION BY "+strings.Join(s.exprs(w.Partition), ", "))
	}
	if len(w.Order) > 0 {
		keys := make([]string, len(w.Order))
		for i, o := range w.Order {
			keys[i] = s.orderKey(s.expr(o.X), o.X.Type()) + orderWords(o)
		}
		parts = append(parts, "ORDER BY "+strings.Join(keys, ", "))
	}
	if w.Frame != nil {
		s.frame(w)
		parts = append(parts, w.Frame.Unit+" BETWEEN "+s.bound(w.Frame.From)+" AND "+s.bound(w.Frame.To))
	}
	return strings.Join(parts, " ")
}

func (s *speller) bound(b expr.Bound) string {
	switch b.Kind {
	case expr.UnboundedPreceding:
		return "UNBOUNDED PRECEDING"
	case expr.Preceding:
		return s.expr(b.Offset) + " PRECEDING"
	case expr.CurrentRow:
		return "CURRENT ROW"
	case expr.Following:
		return s.expr(b.Offset) + " FOLLOWING"
	}
	return "UNBOUNDED FOLLOWING"
}
