package lex

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// scanner cuts a text into tokens. It never gives up: what it cannot read
// becomes Other, and what is left open becomes a token up to the end, with an
// error.
type scanner struct {
	src  string
	file string
	pos  int
	line int // of pos
	col  int // of pos
	last Token
	err  *Error
}

func newScanner(file, src string) *scanner {
	s := &scanner{src: src, file: file, line: 1, col: 1}
	if strings.HasPrefix(src, "\ufeff") {
		s.pos = len("\ufeff")
	}
	return s
}

// Tokens returns all tokens of a text, comments included, for highlighting and
// completion. When something is never closed, the last token reaches to the
// end and the error says where it was opened.
func Tokens(file, src string) ([]Token, *Error) {
	var all []Token
	s := newScanner(file, src)
	for {
		t := s.next()
		if t.Kind == EOF {
			return all, s.err
		}
		all = append(all, t)
	}
}

// next returns the next token, comments included; EOF at the end.
func (s *scanner) next() Token {
	start := s.pos
	s.skipSpace()
	t := Token{Span: Span{File: s.file, Start: s.pos, Line: s.line, Column: s.col}}
	t.Touch = start == s.pos && s.last.Kind != EOF
	kind, size := s.classify(s.src[s.pos:])
	t.Kind, t.Text = kind, s.src[s.pos:s.pos+size]
	t.Span.End = s.pos + size
	s.advance(size)
	s.last = t
	return t
}

func (s *scanner) skipSpace() {
	for s.pos < len(s.src) {
		c := s.src[s.pos]
		switch {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v':
			s.advance(1)
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(s.src[s.pos:])
			if !unicode.IsSpace(r) && r != '\ufeff' {
				return
			}
			s.advance(size)
		default:
			return
		}
	}
}

// advance moves over size bytes and keeps line and column.
func (s *scanner) advance(size int) {
	text := s.src[s.pos : s.pos+size]
	s.pos += size
	for i := strings.IndexByte(text, '\n'); i >= 0; i = strings.IndexByte(text, '\n') {
		s.line++
		s.col = 1
		text = text[i+1:]
	}
	s.col += utf8.RuneCountInString(text)
}

// classify returns the kind and the length of the token that rest begins with.
func (s *scanner) classify(rest string) (Kind, int) {
	if rest == "" {
		return EOF, 0
	}
	c := rest[0]
	second := byte(0)
	if len(rest) > 1 {
		second = rest[1]
	}
	switch {
	case strings.HasPrefix(rest, "--"):
		return Comment, lineEnd(rest)
	case strings.HasPrefix(rest, "/*"):
		return s.blockComment(rest)
	case c == '\'' || c == '"':
		return String, s.closed(rest, 1, c, true)
	case c == '`':
		return Quoted, s.closed(rest, 1, c, false)
	case (c == 'r' || c == 'R') && (second == '\'' || second == '"'):
		return Raw, s.closed(rest, 2, second, false)
	case (c == 'x' || c == 'X') && (second == '\'' || second == '"'):
		return Hex, s.closed(rest, 2, second, false)
	case digit(c):
		return number(rest)
	case c == '.' && digit(second) && !s.afterName():
		return number(rest)
	case c == '$' && second == '{':
		return variable(rest)
	case letterAt(rest):
		return Word, wordEnd(rest)
	default:
		return operator(rest)
	}
}

// afterName reports whether a dot at pos belongs to a name before it: t.5a.
func (s *scanner) afterName() bool {
	return s.last.Name() && s.last.Span.End == s.pos
}

func lineEnd(rest string) int {
	if i := strings.IndexByte(rest, '\n'); i >= 0 {
		return i
	}
	return len(rest)
}

func (s *scanner) blockComment(rest string) (Kind, int) {
	kind := Comment
	if strings.HasPrefix(rest, "/*+") && s.last.Is("SELECT") {
		kind = Hint
	}
	if i := strings.Index(rest[2:], "*/"); i >= 0 {
		return kind, i + 4
	}
	s.open("comment", 2)
	return Comment, len(rest)
}

// closed returns the length of a quoted token whose text begins behind its
// opening, from bytes long. A doubled back-quote is part of the name; a doubled
// quote ends a string and begins the next, as in Spark.
func (s *scanner) closed(rest string, from int, quote byte, escape bool) int {
	for i := from; i < len(rest); i++ {
		switch {
		case rest[i] == '\\' && escape:
			i++
		case rest[i] != quote:
		case quote == '`' && i+1 < len(rest) && rest[i+1] == quote:
			i++
		default:
			return i + 1
		}
	}
	what := "string"
	if quote == '`' {
		what = "quoted name"
	}
	s.open(what, from)
	return len(rest)
}

// open records what begins at pos and is never closed.
func (s *scanner) open(what string, size int) {
	at := Span{File: s.file, Start: s.pos, End: s.pos + size, Line: s.line, Column: s.col}
	hint := map[string]string{
		"string":      "a string ends with the quote that it began with",
		"comment":     "a comment ends with */",
		"quoted name": "a quoted name ends with a back-quote",
	}[what]
	s.err = &Error{Code: CodeUnclosed, Span: at, Message: what + " opened here is never closed", Hint: hint}
}

// number reads 1, 1., .5, 1.5e-3 and a suffix. A number that runs into letters
// is a name, as Spark reads 2024_logs.
func number(rest string) (Kind, int) {
	whole := digits(rest)
	i := whole
	if i < len(rest) && rest[i] == '.' {
		i++
		i += digits(rest[i:])
	}
	i += exponent(rest[i:])
	i += suffix(rest[i:])
	if !wordAt(rest[i:]) {
		return Number, i
	}
	if whole > 0 && letterAt(rest[whole:]) {
		return Word, wordEnd(rest)
	}
	return Number, i
}

func exponent(rest string) int {
	if rest == "" || rest[0]|0x20 != 'e' {
		return 0
	}
	i := 1
	if i < len(rest) && (rest[i] == '+' || rest[i] == '-') {
		i++
	}
	n := digits(rest[i:])
	if n == 0 {
		return 0
	}
	return i + n
}

// suffix returns the length of L, S, Y, D, F or BD, 0 for none.
func suffix(rest string) int {
	n := 0
	switch {
	case len(rest) > 1 && strings.EqualFold(rest[:2], "BD"):
		n = 2
	case rest != "" && strings.IndexByte("LSYDFlsydf", rest[0]) >= 0:
		n = 1
	}
	if n > 0 && !wordAt(rest[n:]) {
		return n
	}
	return 0
}

func digits(s string) int {
	n := 0
	for n < len(s) && digit(s[n]) {
		n++
	}
	return n
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

func variable(rest string) (Kind, int) {
	if i := strings.IndexAny(rest, "}\n"); i >= 0 && rest[i] == '}' {
		return Variable, i + 1
	}
	return Other, 1
}

// letterAt reports whether s begins with a letter or an underscore; marks of
// other scripts and emoji count as letters.
func letterAt(s string) bool {
	if s == "" {
		return false
	}
	c := s[0]
	if c < utf8.RuneSelf {
		return c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z'
	}
	r, _ := utf8.DecodeRuneInString(s)
	return r != utf8.RuneError && !unicode.IsSpace(r) && !unicode.IsControl(r) && r != '\ufeff'
}

// wordAt reports whether s begins with a letter, an underscore or a digit.
func wordAt(s string) bool { return s != "" && digit(s[0]) || letterAt(s) }

func wordEnd(s string) int {
	i := 0
	for i < len(s) {
		switch {
		case digit(s[i]):
			i++
		case letterAt(s[i:]):
			_, size := utf8.DecodeRuneInString(s[i:])
			i += size
		default:
			return i
		}
	}
	return i
}

// operators lists those of more than one character, longest first. >> is two
// tokens, so that ARRAY<ARRAY<INT>> is a type.
var operators = []string{"<=>", "<>", "<=", ">=", "!=", "==", "||", "::", "->", "=>"}

func operator(rest string) (Kind, int) {
	for _, op := range operators {
		if strings.HasPrefix(rest, op) {
			return Operator, len(op)
		}
	}
	if strings.IndexByte("+-*/%=<>|&^~!:()[]{},.;", rest[0]) >= 0 {
		return Operator, 1
	}
	_, size := utf8.DecodeRuneInString(rest)
	return Other, size
}
