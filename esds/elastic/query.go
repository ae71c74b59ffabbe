package elastic

import (
	"strings"
	"unicode/utf16"

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

// query returns the query for all conditions of a filter. What cannot be pushed
// is left out: the caller has been told by Pushdown.
func (x *index) query(filter []expr.Expr) object {
	var parts []any
	for _, e := range filter {
		if q, how := x.translate(e, false); how != esds.No {
			parts = append(parts, q)
		}
	}
	switch len(parts) {
	case 0:
		return matchAll()
	case 1:
		return object{"bool": object{"filter": parts}}
	}
	return object{"bool": object{"filter": parts}}
}

func matchAll() object  { return object{"match_all": object{}} }
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
	if !ok || len(list) > 10_000 {
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

func (t *target) in(lits []*expr.Literal) (object, esds.Pushdown) {
	how := esds.Exact
	var terms, others []any
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
	}
	if len(terms) > 0 {
		q := object{"terms": object{t.path: terms}}
		if t.meta == "_id" {
			q = object{"ids": object{"values": terms}}
		}
		others = append([]any{q}, others...)
	}
	if len(others) == 1 {
		return others[0].(object), how
	}
	return anyOf(others...), how
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

// like translates patterns to wildcards.
func (x *index) like(args []expr.Expr, not bool) (object, esds.Pushdown) {
	pattern, ok := constant(args[1])
	escape := `\`
	if ok && len(args) > 2 {
		var lit *expr.Literal
		if lit, ok = constant(args[2]); ok {
			escape, ok = lit.Value.(string)
		}
	}
	if !ok {
		return nil, esds.No
	}
	text, isText := pattern.Value.(string)
	switch {
	case pattern.Value == nil:
		return matchNone(), esds.Exact
	case !isText || len(escape) != 1:
		return nil, esds.No
	}
	parts, ok := likeParts(text, escape[0])
	if !ok {
		return nil, esds.No
	}
	return x.matching(args[0], parts, not)
}

// likePart is literal text, or % or _ where sign is set.
type likePart struct {
	text string
	sign byte
}

func likeParts(pattern string, escape byte) ([]likePart, bool) {
	var parts []likePart
	var text strings.Builder
	flush := func() {
		if text.Len() > 0 {
			parts = append(parts, likePart{text: text.String()})
			text.Reset()
		}
	}
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; c {
		case escape:
			i++
			if i == len(pattern) || pattern[i] != '%' && pattern[i] != '_' && pattern[i] != escape {
				return nil, false // an error of the statement
			}
			text.WriteByte(pattern[i])
		case '%', '_':
			flush()
			parts = append(parts, likePart{sign: c})
		default:
			text.WriteByte(c)
		}
	}
	flush()
	return parts, true
}

// affix is startswith(column, text) and its like.
func (x *index) affix(c *expr.Call, not bool) (object, esds.Pushdown) {
	lit, ok := constant(c.Args[1])
	if !ok {
		return nil, esds.No
	}
	text, ok := lit.Value.(string)
	if !ok {
		return nil, esds.No
	}
	parts := []likePart{{text: text}}
	if c.Func != "startswith" {
		parts = append([]likePart{{sign: '%'}}, parts...)
	}
	if c.Func != "endswith" {
		parts = append(parts, likePart{sign: '%'})
	}
	return x.matching(c.Args[0], parts, not)
}

func (x *index) matching(column expr.Expr, parts []likePart, not bool) (object, esds.Pushdown) {
	t, ok := x.target(column)
	if !ok || t.meta != "" || !t.isText() || t.field.Normalizer != "" {
		return nil, esds.No
	}
	var q object
	switch {
	case len(parts) == 0:
		return x.compare("=", column, &expr.Literal{Node: expr.Node{T: row.StringType}, Value: ""}, not)
	case len(parts) == 1 && parts[0].sign == 0:
		return x.compare("=", column, &expr.Literal{Node: expr.Node{T: row.StringType}, Value: parts[0].text}, not)
	case len(parts) == 1 && parts[0].sign == '%' && not:
		return matchNone(), esds.Exact
	case len(parts) == 1 && parts[0].sign == '%':
		return x.null(column, false)
	case len(parts) == 2 && parts[0].sign == 0 && parts[1].sign == '%':
		q = object{"prefix": object{t.path: object{"value": parts[0].text}}}
	default:
		q = object{"wildcard": object{t.path: object{"value": wildcard(parts)}}}
	}
	q, how := t.orIgnored(q, t.quality())
	if !not {
		return q, how
	}
	return t.negate(q, how, true)
}

func wildcard(parts []likePart) string {
	var w strings.Builder
	for _, p := range parts {
		switch p.sign {
		case '%':
			w.WriteByte('*')
		case '_':
			w.WriteByte('?')
		default:
			w.WriteString(strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`).Replace(p.text))
		}
	}
	return w.String()
}

// arrayContains is array_contains(column, literal): any value is what the index
// looks for by itself.
func (x *index) arrayContains(args []expr.Expr, not bool) (object, esds.Pushdown) {
	lit, ok := constant(args[1])
	if !ok || not || lit.Value == nil {
		return nil, esds.No
	}
	t, ok := x.find(args[0])
	if !ok || t.declared.Kind != row.Array || t.declared.Elem.Nested() {
		return nil, esds.No
	}
	t.declared = *t.declared.Elem
	return t.compare("=", lit)
}

// fullText is match(column, text), or query(text).
func (x *index) fullText(c *expr.Call, not bool) (object, esds.Pushdown) {
	last := len(c.Args) - 1
	lit, ok := constant(c.Args[last])
	if !ok {
		return nil, esds.No
	}
	text, ok := lit.Value.(string)
	if !ok {
		return nil, esds.No
	}
	var q object
	switch {
	case last == 0 && strings.HasPrefix(c.Func, "query"):
		q = object{"query_string": object{"query": text}}
	case last == 1 && !strings.HasPrefix(c.Func, "query"):
		path, ok := pathOf(c.Args[0])
		f := esds.Find(x.fields, path)
		if !ok || f == nil || f.Mixed || x.underNested(path) {
			return nil, esds.No
		}
		q = object{c.Func: object{f.Path: object{"query": text}}}
	default:
		return nil, esds.No
	}
	if not {
		q = object{"bool": object{"must_not": []any{q}}}
	}
	return q, esds.Exact
}

// constant returns the literal that an expression is, casts of literals folded.
func constant(e expr.Expr) (*expr.Literal, bool) {
	switch e := e.(type) {
	case *expr.Literal:
		return e, true
	case *expr.Cast:
		lit, ok := constant(e.X)
		if !ok {
			return nil, false
		}
		return castLiteral(lit, e.T)
	case *expr.Call:
		if e.Func == "negative" && len(e.Args) == 1 {
			return negated(e)
		}
	}
	return nil, false
}

func negated(e *expr.Call) (*expr.Literal, bool) {
	lit, ok := constant(e.Args[0])
	if !ok {
		return nil, false
	}
	switch v := lit.Value.(type) {
	case int64:
		return &expr.Literal{Node: e.Node, Value: -v}, v != -v || v == 0
	case float64:
		return &expr.Literal{Node: e.Node, Value: -v}, true
	case string:
		if e.T.Kind == row.Decimal && !strings.HasPrefix(v, "-") {
			return &expr.Literal{Node: e.Node, Value: "-" + v}, true
		}
	}
	return nil, false
}

// castLiteral converts where the result is beyond doubt.
func castLiteral(lit *expr.Literal, to row.Type) (*expr.Literal, bool) {
	from := lit.T
	switch {
	case lit.Value == nil || from.Equal(to):
		return &expr.Literal{Node: expr.Node{At: lit.At, T: to}, Value: lit.Value}, true
	case from.Kind == row.Date && (to.Kind == row.Timestamp || to.Kind == row.TimestampNTZ):
		days, ok := lit.Value.(int64)
		return &expr.Literal{Node: expr.Node{At: lit.At, T: to}, Value: days * 86_400_000_000}, ok
	case from.Numeric() && to.Numeric():
		return castNumber(lit, to)
	case from.Kind == row.String && (to.Kind == row.Date || to.Kind == row.Timestamp || to.Kind == row.TimestampNTZ || to.Numeric()):
		return castString(lit, to)
	}
	return nil, false
}

// castNumber keeps the value as it is: numbers are compared by value.
func castNumber(lit *expr.Literal, to row.Type) (*expr.Literal, bool) {
	c := row.NewColumn(to)
	var err error
	switch v := lit.Value.(type) {
	case int64:
		err = c.Append(v)
	case float64:
		if to.Kind != row.Double {
			return nil, false
		}
		err = c.Append(v)
	case string:
		err = row.ParseText(c, v)
	}
	if err != nil || c.Len() != 1 {
		return nil, false
	}
	return &expr.Literal{Node: expr.Node{At: lit.At, T: to}, Value: literalValue(c)}, true
}

func castString(lit *expr.Literal, to row.Type) (*expr.Literal, bool) {
	text, ok := lit.Value.(string)
	c := row.NewColumn(to)
	if !ok || row.ParseText(c, text) != nil {
		return nil, false
	}
	return &expr.Literal{Node: expr.Node{At: lit.At, T: to}, Value: literalValue(c)}, true
}

// literalValue returns a column's value in the form that a Literal keeps.
func literalValue(c *row.Column) any {
	switch c.Type.Kind {
	case row.Date, row.Timestamp, row.TimestampNTZ:
		return c.Ints[0]
	}
	return c.Value(0)
}

// javaLength is a text's length as Elasticsearch counts it for ignore_above.
func javaLength(s string) int { return len(utf16.Encode([]rune(s))) }
