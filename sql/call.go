package sql

import (
	"slices"
	"strings"

	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/lex"
	"github.com/eslake/eslake/sql/row"
)

// separators are the words that some functions take in place of commas:
// overlay(a PLACING b FROM c FOR d). They become plain calls.
var separators = map[string][]string{
	"overlay": {"PLACING", "FROM", "FOR"}, "substring": {"FROM", "FOR"}, "substr": {"FROM", "FOR"}, "position": {"IN"}, "trim": {"FROM"},
	"extract": {"FROM"},
}

// function writes name(arguments) as n17(…); what can follow, up to OVER, goes
// into the mark.
func (s *speller) function(from int, name string) {
	p := s.p
	m := mark{kind: callMark, call: &expr.Call{Func: name}}
	n := s.mark("n", m)
	close := p.partner(p.i)
	s.word("(")
	m.call.Distinct = p.is("DISTINCT") && !p.at(1).Is(",") && !p.at(1).Is(")") && p.accept("DISTINCT")
	if p.is("ALL") && (p.at(1).Name() || p.at(1).Kind == lex.Number || p.at(1).IsString()) {
		p.next()
	}
	if !p.is(")") {
		s.firstArgument(&m, close)
		s.arguments(&m)
	}
	p.expect(")")
	s.put(")", p.peek().Span)
	p.functionClauses(m.call)
	m.at = p.since(from)
	p.marks[n] = m
}

// firstArgument writes what some functions take as a word: the unit of
// extract(YEAR FROM x) and timestampdiff(HOUR, a, b), and the side of
// trim(BOTH x FROM y), which becomes trim, ltrim or rtrim.
func (s *speller) firstArgument(m *mark, close int) {
	p := s.p
	t := p.peek()
	unit := m.call.Func == "extract" && p.at(1).Is("FROM") || p.at(1).Is(",") && expr.Unit(m.call.Func, p.commas(close)+1)
	switch {
	case t.Kind == lex.Word && unit:
		p.next()
		word := t.Text
		if m.call.Func != "extract" {
			word = strings.ToUpper(word)
		}
		s.value(&expr.Literal{Node: expr.Node{At: t.Span, T: row.StringType}, Value: word})
		return
	case m.call.Func == "trim" && p.isAny("BOTH", "LEADING", "TRAILING") && !p.at(1).Is(",") && !p.at(1).Is(")") && !p.at(1).Is("."):
		m.call.Func = map[string]string{"BOTH": "trim", "LEADING": "ltrim", "TRAILING": "rtrim"}[p.acceptAny("BOTH", "LEADING", "TRAILING")]
		if p.accept("FROM") {
			s.argument(m, "")
			return
		}
		s.argument(m, "FROM")
		p.expect("FROM")
		s.put(",", p.peek().Span)
	}
	words := separators[m.call.Func]
	if m.call.Func != "position" {
		words = nil
	}
	s.argument(m, strings.Join(words, ""))
}

// commas counts the commas up to a closing bracket, without those in brackets.
func (p *parser) commas(close int) int {
	n := 0
	for i := p.i; i < close; i++ {
		switch {
		case p.toks[i].Is("("):
			i = p.partner(i)
		case p.toks[i].Is(","):
			n++
		}
	}
	return n
}

// worded is the function that stands behind one whose arguments are parted by
// words: position(x IN y) is locate(x, y).
func worded(name string) string {
	switch name {
	case "position":
		return "locate"
	case "substr":
		return "substring"
	}
	return name
}

// arguments writes the arguments behind the first.
func (s *speller) arguments(m *mark) {
	p := s.p
	words := separators[m.call.Func]
	for p.err == nil {
		comma := p.accept(",")
		for i := 0; !comma && i < len(words); i++ {
			if comma = p.accept(words[i]); comma {
				m.call.Func = worded(m.call.Func)
				words = words[i+1:]
			}
		}
		if !comma {
			break
		}
		s.put(",", p.peek().Span)
		s.argument(m, "")
	}
	if p.accept("IGNORE", "NULLS") {
		m.call.IgnoreNulls = true
	} else {
		p.accept("RESPECT", "NULLS")
	}
}

// argument writes one argument; a star and the name of a field of struct(…) are
// told apart here.
func (s *speller) argument(m *mark, stop string) {
	p := s.p
	if star := p.star(); star != nil {
		s.value(star)
	} else {
		s.expression(stop)
	}
	if m.call.Func != "struct" {
		return
	}
	alias := ""
	if p.accept("AS") {
		alias = p.name("a field").Name
	}
	m.alias = append(m.alias, alias)
}

// star reads * and t.*, with EXCEPT (names); nil when there is none.
func (p *parser) star() *expr.Star {
	n := 0
	for p.at(n).Name() && p.at(n+1).Is(".") {
		n += 2
	}
	end := p.at(n + 1)
	if !p.at(n).Is("*") || n == 0 && end.Kind != lex.EOF && end.Kind != lex.Word && !end.Is(",") && !end.Is(")") {
		return nil
	}
	from := p.i
	s := &expr.Star{}
	for ; n > 0; n -= 2 {
		s.Table = append(s.Table, p.next().Value())
		p.next()
	}
	p.next()
	if p.is("EXCEPT", "(") && !p.queryAt(p.i+2) {
		p.next()
		s.Except = p.nameList("a column")
	}
	s.At = p.since(from)
	return s
}

// functionClauses reads what follows the arguments: IGNORE NULLS, WITHIN GROUP,
// FILTER, OVER.
func (p *parser) functionClauses(c *expr.Call) {
	for p.err == nil {
		switch {
		case p.is("IGNORE", "NULLS"):
			p.i += 2
			c.IgnoreNulls = true
		case p.is("RESPECT", "NULLS"):
			p.i += 2
		case p.is("WITHIN", "GROUP", "("):
			p.i += 3
			p.expect("ORDER", "BY")
			c.Within = p.orders()
			p.expect(")")
		case p.is("FILTER", "(", "WHERE"):
			p.i += 3
			c.Filter = p.expr()
			p.expect(")")
		case p.is("OVER") && (p.at(1).Is("(") || p.at(1).Name()):
			p.next()
			c.Over = p.window()
			return
		default:
			return
		}
	}
}

// window reads what stands behind OVER: a name, or a window between
// parentheses.
func (p *parser) window() *expr.Window {
	if !p.is("(") {
		return &expr.Window{Name: p.name("a window").Name}
	}
	p.next()
	w := &expr.Window{}
	if p.peek().Name() && p.at(1).Is(")") {
		w.Name = p.next().Value()
	}
	if p.accept("PARTITION", "BY") || p.accept("DISTRIBUTE", "BY") {
		w.Partition = p.exprs()
	}
	if p.accept("ORDER", "BY") || p.accept("SORT", "BY") {
		w.Order = p.orders()
	}
	if unit := p.acceptAny("ROWS", "RANGE"); unit != "" {
		w.Frame = p.frame(unit)
	}
	p.expect(")")
	return w
}

func (p *parser) frame(unit string) *expr.Frame {
	f := &expr.Frame{Unit: unit, To: expr.Bound{Kind: expr.CurrentRow}}
	if !p.accept("BETWEEN") {
		f.From = p.frameBound()
		return f
	}
	f.From = p.frameBound()
	p.expect("AND")
	f.To = p.frameBound()
	return f
}

func (p *parser) frameBound() expr.Bound {
	switch {
	case p.accept("CURRENT", "ROW"):
		return expr.Bound{Kind: expr.CurrentRow}
	case p.accept("UNBOUNDED", "PRECEDING"):
		return expr.Bound{Kind: expr.UnboundedPreceding}
	case p.accept("UNBOUNDED", "FOLLOWING"):
		return expr.Bound{Kind: expr.UnboundedFollowing}
	}
	b := expr.Bound{Kind: expr.Preceding, Offset: p.expr()}
	if p.accept("FOLLOWING") {
		b.Kind = expr.Following
		return b
	}
	p.expect("PRECEDING")
	return b
}

// orders reads the keys of ORDER BY.
func (p *parser) orders() []expr.Order {
	var keys []expr.Order
	for {
		o := expr.Order{X: p.expr()}
		if !p.accept("ASC") {
			o.Desc = p.accept("DESC")
		}
		if p.accept("NULLS") {
			first := p.acceptAny("FIRST", "LAST")
			if first == "" {
				p.unexpected()
			}
			o.NullsFirst = new(bool)
			*o.NullsFirst = first == "FIRST"
		}
		keys = append(keys, o)
		if !p.accept(",") {
			return keys
		}
	}
}

// named makes struct(a, b AS c) into named_struct('a', a, 'c', b), as Spark does.
func named(c *expr.Call, alias []string) {
	if !slices.ContainsFunc(alias, func(a string) bool { return a != "" }) {
		return
	}
	var args []expr.Expr
	for i, x := range c.Args {
		name := alias[i]
		if name == "" {
			name = fieldName(x, i)
		}
		args = append(args, &expr.Literal{Node: expr.Node{At: x.Span(), T: row.StringType}, Value: name}, x)
	}
	c.Func, c.Args = "named_struct", args
}
