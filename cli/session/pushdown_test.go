package session_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/eslake/eslake/catalog"
	"github.com/eslake/eslake/cli/session"
	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/esds/duckdb"
	"github.com/eslake/eslake/esds/esdstest"
	"github.com/eslake/eslake/esds/esdstest/servers"
	"github.com/eslake/eslake/planner/duck"
)

// TestPlainSelectNeedsNoEngine holds the promise that rows which the index
// selects go straight to the output: DuckDB is never started.
func TestPlainSelectNeedsNoEngine(t *testing.T) {
	db := duckdb.New(duckdb.Config{})
	w := &world{t: t, prefix: "", vars: map[string]string{"prefix": ""}}
	w.source = openElastic(t, esdstest.New(t, esdstest.Elasticsearch8).URL)
	w.session = session.New(session.Config{Catalog: catalog.Open(t.TempDir() + "/catalog.json"), Sources: one{w.source}, Engine: duck.New(db), StateDir: t.TempDir()})
	out := w.run(`
		CREATE TABLE t (id INT, name STRING) USING es OPTIONS (resource 't', 'es.mapping.id' 'id');
		INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, NULL);
		SELECT name, id FROM t WHERE id > 1 AND name = 'b' LIMIT 5;
		SELECT count(*) FROM t WHERE id < 3;
		INSERT OVERWRITE t SELECT * FROM t WHERE name IS NOT NULL;
		EXPLAIN SELECT upper(name) FROM t`, false)
	if strings.Contains(out, "error") || !strings.Contains(out, "b,2") {
		t.Errorf("unexpected output:\n%s", out)
	}
	if db.Opened() {
		t.Error("DuckDB was started")
	}
	if out := w.run("SELECT upper(name) FROM t", false); !strings.Contains(out, "A") || !db.Opened() {
		t.Errorf("DuckDB was not started by a query that needs it:\n%s", out)
	}
}

// oddTable is a table whose values meet every edge that an index has.
const oddTable = `
CREATE TABLE odd (id BIGINT, k STRING, n INT, l BIGINT, d DOUBLE, f FLOAT, m DECIMAL(10,2), t TIMESTAMP, dt DATE, b BOOLEAN, tags ARRAY<STRING>, s STRUCT<x: INT, y: STRING>)
USING es OPTIONS (resource '${prefix}odd', 'es.mapping.id' 'id')`

// pool is values of each column, as SQL; the last is always NULL.
var pool = map[string][]string{
	"k":  {"''", "'a'", "'A'", "'ab'", "'a*b'", "'a?b'", `'a\\b'`, "'ä'", "'ab c'", "'a%'", "'" + strings.Repeat("x", 300) + "'", "'10'", "'9'", "NULL"},
	"n":  {"0", "-1", "1", "7", "2147483647", "-2147483648", "NULL"},
	"l":  {"0", "9007199254740993", "9007199254740992", "-9223372036854775808", "9223372036854775807", "5", "NULL"},
	"d":  {"0.0D", "-0.0D", "0.1D", "1.5D", "1e300D", "-2.5D", "3.0D", "NULL"},
	"f":  {"0.0F", "0.1F", "1.5F", "16777217F", "NULL"},
	"m":  {"0.00", "0.10", "12.34", "-99999999.99", "99999999.99", "1.50", "NULL"},
	"t":  {"TIMESTAMP '2024-01-02 03:04:05'", "TIMESTAMP '2024-01-02 03:04:05.000001'", "TIMESTAMP '2024-01-02 03:04:05.678'", "TIMESTAMP '1969-12-31 23:59:59.999999'", "TIMESTAMP '2024-01-02 00:00:00'", "NULL"},
	"dt": {"DATE '2024-01-02'", "DATE '1969-12-31'", "DATE '1900-02-28'", "DATE '2024-02-29'", "NULL"},
	"b":  {"true", "false", "NULL"},
}

var oddColumns = []string{"k", "n", "l", "d", "f", "m", "t", "dt", "b"}

func pick(r *rand.Rand, from []string) string { return from[r.IntN(len(from))] }

// oddRows is an INSERT of random rows.
func oddRows(r *rand.Rand, rows int) string {
	var b strings.Builder
	b.WriteString("INSERT OVERWRITE odd VALUES ")
	for i := range rows {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "(%d", i)
		for _, c := range oddColumns {
			b.WriteString(", " + pick(r, pool[c]))
		}
		tags := pick(r, []string{"NULL", "array()", "array('a')", "array('a', 'b')", "array('b', NULL)"})
		s := pick(r, []string{"NULL", "named_struct('x', 1, 'y', 'a')", "named_struct('x', NULL, 'y', 'b')"})
		b.WriteString(", " + tags + ", " + s + ")")
	}
	return b.String()
}

// predicate makes a random condition.
func predicate(r *rand.Rand, depth int) string {
	if depth > 0 {
		switch r.IntN(4) {
		case 0:
			return "(" + predicate(r, depth-1) + " AND " + predicate(r, depth-1) + ")"
		case 1:
			return "(" + predicate(r, depth-1) + " OR " + predicate(r, depth-1) + ")"
		case 2:
			return "NOT (" + predicate(r, depth-1) + ")"
		}
	}
	c := pick(r, oddColumns)
	value := func() string { return pick(r, pool[c]) }
	switch r.IntN(9) {
	case 0:
		return c + " IS NULL"
	case 1:
		return c + " IS NOT NULL"
	case 2:
		return c + " IN (" + value() + ", " + value() + ", " + value() + ")"
	case 3:
		return c + " BETWEEN " + value() + " AND " + value()
	case 4:
		return "k " + pick(r, []string{"", "NOT "}) + "LIKE " + pick(r, []string{"'a%'", "'%b'", "'%*%'", `'a\\%'`, "'_'", "''", "'%'", "'A%'", "'a_b'", "'%x%'"})
	case 5:
		return pick(r, []string{"s.x = 1", "s.y = 'a'", "s.x IS NULL", "array_contains(tags, 'a')", "size(tags) > 1", "tags IS NULL", "s IS NULL", "b", "NOT b", "_id = '3'", "_id IN ('1', '2')", "k = '10'", "n = '7'", "l > 1.5", "k > 9"})
	case 6:
		return c + " <=> " + value()
	}
	return c + " " + pick(r, []string{"=", "<>", "<", "<=", ">", ">="}) + " " + value()
}

// TestPushdownChangesNoRow asks random questions with and without push-down: the
// rows, and the counts that the index alone gives, must be the same.
func TestPushdownChangesNoRow(t *testing.T) {
	for _, f := range []esdstest.Flavour{esdstest.Elasticsearch8, esdstest.OpenSearch2} {
		t.Run(f.Name, func(t *testing.T) { pushdownChangesNoRow(t, at(esdstest.New(t, f).URL)) })
	}
	t.Run("lake", func(t *testing.T) { pushdownChangesNoRow(t, hermetic()[0]) })
}

// TestPushdownChangesNoRowOnRealServers asks them.
func TestPushdownChangesNoRowOnRealServers(t *testing.T) {
	servers.Each(t, func(t *testing.T, url string) { pushdownChangesNoRow(t, at(url)) })
}

// at is the configuration of a server.
func at(url string) configuration {
	return configuration{source: func(t *testing.T, _ *duckdb.DB) esds.Source { return openElastic(t, url) }}
}

func pushdownChangesNoRow(t *testing.T, c configuration) {
	r := rand.New(rand.NewPCG(3, 5))
	w := newWorld(t, c)
	if out := w.run(oddTable+";"+oddRows(r, 120), false); strings.Contains(out, "error") {
		t.Fatal(out)
	}
	for range 250 {
		where := predicate(r, 2)
		query := "SELECT id FROM odd WHERE " + where
		var answers [2][][]any
		for i, pushdown := range []string{"true", "false"} {
			w.run("SET eslake.pushdown = "+pushdown, false)
			rows, _, err := w.ask(query)
			if err != nil {
				t.Fatalf("%s (pushdown %s): %s", query, pushdown, problem(err, query))
			}
			answers[i] = rows
		}
		sortCells(answers[0], query)
		sortCells(answers[1], query)
		if !reflect.DeepEqual(answers[0], answers[1]) {
			w.run("SET eslake.pushdown = true", false)
			t.Errorf("%s\n  pushed down: %v\n  not pushed:  %v\n%s", query, answers[0], answers[1], w.run("EXPLAIN "+query, false))
			continue
		}
		w.run("SET eslake.pushdown = true", false)
		counted, _, err := w.ask("SELECT count(*) FROM odd WHERE " + where)
		if err != nil || fmt.Sprint(counted[0][0]) != fmt.Sprint(len(answers[0])) {
			t.Errorf("count(*) where %s is %v (%v), want %d", where, counted, err, len(answers[0]))
		}
	}
}

// TestFieldsChangeNoRow reads random columns under random conditions from doc
// values, from the documents, and by eslake's own choice.
func TestFieldsChangeNoRow(t *testing.T) {
	for _, f := range []esdstest.Flavour{esdstest.Elasticsearch8, esdstest.OpenSearch2} {
		t.Run(f.Name, func(t *testing.T) { fieldsChangeNoRow(t, at(esdstest.New(t, f).URL)) })
	}
}

// TestFieldsChangeNoRowOnRealServers asks them.
func TestFieldsChangeNoRowOnRealServers(t *testing.T) {
	servers.Each(t, func(t *testing.T, url string) { fieldsChangeNoRow(t, at(url)) })
}

func fieldsChangeNoRow(t *testing.T, c configuration) {
	r := rand.New(rand.NewPCG(7, 11))
	w := newWorld(t, c)
	if out := w.run("SET es.scroll.size = 20;"+oddTable+";"+oddRows(r, 100), false); strings.Contains(out, "error") {
		t.Fatal(out)
	}
	columns := append([]string{"id", "s.x", "tags", "_id"}, oddColumns...)
	for range 60 {
		r.Shuffle(len(columns), func(i, j int) { columns[i], columns[j] = columns[j], columns[i] })
		query := "SELECT " + strings.Join(columns[:1+r.IntN(4)], ", ") + " FROM odd"
		if r.IntN(2) == 0 {
			query += " WHERE " + predicate(r, 1)
		}
		var answers [3][][]any
		for i, way := range []string{"source", "docvalues", "auto"} {
			w.run("SET eslake.read.fields = "+way, false)
			rows, _, err := w.ask(query)
			if err != nil {
				t.Fatalf("%s (by %s): %s", query, way, problem(err, query))
			}
			sortCells(rows, query)
			answers[i] = rows
		}
		if !reflect.DeepEqual(answers[0], answers[1]) || !reflect.DeepEqual(answers[0], answers[2]) {
			t.Errorf("%s\n  by source:     %v\n  by doc values: %v\n  by choice:     %v", query, answers[0], answers[1], answers[2])
		}
	}
}
