package elastic

import (
	"bytes"
	"unicode/utf8"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
	"github.com/eslake/eslake/sql/row/textcopy"
)

// glance is what a look at a JSON value can tell.
type glance struct{ textcopy.Look }

// form says how a JSON value is spelled.
type form uint8

const (
	formAny form = iota
	// formPlain: the text is what row.AppendJSON prints of the value that it is
	// decoded to, and between the quotes what row.AppendText prints.
	formPlain
	// formEscaped is formPlain but for row.AppendText: a string with escapes.
	formEscaped
	formNull
)

// glanceOf returns what values of a field look like that is read as a type. Field
// is nil when the mapping says nothing of it.
func (d decoding) glanceOf(t row.Type, f *esds.Field) glance {
	switch t.Kind {
	case row.String:
		if d.emptyNull || f != nil && hasOwnForm(f.Kind) {
			return glance{}
		}
	case row.Date, row.Timestamp:
		if f == nil || !isDate(f.Kind) || !readsISO(f.Format) {
			return glance{}
		}
	}
	return glance{textcopy.LookOf(t)}
}

// readsISO reports whether a format of dates takes 2006-01-02T15:04:05.123Z as
// such before anything else.
func readsISO(format string) bool {
	known, ok := parseDateFormat(format)
	return ok && len(known) > 0 && known[0].kind == defaultFormat[0].kind
}

// scan returns the position after the value at i, and its form. It takes a byte
// for granted behind every value.
func (g *glance) scan(b []byte, i int) (end int, f form, err error) {
	switch {
	case g.Shape == textcopy.Text && b[i] == '"':
		return scanText(b, i)
	case g.Shape != textcopy.Text:
		if end = g.plain(b, i); end > 0 {
			return end, formPlain, nil
		}
	}
	end, err = skipValue(b, i)
	return end, formAny, err
}

// plain returns the position after a plain value that is no text; 0 for anything
// else.
func (g *glance) plain(b []byte, i int) int {
	switch g.Shape {
	case textcopy.Whole:
		return g.wholeNumber(b, i)
	case textcopy.Real:
		return g.real(b, i)
	case textcopy.Decimal:
		return g.decimal(b, i)
	case textcopy.Bool:
		return boolean(b, i)
	case textcopy.Date, textcopy.Time:
		return g.date(b, i)
	}
	return 0
}

// scanText is scan of a string. The escapes of formEscaped are those that
// row.AppendQuoted makes.
func scanText(b []byte, i int) (end int, f form, err error) {
	f = formPlain
	at, high := plainText(b, i+1)
	for at+1 < len(b) && b[at] == '\\' {
		switch b[at+1] {
		case '"', '\\', 'n', 'r', 't', 'b', 'f':
			f = formEscaped
		default:
			end, err = skipLongString(b, at)
			return end, formAny, err
		}
		var more bool
		at, more = plainText(b, at+2)
		high = high || more
	}
	switch {
	case at >= len(b):
		return at, formAny, errJSON
	case b[at] != '"': // a control character
		end, err = skipLongString(b, at)
		return end, formAny, err
	case high && !utf8.Valid(b[i+1:at]):
		f = formAny
	}
	return at + 1, f, nil
}

// unescape appends a text of formEscaped without its escapes.
func unescape(dst, text []byte) []byte {
	for {
		i := bytes.IndexByte(text, '\\')
		if i < 0 {
			return append(dst, text...)
		}
		dst = append(append(dst, text[:i]...), signs[text[i+1]])
		text = text[i+2:]
	}
}

// signs holds what an escape stands for, by the sign behind the backslash.
var signs = [256]byte{'"': '"', '\\': '\\', 'n': '\n', 'r': '\r', 't': '\t', 'b': '\b', 'f': '\f'}

// plainText returns the position of the first byte from i on that is a quote, a
// backslash or a control character, len(b) when there is none, and whether there
// are bytes beyond ASCII before it, or a few behind.
func plainText(b []byte, i int) (at int, high bool) {
	seen := row.Word(0)
	for ; i+8 <= len(b); i += 8 {
		w := row.WordAt(b, i)
		seen |= w
		if stop := w.Stops(); stop != 0 {
			return i + stop.First(), seen&row.Highs != 0
		}
	}
	for ; i < len(b); i++ {
		seen |= row.Word(b[i]) & 0x80
		if c := b[i]; c == '"' || c == '\\' || c < ' ' {
			break
		}
	}
	return i, seen&row.Highs != 0
}

// ends reports whether a number ends before i.
func ends(b []byte, i int) bool {
	return i < len(b) && (b[i] == ',' || b[i] == '}' || b[i] == ']')
}

// digitsFrom returns the position after the digits at i.
func digitsFrom(b []byte, i int) int {
	for ; i+8 <= len(b); i += 8 {
		if n := row.WordAt(b, i).Digits(); n < 8 {
			return i + n
		}
	}
	for i < len(b) && b[i]-'0' <= 9 {
		i++
	}
	return i
}

// wholeNumber returns the position after 0, 17 or -17; 0 for anything else, also
// for numbers larger than any of the type, with or without their sign.
func (g *glance) wholeNumber(b []byte, i int) int {
	start := i
	if b[i] == '-' {
		start++
	}
	end := digitsFrom(b, start)
	n := end - start
	if n == 0 || n > len(g.Most) || !ends(b, end) || b[start] == '0' && (n > 1 || start > i) {
		return 0
	}
	if n == len(g.Most) && string(b[start:end]) > g.Most {
		return 0
	}
	return end
}

// real returns the position after a number that Java prints as it stands here: it
// has a fraction without needless zeros, no exponent, and not more digits than a
// floating-point number keeps. 0 for anything else.
func (g *glance) real(b []byte, i int) int {
	start := i
	if b[i] == '-' {
		start++
	}
	point := digitsFrom(b, start)
	n := point - start
	if n == 0 || n > 7 || point+1 >= len(b) || b[point] != '.' {
		return 0
	}
	end := digitsFrom(b, point+1)
	fraction := end - point - 1
	if fraction == 0 || n+fraction > g.Digits || !ends(b, end) || b[end-1] == '0' && fraction > 1 {
		return 0
	}
	if b[start] == '0' && (n > 1 || fraction > 3 && string(b[point+1:point+4]) == "000") {
		return 0 // below a thousandth it is printed with an exponent
	}
	return end
}

// decimal returns the position after a number with as many digits behind the
// point as the type has, 0 for anything else.
func (g *glance) decimal(b []byte, i int) int {
	start := i
	if b[i] == '-' {
		start++
	}
	end := digitsFrom(b, start)
	n := end - start
	if n == 0 || n > g.Digits || b[start] == '0' && (n > 1 || start > i) {
		return 0
	}
	if g.Scale > 0 {
		if end >= len(b) || b[end] != '.' {
			return 0
		}
		point := end
		if end = digitsFrom(b, point+1); end-point-1 != g.Scale {
			return 0
		}
	}
	if !ends(b, end) {
		return 0
	}
	return end
}

func boolean(b []byte, i int) int {
	for _, end := range [2]int{i + len("true"), i + len("false")} {
		if ends(b, end) && (string(b[i:end]) == "true" || string(b[i:end]) == "false") {
			return end
		}
	}
	return 0
}

// date returns the position after "2006-01-02" or "2006-01-02T15:04:05Z", with or
// without a fraction that does not end in a zero. 0 for anything else, also for
// days and times that do not exist.
func (g *glance) date(b []byte, i int) int {
	const day, second = len(`"2006-01-02`), len(`"2006-01-02T15:04:05`)
	if len(b)-i < second+len(`.123456Z",`) || b[i] != '"' {
		return 0
	}
	month, clock := row.WordAt(b, i+1)^monthForm, row.WordAt(b, i+day-2)^clockForm
	if (month+monthMost|month)&row.Highs != 0 || month&0xff == 0 || monthOf(month)-1 > 11 {
		return 0
	}
	if g.Shape == textcopy.Date {
		if b[i+day] != '"' || !dayFits(clock, month) {
			return 0
		}
		return i + day + 1
	}
	if (clock+clockMost|clock)&row.Highs != 0 || !dayFits(clock, month) || pair(clock, 3) > 23 || pair(clock, 6) > 59 ||
		b[i+17] != ':' || b[i+18]-'0' > 5 || b[i+19]-'0' > 9 {
		return 0
	}
	end := i + second
	if b[end] == '.' {
		digits := row.WordAt(b, end+1).Digits()
		if digits == 0 || digits > 6 || b[end+digits] == '0' {
			return 0
		}
		end += 1 + digits
	}
	if b[end] != 'Z' || b[end+1] != '"' {
		return 0
	}
	return end + 2
}

// The parts of a date are looked at as words. Xor with the form leaves 0 to 9 of a
// digit and 0 of a sign, and the sum with the most that each byte may grow by has
// no high bit then.
const (
	monthForm = 0x2d30302d30303030 // "0000-00-"
	monthMost = 0x7f76767f76767676
	clockForm = 0x30303a3030543030 // "00T00:00"
	clockMost = 0x76767f76767f7676
)

// pair returns the number of two digits at a byte of a word, one above 99 when there
// is something else.
func pair(w row.Word, at int) row.Word {
	tens, units := w>>(8*at)&0xff, w>>(8*at+8)&0xff
	if tens > 9 || units > 9 {
		return 10_000
	}
	return tens*10 + units
}

func monthOf(month row.Word) row.Word { return pair(month, 5) }

// dayFits reports whether the day at the beginning of clock is one of the month.
func dayFits(clock, month row.Word) bool {
	d := pair(clock, 0)
	return d-1 < 28 || d-1 < 31 && d <= daysIn(pair(month, 0)*100+pair(month, 2), monthOf(month))
}

func daysIn(year, month row.Word) row.Word {
	switch {
	case month == 2 && year%4 == 0 && (year%100 != 0 || year%400 == 0):
		return 29
	case month == 2:
		return 28
	case month == 4 || month == 6 || month == 9 || month == 11:
		return 30
	}
	return 31
}
