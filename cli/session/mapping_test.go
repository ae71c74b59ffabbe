package session_test

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/eslake/eslake/esds/esdstest"
	"github.com/eslake/eslake/esds/esdstest/servers"
)

// mapped is a field that a random mapping may have: how it is mapped, what
// documents hold, and what predicates ask for. Every value can be read.
type mapped struct {
	def       string
	values    []string // JSON; "" leaves the field out
	constants []string // SQL
	text      bool     // LIKE and RLIKE may be asked
}

var (
	textValues    = []string{"", "null", "[]", "[null]", `""`, `"a"`, `["a"]`, `"A"`, `"ab"`, `"a b"`, `"a*b"`, `"longer than any"`, `"ü"`, `17`, `true`}
	textConstants = []string{"''", "'a'", "'A'", "'ab'", "'a b'", "'a*b'", "'longer than any'", "'ü'", "'17'", "NULL", "'none'"}
	longValues    = []string{"", "null", "[7]", "0", "-1", `"5"`, "9007199254740993", "9223372036854775807", "1.9", "7"}
	longConstants = []string{"0", "-1", "5", "7", "1", "1.5", "9007199254740992", "9007199254740993", "9223372036854775807", "NULL"}
	realValues    = []string{"", "null", "0.1", "-0.0", "0", `"1.5"`, "16777217", "1.239", "[2.5]", "100"}
	realConstants = []string{"0.1D", "0.0D", "1.5D", "16777217D", "1.239D", "1.24D", "2.5D", "100", "NULL"}
	dateValues    = []string{"", "null", `"2024-02-29T12:00:00.123Z"`, `"2024-02-29T12:00:00.123456Z"`, `"2024-02-29"`, "1709208000123", `"1969-12-31T23:59:59.999Z"`, `["2024-02-29"]`}
	dateConstants = []string{"TIMESTAMP '2024-02-29 12:00:00.123'", "TIMESTAMP '2024-02-29 12:00:00.123456'", "DATE '2024-02-29'", "TIMESTAMP '1969-12-31 23:59:59.999'", "NULL"}
)

// mappedFields are the fields by name. Those of one kind differ in what the index
// leaves out or changes.
var mappedFields = map[string]mapped{
	"k":    {`{"type": "keyword"}`, textValues, textConstants, true},
	"kia":  {`{"type": "keyword", "ignore_above": 3}`, textValues, textConstants, true},
	"knul": {`{"type": "keyword", "null_value": "none"}`, textValues, textConstants, true},
	"klow": {`{"type": "keyword", "normalizer": "low"}`, textValues, textConstants, true},
	"koff": {`{"type": "keyword", "index": false}`, textValues, textConstants, true},
	"kdv":  {`{"type": "keyword", "doc_values": false}`, textValues, textConstants, true},
	"t":    {`{"type": "text"}`, textValues, textConstants, true},
	"tk":   {`{"type": "text", "fields": {"raw": {"type": "keyword", "ignore_above": 3}}}`, textValues, textConstants, true},
	"tlow": {`{"type": "text", "fields": {"low": {"type": "keyword", "normalizer": "low"}}}`, textValues, textConstants, true},
	"n":    {`{"type": "long"}`, longValues, longConstants, false},
	"nbad": {`{"type": "long", "ignore_malformed": true}`, longValues, longConstants, false},
	"nnul": {`{"type": "long", "null_value": 7}`, longValues, longConstants, false},
	"noff": {`{"type": "long", "index": false}`, longValues, longConstants, false},
	"d":    {`{"type": "double"}`, realValues, realConstants, false},
	"f":    {`{"type": "float"}`, realValues, realConstants, false},
	"h":    {`{"type": "half_float"}`, []string{"", "null", "0.1", "0", "1.5", "100", "1.239"}, realConstants, false},
	"ts":   {`{"type": "date"}`, dateValues, dateConstants, false},
	"day":  {`{"type": "date", "format": "yyyyMMdd"}`, []string{"", "null", `"20240229"`, "20240301"}, dateConstants, false},
	"na":   {`{"type": "date_nanos"}`, []string{"", "null", `"2024-02-29T12:00:00.123456Z"`, `"2024-02-29T12:00:00.123Z"`, `"2024-02-29"`}, dateConstants, false},
	"b":    {`{"type": "boolean"}`, []string{"", "null", "true", `"false"`, `""`, "[true]"}, []string{"true", "false", "NULL"}, false},
	"ip":   {`{"type": "ip"}`, []string{"", "null", `"10.0.0.1"`, `"::1"`, `"0:0:0:0:0:0:0:1"`}, []string{"'10.0.0.1'", "'::1'", "NULL", "'x'"}, false},
}

// TestPushdownOverMappings draws mappings, documents and predicates: with and
// without push-down the rows are the same, and so is their number.
func TestPushdownOverMappings(t *testing.T) {
	for _, f := range []esdstest.Flavour{esdstest.Elasticsearch8, esdstest.OpenSearch2} {
		t.Run(f.Name, func(t *testing.T) { pushdownOverMappings(t, esdstest.New(t, f).URL) })
	}
}

// TestPushdownOverMappingsOnRealServers asks them.
func TestPushdownOverMappingsOnRealServers(t *testing.T) { servers.Each(t, pushdownOverMappings) }

func pushdownOverMappings(t *testing.T, url string) {
	w := newWorld(t, at(url))
	n := 0
	rapid.Check(t, func(r *rapid.T) {
		n++
		names := rapid.SliceOfNDistinct(rapid.SampledFrom(sortedFields()), 3, 5, rapid.ID[string]).Draw(r, "fields")
		index := fmt.Sprintf("%smap%d", w.prefix, n)
		fill(t, r, url, index, names)
		if out := w.run(fmt.Sprintf("CREATE OR REPLACE TABLE m USING es OPTIONS (resource '%s')", index), false); strings.Contains(out, "error") {
			r.Fatal(out)
		}
		for i := range 4 {
			samePushed(w, r, drawPredicate(r, names, 2, fmt.Sprint(i)))
		}
		send(t, http.MethodDelete, url+"/"+index, "")
	})
}

func sortedFields() []string {
	return []string{"k", "kia", "knul", "klow", "koff", "kdv", "t", "tk", "tlow", "n", "nbad", "nnul", "noff", "d", "f", "h", "ts", "day", "na", "b", "ip"}
}

// fill makes an index of random documents.
func fill(t *testing.T, r *rapid.T, url, index string, names []string) {
	var props []string
	for _, name := range names {
		props = append(props, fmt.Sprintf("%q: %s", name, mappedFields[name].def))
	}
	settings := `{"number_of_shards": 2, "number_of_replicas": 0, "analysis": {"normalizer": {"low": {"type": "custom", "filter": ["lowercase"]}}}}`
	send(t, http.MethodPut, url+"/"+index, fmt.Sprintf(`{"settings": %s, "mappings": {"properties": {%s}}}`, settings, strings.Join(props, ", ")))
	var body strings.Builder
	for i := range rapid.IntRange(1, 25).Draw(r, "documents") {
		var members []string
		for _, name := range names {
			if v := rapid.SampledFrom(mappedFields[name].values).Draw(r, name); v != "" {
				members = append(members, fmt.Sprintf("%q: %s", name, v))
			}
		}
		fmt.Fprintf(&body, "{\"index\": {\"_id\": \"%d\"}}\n{%s}\n", i, strings.Join(members, ", "))
	}
	send(t, http.MethodPost, url+"/"+index+"/_bulk?refresh=true", body.String())
}

func send(t *testing.T, method, url, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(context.WithoutCancel(t.Context()), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != 200 {
		t.Fatalf("%s %s: %s", method, url, resp.Status)
	}
}

func drawPredicate(r *rapid.T, names []string, depth int, label string) string {
	if depth > 0 {
		switch rapid.IntRange(0, 4).Draw(r, label+"join") {
		case 0:
			return "(" + drawPredicate(r, names, depth-1, label+"a") + " AND " + drawPredicate(r, names, depth-1, label+"b") + ")"
		case 1:
			return "(" + drawPredicate(r, names, depth-1, label+"a") + " OR " + drawPredicate(r, names, depth-1, label+"b") + ")"
		case 2:
			return "NOT (" + drawPredicate(r, names, depth-1, label+"a") + ")"
		}
	}
	name := rapid.SampledFrom(names).Draw(r, label+"field")
	f := mappedFields[name]
	value := func(which string) string { return rapid.SampledFrom(f.constants).Draw(r, label+which) }
	switch rapid.IntRange(0, 7).Draw(r, label+"kind") {
	case 0:
		return name + " IS NULL"
	case 1:
		return name + " IS NOT NULL"
	case 2:
		return name + " IN (" + value("v1") + ", " + value("v2") + ", " + value("v3") + ")"
	case 3:
		return name + " BETWEEN " + value("v1") + " AND " + value("v2")
	case 4:
		return name + " <=> " + value("v1")
	case 5:
		if f.text {
			return name + rapid.SampledFrom([]string{" LIKE 'a%'", " LIKE '%b'", " LIKE '%*%'", " LIKE ''", " LIKE '_'", " LIKE '%'", " NOT LIKE 'a%'", " RLIKE '^a'", " RLIKE 'b$'", " RLIKE '^[a-z ]+$'", " NOT RLIKE 'a'"}).Draw(r, label+"pattern")
		}
	}
	return name + rapid.SampledFrom([]string{" = ", " <> ", " < ", " <= ", " > ", " >= "}).Draw(r, label+"op") + value("v1")
}

// samePushed compares the rows of a condition with those without push-down.
func samePushed(w *world, r *rapid.T, where string) {
	query := "SELECT _id FROM m WHERE " + where
	var answers [2][][]any
	for i, pushdown := range []string{"true", "false"} {
		w.run("SET eslake.pushdown = "+pushdown, false)
		rows, _, err := w.ask(query)
		if err != nil {
			r.Fatalf("%s (pushdown %s): %s", query, pushdown, problem(err, query))
		}
		sortCells(rows, query)
		answers[i] = rows
	}
	w.run("SET eslake.pushdown = true", false)
	if !reflect.DeepEqual(answers[0], answers[1]) {
		r.Fatalf("%s\n  pushed down: %v\n  not pushed:  %v\n%s", query, answers[0], answers[1], w.run("EXPLAIN "+query, false))
	}
	counted, _, err := w.ask("SELECT count(*) FROM m WHERE " + where)
	if err != nil || fmt.Sprint(counted[0][0]) != fmt.Sprint(len(answers[0])) {
		r.Fatalf("count(*) where %s is %v (%v), want %d", where, counted, err, len(answers[0]))
	}
}
