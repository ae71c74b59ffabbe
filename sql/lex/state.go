package lex

// State says what a buffer that is typed line by line still needs.
type State uint8

// The states of a buffer. All but Empty and Complete want another line.
const (
	Empty       State = iota // nothing but space and comments
	Complete                 // the last statement ends with a semicolon
	Unfinished               // the last statement has no semicolon yet
	OpenString               // '…
	OpenDouble               // "…
	OpenName                 // `…
	OpenComment              // /* …
	OpenBracket              // ( or [ without its partner, and no semicolon yet
)

// StateOf returns the state of a buffer: that of its last statement.
func StateOf(src string) State {
	tokens, err := Tokens("", src)
	if err != nil {
		return openState(src[err.Span.Start:])
	}
	state, open := Empty, 0
	for _, t := range tokens {
		switch {
		case t.Kind == Comment:
			continue
		case t.Is(";"):
			state, open = Complete, 0
			continue
		case t.Is("(") || t.Is("["):
			open++
		case t.Is(")") || t.Is("]"):
			open = max(0, open-1)
		}
		state = Unfinished
		if open > 0 {
			state = OpenBracket
		}
	}
	return state
}

func openState(rest string) State {
	for _, c := range []byte(rest) {
		switch c {
		case '\'':
			return OpenString
		case '"':
			return OpenDouble
		case '`':
			return OpenName
		case '/':
			return OpenComment
		}
	}
	return Unfinished
}
