package row

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// NumberFormat is a format of to_char and to_number: 9 and 0 for digits, G or a
// comma between groups, D or a point, $, and S, MI or PR for the sign.
type NumberFormat struct {
	tokens    []numberToken
	Precision int // digits in all
	Scale     int // digits behind the point
}

// numberToken is a part: '9' at most so many digits, '0' exactly so many, or one of
// , . $ S M < >.
type numberToken struct {
	kind  byte
	count int
}

var numberFormat = regexp.MustCompile(`^(MI|S)?(\$)?([09]+(?:[,G][09]+)*)?(?:([.D])([09]*))?(PR|MI|S)?$`)

// ParseNumberFormat reads a format.
func ParseNumberFormat(text string) (*NumberFormat, error) {
	m := numberFormat.FindStringSubmatch(strings.ToUpper(text))
	switch {
	case m == nil:
		return nil, fmt.Errorf("the format %q is none of numbers: it is [S|MI] [$] digits of 0 and 9, with G or a comma between groups [D or . and digits] [S|MI|PR]", text)
	case m[1] != "" && m[6] != "":
		return nil, fmt.Errorf("the format %q has two signs", text)
	case m[3] == "" && m[5] == "":
		return nil, errors.New("the format has no digit, 0 or 9")
	}
	f := &NumberFormat{}
	add := func(kind byte, count int) { f.tokens = append(f.tokens, numberToken{kind, count}) }
	digits := func(run string) {
		if run != "" {
			add(run[0], len(run))
			f.Precision += len(run)
		}
	}
	if m[6] == "PR" {
		add('<', 0)
	}
	if m[1] != "" {
		add(m[1][0], 0)
	}
	if m[2] != "" {
		add('$', 0)
	}
	for i, group := range strings.FieldsFunc(m[3], func(r rune) bool { return r == ',' || r == 'G' }) {
		if i > 0 {
			add(',', 0)
		}
		digits(group)
	}
	if m[4] != "" {
		add('.', 0)
		digits(m[5])
		f.Scale = len(m[5])
	}
	switch m[6] {
	case "PR":
		add('>', 0)
	case "MI", "S":
		add(m[6][0], 0)
	}
	return f, nil
}

// Format writes a decimal, given by its digits. One with more digits than the
// format has shows as #.
func (f *NumberFormat) Format(number string) string {
	negative := strings.HasPrefix(number, "-")
	whole, fraction, _ := strings.Cut(strings.TrimLeft(number, "-+"), ".")
	whole, fraction = strings.TrimLeft(whole, "0"), strings.TrimRight(fraction, "0")
	negative = negative && whole+fraction != ""
	before := f.Precision - f.Scale
	if len(whole) > before || len(fraction) > f.Scale {
		whole, fraction = strings.Repeat("#", before), strings.Repeat("#", f.Scale)
	}
	w := numberWriter{digits: strings.Repeat(" ", before-len(whole)) + whole + fraction + strings.Repeat("0", f.Scale-len(fraction)), negative: negative}
	for _, t := range f.tokens {
		w.token(t)
	}
	w.lonePoint()
	if text := string(w.out); text != "" && text != "+" && text != "-" {
		return text
	}
	return "0"
}

type numberWriter struct {
	out      []byte
	digits   string // that are still to come
	negative bool
}

func (w *numberWriter) last() byte {
	if len(w.out) == 0 {
		return 0
	}
	return w.out[len(w.out)-1]
}

func (w *numberWriter) token(t numberToken) {
	switch t.kind {
	case '0', '9':
		for range t.count {
			w.digit(w.digits[0], t.kind)
			w.digits = w.digits[1:]
		}
	case ',':
		if last := w.last(); last >= '0' && last <= '9' {
			w.out = append(w.out, ',')
		} else {
			w.space()
		}
	case '.':
		if w.last() == ' ' {
			w.out[len(w.out)-1] = '0'
		}
		w.out = append(w.out, '.')
	case '$':
		w.out = append(w.out, '$')
	default:
		w.sign(t.kind)
	}
}

func (w *numberWriter) digit(c, kind byte) {
	switch {
	case c != ' ':
		w.out = append(w.out, c)
	case kind == '0':
		w.out = append(w.out, '0')
	default:
		w.space()
	}
}

// space stands before a sign, so that the sign stays at the digits.
func (w *numberWriter) space() {
	if last := w.last(); last == '+' || last == '-' || last == '<' {
		w.out[len(w.out)-1] = ' '
		w.out = append(w.out, last)
		return
	}
	w.out = append(w.out, ' ')
}

func (w *numberWriter) sign(kind byte) {
	switch {
	case kind == '<':
		if w.negative {
			w.out = append(w.out, '<')
		}
	case kind == 'S':
		w.lonePoint()
		sign := byte('+')
		if w.negative {
			sign = '-'
		}
		w.beforeSpaces(sign)
	case kind == '>' && w.negative:
		w.lonePoint()
		w.beforeSpaces('>')
	case kind == '>':
		w.lonePoint()
		w.out = append(w.out, "  "...)
	case w.negative:
		w.lonePoint()
		w.beforeSpaces('-')
	default:
		w.out = append(w.out, ' ')
	}
}

// beforeSpaces puts a sign behind the digits, before the blanks that follow them.
func (w *numberWriter) beforeSpaces(sign byte) {
	n := len(w.out)
	text := strings.TrimRight(string(w.out), " ")
	w.out = append(append(w.out[:len(text)], sign), strings.Repeat(" ", n-len(text))...)
}

// lonePoint puts a blank in the place of a point that nothing follows.
func (w *numberWriter) lonePoint() {
	if w.last() == '.' {
		w.out[len(w.out)-1] = ' '
	}
}

// Parse reads a number that has exactly the form, and returns its digits.
func (f *NumberFormat) Parse(text string) (number string, ok bool) {
	r := numberReader{text: text}
	behind := false // the point of the format
	for i := 0; i < len(f.tokens); i++ {
		switch t := f.tokens[i]; t.kind {
		case '0', '9':
			groups := f.groups(i)
			i += 2 * (len(groups) - 1)
			if !r.number(groups, behind) {
				return "", false
			}
		case '.':
			r.point, behind = r.take('.'), true
		case '$':
			if !r.take('$') && r.text != "" {
				return "", false
			}
		case '<':
			r.open = r.take('<')
		default:
			r.sign(t.kind)
		}
	}
	if r.text != "" || r.whole+r.fraction == "" && !r.point || r.whole != "" && f.Precision == f.Scale {
		return "", false
	}
	number = r.whole
	if number == "" {
		number = "0"
	}
	if f.Scale > 0 {
		number += "." + r.fraction + strings.Repeat("0", f.Scale-len(r.fraction))
	}
	if r.negative {
		number = "-" + number
	}
	return number, true
}

// groups are the digits from a token on, as far as commas join them.
func (f *NumberFormat) groups(i int) []numberToken {
	all := f.tokens[i : i+1 : i+1]
	for ; i+2 < len(f.tokens) && f.tokens[i+1].kind == ','; i += 2 {
		all = append(all, f.tokens[i+2])
	}
	return all
}

type numberReader struct {
	text            string
	whole, fraction string
	point           bool
	open            bool // an angle bracket
	negative        bool
}

func (r *numberReader) take(c byte) bool {
	if r.text == "" || r.text[0] != c {
		return false
	}
	r.text = r.text[1:]
	return true
}

func (r *numberReader) sign(kind byte) {
	switch kind {
	case 'S':
		r.negative = r.take('-')
		if !r.negative {
			r.take('+')
		}
	case 'M':
		r.negative = r.take('-')
	case '>':
		r.negative = r.take('>')
	}
}

func blank(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// number reads digits in groups, and compares their sizes with the format's from
// the right.
func (r *numberReader) number(groups []numberToken, behind bool) bool {
	sizes, n := []int{}, 0
	for ; r.text != "" && (r.text[0] >= '0' && r.text[0] <= '9' || r.text[0] == ',' && !r.point || blank(r.text[0])); r.text = r.text[1:] {
		switch {
		case blank(r.text[0]): // says nothing among digits
		case r.text[0] == ',':
			sizes, n = append(sizes, n), 0
		case r.point:
			n++
			r.fraction += r.text[:1]
		default:
			n++
			r.whole += r.text[:1]
		}
	}
	sizes = append(sizes, n)
	if len(sizes) > len(groups) {
		return false
	}
	for i := range groups {
		want, got := groups[len(groups)-1-i], 0
		if i < len(sizes) {
			got = sizes[len(sizes)-1-i]
		}
		if got > want.count || want.kind == '0' && got != want.count && !behind {
			return false
		}
	}
	return true
}
