package exec

import (
	"strings"
	"testing"
)

func TestSetField(t *testing.T) {
	tests := []struct {
		name, doc, path, value string
		dotted                 bool
		want                   string
	}{
		{"replaced in place", `{"a" : 1, "b":2}`, "a", `"x"`, false, `{"a" : "x", "b":2}`},
		{"added at the end", `{"a":1}`, "b", `2`, false, `{"a":1,"b":2}`},
		{"added to an empty one", `{ }`, "b", `2`, false, `{"b":2 }`},
		{"taken away, first", `{"a":1, "b":2}`, "a", ``, false, `{"b":2}`},
		{"taken away, last", `{"a":1, "b":2}`, "b", ``, false, `{"a":1}`},
		{"taken away, only", `{"a":1}`, "a", ``, false, `{}`},
		{"taken away, absent", `{"a":1}`, "b", ``, false, `{"a":1}`},
		{"nested", `{"s":{"f":1,"g":2}}`, "s.f", `9`, false, `{"s":{"f":9,"g":2}}`},
		{"dotted name", `{"s.f":1,"g":2}`, "s.f", `9`, false, `{"s.f":9,"g":2}`},
		{"dotted below an object", `{"a":{"b.c":1}}`, "a.b.c", `9`, false, `{"a":{"b.c":9}}`},
		{"added to the object that is there", `{"s":{"g":2},"x":1}`, "s.f", `9`, false, `{"s":{"g":2,"f":9},"x":1}`},
		{"added as an object", `{"x":1}`, "s.f", `9`, false, `{"x":1,"s":{"f":9}}`},
		{"added under its dotted name", `{"x":1}`, "s.f", `9`, true, `{"x":1,"s.f":9}`},
		{"a null parent", `{"s":null}`, "s.f", `9`, false, `{"s":{"f":9}}`},
		{"a null parent stays", `{"s":null}`, "s.f", ``, false, `{"s":null}`},
		{"both spellings", `{"s":{"f":1},"s.f":2}`, "s.f", `9`, false, `{"s":{},"s.f":9}`},
		{"a whole under dotted names", `{"s.f":1,"a":2,"s.g":3}`, "s", `{"f":9}`, false, `{"a":2,"s":{"f":9}}`},
		{"a name that only begins alike", `{"sf":1}`, "s", `2`, false, `{"sf":1,"s":2}`},
		{"escaped name", `{"a\"b":1,"\u0061":2}`, "a", `3`, false, `{"a\"b":1,"\u0061":3}`},
		{"escaped name taken away", `{"x":0,"a\"\\":1,"y":2}`, `a"\`, ``, false, `{"x":0,"y":2}`},
		{"the same number in another spelling", `{"n":1.5, "l":[1, "a"]}`, "n", `1.50`, false, `{"n":1.5, "l":[1, "a"]}`},
		{"the same list in another spelling", `{"n":1.5, "l":[1, "a"]}`, "l", `[1.0,"\u0061"]`, false, `{"n":1.5, "l":[1, "a"]}`},
		{"text is no number", `{"n":1.5}`, "n", `"1.5"`, false, `{"n":"1.5"}`},
		{"big numbers stay", `{"n":12345678901234567890.10, "a":1}`, "a", `2`, false, `{"n":12345678901234567890.10, "a":2}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var value []byte
			if tt.value != "" {
				value = []byte(tt.value)
			}
			got, err := setField([]byte(tt.doc), strings.Split(tt.path, "."), tt.dotted, value)
			if err != nil || string(got) != tt.want {
				t.Errorf("got %s, want %s (%v)", got, tt.want, err)
			}
		})
	}
}

func TestSetFieldRefuses(t *testing.T) {
	for doc, want := range map[string]string{
		`{"s":[{"f":1}]}`: "field s.f: is a list",
		`{"s":5}`:         "field s.f: its parent is 5",
		`[1]`:             "not a JSON object",
		`{"s":`:           "cannot be read",
	} {
		if _, err := setField([]byte(doc), []string{"s", "f"}, false, []byte("1")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", doc, err, want)
		}
	}
}

func TestSameDocument(t *testing.T) {
	same := [][2]string{
		{`{"a":1,"b":2}`, `{ "b": 2, "a": 1.0 }`},
		{`{"a.b":1}`, `{"a":{"b":10e-1}}`},
		{`{"a":{"x":1},"a.y":2}`, `{"a":{"y":2,"x":1}}`},
		{`{"a":1.5E10}`, `{"a":15000000000}`},
		{`{"a":"\u00e9"}`, `{"a":"é"}`},
		{`{"a":-0.0}`, `{"a":-0}`},
		{`{"a":{"x":1,"y":null}}`, `{"a":{"z":null,"x":1}}`},
	}
	for _, pair := range same {
		if !sameDocument([]byte(pair[0]), []byte(pair[1])) {
			t.Errorf("%s and %s differ", pair[0], pair[1])
		}
	}
	other := [][2]string{
		{`{"a":1}`, `{"a":"1"}`},
		{`{"a":9007199254740993}`, `{"a":9007199254740992}`},
		{`{"a":[1,2]}`, `{"a":[2,1]}`},
		{`{"a":null}`, `{}`},
		{`{"a":[]}`, `{"a":null}`},
		{`{"a":{"x":1,"y":null}}`, `{"a":{"x":1,"y":0}}`},
		{`{"a":{"x":1}}`, `{"a":{"x":1,"y":0}}`},
		{`{"a":{}}`, `{"a":1}`},
		{`{"a":1}`, `{"a":1} x`},
	}
	for _, pair := range other {
		if sameDocument([]byte(pair[0]), []byte(pair[1])) {
			t.Errorf("%s and %s are said to be the same", pair[0], pair[1])
		}
	}
	if sameDocument(nil, []byte(`{}`)) || !sameDocument(nil, nil) {
		t.Error("a document that is not there")
	}
}
