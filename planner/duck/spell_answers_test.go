package duck_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/eslake/eslake/esds/duckdb"
	"github.com/eslake/eslake/planner/duck"
	eslakesql "github.com/eslake/eslake/sql"
	"github.com/eslake/eslake/sql/lex"
	"github.com/eslake/eslake/sql/row"
)

// answer is a statement and what Spark 3.5 answers.
type answer struct {
	SQL     string
	Columns [][2]string
	Rows    [][]any
	Error   string
}

func readAnswers(t *testing.T, file string) []answer {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []answer
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		dec := json.NewDecoder(strings.NewReader(lines.Text()))
		dec.UseNumber()
		var a answer
		if err := dec.Decode(&a); err != nil {
			t.Fatal(err)
		}
		all = append(all, a)
	}
	return all
}

// ofTheDay is statements whose answers are those of the day on which Spark was
// asked.
var ofTheDay = map[string]bool{"SELECT curdate()": true, "SELECT current_date()": true}

// TestSparkAnswers runs what Spark was asked, spelled for DuckDB, and compares
// types and rows. It serves one table at most; joins, subqueries and set
// operations are the planner's. What differs stands in testdata/differences with
// its reason, and must differ.
func TestSparkAnswers(t *testing.T) {
	db := openEngine(t)
	known := readDifferences(t)
	for _, file := range []string{"semantics.golden.jsonl", "accept.golden.jsonl", "functions.golden.jsonl", "edge.golden.jsonl", "nulls.golden.jsonl"} {
		same, differ, skipped := 0, 0, 0
		for _, a := range readAnswers(t, file) {
			if a.Error != "" || ofTheDay[a.SQL] {
				skipped++
				continue
			}
			why := ask(db, a)
			reason, listed := known[a.SQL]
			delete(known, a.SQL)
			switch why {
			case "skip":
				skipped++
			case "":
				same++
				if listed {
					t.Errorf("%s\nis as Spark answers; take it from testdata/differences (%s)", a.SQL, reason)
				}
			default:
				differ++
				if !listed {
					t.Errorf("%s\n%s", a.SQL, why)
				}
			}
		}
		t.Logf("%s: %d as Spark, %d differ, %d not asked here", file, same, differ, skipped)
	}
	for q := range known {
		t.Errorf("testdata/differences has a statement that was never asked: %s", q)
	}
}

// readDifferences reads lines of a reason, a tab and a statement.
func readDifferences(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "differences"))
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]string{}
	for _, line := range strings.Split(string(text), "\n") {
		if reason, q, ok := strings.Cut(line, "\t"); ok {
			known[q] = reason
		}
	}
	return known
}

func openEngine(t *testing.T) *duck.Engine {
	t.Helper()
	db := duckdb.New(duckdb.Config{TempDir: t.TempDir()})
	t.Cleanup(func() { db.Close() })
	c, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for name, columns := range tables {
		var parts []string
		for _, f := range columns {
			parts = append(parts, fmt.Sprintf("%s: '%s'", duck.QuoteName(f.Name), duck.TypeSQL(f.Type)))
		}
		err := c.Exec(t.Context(), fmt.Sprintf("CREATE TABLE %s AS SELECT * FROM read_json('testdata/%s.ndjson', format = 'newline_delimited', columns = {%s})",
			name, name, strings.Join(parts, ", ")))
		if err != nil {
			t.Fatal(err)
		}
	}
	return duck.New(db)
}

// ask returns "" when the engine answers as Spark, "skip" for a statement that is
// not of the kind that this test serves, else what differs.
func ask(db *duck.Engine, a answer) string {
	text, err := lex.One("", a.SQL)
	if err != nil {
		return "lex: " + err.Error()
	}
	stmt, err := eslakesql.Parse(text)
	if err != nil {
		return "skip" // the parser's tests tell what it does not take yet
	}
	q, ok := stmt.(*eslakesql.SelectStmt)
	if !ok {
		return "skip"
	}
	spelled, schema, err := spellQuery(q.Query)
	if errors.Is(err, errSkip) {
		return "skip"
	}
	if err != nil {
		return "bind: " + err.Error()
	}
	for i, f := range schema {
		if want := a.Columns[i][1]; len(a.Columns) != len(schema) || !sameType(f.Type, want) {
			return fmt.Sprintf("column %d has type %s, not %s", i+1, f.Type, want)
		}
	}
	rows, err := run(db, spelled, schema)
	if err != nil {
		return "run: " + err.Error() + "\n" + spelled
	}
	if strings.Contains(a.SQL, "collect_set") {
		sortSets(rows)
		sortSets(a.Rows)
	}
	return compare(rows, a.Rows, schema, spelled)
}

// sameType compares with Spark's name of the type; its intervals have many.
func sameType(t row.Type, want string) bool {
	return t.String() == want || t.Kind == row.Interval && strings.HasPrefix(want, "interval")
}

func compare(got, want [][]any, schema row.Schema, spelled string) string {
	if len(got) != len(want) {
		return fmt.Sprintf("%d rows, not %d\n%s", len(got), len(want), spelled)
	}
	sortRows(got)
	sortRows(want)
	for i := range got {
		for k := range got[i] {
			if !sameCell(got[i][k], want[i][k]) {
				g, _ := json.Marshal(got[i][k])
				w, _ := json.Marshal(want[i][k])
				return fmt.Sprintf("row %d column %d (%s): %s, not %s\n%s", i+1, k+1, schema[k].Type, g, w, spelled)
			}
		}
	}
	return ""
}

// sortRows puts rows into an order that the last digits of doubles cannot change.
func sortRows(rows [][]any) {
	key := func(r []any) string {
		text := ""
		for _, v := range r {
			text += sortKey(v) + "|"
		}
		return text
	}
	slices.SortStableFunc(rows, func(a, b []any) int { return strings.Compare(key(a), key(b)) })
}

func sortKey(v any) string {
	switch v := v.(type) {
	case json.Number:
		f, _ := v.Float64()
		return sortKey(f)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return sortKey(strings.TrimPrefix(strings.ToLower(fmt.Sprint(v)), "+"))
		}
		return fmt.Sprintf("%.9g", v)
	case int8, int16, int32, int64:
		f, _ := strconv.ParseFloat(fmt.Sprint(v), 64)
		return sortKey(f)
	}
	b, _ := json.Marshal(v)
	return string(b)
}

// sortSets sorts the arrays of a statement with collect_set, whose order is no
// one's promise.
func sortSets(rows [][]any) {
	for _, r := range rows {
		for _, v := range r {
			if list, ok := v.([]any); ok {
				slices.SortStableFunc(list, func(a, b any) int { return strings.Compare(sortKey(a), sortKey(b)) })
			}
		}
	}
}
