package repl

import (
	"strings"

	"github.com/eslake/eslake/sql/lex"
)

// Statement is what a user has typed to its end.
type Statement struct {
	SQL      string // without the end mark
	Vertical bool   // it ended with \G
}

// Buffer collects typed lines into statements. The zero Buffer is empty. Each
// line is looked at once, so a long paste costs no more than its length.
type Buffer struct {
	text    []byte
	from    int  // all before it is closed and has no end mark
	content bool // there is something before it besides space and comments
}

// Add appends a line, or several, and returns the statements that are complete
// now: those that end with a semicolon, \g or \G. What follows the last of them
// stays in the buffer.
func (b *Buffer) Add(line string) []Statement {
	if len(b.text) > 0 {
		b.text = append(b.text, '\n')
	}
	b.text = append(b.text, line...)
	tokens, open := b.tokens()
	var done []Statement
	start := 0
	for i, t := range tokens {
		length, vertical := endMark(tokens[i:])
		if length == 0 {
			b.content = b.content || t.Kind != lex.Comment && b.from+t.Span.Start >= start
			continue
		}
		if b.content {
			sql := strings.TrimSpace(string(b.text[start : b.from+t.Span.Start]))
			done = append(done, Statement{SQL: sql, Vertical: vertical})
		}
		start, b.content = b.from+t.Span.Start+length, false
	}
	b.keep(start, open)
	return done
}

// tokens returns the tokens from b.from on, and where something is open that
// more lines may close; the end when nothing is.
func (b *Buffer) tokens() (tokens []lex.Token, open int) {
	rest := string(b.text[b.from:])
	tokens, err := lex.Tokens("", rest)
	if err == nil {
		return tokens, len(b.text)
	}
	tokens, _ = lex.Tokens("", rest[:err.Span.Start])
	return tokens, b.from + err.Span.Start
}

// keep drops the statements before start, and what is left when it is nothing
// but space and comments.
func (b *Buffer) keep(start, open int) {
	for start < open && (b.text[start] == ' ' || b.text[start] == '\t' || b.text[start] == '\n') {
		start++
	}
	if !b.content && open == len(b.text) {
		b.Reset()
		return
	}
	b.text = append(b.text[:0], b.text[start:]...)
	b.from = open - start
}

// Text returns what is not complete yet.
func (b *Buffer) Text() string { return string(b.text) }

// Reset drops what is not complete yet.
func (b *Buffer) Reset() { b.text, b.from, b.content = b.text[:0], 0, false }

// Empty reports whether nothing was typed that counts.
func (b *Buffer) Empty() bool { return len(b.text) == 0 }

// State says what the buffer still needs.
func (b *Buffer) State() lex.State { return lex.StateOf(string(b.text)) }

// endMark returns the length of the end mark that the tokens begin with, 0 for
// none, and whether it is \G.
func endMark(tokens []lex.Token) (length int, vertical bool) {
	switch t := tokens[0]; {
	case t.Is(";"):
		return 1, false
	case t.Kind == lex.Other && t.Text == `\` && len(tokens) > 1 && tokens[1].Touch:
		if name := tokens[1].Text; name == "G" || name == "g" {
			return 2, name == "G"
		}
	}
	return 0, false
}
