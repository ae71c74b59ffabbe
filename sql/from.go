package sql

import (
	"slices"
	"strconv"
	"strings"

	"github.com/xwb1989/sqlparser"

	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/lex"
)

// join is what a join travels with, in the mark of its right table.
type join struct {
	kind    JoinKind
	natural bool
	using   []Ident
}

// tables writes the tables of FROM: n17, n18 join n19 on …
func (s *speller) tables() {
	s.relation()
	for s.p.accept(",") {
		s.put(",", s.p.peek().Span)
		s.relation()
	}
}

// relation writes a table and what is joined to it. Every kind of join is
// written as an inner one; the kind is in the mark of the right table.
func (s *speller) relation() {
	if t := s.p.pivoted(); t != nil {
		s.tableMark(t, join{})
	} else {
		s.tablePrimary(join{})
	}
	s.joins()
}

// joins writes what is joined to the table before.
func (s *speller) joins() {
	p := s.p
	for p.err == nil {
		at := p.peek().Span
		j, ok := p.joinWords()
		if !ok {
			return
		}
		s.put("join", at)
		mark := s.tablePrimary(j)
		switch {
		case p.accept("ON"):
			s.put("on", at)
			s.expression("")
		case p.accept("USING") && mark >= 0:
			p.marks[mark].join.using = p.names("a column")
		}
	}
}

// joinWords reads the words of a join, up to JOIN.
func (p *parser) joinWords() (join, bool) {
	j := join{natural: p.is("NATURAL") && p.accept("NATURAL")}
	kinds := []struct {
		words []string
		kind  JoinKind
	}{
		{[]string{"JOIN"}, InnerJoin},
		{[]string{"INNER", "JOIN"}, InnerJoin},
		{[]string{"CROSS", "JOIN"}, CrossJoin},
		{[]string{"LEFT", "JOIN"}, LeftJoin},
		{[]string{"LEFT", "OUTER", "JOIN"}, LeftJoin},
		{[]string{"RIGHT", "JOIN"}, RightJoin},
		{[]string{"RIGHT", "OUTER", "JOIN"}, RightJoin},
		{[]string{"FULL", "JOIN"}, FullJoin},
		{[]string{"FULL", "OUTER", "JOIN"}, FullJoin},
		{[]string{"LEFT", "SEMI", "JOIN"}, SemiJoin},
		{[]string{"SEMI", "JOIN"}, SemiJoin},
		{[]string{"LEFT", "ANTI", "JOIN"}, AntiJoin},
		{[]string{"ANTI", "JOIN"}, AntiJoin},
	}
	for _, k := range kinds {
		if p.is(k.words...) {
			p.i += len(k.words)
			j.kind = k.kind
			return j, true
		}
	}
	p.wanted("JOIN")
	if p.isAny("LEFT", "RIGHT", "FULL", "INNER", "CROSS", "SEMI", "ANTI") || j.natural {
		p.next()
		p.expect("JOIN")
	}
	return j, false
}

// tablePrimary writes one table and returns its mark, or a join between
// parentheses and returns -1.
func (s *speller) tablePrimary(j join) int {
	p := s.p
	s.nest++
	defer func() { s.nest-- }()
	if s.nest > maxNest {
		p.tooDeep(p.peek().Span)
	}
	if p.is("(") && !p.queryAt(p.i+1) && p.err == nil {
		if j.kind != "" && (j.kind != InnerJoin || j.natural) {
			return s.tableMark(p.parenthesized(), j)
		}
		return s.openJoin(j)
	}
	return s.tableMark(p.table(), j)
}

// openJoin writes a join between parentheses; with an alias or
// USING behind it, it is read apart.
func (s *speller) openJoin(j join) int {
	p := s.p
	end := p.partner(p.i)
	if end+1 < len(p.toks) && (p.toks[end+1].Is("AS") || p.toks[end+1].Is("USING") || p.toks[end+1].Name() && !isWord(p.toks[end+1], notAlias)) {
		return s.tableMark(p.parenthesized(), j)
	}
	s.word("(")
	s.tables()
	p.expect(")")
	s.put(")", p.peek().Span)
	return -1
}

// parenthesized reads (a JOIN b) t as (SELECT * FROM a JOIN b) t. It also
// stands where a join has a kind that only a mark can hold.
func (p *parser) parenthesized() TableExpr {
	from := p.i
	p.expect("(")
	if !p.deeper() {
		return &SubqueryTable{}
	}
	defer func() { p.depth-- }()
	at := p.peek().Span
	s := p.speller()
	s.value(&expr.Star{Node: expr.Node{At: at}})
	s.put("from", at)
	s.tables()
	p.expect(")")
	b := &Select{At: p.since(from), Items: []SelectItem{{}}}
	p.blockInto(b, s)
	alias := p.alias()
	if alias.Name == "" && len(b.From) == 1 {
		return b.From[0]
	}
	return &SubqueryTable{At: b.At, Query: &Query{At: b.At, Body: b}, Alias: alias}
}

func (s *speller) tableMark(t TableExpr, j join) int {
	if s.p.err != nil {
		return -1
	}
	return s.mark("n", mark{at: t.Span(), kind: tableMark, table: t, join: j})
}

// fileFormats are the names that read a file: csv.`path`.
var fileFormats = strings.Fields("CSV JSON NDJSON PARQUET ORC TEXT AVRO REJECTS")

// table reads one table, query, function or VALUES with its alias.
func (p *parser) table() TableExpr {
	from := p.i
	lateral := p.accept("LATERAL")
	switch {
	case p.is("("):
		p.next()
		t := &SubqueryTable{Lateral: lateral, Query: p.query()}
		p.expect(")")
		t.At = p.since(from)
		t.Sample = p.sample()
		t.Alias = p.alias()
		return t
	case p.is("VALUES") && p.queryWord(p.i):
		v := p.valueRows()
		return &SubqueryTable{At: v.At, Lateral: lateral, Query: &Query{At: v.At, Body: v}, Alias: p.alias()}
	case p.peek().Name() && p.at(1).Is("("):
		c, ok := p.expr().(*expr.Call)
		if !ok {
			p.fail(lex.CodeUnexpected, p.since(from), "this is not a table function", "")
			c = &expr.Call{}
		}
		return &FunctionTable{At: c.At, Call: c, Alias: p.alias()}
	case p.peek().Name() && slices.Contains(fileFormats, strings.ToUpper(p.peek().Value())) && p.at(1).Is(".") && p.at(2).Kind == lex.Quoted:
		t := &FileTable{Format: p.name("a format")}
		p.next()
		t.Path = p.name("a path")
		t.Sample = p.sample()
		t.Alias = p.alias()
		return t
	case isWord(p.peek(), notOperand):
		p.wanted("a table")
		p.unexpected()
	}
	t := &NamedTable{Name: p.tableName()}
	if p.is("VERSION", "AS", "OF") || p.is("TIMESTAMP", "AS", "OF") || p.is("FOR", "SYSTEM_TIME") {
		p.unsupported(p.peek().Span, "reading an older version", "an index keeps only what is in it now")
	}
	t.Sample = p.sample()
	t.Alias = p.alias()
	return t
}

// alias reads [AS] name [(columns)].
func (p *parser) alias() Alias {
	var a Alias
	switch {
	case p.accept("AS"):
		a.Name = p.name("a name").Name
	case p.peek().Name() && !isWord(p.peek(), notAlias):
		p.aliasAt = p.i
		a.Name = p.next().Value()
	default:
		return a
	}
	if p.is("(") {
		a.Columns = p.nameList("a column")
	}
	return a
}

// sample reads TABLESAMPLE (10 ROWS) and TABLESAMPLE (5 PERCENT).
func (p *parser) sample() Sample {
	var s Sample
	if !p.accept("TABLESAMPLE") {
		return s
	}
	p.expect("(")
	t := p.next()
	v, err := strconv.ParseFloat(t.Text, 64)
	switch {
	case t.Kind != lex.Number || err != nil:
		p.i--
		p.wanted("a number")
		p.unexpected()
	case p.accept("PERCENT"):
		if v > 100 {
			p.fail(lex.CodeLiteral, t.Span, "a sample has at most 100 PERCENT", "")
		}
		s = Sample{Percent: v, Set: true}
	case p.accept("ROWS"):
		if s.Rows, err = strconv.ParseInt(t.Text, 10, 64); err != nil {
			p.fail(lex.CodeLiteral, t.Span, "a sample has a whole number of ROWS", "")
		}
		s.Set = true
	default:
		p.unexpected()
	}
	p.expect(")")
	if p.is("REPEATABLE") {
		p.unsupported(p.peek().Span, "REPEATABLE", "a sample is taken anew each time")
	}
	return s
}

// lateralViews reads LATERAL VIEW [OUTER] f(…) t [AS] a, b.
func (p *parser) lateralViews() []LateralView {
	var list []LateralView
	for p.accept("LATERAL", "VIEW") {
		v := LateralView{Outer: p.is("OUTER") && !p.at(1).Is("(") && p.accept("OUTER")}
		from := p.i
		c, ok := p.expr().(*expr.Call)
		if !ok {
			p.fail(lex.CodeUnexpected, p.since(from), "LATERAL VIEW needs a function that makes rows", "for example explode(tags)")
			return list
		}
		v.Call = c
		if !p.is("AS") && p.peek().Name() && !isWord(p.peek(), notAlias) {
			v.Table = p.name("a name")
		}
		if p.accept("AS") || v.Table.Name != "" && p.peek().Name() && !isWord(p.peek(), notAlias) {
			v.Columns = []Ident{p.name("a column")}
			for p.accept(",") {
				v.Columns = append(v.Columns, p.name("a column"))
			}
		}
		list = append(list, v)
	}
	return list
}

// noPivot refuses PIVOT behind LATERAL VIEW, where it would pivot the views too.
func (p *parser) noPivot() {
	if p.atPivot(p.i) {
		p.unsupported(p.peek().Span, strings.ToUpper(p.peek().Text)+" behind LATERAL VIEW", "put the table and its LATERAL VIEW into a subquery")
	}
}

// tables turns sqlparser's FROM into ours.
func (c *converter) tables(from sqlparser.TableExprs) []TableExpr {
	var list []TableExpr
	for _, t := range from {
		list = append(list, c.table(t))
	}
	return list
}

func (c *converter) table(e sqlparser.TableExpr) TableExpr {
	switch e := e.(type) {
	case *sqlparser.AliasedTableExpr:
		return c.tableMark(e).table
	case *sqlparser.ParenTableExpr:
		if list := c.tables(e.Exprs); len(list) > 0 {
			return crossed(list)
		}
	case *sqlparser.JoinTableExpr:
		j := &Join{Kind: InnerJoin, Left: c.table(e.LeftExpr), Right: c.table(e.RightExpr)}
		if t, ok := e.RightExpr.(*sqlparser.AliasedTableExpr); ok {
			m := c.tableMark(t)
			j.Kind, j.Natural, j.Using = m.join.kind, m.join.natural, m.join.using
		}
		if e.Condition.On != nil {
			j.On = c.expr(e.Condition.On)
		}
		return j
	}
	c.lost()
	return &NamedTable{}
}

// crossed joins the tables of (a, b) as FROM does.
func crossed(list []TableExpr) TableExpr {
	t := list[0]
	for _, right := range list[1:] {
		t = &Join{Kind: CrossJoin, Left: t, Right: right}
	}
	return t
}

func (c *converter) tableMark(t *sqlparser.AliasedTableExpr) *mark {
	if name, ok := t.Expr.(sqlparser.TableName); ok {
		if m := c.markOf(name.Name.String()); m.table != nil {
			return m
		}
	}
	c.lost()
	return &mark{table: &NamedTable{}}
}
