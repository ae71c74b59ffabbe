package repl

import (
	"strings"

	"github.com/eslake/eslake/sql/lex"
)

// prompt returns the prompt for a buffer: one that waits says for what.
func prompt(name string, b *Buffer) string {
	if b.Empty() {
		return name + "> "
	}
	pad := strings.Repeat(" ", max(0, len(name)-1))
	return pad + reasons[b.State()] + "> "
}

var reasons = map[lex.State]string{
	lex.Empty:       "-",
	lex.Complete:    "-",
	lex.Unfinished:  "-",
	lex.OpenString:  "'",
	lex.OpenDouble:  `"`,
	lex.OpenName:    "`",
	lex.OpenComment: "*",
	lex.OpenBracket: "(",
}
