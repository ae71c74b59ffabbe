package expr

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/eslake/eslake/sql/lex"
	"github.com/eslake/eslake/sql/row"
)

func columnOf(name, typ string) *Column {
	t, err := (&schemaParser{rest: typ}).typ()
	if err != nil {
		panic(err)
	}
	return &Column{Node: Node{T: t}, ID: 1, Name: name}
}

func textOf(s string) *Literal { return &Literal{Node: Node{T: row.StringType}, Value: s} }

func numberOf(n int64) *Literal { return &Literal{Node: Node{T: row.IntType}, Value: n} }

// TestFunctionTable checks what no other test would notice: that every row can be
// read, has a description, and that no name stands twice.
func TestFunctionTable(t *testing.T) {
	seen := map[string]bool{}
	for _, table := range functionTables() {
		for i := range table {
			f := &table[i]
			if f.Doc == "" || f.Names == "" {
				t.Errorf("%q has no name or description", f.Names)
			}
			if f.Result == "" && f.rule == nil {
				t.Errorf("%s has neither result nor rule", f.Names)
			}
			sig := signatureOf(f)
			for _, p := range append(slices.Clone(sig.args), sig.result) {
				checkPattern(t, f, p)
			}
			for _, name := range strings.Fields(f.Names) {
				if seen[name] {
					t.Errorf("%s stands twice", name)
				}
				seen[name] = true
			}
		}
	}
	for _, name := range UnservedFunctions() {
		if seen[name] {
			t.Errorf("%s is served and not served", name)
		}
	}
}

func checkPattern(t *testing.T, f *Function, p pattern) {
	t.Helper()
	known := []string{"", "any", "num", "integral", "time", "text", "const", "array", "map", "fn"}
	if _, ok := concrete[p.base]; !ok && !p.isVar() && !slices.Contains(known, p.base) {
		t.Errorf("%s: unknown pattern %q", f.Names, p.base)
	}
	for _, sub := range append(p.sub, p.lambda...) {
		checkPattern(t, f, sub)
	}
}

func TestResolveErrors(t *testing.T) {
	name := columnOf("name", "string")
	for _, c := range []struct {
		e             Expr
		code, message string
	}{
		{&Call{Func: "uper", Args: []Expr{name}}, CodeFunction, "there is no function uper"},
		{&Call{Func: "substring", Args: []Expr{name}}, CodeArguments, "substring takes 2 or 3 arguments, not 1"},
		{&Call{Func: "upper"}, CodeArguments, "upper takes 1 argument, not 0"},
		{&Call{Func: "coalesce"}, CodeArguments, "coalesce takes at least 1 argument, not 0"},
		{&Call{Func: ">", Args: []Expr{columnOf("tags", "array<string>"), numberOf(5)}}, CodeTypes, "ARRAY<STRING> and INT cannot be compared"},
		{&Call{Func: "+", Args: []Expr{columnOf("b", "boolean"), numberOf(5)}}, CodeTypes, "BOOLEAN and INT cannot be used with +"},
		{&Call{Func: "xpath", Args: []Expr{name, name}}, CodeLater, "function xpath is not served"},
		{&Call{Func: "and", Args: []Expr{name, name}}, CodeTypes, "argument 1 of and must be BOOLEAN, not STRING"},
		{&Call{Func: "rank"}, CodeWindow, "rank is a window function: it needs OVER (…)"},
		{&Call{Func: "upper", Args: []Expr{name}, Over: &Window{}}, CodeWindow, "upper is no aggregate or window function: it cannot have OVER"},
		{&Call{Func: "greatest", Args: []Expr{name, numberOf(1)}}, CodeTypes, "STRING and INT cannot be used together in greatest"},
		{&Cast{Node: Node{T: row.DateType}, X: numberOf(1)}, CodeCast, "INT cannot be cast to DATE"},
		{&Field{X: columnOf("s", "struct<lat:double>"), Name: "lon"}, CodeField, "s has no field lon"},
		{&Field{X: name, Name: "x"}, CodeField, "name is STRING and has no field x"},
		{&Index{X: columnOf("m", "map<string,int>"), Key: columnOf("d", "array<int>")}, CodeTypes, "the key of m must be STRING, not ARRAY<INT>"},
		{&Index{X: name, Key: numberOf(0)}, CodeTypes, "name cannot be indexed: it is STRING"},
		{&Call{Func: "sum", Args: []Expr{columnOf("b", "boolean")}}, CodeTypes, "argument 1 of sum must be a number, not BOOLEAN"},
		{&Call{Func: "transform", Args: []Expr{columnOf("a", "array<int>"), numberOf(1)}}, CodeTypes, "argument 2 of transform must be a lambda, as in x -> x + 1"},
	} {
		_, err := Resolve(c.e)
		var e *lex.Error
		if !errors.As(err, &e) {
			t.Errorf("%s: no error but %v", c.e, err)
			continue
		}
		if e.Code != c.code || e.Message != c.message {
			t.Errorf("%s: %s %s\nwant %s %s", c.e, e.Code, e.Message, c.code, c.message)
		}
	}
}

func TestResolveHints(t *testing.T) {
	for _, c := range []struct {
		e    Expr
		hint string
	}{
		{&Call{Func: "uper", Args: []Expr{textOf("x")}}, "did you mean upper?"},
		{&Call{Func: "substrng", Args: []Expr{textOf("x")}}, "did you mean substring?"},
		{&Call{Func: "frobnicate"}, ""},
		{&Field{X: columnOf("s", "struct<lat:double,lon:double>"), Name: "lta"}, "did you mean lat?"},
	} {
		_, err := Resolve(c.e)
		var e *lex.Error
		if !errors.As(err, &e) || e.Hint != c.hint {
			t.Errorf("%s: %#v, want hint %q", c.e, err, c.hint)
		}
	}
}

// TestColumnsStayBare checks that a literal takes the type of the column that it
// is compared with, so that rules find column and literal side by side.
func TestColumnsStayBare(t *testing.T) {
	for _, c := range []struct {
		typ     string
		literal *Literal
		want    any
	}{
		{"bigint", numberOf(5), int64(5)},
		{"smallint", numberOf(5), int64(5)},
		{"double", numberOf(5), 5.0},
		{"int", textOf("5"), int64(5)},
		{"date", textOf("2024-01-02"), int64(19724)},
		{"timestamp", textOf("2024-01-02"), int64(19724) * 86_400_000_000},
		{"decimal(12,2)", numberOf(5), "5.00"},
		{"boolean", textOf("true"), true},
	} {
		for _, op := range []string{"=", "<=>", "in"} {
			if op == "in" && c.literal.T.Kind == row.String {
				continue // IN compares as text then
			}
			e, err := Resolve(&Call{Func: op, Args: []Expr{columnOf("c", c.typ), c.literal}})
			if err != nil {
				t.Errorf("%s %s: %v", c.typ, op, err)
				continue
			}
			call := e.(*Call)
			l, ok := call.Args[1].(*Literal)
			if _, bare := call.Args[0].(*Column); !bare || !ok || l.Value != c.want {
				t.Errorf("%s %s %v became %#v and %#v", c.typ, op, c.literal.Value, call.Args[0], call.Args[1])
			}
		}
	}
}

func TestLambdaParams(t *testing.T) {
	lambda := &Lambda{}
	for _, c := range []struct {
		call *Call
		arg  int
		want string
	}{
		{&Call{Func: "transform", Args: []Expr{columnOf("a", "array<double>"), lambda}}, 1, "double int"},
		{&Call{Func: "aggregate", Args: []Expr{columnOf("a", "array<int>"), textOf(""), lambda}}, 2, "string int"},
		{&Call{Func: "zip_with", Args: []Expr{columnOf("a", "array<int>"), columnOf("b", "array<date>"), lambda}}, 2, "int date"},
		{&Call{Func: "map_filter", Args: []Expr{columnOf("m", "map<string,bigint>"), lambda}}, 1, "string bigint"},
		{&Call{Func: "map_zip_with", Args: []Expr{columnOf("m", "map<string,int>"), columnOf("n", "map<string,date>"), lambda}}, 2, "string int date"},
	} {
		types, err := LambdaParams(c.call, c.arg)
		if err != nil {
			t.Errorf("%s: %v", c.call.Func, err)
			continue
		}
		var names []string
		for _, typ := range types {
			names = append(names, typ.String())
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.call.Func, got, c.want)
		}
	}
}

func TestUsage(t *testing.T) {
	for name, want := range map[string]string{
		"substr": "substr(text, int[, int])", "pi": "pi()", "coalesce": "coalesce(T, …)", "transform": "transform(array<T>, fn(T,int):U)", "ntile": "ntile([int])",
	} {
		f, _ := Lookup(name)
		if got := f.Usage(name); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
