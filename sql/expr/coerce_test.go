package expr

import (
	"testing"

	"github.com/eslake/eslake/sql/row"
)

func typeOf(t *testing.T, text string) row.Type {
	t.Helper()
	typ, err := (&schemaParser{rest: text}).typ()
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return typ
}

func TestCommonType(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"int", "bigint", "bigint"},
		{"tinyint", "float", "float"},
		{"bigint", "float", "float"},
		{"int", "void", "int"},
		{"int", "decimal(2,1)", "decimal(11,1)"},
		{"bigint", "decimal(38,10)", "decimal(38,10)"},
		{"decimal(10,2)", "decimal(5,4)", "decimal(12,4)"},
		{"decimal(10,2)", "double", "double"},
		{"int", "string", "string"},
		{"date", "string", "string"},
		{"timestamp", "string", "string"},
		{"date", "timestamp", "timestamp"},
		{"timestamp_ntz", "timestamp", "timestamp"},
		{"boolean", "string", ""},
		{"boolean", "int", ""},
		{"binary", "string", ""},
		{"array<int>", "array<string>", "array<string>"},
		{"map<int,int>", "map<bigint,double>", "map<bigint,double>"},
		{"struct<a:int>", "struct<a:bigint>", "struct<a:bigint>"},
		{"struct<a:int>", "struct<b:int>", ""},
		{"array<int>", "int", ""},
		{"date", "int", ""},
	} {
		for _, pair := range [][2]string{{c.a, c.b}, {c.b, c.a}} {
			got, ok := CommonType(false, typeOf(t, pair[0]), typeOf(t, pair[1]))
			if ok != (c.want != "") || ok && got.String() != c.want {
				t.Errorf("CommonType(%s, %s) = %s, %t; want %s", pair[0], pair[1], got, ok, c.want)
			}
		}
	}
}

func TestComparisonType(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"string", "int", "int"},
		{"string", "bigint", "bigint"},
		{"string", "decimal(5,2)", "double"},
		{"string", "double", "double"},
		{"string", "date", "date"},
		{"string", "timestamp", "timestamp"},
		{"string", "boolean", "boolean"},
		{"string", "void", "string"},
		{"string", "binary", "binary"},
		{"date", "timestamp", "timestamp"},
		{"int", "double", "double"},
		{"string", "array<int>", ""},
		{"map<int,int>", "int", ""},
	} {
		for _, pair := range [][2]string{{c.a, c.b}, {c.b, c.a}} {
			got, ok := comparisonType(typeOf(t, pair[0]), typeOf(t, pair[1]), false)
			if ok != (c.want != "") || ok && got.String() != c.want {
				t.Errorf("comparisonType(%s, %s) = %s, %t; want %s", pair[0], pair[1], got, ok, c.want)
			}
		}
	}
}

func TestDecimalResult(t *testing.T) {
	for _, c := range []struct{ op, a, b, want string }{
		{"+", "decimal(10,2)", "decimal(5,4)", "decimal(13,4)"},
		{"*", "decimal(10,2)", "decimal(5,4)", "decimal(16,6)"},
		{"/", "decimal(10,2)", "decimal(5,4)", "decimal(20,8)"},
		{"%", "decimal(10,2)", "decimal(5,4)", "decimal(5,4)"},
		{"*", "decimal(38,10)", "decimal(38,10)", "decimal(38,6)"},
		{"/", "decimal(38,18)", "decimal(38,18)", "decimal(38,6)"},
		{"+", "decimal(38,0)", "decimal(10,0)", "decimal(38,0)"},
		{"+", "decimal(38,18)", "decimal(38,18)", "decimal(38,17)"},
	} {
		if got := decimalResult(c.op, typeOf(t, c.a), typeOf(t, c.b)).String(); got != c.want {
			t.Errorf("%s %s %s is %s, want %s", c.a, c.op, c.b, got, c.want)
		}
	}
}

func TestStoreAssignment(t *testing.T) {
	for _, c := range []struct {
		from, to             string
		ansi, strict, legacy bool
	}{
		{"string", "int", false, false, true},
		{"int", "string", true, true, true},
		{"bigint", "int", true, false, true},
		{"int", "bigint", true, true, true},
		{"double", "int", true, false, true},
		{"decimal(10,2)", "decimal(5,1)", true, false, true},
		{"int", "decimal(10,0)", true, true, true},
		{"int", "decimal(5,0)", true, false, true},
		{"date", "timestamp", true, true, true},
		{"timestamp", "date", true, false, true},
		{"string", "date", false, false, true},
		{"string", "timestamp", false, false, true},
		{"boolean", "int", false, false, true},
		{"int", "boolean", false, false, true},
		{"boolean", "string", true, true, true},
		{"void", "int", true, true, true},
		{"int", "date", false, false, false},
		{"array<int>", "array<bigint>", true, true, true},
		{"array<string>", "array<int>", false, false, true},
		{"array<int>", "string", false, false, true},
		{"struct<a:int>", "struct<b:bigint>", true, true, true},
		{"struct<a:int>", "struct<a:int,b:int>", false, false, false},
		{"map<string,int>", "map<string,double>", true, true, true},
		{"binary", "string", true, false, true},
	} {
		from, to := typeOf(t, c.from), typeOf(t, c.to)
		for policy, want := range map[StorePolicy]bool{StoreANSI: c.ansi, StoreStrict: c.strict, StoreLegacy: c.legacy} {
			if got := StoreAssignment(from, to, policy); got != want {
				t.Errorf("StoreAssignment(%s, %s, %d) = %t", c.from, c.to, policy, got)
			}
		}
	}
}

func TestCastAllowed(t *testing.T) {
	for _, c := range []struct {
		from, to     string
		legacy, ansi bool
	}{
		{"string", "int", true, true},
		{"int", "date", false, false},
		{"date", "int", true, false},
		{"int", "timestamp", true, true},
		{"timestamp", "int", true, true},
		{"boolean", "timestamp", true, false},
		{"int", "binary", true, false},
		{"double", "binary", false, false},
		{"array<int>", "string", true, true},
		{"string", "array<int>", false, false},
		{"array<int>", "array<date>", false, false},
		{"struct<a:int>", "struct<b:string>", true, true},
		{"void", "map<int,int>", true, true},
		{"binary", "int", false, false},
		{"timestamp_ntz", "bigint", false, false},
	} {
		from, to := typeOf(t, c.from), typeOf(t, c.to)
		if got := CastAllowed(from, to, LegacyCast); got != c.legacy {
			t.Errorf("CastAllowed(%s, %s) = %t", c.from, c.to, got)
		}
		if got := CastAllowed(from, to, ANSICast); got != c.ansi {
			t.Errorf("CastAllowed(%s, %s, ANSI) = %t", c.from, c.to, got)
		}
	}
}
