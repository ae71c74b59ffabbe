package sql

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/xwb1989/sqlparser"

	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/lex"
)

// Re-spelling. Spark's expressions are written down again in a form that
// sqlparser, a parser of MySQL, reads with the same structure; convert.go turns
// its tree into ours. What is written:
//
//   - Every operand is a placeholder with the number of its mark: names,
//     functions and tables n17, literals and what was parsed apart :v17. So any
//     word can be a column, and every node finds its place in the user's text.
//   - What follows a value (a[0], s.field, x::int) is COLLATE p17, which binds
//     tighter than everything.
//   - Spark's & ^ | bind one after the other, MySQL's do not: they are written
//     as << & |, the three levels between + and the comparisons.
//   - a || b stands at the level of +, and is a + :v17 + b with a mark between.
//   - x ILIKE y and x IS DISTINCT FROM y are x = :v17 | y: | binds less than all
//     else on the right side. Predicates without a right side are x = :v17.
//   - A comparison of comparisons gets parentheses: (a > 1) = b.
//   - CAST, CASE and every function are n17(…).

// maxNest is how deep brackets may stand within one text for sqlparser, which
// gives up at 200; comparisons of comparisons take some too.
const (
	maxNest  = 90
	maxChain = 90
)

// speller writes one text for sqlparser.
type speller struct {
	p      *parser
	out    []byte
	pieces []piece
	base   int // the marks of this text begin here
	last   int // mark of the last operand that was put
	nest   int
	cases  int // CASE … END that are open
}

// piece says where in the user's text a part of the written text comes from.
type piece struct {
	offset int
	at     lex.Span
}

func (p *parser) speller() *speller { return &speller{p: p, base: len(p.marks)} }

// release forgets the marks of a text that is converted.
func (s *speller) release() {
	clear(s.p.marks[s.base:])
	s.p.marks = s.p.marks[:s.base]
}

func (s *speller) put(text string, at lex.Span) {
	s.pieces = append(s.pieces, piece{len(s.out), at})
	s.out = append(s.out, text...)
	s.out = append(s.out, ' ')
}

// word writes the current token under another spelling and moves on.
func (s *speller) word(text string) { s.put(text, s.p.next().Span) }

// mark keeps m and writes its placeholder: prefix and number.
func (s *speller) mark(prefix string, m mark) int {
	n := len(s.p.marks)
	s.p.marks = append(s.p.marks, m)
	s.last = n
	s.put(prefix+strconv.Itoa(n), m.at)
	return n
}

// value writes an operand that is finished.
func (s *speller) value(e expr.Expr) {
	s.mark(":v", mark{at: e.Span(), x: e})
}

// chain is the state of one run of operands and operators.
type chain struct {
	start   int // in the written text: behind the last AND, OR, NOT
	kind    chainKind
	count   int    // comparisons wrapped so far
	between bool   // the AND of BETWEEN is still to come
	escape  int    // mark that takes ESCAPE; plainLike for LIKE itself, noLike for none
	stop    string // a keyword that ends the run
}

type chainKind uint8

const (
	fresh     chainKind = iota
	compared            // a comparison was written
	predicate           // a predicate was written: only AND and OR can follow
)

const (
	noLike    = -1
	plainLike = -2
)

// expression writes one expression, up to the first token that cannot go on
// with it, or the stop word.
func (s *speller) expression(stop string) {
	s.nest++
	defer func() { s.nest-- }()
	if s.nest > maxNest {
		s.p.tooDeep(s.p.peek().Span)
	}
	c := chain{stop: stop, escape: noLike}
	for boolean := true; s.p.err == nil; {
		if boolean {
			for s.p.isAny("NOT", "!") {
				s.word("not")
			}
			c.start, c.kind, c.count = len(s.out), fresh, 0
		}
		s.signs()
		s.operand()
		s.postfixes()
		var more bool
		more, boolean = s.operators(&c)
		if !more {
			return
		}
	}
}

// signs writes unary operators. The minus of a number belongs to the literal,
// as in Spark.
func (s *speller) signs() {
	for s.p.isAny("-", "+", "~") {
		if s.p.is("-") && s.p.at(1).Kind == lex.Number {
			return
		}
		s.word(s.p.peek().Text)
	}
}

// respelled holds the operators that MySQL has, with their spelling there.
var respelled = map[string]string{
	"+": "+", "-": "-", "*": "*", "/": "/", "%": "%", "&": "<<", "^": "&", "|": "|",
}

// comparisons holds the comparisons with their spelling in MySQL.
var comparisons = map[string]string{
	"=": "=", "==": "=", "<=>": "<=>", "<>": "<>", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">=",
}

// operators writes what stands between two operands, and predicates that end
// without one. It reports whether an operand follows, and whether that may
// begin with NOT.
func (s *speller) operators(c *chain) (more, boolean bool) {
	p := s.p
	for p.err == nil {
		t := p.peek()
		switch {
		case c.stop != "" && t.Is(c.stop):
			return false, false
		case t.Kind == lex.Operator && respelled[t.Text] != "":
			s.word(respelled[t.Text])
			return true, false
		case t.Is("||"):
			s.word("+")
			s.mark(":v", mark{at: t.Span, kind: concatMark})
			s.put("+", t.Span)
			return true, false
		case t.Is("DIV"):
			s.word("div")
			return true, false
		case t.Kind == lex.Operator && comparisons[t.Text] != "":
			if s.comparison(c) {
				return true, false
			}
		case t.Is("AND") && c.between:
			c.between = false
			s.word("and")
			return true, false
		case c.between:
			p.wanted("AND")
			p.unexpected()
		case t.Is("AND"), t.Is("OR"):
			s.word(map[bool]string{true: "and", false: "or"}[t.Is("AND")])
			return true, true
		case t.Is("ESCAPE") && c.escape != noLike:
			s.escape(c)
		default:
			found, operand := s.predicate(c)
			if !found {
				return false, false
			}
			if operand {
				return true, false
			}
		}
	}
	return false, false
}

// comparison writes = and the like; it reports whether that was allowed.
func (s *speller) comparison(c *chain) bool {
	p := s.p
	if p.isAny("=", "==", "<", "<=", ">", ">=", "<>", "!=") && (p.at(1).Is("ALL") || p.at(1).Is("ANY") || p.at(1).Is("SOME")) && p.at(2).Is("(") {
		p.unsupported(p.at(1).Span, "a comparison with "+found(p.at(1))+" (…)", "Spark has none either; compare with (SELECT max(…) …), or use IN or EXISTS")
		return false
	}
	s.condition(c, compared)
	s.word(comparisons[p.peek().Text])
	return p.err == nil
}

// condition prepares for a comparison or predicate: what stands to the left of
// it gets parentheses when it is a comparison itself.
func (s *speller) condition(c *chain, kind chainKind) {
	if c.kind == predicate {
		s.p.fail(lex.CodeUnexpected, s.p.peek().Span, "unexpected "+found(s.p.peek())+" behind a condition, expected AND or OR",
			"put the condition before it between parentheses")
		return
	}
	if c.kind == compared {
		if c.count++; c.count > maxChain {
			s.p.tooDeep(s.p.peek().Span)
			return
		}
		s.out = slices.Insert(s.out, c.start, '(')
		for i := len(s.pieces) - 1; i >= 0 && s.pieces[i].offset >= c.start; i-- {
			s.pieces[i].offset++
		}
		s.put(")", s.p.peek().Span)
	}
	c.kind = kind
}

// exprs reads expressions with commas between them, through one text.
func (p *parser) exprs() []expr.Expr {
	if list := p.literals(); list != nil {
		return list
	}
	s := p.speller()
	operands := []int{s.item("")}
	for p.accept(",") {
		s.put(",", p.peek().Span)
		operands = append(operands, s.item(""))
	}
	return s.finish(operands)
}

// literals reads expressions that are all literals, as most rows of VALUES are;
// nil when one is not.
func (p *parser) literals() []expr.Expr {
	from := p.i
	var list []expr.Expr
	for p.loneLiteral() {
		list = append(list, p.literal())
		if !p.is(",") {
			return list
		}
		p.next()
	}
	p.i = from
	return nil
}

// loneLiteral reports whether a literal is next with nothing behind it.
func (p *parser) loneLiteral() bool {
	t, n := p.peek(), 1
	switch {
	case t.Kind == lex.Number, t.Kind == lex.Hex, t.IsString(), t.Is("NULL"), t.Is("TRUE"), t.Is("FALSE"):
	case t.Is("-") && p.at(1).Kind == lex.Number, typedLiteral(t) && p.at(1).IsString():
		n = 2
	default:
		return false
	}
	end := p.at(n)
	return end.Is(",") || end.Is(")")
}

// expr reads one expression.
func (p *parser) expr() expr.Expr { return p.exprUntil("") }

// exprUntil reads one expression that a keyword ends which could be an operator.
func (p *parser) exprUntil(stop string) expr.Expr {
	if !p.deeper() {
		return &expr.Literal{}
	}
	defer func() { p.depth-- }()
	s := p.speller()
	if list := s.finish([]int{s.item(stop)}); len(list) == 1 {
		return list[0]
	}
	return &expr.Literal{}
}

// item writes one expression and returns the mark of its only operand, -1 when
// there is more to it than that.
func (s *speller) item(stop string) int {
	before := len(s.pieces)
	s.expression(stop)
	if len(s.pieces) == before+1 && s.p.err == nil && s.p.marks[s.last].kind == operandMark {
		return s.last
	}
	return -1
}

// finish returns the expressions that were written. Lone operands need no
// parser.
func (s *speller) finish(operands []int) []expr.Expr {
	defer s.release()
	list := make([]expr.Expr, 0, len(operands))
	if s.p.err != nil {
		return nil
	}
	if !slices.Contains(operands, -1) {
		for _, n := range operands {
			list = append(list, s.p.marks[n].x)
		}
		return list
	}
	block := s.parse()
	if block == nil {
		return nil
	}
	c := converter{p: s.p}
	for _, item := range block.SelectExprs {
		list = append(list, c.item(item))
	}
	if c.p.err != nil {
		return nil
	}
	return list
}

// parse gives "select" and what was written to sqlparser. A refusal is a
// mistake at the place that its position stands for; the speller should have
// found it before.
func (s *speller) parse() (block *sqlparser.Select) {
	const begin = "select "
	if s.p.err != nil {
		return nil
	}
	defer func() {
		if r := recover(); r != nil {
			block = nil
			s.refuse(0)
		}
	}()
	statement, err := sqlparser.ParseStrictDDL(begin + string(s.out)) // never logs, unlike Parse
	if err != nil {
		position := 0
		_, _ = fmt.Sscanf(err.Error(), "syntax error at position %d", &position)
		s.refuse(position - len(begin))
		return nil
	}
	return statement.(*sqlparser.Select)
}

func (s *speller) refuse(position int) {
	at := s.p.text.Span
	for _, piece := range s.pieces {
		if piece.offset >= position && piece.offset > 0 {
			break
		}
		at = piece.at
	}
	s.p.fail(lex.CodeUnexpected, at, "this cannot stand here", "put the parts of the expression between parentheses")
}
