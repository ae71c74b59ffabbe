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

// Buffer collects typed lines into statements. The zero Buffer is empty.
type Buffer struct {
	text string
}

// Add appends a line, or several, and returns the statements that are complete
// now: those that end with a semicolon, \g or \G. What follows the last of them
// stays in the buffer.
func (b *Buffer) Add(line string) []Statement {
	if b.text != "" {
		b.text += "\n"
	}
	b.text += line
	var done []Statement
	for {
		end, next, vertical := terminator(b.text)
		if end < 0 {
			break
		}
		if sql := strings.TrimSpace(b.text[:end]); !blank(sql) {
			done = append(done, Statement{SQL: sql, Vertical: vertical})
		}
		b.text = strings.TrimLeft(b.text[next:], " \t\n")
	}
	if lex.StateOf(b.text) == lex.Empty {
		b.text = ""
	}
	return done
}

// Text returns what is not complete yet.
func (b *Buffer) Text() string { return b.text }

// Reset drops what is not complete yet.
func (b *Buffer) Reset() { b.text = "" }

// Empty reports whether nothing was typed that counts.
func (b *Buffer) Empty() bool { return b.text == "" }

// State says what the buffer still needs.
func (b *Buffer) State() lex.State { return lex.StateOf(b.text) }

// terminator finds the first end mark: where it begins, where it ends, and
// whether it is \G. End is -1 when there is none.
func terminator(text string) (end, next int, vertical bool) {
	tokens, err := lex.Tokens("", text)
	if err != nil { // something is open at the end; what stands before it may be complete
		tokens, _ = lex.Tokens("", text[:err.Span.Start])
	}
	for i, t := range tokens {
		switch {
		case t.Is(";"):
			return t.Span.Start, t.Span.End, false
		case t.Kind == lex.Other && t.Text == `\` && i+1 < len(tokens) && tokens[i+1].Touch:
			switch tokens[i+1].Text {
			case "G":
				return t.Span.Start, tokens[i+1].Span.End, true
			case "g":
				return t.Span.Start, tokens[i+1].Span.End, false
			}
		}
	}
	return -1, 0, false
}

// blank reports whether a text has nothing but space and comments.
func blank(text string) bool { return lex.StateOf(text) == lex.Empty }
