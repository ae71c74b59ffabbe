package expr_test

import (
	"strings"
	"testing"

	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/lex"
	"github.com/eslake/eslake/sql/row"
)

func name(parts ...string) *expr.Name { return &expr.Name{Parts: parts} }

func call(f string, args ...expr.Expr) *expr.Call { return &expr.Call{Func: f, Args: args} }

func number(v int64) *expr.Literal {
	return &expr.Literal{Node: expr.Node{T: row.IntType}, Value: v}
}

// everything is an expression with each kind of node in it, and the names that
// it reads, in order.
func everything() (e expr.Expr, names string) {
	first := true
	windowed := call("sum", name("a"))
	windowed.Filter = name("b")
	windowed.Within = []expr.Order{{X: name("c"), NullsFirst: &first}}
	windowed.Over = &expr.Window{
		Partition: []expr.Expr{name("d")},
		Order:     []expr.Order{{X: name("e"), Desc: true}},
		Frame:     &expr.Frame{Unit: "ROWS", From: expr.Bound{Kind: expr.Preceding, Offset: name("f")}, To: expr.Bound{Kind: expr.Following, Offset: name("g")}},
	}
	return call("f", windowed,
		&expr.Case{Operand: name("h"), Whens: []expr.When{{Cond: name("i"), Then: name("j")}}, Else: name("k")},
		&expr.Cast{Node: expr.Node{T: row.IntType}, X: name("l")},
		&expr.Index{X: name("m"), Key: name("n")},
		&expr.Field{X: &expr.Column{ID: 1, Name: "o"}, Name: "x"},
		&expr.Lambda{Params: []string{"y"}, Body: name("p")},
		&expr.Subquery{Kind: expr.In, X: name("q"), Query: text("SELECT 1")},
		&expr.Star{}, number(1),
	), "a b c d e f g h i j k l m n p q"
}

type text string

func (t text) String() string { return string(t) }

func TestWalk(t *testing.T) {
	e, want := everything()
	var got []string
	expr.Walk(e, func(e expr.Expr) bool {
		if n, ok := e.(*expr.Name); ok {
			got = append(got, n.Parts...)
		}
		return true
	})
	if strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
	visited := 0
	expr.Walk(e, func(expr.Expr) bool { visited++; return false })
	if visited != 1 {
		t.Errorf("visited %d nodes behind a false, want 1", visited)
	}
}

func TestMap(t *testing.T) {
	e, _ := everything()
	before := e.String()
	upper := expr.Map(e, func(e expr.Expr) expr.Expr {
		if n, ok := e.(*expr.Name); ok {
			return name(strings.ToUpper(n.Parts[0]))
		}
		return e
	})
	want := "f(sum(A) WITHIN GROUP (ORDER BY C NULLS FIRST) FILTER (WHERE B) OVER (PARTITION BY D ORDER BY E DESC ROWS BETWEEN F PRECEDING AND G FOLLOWING), " +
		"CASE H WHEN I THEN J ELSE K END, CAST(L AS INT), M[N], o.x, y -> P, Q IN (SELECT 1), *, 1)"
	if upper.String() != want {
		t.Errorf("got  %s\nwant %s", upper, want)
	}
	if e.String() != before {
		t.Errorf("the given expression became %s", e)
	}
}

func TestConjuncts(t *testing.T) {
	a, b, c := name("a"), call("or", name("b"), name("c")), call("=", name("d"), number(1))
	e := expr.And(nil, a, b, nil, c)
	if got, want := e.String(), "a AND (b OR c) AND d = 1"; got != want {
		t.Errorf("And gives %s, want %s", got, want)
	}
	parts := expr.Conjuncts(e)
	if len(parts) != 3 || parts[0] != a || parts[1] != expr.Expr(b) || parts[2] != expr.Expr(c) {
		t.Errorf("Conjuncts gives %v", parts)
	}
	if expr.And() != nil || expr.And(nil, nil) != nil || expr.Conjuncts(nil) != nil {
		t.Error("And and Conjuncts of nothing are not nil")
	}
	if expr.And(a) != expr.Expr(a) {
		t.Error("And of one is not that one")
	}
}

func TestEqual(t *testing.T) {
	e, _ := everything()
	same, _ := everything()
	if !expr.Equal(e, same) {
		t.Error("equal trees differ")
	}
	moved := *name("a")
	moved.At = lex.Span{Start: 5, Line: 1}
	if !expr.Equal(&moved, name("a")) {
		t.Error("places count")
	}
	differ := []struct {
		name string
		a, b expr.Expr
	}{
		{"nil", nil, name("a")},
		{"kind of node", name("a"), number(1)},
		{"name", name("a"), name("b")},
		{"value", number(1), number(2)},
		{"type", number(1), &expr.Literal{Node: expr.Node{T: row.BigIntType}, Value: int64(1)}},
		{"function", call("f"), call("g")},
		{"number of arguments", call("f", name("a")), call("f")},
		{"DISTINCT", call("f"), &expr.Call{Func: "f", Distinct: true}},
		{"window", call("f"), &expr.Call{Func: "f", Over: &expr.Window{}}},
		{"order", &expr.Call{Func: "f", Within: []expr.Order{{X: name("a")}}}, &expr.Call{Func: "f", Within: []expr.Order{{X: name("a"), Desc: true}}}},
		{"column", &expr.Column{ID: 1, Name: "a"}, &expr.Column{ID: 2, Name: "a"}},
		{"field", &expr.Field{X: name("a"), Name: "b"}, &expr.Field{X: name("a"), Name: "c"}},
		{"CASE", &expr.Case{Operand: name("a")}, &expr.Case{Else: name("a")}},
		{"TRY", &expr.Cast{X: name("a")}, &expr.Cast{X: name("a"), Try: true}},
		{"lambda", &expr.Lambda{Params: []string{"x"}, Body: name("x")}, &expr.Lambda{Params: []string{"y"}, Body: name("x")}},
		{"query", &expr.Subquery{Query: text("a")}, &expr.Subquery{Query: text("b")}},
		{"star", &expr.Star{}, &expr.Star{Except: []string{"a"}}},
	}
	for _, tt := range differ {
		if expr.Equal(tt.a, tt.b) {
			t.Errorf("%s: %v and %v are equal", tt.name, tt.a, tt.b)
		}
	}
}
