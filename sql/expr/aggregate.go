package expr

import "github.com/eslake/eslake/sql/row"

var aggregates = []Function{
	{Names: "count", Args: "any+", Result: "bigint", Doc: "number of rows in which no argument is NULL; count(*) of all", Kind: AggregateFunction, Nulls: NullOwn},
	{Names: "sum", Args: "any", Doc: "sum, NULL of no rows", Kind: AggregateFunction, rule: summing, Nulls: NullOwn},
	{Names: "try_sum", Args: "any", Doc: "sum, NULL on overflow", Kind: AggregateFunction, rule: summing, Nulls: NullOwn},
	{Names: "avg mean", Args: "any", Doc: "average", Kind: AggregateFunction, rule: averaging, Nulls: NullOwn},
	{Names: "try_avg", Args: "any", Doc: "average, NULL on overflow", Kind: AggregateFunction, rule: averaging, Nulls: NullOwn},
	{Names: "min", Args: "any", Doc: "the least value", Kind: AggregateFunction, rule: orderable, Nulls: NullOwn},
	{Names: "max", Args: "any", Doc: "the greatest value", Kind: AggregateFunction, rule: orderable, Nulls: NullOwn},
	{Names: "min_by", Args: "T any", Result: "T", Doc: "the first value where the second is least", Kind: AggregateFunction, Nulls: NullOwn},
	{Names: "max_by", Args: "T any", Result: "T", Doc: "the first value where the second is greatest", Kind: AggregateFunction, Nulls: NullOwn},
	{Names: "first first_value", Args: "T boolean?", Result: "T", Doc: "the first value, or with true the first that is not NULL", Kind: AggregateFunction, Nulls: NullOwn},
	{Names: "last last_value", Args: "T boolean?", Result: "T", Doc: "the last value, or with true the last that is not NULL", Kind: AggregateFunction, Nulls: NullOwn},
	{Names: "any_value", Args: "T boolean?", Result: "T", Doc: "some value", Kind: AggregateFunction, Nulls: NullOwn},
	{Names: "collect_list array_agg", Args: "T", Result: "array<T>", Doc: "the values as an array, NULLs left out", Kind: AggregateFunction, Nulls: NullOwn},
	{Names: "collect_set", Args: "T", Result: "array<T>", Doc: "the values as an array, each once, NULLs left out", Kind: AggregateFunction, Nulls: NullOwn},
	{Names: "stddev stddev_samp std", Args: "double", Result: "double", Doc: "standard deviation of a sample", Kind: AggregateFunction, Nulls: NullOwn},
	{Names: "stddev_pop", Args: "double", Result: "double", Doc: "standard deviation of all", Kind: AggregateFunction, Nulls: NullOwn},
	{Names: "variance var_samp", Args: "double", Result: "double", Doc: "variance of a sample", Kind: AggregateFunction, Nulls: NullOwn},
	{Names: "var_pop", Args: "double", Result: "double", Doc: "variance of all", Kind: AggregateFunction, Nulls: NullOwn},
	{Names: "skewness", Args: "double", Result: "double", Doc: "skewness", Kind: AggregateFunction, Nulls: NullOwn},
	{Names: "kurtosis", Args: "double", Result: "double", Doc: "excess kurtosis", Kind: AggregateFunction, Nulls: NullOwn},
	{Names: "corr", Args: "double double", Result: "double", Doc: "correlation", Kind: AggregateFunction, Nulls: NullOwn},
	{Names: "covar_pop", Args: "double double", Result: "double", Doc: "covariance of all", Kind: AggregateFunction, Nulls: NullOwn},
	{Names: "covar_samp", Args: "double double", Result: "double", Doc: "covariance of a sample", Kind: AggregateFunction, Nulls: NullOwn},
	{Names: "regr_avgx", Args: "double double", Result: "double", Doc: "average of x over the pairs (y, x)", Kind: AggregateFunction, Nulls: NullOwn},
	{Names: "regr_avgy", Args: "double double", Result: "double", Doc: "average of y over the pairs (y, x)", Kind: AggregateFunction, Nulls: NullOwn},
	{Names: "regr_count", Args: "double double", Result: "bigint", Doc: "number of pairs without NULL", Kind: AggregateFunction, Nulls: NullOwn},
	{Names: "regr_intercept", Args: "double double", Result: "double", Doc: "where the regression line cuts the y axis", Kind: AggregateFunction, Nulls: NullOwn},
	{Names: "regr_r2", Args: "double double", Result: "double", Doc: "coefficient of determination", Kind: AggregateFunction, Nulls: NullOwn},
	{Names: "regr_slope", Args: "double double", Result: "double", Doc: "slope of the regression line", Kind: AggregateFunction, Nulls: NullOwn},
	{Names: "regr_sxx", Args: "double double", Result: "double", Doc: "sum of squares of x", Kind: AggregateFunction, Nulls: NullOwn},
	{Names: "regr_sxy", Args: "double double", Result: "double", Doc: "sum of products of x and y", Kind: AggregateFunction, Nulls: NullOwn},
	{Names: "regr_syy", Args: "double double", Result: "double", Doc: "sum of squares of y", Kind: AggregateFunction, Nulls: NullOwn},
	{Names: "bool_and every", Args: "boolean", Result: "boolean", Doc: "all are true", Kind: AggregateFunction, Nulls: NullOwn},
	{Names: "bool_or some any", Args: "boolean", Result: "boolean", Doc: "one is true", Kind: AggregateFunction, Nulls: NullOwn},
	{Names: "count_if", Args: "boolean", Result: "bigint", Doc: "number of rows where it is true", Kind: AggregateFunction, Nulls: NullOwn},
	{Names: "bit_and", Args: "integral", Doc: "bits that all have", Kind: AggregateFunction, rule: sameAsFirst, Nulls: NullOwn},
	{Names: "bit_or", Args: "integral", Doc: "bits that one has", Kind: AggregateFunction, rule: sameAsFirst, Nulls: NullOwn},
	{Names: "bit_xor", Args: "integral", Doc: "bits that an odd number has", Kind: AggregateFunction, rule: sameAsFirst, Nulls: NullOwn},
	{Names: "percentile", Args: "double any integral?", Doc: "exact percentile by interpolation; of an array of fractions an array", Kind: AggregateFunction, rule: percentile, Nulls: NullOwn},
	{Names: "percentile_cont", Args: "double", Result: "double", Doc: "percentile by interpolation, WITHIN GROUP (ORDER BY …)", Kind: AggregateFunction, Nulls: NullOwn},
	{Names: "percentile_disc", Args: "double", Result: "double", Doc: "percentile that is a value, WITHIN GROUP (ORDER BY …)", Kind: AggregateFunction, Nulls: NullOwn},
	{Names: "percentile_approx approx_percentile", Args: "any any int?", Doc: "percentile that is one of the values", Kind: AggregateFunction, rule: percentileApprox, Nulls: NullOwn},
	{Names: "median", Args: "double", Result: "double", Doc: "the value in the middle", Kind: AggregateFunction, Nulls: NullOwn},
	{Names: "mode", Args: "T", Result: "T", Doc: "the most frequent value", Kind: AggregateFunction, Nulls: NullOwn},
	{Names: "approx_count_distinct", Args: "any double?", Result: "bigint", Doc: "about how many different values", Kind: AggregateFunction, Nulls: NullOwn},
}

var windowFunctions = []Function{
	{Names: "row_number", Result: "int", Doc: "number of the row in its partition", Kind: WindowFunction},
	{Names: "rank", Args: "any*", Result: "int", Doc: "rank with gaps behind equal rows", Kind: WindowFunction},
	{Names: "dense_rank", Args: "any*", Result: "int", Doc: "rank without gaps", Kind: WindowFunction},
	{Names: "percent_rank", Args: "any*", Result: "double", Doc: "rank as a fraction", Kind: WindowFunction},
	{Names: "cume_dist", Result: "double", Doc: "fraction of the rows up to this one", Kind: WindowFunction},
	{Names: "ntile", Args: "int?", Result: "int", Doc: "number of the part, of n about equal ones", Kind: WindowFunction},
	{Names: "lag", Args: "T int? any?", Result: "T", rule: offsetDefault, Doc: "value n rows before, or a default", Kind: WindowFunction, Nulls: NullOwn},
	{Names: "lead", Args: "T int? any?", Result: "T", rule: offsetDefault, Doc: "value n rows after, or a default", Kind: WindowFunction, Nulls: NullOwn},
	{Names: "nth_value", Args: "T int boolean?", Result: "T", Doc: "value of the n-th row of the frame", Kind: WindowFunction, Nulls: NullOwn},
}

var generators = []Function{
	{Names: "timewindows", Args: "time bigint bigint bigint", Doc: "the windows of a time: their length, slide and start in microseconds", Kind: GeneratorFunction, rule: generating, Nulls: NullOwn},
	{Names: "explode", Args: "any", Doc: "a row for each element or entry", Kind: GeneratorFunction, rule: generating, Nulls: NullOwn},
	{Names: "explode_outer", Args: "any", Doc: "explode, and a row of NULL for nothing", Kind: GeneratorFunction, rule: generating, Nulls: NullOwn},
	{Names: "posexplode", Args: "any", Doc: "explode with the position from 0", Kind: GeneratorFunction, rule: generating, Nulls: NullOwn},
	{Names: "posexplode_outer", Args: "any", Doc: "posexplode, and a row of NULL for nothing", Kind: GeneratorFunction, rule: generating, Nulls: NullOwn},
	{Names: "inline", Args: "any", Doc: "a row for each struct of an array", Kind: GeneratorFunction, rule: generating, Nulls: NullOwn},
	{Names: "inline_outer", Args: "any", Doc: "inline, and a row of NULL for nothing", Kind: GeneratorFunction, rule: generating, Nulls: NullOwn},
	{Names: "stack", Args: "int any+", Doc: "n rows of the values", Kind: GeneratorFunction, rule: generating, Nulls: NullOwn},
	{Names: "json_tuple", Args: "string string+", Doc: "a row of the named values of a JSON object", Kind: GeneratorFunction, rule: generating, Nulls: NullOwn},
}

// HasAggregate reports whether the expression has an aggregate of its own: not
// one with OVER, and not one of a subquery.
func HasAggregate(e Expr) bool {
	found := false
	visit(e, func(x Expr) bool {
		if c, ok := x.(*Call); ok && c.Over == nil && IsAggregate(c.Func) {
			found = true
		}
		return !found
	})
	return found
}

// HasWindow reports whether the expression has a call with OVER.
func HasWindow(e Expr) bool {
	found := false
	visit(e, func(x Expr) bool {
		c, ok := x.(*Call)
		found = found || ok && c.Over != nil
		return !found
	})
	return found
}

// HasGenerator reports whether the expression has a generator.
func HasGenerator(e Expr) bool {
	found := false
	visit(e, func(x Expr) bool {
		c, ok := x.(*Call)
		found = found || ok && IsGenerator(c.Func)
		return !found
	})
	return found
}

// Deterministic reports whether the expression gives the same value each time
// that it is asked about the same row.
func Deterministic(e Expr) bool {
	fixed := true
	visit(e, func(x Expr) bool {
		if c, ok := x.(*Call); ok {
			if f, ok := Lookup(c.Func); ok && f.Volatile {
				fixed = false
			}
		}
		return fixed
	})
	return fixed
}

// visit calls f for e and what is in it, but not for what f says no to.
func visit(e Expr, f func(Expr) bool) {
	if e == nil || !f(e) {
		return
	}
	for _, child := range Children(e) {
		visit(child, f)
	}
}

func summing(c *Call) (*Call, error) {
	x := c.Args[0]
	switch t := x.Type(); {
	case t.Integral():
		c.T = row.BigIntType
	case t.Kind == row.Decimal:
		c.T = boundedDecimal(t.Precision+10, t.Scale)
	case t.Kind == row.Interval:
		c.T = t
	case fractional(t), t.Kind == row.String, t.Kind == row.Void:
		c.T = row.DoubleType
		c.Args[0] = Convert(x, row.DoubleType)
	default:
		return nil, typeError(c, 0, "a number")
	}
	return c, nil
}

func averaging(c *Call) (*Call, error) {
	x := c.Args[0]
	switch t := x.Type(); {
	case t.Kind == row.Decimal:
		c.T = boundedDecimal(t.Precision+4, t.Scale+4)
	case t.Kind == row.Interval:
		c.T = wholeInterval(t)
	case t.Numeric(), t.Kind == row.String, t.Kind == row.Void:
		c.T = row.DoubleType
		if !t.Integral() {
			c.Args[0] = Convert(x, row.DoubleType)
		}
	default:
		return nil, typeError(c, 0, "a number")
	}
	return c, nil
}

func orderable(c *Call) (*Call, error) {
	c.T = c.Args[0].Type()
	if !isOrderable(c.T) {
		return nil, errorAt(CodeTypes, c.Args[0].Span(), "%s of %s is not possible: it has no order", c.Func, typeName(c.T))
	}
	return c, nil
}

func isOrderable(t row.Type) bool {
	switch t.Kind {
	case row.Map:
		return false
	case row.Interval:
		return t.Precision != 0 // months and days have no order
	case row.Array:
		return isOrderable(*t.Elem)
	case row.Struct:
		for _, f := range t.Fields {
			if !isOrderable(f.Type) {
				return false
			}
		}
	}
	return true
}

func percentile(c *Call) (*Call, error) {
	c.T = row.DoubleType
	if c.Args[1].Type().Kind == row.Array {
		c.T = row.ArrayType(row.DoubleType)
		c.Args[1] = Convert(c.Args[1], c.T)
		return c, nil
	}
	if !c.Args[1].Type().Numeric() {
		return nil, typeError(c, 1, "a fraction from 0 to 1")
	}
	c.Args[1] = Convert(c.Args[1], row.DoubleType)
	return c, nil
}

func percentileApprox(c *Call) (*Call, error) {
	t := c.Args[0].Type()
	if !t.Numeric() && !isTime(t) {
		if t.Kind != row.String {
			return nil, typeError(c, 0, "a number or a date")
		}
		t = row.DoubleType
		c.Args[0] = Convert(c.Args[0], t)
	}
	if _, err := percentile(c); err != nil {
		return nil, err
	}
	if c.T.Kind == row.Array {
		c.T = row.ArrayType(t)
	} else {
		c.T = t
	}
	return c, nil
}
