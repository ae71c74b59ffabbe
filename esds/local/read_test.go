package local_test

import (
	"strings"
	"testing"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

func compare(op string, f row.Field, v any) expr.Expr {
	typ := f.Type
	return &expr.Call{Node: expr.Node{T: row.BooleanType}, Func: op, Args: []expr.Expr{
		&expr.Column{Node: expr.Node{T: typ}, Name: f.Name}, &expr.Literal{Node: expr.Node{T: typ}, Value: v},
	}}
}

func TestPushdown(t *testing.T) {
	s := fresh(t)
	write(t, s, esds.Write{Index: "p", ID: "id"}, rows(t, people, person("1", "Ann", 30), person("2", "B%b", 40), []any{"3", nil, nil, nil, nil, nil, nil, nil}))
	x, err := s.Open(t.Context(), "p", nil)
	if err != nil {
		t.Fatal(err)
	}
	call := func(f string, args ...expr.Expr) expr.Expr {
		return &expr.Call{Node: expr.Node{T: row.BooleanType}, Func: f, Args: args}
	}
	col := func(i int) expr.Expr { return &expr.Column{Node: expr.Node{T: people[i].Type}, Name: people[i].Name} }
	lit := func(t row.Type, v any) expr.Expr { return &expr.Literal{Node: expr.Node{T: t}, Value: v} }
	tests := []struct {
		name string
		e    expr.Expr
		how  esds.Pushdown
		want string
	}{
		{"equal", compare("=", people[1], "Ann"), esds.Exact, "[1]"},
		{"not equal", call("not", compare("=", people[1], "Ann")), esds.Exact, "[2]"},
		{"null-safe", call("not", compare("<=>", people[1], "Ann")), esds.Exact, "[2]\n[3]"},
		{"less", compare("<", people[2], int64(35)), esds.Exact, "[1]"},
		{"null", call("isnull", col(1)), esds.Exact, "[3]"},
		{"in", call("in", col(2), lit(row.IntType, int64(40)), lit(row.IntType, int64(41))), esds.Exact, "[2]"},
		{"like", call("like", col(1), lit(row.StringType, `B\%_`)), esds.Exact, "[2]"},
		{"and or", call("or", call("and", compare(">", people[2], int64(1)), compare("=", people[0], "1")), call("isnull", col(2))), esds.Exact, "[1]\n[3]"},
		{"date", compare("=", people[6], int64(18263)), esds.Exact, "[1]\n[2]"},
		{"timestamp", compare(">=", people[5], int64(1577934245500000)), esds.Exact, "[1]\n[2]"},
		{"decimal", compare("=", people[7], "12.50"), esds.Exact, "[1]\n[2]"},
		{"another type", compare("=", row.Field{Name: "age", Type: row.StringType}, "30"), esds.No, ""},
		{"a function", call("upper", col(1)), esds.No, ""},
		{"bad pattern", call("like", col(1), lit(row.StringType, `a\b`)), esds.No, ""},
		{"an absent field", call("isnull", &expr.Column{Node: expr.Node{T: row.IntType}, Name: "nothing"}), esds.Exact, "[1]\n[2]\n[3]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if how := x.Pushdown(tt.e); how != tt.how {
				t.Errorf("pushdown = %d, want %d", how, tt.how)
			}
			if tt.how == esds.No {
				return
			}
			check(t, "read", read(t, s, "p", text("_id"), tt.e), tt.want)
			if n, err := x.Count(t.Context(), []expr.Expr{tt.e}); err != nil || int(n) != strings.Count(tt.want, "[") {
				t.Errorf("count = %d, %v", n, err)
			}
		})
	}
}

func TestConversions(t *testing.T) {
	s := fresh(t)
	in := row.Schema{
		{Name: "id", Type: row.StringType},
		{Name: "l", Type: row.BigIntType},
		{Name: "d", Type: row.DoubleType},
		{Name: "x", Type: row.StringType},
		{Name: "ts", Type: row.TimestampType},
		{Name: "a", Type: row.ArrayType(row.StringType)},
		{Name: "s", Type: row.StructType(row.Field{Name: "i", Type: row.ArrayType(row.ArrayType(row.IntType))})},
	}
	write(t, s, esds.Write{Index: "p", ID: "id"}, rows(t, in, []any{"1", 7, 2.0, "12", "2020-01-02T03:04:05Z", []any{"5"}, map[string]any{"i": []any{[]any{1, nil}, nil}}},
		[]any{"2", nil, nil, nil, nil, nil, nil}))
	tests := []struct {
		name string
		typ  row.Type
		want string
	}{
		{"l", row.IntType, "[1 7]\n[2 <nil>]"},
		{"l", row.DecimalType(5, 2), "[1 7.00]\n[2 <nil>]"},
		{"l", row.StringType, "[1 7]\n[2 <nil>]"},
		{"d", row.IntType, "[1 2]\n[2 <nil>]"},
		{"d", row.DecimalType(3, 1), "[1 2.0]\n[2 <nil>]"},
		{"d", row.FloatType, "[1 2]\n[2 <nil>]"},
		{"x", row.IntType, "[1 12]\n[2 <nil>]"},
		{"x", row.DecimalType(3, 1), "[1 12.0]\n[2 <nil>]"},
		{"x", row.DoubleType, "[1 12]\n[2 <nil>]"},
		{"x", row.DateType, "error: index p, document 1, field x: \"12\": does not fit date"},
		{"x", row.BooleanType, "error: index p, document 1, field x: \"12\": does not fit boolean"},
		{"ts", row.DateType, "[1 2020-01-02]\n[2 <nil>]"},
		{"ts", row.StringType, "[1 2020-01-02T03:04:05Z]\n[2 <nil>]"},
		{"ts", row.IntType, "error: index p, document 1, field ts: \"2020-01-02 03:04:05\": does not fit int"},
		{"a", row.StringType, "[1 5]\n[2 <nil>]"},
		{"a", row.ArrayType(row.IntType), "[1 [5]]\n[2 <nil>]"},
		{"l", row.ArrayType(row.IntType), "[1 [7]]\n[2 <nil>]"},
		{"s", row.StructType(row.Field{Name: "i", Type: row.ArrayType(row.ArrayType(row.BigIntType))}, row.Field{Name: "j", Type: row.IntType}), "[1 map[i:[[1 <nil>] <nil>] j:<nil>]]\n[2 <nil>]"},
		{"s", row.StringType, "[1 {\"i\":[[1,null],null]}]\n[2 <nil>]"},
		{"s", row.MapType(row.StringType, row.ArrayType(row.ArrayType(row.IntType))), "[1 map[i:[[1 <nil>] <nil>]]]\n[2 <nil>]"},
		{"S.I", row.ArrayType(row.ArrayType(row.IntType)), "[1 [[1 <nil>] <nil>]]\n[2 <nil>]"},
	}
	for _, tt := range tests {
		t.Run(tt.name+" as "+tt.typ.String(), func(t *testing.T) {
			check(t, "read", read(t, s, "p", row.Schema{{Name: "_id", Type: row.StringType}, {Name: tt.name, Type: tt.typ}}), tt.want)
		})
	}
}
