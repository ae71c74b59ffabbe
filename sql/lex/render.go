package lex

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// excerpt is how many columns of a long line Render shows around the place.
const excerpt = 120

// Render returns an error as a user reads it: code and message, the place, the
// line with a caret under the token, the hint. Src is the text that the spans
// count in.
//
//	error[E2001]: unexpected word FORM, expected FROM
//	  --> fix.sql:12:10 (statement 4)
//	   |
//	12 | SELECT * FORM people;
//	   |          ^^^^
//	   = did you mean FROM?
func Render(e *Error, src []byte) string {
	var b strings.Builder
	fmt.Fprintf(&b, "error[%s]: %s\n", e.Code, e.Message)
	gutter := ""
	if e.Span.Line > 0 {
		number := strconv.Itoa(e.Span.Line)
		gutter = strings.Repeat(" ", len(number))
		fmt.Fprintf(&b, "%s--> %s\n", gutter, place(e))
		if line, caret, ok := mark(e.Span, string(src)); ok {
			fmt.Fprintf(&b, "%s |\n%s | %s\n%s | %s\n", gutter, number, line, gutter, caret)
		}
	}
	if e.Hint != "" {
		fmt.Fprintf(&b, "%s = %s\n", gutter, e.Hint)
	}
	return b.String()
}

func place(e *Error) string {
	at := fmt.Sprintf("%d:%d", e.Span.Line, e.Span.Column)
	if e.Span.File != "" {
		at = e.Span.File + ":" + at
	}
	if e.Statement > 0 {
		at += fmt.Sprintf(" (statement %d)", e.Statement)
	}
	return at
}

// mark returns the line of a span and the carets under it, both cut when the
// line is long. Tabs stay tabs in the padding, so the carets stand right for
// every tab width.
func mark(at Span, src string) (line, caret string, ok bool) {
	if at.Start < 0 || at.Start > len(src) {
		return "", "", false
	}
	from := strings.LastIndexByte(src[:at.Start], '\n') + 1
	to := len(src)
	if i := strings.IndexByte(src[at.Start:], '\n'); i >= 0 {
		to = at.Start + i
	}
	end := min(max(at.End, at.Start), to)
	before := strings.TrimPrefix(src[from:at.Start], "\ufeff")
	marked := strings.TrimRight(src[at.Start:end], "\r")
	after := strings.TrimRight(src[end:to], "\r")
	before, marked, after = cut(before, marked, after)
	var pad strings.Builder
	for _, r := range before {
		if r == '\t' {
			pad.WriteByte('\t')
			continue
		}
		pad.WriteString(strings.Repeat(" ", width(r)))
	}
	carets := 0
	for _, r := range marked {
		carets += width(r)
	}
	return printable(before + marked + after), pad.String() + strings.Repeat("^", max(1, carets)), true
}

// cut shortens the parts of a long line, keeping what is next to the mark.
func cut(before, marked, after string) (string, string, string) {
	b, m, a := []rune(before), []rune(marked), []rune(after)
	if len(b)+len(m)+len(a) <= excerpt+excerpt/3 {
		return before, marked, after
	}
	if len(m) > excerpt/2 {
		m = m[:excerpt/2]
		a = []rune("…")
	}
	side := (excerpt - len(m)) / 2
	if len(b) > side {
		b = append([]rune("…"), b[len(b)-side:]...)
	}
	if len(a) > side {
		a = append(a[:side:side], '…')
	}
	return string(b), string(m), string(a)
}

// printable replaces control characters, which could move the cursor.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\t' && unicode.IsControl(r) {
			return '\ufffd'
		}
		return r
	}, s)
}

// wide holds the characters that take two columns of a terminal: East Asian
// Wide and Fullwidth, and emoji.
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x1100, Hi: 0x115f, Stride: 1},
		{Lo: 0x231a, Hi: 0x231b, Stride: 1},
		{Lo: 0x2329, Hi: 0x232a, Stride: 1},
		{Lo: 0x23e9, Hi: 0x23ec, Stride: 1},
		{Lo: 0x25fd, Hi: 0x25fe, Stride: 1},
		{Lo: 0x2614, Hi: 0x2615, Stride: 1},
		{Lo: 0x2648, Hi: 0x2653, Stride: 1},
		{Lo: 0x26aa, Hi: 0x26ab, Stride: 1},
		{Lo: 0x2705, Hi: 0x2705, Stride: 1},
		{Lo: 0x270a, Hi: 0x270b, Stride: 1},
		{Lo: 0x274c, Hi: 0x274c, Stride: 1},
		{Lo: 0x2753, Hi: 0x2755, Stride: 1},
		{Lo: 0x2e80, Hi: 0x303e, Stride: 1},
		{Lo: 0x3041, Hi: 0x33ff, Stride: 1},
		{Lo: 0x3400, Hi: 0x4dbf, Stride: 1},
		{Lo: 0x4e00, Hi: 0x9fff, Stride: 1},
		{Lo: 0xa000, Hi: 0xa4cf, Stride: 1},
		{Lo: 0xa960, Hi: 0xa97f, Stride: 1},
		{Lo: 0xac00, Hi: 0xd7a3, Stride: 1},
		{Lo: 0xf900, Hi: 0xfaff, Stride: 1},
		{Lo: 0xfe30, Hi: 0xfe6f, Stride: 1},
		{Lo: 0xff00, Hi: 0xff60, Stride: 1},
		{Lo: 0xffe0, Hi: 0xffe6, Stride: 1},
	},
	R32: []unicode.Range32{
		{Lo: 0x16fe0, Hi: 0x18aff, Stride: 1},
		{Lo: 0x1b000, Hi: 0x1b2ff, Stride: 1},
		{Lo: 0x1f004, Hi: 0x1f004, Stride: 1},
		{Lo: 0x1f18e, Hi: 0x1f19a, Stride: 1},
		{Lo: 0x1f200, Hi: 0x1f320, Stride: 1},
		{Lo: 0x1f32d, Hi: 0x1f64f, Stride: 1},
		{Lo: 0x1f680, Hi: 0x1f6ff, Stride: 1},
		{Lo: 0x1f7e0, Hi: 0x1f7eb, Stride: 1},
		{Lo: 0x1f900, Hi: 0x1f9ff, Stride: 1},
		{Lo: 0x1fa70, Hi: 0x1faff, Stride: 1},
		{Lo: 0x20000, Hi: 0x3fffd, Stride: 1},
	},
}

// width returns how many columns a character takes on a terminal.
func width(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case unicode.Is(wide, r):
		return 2
	default:
		return 1
	}
}
