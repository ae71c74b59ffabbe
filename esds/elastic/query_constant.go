package elastic

import (
	"strings"
	"unicode/utf16"

	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

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
