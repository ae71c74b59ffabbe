package duck

import (
	"bytes"
	"fmt"
	"strings"
	"time"
)

const (
	microsPerSecond = 1_000_000
	microsPerDay    = 86_400 * microsPerSecond
)

func floorDays(micros int64) int64 {
	d := micros / microsPerDay
	if micros%microsPerDay < 0 {
		d--
	}
	return d
}

// castDate reads text as Spark's CAST(… AS DATE): yyyy, yyyy-[m]m, yyyy-[m]m-[d]d,
// and anything after a blank or T behind that.
func castDate(text []byte) (int64, bool) {
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

// castTimestamp reads text as Spark's CAST(… AS TIMESTAMP): a date as above, then
// T or a blank and [h]h:[m]m[:[s]s[.fraction]] with a zone or none, which is UTC.
// Digits beyond microseconds are cut.
func castTimestamp(text []byte) (int64, bool) {
	if micros, ok := parseFixedTimestamp(text); ok {
		return micros, true
	}
	t := scanner{text: bytes.TrimSpace(text)}
	days, full, ok := t.date()
	micros := days * microsPerDay
	if !ok || t.done() {
		return micros, ok
	}
	if !full || !t.take(' ') && !t.take('T') {
		return 0, false
	}
	if t.done() {
		return micros, true
	}
	clock, ok := t.clock()
	if !ok {
		return 0, false
	}
	micros += clock
	if t.done() {
		return micros, true
	}
	return t.zoned(micros)
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
	if !ok || hour > 23 || !s.take(':') {
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

// zoned reads the zone at the end and returns the instant of a wall clock there.
func (s *scanner) zoned(micros int64) (int64, bool) {
	s.take(' ')
	name := string(s.text[s.at:])
	if name == "Z" || name == "UTC" || name == "GMT" {
		return micros, true
	}
	for _, prefix := range []string{"UTC", "GMT", "UT"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok && rest != "" {
			name = rest
		}
	}
	if offset, ok := offsetOf(name); ok {
		return micros - offset*microsPerSecond, true
	}
	zone, err := time.LoadLocation(name)
	if err != nil || name == "" || name == "Local" {
		return 0, false
	}
	wall := time.UnixMicro(micros).UTC()
	there := time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(), wall.Second(), wall.Nanosecond(), zone)
	return there.UnixMicro(), true
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

// timePattern is a pattern of Java's DateTimeFormatter.
type timePattern struct{ parts []patternPart }

type patternPart struct {
	letter  byte // 0 for text
	count   int
	literal string
}

// newTimePattern reads a pattern; nil when it is the usual one.
func newTimePattern(pattern, usual string) (*timePattern, error) {
	if pattern == "" || pattern == usual {
		return nil, nil
	}
	p := &timePattern{}
	for i := 0; i < len(pattern); {
		c := pattern[i]
		switch {
		case c == '\'':
			text, n, err := quotedText(pattern[i:])
			if err != nil {
				return nil, fmt.Errorf("%q: %w", pattern, err)
			}
			p.parts = append(p.parts, patternPart{literal: text})
			i += n
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			n := runOf(pattern[i:])
			if !strings.ContainsRune("yuMLdHhmsSaXxZzE", rune(c)) {
				return nil, fmt.Errorf("%q: the letter %c is not supported in patterns of dates", pattern, c)
			}
			p.parts = append(p.parts, patternPart{letter: c, count: n})
			i += n
		case c == '[' || c == ']':
			p.parts = append(p.parts, patternPart{letter: c})
			i++
		default:
			p.parts = append(p.parts, patternPart{literal: string(c)})
			i++
		}
	}
	return p, nil
}

// runOf counts how often the first letter stands in a row.
func runOf(s string) int {
	return len(s) - len(strings.TrimLeft(s, s[:1]))
}

func quotedText(s string) (text string, n int, err error) {
	if strings.HasPrefix(s, "''") {
		return "'", 2, nil
	}
	end := strings.IndexByte(s[1:], '\'')
	if end < 0 {
		return "", 0, fmt.Errorf("a quote is not closed")
	}
	return s[1 : end+1], end + 2, nil
}
