package sql

import (
	"slices"
	"strings"

	"github.com/eslake/eslake/sql/lex"
)

// fail keeps the first mistake and moves to the end, so that all loops stop.
func (p *parser) fail(code string, at lex.Span, message, hint string) {
	if p.err == nil {
		p.err = &lex.Error{Code: code, Span: at, Message: message, Hint: hint}
	}
	p.i = len(p.toks)
	p.tried = nil
}

// unsupported refuses SQL that eslake does not have; advice says what to use.
func (p *parser) unsupported(at lex.Span, what, advice string) {
	p.fail(lex.CodeUnsupported, at, what+" is not supported", advice)
}

func (p *parser) tooDeep(at lex.Span) {
	p.fail(lex.CodeDepth, at, "this stands within too many brackets or queries", "name the inner parts with WITH")
}

// repeated fails when a clause comes twice.
func (p *parser) repeated(given bool, at lex.Span, clause string) {
	if given {
		p.fail(lex.CodeRepeated, at, clause+" is given twice", "")
	}
}

// unexpected fails at the current token: what was found and what was expected.
func (p *parser) unexpected() {
	if p.err != nil {
		return
	}
	if p.triedAt != p.i {
		p.tried = nil
	}
	if p.aliasAt >= 0 && p.aliasAt == p.i-1 && p.misspelt() {
		return
	}
	t := p.peek()
	message := "unexpected " + found(t)
	if list := expected(p.tried); list != "" {
		message += ", expected " + list
	}
	p.fail(lex.CodeUnexpected, t.Span, message, p.hint(t))
}

// clauses are the keywords that a misspelt one is taken for a name instead of.
var clauses = []string{"FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET", "UNION", "INTERSECT", "EXCEPT", "JOIN", "INNER", "CROSS", "LEFT",
	"RIGHT", "FULL", "WINDOW", "QUALIFY", "LATERAL", "VALUES", "SELECT", "WHEN", "SET", "USING"}

// misspelt looks at the word before, which was taken as a name without AS. When
// it is near a keyword that is the mistake: SELECT id FORM people.
func (p *parser) misspelt() bool {
	t := p.toks[p.aliasAt]
	near := lex.Near(t.Text, clauses)
	if near == "" || t.Kind != lex.Word {
		return false
	}
	p.fail(lex.CodeUnexpected, t.Span, "unexpected "+found(t)+", expected "+near+" or a comma", "did you mean "+near+"?")
	return true
}

// hint returns the near keyword, or what is known about a token that has no
// place in SQL.
func (p *parser) hint(t lex.Token) string {
	words := slices.DeleteFunc(slices.Clone(p.tried), func(w string) bool { return w != strings.ToUpper(w) || len(w) < 2 })
	for n, w := range words {
		words[n], _, _ = strings.Cut(w, " ")
	}
	switch {
	case t.Kind == lex.Word:
		if near := lex.Near(t.Text, words); near != "" && !strings.EqualFold(near, t.Text) {
			return "did you mean " + near + "?"
		}
		if slices.Contains(p.tried, anExpression) && lex.Reserved(t.Text) {
			return "a column of that name needs back-quotes: `" + t.Text + "`"
		}
	case t.Kind == lex.Variable:
		return "variables are filled in before; ${env:…}, ${file:…} stand only in option values"
	case t.Kind == lex.Other:
		return "names with other characters than letters, digits and _ need back-quotes"
	case t.Is("=>"):
		return "arguments are given by position"
	}
	return ""
}

// found describes a token for a message.
func found(t lex.Token) string {
	const most = 40
	s := t.Text
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	switch t.Kind {
	case lex.EOF:
		return "end of the statement"
	case lex.Word:
		if lex.Keyword(t.Text) {
			return strings.ToUpper(s)
		}
		return "word " + s
	case lex.Quoted:
		return "name " + s
	case lex.String, lex.Raw:
		return "string " + s
	case lex.Number:
		return "number " + s
	default:
		return s
	}
}

// expected lists what could have stood there: "FROM, WHERE or GROUP BY".
func expected(tried []string) string {
	const most = 9
	list := slices.Clone(tried)
	if len(list) > most {
		list = append(list[:most:most], "something else")
	}
	for n, w := range list {
		if len(w) <= 2 && strings.ToUpper(w) == strings.ToLower(w) {
			list[n] = `"` + w + `"`
		}
	}
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " or " + list[len(list)-1]
}
