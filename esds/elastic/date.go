package elastic

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/eslake/eslake/sql/row"
)

// dateFormat is the format of a date field: the forms that it takes, tried in
// their order, and of which the first is written.
type dateFormat []dateForm

type dateForm struct {
	kind    dateKind
	pattern []dateToken // of datePattern
}

type dateKind uint8

const (
	dateISO     dateKind = iota // strict_date_optional_time and what it covers
	dateMillis                  // epoch_millis
	dateSeconds                 // epoch_second
	datePattern                 // a pattern of java.time
)

// dateToken is a run of one letter, or text that stands for itself.
type dateToken struct {
	letter byte // 0 for text
	width  int
	text   string
}

// defaultFormat is what a date field has that names no format.
var defaultFormat = dateFormat{{kind: dateISO}, {kind: dateMillis}}

var namedPatterns = map[string]string{
	"basic_date": "yyyyMMdd", "basic_date_time": "yyyyMMdd'T'HHmmss.SSSXX", "basic_date_time_no_millis": "yyyyMMdd'T'HHmmssXX",
	"year_month": "yyyy-MM", "year": "yyyy", "hour_minute_second": "", "basic_ordinal_date": "", "week_date": "", "weekyear": "",
}

// parseDateFormat reads the format of a mapping. It is false when a form is not
// known; the server must then be asked to print the dates.
func parseDateFormat(format string) (dateFormat, bool) {
	if format == "" {
		return defaultFormat, true
	}
	var forms dateFormat
	for _, name := range strings.Split(format, "||") {
		name = strings.TrimPrefix(strings.TrimSpace(name), "8")
		form, ok := parseDateForm(strings.TrimPrefix(name, "strict_"), name)
		if !ok {
			return nil, false
		}
		forms = append(forms, form)
	}
	return forms, true
}

func parseDateForm(name, full string) (dateForm, bool) {
	switch name {
	case "epoch_millis":
		return dateForm{kind: dateMillis}, true
	case "epoch_second":
		return dateForm{kind: dateSeconds}, true
	case "date_optional_time", "date_optional_time_nanos", "dateOptionalTime", "date", "year_month_day", "date_time", "date_time_no_millis",
		"date_hour_minute_second", "date_hour_minute_second_millis", "date_hour_minute_second_fraction", "date_hour_minute":
		return dateForm{kind: dateISO}, true
	}
	pattern, named := namedPatterns[name]
	if !named {
		pattern = full
	}
	tokens, ok := parsePattern(pattern)
	return dateForm{kind: datePattern, pattern: tokens}, ok
}

// parsePattern reads a pattern of numbers, as java.time spells them. Names of
// months, optional parts and the like are not known.
func parsePattern(pattern string) ([]dateToken, bool) {
	var tokens []dateToken
	letters := 0
	for i := 0; i < len(pattern); {
		c := pattern[i]
		switch {
		case c == '\'':
			end := strings.IndexByte(pattern[i+1:], '\'')
			if end < 0 {
				return nil, false
			}
			text := pattern[i+1 : i+1+end]
			if text == "" {
				text = "'"
			}
			tokens = append(tokens, dateToken{text: text})
			i += end + 2
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			width := 1
			for i+width < len(pattern) && pattern[i+width] == c {
				width++
			}
			if !knownLetter(c, width) {
				return nil, false
			}
			tokens = append(tokens, dateToken{letter: c, width: width})
			letters++
			i += width
		case strings.IndexByte("[]{}#", c) >= 0:
			return nil, false
		default:
			tokens = append(tokens, dateToken{text: string(c)})
			i++
		}
	}
	return tokens, letters > 0
}

func knownLetter(c byte, width int) bool {
	switch c {
	case 'y', 'u':
		return width == 4
	case 'M', 'd', 'H', 'm', 's':
		return width <= 2
	case 'S':
		return width <= 9
	case 'X', 'x', 'Z':
		return width <= 3
	}
	return false
}

// parse reads a date as microseconds since the epoch. Text without a zone is
// UTC, finer digits are cut.
func (f dateFormat) parse(text []byte) (int64, error) {
	for _, form := range f {
		if micros, ok := form.parse(text); ok {
			return micros, nil
		}
	}
	return 0, fmt.Errorf("%q is not a date of the field's format", text)
}

func (f dateForm) parse(text []byte) (int64, bool) {
	switch f.kind {
	case dateMillis:
		return parseEpoch(text, 3)
	case dateSeconds:
		return parseEpoch(text, 6)
	case datePattern:
		return parseByPattern(f.pattern, text)
	}
	return parseISO(text)
}

// parseEpoch reads a number of which a unit is 10^digits microseconds.
func parseEpoch(text []byte, digits int) (int64, bool) {
	whole, fraction, dotted := strings.Cut(string(text), ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	unit := int64(1)
	for range digits {
		unit *= 10
	}
	if err != nil || n > 1<<62/unit || n < -1<<62/unit {
		return 0, false
	}
	n *= unit
	if !dotted {
		return n, true
	}
	part, ok := digitsOf([]byte(fraction))
	if !ok {
		return 0, false
	}
	for i := len(fraction); i < digits; i++ {
		part *= 10
	}
	for i := digits; i < len(fraction); i++ {
		part /= 10
	}
	if strings.HasPrefix(whole, "-") {
		return n - part, true
	}
	return n + part, true
}

func digitsOf(b []byte) (int64, bool) {
	n := int64(0)
	if len(b) == 0 || len(b) > 18 {
		return 0, false
	}
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}

func parseByPattern(tokens []dateToken, b []byte) (int64, bool) {
	c := clock{year: 1970, month: 1, day: 1}
	for _, t := range tokens {
		if t.letter == 0 {
			if !strings.HasPrefix(string(b), t.text) {
				return 0, false
			}
			b = b[len(t.text):]
			continue
		}
		var ok bool
		if b, ok = c.take(t, b); !ok {
			return 0, false
		}
	}
	if len(b) > 0 {
		return 0, false
	}
	return c.instant()
}

// take reads the digits of one letter. A width of one takes one digit or two.
func (c *clock) take(t dateToken, b []byte) ([]byte, bool) {
	if t.letter == 'X' || t.letter == 'x' || t.letter == 'Z' {
		if len(b) == 0 {
			return b, false
		}
		return c.zone(b, true)
	}
	width := t.width
	if width == 1 && t.letter != 'S' && len(b) > 1 && b[1] >= '0' && b[1] <= '9' {
		width = 2
	}
	if len(b) < width {
		return b, false
	}
	if t.letter == 'S' {
		rest := c.fraction(append([]byte{'.'}, b[:width]...))
		return b[width:], len(rest) == 0
	}
	part := map[byte]*int64{'y': &c.year, 'u': &c.year, 'M': &c.month, 'd': &c.day, 'H': &c.hour, 'm': &c.minute, 's': &c.second}[t.letter]
	return b[width:], number(b[:width], part)
}

// append writes an instant as JSON in the field's format: as ISO where that is
// taken, else in the first form. A date is written without a time.
func (f dateFormat) append(dst []byte, micros int64, k row.Kind) []byte {
	form := f.written()
	switch form.kind {
	case dateMillis:
		return strconv.AppendInt(dst, floorDiv(micros, 1000), 10)
	case dateSeconds:
		return strconv.AppendInt(dst, floorDiv(micros, 1_000_000), 10)
	case datePattern:
		return append(appendByPattern(append(dst, '"'), form.pattern, micros), '"')
	}
	dst = append(dst, '"')
	switch k {
	case row.Date:
		dst = row.AppendDate(dst, floorDiv(micros, 86_400_000_000))
	case row.TimestampNTZ:
		dst = row.AppendTimestamp(dst, micros, 'T')
	default:
		dst = append(row.AppendTimestamp(dst, micros, 'T'), 'Z')
	}
	return append(dst, '"')
}

// written returns the form that dates are written in.
func (f dateFormat) written() dateForm {
	form := f[0]
	for _, other := range f {
		if other.kind == dateISO {
			form = other
		}
	}
	return form
}

func appendByPattern(dst []byte, tokens []dateToken, micros int64) []byte {
	text := string(row.AppendTimestamp(nil, micros-floorMod(micros, 1_000_000), 'T')) // 2006-01-02T15:04:05
	text = text[len(text)-19:]
	fraction := fmt.Sprintf("%06d000", floorMod(micros, 1_000_000))
	parts := map[byte]string{
		'y': text[0:4], 'u': text[0:4], 'M': text[5:7], 'd': text[8:10], 'H': text[11:13], 'm': text[14:16], 's': text[17:19],
	}
	for _, t := range tokens {
		switch t.letter {
		case 0:
			dst = append(dst, t.text...)
		case 'S':
			dst = append(dst, fraction[:t.width]...)
		case 'X':
			dst = append(dst, 'Z')
		case 'x', 'Z':
			dst = append(dst, map[int]string{1: "+00", 2: "+0000", 3: "+00:00"}[t.width]...)
		default:
			part := parts[t.letter]
			if t.width == 1 {
				part = strings.TrimPrefix(part, "0")
			}
			dst = append(dst, part...)
		}
	}
	return dst
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func floorMod(a, b int64) int64 { return a - floorDiv(a, b)*b }
