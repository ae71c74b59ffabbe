package lex

import (
	"strconv"
	"strings"
)

// Kind is the class of a token.
type Kind uint8

// The classes of tokens. EOF is the zero Kind: the end of the text.
const (
	EOF      Kind = iota
	Word          // a name or a keyword, letters of any script
	Quoted        // `a name`
	String        // 'text' or "text"
	Raw           // r'text': no escapes
	Number        // 1, 1.5, 1e3, 1L, 1.0BD
	Hex           // X'1F2E'
	Variable      // ${name}, until Expand
	Operator      // one of + - * / % = == <=> <> != < <= > >= || | & ^ ~ ! :: : -> => ( ) [ ] { } , . ;
	Hint          // /*+ … */ behind SELECT
	Comment       // -- … and /* … */
	Other         // a character that SQL has no use for
)

// Token is one token of a source text.
type Token struct {
	Kind  Kind
	Text  string // as written, quotes included
	Touch bool   // nothing stands between this token and the one before
	Span  Span
}

// Is reports whether the token is the given keyword or operator, in any case.
// A quoted name is never a keyword.
func (t Token) Is(text string) bool {
	switch t.Kind {
	case Word:
		return len(t.Text) == len(text) && strings.EqualFold(t.Text, text)
	case Operator:
		return t.Text == text
	default:
		return false
	}
}

// Name reports whether the token can be a name: a word or a quoted name.
func (t Token) Name() bool { return t.Kind == Word || t.Kind == Quoted }

// IsString reports whether the token is a string literal.
func (t Token) IsString() bool { return t.Kind == String || t.Kind == Raw }

// Value returns what the token stands for: the text of a string, the name
// between back-quotes; for every other token, how it is written.
func (t Token) Value() string {
	switch t.Kind {
	case Quoted:
		return strings.ReplaceAll(t.inner(1), "``", "`")
	case String:
		return unescape(t.inner(1))
	case Raw:
		return t.inner(2)
	default:
		return t.Text
	}
}

// inner returns the text between the quotes; an opening takes from bytes. A
// token that is never closed may be too short to have any.
func (t Token) inner(from int) string {
	if len(t.Text) <= from {
		return ""
	}
	return t.Text[from : len(t.Text)-1]
}

// unescape resolves the escapes of a string as Spark does: \n and its like,
// \u0041, \U0001F600, octal \101; \% and \_ stay, for LIKE; of any other pair
// the backslash goes.
func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		if n := codePoint(&b, s[i:]); n > 0 {
			i += n - 1
			continue
		}
		if c, ok := escapes[s[i]]; ok {
			b.WriteString(c)
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// escapes holds the characters that mean something behind a backslash.
var escapes = map[byte]string{
	'0': "\x00", 'b': "\b", 'n': "\n", 'r': "\r", 't': "\t", 'Z': "\x1a", '%': `\%`, '_': `\_`,
}

// codePoint writes the character of u0041, U0001F600 or 101 and returns how
// many bytes of s it took, 0 for none.
func codePoint(b *strings.Builder, s string) int {
	size, base, from := 0, 16, 1
	switch {
	case s[0] == 'u':
		size = 5
	case s[0] == 'U':
		size = 9
	case '0' <= s[0] && s[0] <= '3':
		size, base, from = 3, 8, 0
	}
	if size == 0 || len(s) < size {
		return 0
	}
	r, err := strconv.ParseUint(s[from:size], base, 32)
	if err != nil {
		return 0
	}
	b.WriteRune(rune(r))
	return size
}

// QuoteString writes a text as a string literal that Value reads back.
func QuoteString(s string) string {
	var b strings.Builder
	b.WriteByte('\'')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\\', '\'':
			b.WriteByte('\\')
			b.WriteByte(c)
		case '\n':
			b.WriteString(`\n`)
		case '\r':
			b.WriteString(`\r`)
		case '\t':
			b.WriteString(`\t`)
		case 0:
			b.WriteString(`\u0000`)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('\'')
	return b.String()
}
