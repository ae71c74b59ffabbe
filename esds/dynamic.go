package esds

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// DynamicName is the name of an index that each row completes: logs-{app} or
// logs-{at|yyyy.MM.dd}.
type DynamicName struct{ Parts []NamePart }

// NamePart is text that stands for itself, or a field of the row.
type NamePart struct {
	Text   string
	Field  string // "" for Text
	Format string // of a date, as Java's SimpleDateFormat writes it; "" for the value as text
	layout []dateLetters
}

// Dynamic reports whether a resource is the name of an index that each row
// completes.
func Dynamic(resource string) bool { return strings.ContainsAny(resource, "{}") }

// ParseDynamicName reads such a name.
func ParseDynamicName(name string) (DynamicName, error) {
	var d DynamicName
	for rest := name; rest != ""; {
		before, after, open := strings.Cut(rest, "{")
		if strings.Contains(before, "}") {
			return d, errors.New("has a } without a {")
		}
		if before != "" {
			d.Parts = append(d.Parts, NamePart{Text: before})
		}
		if !open {
			break
		}
		inner, next, closed := strings.Cut(after, "}")
		if !closed {
			return d, errors.New("has a { without a }")
		}
		field, format, _ := strings.Cut(inner, "|")
		part := NamePart{Field: strings.TrimSpace(field), Format: strings.TrimPrefix(format, "date:")}
		if part.Field == "" {
			return d, errors.New("has no column between { and }")
		}
		var err error
		if part.layout, err = parseLetters(part.Format); err != nil {
			return d, err
		}
		d.Parts = append(d.Parts, part)
		rest = next
	}
	return d, nil
}

// AppendTime appends a time, microseconds since the epoch, as the part's format
// has it in UTC.
func (p NamePart) AppendTime(dst []byte, micros int64) []byte {
	t := time.UnixMicro(micros).UTC()
	for _, x := range p.layout {
		dst = x.append(dst, t)
	}
	return dst
}

// CheckIndexName returns why no index can have a name, nil when one can.
func CheckIndexName(name string) error {
	if name == "" || name == "." || name == ".." {
		return errors.New("the name of an index must not be empty, a dot or two")
	}
	reason, _ := checkWritten(name)
	switch {
	case reason == "" && strings.ContainsAny(name, " ,/\t\r\n"):
		reason = "the name of an index must not hold a blank, a comma or a slash"
	}
	if reason == "" {
		return nil
	}
	return errors.New(reason)
}

// dateLetters is a run of one letter of a date format, or text.
type dateLetters struct {
	letter byte // 0 for text
	width  int
	text   string
}

func parseLetters(format string) ([]dateLetters, error) {
	var all []dateLetters
	for i := 0; i < len(format); {
		c := format[i]
		if c == '\'' {
			end := strings.IndexByte(format[i+1:], '\'')
			if end < 0 {
				return nil, fmt.Errorf("has a date format with an open quote: %s", format)
			}
			all = append(all, dateLetters{text: format[i+1 : i+1+end]})
			i += end + 2
			continue
		}
		if c < 'A' || c > 'z' || c > 'Z' && c < 'a' {
			all = append(all, dateLetters{text: string(c)})
			i++
			continue
		}
		width := 1
		for i+width < len(format) && format[i+width] == c {
			width++
		}
		if !strings.ContainsRune("yYuMdDHmsSw", rune(c)) || c == 'M' && width > 2 {
			return nil, fmt.Errorf("has a date format with %s, which is not known; there are yyyy, MM, dd, HH, mm, ss, SSS, DDD and ww", format[i:i+width])
		}
		all = append(all, dateLetters{letter: c, width: width})
		i += width
	}
	return all, nil
}

func (x dateLetters) append(dst []byte, t time.Time) []byte {
	n := 0
	switch x.letter {
	case 0:
		return append(dst, x.text...)
	case 'y', 'u', 'Y':
		n = t.Year()
		if x.letter == 'Y' {
			n, _ = t.ISOWeek()
		}
		if x.width == 2 {
			n %= 100
		}
	case 'M':
		n = int(t.Month())
	case 'd':
		n = t.Day()
	case 'D':
		n = t.YearDay()
	case 'H':
		n = t.Hour()
	case 'm':
		n = t.Minute()
	case 's':
		n = t.Second()
	case 'S':
		n = t.Nanosecond() / 1_000_000
	case 'w':
		_, n = t.ISOWeek()
	}
	return fmt.Appendf(dst, "%0*d", x.width, n)
}
