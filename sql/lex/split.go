package lex

import "iter"

// Text is one statement of a source text.
type Text struct {
	File   string  // name for messages, see Span
	Src    string  // the whole source text; spans count in it
	Span   Span    // first to last token, without the semicolon
	Tokens []Token // without comments and the semicolon
	Rest   int     // byte offset behind the semicolon; the end of Src without one

	Expanded bool // variables were filled in: tokens may differ from Src
}

// Split yields the statements of a script. A semicolon ends a statement, but
// not within strings, quoted names and comments; the last needs none. Empty
// statements are left out. What is never closed is an error, an *Error whose
// span is where it was opened; nothing comes after it.
func Split(file string, src []byte) iter.Seq2[Text, error] {
	return func(yield func(Text, error) bool) {
		s := newScanner(file, string(src))
		for {
			t, more := s.statement()
			if s.err != nil {
				yield(Text{}, s.err)
				return
			}
			if len(t.Tokens) > 0 && !yield(t, nil) {
				return
			}
			if !more {
				return
			}
		}
	}
}

// One returns the first statement of src; the zero Text when there is none.
func One(file, src string) (Text, error) {
	for t, err := range Split(file, []byte(src)) {
		return t, err
	}
	return Text{}, nil
}

// statement reads up to the next semicolon; more is false at the end.
func (s *scanner) statement() (t Text, more bool) {
	t = Text{File: s.file, Src: s.src}
	for {
		token := s.next()
		switch {
		case token.Kind == EOF || token.Is(";"):
			t.Rest = s.pos
			if len(t.Tokens) > 0 {
				t.Span = t.Tokens[0].Span.To(t.Tokens[len(t.Tokens)-1].Span)
			}
			return t, token.Kind != EOF
		case token.Kind == Comment:
		default:
			t.Tokens = append(t.Tokens, token)
		}
	}
}
