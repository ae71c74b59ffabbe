package duck

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// timely writes the functions of dates and times whose spelling depends on a
// unit, a pattern or a type.
func (s *speller) timely(name string, c *expr.Call) (string, bool) {
	switch name {
	case "extract":
		return s.extract(c), true
	case "date_trunc":
		return s.truncated(c, c.Args[0], c.Args[1], "timestamp"), true
	case "trunc":
		return s.truncated(c, c.Args[1], c.Args[0], "date"), true
	case "date_format":
		return s.dateFormat(s.expr(c.Args[0]), c.Args[1]), true
	case "hour", "minute", "second":
		return fill(scalarSpellings[name], []string{s.wallOf(c.Args[0])}, c.T), true
	case "from_unixtime":
		x := "spark_seconds(" + s.expr(c.Args[0]) + ")"
		if len(c.Args) == 1 {
			return "strftime(" + s.wall(x) + ", '%Y-%m-%d %H:%M:%S')", true
		}
		return s.dateFormat(x, c.Args[1]), true
	case "to_date", "to_timestamp", "try_to_timestamp", "to_timestamp_ntz":
		return s.toTimeCall(c), true
	case "unix_timestamp":
		return s.unixTimestamp(c), true
	case "make_date":
		return s.tryCall("make_date", s.exprs(c.Args)), true
	case "timestamp_seconds":
		return s.cast(s.expr(c.Args[0]), c.Args[0].Type(), row.TimestampType, c), true
	case "date_add":
		if len(c.Args) == 3 {
			return s.timeAdd(c), true
		}
		x, n := s.expr(c.Args[0]), s.expr(c.Args[1])
		if c.Args[1].Type().Kind == row.Interval {
			return "CAST(" + x + " + " + n + " AS " + TypeSQL(c.T) + ")", true
		}
		return "(" + x + " + " + n + ")", true
	}
	return s.moved(name, c)
}

func (s *speller) monthsBetween(c *expr.Call) string {
	a, b := s.expr(c.Args[0]), s.expr(c.Args[1])
	exact := fmt.Sprintf("spark_months_between_exact(%s, %s)", a, b)
	if s.zone != nil {
		since := func(x string) string { return "epoch_us(" + x + ") - epoch_us(" + s.truncatedInstant("day", x) + ")" }
		exact = fmt.Sprintf("spark_months_apart(%s, %s, %s, %s)", s.wall(a), s.wall(b), since(a), since(b))
	}
	rounded := "spark_round_double(" + exact + ", 8)"
	if len(c.Args) == 2 {
		return rounded
	}
	return fmt.Sprintf("CASE WHEN %[1]s THEN %[2]s WHEN NOT %[1]s THEN %[3]s END", s.expr(c.Args[2]), rounded, exact)
}

// moved writes arithmetic of times, and what makes them.
func (s *speller) moved(name string, c *expr.Call) (string, bool) {
	switch name {
	case "window_time":
		return "(struct_extract(" + s.expr(c.Args[0]) + ", 'end') - to_microseconds(1))", true
	case "months_between":
		return s.monthsBetween(c), true
	case "timestampadd":
		return s.timeAdd(c), true
	case "timestampdiff":
		return s.timeDiff(c), true
	case "datediff":
		if len(c.Args) == 3 {
			return s.timeDiff(c), true
		}
		return "CAST(" + s.expr(c.Args[0]) + " - " + s.expr(c.Args[1]) + " AS INTEGER)", true
	case "make_timestamp", "make_timestamp_ntz":
		return s.makeTimestamp(c), true
	case "from_utc_timestamp":
		return s.inZone(s.expr(c.Args[0]), c.Args[1], false), true
	case "to_utc_timestamp":
		return s.inZone(s.expr(c.Args[0]), c.Args[1], true), true
	case "convert_timezone":
		return s.inZone(s.inZone(s.expr(c.Args[2]), c.Args[0], true), c.Args[1], false), true
	case "make_interval":
		return s.interval(c, "to_years", "to_months", "to_weeks", "to_days", "to_hours", "to_minutes", "spark_interval_seconds"), true
	case "make_dt_interval":
		return s.interval(c, "to_days", "to_hours", "to_minutes", "spark_interval_seconds"), true
	}
	return "", false
}

var extracts = map[string]string{
	"year": "year($1)", "yearofweek": "isoyear($1)", "quarter": "quarter($1)", "month": "month($1)", "week": "weekofyear($1)", "day": "day($1)",
	"dayofweek": "dayofweek($1) + 1", "dayofweek_iso": "isodow($1)", "doy": "dayofyear($1)", "hour": "hour($1)", "minute": "minute($1)",
}

func (s *speller) extract(c *expr.Call) string {
	word, _ := expr.ConstantText(c.Args[0])
	part, x := expr.DatePart(word), s.wallOf(c.Args[1])
	if t := c.Args[1].Type(); t.Kind == row.Interval && t.Precision > 0 {
		return intervalPart(part, x, c)
	}
	if part == "second" {
		return "CAST(CAST(microsecond(" + x + ") AS DECIMAL(8,0)) * CAST('0.000001' AS DECIMAL(6,6)) AS DECIMAL(8,6))"
	}
	return "CAST(" + strings.ReplaceAll(extracts[part], "$1", x) + " AS " + TypeSQL(c.T) + ")"
}

var truncations = map[string]string{
	"year": "year", "yyyy": "year", "yy": "year", "quarter": "quarter", "month": "month", "mon": "month", "mm": "month", "week": "week",
	"day": "day", "dd": "day", "hour": "hour", "minute": "minute", "second": "second", "millisecond": "millisecond", "microsecond": "microsecond",
}

// truncated writes date_trunc and trunc; a unit that they do not know gives NULL.
func (s *speller) truncated(c *expr.Call, unit, x expr.Expr, kind string) string {
	text := s.expr(x)
	word, constant := expr.ConstantText(unit)
	if !constant {
		if _, null := unit.(*expr.Literal); null {
			return "CAST(NULL AS " + TypeSQL(c.T) + ")"
		}
		if s.zone != nil && kind == "timestamp" {
			return s.truncatedByUnit(s.expr(unit), text)
		}
		return fmt.Sprintf("spark_trunc_%s(%s, %s)", kind, s.expr(unit), text)
	}
	to, ok := truncations[strings.ToLower(word)]
	if kind == "date" && ok && to != "year" && to != "quarter" && to != "month" && to != "week" {
		ok = false
	}
	if !ok {
		return "CAST(NULL AS " + TypeSQL(c.T) + ")"
	}
	if s.zone != nil && kind == "timestamp" {
		return s.truncatedInstant(to, text)
	}
	return fmt.Sprintf("CAST(date_trunc('%s', %s) AS %s)", to, text, TypeSQL(c.T))
}

// truncatedByUnit is date_trunc in the session's zone by a unit that no constant
// tells.
func (s *speller) truncatedByUnit(unit, x string) string {
	var b strings.Builder
	b.WriteString("CASE lower(" + unit + ")")
	for _, word := range slices.Sorted(maps.Keys(truncations)) {
		fmt.Fprintf(&b, " WHEN '%s' THEN %s", word, s.truncatedInstant(truncations[word], x))
	}
	return b.String() + " END"
}

// units write n of a unit as an interval.
var units = map[string]string{
	"year": "to_years($)", "quarter": "to_months(3 * $)", "month": "to_months($)", "week": "to_days(7 * $)", "day": "to_days($)",
	"hour": "to_hours($)", "minute": "to_minutes($)", "second": "to_seconds($)", "millisecond": "to_milliseconds($)", "microsecond": "to_microseconds($)",
}

func (s *speller) timeAdd(c *expr.Call) string {
	word, _ := expr.ConstantText(c.Args[0])
	if s.zone != nil && c.Args[2].Type().Kind == row.Timestamp {
		return s.zonedAdd(expr.TimeUnit(word), c)
	}
	step := strings.ReplaceAll(units[expr.TimeUnit(word)], "$", s.expr(c.Args[1]))
	return "(" + s.expr(c.Args[2]) + " + " + step + ")"
}

// unitMicros are the units of a fixed length.
var unitMicros = map[string]int64{
	"week": 7 * 86_400_000_000, "day": 86_400_000_000, "hour": 3_600_000_000, "minute": 60_000_000, "second": 1_000_000, "millisecond": 1_000, "microsecond": 1,
}

// timeDiff counts whole units between.
func (s *speller) timeDiff(c *expr.Call) string {
	word, _ := expr.ConstantText(c.Args[0])
	unit, from, to := expr.TimeUnit(word), s.wallOf(c.Args[1]), s.wallOf(c.Args[2])
	if micros, ok := unitMicros[unit]; ok {
		return fmt.Sprintf("((epoch_us(%s) - epoch_us(%s)) // %d)", to, from, micros)
	}
	months := map[string]int{"month": 1, "quarter": 3, "year": 12}[unit]
	return fmt.Sprintf("(spark_full_months(%s, %s) // %d)", from, to, months)
}

// toTimeCall writes to_date and to_timestamp: a cast, or a pattern.
func (s *speller) toTimeCall(c *expr.Call) string {
	x, t := s.expr(c.Args[0]), c.Args[0].Type()
	if len(c.Args) == 1 || t.Kind != row.String {
		return s.cast(x, t, c.T, c)
	}
	if c.T.Kind == row.Date {
		return "CAST(" + s.wall(s.parsed(x, c.Args[1])) + " AS DATE)"
	}
	if c.T.Kind == row.TimestampNTZ {
		defer func(z *row.Zone) { s.zone = z }(s.zone)
		s.zone = nil
	}
	return s.parsed(x, c.Args[1])
}

func (s *speller) unixTimestamp(c *expr.Call) string {
	if len(c.Args) == 0 {
		return "spark_floor_div(epoch_us(now()), 1000000)"
	}
	x, t := s.expr(c.Args[0]), c.Args[0].Type()
	switch {
	case t.Kind == row.TimestampNTZ: // as if the clocks were those of UTC
	case t.Kind != row.String:
		x = s.cast(x, t, row.TimestampType, c)
	case len(c.Args) == 2:
		x = s.parsed(x, c.Args[1])
	default:
		x = s.parsed(x, &expr.Literal{Node: expr.Node{T: row.StringType}, Value: "yyyy-MM-dd HH:mm:ss"})
	}
	return "(epoch_us(" + x + ") // 1000000)" // towards zero, otherwise than a cast to BIGINT
}

func (s *speller) makeTimestamp(c *expr.Call) string {
	args := s.exprs(c.Args)
	args[5] = "CAST(" + args[5] + " AS DOUBLE)"
	text := s.tryCall("make_timestamp", args[:6])
	if len(args) == 7 {
		return s.inZone(text, c.Args[6], true)
	}
	if c.T.Kind == row.Timestamp {
		return s.instant(text)
	}
	return text
}

// inZone turns a UTC time into the wall clock of a zone, or back: a constant
// one by Java's rules, another by the engine's.
func (s *speller) inZone(x string, zone expr.Expr, back bool) string {
	text, _ := expr.ConstantText(zone)
	if _, err := row.ParseZone(text); err == nil && text != "" {
		return atZone(x, text, back)
	}
	name := s.expr(zone)
	if back {
		return "timezone('UTC', timezone(" + name + ", " + x + "))"
	}
	return "timezone(" + name + ", timezone('UTC', " + x + "))"
}

// interval adds up the parts that are given.
func (s *speller) interval(c *expr.Call, parts ...string) string {
	if len(c.Args) == 0 {
		return "to_microseconds(0)"
	}
	terms := make([]string, len(c.Args))
	for i, x := range s.exprs(c.Args) {
		if parts[i] == "spark_interval_seconds" {
			x = "CAST(" + x + " AS DOUBLE)"
		}
		terms[i] = parts[i] + "(" + x + ")"
	}
	return "(" + strings.Join(terms, " + ") + ")"
}

// timeWindows lists the windows of a time, of which one begins every slide.
func (s *speller) timeWindows(c *expr.Call) string {
	x := s.expr(c.Args[0])
	size, _ := expr.ConstantInt(c.Args[1])
	slide, _ := expr.ConstantInt(c.Args[2])
	start, _ := expr.ConstantInt(c.Args[3])
	i := s.variable()
	t := "epoch_us(" + x + ")"
	since := fmt.Sprintf("(%s - (%d))", t, start)
	last := fmt.Sprintf("(%s - ((%s %% %d) + %d) %% %d)", t, since, slide, slide, slide)
	begin := fmt.Sprintf("(%s - %s * %d)", last, i, slide)
	list := fmt.Sprintf("list_transform(range(0, %d), lambda %s: struct_pack(\"window\" := struct_pack(\"start\" := make_timestamp(%s), \"end\" := make_timestamp(%s + %d))))",
		(size+slide-1)/slide, i, begin, begin, size)
	if size%slide != 0 {
		w := s.variable()
		list = fmt.Sprintf("list_filter(%s, lambda %s: struct_extract(struct_extract(%s, 'window'), 'end') > %s)", list, w, w, x)
	}
	return fmt.Sprintf("CASE WHEN %s IS NOT NULL THEN %s ELSE [] END", x, list)
}
