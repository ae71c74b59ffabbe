package session_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/esds/duckdb"
	"github.com/eslake/eslake/esds/esdstest/servers"
	"github.com/eslake/eslake/planner"
	"github.com/eslake/eslake/sql/lex"
)

const sparkFolder = "../testdata/spark"

// sparkTables are the tables of the golden files, with the columns that Spark
// read them with and the key of each; "" for none.
var sparkTables = []struct{ name, key, columns string }{
	{"people", "id", "id BIGINT, name STRING, age INT, city STRING, tags ARRAY<STRING>, address STRUCT<street: STRING, geo: STRUCT<lat: DOUBLE, lon: DOUBLE>>, joined TIMESTAMP, born DATE, balance DECIMAL(12,2), active BOOLEAN, props MAP<STRING, STRING>"},
	{"orders", "order_id", "order_id BIGINT, person_id BIGINT, amount DOUBLE, status STRING, ts TIMESTAMP, day STRING"},
	{"cities", "", "name STRING, country STRING, pop BIGINT"},
	{"people_fix", "id", "id BIGINT, name STRING, city STRING, gone BOOLEAN"},
}

// TestSparkAnswers asks what real Spark was asked, over the same rows, from
// files and from indices: columns, their types and the rows must be Spark's, but
// for what differences.txt gives a reason for.
func TestSparkAnswers(t *testing.T) {
	t.Run("files", func(t *testing.T) { sparkAnswers(t, hermetic()[0], false) })
	for _, c := range hermetic()[:3] {
		t.Run(c.name, func(t *testing.T) { sparkAnswers(t, c, true) })
	}
}

// TestSparkAnswersOnRealServers asks the same of Elasticsearch and OpenSearch.
func TestSparkAnswersOnRealServers(t *testing.T) {
	servers.Each(t, func(t *testing.T, url string) {
		real := func(t *testing.T, _ *duckdb.DB) esds.Source { return openElastic(t, url) }
		sparkAnswers(t, configuration{source: real}, true)
	})
}

func sparkAnswers(t *testing.T, c configuration, indexed bool) {
	w := newWorld(t, c)
	w.sparkTables(indexed)
	known, agreed, asked := differences(t), 0, 0
	for _, file := range []string{"accept", "semantics", "doubts", "more"} {
		for _, g := range readGolden(t, filepath.Join(sparkFolder, file+".golden.jsonl")) {
			if g.Error != "" {
				continue
			}
			asked++
			diff := w.compare(g)
			reason, listed := known[g.SQL]
			switch {
			case diff == "" && listed && !strings.HasPrefix(reason, "may: "):
				t.Errorf("differences.txt lists %s (%s), but it agrees", g.SQL, reason)
			case diff == "":
				agreed++
			case !listed:
				t.Errorf("%s\n  %s", g.SQL, diff)
			}
		}
	}
	for _, g := range readGolden(t, filepath.Join(sparkFolder, "errors.golden.jsonl")) {
		if _, _, err := w.ask(g.SQL); err == nil {
			t.Errorf("%s\n  is answered; Spark says %s", g.SQL, g.Error)
		}
	}
	t.Logf("%d of %d answers are Spark's", agreed, asked)
}

// sparkTables makes the tables of the golden files, as views of files or as
// indices.
func (w *world) sparkTables(indexed bool) {
	w.t.Helper()
	t := w.t
	for _, table := range sparkTables {
		path, err := filepath.Abs(filepath.Join(sparkFolder, "data", table.name+".ndjson"))
		if err != nil {
			t.Fatal(err)
		}
		script := fmt.Sprintf("CREATE TEMPORARY VIEW %s (%s) USING json OPTIONS (path '%s');", table.name, table.columns, path)
		if indexed {
			file, id := table.name+"_file", ""
			if table.key != "" {
				id = ", es.mapping.id '" + table.key + "'"
			}
			script = strings.ReplaceAll(script, "VIEW "+table.name, "VIEW "+file) +
				fmt.Sprintf("CREATE TABLE %s (%s) USING es OPTIONS (resource '${prefix}%s'%s); INSERT INTO %s SELECT * FROM %s;",
					table.name, table.columns, strings.ReplaceAll(table.name, "_", "-"), id, table.name, file)
		}
		if out := w.run(script, false); strings.Contains(out, "error") {
			t.Fatal(out)
		}
	}
}

// TestSparkANSI asks what Spark was asked with spark.sql.ansi.enabled. Where Spark
// has an error, so must eslake, and at the same place where it comes of a value.
func TestSparkANSI(t *testing.T) {
	for _, c := range append([]configuration{{name: "files", source: hermetic()[0].source}}, hermetic()[:3]...) {
		t.Run(c.name, func(t *testing.T) { sparkANSI(t, c, c.name != "files") })
	}
}

// TestSparkANSIOnRealServers asks the same of Elasticsearch and OpenSearch.
func TestSparkANSIOnRealServers(t *testing.T) {
	servers.Each(t, func(t *testing.T, url string) {
		real := func(t *testing.T, _ *duckdb.DB) esds.Source { return openElastic(t, url) }
		sparkANSI(t, configuration{source: real}, true)
	})
}

func sparkANSI(t *testing.T, c configuration, indexed bool) {
	w := newWorld(t, c)
	w.sparkTables(indexed)
	if out := w.run("SET spark.sql.ansi.enabled = true;", false); strings.Contains(out, "error") {
		t.Fatal(out)
	}
	known, agreed, asked := differences(t), 0, 0
	for _, g := range readGolden(t, filepath.Join(sparkFolder, "ansi.golden.jsonl")) {
		asked++
		diff := ""
		if g.Error == "" {
			diff = w.compare(g)
		} else {
			diff = w.fails(g)
		}
		switch reason, listed := known["ansi: "+g.SQL]; {
		case diff == "" && listed:
			t.Errorf("differences.txt lists ansi: %s (%s), but it agrees", g.SQL, reason)
		case diff == "":
			agreed++
		case !listed:
			t.Errorf("%s\n  %s", g.SQL, diff)
		}
	}
	t.Logf("%d of %d answers are Spark's", agreed, asked)
}

// fails says how a failure differs from Spark's, "" when it does not.
func (w *world) fails(g golden) string {
	rows, _, err := w.ask(g.SQL)
	if err == nil {
		return fmt.Sprintf("gives %v, want the error %s", rows, g.Error)
	}
	var failed *planner.ValueError
	if errors.As(err, &failed) && len(g.At) == 2 && failed.At.Span.Line != g.At[0] {
		return fmt.Sprintf("fails at line %d, want %v", failed.At.Span.Line, g.At)
	}
	if errors.As(err, &failed) && failed.At.Span.Column == 0 {
		return "the error has no place"
	}
	if len(g.At) == 2 && !errors.As(err, new(*lex.Error)) {
		return fmt.Sprintf("the error has no place, want %v: %v", g.At, err)
	}
	return ""
}

// compare says how the answer differs from Spark's, "" when it does not.
func (w *world) compare(g golden) string {
	rows, schema, err := w.ask(g.SQL)
	if err != nil {
		return problem(err, g.SQL)
	}
	for i, f := range schema {
		if i >= len(g.Columns) || f.Type.String() != g.Columns[i][1] {
			return fmt.Sprintf("column %d is %s %s, want %v", i+1, f.Name, f.Type, g.Columns[min(i, len(g.Columns)-1)])
		}
		if f.Name != g.Columns[i][0] {
			return fmt.Sprintf("column %d is named %s, want %s", i+1, f.Name, g.Columns[i][0])
		}
	}
	return sameRows(rows, g.Rows, g.SQL)
}

// differences reads the statements that are known to differ: a line with the
// reason after "#", then the statement. A reason that begins with "may: " is
// about what Spark leaves open.
func differences(t *testing.T) map[string]string {
	t.Helper()
	f, err := os.Open("testdata/differences.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	known, reason := map[string]string{}, ""
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if text, ok := strings.CutPrefix(lines.Text(), "# "); ok {
			reason = text
		} else if lines.Text() != "" {
			known[lines.Text()] = reason
		}
	}
	return known
}
