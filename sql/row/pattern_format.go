package row

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Format appends an instant in a zone, written by the pattern as Java's
// DateTimeFormatter writes it in English.
func (p *TimePattern) Format(dst []byte, micros int64, z *Zone) ([]byte, error) {
	wall := z.Wall(micros)
	m := shown{at: time.UnixMicro(wall).UTC(), offset: (wall - micros) / microsPerSecond, zone: z, instant: micros}
	for _, part := range p.parts {
		if part.letter == '[' || part.letter == ']' { // what may be missing is written
			continue
		}
		if part.letter == 0 {
			dst = append(dst, part.literal...)
			continue
		}
		text, ok := m.field(part)
		if !ok {
			return nil, fmt.Errorf("the letters %s cannot be written", strings.Repeat(string(part.letter), part.count))
		}
		dst = append(dst, text...)
	}
	return dst, nil
}

// shown is a time as clocks show it.
type shown struct {
	at      time.Time // in UTC, though it is of the zone
	offset  int64     // seconds
	zone    *Zone
	instant int64
}

func (m *shown) field(p patternPart) (string, bool) {
	switch p.letter {
	case 'y', 'u', 'M', 'L', 'd', 'D', 'Q', 'q', 'E', 'F', 'G':
		return m.day(p.letter, p.count)
	case 'V', 'z', 'Z', 'X', 'x', 'O':
		return m.zoned(p.letter, p.count)
	}
	return m.clock(p.letter, p.count)
}

// padded writes a number of at least so many digits, of which there may be at
// most as many letters.
func padded(v, count, most int) (string, bool) {
	return fmt.Sprintf("%0*d", count, v), count <= most
}

func (m *shown) day(letter byte, count int) (string, bool) {
	switch letter {
	case 'y', 'u':
		return m.year(letter, count)
	case 'M', 'L':
		switch name := m.at.Month().String(); count {
		case 3:
			return name[:3], true
		case 4:
			return name, true
		}
		return padded(int(m.at.Month()), count, 2)
	case 'd':
		return padded(m.at.Day(), count, 2)
	case 'D':
		return padded(m.at.YearDay(), count, 3)
	case 'F':
		return padded((m.at.Day()-1)%7+1, count, 1)
	case 'E':
		if name := m.at.Weekday().String(); count == 4 {
			return name, true
		} else if count < 4 {
			return name[:3], true
		}
	case 'Q', 'q':
		return m.quarter(count)
	case 'G':
		era := "AD"
		if m.at.Year() < 1 {
			era = "BC"
		}
		if count == 4 {
			return map[string]string{"AD": "Anno Domini", "BC": "Before Christ"}[era], true
		}
		return era, count < 4
	}
	return "", false
}

func (m *shown) year(letter byte, count int) (string, bool) {
	year := m.at.Year()
	if letter == 'y' && year < 1 { // the year of the era
		year = 1 - year
	}
	if count == 2 {
		return fmt.Sprintf("%02d", (year%100+100)%100), true
	}
	text := fmt.Sprintf("%0*d", count, year)
	if year < 0 {
		text = fmt.Sprintf("-%0*d", count, -year)
	}
	if count >= 4 && year > 9999 {
		text = "+" + text
	}
	return text, count <= 6
}

func (m *shown) quarter(count int) (string, bool) {
	n := (int(m.at.Month()) + 2) / 3
	switch count {
	case 3:
		return "Q" + strconv.Itoa(n), true
	case 4:
		return []string{"1st", "2nd", "3rd", "4th"}[n-1] + " quarter", true
	}
	return padded(n, count, 2)
}

func (m *shown) clock(letter byte, count int) (string, bool) {
	hour := m.at.Hour()
	switch letter {
	case 'H':
		return padded(hour, count, 2)
	case 'k':
		return padded((hour+23)%24+1, count, 2)
	case 'K':
		return padded(hour%12, count, 2)
	case 'h':
		return padded((hour+11)%12+1, count, 2)
	case 'm':
		return padded(m.at.Minute(), count, 2)
	case 's':
		return padded(m.at.Second(), count, 2)
	case 'S':
		return fmt.Sprintf("%09d", m.at.Nanosecond())[:min(count, 9)], count <= 9
	case 'a':
		if hour < 12 {
			return "AM", count == 1
		}
		return "PM", count == 1
	}
	return "", false
}

func (m *shown) zoned(letter byte, count int) (string, bool) {
	switch letter {
	case 'V':
		return m.zone.Name(), count == 2
	case 'z':
		return m.zone.abbreviation(m.instant, count)
	case 'O':
		return localized(m.offset, count)
	case 'Z':
		switch count {
		case 4:
			return localized(m.offset, 4)
		case 5:
			return offsetText(m.offset, 3, "Z"), true
		}
		return offsetText(m.offset, 2, "+0000"), count < 4
	case 'X':
		return offsetText(m.offset, count, "Z"), count <= 5
	}
	zero := []string{"", "+00", "+0000", "+00:00", "+0000", "+00:00"}
	if count > 5 {
		return "", false
	}
	return offsetText(m.offset, count, zero[count]), true
}

// offsetText writes an offset: 1 +hh with minutes if there are some, 2 +hhmm, 3
// +hh:mm, 4 and 5 as 2 and 3 with seconds if there are some.
func offsetText(seconds int64, form int, zero string) string {
	if seconds == 0 || form < 4 && seconds/60 == 0 {
		return zero
	}
	sign := "+"
	if seconds < 0 {
		sign, seconds = "-", -seconds
	}
	hours, minutes, rest := seconds/3600, seconds/60%60, seconds%60
	colon := ""
	if form == 3 || form == 5 {
		colon = ":"
	}
	text := fmt.Sprintf("%s%02d", sign, hours)
	if form > 1 || minutes != 0 {
		text += fmt.Sprintf("%s%02d", colon, minutes)
	}
	if form > 3 && rest != 0 {
		text += fmt.Sprintf("%s%02d", colon, rest)
	}
	return text
}

// localized writes GMT+1, or with four letters GMT+01:00.
func localized(seconds int64, count int) (string, bool) {
	if seconds == 0 {
		return "GMT", count == 1 || count == 4
	}
	if count == 4 {
		return "GMT" + string(AppendOffset(nil, seconds)), true
	}
	sign := '+'
	if seconds < 0 {
		sign, seconds = '-', -seconds
	}
	text := fmt.Sprintf("GMT%c%d", sign, seconds/3600)
	if seconds%3600 != 0 {
		text += fmt.Sprintf(":%02d", seconds/60%60)
	}
	return text, count == 1
}

// abbreviation is the zone's short name at an instant: CET, CEST. Not every zone
// has one, and long names are not known.
func (z *Zone) abbreviation(micros int64, count int) (string, bool) {
	if z == nil {
		if count == 4 {
			return "Coordinated Universal Time", true
		}
		return "UTC", count < 4
	}
	name, _ := time.UnixMicro(micros).In(z.loc).Zone()
	return name, count < 4 && name != "" && (name[0] >= 'A' && name[0] <= 'Z') && !strings.Contains(name, "/")
}
