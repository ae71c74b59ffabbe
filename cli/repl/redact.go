package repl

import (
	"regexp"
	"strings"

	"github.com/eslake/eslake/sql/lex"
)

// Redactor returns the value of an option as it may be shown.
type Redactor func(key, value string) string

// Redact returns SQL text with the secrets among its options replaced, as they
// may stand in a history or a message.
func Redact(text string, redact Redactor) string {
	return replaceSecrets(text, redact, func(_, shown string) string { return lex.QuoteString(shown) })
}

// Mask is Redact for the text round a caret: a secret becomes as many stars as
// it has bytes, so that all else stays in its place.
func Mask(text string, redact Redactor) string {
	return replaceSecrets(text, redact, func(written, _ string) string {
		if len(written) < 2 {
			return strings.Repeat("*", len(written))
		}
		return written[:1] + strings.Repeat("*", len(written)-2) + written[len(written)-1:]
	})
}

func replaceSecrets(text string, redact Redactor, replace func(written, shown string) string) string {
	tokens, err := lex.Tokens("", text)
	if err != nil { // the rest cannot be told apart: hide what looks like a secret
		head, rest := text[:err.Span.Start], text[err.Span.Start:]
		if looksSecret.MatchString(head[strings.LastIndexByte(head, '\n')+1:]) {
			rest = stars(rest)
		}
		return replaceSecrets(head, redact, replace) + rest
	}
	var out strings.Builder
	done := 0
	for i := range tokens {
		start, end, key, value := valueAt(text, tokens, i)
		if end == 0 || start < done {
			continue
		}
		if shown := redact(key, value); shown != value {
			out.WriteString(text[done:start] + replace(text[start:end], shown))
			done = end
		}
	}
	return out.String() + text[done:]
}

// valueAt returns the value of an option that begins with token i: a string
// behind its key, or the bare text of SET key = value. End is 0 for none.
func valueAt(text string, tokens []lex.Token, i int) (start, end int, key, value string) {
	if tokens[i].Is("SET") {
		if start, end, key = assigned(tokens, i); end == 0 {
			return 0, 0, "", ""
		}
		return start, end, key, text[start:end]
	}
	if !tokens[i].IsString() {
		return 0, 0, "", ""
	}
	last := i
	value = tokens[i].Value()
	for last+1 < len(tokens) && tokens[last+1].IsString() && tokens[last+1].Touch { // 'it''s' may be two tokens
		last++
		value += tokens[last].Value()
	}
	return tokens[i].Span.Start, tokens[last].Span.End, keyBefore(tokens[:i]), value
}

var looksSecret = regexp.MustCompile(`(?i)pass|secret|token|api.?key|://[^\s]*@`)

func stars(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == ' ' {
			return r
		}
		return '*'
	}, text)
}

// keyBefore returns the option's name that stands before a value: 'k' or k.e.y,
// with or without =.
func keyBefore(tokens []lex.Token) string {
	n := len(tokens)
	if n > 0 && tokens[n-1].Is("=") {
		n--
	}
	key := ""
	for n > 0 {
		t := tokens[n-1]
		switch {
		case t.IsString() && key == "":
			return t.Value()
		case t.Name() || t.Kind == lex.Number || t.Is(".") || t.Is("-"):
			key = t.Value() + key
		default:
			return key
		}
		if !t.Touch {
			return key
		}
		n--
	}
	return key
}

// assigned returns where the bare value of SET key = value stands, zeros for none.
func assigned(tokens []lex.Token, i int) (start, end int, key string) {
	eq := i + 1
	for eq < len(tokens) && !tokens[eq].Is("=") && !tokens[eq].Is(";") {
		key += tokens[eq].Value()
		eq++
	}
	if eq+1 >= len(tokens) || !tokens[eq].Is("=") || tokens[eq+1].IsString() {
		return 0, 0, ""
	}
	last := eq
	for last+1 < len(tokens) && !tokens[last+1].Is(";") {
		last++
	}
	if last == eq {
		return 0, 0, ""
	}
	return tokens[eq+1].Span.Start, tokens[last].Span.End, key
}
