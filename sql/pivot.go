package sql

import (
	"strings"

	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/lex"
)

// Pivot is input PIVOT (aggregates FOR columns IN (values)): a row for each
// group of the input's other columns, a column for each value and aggregate.
type Pivot struct {
	At     lex.Span
	Input  TableExpr
	Aggs   []SelectItem
	For    []Ident
	Values []PivotValue
}

// PivotValue is one value of a Pivot: a constant for each of its columns.
type PivotValue struct {
	Cells []expr.Expr
	Alias string // "" for none
}

// Unpivot is input UNPIVOT (values FOR name IN (columns)): a row for each of the
// columns, with its name and its value.
type Unpivot struct {
	At           lex.Span
	Input        TableExpr
	IncludeNulls bool
	Values       []Ident // of the columns that hold the values
	Name         Ident   // of the column that holds the names
	In           []UnpivotColumn
	Alias
}

// UnpivotColumn is one entry of an Unpivot: as many columns as it has values.
type UnpivotColumn struct {
	Columns []*expr.Name
	Alias   string // "" for none
}

// Span returns the place in the text.
func (t *Pivot) Span() lex.Span { return t.At }

// Span returns the place in the text.
func (t *Unpivot) Span() lex.Span { return t.At }

func (*Pivot) table()   {}
func (*Unpivot) table() {}

// String returns the table as FROM holds it.
func (t *Pivot) String() string {
	columns := joined(t.For, Ident.String)
	if len(t.For) > 1 {
		columns = "(" + columns + ")"
	}
	return words(t.Input.String(), "PIVOT ("+joined(t.Aggs, SelectItem.String), "FOR", columns, "IN ("+joined(t.Values, PivotValue.String)+"))")
}

// String returns the value as IN holds it.
func (v PivotValue) String() string {
	text := joined(v.Cells, showExpr)
	if len(v.Cells) > 1 {
		text = "(" + text + ")"
	}
	return words(text, clause("AS", aliasText(v.Alias)))
}

// String returns the table as FROM holds it.
func (t *Unpivot) String() string {
	values := joined(t.Values, Ident.String)
	if len(t.Values) > 1 {
		values = "(" + values + ")"
	}
	return words(t.Input.String(), "UNPIVOT", when(t.IncludeNulls, "INCLUDE NULLS"), "("+values, "FOR", t.Name.String(),
		"IN ("+joined(t.In, UnpivotColumn.String)+"))", t.Alias.String())
}

// String returns the columns as IN holds them.
func (c UnpivotColumn) String() string {
	text := joined(c.Columns, func(n *expr.Name) string { return n.String() })
	if len(c.Columns) > 1 {
		text = "(" + text + ")"
	}
	return words(text, clause("AS", aliasText(c.Alias)))
}

// pivoted reads a relation up to its last PIVOT or UNPIVOT, nil when it has none.
func (p *parser) pivoted() TableExpr {
	var t TableExpr
	for p.pivotAhead() && p.err == nil {
		if t == nil || !p.atPivot(p.i) {
			t = p.joinedApart(t)
		}
		if p.is("PIVOT") {
			t = p.pivot(t)
		} else {
			t = p.unpivot(t)
		}
	}
	return t
}

// atPivot reports whether token i begins PIVOT (…) or UNPIVOT (…); both words may
// be names as well.
func (p *parser) atPivot(i int) bool {
	if i+1 >= len(p.toks) {
		return false
	}
	next := p.toks[i+1]
	return p.toks[i].Is("PIVOT") && next.Is("(") || p.toks[i].Is("UNPIVOT") && (next.Is("(") || next.Is("INCLUDE") || next.Is("EXCLUDE"))
}

// pivotAhead reports whether the relation that begins here has PIVOT or UNPIVOT.
func (p *parser) pivotAhead() bool {
	for i := p.i; i < len(p.toks); i++ {
		switch t := p.toks[i]; {
		case p.atPivot(i) && (i > p.i || p.i > 0 && !p.toks[i-1].Is("FROM")):
			return true
		case t.Is("("):
			if i = p.partner(i); i >= len(p.toks) {
				return false
			}
		case t.Is(")"), t.Is(","), isWord(t, endOfRelation):
			return false
		}
	}
	return false
}

// endOfRelation are the words that end an item of FROM; of LATERAL VIEW the second.
var endOfRelation = strings.Fields("VIEW WHERE GROUP HAVING ORDER LIMIT OFFSET UNION INTERSECT EXCEPT MINUS WINDOW QUALIFY SELECT")

// joinedApart reads tables and joins by themselves, up to a PIVOT; t is what was
// read before, nil for none.
func (p *parser) joinedApart(t TableExpr) TableExpr {
	if !p.deeper() {
		return &SubqueryTable{}
	}
	defer func() { p.depth-- }()
	from := p.i
	at := p.peek().Span
	s := p.speller()
	s.value(&expr.Star{Node: expr.Node{At: at}})
	s.put("from", at)
	if t != nil {
		s.tableMark(t, join{})
	} else {
		s.tablePrimary(join{})
	}
	s.joins()
	b := &Select{At: p.since(from), Items: []SelectItem{{}}}
	p.blockInto(b, s)
	if len(b.From) != 1 {
		return &SubqueryTable{}
	}
	return b.From[0]
}

// pivot reads PIVOT (aggregates FOR columns IN (values)).
func (p *parser) pivot(input TableExpr) TableExpr {
	t := &Pivot{Input: input}
	p.expect("PIVOT", "(")
	for p.err == nil {
		item := SelectItem{X: p.expr()}
		if !p.is("FOR") {
			p.itemAlias(&item)
		}
		t.Aggs = append(t.Aggs, item)
		if !p.accept(",") {
			break
		}
	}
	p.expect("FOR")
	t.For = p.nameOrNames("a column")
	p.expect("IN", "(")
	for p.err == nil {
		v := PivotValue{Cells: p.pivotCells(len(t.For))}
		v.Alias = p.alias().Name
		t.Values = append(t.Values, v)
		if !p.accept(",") {
			break
		}
	}
	p.expect(")", ")")
	t.At = input.Span().To(p.since(p.i - 1))
	return t
}

// pivotCells reads one value, or as many between parentheses as there are columns.
func (p *parser) pivotCells(columns int) []expr.Expr {
	if columns == 1 {
		return []expr.Expr{p.expr()}
	}
	from := p.i
	p.expect("(")
	cells := p.exprs()
	p.expect(")")
	if p.err == nil && len(cells) != columns {
		p.fail(lex.CodeRows, p.since(from), plural(len(cells), "value")+" for "+plural(columns, "column"), "")
	}
	return cells
}

// nameOrNames reads one name, or several between parentheses.
func (p *parser) nameOrNames(what string) []Ident {
	if p.is("(") {
		return p.names(what)
	}
	return []Ident{p.name(what)}
}

// unpivot reads UNPIVOT [INCLUDE NULLS] (values FOR name IN (columns)) [AS t].
func (p *parser) unpivot(input TableExpr) TableExpr {
	t := &Unpivot{Input: input}
	p.expect("UNPIVOT")
	if word := p.acceptAny("INCLUDE", "EXCLUDE"); word != "" {
		t.IncludeNulls = word == "INCLUDE"
		p.expect("NULLS")
	}
	p.expect("(")
	t.Values = p.nameOrNames("a column")
	p.expect("FOR")
	t.Name = p.name("a column")
	p.expect("IN", "(")
	for p.err == nil {
		t.In = append(t.In, p.unpivotColumn(len(t.Values)))
		if !p.accept(",") {
			break
		}
	}
	p.expect(")", ")")
	t.Alias = p.alias()
	t.At = input.Span().To(p.since(p.i - 1))
	return t
}

func (p *parser) unpivotColumn(values int) UnpivotColumn {
	var c UnpivotColumn
	from := p.i
	several := p.accept("(")
	for p.err == nil {
		c.Columns = append(c.Columns, p.columnName())
		if !several || !p.accept(",") {
			break
		}
	}
	if several {
		p.expect(")")
	}
	if p.err == nil && len(c.Columns) != values {
		p.fail(lex.CodeRows, p.since(from), plural(len(c.Columns), "column")+" for "+plural(values, "value"), "")
	}
	c.Alias = p.alias().Name
	return c
}

// columnName reads a column with what stands before it: t.a.
func (p *parser) columnName() *expr.Name {
	from := p.i
	parts := []string{p.name("a column").Name}
	for p.accept(".") {
		parts = append(parts, p.name("a column").Name)
	}
	return &expr.Name{Node: expr.Node{At: p.since(from)}, Parts: parts}
}
