package sql

import (
	"fmt"

	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/lex"
)

// maxSets bounds the sets that CUBE and products of ROLLUPs grow to.
const maxSets = 4096

// grouping is one element of GROUP BY: an expression, or the sets of ROLLUP,
// CUBE, GROUPING SETS.
type grouping struct {
	kind string // "" for one expression
	keys []expr.Expr
	sets [][]expr.Expr
}

// groupBy reads what follows GROUP BY.
func (p *parser) groupBy() *GroupBy {
	if next := p.at(1); p.is("ALL") && !next.Is(",") && !next.Is(".") && !next.Is("(") {
		p.next()
		return &GroupBy{All: true}
	}
	var list []grouping
	for {
		list = append(list, p.grouping())
		if !p.accept(",") {
			break
		}
	}
	g := &GroupBy{}
	if p.is("WITH") && (p.at(1).Is("ROLLUP") || p.at(1).Is("CUBE")) {
		p.next()
		g.Kind = p.acceptAny("ROLLUP", "CUBE")
	}
	if p.accept("GROUPING", "SETS") {
		g.Kind = "GROUPING SETS"
		g.Sets = p.groupingSets()
	}
	return p.grouped(g, list)
}

// grouped puts the elements together. One ROLLUP or CUBE stays what it is;
// several elements of which one has sets become GROUPING SETS, each set of one
// with each set of the others, as in Spark.
func (p *parser) grouped(g *GroupBy, list []grouping) *GroupBy {
	plain := true
	for _, e := range list {
		plain = plain && e.kind == ""
		g.Keys = append(g.Keys, e.keys...)
	}
	switch {
	case plain || p.err != nil:
		return g
	case g.Kind != "":
		p.fail(lex.CodeUnexpected, p.since(p.i-1), "GROUP BY has two kinds of sets", "write GROUPING SETS (…) alone")
	case len(list) == 1 && list[0].keys != nil:
		g.Kind = list[0].kind
		return g
	}
	sets := [][]expr.Expr{nil}
	for _, e := range list {
		sets = crossSets(sets, e.all())
		if len(sets) > maxSets {
			p.fail(lex.CodeDepth, p.since(p.i-1), fmt.Sprintf("GROUP BY has more than %d sets", maxSets), "")
			return g
		}
	}
	return &GroupBy{Kind: "GROUPING SETS", Sets: sets}
}

// crossSets joins each set of a with each of b.
func crossSets(a, b [][]expr.Expr) [][]expr.Expr {
	var out [][]expr.Expr
	for _, x := range a {
		for _, y := range b {
			out = append(out, append(append([]expr.Expr{}, x...), y...))
		}
	}
	return out
}

// all returns the sets of an element.
func (g grouping) all() [][]expr.Expr {
	switch {
	case g.kind == "":
		return [][]expr.Expr{g.keys}
	case g.keys == nil:
		return g.sets
	}
	parts := make([][]expr.Expr, len(g.keys))
	for i, k := range g.keys {
		parts[i] = []expr.Expr{k}
	}
	return expand(g.kind, parts)
}

// expand returns the sets of ROLLUP (every beginning, longest first) or CUBE
// (every choice) over parts.
func expand(kind string, parts [][]expr.Expr) [][]expr.Expr {
	var sets [][]expr.Expr
	if kind == "ROLLUP" {
		for n := len(parts); n >= 0; n-- {
			set := []expr.Expr{}
			for _, part := range parts[:n] {
				set = append(set, part...)
			}
			sets = append(sets, set)
		}
		return sets
	}
	for mask := 1<<len(parts) - 1; mask >= 0; mask-- {
		set := []expr.Expr{}
		for i, part := range parts {
			if mask&(1<<(len(parts)-1-i)) != 0 {
				set = append(set, part...)
			}
		}
		sets = append(sets, set)
	}
	return sets
}

// grouping reads one element of GROUP BY.
func (p *parser) grouping() grouping {
	switch {
	case p.is("ROLLUP", "(") || p.is("CUBE", "("):
		kind := p.acceptAny("ROLLUP", "CUBE")
		return p.rollup(kind)
	case p.is("GROUPING", "SETS", "("):
		p.i += 2
		return grouping{kind: "GROUPING SETS", sets: p.groupingSets()}
	case p.is("(", ")"):
		p.fail(lex.CodeUnexpected, p.peek().Span.To(p.at(1).Span), "GROUP BY needs an expression", "one group of all rows: leave GROUP BY out, or write GROUPING SETS (())")
		return grouping{}
	}
	return grouping{keys: p.exprsOfRow()}
}

// rollup reads the elements of ROLLUP (…) and CUBE (…). Elements of several
// expressions turn it into plain sets.
func (p *parser) rollup(kind string) grouping {
	p.expect("(")
	var parts [][]expr.Expr
	g := grouping{kind: kind}
	simple := true
	for {
		part := p.exprsOfRow()
		parts = append(parts, part)
		simple = simple && len(part) == 1
		g.keys = append(g.keys, part...)
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
	if len(parts) > 12 {
		p.fail(lex.CodeDepth, p.since(p.i-1), kind+" has more than 12 elements", "")
		return g
	}
	if !simple {
		g.keys, g.sets = nil, expand(kind, parts)
	}
	return g
}

// groupingSets reads ((a, b), a, (), ROLLUP(a, b)).
func (p *parser) groupingSets() [][]expr.Expr {
	sets := [][]expr.Expr{}
	p.expect("(")
	for p.err == nil {
		if p.is("(", ")") {
			p.i += 2
			sets = append(sets, []expr.Expr{})
		} else {
			g := p.grouping()
			sets = append(sets, g.all()...)
		}
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
	return sets
}
