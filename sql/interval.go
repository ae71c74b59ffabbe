package sql

import (
	"math"
	"strconv"
	"strings"

	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/lex"
	"github.com/eslake/eslake/sql/row"
)

// unit is one unit of an interval.
type unit struct {
	months, days int64
	micros       int64
	rank         int // in the order of X TO Y, from the largest
}

const second = 1_000_000

var units = map[string]unit{
	"YEAR": {months: 12, rank: 0}, "MONTH": {months: 1, rank: 1}, "WEEK": {days: 7, rank: -1}, "DAY": {days: 1, rank: 2},
	"HOUR": {micros: 3600 * second, rank: 3}, "MINUTE": {micros: 60 * second, rank: 4}, "SECOND": {micros: second, rank: 5},
	"MILLISECOND": {micros: 1000, rank: -1}, "MICROSECOND": {micros: 1, rank: -1},
}

// unitOf returns the unit of a word: DAY, days.
func unitOf(word string) (unit, bool) {
	word = strings.ToUpper(word)
	u, ok := units[strings.TrimSuffix(word, "S")]
	return u, ok
}

// place is the unit of the interval type that holds values of u.
func (u unit) place() int {
	switch {
	case u.rank >= 0:
		return u.rank + row.YearUnit
	case u.days > 0:
		return row.DayUnit
	}
	return row.SecondUnit
}

// intervalType is INTERVAL first TO last; IntervalType where months and days meet.
func intervalType(first, last int) row.Type {
	if first > last || first <= row.MonthUnit && last > row.MonthUnit {
		return row.IntervalType
	}
	return row.IntervalOf(first, last)
}

// intervalAt reports whether an interval's first value is n tokens on.
func (p *parser) intervalAt(n int) bool {
	if p.at(n).Is("-") || p.at(n).Is("+") {
		n++
	}
	t := p.at(n)
	return t.IsString() || t.Kind == lex.Number && p.at(n+1).Kind == lex.Word
}

// interval reads INTERVAL 1 DAY, INTERVAL '2' HOUR, INTERVAL 1 YEAR 2 MONTHS,
// INTERVAL '1 02:03:04' DAY TO SECOND, INTERVAL '1 day 2 hours'.
func (p *parser) interval() *expr.Literal {
	from := p.i
	p.next()
	var total expr.Interval
	var texts []string
	ok := true
	first, last := row.SecondUnit+1, 0
	for begin := true; p.err == nil && (begin || p.intervalAt(0) && !p.isAny("-", "+")); begin = false {
		start := p.i
		value := p.intervalValue()
		_, isUnit := unitOf(p.peek().Text)
		switch {
		case p.peek().Kind == lex.Word && isUnit:
			name := p.next().Text
			if p.is("TO") {
				p.next()
				ok = ok && addRange(&total, value, name, p.name("a unit of time").Name)
			} else {
				ok = ok && addUnit(&total, value, name)
			}
		case begin && p.toks[p.i-1].IsString() && addPhrase(&total, value):
		default:
			for _, name := range []string{"YEAR", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND"} {
				p.wanted(name)
			}
			p.unexpected()
		}
		texts = append(texts, p.spelling(start, p.i))
		first, last = p.unitsWithin(start, first, last)
	}
	l := &expr.Literal{Node: expr.Node{At: p.since(from), T: intervalType(first, last)}}
	if ok && first <= row.MonthUnit && last > row.MonthUnit {
		p.fail(lex.CodeLiteral, l.At, "an interval has years and months, or days and parts of them, not both", "add two intervals, or use make_interval(years, months, weeks, days, hours, minutes, seconds)")
	}
	if !ok {
		p.fail(lex.CodeLiteral, l.At, "this is not an interval", "write it as INTERVAL 1 DAY, INTERVAL '1-2' YEAR TO MONTH or INTERVAL '1 02:03:04' DAY TO SECOND")
	}
	total.Text = strings.Join(texts, " ")
	l.Value = total
	return l
}

// unitsWithin widens a range of units by those of the tokens from start on.
func (p *parser) unitsWithin(start, first, last int) (int, int) {
	for _, t := range p.toks[start:p.i] {
		for _, word := range strings.Fields(t.Value()) {
			if u, ok := unitOf(word); ok {
				first, last = min(first, u.place()), max(last, u.place())
			}
		}
	}
	return first, last
}

// intervalValue reads a number or string with its sign.
func (p *parser) intervalValue() string {
	sign := ""
	if p.isAny("-", "+") {
		sign = strings.TrimPrefix(p.next().Text, "+")
	}
	t := p.next()
	value := strings.TrimSpace(t.Value())
	if sign == "-" && strings.HasPrefix(value, "-") {
		return value[1:]
	}
	return sign + value
}

// spelling writes tokens as the user did, in one line.
func (p *parser) spelling(from, to int) string {
	var b strings.Builder
	for i := from; i < min(to, len(p.toks)); i++ {
		t := p.toks[i]
		sign := i > from && (p.toks[i-1].Is("-") || p.toks[i-1].Is("+"))
		if i > from && !sign {
			b.WriteByte(' ')
		}
		switch {
		case t.IsString():
			b.WriteString(lex.QuoteString(t.Value()))
		case t.Kind == lex.Word:
			b.WriteString(strings.ToUpper(t.Text))
		default:
			b.WriteString(t.Text)
		}
	}
	return b.String()
}

// addUnit adds value units; only seconds take a fraction.
func addUnit(v *expr.Interval, value, name string) bool {
	u, ok := unitOf(name)
	if !ok {
		return false
	}
	whole, fraction, point := strings.Cut(value, ".")
	if point && u.micros == 0 {
		return false
	}
	n, err := strconv.ParseInt(whole, 10, 64)
	if bare := point && strings.Trim(whole, "-") == ""; err != nil && !bare {
		return false
	}
	micros, ok := product(n, u.micros)
	if point {
		part, ok := fractionOf(fraction, u.micros)
		if !ok {
			return false
		}
		if strings.HasPrefix(value, "-") {
			part = -part
		}
		micros += part
	}
	months, ok1 := product(n, u.months)
	days, ok2 := product(n, u.days)
	return ok && ok1 && ok2 && add32(&v.Months, months) && add32(&v.Days, days) && add64(&v.Micros, micros)
}

// fractionOf returns the digits behind a point as a part of unit micros.
func fractionOf(digits string, micros int64) (int64, bool) {
	if len(digits) > 9 || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt((digits + "000000000")[:9], 10, 64)
	return n / 1000 * micros / second, err == nil && (micros <= second)
}

func product(a, b int64) (int64, bool) {
	if a == 0 || b == 0 {
		return 0, true
	}
	c := a * b
	return c, c/b == a
}

func add32(to *int32, n int64) bool {
	sum := int64(*to) + n
	*to = int32(sum)
	return sum >= math.MinInt32 && sum <= math.MaxInt32
}

func add64(to *int64, n int64) bool {
	sum := *to + n
	ok := (sum > *to) == (n > 0) || n == 0
	*to = sum
	return ok
}

// addRange adds '1-2' YEAR TO MONTH, '1 02:03:04.5' DAY TO SECOND and the parts
// of that between two units.
func addRange(v *expr.Interval, value, from, to string) bool {
	a, ok1 := unitOf(from)
	b, ok2 := unitOf(to)
	if !ok1 || !ok2 || a.rank < 0 || b.rank <= a.rank || (a.rank < 2) != (b.rank < 2) {
		return false
	}
	sign := ""
	if strings.HasPrefix(value, "-") {
		sign, value = "-", value[1:]
	}
	parts := strings.FieldsFunc(value, func(r rune) bool { return r == ' ' || r == ':' || r == '-' })
	if len(parts) != b.rank-a.rank+1 {
		return false
	}
	names := []string{"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"}
	for i, part := range parts {
		if part[0] < '0' || part[0] > '9' || !addUnit(v, sign+part, names[a.rank+i]) {
			return false
		}
	}
	return true
}

// addPhrase adds the text of INTERVAL '1 day 2 hours'.
func addPhrase(v *expr.Interval, text string) bool {
	words := strings.Fields(text)
	if len(words) > 0 && strings.EqualFold(words[0], "interval") {
		words = words[1:]
	}
	for i := 0; i+1 < len(words); i += 2 {
		if !addUnit(v, words[i], words[i+1]) {
			return false
		}
	}
	return len(words) > 0 && len(words)%2 == 0
}
