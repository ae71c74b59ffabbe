package expr

import (
	"math"
	"strings"

	"github.com/eslake/eslake/sql/row"
)

// call writes a function or an operator. The operators that have a spelling of
// their own are written that way only with the operands that it has room for.
func (p *printer) call(e *Call) {
	switch n := plain(e); {
	case n == 1 && sign[e.Func] != "":
		p.signed(e)
		return
	case n == 1 && e.Func == "not":
		p.not(e.Args[0])
		return
	case n == 1 && test[e.Func][0] != "":
		p.expr(e.Args[0], levelBitOr)
		p.WriteString(" " + test[e.Func][0])
		return
	case n == 2 && binary[e.Func].sign != "":
		p.binary(e)
		return
	case operator(e):
		p.predicate(e, false)
		return
	case n >= 2 && p.special(e):
		return
	}
	p.function(e)
}

// signed writes -x, +x, ~x. A number behind the minus gets parentheses, since
// -1 is a literal; another minus stands apart, since -- is a comment.
func (p *printer) signed(e *Call) {
	p.WriteString(sign[e.Func])
	least := levelSign
	if e.Func == "negative" {
		switch first := firstOf(e.Args[0]).(type) {
		case *Call:
			if first.Func == e.Func && plain(first) == 1 {
				p.WriteByte(' ')
			}
		case *Literal:
			switch negative, number := signOf(first); {
			case negative:
				p.WriteByte(' ')
			case number:
				least = levelPrimary + 1
			}
		}
	}
	p.expr(e.Args[0], least)
}

// firstOf returns the operand that an expression begins with as it is printed.
func firstOf(e Expr) Expr {
	for {
		e = unwrap(e)
		x, ok := e.(*Index)
		if !ok || bound(x.X) < levelPrimary {
			return e
		}
		e = x.X
	}
}

// signOf reports whether a literal prints as a number, and with a minus.
func signOf(l *Literal) (negative, number bool) {
	switch v := l.Value.(type) {
	case int64:
		number = l.T.Kind != row.Date && l.T.Kind != row.Timestamp && l.T.Kind != row.TimestampNTZ
		return number && v < 0, number
	case float64:
		number = !math.IsNaN(v) && !math.IsInf(v, 0)
		return number && math.Signbit(v), number
	case string:
		number = l.T.Kind == row.Decimal
		return number && strings.HasPrefix(v, "-"), number
	default:
		return false, false
	}
}

// unwrap returns what is printed of an expression: casts that binding put in
// are not.
func unwrap(e Expr) Expr {
	for {
		c, ok := e.(*Cast)
		if !ok || !c.Implicit {
			return e
		}
		e = c.X
	}
}

func (p *printer) not(x Expr) {
	switch e := unwrap(x).(type) {
	case *Subquery:
		if e.Kind == In {
			p.expr(e.X, levelBitOr)
			p.WriteString(" NOT IN (" + e.Query.String() + ")")
			return
		}
	case *Call:
		if !negatable(e) {
			break
		}
		if is, ok := test[e.Func]; ok {
			p.expr(e.Args[0], levelBitOr)
			p.WriteString(" " + is[1])
			return
		}
		p.predicate(e, true)
		return
	}
	p.WriteString("NOT ")
	p.expr(x, levelNot)
}

func (p *printer) binary(e *Call) {
	op := binary[e.Func]
	left, right := op.level, op.level+1
	if op.level == levelCompare {
		left = levelBitOr
	}
	p.expr(e.Args[0], left)
	p.WriteString(" " + op.sign + " ")
	p.expr(e.Args[1], right)
}

// predicate writes x [NOT] LIKE y ESCAPE z, x [NOT] IN (…), x [NOT] BETWEEN y
// AND z.
func (p *printer) predicate(e *Call, not bool) {
	p.expr(e.Args[0], levelBitOr)
	if not {
		p.WriteString(" NOT")
	}
	rest := e.Args[1:]
	switch {
	case e.Func == "in":
		p.WriteString(" IN (")
		p.list(rest)
		p.WriteByte(')')
	case e.Func == "between":
		p.WriteString(" BETWEEN ")
		p.expr(rest[0], levelBitOr)
		p.WriteString(" AND ")
		p.expr(rest[1], levelBitOr)
	case likeList[e.Func] != "":
		p.WriteString(" " + likeList[e.Func] + " (")
		p.list(rest)
		p.WriteByte(')')
	default:
		p.WriteString(" " + like[e.Func] + " ")
		p.expr(rest[0], levelBitOr)
		if len(rest) > 1 {
			p.WriteString(" ESCAPE ")
			p.expr(rest[1], levelBitOr)
		}
	}
}

// trims are the functions written TRIM(BOTH x FROM y): their two arguments are
// the characters and the text, in that order.
var trims = map[string]string{"trim": "BOTH", "ltrim": "LEADING", "rtrim": "TRAILING"}

// units are the functions whose first of three arguments is a unit of time,
// written as a word.
var units = map[string]bool{
	"timestampadd": true, "timestampdiff": true, "dateadd": true, "date_add": true, "datediff": true, "date_diff": true,
}

// Unit reports whether a function of that many arguments takes a unit of time
// as its first: timestampdiff(HOUR, a, b).
func Unit(name string, args int) bool { return args == 3 && units[name] }

// special writes the functions that have a grammar of their own; it reports
// false for the others.
func (p *printer) special(e *Call) bool {
	word := literalWord(e.Args[0])
	switch {
	case len(e.Args) == 2 && trims[e.Func] != "":
		p.WriteString("trim(" + trims[e.Func] + " ")
		p.expr(e.Args[0], levelOr)
		p.WriteString(" FROM ")
		p.expr(e.Args[1], levelOr)
	case e.Func == "extract" && len(e.Args) == 2 && word != "":
		p.WriteString("extract(" + word + " FROM ")
		p.expr(e.Args[1], levelOr)
	case Unit(e.Func, len(e.Args)) && word != "":
		p.WriteString(e.Func + "(" + word + ", ")
		p.list(e.Args[1:])
	default:
		return false
	}
	p.WriteByte(')')
	return true
}

// literalWord returns the text of a string literal that is a word, else "".
func literalWord(e Expr) string {
	l, ok := e.(*Literal)
	if !ok {
		return ""
	}
	s, _ := l.Value.(string)
	for _, c := range s {
		if c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') {
			return ""
		}
	}
	return s
}

func (p *printer) function(e *Call) {
	p.WriteString(functionName(e.Func) + "(")
	if e.Distinct {
		p.WriteString("DISTINCT ")
	}
	p.list(e.Args)
	p.WriteByte(')')
	if e.IgnoreNulls {
		p.WriteString(" IGNORE NULLS")
	}
	if len(e.Within) > 0 {
		p.WriteString(" WITHIN GROUP (ORDER BY ")
		p.orders(e.Within)
		p.WriteByte(')')
	}
	if e.Filter != nil {
		p.WriteString(" FILTER (WHERE ")
		p.expr(e.Filter, levelOr)
		p.WriteByte(')')
	}
	if e.Over != nil {
		p.WriteString(" OVER ")
		p.window(e.Over)
	}
}

// callable holds the functions that are keywords too: before a bracket they are functions.
var callable = map[string]bool{"exists": true, "left": true, "right": true, "like": true, "ilike": true, "rlike": true, "regexp": true}

func functionName(name string) string {
	if callable[strings.ToLower(name)] {
		return name
	}
	return QuoteName(name)
}
