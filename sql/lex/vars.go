package lex

import (
	"fmt"
	"slices"
	"strings"
)

// Expand replaces the variables of a statement: ${name}, ${name:-default},
// ${name:str} (as a string literal), ${name:id} (as a quoted name); $${ stands
// for ${ itself. A bare variable may stand for any part of a statement and
// joins the word that it touches: logs_${day}. Within a string or a quoted name
// its value is taken literally, whatever quotes are in it. ${env:X}, ${file:P}
// and ${keyring:N} are left for the options. Every token keeps a span in the
// user's text, that of the variable for what came out of it.
func Expand(t Text, vars map[string]string) (Text, error) {
	if !slices.ContainsFunc(t.Tokens, func(k Token) bool { return strings.Contains(k.Text, "${") }) {
		return t, nil
	}
	e := expander{vars: vars}
	for i := 0; i < len(t.Tokens); {
		i = e.add(t.Tokens, i)
		if e.err != nil {
			return Text{}, e.err
		}
	}
	t.Tokens, t.Expanded = e.out, true
	return t, nil
}

type expander struct {
	vars map[string]string
	out  []Token
	err  *Error
}

// add appends what token i and those that it joins stand for, and returns the
// place behind them.
func (e *expander) add(all []Token, i int) int {
	token := all[i]
	switch token.Kind {
	case String, Quoted, Raw:
		token.Text = e.within(token)
		e.out = append(e.out, token)
		return i + 1
	case Other:
		if token.Text == "$" && i+1 < len(all) && all[i+1].Kind == Variable && all[i+1].Touch {
			literal := all[i+1]
			literal.Touch = token.Touch
			e.out = append(e.out, literal)
			return i + 2
		}
	}
	end, found := i, false
	for end < len(all) && joins(all[end].Kind) && (end == i || all[end].Touch) {
		found = found || all[end].Kind == Variable
		end++
	}
	if !found || end == i+1 && deferred(token.Text) {
		e.out = append(e.out, token)
		return i + 1
	}
	e.join(all[i:end])
	return end
}

func joins(k Kind) bool { return k == Word || k == Number || k == Variable }

// deferred reports whether ${…} is resolved by the options and not here.
func deferred(variable string) bool {
	return strings.HasPrefix(variable, "${env:") || strings.HasPrefix(variable, "${file:") || strings.HasPrefix(variable, "${keyring:")
}

// join writes out touching words, numbers and variables and reads the result
// again. A new token spans the pieces that it is made of.
func (e *expander) join(pieces []Token) {
	var text strings.Builder
	ends := make([]int, len(pieces))
	for i, p := range pieces {
		if p.Kind == Variable {
			p.Text = e.value(p.Text, p.Span, bareForm)
		}
		text.WriteString(p.Text)
		ends[i] = text.Len()
	}
	tokens, err := Tokens(pieces[0].Span.File, text.String())
	if err != nil && e.err == nil {
		all := pieces[0].Span.To(pieces[len(pieces)-1].Span)
		e.err = &Error{Code: err.Code, Span: all, Message: "the value ends within a " + strings.Fields(err.Message)[0], Hint: err.Hint}
	}
	for n, t := range tokens {
		if t.Kind == Comment {
			continue
		}
		first, _ := slices.BinarySearch(ends, t.Span.Start+1)
		last, _ := slices.BinarySearch(ends, t.Span.End)
		t.Span = pieces[first].Span.To(pieces[last].Span)
		if n == 0 {
			t.Touch = pieces[0].Touch
		}
		e.out = append(e.out, t)
	}
}

// within returns the text of a string or quoted name with its variables filled
// in.
func (e *expander) within(t Token) string {
	rest, done := t.Text, 0
	var b strings.Builder
	for {
		i := strings.Index(rest, "${")
		if i < 0 {
			return b.String() + rest
		}
		size := strings.IndexByte(rest[i:], '}') + 1
		switch {
		case size == 0 || deferred(rest[i:]):
			b.WriteString(rest[:i+2])
			size = 2
		case i > 0 && rest[i-1] == '$':
			b.WriteString(rest[:i-1] + "${")
			size = 2
		default:
			at := t.Span.Inside(t.Text, done+i, done+i+size)
			b.WriteString(rest[:i] + e.literal(t, e.value(rest[i:i+size], at, t.Kind), at))
		}
		rest = rest[i+size:]
		done += i + size
	}
}

// literal writes a value so that the token reads back with exactly it.
func (e *expander) literal(t Token, value string, at Span) string {
	switch t.Kind {
	case Quoted:
		return strings.ReplaceAll(value, "`", "``")
	case Raw:
		if quote := t.Text[1:2]; strings.Contains(value, quote) {
			e.fail(at, "the value has a "+quote+" and cannot stand in this raw string", "use a string without r")
		}
		return value
	default:
		value = strings.ReplaceAll(value, `\`, `\\`)
		return strings.ReplaceAll(value, t.Text[:1], `\`+t.Text[:1])
	}
}

const bareForm = Variable

// value resolves one variable, written ${…}, at a place of the given kind.
func (e *expander) value(variable string, at Span, kind Kind) string {
	name, form, has := strings.Cut(variable[2:len(variable)-1], ":")
	value, set := e.vars[name]
	switch {
	case has && strings.HasPrefix(form, "-"):
		if !set {
			return form[1:]
		}
		return value
	case !set:
		e.fail(at, fmt.Sprintf("variable %q has no value", name), e.near(name))
		return ""
	case !has:
		return value
	case form == "str" && kind == bareForm:
		return QuoteString(value)
	case form == "id" && kind == bareForm:
		return "`" + strings.ReplaceAll(value, "`", "``") + "`"
	case form == "str" || form == "id":
		e.fail(at, ":"+form+" has no place within quotes", "write ${"+name+"}")
	default:
		e.fail(at, fmt.Sprintf("%q is no form of a variable", ":"+form), "the forms are ${name}, ${name:str}, ${name:id}, ${name:-default}; $${ is a plain ${")
	}
	return ""
}

func (e *expander) near(name string) string {
	names := make([]string, 0, len(e.vars))
	for n := range e.vars {
		names = append(names, n)
	}
	slices.Sort(names)
	if near := Near(name, names); near != "" {
		return "did you mean ${" + near + "}?"
	}
	return "give it with --define " + name + "=VALUE, or write ${" + name + ":-default}"
}

func (e *expander) fail(at Span, message, hint string) {
	if e.err == nil {
		e.err = &Error{Code: CodeVariable, Span: at, Message: message, Hint: hint}
	}
}
