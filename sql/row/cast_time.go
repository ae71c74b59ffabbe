package row

import (
	"bytes"
	"fmt"
	"strings"
)

const (
	microsPerSecond = 1_000_000
	microsPerDay    = 86_400 * microsPerSecond
)

// CastDate reads text as Spark's CAST(… AS DATE): yyyy, yyyy-[m]m, yyyy-[m]m-[d]d,
// and anything after a blank or T behind that.
func CastDate(text []byte) (int64, bool) {
	if len(text) == fixedDate {
		if days, ok := parseFixedDate(text); ok {
			return days, true
		}
	}
	t := scanner{text: bytes.TrimSpace(text)}
	days, full, ok := t.date()
	if !ok {
		return 0, false
	}
	if t.done() {
		return days, true
	}
	return days, full && (t.text[t.at] == ' ' || t.text[t.at] == 'T')
}

// CastTimestamp reads text as Spark's CAST(… AS TIMESTAMP): a date as above, then
// T or a blank and [h]h:[m]m[:[s]s[.fraction]] with a zone, or in the given one.
// Digits beyond microseconds are cut.
func CastTimestamp(text []byte, z *Zone) (micros int64, ok bool) {
	wall, zone, ok := readTimestamp(text)
	switch {
	case !ok:
		return 0, false
	case zone == "":
		return z.Instant(wall), true
	}
	return zonedInstant(wall, zone)
}

// ParseInstant reads text as CastTimestamp does. Without a zone the value is what
// clocks show, and wall is true.
func ParseInstant(text string) (micros int64, wall bool, err error) {
	micros, zone, ok := readTimestamp([]byte(text))
	if ok && zone != "" {
		micros, ok = zonedInstant(micros, zone)
	}
	if !ok {
		return 0, false, fmt.Errorf("%q is not a timestamp", text)
	}
	return micros, zone == "", nil
}

// ReadWall reads text as CastTimestamp does and returns what clocks show; a zone
// behind it says nothing.
func ReadWall(text string) (micros int64, err error) {
	wall, zone, ok := readTimestamp([]byte(text))
	if ok && zone != "" {
		_, ok = zonedInstant(wall, zone)
	}
	if !ok {
		return 0, fmt.Errorf("%q is not a timestamp", text)
	}
	return wall, nil
}

// ReadDate is CastDate with an error for text that is no date.
func ReadDate(text string) (int64, error) {
	days, ok := CastDate([]byte(text))
	if !ok {
		return 0, fmt.Errorf("%q is not a date", text)
	}
	return days, nil
}

// readTimestamp reads what clocks show, and the zone behind it, "" for none.
func readTimestamp(text []byte) (wall int64, zone string, ok bool) {
	if wall, rest, ok := parseFixedTimestamp(text); ok {
		switch {
		case len(rest) == 0:
			return wall, "", true
		case len(rest) == 1 && rest[0] == 'Z':
			return wall, "Z", true
		case rest[0] == '+' || rest[0] == '-':
			return wall, string(rest), true
		}
	}
	t := scanner{text: bytes.TrimSpace(text)}
	days, full, ok := t.date()
	wall = days * microsPerDay
	if !ok || t.done() {
		return wall, "", ok
	}
	if !full || !t.take(' ') && !t.take('T') {
		return 0, "", false
	}
	if t.done() {
		return wall, "", true
	}
	clock, ok := t.clock()
	if !ok {
		return 0, "", false
	}
	wall += clock
	if t.done() {
		return wall, "", true
	}
	t.take(' ')
	zone = string(t.text[t.at:])
	return wall, zone, zone != ""
}

// scanner reads parts of a date.
type scanner struct {
	text []byte
	at   int
}

func (s *scanner) done() bool { return s.at == len(s.text) }

func (s *scanner) take(b byte) bool {
	if s.done() || s.text[s.at] != b {
		return false
	}
	s.at++
	return true
}

// digits reads a number of at least least and at most most digits.
func (s *scanner) digits(least, most int) (n int64, ok bool) {
	from := s.at
	for !s.done() && s.at-from < most && s.text[s.at] >= '0' && s.text[s.at] <= '9' {
		n = n*10 + int64(s.text[s.at]-'0')
		s.at++
	}
	return n, s.at-from >= least
}

// date reads a date; full when it has a day.
func (s *scanner) date() (days int64, full, ok bool) {
	negative := s.take('-')
	if !negative {
		s.take('+')
	}
	year, ok := s.digits(4, 6)
	if !ok {
		return 0, false, false
	}
	if negative {
		year = -year
	}
	month, day := int64(1), int64(1)
	if s.take('-') {
		if month, ok = s.digits(1, 2); !ok {
			return 0, false, false
		}
		if s.take('-') {
			full = true
			if day, ok = s.digits(1, 2); !ok {
				return 0, false, false
			}
		}
	}
	days, ok = civil(year, month, day)
	return days, full, ok
}

// civil returns the days since 1970-01-01, false when there is no such day.
func civil(year, month, day int64) (int64, bool) {
	if month < 1 || month > 12 || day < 1 || day > 31 {
		return 0, false
	}
	if day > 28 && day > monthDays(year, month) {
		return 0, false
	}
	if month <= 2 {
		year--
		month += 12
	}
	era := year / 400
	if year < 0 {
		era = (year - 399) / 400
	}
	yoe := year - era*400
	doy := (153*(month-3)+2)/5 + day - 1
	doe := yoe*365 + yoe/4 - yoe/100 + doy
	return era*146097 + doe - 719468, true
}

func monthDays(year, month int64) int64 {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

func (s *scanner) clock() (int64, bool) {
	hour, ok := s.digits(1, 2)
	if !ok || hour > 23 {
		return 0, false
	}
	if s.done() {
		return hour * 3600 * microsPerSecond, true
	}
	if !s.take(':') {
		return 0, false
	}
	minute, ok := s.digits(1, 2)
	if !ok || minute > 59 {
		return 0, false
	}
	micros := (hour*3600 + minute*60) * microsPerSecond
	if !s.take(':') {
		return micros, true
	}
	second, ok := s.digits(1, 2)
	if !ok || second > 59 {
		return 0, false
	}
	micros += second * microsPerSecond
	if s.take('.') {
		micros += s.fraction()
	}
	return micros, true
}

// fraction reads the digits of a second after the point, in microseconds.
func (s *scanner) fraction() int64 {
	unit, micros := int64(100_000), int64(0)
	for ; !s.done() && s.text[s.at] >= '0' && s.text[s.at] <= '9'; s.at++ {
		micros += int64(s.text[s.at]-'0') * unit
		unit /= 10
	}
	return micros
}

// zonedInstant returns the instant of a wall clock in a zone.
func zonedInstant(wall int64, name string) (int64, bool) {
	if name == "Z" {
		return wall, true
	}
	for _, prefix := range []string{"UTC", "GMT", "UT"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok && rest != "" {
			name = rest
		}
	}
	if offset, ok := offsetOf(name); ok {
		return wall - offset*microsPerSecond, true
	}
	z, err := ParseZone(name)
	if err != nil || name == "" {
		return 0, false
	}
	return z.Instant(wall), true
}

// offsetOf reads +h, +hh, +hh:mm, +hhmm and +hh:mm:ss as seconds.
func offsetOf(name string) (int64, bool) {
	if len(name) < 2 || name[0] != '+' && name[0] != '-' {
		return 0, false
	}
	s := scanner{text: []byte(name[1:])}
	total, unit := int64(0), int64(3600)
	for i := range 3 {
		n, ok := s.digits(1, 2)
		if !ok || i > 0 && n > 59 {
			return 0, false
		}
		total += n * unit
		unit /= 60
		if s.done() {
			break
		}
		s.take(':')
	}
	if name[0] == '-' {
		total = -total
	}
	return total, s.done() && total <= 18*3600 && total >= -18*3600
}
