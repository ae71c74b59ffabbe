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
	if p.halfKeyword() {
		return
	}
	t := p.peek()
	tried, near := p.tried, p.near(t)
	hint := ""
	if near != "" {
		word, _, _ := strings.Cut(near, " ")
		tried, hint = []string{near}, "did you mean "+word+"?"
	} else {
		hint = p.hint(t)
	}
	message := "unexpected " + found(t)
	if list := expected(tried); list != "" {
		message += ", expected " + list
	}
	p.fail(lex.CodeUnexpected, t.Span, message, hint)
}

// halfKeyword fails behind the first word of GROUP BY and its like, when the
// rest is missing.
func (p *parser) halfKeyword() bool {
	most, missing := 0, ""
	for _, keyword := range p.tried {
		parts := strings.Fields(keyword)
		n := 0
		for n < len(parts) && p.at(n).Is(parts[n]) {
			n++
		}
		if n > most && n < len(parts) {
			most, missing = n, parts[n]
		}
	}
	if most == 0 {
		return false
	}
	p.i += most
	p.tried, p.triedAt = []string{missing}, p.i
	p.unexpected()
	return true
}

// clauses are the keywords that a misspelt one is taken for a name instead of.
var clauses = []string{
	"FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET", "UNION", "INTERSECT", "EXCEPT", "JOIN", "INNER", "CROSS", "LEFT",
	"RIGHT", "FULL", "WINDOW", "QUALIFY", "LATERAL", "VALUES", "SELECT", "WHEN", "SET", "USING",
}

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

// near returns the expected keyword that a word is a misspelling of, "" for
// none.
func (p *parser) near(t lex.Token) string {
	if t.Kind != lex.Word {
		return ""
	}
	first := map[string]string{}
	var words []string
	for _, w := range p.tried {
		if word, _, _ := strings.Cut(w, " "); word == strings.ToUpper(word) && len(word) > 2 && first[word] == "" {
			first[word] = w
			words = append(words, word)
		}
	}
	near := lex.Near(t.Text, words)
	if strings.EqualFold(near, t.Text) {
		return ""
	}
	return first[near]
}

// hint says what is known about a token that cannot stand where it does.
func (p *parser) hint(t lex.Token) string {
	operand := slices.Contains(p.tried, anExpression)
	switch {
	case operand && t.Is("NOT"):
		return "put NOT and what follows it between parentheses"
	case operand && t.Is("SELECT"):
		return "a query that is a value stands between parentheses of its own"
	case operand && lex.Reserved(t.Text) && t.Kind == lex.Word:
		return p.reservedHint(t)
	case t.Kind == lex.Variable:
		return "${env:…} and ${file:…} stand only in the values of options"
	case t.Kind == lex.Other:
		return "names with other characters than letters, digits and _ need back-quotes"
	case t.Is("=>"):
		return "arguments are given by position"
	default:
		return ""
	}
}

// reservedHint looks at what follows a keyword in place of an expression: it may
// be meant as a column.
func (p *parser) reservedHint(t lex.Token) string {
	next := p.at(1)
	switch {
	case next.Kind == lex.EOF || next.Kind == lex.Operator && !next.Is("(") || next.Is("FROM"):
		return "a column of that name needs back-quotes: `" + t.Text + "`"
	case p.i > 0 && p.toks[p.i-1].Is(","):
		return "there is a comma too many before it"
	default:
		return ""
	}
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

// aside are the keywords that are possible in many places and seldom meant;
// messages name them only when there is nothing else.
var aside = []string{
	".", "AS", "TABLESAMPLE", "LATERAL VIEW", "LATERAL", "WINDOW", "QUALIFY", "IGNORE NULLS", "RESPECT NULLS", "DISTRIBUTE BY", "SORT BY",
	"DISTINCT", "TEMP", "SCHEMA", "SCHEMAS", "NAMESPACE", "MINUS", "HAVING", "EXCEPT", "INTERSECT", "OFFSET", "(",
}

// expected lists what could have stood there: "FROM, WHERE or GROUP BY".
func expected(tried []string) string {
	const most = 8
	list := slices.DeleteFunc(slices.Clone(tried), func(w string) bool { return slices.Contains(aside, w) })
	if len(list) == 0 {
		list = slices.Clone(tried)
	}
	if len(list) > most {
		list = append(list[:most-1:most-1], list[len(list)-1])
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
