package expr_test

import (
	"math"
	"testing"

	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

func implicit(e expr.Expr) expr.Expr {
	return &expr.Cast{Node: expr.Node{T: row.BigIntType}, X: e, Implicit: true}
}

func value(t row.Type, v any) expr.Expr {
	return &expr.Literal{Node: expr.Node{T: t}, Value: v}
}

func TestPrint(t *testing.T) {
	column := &expr.Column{ID: 1, Name: "order"}
	a, b := name("a"), name("b")
	tests := []struct {
		e    expr.Expr
		want string
	}{
		{column, "`order`"},
		{name("a", "b c", "key"), "a.`b c`.key"},
		{&expr.Field{X: column, Name: "x"}, "`order`.x"},
		{&expr.Field{X: a, Name: "x"}, "(a).x"},
		{&expr.Field{X: number(1), Name: "x"}, "(1).x"},
		{&expr.Field{X: implicit(a), Name: "x"}, "(a).x"},
		{&expr.Field{X: call("+", a, b), Name: "x"}, "(a + b).x"},
		{call("*", implicit(call("+", a, b)), implicit(b)), "(a + b) * b"},
		{call("-", a, call("-", b, number(-1))), "a - (b - -1)"},
		{call("negative", number(-1)), "- -1"},
		{call("negative", implicit(number(1))), "-(1)"},
		{call("negative", call("negative", a)), "- -a"},
		{call("negative", call("+", a, b)), "-(a + b)"},
		{call("negative", &expr.Index{X: number(1), Key: a}), "-(1[a])"},
		{call("negative", &expr.Index{X: call("negative", a), Key: a}), "-(-a)[a]"},
		{call("negative", &expr.Index{X: number(-1), Key: a}), "- -1[a]"},
		{call("negative", value(row.DoubleType, -0.5)), "- -0.5D"},
		{call("negative", value(row.DecimalType(2, 1), "1.5")), "-(1.5)"},
		{call("negative", value(row.DateType, int64(0))), "-DATE '1970-01-01'"},
		{call("negative", value(row.DoubleType, math.NaN())), "-CAST('NaN' AS DOUBLE)"},
		{call("=", call("=", a, b), call("isnull", a)), "(a = b) = (a IS NULL)"},
		{call("not", implicit(call("in", a, b))), "a NOT IN (b)"},
		{call("=", call("not", call("like", a, b)), b), "(a NOT LIKE b) = b"},
		{call("not", call("likeany", a, b)), "NOT a LIKE ANY (b)"},
		{call("not", call("isnotnull", a)), "NOT a IS NOT NULL"},
		{call("not", call("istrue", a)), "a IS NOT TRUE"},
		{call("not", call("not", call("or", a, b))), "NOT NOT (a OR b)"},
		{call("and", call("or", a, b), call("and", a, b)), "(a OR b) AND (a AND b)"},
		{call("between", a, call("=", a, b), call("|", a, b)), "a BETWEEN (a = b) AND a | b"},
		{call("like", a, b, value(row.StringType, "!")), "a LIKE b ESCAPE '!'"},
		{call("and", a), "`and`(a)"},
		{call("and", a, b, a), "`and`(a, b, a)"},
		{call("in", a), "`in`(a)"},
		{&expr.Call{Func: "+", Args: []expr.Expr{a, b}, Distinct: true}, "`+`(DISTINCT a, b)"},
		{call("trim", a, b), "trim(BOTH a FROM b)"},
		{call("extract", value(row.StringType, "YEAR"), a), "extract(YEAR FROM a)"},
		{call("extract", a, b), "extract(a, b)"},
		{call("timestampdiff", value(row.StringType, "x y"), a, b), "timestampdiff('x y', a, b)"},
		{&expr.Index{X: &expr.Lambda{Params: []string{"x"}, Body: a}, Key: b}, "(x -> a)[b]"},
		{&expr.Index{X: call("negative", a), Key: b}, "(-a)[b]"},
		{&expr.Lambda{Params: []string{"x", "y z"}, Body: a}, "(x, `y z`) -> a"},
		{value(row.DoubleType, math.NaN()), "CAST('NaN' AS DOUBLE)"},
		{value(row.FloatType, math.Inf(-1)), "CAST('-Infinity' AS FLOAT)"},
		{value(row.IntervalType, expr.Interval{Months: 1, Days: -2}), "INTERVAL '1' MONTH '-2' DAY"},
		{value(row.IntervalType, expr.Interval{}), "INTERVAL '0' DAY"},
		{value(row.DecimalType(3, 0), "-12"), "-12BD"},
	}
	for _, tt := range tests {
		if got := tt.e.String(); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}
