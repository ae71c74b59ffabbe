package elastic

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

// decoded reads documents as rows of a table over a mapping.
func decoded(t testing.TB, mapping string, columns row.Schema, sources ...string) (*row.Batch, error) {
	t.Helper()
	p := planOf(t, mapping, columns)
	b := row.NewBatch(columns)
	rows := p.rows()
	for i, source := range sources {
		if err := rows.appendHit(b, fmt.Appendf(nil, `{"_index":"idx","_id":"%d","_source":%s}`, i+1, source)); err != nil {
			return b, err
		}
	}
	return b, nil
}

// planOf plans to read columns of an index without a server.
func planOf(t rapid.TB, mapping string, columns row.Schema) *plan {
	t.Helper()
	fields, err := esds.ParseMapping([]byte(mapping))
	if err != nil {
		t.Fatal(err)
	}
	x := &index{source: &Source{}, resource: "idx", all: fields, fields: fields}
	p, err := x.plan(esds.Scan{Columns: columns})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func column(name string, t row.Type) row.Schema { return row.Schema{{Name: name, Type: t}} }

func TestDecode(t *testing.T) {
	const mapping = `{"properties":{"n":{"type":"long"},"k":{"type":"keyword"},"t":{"type":"text"},"x":{"type":"double"},"b":{"type":"boolean"},"d":{"type":"date"},
		"sec":{"type":"date","format":"epoch_second"},"day":{"type":"date","format":"dd.MM.uuuu||yyyyMMdd"},"o":{"properties":{"a":{"properties":{"b":{"type":"long"}}},"s":{"type":"keyword"}}},
		"g":{"type":"geo_point"},"bin":{"type":"binary"},"é":{"type":"long"},"u":{"type":"unsigned_long"},"nest":{"type":"nested","properties":{"v":{"type":"long"}}}}}`
	o := row.StructType(row.Field{Name: "s", Type: row.StringType}, row.Field{Name: "a", Type: row.StructType(row.Field{Name: "b", Type: row.BigIntType})})
	tests := []struct {
		name   string
		column row.Schema
		source string
		want   string // as JSON; begins with "error: " for a part of the error
	}{
		{"all digits", column("n", row.BigIntType), `{"n":9223372036854775807}`, "9223372036854775807"},
		{"text of a number", column("n", row.BigIntType), `{"n":" 5 "}`, "5"},
		{"blank text is no number", column("n", row.BigIntType), `{"n":""}`, "null"},
		{"a fraction that the index cut", column("n", row.BigIntType), `{"n":1.9}`, "1"},
		{"exponent", column("n", row.BigIntType), `{"n":1e3}`, "1000"},
		{"out of range", column("n", row.TinyIntType), `{"n":300}`, "error: field n: 300: is out of range for tinyint"},
		{"null", column("n", row.BigIntType), `{"n":null}`, "null"},
		{"missing", column("n", row.BigIntType), `{}`, "null"},
		{"list of none", column("n", row.BigIntType), `{"n":[]}`, "null"},
		{"list of one", column("n", row.BigIntType), `{"n":[[7],null]}`, "7"},
		{"list of two", column("n", row.BigIntType), `{"n":[7,8]}`, "error: declare the column as ARRAY<BIGINT>"},
		{"one as a list", column("n", row.ArrayType(row.BigIntType)), `{"n":7}`, "[7]"},
		{"list with nulls", column("n", row.ArrayType(row.BigIntType)), `{"n":[1,null,2]}`, "[1,null,2]"},
		{"repeated name", column("n", row.BigIntType), `{"n":1,"n":2}`, "2"},
		{"unsigned", column("u", row.DecimalType(20, 0)), `{"u":18446744073709551615}`, "18446744073709551615"},
		{"decimal", column("x", row.DecimalType(10, 2)), `{"x":-1.5}`, "-1.50"},
		{"decimal that would be rounded", column("x", row.DecimalType(10, 1)), `{"x":1.25}`, "error: more than 1 digits"},
		{"decimal from an exponent", column("x", row.DecimalType(10, 2)), `{"x":1.5E2}`, "150.00"},
		{"boolean text", column("b", row.BooleanType), `{"b":"true"}`, "true"},
		{"text stays", column("k", row.StringType), `{"k":""}`, `""`},
		{"number as text", column("k", row.StringType), `{"k":1.50}`, `"1.50"`},
		{"object in text", column("k", row.StringType), `{"k":{"a":1}}`, "error: an object"},
		{"escapes", column("t", row.StringType), `{"t":"a\n\"\u00e9\ud83d\ude00"}`, `"a\n\"é😀"`},
		{"invalid UTF-8", column("t", row.StringType), "{\"t\":\"a\xed\xa0\x80b\"}", `"a���b"`},
		{"escaped name", column("é", row.BigIntType), `{"\u00e9":3}`, "3"},
		{"ISO", column("d", row.TimestampType), `{"d":"2024-02-29T10:11:12.123456789+02:00"}`, `"2024-02-29T08:11:12.123456Z"`},
		{"millis", column("d", row.TimestampType), `{"d":1709201472123}`, `"2024-02-29T10:11:12.123Z"`},
		{"a year", column("d", row.TimestampType), `{"d":2015}`, `"2015-01-01T00:00:00Z"`},
		{"date before 1970 as date", column("d", row.DateType), `{"d":-1}`, `"1969-12-31"`},
		{"seconds", column("sec", row.TimestampType), `{"sec":1.5}`, `"1970-01-01T00:00:01.5Z"`},
		{"pattern", column("day", row.DateType), `{"day":"29.02.2024"}`, `"2024-02-29"`},
		{"second pattern", column("day", row.DateType), `{"day":20240229}`, `"2024-02-29"`},
		{"no such day", column("day", row.DateType), `{"day":"30.02.2024"}`, "error: is not a date"},
		{"blank date", column("d", row.TimestampType), `{"d":""}`, "null"},
		{"geo as object", column("g", row.StringType), `{"g":{"lat":1.10,"lon":2}}`, `"{\"lat\":1.10,\"lon\":2}"`},
		{"geo as list", column("g", row.StringType), `{"g":[1,2]}`, `"[1,2]"`},
		{"base64", column("bin", row.BinaryType), `{"bin":"AQI="}`, `"AQI="`},
		{"path", column("o.a.b", row.BigIntType), `{"o":{"a":{"b":5}}}`, "5"},
		{"dotted name", column("o.a.b", row.BigIntType), `{"o.a":{"b":5}}`, "5"},
		{"all dotted", column("o.a.b", row.BigIntType), `{"o.a.b":5}`, "5"},
		{"struct in parts", column("o", o), `{"o.s":"x","o":{"a.b":5}}`, `{"s":"x","a":{"b":5}}`},
		{"struct in a list", column("o", o), `{"o":[{"s":"x"}]}`, `{"s":"x","a":null}`},
		{"path through a list", column("o.s", row.ArrayType(row.StringType)), `{"o":[{"s":"x"},{"s":["y","z"]},{}]}`, `["x","y","z"]`},
		{"path through a list of one", column("o.s", row.StringType), `{"o":[{"s":"x"}]}`, `"x"`},
		{"other case", column("N", row.BigIntType), `{"n":5}`, "5"},
		{"nested", column("nest", row.ArrayType(row.StructType(row.Field{Name: "v", Type: row.BigIntType}))), `{"nest":{"v":1}}`, `[{"v":1}]`},
		{"map", column("o", row.MapType(row.StringType, row.StringType)), `{"o":{"s":"x","a":{"b":1}}}`, `{"s":"x","a":"{\"b\":1}"}`},
		{"unknown to the mapping", column("zz", row.BigIntType), `{"zz":1}`, "null"},
		{"comments and blanks", column("n", row.BigIntType), "{ /* a \"n\":1 */ \"k\" : \"}\" , // n\n \"n\" : 6 }", "6"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b, err := decoded(t, mapping, tt.column, tt.source)
			got := ""
			if err != nil {
				got = "error: " + err.Error()
			} else {
				got = string(row.AppendJSON(nil, b.Columns[0], 0))
			}
			wantError, isError := strings.CutPrefix(tt.want, "error: ")
			if isError && (err == nil || !strings.Contains(got, wantError)) || !isError && got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// A document that cannot be read is named, and the rows before it stay whole.
func TestDecodeError(t *testing.T) {
	b, err := decoded(t, `{"properties":{"n":{"type":"long"}}}`, column("n", row.IntType), `{"n":1}`, `{"n":"abc"}`)
	if want := `index idx, document 2, field n: "abc": is not a whole number in the range of int`; err == nil || err.Error() != want {
		t.Errorf("error = %v, want %s", err, want)
	}
	if b.Len != 1 || b.Columns[0].Len() != 1 {
		t.Errorf("rows = %d with %d values, want 1", b.Len, b.Columns[0].Len())
	}
}

// What is cut off is an error, wherever it is cut.
func TestPageCut(t *testing.T) {
	whole := `{"pit_id":"p","timed_out":false,"_shards":{"total":1,"failed":0},"hits":{"total":{"value":1,"relation":"eq"},"hits":[{"_id":"1","_source":{"a":"x\"]}"},"sort":[5]}]}}`
	for n := range len(whole) {
		if _, err := parsePage("scan", "idx", []byte(whole[:n])); err == nil {
			t.Fatalf("a page of %d of %d bytes was taken", n, len(whole))
		}
	}
	p, err := parsePage("scan", "idx", []byte(whole))
	if err != nil || len(p.hits) != 1 || p.total != 1 || p.pit != "p" || string(p.lastSort()) != "[5]" {
		t.Errorf("page = %+v, %v", p, err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(`{"n":[1,{"a":null}],"o":{"s":"x"},"o.a.b":5}`)
	f.Add(`{"n":"\u00e9","n":1e400,"o":[{"a":{"b":1}}]}`)
	f.Fuzz(func(t *testing.T, source string) {
		columns := row.Schema{{Name: "n", Type: row.BigIntType}, {Name: "o.a.b", Type: row.ArrayType(row.BigIntType)}, {Name: "o", Type: row.StructType(row.Field{Name: "s", Type: row.StringType})}}
		b, err := decoded(t, `{"properties":{"n":{"type":"long"},"o":{"properties":{"s":{"type":"keyword"},"a":{"properties":{"b":{"type":"long"}}}}}}}`, columns, source)
		for _, c := range b.Columns {
			if err == nil && c.Len() != b.Len {
				t.Fatalf("%d values in %d rows", c.Len(), b.Len)
			}
		}
	})
}

// benchDocument has 30 fields of mixed kinds, about 570 bytes.
func benchDocument() (mapping, source string, columns row.Schema) {
	kinds := []struct {
		kind, value string
		t           row.Type
	}{
		{"long", "9007199254740993", row.BigIntType},
		{"double", "1234.5", row.DoubleType},
		{"keyword", `"text 123 of 7"`, row.StringType},
		{"integer", "98765", row.IntType},
		{"boolean", "true", row.BooleanType},
		{"date", `"2024-02-29T10:11:12.123Z"`, row.TimestampType},
	}
	var m, s []string
	for i := range 30 {
		k := kinds[i%len(kinds)]
		name := fmt.Sprintf("col%02d", i)
		m = append(m, fmt.Sprintf(`%q:{"type":%q}`, name, k.kind))
		s = append(s, fmt.Sprintf(`%q:%s`, name, k.value))
		columns = append(columns, row.Field{Name: name, Type: k.t})
	}
	return `{"properties":{` + strings.Join(m, ",") + `}}`, `{` + strings.Join(s, ",") + `}`, columns
}

func BenchmarkDecode(b *testing.B) {
	mapping, source, all := benchDocument()
	fields, err := esds.ParseMapping([]byte(mapping))
	if err != nil {
		b.Fatal(err)
	}
	hit := fmt.Appendf(nil, `{"_index":"idx","_id":"1","_score":null,"_source":%s,"sort":[123456]}`, source)
	page := `{"took":1,"timed_out":false,"_shards":{"total":1,"failed":0},"hits":{"total":{"value":1,"relation":"eq"},"hits":[` + strings.Repeat(string(hit)+",", 2047) + string(hit) + `]}}`
	for _, n := range []int{30, 3} {
		b.Run(fmt.Sprint(n, " columns"), func(b *testing.B) {
			x := &index{source: &Source{}, resource: "idx", all: fields, fields: fields}
			p, err := x.plan(esds.Scan{Columns: all[:n]})
			if err != nil {
				b.Fatal(err)
			}
			rows := p.rows()
			b.SetBytes(int64(len(page)))
			b.ReportAllocs()
			for b.Loop() {
				parsed, err := parsePage("scan", "idx", []byte(page))
				if err != nil {
					b.Fatal(err)
				}
				batch := row.NewBatch(all[:n])
				for _, h := range parsed.hits {
					if err := rows.appendHit(batch, h); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.N)*2048/b.Elapsed().Seconds(), "docs/s")
		})
	}
}

func BenchmarkEncode(b *testing.B) {
	mapping, source, columns := benchDocument()
	rows, err := decoded(b, mapping, columns, source)
	if err != nil {
		b.Fatal(err)
	}
	enc, err := newEncoder(esds.Write{Index: "idx", ID: "col00"}, columns, nil)
	if err != nil {
		b.Fatal(err)
	}
	to := &batch{}
	b.ReportAllocs()
	for b.Loop() {
		to.buf, to.ids = to.buf[:0], to.ids[:0]
		if err := enc.encode(b.Context(), to, &item{row: 1}, rows, 0); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(len(to.buf)))
}
