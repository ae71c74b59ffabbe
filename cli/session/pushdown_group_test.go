package session_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/eslake/eslake/esds/esdstest"
	"github.com/eslake/eslake/esds/esdstest/servers"
)

// TestPushedQueriesChangeNoRow makes random mappings and documents, with all that
// keeps doc values from being what documents hold, and asks random questions that
// group, sort and join. What the cluster answers must be what eslake computes.
func TestPushedQueriesChangeNoRow(t *testing.T) {
	for _, f := range []esdstest.Flavour{esdstest.Elasticsearch8, esdstest.OpenSearch2} {
		t.Run(f.Name, func(t *testing.T) { pushedQueriesChangeNoRow(t, esdstest.New(t, f).URL, "-fake-") })
	}
}

// TestPushedQueriesChangeNoRowOnRealServers asks them.
func TestPushedQueriesChangeNoRowOnRealServers(t *testing.T) {
	servers.Each(t, func(t *testing.T, url string) { pushedQueriesChangeNoRow(t, url, "-") })
}

func pushedQueriesChangeNoRow(t *testing.T, url, name string) {
	if f := flag.Lookup("rapid.checks"); f.Value.String() == f.DefValue {
		if err := f.Value.Set("12"); err != nil { // each is an index and twelve questions
			t.Fatal(err)
		}
	}
	w := newWorld(t, at(url))
	n := 0
	rapid.Check(t, func(r *rapid.T) {
		n++
		set := oddSet{r: r, url: url, index: fmt.Sprintf("%s%sset%d", w.prefix, name, n)}
		set.load()
		defer set.drop()
		w.run(fmt.Sprintf("CREATE OR REPLACE TABLE odd USING es OPTIONS (resource '%s'); CREATE OR REPLACE TABLE small USING es OPTIONS (resource '%s')", set.index, set.index+"small"), false)
		for range 12 {
			set.compare(w, set.question())
		}
	})
}

// oddSet is an index of random documents.
type oddSet struct {
	r     *rapid.T
	url   string
	index string
	kinds map[string]string // by field: its mapping
}

var oddMappings = map[string][]string{
	"id": {`{"type":"keyword"}`},
	"g":  {`{"type":"keyword"}`, `{"type":"text","fields":{"raw":{"type":"keyword"}}}`, `{"type":"boolean"}`, `{"type":"byte"}`},
	"k": {
		`{"type":"keyword"}`, `{"type":"keyword","ignore_above":3}`, `{"type":"text","fields":{"keyword":{"type":"keyword","ignore_above":3}}}`,
		`{"type":"keyword","null_value":"N"}`, `{"type":"keyword","normalizer":"lowercase"}`, `{"type":"text"}`, `{"type":"keyword","doc_values":false}`,
	},
	"n": {`{"type":"integer"}`, `{"type":"long"}`, `{"type":"short"}`, `{"type":"integer","ignore_malformed":true}`, `{"type":"integer","null_value":7}`},
	"l": {`{"type":"long"}`},
	"d": {`{"type":"double"}`, `{"type":"float"}`, `{"type":"half_float"}`, `{"type":"scaled_float","scaling_factor":10}`},
	"t": {`{"type":"date"}`, `{"type":"date","format":"yyyy-MM-dd HH:mm:ss"}`, `{"type":"date_nanos"}`},
}

var oddFields = []string{"id", "g", "k", "n", "l", "d", "t"}

// oddValues are the values of each field, as JSON; "" leaves it out.
func (s oddSet) values(field string) []string {
	switch field {
	case "g":
		return map[string][]string{
			"boolean": {"true", "false", `""`, "null", ""}, "byte": {"0", "1", "-1", `"2"`, "1.5", ""},
		}[s.kindOf(field)]
	case "k":
		return []string{`"a"`, `"b"`, `"B"`, `""`, `"ab"`, `"toolong"`, `"ä"`, `"🙂"`, "7", "null", "", `["c"]`, "[]"}
	case "n":
		values := []string{"0", "1", "-5", "7", "32767", "-32768", "12", "null", "", "3.0", `"4"`}
		if s.kindOf(field) != "short" {
			values = append(values, "2147483647", "-2147483648")
		}
		if strings.Contains(s.kinds[field], "malformed") {
			values = append(values, `"x"`)
		}
		return values
	case "l":
		return []string{"1", "2", "5000000000", "9007199254740991", "-3", "", "null"}
	case "d":
		return []string{"0.0", "-0.0", "1.5", "-2.5", "3", "0.1", "0.25", "100", "null", ""}
	}
	if strings.Contains(s.kinds[field], "HH:mm") {
		return []string{`"2024-01-02 03:04:05"`, `"2024-01-02 03:04:06"`, `"2024-02-29 00:00:00"`, `"1969-12-31 23:59:59"`, "null", ""}
	}
	values := []string{`"2024-01-02"`, `"2024-01-02T03:04:05.1234Z"`, `"2024-01-02T03:04:05.1239Z"`, `"2024-01-02T03:04:05.123Z"`, `"2023-12-31T23:59:59.999Z"`, `"2024-02-29T12:00:00Z"`, "null", ""}
	if s.kindOf(field) == "date" {
		values = append(values, `"1969-12-31T23:59:59.9999Z"`, "-1", "1704067200000")
	}
	return values
}

func (s oddSet) kindOf(field string) string {
	var m struct{ Type string }
	_ = json.Unmarshal([]byte(s.kinds[field]), &m)
	return m.Type
}

// pick chooses one of the texts, with %s filled in.
func (s *oddSet) pick(name string, from []string, fill ...string) string {
	text := rapid.SampledFrom(from).Draw(s.r, name)
	for _, f := range fill {
		text = strings.ReplaceAll(text, "%s", f)
	}
	return text
}

func (s *oddSet) chance(name string, percent int) bool {
	return rapid.IntRange(0, 99).Draw(s.r, name) < percent
}

func (s *oddSet) load() {
	s.kinds = map[string]string{}
	for _, f := range oddFields {
		s.kinds[f] = s.pick("mapping of "+f, oddMappings[f])
	}
	list := ""
	if s.chance("lists", 20) {
		list = s.pick("list in", []string{"g", "k", "n", "l", "d"})
	}
	if s.chance("large", 15) {
		list = "large"
	}
	if !strings.Contains(s.index, "-fake-") && s.kindOf("d") == "scaled_float" { // a module that small servers lack
		s.kinds["d"] = `{"type":"float"}`
	}
	var props []string
	for _, f := range oddFields {
		props = append(props, fmt.Sprintf("%q:%s", f, s.kinds[f]))
	}
	for _, index := range []string{s.index, s.index + "small"} {
		s.http("PUT", "/"+index, `{"settings":{"number_of_shards":2,"number_of_replicas":0},"mappings":{"properties":{`+strings.Join(props, ",")+`}}}`)
		rows := rapid.IntRange(0, 40).Draw(s.r, "documents")
		if index != s.index {
			rows = min(rows, 5)
		}
		var bulk strings.Builder
		for i := range rows {
			fmt.Fprintf(&bulk, "{\"index\":{\"_id\":\"%d\"}}\n%s\n", i, s.document(i, list))
		}
		if rows > 0 {
			s.http("POST", "/"+index+"/_bulk?refresh=true", bulk.String())
		}
	}
}

func (s *oddSet) document(i int, list string) string {
	parts := []string{fmt.Sprintf(`"id":"%03d"`, i)}
	for _, f := range oddFields[1:] {
		values := s.values(f)
		if values == nil {
			values = []string{`"x"`, `"y"`, `"z"`, "null", ""}
		}
		v := s.pick(f, values)
		if f == list && s.chance("a list", 10) {
			v = "[" + values[0] + "," + values[1] + "]"
		}
		if f == "l" && list == "large" && s.chance("a large one", 20) {
			v = s.pick("large", []string{"9007199254740993", "9223372036854775807", "-9223372036854775808"})
		}
		if v != "" {
			parts = append(parts, fmt.Sprintf("%q:%s", f, v))
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func (s *oddSet) http(method, path, body string) {
	req, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.r.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.r.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode > 299 || strings.Contains(string(text), `"errors":true`) {
		s.r.Fatalf("%s %s: status %d: %s\n%s", method, path, res.StatusCode, text, body)
	}
}

func (s *oddSet) drop() {
	s.http("DELETE", "/"+s.index, "")
	s.http("DELETE", "/"+s.index+"small", "")
}

// question is a random query. Its rows come in no order, unless the last column of
// ORDER BY decides between all rows.
func (s *oddSet) question() string {
	where := ""
	if s.chance("where", 40) {
		where = " WHERE " + s.pick("condition", []string{"n > 0", "n IS NULL", "l <= 5", "g IS NOT NULL", "id > '010'", "t >= '2024-01-01'", "n IN (1, 7)", "k = 'a'", "k IS NULL", "d < 1.0"})
	}
	switch s.pick("form", []string{"group", "group", "all", "distinct", "sort", "sort", "in", "join"}) {
	case "group":
		keys := s.some("keys", 3, s.key)
		having := ""
		if s.chance("having", 20) {
			having = " HAVING count(*) > 1"
		}
		by := strings.Join(keys, ", ")
		if s.chance("rollup", 20) {
			by = "ROLLUP (" + by + ")"
		}
		return "SELECT " + strings.Join(append(keys, s.some("aggregates", 4, s.aggregate)...), ", ") + " FROM odd" + where + " GROUP BY " + by + having
	case "all":
		return "SELECT " + strings.Join(s.some("aggregates", 5, s.aggregate), ", ") + " FROM odd" + where
	case "distinct":
		return "SELECT DISTINCT " + strings.Join(s.some("columns", 3, s.key), ", ") + " FROM odd" + where
	case "sort":
		c := s.pick("by", oddFields) + s.pick("direction", []string{"", " DESC", " NULLS LAST", " DESC NULLS FIRST"})
		limit := s.pick("limit", []string{"1", "3", "10", "30"})
		if s.chance("two", 50) {
			c += ", " + s.pick("then", oddFields) + s.pick("direction", []string{"", " DESC"})
		}
		return "SELECT id, " + s.pick("shown", oddFields) + " FROM odd" + where + " ORDER BY " + c + ", id LIMIT " + limit
	case "in":
		c := s.pick("key", oddFields)
		return fmt.Sprintf("SELECT id FROM odd WHERE %s IN (SELECT %s FROM small)", c, c)
	}
	c := s.pick("key", oddFields)
	return fmt.Sprintf("SELECT a.id, b.id FROM %s %s JOIN %s ON a.%s = b.%s", s.pick("left", []string{"odd a", "small a"}),
		s.pick("kind", []string{"", "LEFT", "RIGHT", "FULL"}), s.pick("right", []string{"odd b", "small b"}), c, c)
}

func (s *oddSet) some(name string, most int, make func() string) []string {
	out := []string{make()}
	for range rapid.IntRange(0, most-1).Draw(s.r, name) {
		if next := make(); !strings.Contains(strings.Join(out, "|"), next) {
			out = append(out, next)
		}
	}
	return out
}

func (s *oddSet) key() string {
	return s.pick("key", []string{"g", "g", "k", "n", "l", "d", "t", "date_trunc('MONTH', t)", "date_trunc('WEEK', t)", "date_trunc('HOUR', t)", "CAST(t AS DATE)", "date_trunc('QUARTER', t)", "n % 3", "upper(k)", "year(t)", "hour(t)"})
}

func (s *oddSet) aggregate() string {
	c := s.pick("of", oddFields[1:])
	if c == "g" && s.kindOf("g") == "boolean" || c == "k" || c == "g" {
		return s.pick("function", []string{"count(*)", "count(%s)", "count(DISTINCT %s)", "min(%s)", "max(%s)"}, c)
	}
	if c == "t" {
		return s.pick("function", []string{"count(%s)", "count(DISTINCT %s)", "min(%s)", "max(%s)", "max(CAST(%s AS DATE))"}, c)
	}
	return s.pick("function", []string{"count(*)", "count(%s)", "count(DISTINCT %s)", "min(%s)", "max(%s)", "sum(%s)", "avg(%s)", "count(*) FILTER (WHERE %s > 1)", "sum(%s) FILTER (WHERE n > 0)", "count_if(%s > 1)"}, c)
}

// compare asks with and without push-down. A query that fails without it need not
// fail with it: it may never see the document that cannot be read.
func (s *oddSet) compare(w *world, query string) {
	var answers [2][][]any
	var failed [2]error
	for i, pushdown := range []string{"true", "false"} {
		w.run("SET eslake.pushdown = "+pushdown, false)
		answers[i], _, failed[i] = w.ask(query)
	}
	w.run("SET eslake.pushdown = true", false)
	if failed[1] != nil {
		if failed[0] == nil && strings.Contains(query, "GROUP BY") && !strings.Contains(query, "WHERE") {
			s.r.Fatalf("%s\n  mapping: %v\n  not pushed it fails: %v\n  pushed it gives %v", query, s.kinds, failed[1], answers[0])
		}
		return
	}
	if failed[0] != nil {
		s.r.Fatalf("%s\n  mapping: %v\n  pushed it fails: %s", query, s.kinds, problem(failed[0], query))
	}
	for _, rows := range answers {
		if !orderedAtTop(query) {
			slices.SortFunc(rows, func(a, b []any) int { return strings.Compare(exactKey(a), exactKey(b)) })
		}
	}
	same := len(answers[0]) == len(answers[1])
	for i := 0; same && i < len(answers[0]); i++ {
		for k := range answers[0][i] {
			a, b := answers[0][i][k], answers[1][i][k]
			if f, isFloat := b.(float64); isFloat && alike(a, json.Number(fmt.Sprint(f))) {
				continue
			}
			same = same && reflect.DeepEqual(a, b)
		}
	}
	if !same {
		s.r.Fatalf("%s\n  mapping: %v\n  pushed:     %v\n  not pushed: %v\n%s", query, s.kinds, answers[0], answers[1], w.run("EXPLAIN "+query, false))
	}
}

// exactKey tells whole numbers apart, however long.
func exactKey(r []any) string {
	var b strings.Builder
	for _, c := range r {
		if f, isFloat := c.(float64); isFloat {
			c = fmt.Sprintf("%.9g", f)
		}
		fmt.Fprintf(&b, "%v|", c)
	}
	return b.String()
}
