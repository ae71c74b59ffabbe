package duck

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/eslake/eslake/esds/duckdb"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// zoneFunctions are the functions of time zones, whose text is the zone. Times are
// microseconds: of the epoch, or of 1970-01-01 00:00 on the zone's clocks.
var zoneFunctions = map[string]duckdb.WholeFunction{
	"wall": func(zone string, args []int64) (int64, bool, error) {
		z, err := zoneOf(zone)
		return z.Wall(args[0]), err == nil, err
	},
	"instant": func(zone string, args []int64) (int64, bool, error) {
		z, err := zoneOf(zone)
		return z.Instant(args[0]), err == nil, err
	},
	"instant_near": func(zone string, args []int64) (int64, bool, error) {
		z, err := zoneOf(zone)
		return z.InstantAt(args[0], args[1]), err == nil, err
	},
	"day": func(zone string, args []int64) (int64, bool, error) {
		z, err := zoneOf(zone)
		return z.StartOfDay(args[0]), err == nil, err
	},
	"shift": func(zone string, args []int64) (int64, bool, error) {
		z, err := zoneOf(zone)
		return shifted(z, args[0], args[1], args[2], args[3]), err == nil, err
	},
}

var zones sync.Map // *row.Zone by name

func zoneOf(name string) (*row.Zone, error) {
	if z, ok := zones.Load(name); ok {
		return z.(*row.Zone), nil
	}
	z, err := row.ParseZone(name)
	if err == nil {
		zones.Store(name, z)
	}
	return z, err
}

// shifted moves an instant by months and days of the zone's clocks, then by
// microseconds that pass.
func shifted(z *row.Zone, t, months, days, micros int64) int64 {
	if months != 0 {
		t = z.InstantAt(addMonths(z.Wall(t), months), t)
	}
	if days != 0 {
		t = z.InstantAt(z.Wall(t)+days*unitMicros["day"], t)
	}
	return t + micros
}

// addMonths keeps the day of the month where the month has it.
func addMonths(wall, months int64) int64 {
	at := time.UnixMicro(wall).UTC()
	first := time.Date(at.Year(), at.Month()+time.Month(months), 1, at.Hour(), at.Minute(), at.Second(), at.Nanosecond(), time.UTC)
	last := first.AddDate(0, 1, -1).Day()
	return first.AddDate(0, 0, min(at.Day(), last)-1).UnixMicro()
}

func (s *speller) zoned(name string, args ...string) string {
	return "make_timestamp(" + duckdb.WholeSQL(name, s.zone.Name(), args...) + ")"
}

// wall is what the session's clocks show at an instant.
func (s *speller) wall(x string) string {
	if s.zone == nil {
		return x
	}
	return s.zoned("wall", "epoch_us("+x+")")
}

// wallOf is wall for an expression that may also be a date or a wall clock.
func (s *speller) wallOf(e expr.Expr) string {
	x := s.expr(e)
	if e.Type().Kind == row.Timestamp {
		return s.wall(x)
	}
	return x
}

// instant is the reverse of wall.
func (s *speller) instant(x string) string {
	if s.zone == nil {
		return x
	}
	return s.zoned("instant", "epoch_us("+x+")")
}

// startOfDay is a date as an instant.
func (s *speller) startOfDay(x string) string {
	if s.zone == nil {
		return "CAST(" + x + " AS TIMESTAMP)"
	}
	return s.zoned("day", "CAST("+x+" - DATE '1970-01-01' AS BIGINT)")
}

// readInstant casts text to an instant in the session's zone.
func (s *speller) readInstant(x string) string {
	if s.zone == nil {
		return "spark_timestamp(spark_dated(" + x + ", current_date))"
	}
	today := "CAST(" + s.wall("make_timestamp(epoch_us(now()))") + " AS DATE)"
	x = "spark_dated(" + x + ", " + today + ")"
	return "make_timestamp(CAST(" + duckdb.TextSQL("timestamp", QuoteText(s.zone.Name()), x) + " AS BIGINT))"
}

// truncatedInstant is date_trunc in the session's zone.
func (s *speller) truncatedInstant(unit, x string) string {
	cut := fmt.Sprintf("date_trunc('%s', %s)", unit, s.wall(x))
	switch unit {
	case "second", "millisecond", "microsecond":
		return fmt.Sprintf("date_trunc('%s', %s)", unit, x)
	case "minute", "hour", "day":
		return s.zoned("instant_near", "epoch_us("+cut+")", "epoch_us("+x+")")
	}
	return s.startOfDay("CAST(" + cut + " AS DATE)")
}

// shift moves an instant by an interval in the session's zone. The parts are SQL
// texts of whole numbers.
func (s *speller) shift(x, months, days, micros string) string {
	whole := func(n string) string { return "CAST(" + n + " AS BIGINT)" }
	return s.zoned("shift", "epoch_us("+x+")", whole(months), whole(days), whole(micros))
}

// intervalParts takes an interval apart as Spark keeps it: a DAY TO SECOND is
// microseconds, of which whole days count as days.
func intervalParts(x string, t row.Type) (months, days, micros string) {
	switch {
	case t.Months():
		return "spark_months(" + x + ")", "0", "0"
	case t.Precision > 0:
		n := "epoch_us(" + x + ")"
		return "0", n + " // 86400000000", fmt.Sprintf("spark_rest(%s, 86400000000)", n)
	}
	clock := fmt.Sprintf("datepart('hour', %[1]s) * 3600000000 + datepart('minute', %[1]s) * 60000000 + datepart('microsecond', %[1]s)", x)
	return "spark_months(" + x + ")", "datepart('day', " + x + ")", clock
}

func negated(parts ...*string) {
	for _, p := range parts {
		*p = "-(" + *p + ")"
	}
}

// zonedArithmetic writes sums and differences of instants in the session's zone.
func (s *speller) zonedArithmetic(op string, c *expr.Call) (string, bool) {
	a, b := c.Args[0], c.Args[1]
	if s.zone == nil || a.Type().Kind != row.Timestamp && b.Type().Kind != row.Timestamp && c.T.Kind != row.Timestamp {
		return "", false
	}
	if a.Type().Kind == row.Interval {
		a, b = b, a
	}
	if b.Type().Kind != row.Interval {
		return "(" + s.wallOf(a) + " - " + s.wallOf(b) + ")", true
	}
	x := s.expr(a)
	if a.Type().Kind == row.Date {
		x = s.startOfDay(x)
	}
	months, days, micros := intervalParts(s.expr(b), b.Type())
	if op == "-" {
		negated(&months, &days, &micros)
	}
	return s.shift(x, months, days, micros), true
}

// zonedAdd is timestampadd in the session's zone.
func (s *speller) zonedAdd(unit string, c *expr.Call) string {
	x, n := s.expr(c.Args[2]), "CAST("+s.expr(c.Args[1])+" AS BIGINT)"
	switch micros, ok := unitMicros[unit]; {
	case ok && micros >= unitMicros["day"]:
		return s.shift(x, "0", fmt.Sprintf("%s * %d", n, micros/unitMicros["day"]), "0")
	case ok:
		return s.shift(x, "0", "0", fmt.Sprintf("%s * %d", n, micros))
	}
	months := map[string]int{"month": 1, "quarter": 3, "year": 12}[unit]
	return s.shift(x, n+" * "+strconv.Itoa(months), "0", "0")
}

// zonedSequence is a sequence of instants in the session's zone: each step starts
// from the first value.
func (s *speller) zonedSequence(c *expr.Call, step string, t row.Type) string {
	months, days, micros := intervalParts(step, t)
	a, b := s.expr(c.Args[0]), s.expr(c.Args[1])
	size := fmt.Sprintf("(28 * 86400000000 * CAST(%s AS BIGINT) + 86400000000 * CAST(%s AS BIGINT) + CAST(%s AS BIGINT))", months, days, micros)
	i, v := s.variable(), s.variable()
	times := func(n string) string { return "(" + n + ") * " + i }
	count := fmt.Sprintf("abs(epoch_us(%s) - epoch_us(%s)) // greatest(abs(%s) - 86400000000 * CASE WHEN abs(%s) > 172800000000 THEN 1 ELSE 0 END, 1) + 3", b, a, size, size)
	return fmt.Sprintf("list_filter(list_transform(range(0, %s), lambda %s: %s), lambda %s: CASE WHEN %s > 0 THEN %s <= %s ELSE %s >= %s END)",
		count, i, s.shift(a, times(months), times(days), times(micros)), v, size, v, b, v, b)
}

// atZone turns a UTC time into the wall clock of a constant zone, or back.
func atZone(x, zone string, back bool) string {
	name := "wall"
	if back {
		name = "instant"
	}
	return "make_timestamp(" + duckdb.WholeSQL(name, zone, "epoch_us("+x+")") + ")"
}

// frame refuses a frame whose bounds would have to follow the zone's clocks.
func (s *speller) frame(w *expr.Window) {
	if s.zone == nil || w.Frame.Unit != "RANGE" || len(w.Order) != 1 || w.Order[0].X.Type().Kind != row.Timestamp {
		return
	}
	for _, b := range []expr.Bound{w.Frame.From, w.Frame.To} {
		if b.Offset != nil && !withinDay(b.Offset) {
			s.fail(b.Offset, codeUnserved, "a frame of a day or more over timestamps is not supported yet in the time zone %s", s.zone.Name())
		}
	}
}

func withinDay(e expr.Expr) bool {
	l, ok := e.(*expr.Literal)
	if !ok {
		return false
	}
	v, ok := l.Value.(expr.Interval)
	return ok && v.Months == 0 && v.Days == 0 && v.Micros < unitMicros["day"] && v.Micros > -unitMicros["day"]
}

// withoutSeconds is a time with a zone but no seconds, which Spark does not read.
var withoutSeconds = regexp.MustCompile(`^\s*[+-]?\d+-\d+-\d+[ T]\d+(:\d+)?\s*[^\s:\d]`)

func readInstantText(args []string) (string, bool, error) {
	if withoutSeconds.MatchString(args[1]) {
		return "", false, nil
	}
	z, err := zoneOf(args[0])
	if err != nil {
		return "", false, err
	}
	micros, ok := row.CastTimestamp([]byte(args[1]), z)
	return strconv.FormatInt(micros, 10), ok, nil
}

var patterns sync.Map // *row.TimePattern by text

func patternOf(text string) (*row.TimePattern, error) {
	if p, ok := patterns.Load(text); ok {
		return p.(*row.TimePattern), nil
	}
	p, err := row.NewTimePattern(text, "")
	if err != nil {
		return nil, fmt.Errorf("the pattern cannot be used: %w", err)
	}
	if p == nil {
		p = &row.TimePattern{}
	}
	patterns.Store(text, p)
	return p, nil
}

// formatInstantText writes a time by a pattern: zone, pattern, microseconds.
func formatInstantText(args []string) (string, bool, error) {
	z, err := zoneOf(args[0])
	if err != nil {
		return "", false, err
	}
	p, err := patternOf(args[1])
	if err != nil {
		return "", false, err
	}
	micros, err := strconv.ParseInt(args[2], 10, 64)
	if err != nil {
		return "", false, err
	}
	text, err := p.Format(nil, micros, z)
	if err != nil {
		return "", false, fmt.Errorf("the pattern %q cannot be used: %w", args[1], err)
	}
	return string(text), true, nil
}

// parseInstantText reads text by a pattern: zone, pattern, text.
func parseInstantText(args []string) (string, bool, error) {
	z, err := zoneOf(args[0])
	if err != nil {
		return "", false, err
	}
	p, err := patternOf(args[1])
	if err == nil {
		err = p.CanRead()
	}
	if err != nil {
		return "", false, fmt.Errorf("the pattern %q cannot be used: %s", args[1], strings.TrimPrefix(err.Error(), "the pattern cannot be used: "))
	}
	micros, ok := p.Parse([]byte(args[2]), z)
	return strconv.FormatInt(micros, 10), ok, nil
}
