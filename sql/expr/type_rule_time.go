package expr

import (
	"strings"

	"github.com/eslake/eslake/sql/row"
)

// extraction types extract(part FROM x): INT for most parts.
func extraction(c *Call) (*Call, error) {
	part, _ := ConstantText(c.Args[0])
	t := c.Args[1].Type()
	if t.Kind != row.Interval {
		to, ok := implicitTo(row.TimestampType, t)
		if !ok {
			return nil, typeError(c, 1, "a date, a timestamp or an interval")
		}
		if t.Kind != row.Date {
			c.Args[1] = Convert(c.Args[1], to)
		}
	}
	switch datePart(part) {
	case "":
		return nil, errorAt(CodeConstant, c.Args[0].Span(), "%q is no part of a date", part)
	case "second":
		c.T = row.DecimalType(8, 6)
		if t.Kind == row.Date {
			c.Args[1] = Convert(c.Args[1], row.TimestampType)
		}
	case "hour", "minute":
		if t.Kind == row.Date {
			c.Args[1] = Convert(c.Args[1], row.TimestampType)
		}
		c.T = row.IntType
	default:
		c.T = row.IntType
	}
	if t.Kind == row.Interval && t.Precision > 0 && !hasPart(t, datePart(part)) {
		return nil, errorAt(CodeConstant, c.Args[0].Span(), "%s has no %s", typeName(t), part)
	}
	if t.Kind == row.Interval && c.T.Kind == row.Int && datePart(part) != "year" && datePart(part) != "day" {
		c.T = row.TinyIntType
	}
	return c, nil
}

// hasPart reports whether an interval has a unit.
func hasPart(t row.Type, part string) bool {
	unit, ok := map[string]int{
		"year": row.YearUnit, "month": row.MonthUnit, "day": row.DayUnit, "hour": row.HourUnit, "minute": row.MinuteUnit, "second": row.SecondUnit,
	}[part]
	return ok && unit >= t.Precision && unit <= t.Scale
}

// DatePart returns the plain name of what EXTRACT may ask for, "" for others.
func DatePart(word string) string { return datePart(word) }

func datePart(word string) string {
	word = strings.ToLower(word)
	for _, names := range dateParts {
		for _, name := range strings.Fields(names) {
			if name == word {
				return strings.Fields(names)[0]
			}
		}
	}
	return ""
}

var dateParts = []string{
	"year y years yr yrs", "yearofweek", "quarter qtr", "month mon mons months", "week w weeks", "day d days", "dayofweek dow",
	"dayofweek_iso dow_iso", "doy", "hour h hours hr hrs", "minute m min mins minutes", "second s sec seconds secs",
}

// TimeUnit returns the plain name of a unit of dateadd, datediff and their like,
// "" for others.
func TimeUnit(word string) string {
	switch word = strings.ToLower(word); word {
	case "year", "quarter", "month", "week", "day", "hour", "minute", "second", "millisecond", "microsecond":
		return word
	case "dayofyear":
		return "day"
	}
	return ""
}

func checkUnit(c *Call) error {
	word, ok := ConstantText(c.Args[0])
	if !ok || TimeUnit(word) == "" {
		return errorAt(CodeConstant, c.Args[0].Span(), "the first of three arguments of %s must be a unit such as DAY", c.Func)
	}
	return nil
}

func dateAdd(c *Call) (*Call, error) {
	if len(c.Args) == 3 {
		return timestampAdd(c)
	}
	if c.Args[1].Type().Kind == row.Interval {
		return timeAndInterval(c, Convert(c.Args[0], row.DateType), c.Args[1])
	}
	return convertArgs(c, row.DateType, row.DateType, row.IntType)
}

func timestampAdd(c *Call) (*Call, error) {
	if err := checkUnit(c); err != nil {
		return nil, err
	}
	t := c.Args[2].Type()
	if !isTime(t) || t.Kind == row.Date {
		t = row.TimestampType
	}
	return convertArgs(c, t, row.VoidType, row.IntType, t)
}

func dateDiff(c *Call) (*Call, error) {
	if len(c.Args) == 3 {
		if err := checkUnit(c); err != nil {
			return nil, err
		}
		return convertArgs(c, row.BigIntType, row.VoidType, row.TimestampType, row.TimestampType)
	}
	return convertArgs(c, row.IntType, row.DateType, row.DateType)
}

// convertArgs casts each argument to its type; Void leaves one as it is.
func convertArgs(c *Call, result row.Type, types ...row.Type) (*Call, error) {
	for i, want := range types {
		if want.Kind == row.Void {
			continue
		}
		t, ok := implicitTo(want, c.Args[i].Type())
		if !ok {
			return nil, typeError(c, i, typeName(want))
		}
		c.Args[i] = Convert(c.Args[i], t)
	}
	c.T = result
	return c, nil
}

// toTime types to_date and to_timestamp: without a pattern they are casts.
func toTime(c *Call) (*Call, error) {
	t := c.Args[0].Type()
	ok := t.Kind == row.String || isTime(t) || t.Kind == row.Void
	if c.T.Kind == row.Timestamp && t.Numeric() && len(c.Args) == 1 {
		ok = true
	}
	if !ok {
		return nil, typeError(c, 0, "text, a date or a timestamp")
	}
	return c, nil
}

func unixTimestamp(c *Call) (*Call, error) {
	if len(c.Args) == 0 {
		return c, nil
	}
	if t := c.Args[0].Type(); t.Kind != row.String && !isTime(t) && t.Kind != row.Void {
		return nil, typeError(c, 0, "text, a date or a timestamp")
	}
	return c, nil
}

func convertTimezone(c *Call) (*Call, error) {
	return convertArgs(c, row.TimestampNTZType, row.StringType, row.StringType, row.TimestampNTZType)
}

// intervalOf gives a call the units of its interval.
func intervalOf(first, last int) func(*Call) (*Call, error) {
	return func(c *Call) (*Call, error) {
		c.T = row.IntervalOf(first, last)
		return c, nil
	}
}

// windowAlone is reached only where no query block gives a window its rows.
func windowAlone(c *Call) (*Call, error) {
	return nil, errorAt(CodeTypes, c.At, "%s stands in SELECT or GROUP BY", c.Func)
}

// windowTime is the end of a window without a microsecond.
func windowTime(c *Call) (*Call, error) {
	t := c.Args[0].Type()
	for _, f := range t.Fields {
		if f.Name == "end" && t.Kind == row.Struct && f.Type.Kind == row.Timestamp {
			return c, nil
		}
	}
	return nil, typeError(c, 0, "a window of time: STRUCT<start, end>")
}
