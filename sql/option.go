package sql

import (
	"strings"

	"github.com/eslake/eslake/sql/lex"
)

// options reads (key value, …). A key is a string, or names with dots between
// them; = between key and value may be missing.
func (p *parser) options() []Option {
	p.expect("(")
	list := []Option{}
	if p.accept(")") {
		return list
	}
	for p.err == nil {
		o := Option{Key: p.optionKey()}
		p.accept("=")
		o.Value = p.optionValue()
		list = append(list, o)
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
	return list
}

// optionKey reads 'es.nodes', es.nodes, `es.nodes`.
func (p *parser) optionKey() Ident {
	if p.peek().IsString() {
		return p.stringLit("an option")
	}
	from := p.i
	key := p.name("an option").Name
	for p.err == nil && p.is(".") || p.is("-") && p.peek().Touch {
		key += p.next().Text
		t := p.peek()
		if !t.Name() && t.Kind != lex.Number {
			p.wanted("a part of the option")
			p.unexpected()
			break
		}
		key += p.next().Value()
	}
	return Ident{Name: key, At: p.since(from)}
}

// optionValue reads a string, number, TRUE or FALSE, or ${env:X}; of a number
// the text counts.
func (p *parser) optionValue() Ident {
	t := p.peek()
	switch {
	case t.IsString():
		return p.stringLit("the value of the option")
	case t.Kind == lex.Number, t.Kind == lex.Variable:
		p.next()
		return Ident{Name: t.Text, At: t.Span}
	case t.Is("TRUE"), t.Is("FALSE"):
		p.next()
		return Ident{Name: strings.ToLower(t.Text), At: t.Span}
	case t.Is("-") && p.at(1).Kind == lex.Number:
		p.next()
		n := p.next()
		return Ident{Name: "-" + n.Text, At: t.Span.To(n.Span)}
	case t.Kind == lex.Word:
		p.fail(lex.CodeUnexpected, t.Span, "unexpected "+found(t)+", expected the value of the option", "put the value between quotes: '"+t.Text+"'")
	default:
		p.wanted("the value of the option")
		p.unexpected()
	}
	return Ident{}
}

// optionNames reads ('a', b.c) of UNSET.
func (p *parser) optionNames() []Ident {
	p.expect("(")
	list := []Ident{p.optionKey()}
	for p.accept(",") {
		list = append(list, p.optionKey())
	}
	p.expect(")")
	return list
}
