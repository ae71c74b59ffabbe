package sql

import (
	"slices"
	"strings"

	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/lex"
	"github.com/eslake/eslake/sql/row"
)

// maxDepth is how deep queries and expressions that are parsed apart may stand
// within each other.
const maxDepth = 100

// parser reads one statement. After a mistake it stands at the end of the
// tokens, so that every loop ends; the first mistake is kept.
type parser struct {
	text  lex.Text
	toks  []lex.Token
	i     int
	end   lex.Token // what stands behind the last token
	close []int     // for every opening bracket the place of its partner, see partner
	marks []mark
	depth int
	err   *lex.Error

	tried   []string // what was asked for at token triedAt in vain
	triedAt int
	aliasAt int // the last word that was taken as a name without AS, -1 for none
}

// Parse reads one statement. The error is an *Error.
func Parse(t lex.Text) (Statement, error) {
	p := newParser(t)
	s := p.statement()
	p.atEnd()
	if p.err != nil {
		return nil, p.err
	}
	return s, nil
}

// ParseExpr reads an expression that stands alone, as the condition of a filter
// given on the command line.
func ParseExpr(t lex.Text) (expr.Expr, error) {
	p := newParser(t)
	e := p.expr()
	p.atEnd()
	if p.err != nil {
		return nil, p.err
	}
	return e, nil
}

// ParseType reads a type as DDL spells it: BIGINT, DECIMAL(12,2), ARRAY<STRING>.
func ParseType(s string) (row.Type, error) {
	return parseText(s, func(p *parser) row.Type {
		t, _ := p.typeName()
		return t
	})
}

// ParseSchema reads columns as DDL and from_json spell them: a INT, b STRING
// COMMENT 'x'.
func ParseSchema(s string) (row.Schema, error) {
	return parseText(s, func(p *parser) row.Schema {
		var fields row.Schema
		for _, c := range p.columnDefs() {
			fields = append(fields, row.Field{Name: c.Name.Name, Type: c.Type, NotNull: c.NotNull, Comment: c.Comment})
		}
		return fields
	})
}

func parseText[T any](s string, read func(*parser) T) (T, error) {
	var zero T
	t, err := lex.One("", s)
	if err != nil {
		return zero, err
	}
	p := newParser(t)
	v := read(p)
	p.atEnd()
	if p.err != nil {
		return zero, p.err
	}
	return v, nil
}

func newParser(t lex.Text) *parser {
	p := &parser{text: t, toks: t.Tokens, aliasAt: -1, triedAt: -1}
	p.end.Span = lex.Span{File: t.File, Line: 1, Column: 1}
	if n := len(p.toks); n > 0 {
		last := p.toks[n-1]
		p.end.Span = last.Span.Inside(last.Text, len(last.Text), len(last.Text))
		if t.Expanded {
			p.end.Span = last.Span // the text of a variable is not the user's
			p.end.Span.Start = last.Span.End
		}
	}
	for _, token := range p.toks {
		if token.Kind == lex.Quoted && token.Value() == "" {
			p.fail(lex.CodeLiteral, token.Span, "a name cannot be empty", "")
		}
	}
	return p
}

// at returns the token n places on, the end behind the last.
func (p *parser) at(n int) lex.Token {
	if p.i+n < len(p.toks) {
		return p.toks[p.i+n]
	}
	return p.end
}

func (p *parser) peek() lex.Token { return p.at(0) }

// next returns the current token and moves on.
func (p *parser) next() lex.Token {
	t := p.peek()
	if p.i < len(p.toks) {
		p.i++
	}
	return t
}

// is reports whether the next tokens are the given keywords and operators.
func (p *parser) is(words ...string) bool {
	for n, w := range words {
		if !p.at(n).Is(w) {
			return false
		}
	}
	return true
}

// isAny reports whether the next token is one of the words.
func (p *parser) isAny(words ...string) bool {
	return slices.ContainsFunc(words, p.peek().Is)
}

// accept moves over the words when all of them are next. What is not there is
// remembered as expected, for the message of a mistake at this place.
func (p *parser) accept(words ...string) bool {
	if !p.is(words...) {
		p.wanted(strings.Join(words, " "))
		return false
	}
	p.i += len(words)
	return true
}

// acceptAny moves over the next token when it is one of the words, and returns
// that word; "" else.
func (p *parser) acceptAny(words ...string) string {
	for _, w := range words {
		if p.accept(w) {
			return w
		}
	}
	return ""
}

// expect moves over the words, or fails at the first that is not there.
func (p *parser) expect(words ...string) {
	for _, w := range words {
		if !p.accept(w) {
			p.unexpected()
			return
		}
	}
}

// wanted remembers what could stand at the current token.
func (p *parser) wanted(what string) {
	if p.triedAt != p.i {
		p.tried, p.triedAt = p.tried[:0], p.i
	}
	if !slices.Contains(p.tried, what) {
		p.tried = append(p.tried, what)
	}
}

// atEnd fails unless all tokens were read.
func (p *parser) atEnd() {
	if p.err == nil && p.i < len(p.toks) {
		p.wanted("the end of the statement")
		p.unexpected()
	}
}

// since returns the span from token i to the last one read.
func (p *parser) since(i int) lex.Span {
	if i >= len(p.toks) {
		return p.end.Span
	}
	return p.toks[i].Span.To(p.toks[max(i, p.i-1)].Span)
}

// partner returns the place of the bracket that closes the one at token i,
// len(p.toks) for none.
func (p *parser) partner(i int) int {
	if p.close == nil {
		p.close = make([]int, len(p.toks))
		var open []int
		for n, t := range p.toks {
			p.close[n] = len(p.toks)
			switch {
			case t.Is("("):
				open = append(open, n)
			case t.Is(")") && len(open) > 0:
				p.close[open[len(open)-1]] = n
				open = open[:len(open)-1]
			}
		}
	}
	if i < len(p.close) {
		return p.close[i]
	}
	return len(p.toks)
}

// deeper goes one level down, or fails at the limit. The caller goes up again
// with p.depth--.
func (p *parser) deeper() bool {
	p.depth++
	if p.depth > maxDepth {
		p.tooDeep(p.peek().Span)
		return false
	}
	return true
}

// name reads a name: any word or quoted name.
func (p *parser) name(what string) Ident {
	t := p.peek()
	if !t.Name() {
		p.wanted(what)
		p.unexpected()
		return Ident{}
	}
	p.i++
	return Ident{Name: t.Value(), At: t.Span}
}

// names reads a list of names between parentheses.
func (p *parser) names(what string) []Ident {
	p.expect("(")
	list := []Ident{p.name(what)}
	for p.accept(",") {
		list = append(list, p.name(what))
	}
	p.expect(")")
	return list
}

// nameList reads a list of names between parentheses, without their places.
func (p *parser) nameList(what string) []string {
	var list []string
	for _, id := range p.names(what) {
		list = append(list, id.Name)
	}
	return list
}

// tableName reads table or database.table.
func (p *parser) tableName() TableName {
	name := TableName{Table: p.name("a table name")}
	if p.accept(".") {
		name.Database = name.Table
		name.Table = p.name("a table name")
	}
	p.nameGoesOn(name.Table)
	return name
}

// nameGoesOn fails when a name runs into something that needs back-quotes:
// logs-2024, or a third part.
func (p *parser) nameGoesOn(last Ident) {
	t := p.peek()
	if p.err != nil || !t.Touch || !t.Is("-") && !t.Is("*") && !t.Is(".") {
		return
	}
	if t.Is(".") {
		p.fail(lex.CodeUnexpected, t.Span, "a table has a name of at most two parts: database.table", "put a name with dots between back-quotes")
		return
	}
	end := p.i
	for end < len(p.toks) && p.toks[end].Touch && !p.toks[end].Is("(") && !p.toks[end].Is(",") && !p.toks[end].Is(")") {
		end++
	}
	at := last.At.To(p.toks[end-1].Span)
	word := p.text.Src[at.Start:at.End]
	p.fail(lex.CodeUnexpected, at, word+" is not a plain name", "put it between back-quotes: `"+word+"`")
}

// stringLit reads one string literal.
func (p *parser) stringLit(what string) Ident {
	t := p.peek()
	if !t.IsString() {
		p.wanted(what)
		p.unexpected()
		return Ident{}
	}
	p.i++
	return Ident{Name: t.Value(), At: t.Span}
}
