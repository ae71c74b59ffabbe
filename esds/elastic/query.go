package elastic

import (
	"slices"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// A predicate is pushed to the cluster when the documents that the query finds
// are those for which the predicate is true (Exact), or more (Superset).
//
// Whether a field holds lists is not in the mapping. A column that is declared
// as a scalar counts as one: a document with several values there cannot be read
// as a row of that table at all, so the answer for it is never asked for, and
// comparisons of scalar columns may be exact.
//
// NOT is moved inwards, so that it meets comparisons only: NOT a < b is a >= b.
// Where it cannot be taken into the operator, the query under it must be exact,
// and the field must be there, since NULL satisfies neither a predicate nor its
// negation.

// object is a part of the query DSL.
type object = map[string]any

// query returns the query for all conditions of a filter, over the base query of
// the table. What cannot be pushed is left out: the caller has been told by
// Pushdown. The base query may score, the conditions do not.
func (x *index) query(filter []expr.Expr) object {
	var parts []any
	for _, e := range filter {
		if q, how := x.translate(e, false); how != esds.No {
			parts = append(parts, q)
		}
	}
	all := object{}
	if x.base != nil {
		all["must"] = []any{x.base}
	}
	if len(parts) > 0 {
		all["filter"] = parts
	}
	if len(all) == 0 {
		return matchAll()
	}
	return object{"bool": all}
}

// scored is the query whose full-text conditions score too.
func (x *index) scored(filter []expr.Expr) object {
	var search, rest []expr.Expr
	for _, e := range filter {
		if c, ok := e.(*expr.Call); ok && searching(c) {
			search = append(search, e)
		} else {
			rest = append(rest, e)
		}
	}
	var must []any
	for _, e := range search {
		if q, how := x.translate(e, false); how != esds.No {
			must = append(must, q)
		}
	}
	if len(must) == 0 {
		return x.query(filter)
	}
	return object{"bool": object{"must": append(must, x.query(rest))}}
}

// searching reports whether a condition has a full-text function.
func searching(e expr.Expr) bool {
	found := false
	expr.Walk(e, func(x expr.Expr) bool {
		if c, ok := x.(*expr.Call); ok {
			f, known := expr.Lookup(c.Func)
			found = found || known && f.Kind == expr.FullTextFunction
		}
		return !found
	})
	return found
}

func matchAll() object { return object{"match_all": object{}} }

func matchNone() object { return object{"match_none": object{}} }

// translate returns the query for e, or for NOT e.
func (x *index) translate(e expr.Expr, not bool) (object, esds.Pushdown) {
	switch e := e.(type) {
	case *expr.Literal:
		return translateLiteral(e, not)
	case *expr.Column, *expr.Field:
		if e.Type().Kind == row.Boolean {
			return x.compare("=", e, &expr.Literal{Node: expr.Node{T: row.BooleanType}, Value: true}, not)
		}
	case *expr.Cast:
		if e.X.Type().Equal(e.T) {
			return x.translate(e.X, not)
		}
	case *expr.Call:
		if e.Over == nil && e.Filter == nil && !e.Distinct {
			return x.translateCall(e, not)
		}
	}
	return nil, esds.No
}

func translateLiteral(l *expr.Literal, not bool) (object, esds.Pushdown) {
	switch v := l.Value.(type) {
	case nil: // NULL is not true, and neither is NOT NULL
		return matchNone(), esds.Exact
	case bool:
		if v != not {
			return matchAll(), esds.Exact
		}
		return matchNone(), esds.Exact
	}
	return nil, esds.No
}

// opposite is the comparison that holds when another one does not.
var opposite = map[string]string{"<": ">=", ">=": "<", ">": "<=", "<=": ">"}

// mirrored is the comparison with its sides exchanged.
var mirrored = map[string]string{"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "=", "<>": "<>", "<=>": "<=>"}

func (x *index) translateCall(c *expr.Call, not bool) (object, esds.Pushdown) {
	switch c.Func {
	case "and", "or":
		return x.junction(c, not)
	case "not":
		return x.translate(c.Args[0], !not)
	case "=", "<>", "!=", "==", "<", "<=", ">", ">=", "<=>":
		return x.comparison(c.Func, c.Args[0], c.Args[1], not)
	case "between":
		low := &expr.Call{Node: c.Node, Func: ">=", Args: []expr.Expr{c.Args[0], c.Args[1]}}
		high := &expr.Call{Node: c.Node, Func: "<=", Args: []expr.Expr{c.Args[0], c.Args[2]}}
		return x.junction(&expr.Call{Node: c.Node, Func: "and", Args: []expr.Expr{low, high}}, not)
	case "in":
		return x.in(c.Args[0], c.Args[1:], not)
	case "isnull", "isnotnull":
		return x.null(c.Args[0], (c.Func == "isnull") != not)
	case "istrue", "isfalse":
		if !not {
			return x.translate(c.Args[0], c.Func == "isfalse")
		}
	case "like":
		return x.like(c.Args, not)
	case "rlike", "regexp", "regexp_like":
		return x.rlike(c.Args, not)
	case "startswith", "endswith", "contains":
		return x.affix(c, not)
	case "array_contains":
		return x.arrayContains(c.Args, not)
	case "match", "match_phrase", "match_phrase_prefix", "query", "query_string":
		return x.fullText(c, not)
	}
	return nil, esds.No
}

// junction is AND or OR; under NOT each becomes the other.
func (x *index) junction(c *expr.Call, not bool) (object, esds.Pushdown) {
	conjunction := (c.Func == "and") != not
	how := esds.Exact
	var parts []any
	for _, arg := range c.Args {
		q, h := x.translate(arg, not)
		switch {
		case h == esds.No && !conjunction:
			return nil, esds.No // the other arm alone would lose rows
		case h == esds.No:
			how = esds.Superset
			continue
		}
		how = min(how, h)
		parts = append(parts, q)
	}
	switch {
	case len(parts) == 0:
		return nil, esds.No
	case len(parts) == 1:
		return parts[0].(object), how
	case conjunction:
		return object{"bool": object{"filter": parts}}, how
	}
	return anyOf(parts...), how
}

func anyOf(parts ...any) object {
	return object{"bool": object{"should": parts, "minimum_should_match": 1}}
}

func (x *index) comparison(op string, a, b expr.Expr, not bool) (object, esds.Pushdown) {
	switch op {
	case "!=":
		op = "<>"
	case "==":
		op = "="
	}
	if _, ok := constant(a); ok {
		a, b, op = b, a, mirrored[op]
	}
	lit, ok := constant(b)
	if !ok {
		return nil, esds.No
	}
	if lit.Value == nil && op != "<=>" {
		return matchNone(), esds.Exact
	}
	return x.compare(op, a, lit, not)
}

// compare translates column op literal, or its negation.
func (x *index) compare(op string, column expr.Expr, lit *expr.Literal, not bool) (object, esds.Pushdown) {
	if op == "<=>" && lit.Value == nil {
		return x.null(column, !not)
	}
	if op == "<>" {
		op, not = "=", !not
	}
	if o := opposite[op]; o != "" && not {
		op, not = o, false
	}
	t, ok := x.target(column)
	if !ok {
		return nil, esds.No
	}
	plainOp := op
	if op == "<=>" {
		plainOp = "="
	}
	q, how := t.compare(plainOp, lit)
	if !not {
		return q, how
	}
	return t.negate(q, how, op != "<=>")
}

// negate returns the documents that a query does not find; those without the
// field are not among them when present is set.
func (t *target) negate(q object, how esds.Pushdown, present bool) (object, esds.Pushdown) {
	if how != esds.Exact || t.meta == "_routing" { // which may be NULL
		return nil, esds.No
	}
	none := object{"must_not": []any{q}}
	if t.silent {
		return object{"bool": none}, esds.Superset // NULL too: it cannot be told from too long a text
	}
	if present && t.meta == "" {
		exists, h := t.present()
		if h == esds.No {
			return nil, esds.No
		}
		none["filter"] = []any{exists}
		how = min(how, h)
	}
	return object{"bool": none}, how
}

// in is column IN (literals). A NULL in the list never makes the predicate true,
// and keeps its negation from being true.
func (x *index) in(column expr.Expr, list []expr.Expr, not bool) (object, esds.Pushdown) {
	t, ok := x.target(column)
	if !ok || len(list) > maxList {
		return nil, esds.No
	}
	var lits []*expr.Literal
	for _, e := range list {
		lit, ok := constant(e)
		switch {
		case !ok:
			return nil, esds.No
		case lit.Value == nil && not:
			return matchNone(), esds.Exact
		case lit.Value != nil:
			lits = append(lits, lit)
		}
	}
	if len(lits) == 0 {
		return matchNone(), esds.Exact
	}
	q, how := t.in(lits)
	if !not {
		return q, how
	}
	return t.negate(q, how, true)
}

// Most values of an IN list: of one that is pushed, of one terms query
// (index.max_terms_count), and of clauses that values make which no terms query
// takes: a server takes 1,024 in a search (indices.query.bool.max_clause_count),
// and there may be other lists and conditions.
const (
	maxList    = 500_000
	maxTerms   = 65_536
	maxClauses = 300
)

func (t *target) in(lits []*expr.Literal) (object, esds.Pushdown) {
	how := esds.Exact
	var terms, others []any
	clauses := 0
	for _, lit := range lits {
		q, h := t.compare("=", lit)
		if h == esds.No {
			return nil, esds.No
		}
		how = min(how, h)
		if v, ok := termOf(q); ok {
			terms = append(terms, v)
			continue
		}
		others = append(others, q)
		if clauses += leaves(q); clauses > maxClauses {
			return nil, esds.No
		}
	}
	var lists []any
	for part := range slices.Chunk(terms, maxTerms) {
		q := object{"terms": object{t.path: part}}
		if t.meta == "_id" {
			q = object{"ids": object{"values": part}}
		}
		lists = append(lists, q)
	}
	others = append(lists, others...)
	if len(others) == 1 {
		return others[0].(object), how
	}
	return anyOf(others...), how
}

// leaves counts the clauses of a query that search something.
func leaves(q any) int {
	switch q := q.(type) {
	case []any:
		n := 0
		for _, x := range q {
			n += leaves(x)
		}
		return n
	case object:
		inner, ok := q["bool"].(object)
		if !ok {
			return 1
		}
		n := 0
		for _, x := range inner {
			n += leaves(x)
		}
		return n
	}
	return 0 // minimum_should_match and the like
}

// termOf returns the value that a query looks up, if it does only that.
func termOf(q object) (any, bool) {
	if ids, ok := q["ids"].(object); ok {
		return ids["values"].([]any)[0], true
	}
	term, ok := q["term"].(object)
	if !ok {
		return nil, false
	}
	for _, v := range term {
		if _, nested := v.(object); !nested {
			return v, true
		}
	}
	return nil, false
}

// null is IS NULL, or IS NOT NULL.
func (x *index) null(column expr.Expr, isNull bool) (object, esds.Pushdown) {
	t, ok := x.target(column)
	if !ok || t.meta != "" {
		return nil, esds.No
	}
	if t.silent && isNull && t.quality() == esds.Exact && t.scalarKind() {
		return object{"bool": object{"must_not": []any{object{"exists": object{"field": t.path}}}}}, esds.Superset
	}
	exists, how := t.present()
	if !isNull {
		return exists, how
	}
	if how != esds.Exact {
		return nil, esds.No
	}
	return object{"bool": object{"must_not": []any{exists}}}, how
}
