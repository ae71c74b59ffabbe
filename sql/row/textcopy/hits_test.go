package textcopy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/eslake/eslake/sql/row"
)

// copied returns what a line has of a member with a value, when it was copied.
func copied(t rapid.TB, l *row.Lines, typ row.Type, keep Keep, value string, behind int) (string, bool) {
	t.Helper()
	const head, tail = `{"_id":"1","_source":{`, `},"sort":[1]}`
	h := NewHits(l, []Place{{Key: `"v":`, Look: LookOf(typ), Open: []byte("<"), Keep: keep}}, false, 1<<20)
	page := []byte(head + `"v":` + value + tail + strings.Repeat(" ", Reach+behind))
	f := &Frame{Text: []byte(head), Head: len(`{"_id":"`)}
	f.Text = append(f.Text[:f.Head], f.Text[f.Head+1:]...) // the id
	dst := make([]byte, 2, 4096)
	at := Begin(dst, 0)
	dst, why := h.Run(&at, dst, page, f)
	switch {
	case why == Value && at.Step == 0 && at.At == len(head) && len(dst) == 2:
		return "", false
	case why == Stop && at.Hits == 1 && at.End == len(head)+len(`"v":`)+len(value)+len(tail) && at.Line == len(dst):
		line, closed := strings.CutSuffix(string(dst[2:]), ">")
		if closed && line[0] == '<' {
			return line[1:], true
		}
	case why == Tail: // the value ends before its text does
		return "", false
	}
	t.Fatalf("%s: why %d, %+v, printed %q", value, why, at, dst)
	return "", false
}

var jsonLines = &row.Lines{JSON: true, Text: row.AppendQuoted[[]byte], Close: []byte(">")}

var types = []row.Type{
	{Kind: row.TinyInt},
	{Kind: row.SmallInt},
	row.IntType, row.BigIntType, row.FloatType, row.DoubleType, row.BooleanType, row.DateType, row.TimestampType,
	row.DecimalType(5, 2), row.DecimalType(9, 0), row.DecimalType(18, 17), row.DecimalType(38, 0), row.DecimalType(38, 18), row.DecimalType(38, 38),
}

// text draws what may spell a value of a type.
func text(t *rapid.T, typ row.Type) string {
	text := rapid.StringMatching(map[row.Kind]string{
		row.Float: `-?([0-9]{1,8}(\.[0-9]{0,8})?|0\.00[0-9]{2,4})`, row.Double: `-?((0|[1-9][0-9]{0,8})\.[0-9]{1,17}|0\.00[0-9]{2,9})`, row.Boolean: `true|false`,
		row.Date: `(19|20|00)[0-9][0-8]-(02-(28|29|30)|[01][0-9]-[0-3][0-9])`, row.Timestamp: `(19|20)[0-9]{2}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9](\.[0-9]{1,3}|\.[0-9]{5,7}[1-9]?)?Z`,
		row.Decimal: fmt.Sprintf(`-?[0-9]{1,%d}(\.[0-9]{%d})?`, max(1, typ.Precision-typ.Scale+1), typ.Scale),
		row.TinyInt: `-?[0-9]{1,4}`, row.SmallInt: `-?[0-9]{1,6}`, row.Int: `-?(2147483[0-9]{3}|[1-9]?[0-9]{1,10})`, row.BigInt: `-?(922337203685477[0-9]{4}|[0-9]{1,20})`,
	}[typ.Kind]).Draw(t, "text")
	if at := rapid.IntRange(0, 8*len(text)).Draw(t, "at"); at < len(text) {
		text = text[:at] + rapid.StringMatching(`[-+.:0-9TZe ]?`).Draw(t, "other") + text[at+1:]
	}
	return text
}

func isQuoted(typ row.Type) bool { return typ.Kind == row.Date || typ.Kind == row.Timestamp }

// What is copied is what is printed of the value.
func TestCopiesWhatSpellsItself(t *testing.T) {
	taken := 0
	rapid.Check(t, func(t *rapid.T) {
		for range 50 {
			typ := rapid.SampledFrom(types).Draw(t, "type")
			text := text(t, typ)
			value := text
			if isQuoted(typ) {
				value = `"` + text + `"`
			}
			got, ok := copied(t, jsonLines, typ, KeepWhole, value, rapid.IntRange(0, 3).Draw(t, "behind"))
			if !ok {
				continue
			}
			if taken++; got != value || !typ.SpellsItself([]byte(text)) {
				t.Fatalf("%s as %s is copied as %s", value, typ, got)
			}
		}
	})
	if taken == 0 {
		t.Error("no text was copied")
	}
}

// What is printed of a value is copied.
func TestCopiesWhatIsPrinted(t *testing.T) {
	for typ, values := range map[*row.Type][]string{
		{Kind: row.TinyInt}:          {"0", "-7", "127", "-127", "99"},
		{Kind: row.SmallInt}:         {"32767", "-32767", "9999", "10000"},
		&row.IntType:                 {"2147483647", "-2147483647", "1999999999", "5"},
		&row.BigIntType:              {"9223372036854775807", "-9223372036854775807", "8999999999999999999", "1234567890123456", "123456789012345"},
		&row.FloatType:               {"0.5", "-33.333", "0.001", "100.0", "-0.0"},
		&row.DoubleType:              {"0.5", "-1234567.25", "0.00123456789012", "95.226671", "-0.0", "0.0"},
		&row.BooleanType:             {"true", "false"},
		&row.DateType:                {`"2024-02-29"`, `"1900-02-28"`, `"2000-02-29"`, `"9999-12-31"`, `"1000-01-01"`},
		&row.TimestampType:           {`"2024-02-29T10:11:12Z"`, `"2024-02-29T23:59:59.123456Z"`, `"1969-12-31T00:00:00.5Z"`},
		ptr(row.DecimalType(5, 2)):   {"0.00", "-999.99", "12.50"},
		ptr(row.DecimalType(38, 0)):  {"1234567890123456789012345678901", "0"},
		ptr(row.DecimalType(38, 18)): {"12345678901234567890.123456789012345678", "0.000000000000000001"},
	} {
		for _, value := range values {
			if got, ok := copied(t, jsonLines, *typ, KeepWhole, value, 0); !ok || got != value {
				t.Errorf("%s as %s is copied as %q, %t", value, typ, got, ok)
			}
		}
	}
}

func ptr[T any](v T) *T { return &v }

// pieces are what texts of JSON are made of.
var pieces = []string{
	"a", "seven b", "0123456789abcdef", "0123456789abcdef0123456789abcdef", `\"`, `\\`, `\n`, `\r`, `\t`, `\b`, `\f`, `\/`, `\u0041`, `\u001f`, `\x`,
	"é", "日本", "😀", "한", "ก", "\x7f", "\xff", "\xc0\x80", "\xc3", "\xc1", "\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "\x80", "\x01", "\n", ",", "NULL",
}

// drawString draws the text between the quotes of a JSON string, mostly a plain one.
func drawString(t *rapid.T) string {
	most := len(pieces)
	if rapid.IntRange(0, 3).Draw(t, "plain") > 0 {
		most = 11
	}
	var b strings.Builder
	for range rapid.IntRange(0, 12).Draw(t, "pieces") {
		b.WriteString(rapid.SampledFrom(pieces[:most]).Draw(t, "piece"))
	}
	return b.String()
}

// Texts are copied that are what is printed of them, and no others; of those only the ones with
// control characters in hexadecimal are left.
func TestCopiesTexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for range 50 {
			value := `"` + drawString(t) + `"`
			var text string
			valid := json.Unmarshal([]byte(value), &text) == nil && utf8.ValidString(value)
			plain := valid && !strings.Contains(value, `\u`) && string(row.AppendQuoted(nil, []byte(text))) == value
			got, ok := copied(t, jsonLines, row.StringType, KeepWhole, value, rapid.IntRange(0, 40).Draw(t, "behind"))
			if ok != plain || ok && got != value {
				t.Fatalf("%q is copied as %q, %t; it is plain: %t", value, got, ok, plain)
			}
		}
	})
}

// In CSV a text has the quotes that it needs there.
func TestQuotesTexts(t *testing.T) {
	csv := func(dst, text []byte) []byte {
		if len(text) == 0 || bytes.ContainsAny(text, ",\"\n\r") || string(text) == "NULL" {
			return append(dst, `"`+strings.ReplaceAll(string(text), `"`, `""`)+`"`...)
		}
		return append(dst, text...)
	}
	l := &row.Lines{Text: csv, Null: []byte("NULL"), Close: []byte(">"), Plain: &row.PlainText{Sign: ',', Empty: []byte(`""`), Quotes: true}}
	taken := 0
	rapid.Check(t, func(t *rapid.T) {
		for range 50 {
			value := `"` + drawString(t) + `"`
			got, ok := copied(t, l, row.StringType, KeepInner, value, rapid.IntRange(0, 40).Draw(t, "behind"))
			if !ok {
				continue
			}
			taken++
			var text string
			if err := json.Unmarshal([]byte(value), &text); err != nil || string(csv(nil, []byte(text))) != got {
				t.Fatalf("%q is %q in CSV", value, got)
			}
		}
	})
	if taken == 0 {
		t.Error("no text was copied")
	}
}

// What a hit is sorted by may be one number or two.
func TestEndsOfHits(t *testing.T) {
	const head = `{"_id":"1","_source":{`
	for tail, whole := range map[string]bool{
		`}}`: true, `},"sort":[12]}`: true, `},"sort":[12,4294967308]}`: true,
		`},"sort":[]}`: false, `},"sort":[,1]}`: false, `},"sort":[1,]}`: false, `},"sort":[1,2,3]}`: false, `},"sort":["a"]}`: false,
		`},"sort":[-1]}`: false, `},"sort":[1,-1]}`: false, `},"sort":[1]`: false, `},"fields":{},"sort":[1]}`: false,
	} {
		h := NewHits(jsonLines, []Place{{Key: `"v":`, Look: LookOf(row.IntType), Open: []byte("<"), Keep: KeepWhole}}, false, 1<<20)
		f := &Frame{Text: []byte(`{"_id":"","_source":{`), Head: len(`{"_id":"`)}
		at := Begin(nil, 0)
		_, why := h.Run(&at, make([]byte, 0, 4096), []byte(head+`"v":5`+tail+strings.Repeat(" ", Reach)), f)
		if (why == Stop && at.Hits == 1 && at.End == len(head)+len(`"v":5`)+len(tail)) != whole || (why == Tail) == whole {
			t.Errorf("%s: why %d, %+v", tail, why, at)
		}
	}
}
