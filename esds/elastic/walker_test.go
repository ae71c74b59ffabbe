package elastic

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/eslake/eslake/sql/row"
)

const walkMapping = `{"properties":{"n":{"type":"long"},"i":{"type":"integer"},"k":{"type":"keyword"},"t":{"type":"text"},"x":{"type":"double"},"f":{"type":"float"},
	"b":{"type":"boolean"},"d":{"type":"date"},"day":{"type":"date","format":"yyyy-MM-dd"},"ns":{"type":"date_nanos"},"sec":{"type":"date","format":"epoch_second"},
	"g":{"type":"geo_point"},"list":{"type":"keyword"},"long_name_of_a_field":{"type":"keyword"},"long_name_of_b_field":{"type":"keyword"},"long_nm1":{"type":"long"},"long_nm2":{"type":"long"},"o":{"properties":{"s":{"type":"keyword"},"n":{"type":"long"}}},"é":{"type":"long"}}}`

// walkColumns are of the kinds that have a shape, and of some that have none.
var walkColumns = row.Schema{
	{Name: "n", Type: row.BigIntType},
	{Name: "i", Type: row.IntType},
	{Name: "k", Type: row.StringType},
	{Name: "t", Type: row.StringType},
	{Name: "x", Type: row.DoubleType},
	{Name: "f", Type: row.FloatType},
	{Name: "b", Type: row.BooleanType},
	{Name: "d", Type: row.TimestampType},
	{Name: "day", Type: row.DateType},
	{Name: "ns", Type: row.TimestampType},
	{Name: "sec", Type: row.TimestampType},
	{Name: "g", Type: row.StringType},
	{Name: "list", Type: row.ArrayType(row.StringType)},
	{Name: "long_name_of_a_field", Type: row.StringType},
	{Name: "long_name_of_b_field", Type: row.StringType},
	{Name: "long_nm1", Type: row.BigIntType},
	{Name: "long_nm2", Type: row.BigIntType},
	{Name: "o.s", Type: row.StringType},
	{Name: "o.n", Type: row.BigIntType},
	{Name: "é", Type: row.BigIntType},
	{Name: "_id", Type: row.StringType},
}

// walkValues are spelled as a document may: as eslake writes them, and otherwise.
var walkValues = []string{
	`null`, `""`, `"a"`, `"with \"quotes\", and\na line"`, `"\u00e9\/"`, `"é ü 😀"`, "\"\xff\"", `"ends in \\"`, `"eight by"`, `"more than eight bytes, and a comma"`,
	"\"\x7f\"", `"tab	"`, `0`, `-0`, `7`, `-7`, `12345678901`, `999999999`, `2147483648`, `9223372036854775807`, `9223372036854775808`, `-9223372036854775808`,
	`0.0`, `-0.0`, `1.5`, `-1.50`, `0.001`, `0.0005`, `0.00012`, `1234567.25`, `12345678.5`, `0.1234567890123456`, `1e3`, `1.0E7`, `100`, `33.333333`, `3.4028235`,
	`true`, `false`, `"true"`, `truer`, `"2024-02-29T10:11:12.123Z"`, `"2024-02-29T10:11:12Z"`, `"2024-02-29T10:11:12.120Z"`, `"2024-02-30T10:11:12Z"`,
	`"2024-02-29T10:11:12.123456789Z"`, `"2024-02-29T10:11:12.1234567Z"`, `"2024-02-29T24:00:00Z"`, `"2024-02-29T10:11:12+02:00"`, `"2024-02-29"`, `"0999-01-01"`, `"2023-02-29"`,
	`1709201472123`, `[]`, `[null]`, `["a"]`, `[7]`, `[1.5]`, `["2024-02-29"]`, `["a","b"]`, `[["a"]]`, `{"s":"x","n":5}`, `{}`, `[{"s":"x"},{"n":1}]`, `{"s":["y"],"s":"z"}`,
	`"5"`, `" 5 "`, `{"lat":1.10,"lon":2}`, `[true]`, `[ 7 ]`, `["a" ]`,
}

// walkLikely are values that look as those of a field do, by the name of its
// column's type.
var walkLikely = map[string][]string{
	"bigint":    walkValues[12:22],
	"int":       walkValues[12:22],
	"double":    walkValues[22:37],
	"float":     walkValues[22:37],
	"string":    walkValues[:12],
	"timestamp": walkValues[41:52],
	"date":      walkValues[41:52],
}

var walkNames = []string{"n", "i", "k", "t", "x", "f", "b", "d", "day", "ns", "sec", "g", "list", "long_name_of_a_field", "long_name_of_b_field", "long_nm1", "long_nm2", "o", "o.s", "o.n", `\u00e9`, "é", "other", "a.b", `\u006e`}

// walkDocument draws the text of a document: mostly plain ones, for which the walker
// is made.
func walkDocument(t *rapid.T) string {
	blank := rapid.SampledFrom([]string{"", "", "", " ", "\n\t"}).Draw(t, "blank")
	var b strings.Builder
	b.WriteString("{" + blank)
	for i, n := 0, rapid.IntRange(0, 12).Draw(t, "members"); i < n; i++ {
		if i > 0 {
			b.WriteString("," + blank)
		}
		name := rapid.SampledFrom(walkNames).Draw(t, "name")
		values := walkValues
		if c := walkColumns.Index(name); c >= 0 && rapid.IntRange(0, 3).Draw(t, "likely") > 0 {
			if likely := walkLikely[walkColumns[c].Type.String()]; likely != nil {
				values = likely
			}
		}
		fmt.Fprintf(&b, `"%s":%s%s`, name, blank, rapid.SampledFrom(values).Draw(t, "value"))
	}
	if rapid.IntRange(0, 20).Draw(t, "comment") == 0 {
		b.WriteString("/* } */")
	}
	return b.String() + blank + "}"
}

// walkCSV appends a text as CSV has it, where NULL is NULL.
func walkCSV(dst, text []byte) []byte {
	if s := string(text); s == "" || s == "NULL" || strings.ContainsAny(s, ",\"\n\r") {
		return append(dst, `"`+strings.ReplaceAll(s, `"`, `""`)+`"`...)
	}
	return append(dst, text...)
}

func walkTSV(dst, text []byte) []byte {
	return append(dst, strings.NewReplacer("\t", `\t`, "\n", `\n`, "\r", `\r`, `\`, `\\`).Replace(string(text))...)
}

// walkForms are lines as NDJSON, and as CSV and the like, with the columns in another
// order.
func walkForms(columns row.Schema) []*row.Lines {
	quote := func(dst, text []byte) []byte { return row.AppendQuoted(dst, text) }
	mark := func(dst, text []byte) []byte { return append(append(append(dst, '<'), text...), '>') }
	forms := []*row.Lines{
		{Null: []byte("null"), JSON: true, Text: quote, Close: []byte("}\n")},
		{Null: []byte("null"), JSON: true, Text: quote, Close: []byte("}\n")},
		{Text: mark, Close: []byte("\n")},
		{Text: walkCSV, Null: []byte("NULL"), Close: []byte("\n"), Plain: &row.PlainText{Sign: ',', Empty: []byte(`""`), Quotes: true}},
		{Text: walkCSV, Close: []byte("\n"), Plain: &row.PlainText{Sign: ',', Empty: []byte(`""`)}},
		{Text: walkTSV, Null: []byte("\\N"), Close: []byte("\n"), Plain: &row.PlainText{}},
	}
	for i, c := range columns {
		for k, l := range forms {
			l.Columns, l.Open = append(l.Columns, i), append(l.Open, fmt.Appendf(nil, `,"%s":`, c.Name))
			if k > 0 {
				l.Columns[i] = len(columns) - 1 - i
				l.Open[i] = []byte(",")
			}
		}
	}
	return forms
}

// Whatever a document looks like, the walker finds what the extractor finds, and
// what is copied from the text is what is printed of the values.
func TestWalkerFindsTheSame(t *testing.T) {
	walked := 0
	rapid.Check(t, func(t *rapid.T) {
		from := rapid.IntRange(0, len(walkColumns)-1).Draw(t, "from")
		columns := walkColumns[from : from+rapid.IntRange(1, len(walkColumns)-from).Draw(t, "columns")]
		p := planOf(t, walkMapping, columns)
		p.lenient = rapid.IntRange(0, 4).Draw(t, "strict") > 0
		rows, oracle := p.rows(), p.rows()
		if rows.walker == nil {
			t.Fatal("a plan of fields and an id has no walker")
		}
		forms := walkForms(columns)
		printers := make([]*printer, len(forms))
		for k, l := range forms {
			printers[k] = p.rows().printer(l)
		}
		for i := range rapid.IntRange(20, 100).Draw(t, "documents") {
			source := walkDocument(t)
			hit := fmt.Appendf(nil, `{"_index":"idx","_id":"%d","_score":null,"_source":%s,"sort":[%d]}`, i, source, i)
			want, got := row.NewBatch(columns), row.NewBatch(columns)
			wantErr := oracle.appendHit(want, hit)
			if _, ok := rows.walker.hit(append(bytes.Clone(hit), ','), 0); ok {
				walked++
			}
			end, err := rows.append(got, append(bytes.Clone(hit), ','), 0)
			if fmt.Sprint(err) != fmt.Sprint(wantErr) || end != len(hit) || got.Len != want.Len {
				t.Fatalf("%s\nrows %d, end %d of %d, error %v; the extractor has %d, %v", hit, got.Len, end, len(hit), err, want.Len, wantErr)
			}
			for k, l := range forms {
				line, _, _, err := printers[k].append(nil, append(bytes.Clone(hit), ','), 0)
				if fmt.Sprint(err) != fmt.Sprint(wantErr) {
					t.Fatalf("%s\nprinting: %v, want %v", hit, err, wantErr)
				}
				if err != nil {
					continue
				}
				if a, b := string(l.Append(nil, got, 0)), string(l.Append(nil, want, 0)); a != b || string(line) != b {
					t.Fatalf("%s\nwalked  %sprinted %swant    %s", hit, a, line, b)
				}
			}
			if wantErr != nil {
				return // an error ends a read
			}
		}
	})
	if walked == 0 {
		t.Error("the walker gave up every document")
	}
}

// A plain document is walked and copied whole.
func TestWalkerTakesPlainDocuments(t *testing.T) {
	columns := row.Schema{{Name: "n", Type: row.BigIntType}, {Name: "k", Type: row.StringType}, {Name: "x", Type: row.DoubleType}, {Name: "d", Type: row.TimestampType}}
	const source = `{"n":-9223372036854775807,"k":"a \"text\", ü\n","x":0.25,"d":"2024-02-29T10:11:12.5Z"}`
	p := planOf(t, walkMapping, columns)
	rows := p.rows()
	hit := []byte(`{"_index":"idx","_source":` + source + `,"sort":[1]}]`)
	end, ok := rows.walker.hit(hit, 0)
	if !ok || end != len(hit)-1 {
		t.Fatalf("end = %d, %t", end, ok)
	}
	for i := range columns {
		if s := rows.walker.span(i); !rows.walker.holds(s) || s.form == formAny {
			t.Errorf("%s is not plain: %+v", columns[i].Name, s)
		}
	}
	l := walkForms(columns)[0]
	l.Open[0] = []byte(`{"n":`)
	line, _, _, err := rows.printer(l).append(nil, hit, 0)
	if err != nil || string(line) != source+"\n" {
		t.Errorf("line = %s, %v", line, err)
	}
}

// A page is skimmed as it is parsed, or not at all; what is cut off is an error
// then, wherever it is cut.
func TestSkim(t *testing.T) {
	const head = `{"pit_id":"p","took":3,"timed_out":false,"_shards":{"total":2,"successful":2,"failed":0},"hits":{"total":{"value":9,"relation":"eq"},"max_score":null,"hits":[`
	tests := []struct {
		name, text string
		after      string // "" when the page is not skimmed
		hits       int
	}{
		{"two hits", head + `{"_id":"1","_source":{"a":"]}}"},"sort":[5]},{"_id":"2","_source":{"sort":[7]},"sort":[-6]}]}}`, "[-6]", 2},
		{"none", head + `]}}`, "", 0},
		{"sort in a document", head + `{"_id":"1","_source":{"sort":[7]}}]}}`, "", 1},
		{"sort by text", head + `{"_id":"1","_source":{},"sort":["a]}"]}]}}`, "", 1},
		{"more behind the hits", head + `{"_id":"1","_source":{},"sort":[1]}]},"aggregations":{"a":{"b":[{}]}}}`, "", 1},
		{"blanks", strings.ReplaceAll(head, ":", " : ") + `{"_id" : "1","_source" : {"a" : 1},"sort":[1]}]}}`, "[1]", 1},
		{"no shards", `{"timed_out":false,"hits":{"total":{"value":1},"hits":[{"_id":"1","sort":[1]}]}}`, "", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := skimPage("scan", "idx", []byte(tt.text), false)
			if err != nil {
				t.Fatal(err)
			}
			if tt.after == "" && (p == nil || p.empty()) {
				return // parsed
			}
			if p == nil || string(p.lastSort()) != tt.after || p.total != 9 && p.total != 1 || p.shards != 2 || p.took == 0 {
				t.Fatalf("page = %+v", p)
			}
			if got, err := countHits(p); got != tt.hits || err != nil {
				t.Errorf("hits = %d, %v, want %d", got, err, tt.hits)
			}
			for n := range len(tt.text) {
				cut, err := skimPage("scan", "idx", []byte(tt.text[:n]), false)
				if cut == nil && err == nil {
					continue
				}
				if err == nil {
					_, err = countHits(cut)
				}
				if err == nil {
					t.Fatalf("a page of %d of %d bytes was taken", n, len(tt.text))
				}
			}
		})
	}
	failed := strings.Replace(tests[0].text, `"failed":0`, `"failed":1`, 1)
	if _, err := skimPage("scan", "idx", []byte(failed), false); err == nil || !strings.Contains(err.Error(), "1 of 2 shards failed") {
		t.Errorf("a failed shard: %v", err)
	}
	late := strings.Replace(tests[0].text, `"timed_out":false`, `"timed_out":true`, 1)
	if _, err := skimPage("scan", "idx", []byte(late), false); err == nil {
		t.Error("a search that timed out was taken")
	}
}

// countHits goes through the hits of a skimmed page as a read does.
func countHits(p *page) (int, error) {
	h := &hits{page: p}
	for h.more() {
		text, i, _ := h.next()
		end, err := skipValue(text, i)
		if err != nil {
			return h.count, err
		}
		h.took(end, 1)
	}
	return h.count, h.err
}

// plainText finds the first byte that is not plain, wherever it stands.
func TestPlainText(t *testing.T) {
	for at := range 40 {
		for _, stop := range []byte{'"', '\\', '\n', 0, 0x1f} {
			text := bytes.Repeat([]byte("x "), 30)
			text[at] = stop
			text[at+1], text[at+2] = '"', 0x01
			if got, _ := plainText(text, 0); got != at {
				t.Errorf("%q at %d found at %d", stop, at, got)
			}
			text[at/2] |= 0x80
			if got, high := plainText(text, 0); at > 1 && (got != at || !high) {
				t.Errorf("%q at %d found at %d, beyond ASCII %t", stop, at, got, high)
			}
		}
	}
	if got, _ := plainText([]byte("no end of the text"), 0); got != 18 {
		t.Errorf("end = %d", got)
	}
}

// What the walker gives up is what only the extractor puts together.
func TestWalkerGivesUp(t *testing.T) {
	p := planOf(t, walkMapping, row.Schema{{Name: "g", Type: row.StringType}, {Name: "o.s", Type: row.StringType}})
	for _, source := range []string{
		`{"g":{"lat":1},"g":{"lon":2}}`, `{"g":1,"g":1}`, `{"o.s":"x"}`, `{"o":[{"s":"x"}]}`, `{"o":{"s":"x"},"o":{"s":"y"}}`, `{"\u0067":1}`, `{"g":1 /* */}`,
		`{"g":1`, `{"g":}`, `{"g":1 "o":2}`, `{"g" 1}`, `["g"]`,
	} {
		r := p.rows()
		if _, ok := r.walker.hit([]byte(`{"_id":"1","_source":`+source+`}`), 0); ok {
			t.Errorf("%s was walked", source)
		}
	}
	if _, ok := p.rows().walker.hit([]byte(`{"_id":"1","sort":[1]}`), 0); ok {
		t.Error("a hit without its document was walked")
	}
}
