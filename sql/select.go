package sql

import (
	"strings"

	"github.com/xwb1989/sqlparser"

	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/lex"
)

// queryAt reports whether a query begins at token i. Of brackets within
// brackets the inner ones may be a table or a value: ((SELECT 1) + 1).
func (p *parser) queryAt(i int) bool {
	for open := i; open < len(p.toks); open++ {
		if !p.toks[open].Is("(") {
			return p.queryWord(open) && p.bracketsQuery(i, open)
		}
	}
	return false
}

// bracketsQuery reports whether each bracket from one token up to another
// holds a whole query.
func (p *parser) bracketsQuery(from, to int) bool {
	for i := to - 1; i >= from; i-- {
		n := p.partner(i) + 1
		if n >= len(p.toks) {
			return true
		}
		if !isWord(p.toks[n], []string{")", "UNION", "EXCEPT", "MINUS", "INTERSECT", "ORDER", "SORT", "LIMIT", "OFFSET", ";"}) {
			return false
		}
	}
	return true
}

// queryWord reports whether token i is the first word of a query. TABLE and
// VALUES may be names as well: what follows decides.
func (p *parser) queryWord(i int) bool {
	t := p.toks[i]
	next := p.end
	if i+1 < len(p.toks) {
		next = p.toks[i+1]
	}
	switch {
	case t.Is("SELECT"):
		return true
	case t.Is("WITH"), t.Is("TABLE"):
		return next.Name() && !isWord(next, []string{"AS", "IN", "IS", "AND", "OR", "LIKE", "BETWEEN", "DESC", "ASC"})
	case t.Is("VALUES"):
		return next.Is("(") || next.Is("-") || next.Kind == lex.Number || next.IsString() || next.Kind == lex.Hex ||
			isWord(next, []string{"NULL", "TRUE", "FALSE", "DATE", "TIMESTAMP", "ARRAY", "MAP", "STRUCT", "CAST", "INTERVAL"})
	default:
		return false
	}
}

// query reads WITH, set operations, ORDER BY, LIMIT and OFFSET.
func (p *parser) query() *Query {
	from := p.i
	q := &Query{Body: &Values{}}
	if !p.deeper() {
		return q
	}
	defer func() { p.depth-- }()
	if p.accept("WITH") {
		q.With = p.ctes()
	}
	q.Body = p.unions()
	if p.accept("ORDER", "BY") {
		q.OrderBy = p.orders()
	}
	if t := p.peek(); p.is("SORT", "BY") || p.is("CLUSTER", "BY") || p.is("DISTRIBUTE", "BY") {
		p.unsupported(t.Span.To(p.at(1).Span), strings.ToUpper(t.Text)+" BY", "ORDER BY orders the whole result")
	}
	if p.accept("LIMIT") && !p.accept("ALL") {
		q.Limit = p.expr()
		if p.is(",") && p.at(1).Kind == lex.Number {
			p.unsupported(p.peek().Span, "LIMIT with a comma", "write LIMIT n OFFSET m")
		}
	}
	if p.accept("OFFSET") {
		q.Offset = p.expr()
	}
	q.At = p.since(from)
	return q
}

func (p *parser) ctes() []CTE {
	if p.is("RECURSIVE") && p.at(1).Name() && !p.at(1).Is("AS") {
		p.unsupported(p.peek().Span, "WITH RECURSIVE", "write the steps out, or use range(…) for a series")
	}
	var list []CTE
	for {
		c := CTE{Name: p.name("a name")}
		if p.is("(") {
			c.Columns = p.names("a column")
		}
		p.accept("AS")
		p.expect("(")
		c.Query = p.query()
		p.expect(")")
		list = append(list, c)
		if !p.accept(",") {
			return list
		}
	}
}

// unions reads operands of UNION, EXCEPT and MINUS, which bind alike, from the
// left.
func (p *parser) unions() Body {
	from := p.i
	left := p.intersects()
	for p.err == nil {
		op := Union
		switch p.acceptAny("UNION", "EXCEPT", "MINUS") {
		case "":
			return left
		case "EXCEPT", "MINUS":
			op = Except
		}
		left = p.setOperation(op, left, from, p.intersects)
	}
	return left
}

// intersects reads operands of INTERSECT, which binds tighter.
func (p *parser) intersects() Body {
	from := p.i
	left := p.primary()
	for p.accept("INTERSECT") {
		left = p.setOperation(Intersect, left, from, p.primary)
	}
	return left
}

func (p *parser) setOperation(op SetOp, left Body, from int, right func() Body) Body {
	s := &SetOperation{Op: op, Left: left}
	if !p.accept("DISTINCT") {
		s.All = p.accept("ALL")
	}
	s.Right = right()
	s.At = p.since(from)
	return s
}

// primary reads one operand of a set operation.
func (p *parser) primary() Body {
	switch {
	case p.is("("):
		p.next()
		if !p.queryAt(p.i) {
			p.queryExpected()
		}
		q := p.query()
		p.expect(")")
		return q
	case p.is("TABLE") && p.at(1).Name():
		p.next()
		return &Table{Name: p.tableName()}
	case p.is("VALUES"):
		return p.values()
	case p.is("SELECT"):
		return p.selectBlock()
	}
	p.queryExpected()
	return &Values{}
}

func (p *parser) queryExpected() {
	for _, w := range []string{"SELECT", "VALUES", "TABLE", "WITH"} {
		p.wanted(w)
	}
	p.unexpected()
}

// values reads VALUES (1, 'a'), (2, 'b'). With an alias behind it becomes
// SELECT * FROM it.
func (p *parser) values() Body {
	v := p.valueRows()
	if a := p.alias(); a.Name != "" {
		q := &Query{At: v.At, Body: v}
		star := &expr.Star{Node: expr.Node{At: v.At}}
		return &Select{At: v.At, Items: []SelectItem{{X: star}}, From: []TableExpr{&SubqueryTable{At: v.At, Query: q, Alias: a}}}
	}
	return v
}

func (p *parser) valueRows() *Values {
	from := p.i
	p.expect("VALUES")
	v := &Values{}
	for p.err == nil {
		start := p.i
		cells := p.exprsOfRow()
		if len(v.Rows) > 0 && len(cells) != len(v.Rows[0]) && p.err == nil {
			p.fail(lex.CodeRows, p.since(start), "this row has "+plural(len(cells), "value")+", the first has "+plural(len(v.Rows[0]), "value"), "")
		}
		v.Rows = append(v.Rows, cells)
		if !p.accept(",") {
			break
		}
	}
	v.At = p.since(from)
	return v
}

// exprsOfRow reads (a, b), or one value without parentheses.
func (p *parser) exprsOfRow() []expr.Expr {
	if end := p.partner(p.i) + 1; p.is("(") && p.i+1 < len(p.toks) && !p.queryWord(p.i+1) && (end >= len(p.toks) || !continues(p.toks[end])) {
		p.next()
		cells := p.exprs()
		p.expect(")")
		return cells
	}
	return []expr.Expr{p.expr()}
}

// continues reports whether an expression goes on with t behind a bracket.
func continues(t lex.Token) bool {
	return t.Kind == lex.Operator && !t.Is(",") && !t.Is(")") ||
		isWord(t, []string{"AND", "OR", "IS", "IN", "NOT", "LIKE", "ILIKE", "RLIKE", "REGEXP", "BETWEEN", "DIV"})
}

// selectBlock reads one query block. The expressions of the select list, FROM
// with its conditions, WHERE and HAVING become one text for sqlparser.
func (p *parser) selectBlock() Body {
	from := p.i
	b := &Select{}
	p.expect("SELECT")
	if t := p.peek(); t.Kind == lex.Hint {
		p.next()
		b.Hints = hints(t.Text)
	}
	if !p.accept("DISTINCT") {
		p.acceptAll()
	} else {
		b.Distinct = true
	}
	s := p.speller()
	p.selectItems(s, b)
	if p.accept("FROM") {
		s.put("from", p.peek().Span)
		s.tables()
		b.Views = p.lateralViews()
		p.noPivot()
	}
	s.clause("WHERE")
	if p.accept("GROUP", "BY") {
		b.GroupBy = p.groupBy()
	}
	s.clause("HAVING")
	if p.accept("WINDOW") {
		b.Windows = p.namedWindows()
	}
	if p.accept("QUALIFY") {
		b.Qualify = p.expr()
	}
	p.blockInto(b, s)
	b.At = p.since(from)
	return b
}

// acceptAll moves over the ALL of SELECT ALL, but not over a column all.
func (p *parser) acceptAll() {
	if next := p.at(1); p.is("ALL") && !next.Is(",") && !next.Is("FROM") && !next.Is(".") && next.Kind != lex.EOF {
		p.next()
	}
}

func (s *speller) clause(word string) {
	if s.p.accept(word) {
		s.put(strings.ToLower(word), s.p.peek().Span)
		s.expression("")
	}
}

// hints splits the text of /*+ A(x), B */.
func hints(text string) []string {
	var list []string
	depth, start := 0, 0
	text = strings.TrimSpace(text[len("/*+") : len(text)-len("*/")])
	for i, c := range text + "," {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth <= 0:
			if h := strings.Join(strings.Fields(text[start:i]), " "); h != "" {
				list = append(list, h)
			}
			start = i + 1
		}
	}
	return list
}

// selectItems reads the select list; stars and aliases stay here.
func (p *parser) selectItems(s *speller, b *Select) {
	for p.err == nil {
		item := SelectItem{}
		if star := p.star(); star != nil {
			s.value(star)
		} else {
			s.expression("")
			p.itemAlias(&item)
		}
		b.Items = append(b.Items, item)
		if !p.accept(",") {
			return
		}
		s.put(",", p.peek().Span)
	}
}

func (p *parser) itemAlias(item *SelectItem) {
	switch {
	case p.accept("AS"):
		if p.is("(") {
			item.Names = p.nameList("a name")
			return
		}
		item.Alias = p.name("a name").Name
	case p.peek().Name() && !isWord(p.peek(), notAlias):
		p.aliasAt = p.i
		item.Alias = p.next().Value()
	}
}

// notAlias are the keywords that cannot be an alias without AS, since they
// begin what follows.
var notAlias = strings.Fields(`FROM WHERE GROUP HAVING ORDER LIMIT OFFSET UNION INTERSECT EXCEPT MINUS WINDOW QUALIFY LATERAL JOIN INNER CROSS LEFT
	RIGHT FULL NATURAL SEMI ANTI ON USING SORT CLUSTER DISTRIBUTE TABLESAMPLE PIVOT UNPIVOT AS SELECT WHEN THEN ELSE END AND OR SET VALUES IS IN LIKE
	BETWEEN NOT ESCAPE`)

// blockInto gives the text to sqlparser and fills the block from its tree.
func (p *parser) blockInto(b *Select, s *speller) {
	defer s.release()
	tree := s.parse()
	if tree == nil {
		return
	}
	c := converter{p: p}
	if len(tree.SelectExprs) != len(b.Items) {
		c.lost()
		return
	}
	for i, item := range tree.SelectExprs {
		b.Items[i].X = c.item(item)
	}
	if !dual(tree.From) {
		b.From = c.tables(tree.From)
	}
	if tree.Where != nil {
		b.Where = c.expr(tree.Where.Expr)
	}
	if tree.Having != nil {
		b.Having = c.expr(tree.Having.Expr)
	}
}

// dual reports whether sqlparser put in the table that MySQL needs without FROM.
func dual(from sqlparser.TableExprs) bool {
	if len(from) != 1 {
		return false
	}
	t, ok := from[0].(*sqlparser.AliasedTableExpr)
	if !ok {
		return false
	}
	name, ok := t.Expr.(sqlparser.TableName)
	return ok && name.Name.String() == "dual"
}

func (p *parser) namedWindows() []NamedWindow {
	var list []NamedWindow
	for {
		w := NamedWindow{Name: p.name("a window").Name}
		p.expect("AS")
		if spec := p.window(); spec != nil {
			w.Window = *spec
		}
		list = append(list, w)
		if !p.accept(",") {
			return list
		}
	}
}
