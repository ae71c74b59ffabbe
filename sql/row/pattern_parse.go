package row

import (
	"strings"
	"time"
)

// moment is what a pattern has read so far.
type moment struct {
	year, month, day, hour, minute, second, micros int64
	yearDay                                        int64 // 0 for none
	half                                           int64 // 12 after PM
	zone                                           string
}

// Parse reads text by the pattern and returns microseconds since the epoch, or
// false. Text without a zone is of the given one.
func (p *TimePattern) Parse(text []byte, z *Zone) (int64, bool) {
	s := scanner{text: text}
	m := moment{year: 1970, month: 1, day: 1}
	if !m.read(&s, p.parts) || !s.done() {
		return 0, false
	}
	days, ok := m.date()
	if !ok || m.hour > 23 || m.minute > 59 || m.second > 59 {
		return 0, false
	}
	micros := days*microsPerDay + ((m.hour+m.half)*3600+m.minute*60+m.second)*microsPerSecond + m.micros
	if m.zone == "" {
		return z.Instant(micros), true
	}
	return zonedInstant(micros, m.zone)
}

func (m *moment) date() (int64, bool) {
	if m.yearDay == 0 {
		return civil(m.year, m.month, m.day)
	}
	first, ok := civil(m.year, 1, 1)
	next, _ := civil(m.year+1, 1, 1)
	return first + m.yearDay - 1, ok && first+m.yearDay <= next
}

// ParseDate reads text by the pattern and returns days since 1970-01-01, or false.
func (p *TimePattern) ParseDate(text []byte) (int64, bool) {
	micros, ok := p.Parse(text, nil)
	days, _ := floorDiv(micros, microsPerDay)
	return days, ok
}

func (m *moment) read(s *scanner, parts []patternPart) bool {
	for i := 0; i < len(parts); i++ {
		switch part := parts[i]; part.letter {
		case 0:
			if !strings.HasPrefix(string(s.text[s.at:]), part.literal) {
				return false
			}
			s.at += len(part.literal)
		case '[':
			end := closing(parts, i)
			at, before := s.at, *m
			if !m.read(s, parts[i+1:end]) {
				s.at, *m = at, before
			}
			i = end
		case ']':
		default:
			if !m.field(s, part) {
				return false
			}
		}
	}
	return true
}

func closing(parts []patternPart, open int) int {
	depth := 0
	for i := open; i < len(parts); i++ {
		switch parts[i].letter {
		case '[':
			depth++
		case ']':
			depth--
		}
		if depth == 0 {
			return i
		}
	}
	return len(parts)
}

// field reads one letter's part: exactly as many digits as there are letters,
// any number for a single letter.
func (m *moment) field(s *scanner, p patternPart) bool {
	least, most := p.count, p.count
	if p.count == 1 {
		most = 2
	}
	var ok bool
	switch p.letter {
	case 'y', 'u':
		if p.count == 2 {
			m.year, ok = s.digits(2, 2)
			m.year += 2000
			return ok
		}
		if p.count == 1 {
			most = 4
		}
		m.year, ok = s.digits(least, most)
	case 'M', 'L':
		if p.count >= 3 {
			return m.monthName(s, p.count)
		}
		m.month, ok = s.digits(least, most)
	case 'd':
		m.day, ok = s.digits(least, most)
	case 'D':
		if p.count == 1 {
			most = 3
		}
		m.yearDay, ok = s.digits(least, most)
		ok = ok && m.yearDay > 0
	default:
		return m.clock(s, p, least, most)
	}
	return ok
}

// clock reads a part of the time of day.
func (m *moment) clock(s *scanner, p patternPart, least, most int) (ok bool) {
	switch p.letter {
	case 'H':
		m.hour, ok = s.digits(least, most)
	case 'h':
		m.hour, ok = s.digits(least, most)
		ok = ok && m.hour >= 1 && m.hour <= 12
		m.hour %= 12
	case 'm':
		m.minute, ok = s.digits(least, most)
	case 's':
		m.second, ok = s.digits(least, most)
	case 'S':
		from := s.at
		m.micros = s.fraction()
		ok = s.at > from && s.at-from <= p.count
	default:
		return m.word(s, p)
	}
	return ok
}

func (m *moment) monthName(s *scanner, count int) bool {
	for month := time.January; month <= time.December; month++ {
		name := month.String()
		if count == 3 {
			name = name[:3]
		}
		if rest := s.text[s.at:]; len(rest) >= len(name) && string(rest[:len(name)]) == name {
			m.month = int64(month)
			s.at += len(name)
			return true
		}
	}
	return false
}

// word reads what is not a number: AM and PM, the day of the week, the zone.
func (m *moment) word(s *scanner, p patternPart) bool {
	from := s.at
	for !s.done() && s.text[s.at] != ' ' && s.text[s.at] != ',' && s.text[s.at] != ']' && s.text[s.at] != ')' {
		s.at++
	}
	word := string(s.text[from:s.at])
	switch p.letter {
	case 'a':
		if strings.EqualFold(word, "PM") {
			m.half = 12
			return true
		}
		return strings.EqualFold(word, "AM")
	case 'E':
		for day := time.Sunday; day <= time.Saturday; day++ {
			if name := day.String(); word == name || word == name[:3] {
				return true
			}
		}
		return false
	}
	m.zone = word
	return word != ""
}
