package elastic_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/esds/elastic"
	"github.com/eslake/eslake/esds/esdstest"
	"github.com/eslake/eslake/esds/esdstest/servers"
	"github.com/eslake/eslake/sql/row"
)

// waysMapping has a field of every kind that may be read from doc values, and of
// some that may not.
const waysMapping = `{"properties":{
	"i":{"type":"integer"},"l":{"type":"long"},"sh":{"type":"short"},"by":{"type":"byte"},"d":{"type":"double"},"f":{"type":"float"},
	"h":{"type":"half_float"},"sc":{"type":"scaled_float","scaling_factor":100},"u":{"type":"unsigned_long"},"b":{"type":"boolean"},"ip":{"type":"ip"},
	"k":{"type":"keyword"},"ka":{"type":"keyword","ignore_above":5},"kn":{"type":"keyword","null_value":"none"},"kd":{"type":"keyword","doc_values":false},
	"t":{"type":"text","fields":{"keyword":{"type":"keyword"}}},"dt":{"type":"date"},"day":{"type":"date","format":"yyyy-MM-dd"},"sec":{"type":"date","format":"epoch_second"},
	"dn":{"type":"date_nanos"},"m":{"type":"long","ignore_malformed":true},"c":{"type":"keyword","copy_to":"to"},"to":{"type":"keyword"},
	"o":{"properties":{"a":{"type":"long"}}},"n":{"type":"nested","properties":{"a":{"type":"long"}}},
	"loose":{"dynamic":false,"properties":{"a":{"type":"long"}}}}}`

// waysValues are what documents hold in a field, as JSON; "" leaves it out. Each
// field takes those that the servers take.
var waysValues = map[string][]string{
	"i":     {"1", "-0", "2147483647", `"12"`, "1.9", "-1.9", "1e3", "0.99999999999999999999"},
	"l":     {"9223372036854775807", "-9223372036854775808", "9007199254740993", "9007199254740993.5", `"9007199254740993.5"`, "1e18", "12345678901234567e2", `"7"`},
	"sh":    {"-32768", "5.5"},
	"by":    {"127", `"3"`},
	"d":     {"0.1", "-0.0", "-0", `"-0"`, "1e300", "4.9e-324", "123456789012345678901234567890", "1", `"2.50"`, "1.0000000596046448"},
	"f":     {"0.1", "-0.0", "-0", "16777217", "1.0000000596046448", `"1.0000000596046448"`, "3.4e38", "1e-45"},
	"h":     {"0.1", "65504"},
	"sc":    {"1.239", "0.1"},
	"u":     {"18446744073709551615", "0"},
	"b":     {"true", "false", `"true"`, `"false"`, `""`},
	"ip":    {`"1.2.3.4"`, `"2001:DB8::1"`, `"::ffff:1.2.3.4"`},
	"k":     {`"a"`, `""`, `"\u00e9\u0000"`, "5", "5.0", "true", `["a","a"]`, `["5",5]`, `"日本"`},
	"ka":    {`"abcde"`, `"abcdef"`, `""`},
	"kn":    {`"a"`, `"none"`},
	"kd":    {`"a"`},
	"t":     {`"some words"`, `""`},
	"dt":    {`"2024-01-02T03:04:05.678901Z"`, `"1969-12-31T23:59:59.999999Z"`, `"2024-01-02"`, "1704164645000", `"1900-01-01T00:00:00+05:00"`},
	"day":   {`"2024-02-29"`, `"1969-12-31"`},
	"sec":   {"1704164645", `"-1"`},
	"dn":    {`"2024-01-02T03:04:05.123456789Z"`, `"1970-01-01T00:00:00.000001Z"`},
	"m":     {"1", `"many"`},
	"c":     {`"a"`},
	"to":    {`"b"`},
	"o":     {`{"a":1}`, `[{"a":1}]`, `[{"a":1},{"a":2}]`, `{"a":[]}`, `{"a":null}`},
	"n":     {`{"a":1}`, `[{"a":1},{"a":2}]`},
	"loose": {`{"a":1}`},
}

// waysColumns is a read of every field as the types that it may be declared.
var waysColumns = row.Schema{
	{Name: "i", Type: row.IntType},
	{Name: "i", Type: row.BigIntType},
	{Name: "i", Type: row.DoubleType},
	{Name: "l", Type: row.BigIntType},
	{Name: "l", Type: row.StringType},
	{Name: "sh", Type: row.SmallIntType},
	{Name: "by", Type: row.TinyIntType},
	{Name: "d", Type: row.DoubleType},
	{Name: "d", Type: row.FloatType},
	{Name: "f", Type: row.FloatType},
	{Name: "h", Type: row.FloatType},
	{Name: "sc", Type: row.DoubleType},
	{Name: "u", Type: row.DecimalType(20, 0)},
	{Name: "b", Type: row.BooleanType},
	{Name: "ip", Type: row.StringType},
	{Name: "k", Type: row.StringType},
	{Name: "ka", Type: row.StringType},
	{Name: "kn", Type: row.StringType},
	{Name: "kd", Type: row.StringType},
	{Name: "t", Type: row.StringType},
	{Name: "dt", Type: row.TimestampType},
	{Name: "dt", Type: row.DateType},
	{Name: "day", Type: row.TimestampType},
	{Name: "day", Type: row.DateType},
	{Name: "sec", Type: row.TimestampType},
	{Name: "sec", Type: row.DateType},
	{Name: "dn", Type: row.TimestampType},
	{Name: "m", Type: row.BigIntType},
	{Name: "c", Type: row.StringType},
	{Name: "to", Type: row.StringType},
	{Name: "o.a", Type: row.BigIntType},
	{Name: "n.a", Type: row.BigIntType},
	{Name: "loose.a", Type: row.BigIntType},
	{Name: "k", Type: row.ArrayType(row.StringType)},
}

// exactWays are the columns that doc values give exactly.
var exactWays = []string{
	"i int", "i bigint", "l bigint", "sh smallint", "by tinyint", "d double", "b boolean", "k string", "dt date", "day timestamp", "day date",
	"sec date", "dn timestamp", "c string", "o.a bigint",
}

func TestWaysOfReading(t *testing.T) {
	for _, f := range []esdstest.Flavour{esdstest.Elasticsearch8, esdstest.OpenSearch2} {
		t.Run(f.Name, func(t *testing.T) { waysOfReading(t, esdstest.New(t, f).URL) })
	}
}

func TestWaysOfReadingRealServers(t *testing.T) {
	servers.Each(t, waysOfReading)
}

// waysOfReading reads odd documents by each way of eslake.read.fields: the rows
// must be the same, and so the errors.
func waysOfReading(t *testing.T, url string) {
	source := open(t, elastic.Config{Addresses: []string{url}, Wait: noWait})
	index := strings.ToLower(strings.NewReplacer("/", "-", "_", "-").Replace(t.Name()))
	_ = source.Drop(t.Context(), index)
	kinds := createWays(t, source, index)
	t.Cleanup(func() { _ = source.Drop(t.Context(), index) })
	fillWays(t, url, index, kinds)
	if err := source.Refresh(t.Context(), index); err != nil {
		t.Fatal(err)
	}
	for _, c := range waysColumns {
		if top, _, _ := strings.Cut(c.Name, "."); kinds[top] == nil {
			continue
		}
		for _, lenient := range []string{"false", "true"} {
			var answers [3]wayAnswer
			for i, way := range []string{"source", "docvalues", "auto"} {
				answers[i] = readWay(t, source, index, row.Schema{c}, "eslake.read.fields", way, "eslake.read.lenient", lenient, "es.scroll.size", "7")
			}
			for i := 1; i < 3; i++ {
				if !reflect.DeepEqual(answers[0].rows, answers[i].rows) || answers[0].err != answers[i].err {
					t.Errorf("%s as %s, lenient %s: only from source %v, otherwise %v", c.Name, c.Type, lenient,
						without(answers[0], answers[i]), without(answers[i], answers[0]))
				}
			}
			key := c.Name + " " + c.Type.String()
			byDoc := !strings.Contains(strings.Join(answers[1].notes, ";"), "not from doc values")
			if want := slices.Contains(exactWays, key); byDoc != want {
				t.Errorf("%s is read from doc values: %t, want %t (%s)", key, byDoc, want, answers[1].notes)
			}
		}
	}
}

// createWays makes the index without the fields whose kind the server lacks.
func createWays(t *testing.T, source *elastic.Source, index string) map[string]any {
	t.Helper()
	var mapping map[string]map[string]any
	if err := json.Unmarshal([]byte(waysMapping), &mapping); err != nil {
		t.Fatal(err)
	}
	kinds := mapping["properties"]
	for {
		text, err := json.Marshal(mapping)
		if err != nil {
			t.Fatal(err)
		}
		err = source.Create(t.Context(), index, esds.Definition{Mappings: text, Settings: []byte(`{"index":{"number_of_shards":2}}`)})
		if err == nil {
			return kinds
		}
		_, after, _ := strings.Cut(err.Error(), "declared on field [")
		name, _, ok := strings.Cut(after, "]")
		if !ok {
			t.Fatal(err)
		}
		t.Logf("left out: %v", err)
		delete(kinds, name)
	}
}

type wayAnswer struct {
	rows  []string
	err   string
	notes []string
}

// without returns what a has and b has not.
func without(a, b wayAnswer) []string {
	var out []string
	rest := slices.Clone(b.rows)
	for _, v := range a.rows {
		if i := slices.Index(rest, v); i >= 0 {
			rest = slices.Delete(rest, i, i+1)
			continue
		}
		out = append(out, v)
	}
	if a.err != b.err {
		out = append(out, a.err)
	}
	return out
}

func readWay(t *testing.T, source *elastic.Source, index string, columns row.Schema, opts ...string) (a wayAnswer) {
	t.Helper()
	x, err := source.Open(t.Context(), index, options(t, opts...))
	if err != nil {
		t.Fatal(err)
	}
	trace := &esds.Trace{}
	r, err := x.Scan(esds.WithTrace(t.Context(), trace), esds.Scan{Columns: columns})
	if err == nil {
		var rows [][]any
		rows, err = row.ReadAll(t.Context(), r)
		for _, v := range rows {
			a.rows = append(a.rows, fmt.Sprintf("%T(%v)", v[0], v[0]))
		}
		slices.Sort(a.rows)
	}
	if err != nil {
		a.err, _, _ = strings.Cut(err.Error(), ", document") // which of several misfits comes first is nobody's choice
		if !strings.Contains(err.Error(), ", document ") || strings.Contains(err.Error(), ", document ,") {
			t.Errorf("the error names no document: %v", err)
		}
		a.rows = nil
	}
	a.notes = trace.Totals().Notes
	return a
}

// fillWays makes documents that each hold one value of some fields, every value
// once, and a few without any.
func fillWays(t *testing.T, url, index string, kinds map[string]any) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	rest := map[string][]string{}
	for name, values := range waysValues {
		if kinds[name] == nil {
			continue
		}
		rest[name] = append(slices.Clone(values), "", "null", "[]", "[null]")
		if one := values[0]; name != "n" && name != "loose" && name != "o" {
			rest[name] = append(rest[name], "["+one+"]", "["+one+",null]")
		}
	}
	var body bytes.Buffer
	names := slices.Sorted(keysOf(rest))
	for i := 0; len(rest) > 0; i++ {
		fmt.Fprintf(&body, "{\"create\":{\"_id\":\"%d\"}}\n{\"x\":%d", i, i)
		for _, name := range names {
			values := rest[name]
			if len(values) == 0 || r.IntN(3) == 0 {
				continue
			}
			if values[0] != "" {
				fmt.Fprintf(&body, ",%q:%s", name, values[0])
			}
			if rest[name] = values[1:]; len(values) == 1 {
				delete(rest, name)
			}
		}
		body.WriteString("}\n")
	}
	bulk(t, url, index, body.Bytes())
}

func bulk(t *testing.T, url, index string, body []byte) {
	t.Helper()
	res, err := http.Post(url+"/"+index+"/_bulk", "application/x-ndjson", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	var answer struct {
		Errors bool `json:"errors"`
	}
	if err != nil || json.Unmarshal(text, &answer) != nil || answer.Errors || res.StatusCode > 299 {
		t.Fatalf("bulk: %v: %.3000s", err, text)
	}
}

func keysOf[V any](m map[string]V) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// Columns that need a proof are read from doc values when there is one.
func TestProvedDocValues(t *testing.T) {
	fake := esdstest.New(t, esdstest.Elasticsearch8)
	source := open(t, elastic.Config{Addresses: []string{fake.URL}, Wait: noWait})
	d := esds.Definition{Mappings: []byte(waysMapping), Settings: []byte(`{"index":{"number_of_shards":2}}`)}
	if err := source.Create(t.Context(), "idx", d); err != nil {
		t.Fatal(err)
	}
	bulk(t, fake.URL, "idx", []byte("{\"index\":{\"_id\":\"1\"}}\n{\"ka\":\"abc\",\"m\":5}\n{\"index\":{\"_id\":\"2\"}}\n{\"ka\":\"\"}\n"))
	refresh := func() {
		if err := source.Refresh(t.Context(), "idx"); err != nil {
			t.Fatal(err)
		}
	}
	refresh()
	columns := row.Schema{{Name: "ka", Type: row.StringType}, {Name: "m", Type: row.BigIntType}}
	a := readWay(t, source, "idx", columns, "eslake.read.fields", "docvalues")
	if fmt.Sprint(a.rows) != "[string() string(abc)]" || len(a.notes) > 0 {
		t.Errorf("answer = %+v", a)
	}
	bulk(t, fake.URL, "idx", []byte("{\"index\":{\"_id\":\"3\"}}\n{\"ka\":\"abcdef\"}\n"))
	refresh()
	a = readWay(t, source, "idx", columns, "eslake.read.fields", "docvalues")
	if len(a.rows) != 3 || !strings.Contains(fmt.Sprint(a), "abcdef") || !strings.Contains(fmt.Sprint(a.notes), "1 documents hold values that the index left out") {
		t.Errorf("answer = %+v", a)
	}
}
