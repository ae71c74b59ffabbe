package duck

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/eslake/eslake/esds/duckdb"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// datePiece is a part of a Java date pattern: a letter so many times, or text.
type datePiece struct {
	letter byte // 0 for text
	count  int
	text   string
}

func datePieces(pattern string) ([]datePiece, error) {
	var pieces []datePiece
	text := func(t string) {
		if n := len(pieces); n > 0 && pieces[n-1].letter == 0 {
			pieces[n-1].text += t
			return
		}
		pieces = append(pieces, datePiece{text: t})
	}
	for i := 0; i < len(pattern); {
		c := pattern[i]
		switch {
		case c == '\'' && strings.HasPrefix(pattern[i:], "''"):
			text("'")
			i += 2
		case c == '\'':
			end := strings.IndexByte(pattern[i+1:], '\'')
			if end < 0 {
				return nil, fmt.Errorf("a quote is not closed")
			}
			text(pattern[i+1 : i+1+end])
			i += end + 2
		case c|0x20 >= 'a' && c|0x20 <= 'z':
			n := 1
			for i+n < len(pattern) && pattern[i+n] == c {
				n++
			}
			pieces = append(pieces, datePiece{letter: c, count: n})
			i += n
		case strings.IndexByte("[]{}#", c) >= 0:
			return nil, fmt.Errorf("%q is not supported", string(c))
		default:
			text(string(c))
			i++
		}
	}
	return pieces, nil
}

// formats are what a letter, so many times, writes: a directive of strftime, or
// with = an expression over $.
var formats = map[string]string{
	"y": "%Y", "yy": "%y", "yyyy": "%Y", "u": "%Y", "uu": "%y", "uuuu": "%Y", "M": "%-m", "MM": "%m", "MMM": "%b", "MMMM": "%B",
	"L": "%-m", "LL": "%m", "LLL": "%b", "LLLL": "%B", "d": "%-d", "dd": "%d", "D": "%-j", "DDD": "%j", "H": "%-H", "HH": "%H",
	"h": "%-I", "hh": "%I", "m": "%-M", "mm": "%M", "s": "%-S", "ss": "%S", "a": "%p", "E": "%a", "EE": "%a", "EEE": "%a", "EEEE": "%A",
	"SSS": "%g", "SSSSSS": "%f", "z": "UTC", "zz": "UTC", "zzz": "UTC", "zzzz": "Coordinated Universal Time", "VV": "UTC", "Z": "+0000", "ZZ": "+0000", "ZZZ": "+0000",
	"ZZZZ": "GMT", "ZZZZZ": "Z", "X": "Z", "XX": "Z", "XXX": "Z", "x": "+00", "xx": "+0000", "xxx": "+00:00", "O": "GMT", "OOOO": "GMT", "G": "AD", "GG": "AD", "GGG": "AD",
	"Q": "=CAST(quarter($) AS VARCHAR)", "QQ": "='0' || quarter($)", "q": "=CAST(quarter($) AS VARCHAR)", "qq": "='0' || quarter($)",
	"QQQ": "='Q' || quarter($)", "qqq": "='Q' || quarter($)", "QQQQ": "=['1st', '2nd', '3rd', '4th'][quarter($)] || ' quarter'",
	"yyy": "=lpad(CAST(year($) AS VARCHAR), greatest(3, length(CAST(year($) AS VARCHAR))), '0')", "F": "=CAST((day($) - 1) % 7 + 1 AS VARCHAR)",
	"k": "=CAST(CASE hour($) WHEN 0 THEN 24 ELSE hour($) END AS VARCHAR)", "kk": "=lpad(CAST(CASE hour($) WHEN 0 THEN 24 ELSE hour($) END AS VARCHAR), 2, '0')",
	"K": "=CAST(hour($) % 12 AS VARCHAR)", "KK": "=lpad(CAST(hour($) % 12 AS VARCHAR), 2, '0')", "DD": "=lpad(CAST(dayofyear($) AS VARCHAR), 2, '0')",
}

// dateFormat writes a time by a constant pattern.
func (s *speller) dateFormat(x string, pattern expr.Expr) string {
	text, ok := expr.ConstantText(pattern)
	if !ok {
		return s.formatted(x, s.expr(pattern))
	}
	pieces, err := datePieces(text)
	if err != nil {
		return s.fail(pattern, codeUnserved, "the pattern %q cannot be used: %s", text, err)
	}
	if s.zone != nil {
		if p, err := row.NewTimePattern(text, ""); err != nil || p != nil && p.HasZone() {
			return s.formatted(x, QuoteText(text))
		}
		x = s.wall(x)
	}
	var parts []string
	directive := ""
	flush := func() {
		if directive != "" {
			parts = append(parts, "strftime("+x+", "+QuoteText(directive)+")")
		}
		directive = ""
	}
	for _, p := range pieces {
		f, ok := p.format()
		switch {
		case !ok:
			return s.fail(pattern, codeUnserved, "the pattern %q cannot be used: letter %s", text, strings.Repeat(string(p.letter), p.count))
		case strings.HasPrefix(f, "="):
			flush()
			parts = append(parts, strings.ReplaceAll(f[1:], "$", x))
		default:
			directive += f
		}
	}
	flush()
	switch len(parts) {
	case 0:
		return "CASE WHEN " + x + " IS NOT NULL THEN '' END"
	case 1:
		return parts[0]
	}
	return "(" + strings.Join(parts, " || ") + ")"
}

// formatted writes an instant by a pattern that is known when the query runs.
func (s *speller) formatted(x, pattern string) string {
	return duckdb.TextSQL("date_format", QuoteText(s.zone.Name()), pattern, "CAST(epoch_us("+x+") AS VARCHAR)")
}

// readBy reads text by such a pattern.
func (s *speller) readBy(x, pattern string) string {
	return "make_timestamp(CAST(" + duckdb.TextSQL("to_timestamp", QuoteText(s.zone.Name()), pattern, x) + " AS BIGINT))"
}

func (p datePiece) format() (string, bool) {
	if p.letter == 0 {
		return strings.ReplaceAll(p.text, "%", "%%"), true
	}
	if f, ok := formats[strings.Repeat(string(p.letter), p.count)]; ok {
		return f, true
	}
	if p.letter == 'S' && p.count <= 9 {
		return fmt.Sprintf("=left(strftime($, '%%n'), %d)", p.count), true
	}
	return "", false
}

// parse is how a letter is read: by a directive of strptime, from text that a
// regular expression describes.
var parses = map[string][2]string{
	"y": {"%Y", `\d{4}`}, "yyyy": {"%Y", `\d{4}`}, "u": {"%Y", `\d{4}`}, "uuuu": {"%Y", `\d{4}`}, "yy": {"%y", `\d{2}`}, "uu": {"%y", `\d{2}`},
	"M": {"%m", `\d{1,2}`}, "MM": {"%m", `\d{2}`}, "MMM": {"%b", `[A-Z][a-z]{2}`}, "MMMM": {"%B", `[A-Z][a-z]+`},
	"L": {"%m", `\d{1,2}`}, "LL": {"%m", `\d{2}`}, "d": {"%d", `\d{1,2}`}, "dd": {"%d", `\d{2}`}, "D": {"%j", `\d{1,3}`}, "DDD": {"%j", `\d{3}`},
	"H": {"%H", `\d{1,2}`}, "HH": {"%H", `\d{2}`}, "h": {"%I", `\d{1,2}`}, "hh": {"%I", `\d{2}`}, "m": {"%M", `\d{1,2}`}, "mm": {"%M", `\d{2}`},
	"s": {"%S", `\d{1,2}`}, "ss": {"%S", `\d{2}`}, "a": {"%p", `[AP]M`}, "E": {"%a", `[A-Z][a-z]{2}`}, "EEE": {"%a", `[A-Z][a-z]{2}`}, "EEEE": {"%A", `[A-Z][a-z]+`},
	"X": {"%z", `Z|[+-]\d{2}`}, "XX": {"%z", `Z|[+-]\d{4}`}, "XXX": {"%z", `Z|[+-]\d{2}:\d{2}`}, "Z": {"%z", `[+-]\d{4}`}, "xxx": {"%z", `[+-]\d{2}:\d{2}`},
}

// parsed reads text by a constant pattern; what does not fit is NULL.
func (s *speller) parsed(x string, pattern expr.Expr) string {
	text, ok := expr.ConstantText(pattern)
	if !ok {
		return s.readBy(x, s.expr(pattern))
	}
	pieces, err := datePieces(text)
	if err != nil {
		return s.fail(pattern, codeUnserved, "the pattern %q cannot be used: %s", text, err)
	}
	if s.zone != nil {
		p, err := row.NewTimePattern(text, "")
		if err == nil {
			err = p.CanRead()
		}
		if err != nil {
			return s.fail(pattern, codeUnserved, "the pattern %q cannot be used to read: %s", text, err)
		}
		return s.readBy(x, QuoteText(text))
	}
	format, shape, letters := "", "", ""
	for _, p := range pieces {
		word := strings.Repeat(string(p.letter), p.count)
		known, ok := parses[word]
		switch {
		case p.letter == 0:
			format += strings.ReplaceAll(p.text, "%", "%%")
			shape += regexp.QuoteMeta(p.text)
			continue
		case p.letter == 'S' && p.count <= 9:
			known = [2]string{"%n", fmt.Sprintf(`\d{1,%d}`, p.count)}
		case !ok:
			return s.fail(pattern, codeUnserved, "the pattern %q cannot be used to read: letter %s", text, word)
		}
		format += known[0]
		shape += "(?:" + known[1] + ")"
		letters += word
	}
	return parsedText(x, format, shape, letters)
}

func parsedText(x, format, shape, letters string) string {
	input := x
	if !strings.ContainsAny(letters, "yu") { // Java's default year is 1970
		input, format = "'1970 ' || "+x, "%Y "+format
	}
	value := "CAST(try_strptime(" + input + ", " + QuoteText(format) + ") AS TIMESTAMP)"
	if strings.Contains(format, "%y") { // Java reads two digits as 2000 to 2099
		value = fmt.Sprintf("CASE WHEN year(%s) < 2000 THEN %s + to_years(100) ELSE %s END", value, value, value)
	}
	return fmt.Sprintf("CASE WHEN regexp_full_match(%s, %s) THEN %s END", x, QuoteText(shape), value)
}
