package expr

import (
	"strings"

	"github.com/eslake/eslake/sql/lex"
	"github.com/eslake/eslake/sql/row"
)

// level is how tightly an expression binds, in Spark's order.
type level int

const (
	levelLambda level = iota
	levelOr
	levelAnd
	levelNot
	levelCompare // comparisons, IN, LIKE, BETWEEN, IS: not within each other without parentheses
	levelBitOr
	levelBitXor
	levelBitAnd
	levelAdd
	levelMultiply
	levelSign
	levelPrimary
)

// binary holds the operators written between their operands.
var binary = map[string]struct {
	sign  string
	level level
}{
	"or": {"OR", levelOr}, "and": {"AND", levelAnd},
	"=": {"=", levelCompare}, "<=>": {"<=>", levelCompare}, "<>": {"<>", levelCompare},
	"<": {"<", levelCompare}, "<=": {"<=", levelCompare}, ">": {">", levelCompare}, ">=": {">=", levelCompare},
	"|": {"|", levelBitOr}, "^": {"^", levelBitXor}, "&": {"&", levelBitAnd},
	"+": {"+", levelAdd}, "-": {"-", levelAdd}, "||": {"||", levelAdd},
	"*": {"*", levelMultiply}, "/": {"/", levelMultiply}, "%": {"%", levelMultiply}, "div": {"DIV", levelMultiply},
}

// sign holds the operators written before their operand.
var sign = map[string]string{"negative": "-", "positive": "+", "~": "~"}

// test holds the predicates written behind their operand.
var test = map[string][2]string{
	"isnull": {"IS NULL", "IS NOT NULL"}, "isnotnull": {"IS NOT NULL", "IS NULL"}, "istrue": {"IS TRUE", "IS NOT TRUE"},
	"isfalse": {"IS FALSE", "IS NOT FALSE"}, "isunknown": {"IS UNKNOWN", "IS NOT UNKNOWN"},
}

// like holds the predicates with one pattern, and those with a list of them.
var (
	like     = map[string]string{"like": "LIKE", "ilike": "ILIKE", "rlike": "RLIKE"}
	likeList = map[string]string{
		"likeany": "LIKE ANY", "likeall": "LIKE ALL", "notlikeany": "NOT LIKE ANY", "notlikeall": "NOT LIKE ALL",
	}
)

// printer writes expressions as Spark SQL with no more parentheses than needed.
type printer struct{ strings.Builder }

func text(e Expr) string {
	var p printer
	p.expr(e, levelLambda)
	return p.String()
}

// String returns the expression as Spark SQL.
func (e *Literal) String() string { return text(e) }

// String returns the expression as Spark SQL.
func (e *Name) String() string { return text(e) }

// String returns the expression as Spark SQL.
func (e *Star) String() string { return text(e) }

// String returns the expression as Spark SQL.
func (e *Column) String() string { return text(e) }

// String returns the expression as Spark SQL.
func (e *Field) String() string { return text(e) }

// String returns the expression as Spark SQL.
func (e *Index) String() string { return text(e) }

// String returns the expression as Spark SQL.
func (e *Call) String() string { return text(e) }

// String returns the expression as Spark SQL.
func (e *Case) String() string { return text(e) }

// String returns the expression as Spark SQL.
func (e *Cast) String() string { return text(e) }

// String returns the expression as Spark SQL.
func (e *Lambda) String() string { return text(e) }

// String returns the expression as Spark SQL.
func (e *Subquery) String() string { return text(e) }

// QuoteName writes a name as SQL needs it: plain words that cannot be taken for
// anything else as they are, others between back-quotes.
func QuoteName(name string) string {
	if lex.Reserved(name) {
		return "`" + name + "`"
	}
	return row.QuoteName(name)
}

func names(parts []string) string {
	quoted := make([]string, len(parts))
	for i, part := range parts {
		quoted[i] = QuoteName(part)
	}
	return strings.Join(quoted, ".")
}

// expr writes e, between parentheses when it binds less tightly than least.
func (p *printer) expr(e Expr, least level) {
	if c, ok := e.(*Call); ok && c.Func == sessionZone {
		e = c.Args[0]
	}
	if bound(e) < least {
		p.WriteByte('(')
		defer p.WriteByte(')')
	}
	switch e := e.(type) {
	case *Literal:
		p.literal(e)
	case *Name:
		p.WriteString(names(e.Parts))
	case *Star:
		p.star(e)
	case *Column:
		p.WriteString(QuoteName(e.Name))
	case *Field:
		p.field(e)
	case *Index:
		p.expr(e.X, levelPrimary)
		p.WriteByte('[')
		p.expr(e.Key, levelLambda)
		p.WriteByte(']')
	case *Call:
		p.call(e)
	case *Case:
		p.switchCase(e)
	case *Cast:
		p.cast(e)
	case *Lambda:
		p.lambda(e)
	case *Subquery:
		p.subquery(e)
	}
}

// bound returns how tightly an expression binds as it is printed.
func bound(e Expr) level {
	switch e := e.(type) {
	case *Lambda:
		return levelLambda
	case *Cast:
		if e.Implicit {
			return bound(e.X)
		}
	case *Subquery:
		if e.Kind == In {
			return levelCompare
		}
	case *Call:
		return boundCall(e)
	}
	return levelPrimary
}

func boundCall(e *Call) level {
	switch plain(e) {
	case 1:
		if sign[e.Func] != "" {
			return levelSign
		}
		if _, ok := test[e.Func]; ok {
			return levelCompare
		}
		if e.Func == "not" {
			if negatable(unwrap(e.Args[0])) {
				return levelCompare
			}
			return levelNot
		}
	case 2:
		if op, ok := binary[e.Func]; ok {
			return op.level
		}
	}
	if operator(e) {
		return levelCompare
	}
	return levelPrimary
}

// plain returns the number of arguments of a call that may be an operator, -1
// for one with a clause that only functions have.
func plain(e *Call) int {
	if e.Distinct || e.Filter != nil || e.Over != nil || e.Within != nil || e.IgnoreNulls {
		return -1
	}
	return len(e.Args)
}

// operator reports whether a call is a predicate with several operands: LIKE,
// IN, BETWEEN.
func operator(e *Call) bool {
	n := plain(e)
	switch {
	case like[e.Func] != "":
		return n == 2 || n == 3 && e.Func != "rlike"
	case likeList[e.Func] != "" || e.Func == "in":
		return n > 1
	default:
		return e.Func == "between" && n == 3
	}
}

// negatable reports whether NOT is written within the predicate: x NOT IN (…).
func negatable(e Expr) bool {
	switch e := e.(type) {
	case *Subquery:
		return e.Kind == In
	case *Call:
		_, is := test[e.Func]
		return is && plain(e) == 1 && e.Func != "isnotnull" && e.Func != "isnull" || operator(e) && likeList[e.Func] == ""
	default:
		return false
	}
}

func (p *printer) star(e *Star) {
	for _, part := range e.Table {
		p.WriteString(QuoteName(part) + ".")
	}
	p.WriteByte('*')
	for i, name := range e.Except {
		p.WriteString([]string{" EXCEPT (", ", "}[min(i, 1)] + QuoteName(name))
	}
	if len(e.Except) > 0 {
		p.WriteByte(')')
	}
}

// field writes x.name. A name or number before the dot would become one with
// it, and gets parentheses.
func (p *printer) field(e *Field) {
	least := levelPrimary
	switch x := unwrap(e.X).(type) {
	case *Name:
		least++
	case *Literal:
		if _, text := x.Value.(string); !text || x.T.Kind == row.Decimal {
			least++
		}
	}
	p.expr(e.X, least)
	p.WriteString("." + QuoteName(e.Name))
}

func (p *printer) switchCase(e *Case) {
	p.WriteString("CASE")
	if e.Operand != nil {
		p.WriteByte(' ')
		p.expr(e.Operand, levelOr)
	}
	for _, w := range e.Whens {
		p.WriteString(" WHEN ")
		p.expr(w.Cond, levelOr)
		p.WriteString(" THEN ")
		p.expr(w.Then, levelOr)
	}
	if e.Else != nil {
		p.WriteString(" ELSE ")
		p.expr(e.Else, levelOr)
	}
	p.WriteString(" END")
}

func (p *printer) cast(e *Cast) {
	if e.Implicit {
		p.expr(e.X, levelLambda) // bound and expr have put the parentheses
		return
	}
	if e.Try {
		p.WriteString("TRY_")
	}
	p.WriteString("CAST(")
	p.expr(e.X, levelOr)
	p.WriteString(" AS " + e.T.SQL() + ")")
}

func (p *printer) lambda(e *Lambda) {
	params := make([]string, len(e.Params))
	for i, name := range e.Params {
		params[i] = QuoteName(name)
	}
	list := strings.Join(params, ", ")
	if len(params) != 1 {
		list = "(" + list + ")"
	}
	p.WriteString(list + " -> ")
	p.expr(e.Body, levelLambda)
}

func (p *printer) subquery(e *Subquery) {
	switch e.Kind {
	case Exists:
		p.WriteString("EXISTS ")
	case In:
		p.expr(e.X, levelBitOr)
		p.WriteString(" IN ")
	case Scalar:
	}
	p.WriteString("(" + e.Query.String() + ")")
}

// list writes expressions with commas between them.
func (p *printer) list(es []Expr) {
	for i, e := range es {
		if i > 0 {
			p.WriteString(", ")
		}
		p.expr(e, levelLambda)
	}
}
