package local

import (
	"math"
	"strconv"
	"strings"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/esds/duckdb"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// Pushdown says Exact for comparisons, IN, IS NULL, LIKE, AND, OR and NOT over
// columns that are stored with the type that the table declares.
func (x *index) Pushdown(e expr.Expr) esds.Pushdown {
	for _, m := range x.members {
		if _, ok := x.predicate(m, e); !ok {
			return esds.No
		}
	}
	return esds.Exact
}

// predicate spells a predicate over one index; false when it cannot say exactly
// what SQL asks.
func (x *index) predicate(m *stored, e expr.Expr) (string, bool) {
	switch e := e.(type) {
	case *expr.Literal:
		return literal(e)
	case *expr.Column:
		return x.reference(m, e)
	case *expr.Cast:
		return x.widened(m, e)
	case *expr.Call:
		return x.call(m, e)
	}
	return "", false
}

// reference spells a column as it is read; one that the index lacks is NULL.
func (x *index) reference(m *stored, c *expr.Column) (string, bool) {
	at, ok := m.find(c.Name)
	if !ok {
		return "NULL::" + duckdb.TypeSQL(c.T), true
	}
	return x.column(m, row.Field{Name: c.Name, Type: c.T}), same(at.typ, c.T)
}

// widened spells a conversion that binding put in and that loses nothing.
func (x *index) widened(m *stored, c *expr.Cast) (string, bool) {
	from, to := c.X.Type(), c.T
	inner, ok := x.predicate(m, c.X)
	ok = ok && c.Implicit && (from.Integral() && to.Integral() && from.Kind < to.Kind || from.Kind == row.Float && to.Kind == row.Double ||
		from.Kind >= row.TinyInt && from.Kind <= row.Int && to.Kind == row.Double)
	return "CAST(" + inner + " AS " + duckdb.TypeSQL(to) + ")", ok
}

var comparisons = map[string]string{
	"=": "=", "<": "<", "<=": "<=", ">": ">", ">=": ">=", "<=>": "IS NOT DISTINCT FROM", "<>": "<>", "!=": "<>", "and": "AND", "or": "OR",
}

func (x *index) call(m *stored, c *expr.Call) (string, bool) {
	if c.Distinct || c.Filter != nil || c.Over != nil {
		return "", false
	}
	args := make([]string, len(c.Args))
	for i, a := range c.Args {
		var ok bool
		if args[i], ok = x.predicate(m, a); !ok {
			return "", false
		}
	}
	if op, ok := comparisons[c.Func]; ok && len(args) == 2 {
		return "(" + args[0] + " " + op + " " + args[1] + ")", c.Args[0].Type().Equal(c.Args[1].Type()) && !c.Args[0].Type().Nested()
	}
	switch c.Func {
	case "not":
		return "(NOT " + args[0] + ")", true
	case "isnull":
		return "(" + args[0] + " IS NULL)", true
	case "isnotnull":
		return "(" + args[0] + " IS NOT NULL)", true
	case "in":
		for _, a := range c.Args[1:] {
			if !a.Type().Equal(c.Args[0].Type()) && a.Type().Kind != row.Void || a.Type().Nested() {
				return "", false
			}
		}
		return "(" + args[0] + " IN (" + strings.Join(args[1:], ", ") + "))", len(args) > 1
	case "between":
		return "(" + args[0] + " BETWEEN " + args[1] + " AND " + args[2] + ")",
			c.Args[0].Type().Equal(c.Args[1].Type()) && c.Args[0].Type().Equal(c.Args[2].Type()) && !c.Args[0].Type().Nested()
	case "like":
		return like(c, args)
	}
	return "", false
}

// like serves constant patterns in which the escape stands before what it may
// escape; Spark makes anything else an error.
func like(c *expr.Call, args []string) (string, bool) {
	pattern, ok := c.Args[1].(*expr.Literal)
	text, isText := "", false
	if ok {
		text, isText = pattern.Value.(string)
	}
	if !isText || len(c.Args) > 2 || c.Args[0].Type().Kind != row.String {
		return "", false
	}
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		i++
		if i == len(text) || text[i] != '%' && text[i] != '_' && text[i] != '\\' {
			return "", false
		}
	}
	return "(" + args[0] + " LIKE " + args[1] + ` ESCAPE '\')`, true
}

// literal spells a constant with its type.
func literal(l *expr.Literal) (string, bool) {
	typed := func(text string) (string, bool) {
		return "CAST(" + duckdb.Text(text) + " AS " + duckdb.TypeSQL(l.T) + ")", true
	}
	switch v := l.Value.(type) {
	case nil:
		return "NULL", true
	case bool:
		return strconv.FormatBool(v), true
	case int64:
		switch l.T.Kind {
		case row.Date:
			const year0, year9999 = -719528, 2932896
			return "DATE '" + string(row.AppendDate(nil, v)) + "'", v >= year0 && v <= year9999
		case row.Timestamp, row.TimestampNTZ:
			return "make_timestamp(" + strconv.FormatInt(v, 10) + ")", true
		}
		return typed(strconv.FormatInt(v, 10))
	case float64:
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return typed(strings.TrimPrefix(strconv.FormatFloat(v, 'g', -1, 64), "+"))
		}
		return typed(strconv.FormatFloat(v, 'g', -1, 64))
	case string:
		if l.T.Kind == row.String {
			return duckdb.Text(v), true
		}
		return typed(v)
	}
	return "", false
}
