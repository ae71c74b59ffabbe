// Package lex turns SQL text into tokens that know where they stand, and
// scripts into statements.
package lex

import (
	"strings"
	"unicode/utf8"
)

// Span is a stretch of one source text. The zero Span is nowhere.
type Span struct {
	File       string // name for messages: a path, "-e" or "stdin"; "" for the shell
	Start, End int    // byte offsets in the file, End is behind the last byte
	Line       int    // 1-based line of Start in the file, 0 for nowhere
	Column     int    // 1-based column of Start, counted in characters
}

// To returns the span from the start of s to the end of o.
func (s Span) To(o Span) Span {
	if s.Line == 0 {
		return o
	}
	if o.End > s.End {
		s.End = o.End
	}
	return s
}

// Inside returns the span of text[start:end], where text stands at s.
func (s Span) Inside(text string, start, end int) Span {
	before := text[:start]
	if i := strings.LastIndexByte(before, '\n'); i >= 0 {
		s.Line += strings.Count(before, "\n")
		s.Column = 1
		before = before[i+1:]
	}
	s.Column += utf8.RuneCountInString(before)
	s.Start, s.End = s.Start+start, s.Start+end
	return s
}
