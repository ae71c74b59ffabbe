package elastic

import (
	"github.com/eslake/eslake/sql/row"
)

// clock is a date and a time in parts.
type clock struct {
	year, month, day, hour, minute, second, micros int64
	offset                                         int64 // seconds east of UTC
}

var monthDays = [...]int64{31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

func (c clock) instant() (int64, bool) {
	if c.month < 1 || c.month > 12 || c.day < 1 || c.day > monthDays[c.month-1] || c.hour > 23 || c.minute > 59 || c.second > 59 {
		return 0, false
	}
	if c.month == 2 && c.day == 29 && (c.year%4 != 0 || c.year%100 == 0 && c.year%400 != 0) {
		return 0, false
	}
	secs := civilDays(c.year, c.month, c.day)*86400 + c.hour*3600 + c.minute*60 + c.second - c.offset
	return secs*1_000_000 + c.micros, true
}

// civilDays is Howard Hinnant's days_from_civil.
func civilDays(y, m, d int64) int64 {
	if m <= 2 {
		y--
	}
	era := y / 400
	if y < 0 {
		era = (y - 399) / 400
	}
	yoe := y - era*400
	doy := (153*((m+9)%12)+2)/5 + d - 1
	doe := yoe*365 + yoe/4 - yoe/100 + doy
	return era*146097 + doe - 719468
}

// parseISO reads 2006-01-02, with a time and a zone or without, quickly; rarer
// forms go to row.ParseTimestamp.
func parseISO(b []byte) (int64, bool) {
	c := clock{}
	if len(b) < 10 || b[4] != '-' || b[7] != '-' {
		return parseRareISO(b)
	}
	ok := number(b[0:4], &c.year) && number(b[5:7], &c.month) && number(b[8:10], &c.day)
	rest := b[10:]
	if ok && len(rest) >= 9 && (rest[0] == 'T' || rest[0] == ' ') && rest[3] == ':' && rest[6] == ':' {
		ok = number(rest[1:3], &c.hour) && number(rest[4:6], &c.minute) && number(rest[7:9], &c.second)
		rest = c.fraction(rest[9:])
		rest, ok = c.zone(rest, ok)
	}
	if !ok || len(rest) > 0 {
		return parseRareISO(b)
	}
	return c.instant()
}

func parseRareISO(b []byte) (int64, bool) {
	if len(b) > 4 && b[4] != '-' { // digits are a year when there are four of them
		return 0, false
	}
	micros, err := row.ParseTimestamp(string(b))
	return micros, err == nil
}

func number(b []byte, dst *int64) bool {
	n, ok := digitsOf(b)
	*dst = n
	return ok
}

// fraction takes .123456789, of which six digits count.
func (c *clock) fraction(b []byte) []byte {
	if len(b) == 0 || b[0] != '.' && b[0] != ',' {
		return b
	}
	i, unit := 1, int64(100_000)
	for ; i < len(b) && b[i] >= '0' && b[i] <= '9'; i++ {
		c.micros += int64(b[i]-'0') * unit
		unit /= 10
	}
	return b[i:]
}

// zone takes Z, +01, +0100 or +01:00; nothing is UTC.
func (c *clock) zone(b []byte, ok bool) ([]byte, bool) {
	if len(b) == 0 || !ok {
		return b, ok
	}
	if b[0] == 'Z' {
		return b[1:], true
	}
	if b[0] != '+' && b[0] != '-' || len(b) < 3 {
		return b, false
	}
	var hours, minutes int64
	ok, used := number(b[1:3], &hours), 3
	if rest := b[3:]; len(rest) >= 3 && rest[0] == ':' {
		ok = ok && number(rest[1:3], &minutes)
		used = 6
	} else if len(rest) >= 2 {
		ok = ok && number(rest[:2], &minutes)
		used = 5
	}
	c.offset = hours*3600 + minutes*60
	if b[0] == '-' {
		c.offset = -c.offset
	}
	return b[used:], ok
}
