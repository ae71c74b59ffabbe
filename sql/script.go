package sql

import (
	"strconv"
	"strings"

	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/lex"
	"github.com/eslake/eslake/sql/row"
)

// set reads SET; SET -v; SET key; SET key = value. The value is the text up to
// the end of the statement.
func (p *parser) set() Statement {
	from := p.i
	p.next()
	s := &Set{}
	if p.is("-") && p.at(1).Is("v") {
		p.i += 2
		s.Verbose = true
	} else if p.is("TIME", "ZONE") {
		p.timeZone(s)
	} else if p.i < len(p.toks) {
		s.Key = p.setKey()
		if p.accept("=") {
			s.Assign = true
			s.Value = p.rest()
		}
	}
	s.At = p.since(from)
	return s
}

// timeZone reads SET TIME ZONE 'zone' and SET TIME ZONE INTERVAL … HOUR, which set
// spark.sql.session.timeZone.
func (p *parser) timeZone(s *Set) {
	from := p.i
	p.i += 2
	s.Key, s.Assign = Ident{Name: "spark.sql.session.timeZone", At: p.since(from)}, true
	switch {
	case p.i < len(p.toks) && p.peek().IsString():
		s.Value = p.stringLiteral().Value.(string)
	case p.is("INTERVAL"):
		s.Value = p.zoneInterval()
	default:
		p.fail(lex.CodeLiteral, p.since(from), "the time zone is missing", "write SET TIME ZONE 'Europe/Berlin', or an offset: SET TIME ZONE INTERVAL 2 HOURS")
	}
}

// zoneInterval reads an offset of at most 18 hours.
func (p *parser) zoneInterval() string {
	from := p.i
	v, ok := p.interval().Value.(expr.Interval)
	minutes := v.Micros / 60_000_000
	if !ok || v.Months != 0 || v.Days != 0 || v.Micros%60_000_000 != 0 || minutes > 18*60 || minutes < -18*60 {
		p.fail(lex.CodeLiteral, p.since(from), "the interval is no time zone", "it is up to 18 hours, without seconds")
	}
	return string(row.AppendOffset(nil, minutes*60))
}

// setKey reads a key with dots, dashes and colons in it.
func (p *parser) setKey() Ident {
	from := p.i
	var key strings.Builder
	for p.i < len(p.toks) && !p.is("=") {
		t := p.peek()
		if p.i > from && !t.Touch {
			break
		}
		if t.Kind == lex.Word || t.Kind == lex.Number || t.Is(".") || t.Is("-") || t.Is(":") {
			key.WriteString(t.Text)
		} else if t.Kind == lex.Quoted || t.IsString() {
			key.WriteString(t.Value())
		} else {
			break
		}
		p.next()
	}
	if key.Len() == 0 {
		p.i = from
		p.wanted("a key")
		p.unexpected()
	}
	return Ident{Name: key.String(), At: p.since(from)}
}

// rest returns the text up to the end: of one string literal, what it holds.
func (p *parser) rest() string {
	from := p.i
	p.i = len(p.toks)
	if from == p.i {
		return ""
	}
	if p.i == from+1 && p.toks[from].IsString() {
		return p.toks[from].Value()
	}
	var b strings.Builder
	for i := from; i < p.i; i++ {
		t := p.toks[i]
		if i > from && !t.Touch {
			b.WriteString(p.gap(p.toks[i-1], t))
		}
		b.WriteString(t.Text)
	}
	return b.String()
}

// gap returns the space between two tokens as it was written; one space where a
// comment or a variable was.
func (p *parser) gap(a, b lex.Token) string {
	if a.Span.End >= b.Span.Start {
		return " "
	}
	text := p.text.Src[a.Span.End:b.Span.Start]
	if strings.TrimSpace(text) != "" || strings.ContainsAny(text, "\r\n") {
		return " "
	}
	return text
}

// reset reads RESET [key].
func (p *parser) reset() Statement {
	from := p.i
	p.next()
	r := &Reset{}
	if p.i < len(p.toks) {
		r.Key = p.setKey()
	}
	r.At = p.since(from)
	return r
}

// source reads SOURCE 'file'.
func (p *parser) source() Statement {
	from := p.i
	p.next()
	s := &Source{Path: p.stringLit("the path of a file between quotes")}
	s.At = p.since(from)
	return s
}

// undo reads UNDO JOB 'id'.
func (p *parser) undo() Statement {
	from := p.i
	p.next()
	p.expect("JOB")
	u := &UndoJob{ID: p.stringLit("the id of a job between quotes")}
	u.At = p.since(from)
	return u
}

// assert reads ASSERT condition [, 'message']. A query between parentheses is its
// one value.
func (p *parser) assert() Statement {
	from := p.i
	p.next()
	a := &Assert{Cond: p.expr()}
	if p.accept(",") {
		a.Message = p.stringLit("a message").Name
	}
	a.At = p.since(from)
	return a
}

func plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}
