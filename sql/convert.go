package sql

import (
	"strconv"
	"strings"

	"github.com/xwb1989/sqlparser"

	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/lex"
)

// converter turns sqlparser's tree of a re-spelled text into ours.
type converter struct{ p *parser }

// markOf returns the mark of a placeholder: n17, :v17, p17.
func (c *converter) markOf(placeholder string) *mark {
	n, err := strconv.Atoi(strings.TrimLeft(placeholder, ":nvp"))
	if err != nil || n >= len(c.p.marks) {
		c.lost()
		return &mark{x: &expr.Literal{}}
	}
	return &c.p.marks[n]
}

// lost fails for a tree that no re-spelled text should give.
func (c *converter) lost() expr.Expr {
	c.p.fail(lex.CodeUnexpected, c.p.text.Span, "this statement cannot be read", "please report it")
	return &expr.Literal{}
}

func (c *converter) item(e sqlparser.SelectExpr) expr.Expr {
	if a, ok := e.(*sqlparser.AliasedExpr); ok {
		return c.expr(a.Expr)
	}
	return c.lost()
}

func (c *converter) expr(e sqlparser.Expr) expr.Expr {
	switch e := e.(type) {
	case *sqlparser.AndExpr:
		return call("and", c.expr(e.Left), c.expr(e.Right))
	case *sqlparser.OrExpr:
		return call("or", c.expr(e.Left), c.expr(e.Right))
	case *sqlparser.NotExpr:
		return call("not", c.expr(e.Expr))
	case *sqlparser.ParenExpr:
		return c.expr(e.Expr)
	case *sqlparser.ComparisonExpr:
		return c.comparison(e)
	case *sqlparser.RangeCond:
		between := call("between", c.expr(e.Left), c.expr(e.From), c.expr(e.To))
		return negated(e.Operator == sqlparser.NotBetweenStr, between)
	case *sqlparser.IsExpr:
		return c.is(e)
	case sqlparser.ValTuple:
		return call("struct", c.list(sqlparser.Exprs(e))...)
	case *sqlparser.BinaryExpr:
		return c.binary(e)
	case *sqlparser.UnaryExpr:
		return call(map[string]string{"-": "negative", "+": "positive", "~": "~"}[e.Operator], c.expr(e.Expr))
	case *sqlparser.CollateExpr:
		return c.postfix(c.expr(e.Expr), c.markOf(e.Charset))
	case *sqlparser.FuncExpr:
		return c.function(e)
	case *sqlparser.SQLVal, *sqlparser.ColName:
		if m := c.operand(e); m != nil && m.x != nil {
			return m.x
		}
	}
	return c.lost()
}

// operand returns the mark of a placeholder that stands alone, nil for others.
func (c *converter) operand(e sqlparser.Expr) *mark {
	switch e := e.(type) {
	case *sqlparser.SQLVal:
		return c.markOf(string(e.Val))
	case *sqlparser.ColName:
		return c.markOf(e.Name.String())
	default:
		return nil
	}
}

func (c *converter) list(es sqlparser.Exprs) []expr.Expr {
	out := make([]expr.Expr, len(es))
	for i, e := range es {
		out[i] = c.expr(e)
	}
	return out
}

// call makes a call that spans its operands.
func call(name string, args ...expr.Expr) *expr.Call {
	at := args[0].Span()
	for _, a := range args[1:] {
		at = at.To(a.Span())
	}
	return &expr.Call{Node: expr.Node{At: at}, Func: name, Args: args}
}

func negated(not bool, e expr.Expr) expr.Expr {
	if not {
		return call("not", e)
	}
	return e
}

func (c *converter) is(e *sqlparser.IsExpr) expr.Expr {
	x := c.expr(e.Expr)
	switch e.Operator {
	case sqlparser.IsNullStr:
		return call("isnull", x)
	case sqlparser.IsNotNullStr:
		return call("isnotnull", x)
	default:
		name := "istrue"
		if strings.HasSuffix(e.Operator, "false") {
			name = "isfalse"
		}
		return negated(strings.HasPrefix(e.Operator, "is not"), call(name, x))
	}
}

func (c *converter) comparison(e *sqlparser.ComparisonExpr) expr.Expr {
	x := c.expr(e.Left)
	switch e.Operator {
	case sqlparser.InStr, sqlparser.NotInStr:
		return negated(e.Operator == sqlparser.NotInStr, c.in(x, e.Right))
	case sqlparser.LikeStr, sqlparser.NotLikeStr:
		args := []expr.Expr{x, c.expr(e.Right)}
		if e.Escape != nil {
			args = append(args, c.expr(e.Escape))
		}
		return negated(e.Operator == sqlparser.NotLikeStr, call("like", args...))
	case sqlparser.RegexpStr, sqlparser.NotRegexpStr:
		return negated(e.Operator == sqlparser.NotRegexpStr, call("rlike", x, c.expr(e.Right)))
	}
	if m := c.operand(e.Right); m != nil && m.kind == testMark {
		return test(x, m)
	}
	if m, rest := c.marked(e.Right); m != nil {
		args := append([]expr.Expr{x, c.expr(rest)}, m.args...)
		return negated(m.not, call(m.name, args...))
	}
	name := e.Operator
	if name == sqlparser.NotEqualStr {
		name = "<>"
	}
	return call(name, x, c.expr(e.Right))
}

// in returns x IN list; a query as the only element is one that was marked as
// such.
func (c *converter) in(x expr.Expr, list sqlparser.Expr) expr.Expr {
	tuple, ok := list.(sqlparser.ValTuple)
	if !ok {
		return c.lost()
	}
	if len(tuple) == 1 {
		if m := c.operand(tuple[0]); m != nil && m.kind == queryMark {
			q := *m.x.(*expr.Subquery)
			q.X = x
			q.At = x.Span().To(q.At)
			return &q
		}
	}
	return call("in", append([]expr.Expr{x}, c.list(sqlparser.Exprs(tuple))...)...)
}

// test returns the predicate that a mark stands for.
func test(x expr.Expr, m *mark) expr.Expr {
	args := append([]expr.Expr{x}, m.args...)
	switch m.name {
	case "likeany", "likeall":
		name := m.name
		if m.not {
			name = "not" + name
		}
		return call(name, args...)
	case "ilikeany", "ilikeall":
		return ilikes(x, m)
	default:
		c := call(m.name, args...)
		c.At = c.At.To(m.at)
		return negated(m.not, c)
	}
}

// ilikes writes x ILIKE ANY (a, b) as x ILIKE a OR x ILIKE b.
func ilikes(x expr.Expr, m *mark) expr.Expr {
	join := "or"
	if m.name == "ilikeall" {
		join = "and"
	}
	var all expr.Expr
	for _, pattern := range m.args {
		one := negated(m.not, call("ilike", x, pattern))
		if all == nil {
			all = one
			continue
		}
		all = call(join, all, one)
	}
	return all
}

// marked finds an operator's mark at the leftmost end of a run of |, and
// returns what is left of the run without it.
func (c *converter) marked(e sqlparser.Expr) (*mark, sqlparser.Expr) {
	or, ok := e.(*sqlparser.BinaryExpr)
	if !ok || or.Operator != sqlparser.BitOrStr {
		return nil, nil
	}
	if m := c.operand(or.Left); m != nil && m.kind == operatorMark {
		return m, or.Right
	}
	m, rest := c.marked(or.Left)
	if m == nil {
		return nil, nil
	}
	return m, &sqlparser.BinaryExpr{Operator: or.Operator, Left: rest, Right: or.Right}
}

// spelledBack holds the operators that were written as others.
var spelledBack = map[string]string{"<<": "&", "&": "^"}

func (c *converter) binary(e *sqlparser.BinaryExpr) expr.Expr {
	if inner, ok := e.Left.(*sqlparser.BinaryExpr); ok && e.Operator == sqlparser.PlusStr {
		if m := c.operand(inner.Right); m != nil && m.kind == concatMark {
			return call("||", c.expr(inner.Left), c.expr(e.Right))
		}
	}
	name := e.Operator
	if back, ok := spelledBack[name]; ok {
		name = back
	}
	return call(name, c.expr(e.Left), c.expr(e.Right))
}

func (c *converter) postfix(x expr.Expr, m *mark) expr.Expr {
	node := expr.Node{At: x.Span().To(m.at)}
	switch m.kind {
	case fieldMark:
		return &expr.Field{Node: node, X: x, Name: m.name}
	case indexMark:
		return &expr.Index{Node: node, X: x, Key: m.x}
	case typeMark:
		node.T = m.typ
		return &expr.Cast{Node: node, X: x}
	default:
		return c.lost()
	}
}

func (c *converter) function(e *sqlparser.FuncExpr) expr.Expr {
	m := c.markOf(e.Name.String())
	if m.kind == caseMark {
		return c.caseExpr(e, m)
	}
	args := make([]expr.Expr, len(e.Exprs))
	for i, arg := range e.Exprs {
		args[i] = c.item(arg)
	}
	node := expr.Node{At: m.at}
	switch {
	case m.kind == castMark && len(args) == 1:
		node.T = m.typ
		return &expr.Cast{Node: node, X: args[0], Try: m.try}
	case m.kind == callMark:
		f := *m.call
		f.Node, f.Args = node, args
		named(&f, m.alias)
		return &f
	default:
		return c.lost()
	}
}

func (c *converter) caseExpr(e *sqlparser.FuncExpr, m *mark) expr.Expr {
	if len(e.Exprs) != 1 {
		return c.lost()
	}
	inner, ok := e.Exprs[0].(*sqlparser.AliasedExpr)
	if !ok {
		return c.lost()
	}
	from, ok := inner.Expr.(*sqlparser.CaseExpr)
	if !ok {
		return c.lost()
	}
	out := &expr.Case{Node: expr.Node{At: m.at}}
	if from.Expr != nil {
		out.Operand = c.expr(from.Expr)
	}
	for _, w := range from.Whens {
		out.Whens = append(out.Whens, expr.When{Cond: c.expr(w.Cond), Then: c.expr(w.Val)})
	}
	if from.Else != nil {
		out.Else = c.expr(from.Else)
	}
	return out
}

// fieldName is the name that struct(…) gives its argument i, from 0.
func fieldName(x expr.Expr, i int) string {
	switch x := x.(type) {
	case *expr.Name:
		return x.Parts[len(x.Parts)-1]
	case *expr.Field:
		return x.Name
	default:
		return "col" + strconv.Itoa(i+1)
	}
}
