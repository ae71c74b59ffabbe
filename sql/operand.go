package sql

import (
	"strings"

	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/lex"
	"github.com/eslake/eslake/sql/row"
)

const anExpression = "an expression"

// mark is what a placeholder stands for.
type mark struct {
	at    lex.Span
	kind  markKind
	x     expr.Expr   // operandMark, queryMark: finished; indexMark: the key
	call  *expr.Call  // callMark, without arguments
	alias []string    // callMark of struct: names of the arguments, "" for none
	name  string      // operatorMark, testMark: function; fieldMark: field
	not   bool        // operatorMark, testMark
	args  []expr.Expr // operatorMark, testMark: more arguments
	typ   row.Type    // castMark, typeMark
	try   bool        // castMark
	table TableExpr   // tableMark
	join  join        // tableMark on the right side of a join
}

type markKind uint8

const (
	operandMark  markKind = iota
	queryMark             // the query of IN
	callMark              // a function
	caseMark              // CASE … END
	castMark              // CAST(x AS type)
	concatMark            // between the two + of ||
	operatorMark          // an operator that MySQL lacks, with a right side
	testMark              // a predicate that MySQL lacks, without a right side
	fieldMark             // .field
	indexMark             // [key]
	typeMark              // ::type
	tableMark             // something to select from
)

// notOperand are the keywords that cannot be a column without back-quotes,
// since they begin what follows an expression.
var notOperand = strings.Fields("AND AS BETWEEN BY CASE ELSE FROM GROUP HAVING IN INTO IS JOIN LIKE LIMIT NOT ON OR ORDER SELECT THEN UNION WHEN WHERE")

// operand writes one operand: a literal, a column, a function, something
// between parentheses.
func (s *speller) operand() {
	p := s.p
	t := p.peek()
	switch t.Kind {
	case lex.Number, lex.String, lex.Raw, lex.Hex:
		s.value(p.literal())
	case lex.Word:
		s.wordOperand(t)
	case lex.Quoted:
		if p.at(1).Is("->") {
			s.value(p.lambda())
		} else {
			s.nameOperand()
		}
	default:
		switch {
		case t.Is("(") && p.lambdaAt(p.i):
			s.value(p.lambda())
		case t.Is("("):
			s.parentheses()
		case t.Is("-") && p.at(1).Kind == lex.Number:
			s.value(p.literal())
		default:
			s.noOperand()
		}
	}
}

func (s *speller) noOperand() {
	s.p.wanted(anExpression)
	s.p.unexpected()
}

// wordOperand writes an operand that begins with a word: keywords first, where
// what follows shows that they are meant.
func (s *speller) wordOperand(t lex.Token) {
	p := s.p
	next := p.at(1)
	switch {
	case next.Is("->"):
		s.value(p.lambda())
	case t.Is("NULL"), t.Is("TRUE"), t.Is("FALSE"):
		s.value(p.literal())
	case typedLiteral(t) && next.IsString(), t.Is("INTERVAL") && p.intervalAt(1):
		s.value(p.literal())
	case t.Is("CASE"):
		s.caseOperand()
	case t.Is("EXISTS") && next.Is("(") && p.queryAt(p.i+2):
		from := p.i
		p.i += 2
		q := p.query()
		p.expect(")")
		s.value(&expr.Subquery{Node: expr.Node{At: p.since(from)}, Kind: expr.Exists, Query: q})
	case (t.Is("CAST") || t.Is("TRY_CAST")) && next.Is("("):
		s.cast()
	case t.Is("END") && s.cases > 0, isWord(t, notOperand):
		s.noOperand()
	default:
		s.nameOperand()
	}
}

func isWord(t lex.Token, words []string) bool {
	for _, w := range words {
		if t.Is(w) {
			return true
		}
	}
	return false
}

// nameOperand writes a column or a function.
func (s *speller) nameOperand() {
	p := s.p
	from := p.i
	parts := []string{p.next().Value()}
	for p.is(".") && p.at(1).Name() {
		p.next()
		parts = append(parts, p.next().Value())
	}
	if !p.is("(") {
		s.value(&expr.Name{Node: expr.Node{At: p.since(from)}, Parts: parts})
		return
	}
	if len(parts) > 1 {
		p.unsupported(p.since(from), "a function of another database", "write the function's name alone")
		return
	}
	s.function(from, strings.ToLower(parts[0]))
}

// parentheses writes (x), a tuple (x, y), or a query as a finished operand.
func (s *speller) parentheses() {
	p := s.p
	from := p.i
	if p.queryAt(p.i + 1) {
		p.next()
		q := p.query()
		p.expect(")")
		s.value(&expr.Subquery{Node: expr.Node{At: p.since(from)}, Kind: expr.Scalar, Query: q})
		return
	}
	s.word("(")
	s.list()
	p.expect(")")
	s.put(")", p.since(from))
}

// cast writes CAST(x AS type) as n17(x).
func (s *speller) cast() {
	p := s.p
	from := p.i
	n := s.mark("n", mark{kind: castMark, try: p.next().Is("TRY_CAST")})
	p.next()
	s.put("(", p.peek().Span)
	s.expression("")
	p.expect("AS")
	p.marks[n].typ, _ = p.typeName()
	p.expect(")")
	s.put(")", p.peek().Span)
	p.marks[n].at = p.since(from)
}

// caseOperand writes CASE … END as n17(case … end).
func (s *speller) caseOperand() {
	p := s.p
	from := p.i
	n := s.mark("n", mark{kind: caseMark})
	s.put("(", p.peek().Span)
	s.word("case")
	s.cases++
	if !p.is("WHEN") {
		s.expression("")
	}
	for first := true; first || p.is("WHEN"); first = false {
		p.expect("WHEN")
		s.put("when", p.peek().Span)
		s.expression("")
		p.expect("THEN")
		s.put("then", p.peek().Span)
		s.expression("")
		if p.err != nil {
			break
		}
	}
	if p.accept("ELSE") {
		s.put("else", p.peek().Span)
		s.expression("")
	}
	p.wanted("WHEN")
	p.expect("END")
	s.cases--
	s.put("end )", p.peek().Span)
	p.marks[n].at = p.since(from)
}

// postfixes writes what follows an operand, each as COLLATE p17: [key], .field,
// ::type.
func (s *speller) postfixes() {
	p := s.p
	for p.err == nil {
		at := p.peek().Span
		switch {
		case p.is("["):
			p.next()
			key := p.expr()
			p.expect("]")
			s.postfix(mark{kind: indexMark, at: at, x: key})
		case p.is(".") && p.at(1).Name():
			p.next()
			field := p.name("a field")
			s.postfix(mark{kind: fieldMark, at: at, name: field.Name})
		case p.is("::"):
			p.next()
			t, _ := p.typeName()
			s.postfix(mark{kind: typeMark, at: at, typ: t})
		default:
			return
		}
	}
}

func (s *speller) postfix(m mark) {
	s.put("collate", m.at)
	m.at = m.at.To(s.p.since(s.p.i - 1))
	s.mark("p", m)
}

// lambdaAt reports whether a lambda with parameters between parentheses begins
// at token i.
func (p *parser) lambdaAt(i int) bool {
	n := p.partner(i) + 1
	return n < len(p.toks) && p.toks[n].Is("->")
}

// lambda reads x -> body and (x, y) -> body.
func (p *parser) lambda() expr.Expr {
	from := p.i
	l := &expr.Lambda{}
	if p.is("(") {
		l.Params = p.nameList("a parameter")
	} else {
		l.Params = []string{p.name("a parameter").Name}
	}
	p.expect("->")
	l.Body = p.expr()
	l.At = p.since(from)
	return l
}
