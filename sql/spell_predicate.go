package sql

import (
	"strings"

	"github.com/eslake/eslake/sql/expr"
)

// patterns holds the predicates with a pattern: name in our tree, spelling in
// MySQL, "" for those that travel as a mark.
var patterns = map[string]struct{ name, spelling string }{
	"LIKE": {"like", "like"}, "RLIKE": {"rlike", "regexp"}, "REGEXP": {"rlike", "regexp"}, "ILIKE": {"ilike", ""},
}

// predicate writes IS …, [NOT] IN, LIKE, RLIKE, BETWEEN and their like. It
// reports whether there was one, and whether an operand follows.
func (s *speller) predicate(c *chain) (found, operand bool) {
	p := s.p
	if p.is("IS") {
		s.condition(c, predicate)
		return true, s.isPredicate()
	}
	n := 0
	if p.is("NOT") {
		n = 1
	}
	word := p.at(n)
	pattern, isPattern := patterns[strings.ToUpper(word.Text)]
	isPattern = isPattern && word.Is(word.Text)
	if !isPattern && !word.Is("IN") && !word.Is("BETWEEN") {
		p.wanted("an operator")
		return false, false
	}
	s.condition(c, predicate)
	at := p.peek().Span
	not := p.accept("NOT")
	switch {
	case p.err != nil:
	case p.accept("BETWEEN"):
		if c.between = true; not {
			s.put("not", at)
		}
		s.put("between", at)
		return true, true
	case p.accept("IN"):
		if not {
			s.put("not", at)
		}
		s.inList()
	default:
		p.next()
		return true, s.pattern(c, pattern.name, pattern.spelling, not)
	}
	return true, false
}

// isPredicate writes IS [NOT] NULL, TRUE, FALSE, UNKNOWN, DISTINCT FROM; only
// the last is followed by an operand.
func (s *speller) isPredicate() (operand bool) {
	p := s.p
	at := p.next().Span
	not := p.accept("NOT")
	switch word := p.acceptAny("NULL", "TRUE", "FALSE", "UNKNOWN", "DISTINCT"); word {
	case "":
		p.unexpected()
	case "UNKNOWN":
		s.put("=", at)
		s.mark(":v", mark{at: at, kind: testMark, name: "isunknown", not: not})
	case "DISTINCT":
		p.expect("FROM")
		s.put("=", at)
		s.mark(":v", mark{at: at, kind: operatorMark, name: "<=>", not: !not})
		s.put("|", at)
		return true
	default:
		spelled := "is "
		if not {
			spelled = "is not "
		}
		s.put(spelled+strings.ToLower(word), at)
	}
	return false
}

// inList writes the right side of IN: a query as a mark of its own.
func (s *speller) inList() {
	p := s.p
	at := p.peek().Span
	s.put("in (", at)
	if p.is("(") && p.queryAt(p.i+1) {
		p.next()
		q := p.query()
		p.expect(")")
		whole := at.To(p.since(p.i - 1))
		s.mark(":v", mark{at: whole, kind: queryMark, x: &expr.Subquery{Node: expr.Node{At: whole}, Kind: expr.In, Query: q}})
	} else {
		p.expect("(")
		s.list()
		p.expect(")")
	}
	s.put(")", at)
}

// list writes expressions with commas between them.
func (s *speller) list() {
	s.expression("")
	for s.p.accept(",") {
		s.put(",", s.p.peek().Span)
		s.expression("")
	}
}

// pattern writes LIKE and its like; it reports whether an operand follows.
func (s *speller) pattern(c *chain, name, spelling string, not bool) bool {
	p := s.p
	at := p.peek().Span
	if name != "rlike" && p.at(1).Is("(") && p.isAny("ANY", "SOME", "ALL") {
		list := "any"
		if p.next().Is("ALL") {
			list = "all"
		}
		p.expect("(")
		args := p.exprs()
		p.expect(")")
		s.put("=", at)
		s.mark(":v", mark{at: at, kind: testMark, name: name + list, not: not, args: args})
		return false
	}
	if spelling == "" {
		s.put("=", at)
		c.escape = s.mark(":v", mark{at: at, kind: operatorMark, name: name, not: not})
		s.put("|", at)
		return true
	}
	if not {
		spelling = "not " + spelling
	}
	if name == "like" {
		c.escape = plainLike
	}
	s.put(spelling, at)
	return true
}

// escape writes ESCAPE behind the pattern of LIKE, or keeps it in the mark of
// ILIKE.
func (s *speller) escape(c *chain) {
	p := s.p
	at := p.next().Span
	text := p.peek()
	if !text.IsString() || len([]rune(text.Value())) != 1 {
		p.wanted("a string of one character")
		p.unexpected()
		return
	}
	literal := p.stringLiteral()
	if c.escape == plainLike {
		s.put("escape", at)
		s.value(literal)
	} else {
		p.marks[c.escape].args = []expr.Expr{literal}
	}
	c.escape = noLike
}
