package repl

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/eslake/eslake/sql/lex"
)

// Names are what can be completed. Each function must answer at once; nil is
// none.
type Names struct {
	Tables  func() []string
	Columns func(table string) []string
	Options []string
}

// Limits of the list of candidates: readline divides by zero when one is wider
// than the terminal, and has no paging.
const (
	maxCandidates = 50
	maxCandidate  = 60
)

// complete returns what may stand for the word before the cursor, and the part
// of it that is typed already. Before is all that stands before the cursor.
func (n Names) complete(before string) (candidates []string, typed string) {
	typed = before[wordStart(before):]
	if strings.HasPrefix(typed, `\`) && strings.TrimSpace(before) == typed {
		return pick(commandNames(), typed), typed
	}
	if typed == "" && strings.TrimSpace(before) == "" {
		return nil, ""
	}
	head := before[:len(before)-len(typed)]
	tokens, err := lex.Tokens("", head)
	if err != nil { // within a string: only the key of an option can be meant
		if inOptions(head[:err.Span.Start]) {
			return pick(n.Options, typed), typed
		}
		return nil, typed
	}
	switch {
	case wantsTable(head, tokens):
		return pick(n.tables(), typed), typed
	case inOptions(head):
		return pick(n.Options, typed), typed
	}
	names := n.columns(tokens)
	if typed == "" {
		return pick(names, typed), typed
	}
	return append(pick(names, typed), pick(append(recase(lex.Keywords(), typed), n.tables()...), typed)...), typed
}

func (n Names) tables() []string {
	if n.Tables == nil {
		return nil
	}
	return n.Tables()
}

// columns returns the columns of the tables that the statement names so far; of
// all its words, since a select list comes before its FROM.
func (n Names) columns(tokens []lex.Token) []string {
	if n.Columns == nil {
		return nil
	}
	var names []string
	for i, t := range tokens {
		if i > 0 && t.Name() && tableWord(tokens[i-1]) {
			names = append(names, n.Columns(t.Value())...)
		}
	}
	return names
}

func wordStart(before string) int {
	for i := len(before); i > 0; {
		r, size := utf8.DecodeLastRuneInString(before[:i])
		if strings.ContainsRune(" \t\n,()'\"`=<>+*/;", r) {
			return i
		}
		i -= size
	}
	return 0
}

// wantsTable reports whether the name of a table comes next.
func wantsTable(head string, tokens []lex.Token) bool {
	if strings.HasPrefix(strings.TrimSpace(head), `\d`) {
		return true
	}
	return len(tokens) > 0 && tableWord(tokens[len(tokens)-1])
}

func tableWord(t lex.Token) bool {
	return slices.ContainsFunc([]string{"FROM", "JOIN", "INTO", "TABLE", "UPDATE", "OVERWRITE", "DESCRIBE", "DESC", "VIEW", "USING"}, t.Is)
}

// inOptions reports whether the cursor is within OPTIONS (…).
func inOptions(head string) bool {
	tokens, err := lex.Tokens("", head)
	if err != nil {
		return false
	}
	for i := len(tokens) - 1; i > 0; i-- {
		switch {
		case tokens[i].Is(")"):
			return false
		case tokens[i].Is("("):
			return tokens[i-1].Is("OPTIONS")
		}
	}
	return false
}

// pick returns the names that begin with what is typed, in any case.
func pick(names []string, typed string) []string {
	var out []string
	for _, name := range names {
		fits := len(name) > len(typed) && len(name) <= maxCandidate && strings.EqualFold(name[:len(typed)], typed)
		if fits && !slices.Contains(out, name) && len(out) < maxCandidates {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// recase writes keywords in small letters when the typed part is.
func recase(words []string, typed string) []string {
	if typed != strings.ToLower(typed) {
		return words
	}
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = strings.ToLower(w)
	}
	return out
}

func commandNames() []string {
	var names []string
	for _, c := range commands() {
		for _, name := range c.names {
			if strings.HasPrefix(name, `\`) {
				names = append(names, name)
			}
		}
	}
	return names
}
