package session_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestInsertDirectory writes a query to files, as Spark writes them, reads them
// back, and keeps what is there when the query fails.
func TestInsertDirectory(t *testing.T) {
	w := newWorld(t, hermetic()[0])
	w.sparkTables(false)
	dir := w.vars["dir"]
	read := func(path string) string {
		b, err := os.ReadFile(filepath.Join(dir, path))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	out := w.run(`INSERT OVERWRITE DIRECTORY '${dir}/csv' USING csv OPTIONS (header 'true') SELECT id, name, joined, born, balance, active, '' AS e, NULLIF(1, 1) AS n, 'a"b,c' AS q FROM people WHERE id BETWEEN 1 AND 3 ORDER BY id;
INSERT OVERWRITE DIRECTORY '${dir}/json' USING json SELECT id, name, tags, joined, n FROM (SELECT *, NULLIF(1, 1) AS n FROM people) WHERE id = 1;
INSERT OVERWRITE DIRECTORY '${dir}/parquet' USING parquet SELECT * FROM people WHERE id > 0 AND id < 20;`, false)
	if strings.Contains(out, "error") || !strings.Contains(out, "(3 rows, csv)") {
		t.Fatal(out)
	}
	want := "id,name,joined,born,balance,active,e,n,q\n" +
		"1,Ann,2024-01-02T03:04:05.000Z,1993-05-06,12.34,true,\"\",,\"a\\\"b,c\"\n" +
		"2,bob,2019-12-31T23:59:59.999Z,2006-02-28,0.00,false,\"\",,\"a\\\"b,c\"\n" +
		"3,Chloé,2020-01-01T00:00:00.000Z,1979-12-31,-7.50,true,\"\",,\"a\\\"b,c\"\n"
	if got := read("csv/part-00000.csv"); got != want {
		t.Errorf("csv:\n%s", got)
	}
	want = `{"id":1,"name":"Ann","tags":["a","b"],"joined":"2024-01-02T03:04:05.000Z"}` + "\n"
	if got := read("json/part-00000.json"); got != want {
		t.Errorf("json:\n%s", got)
	}
	rows, _, err := w.ask("SELECT count(*), count(tags), max(joined), sum(balance) FROM parquet.`" + dir + "/parquet/part-00000.parquet` EXCEPT SELECT count(*), count(tags), max(joined), sum(balance) FROM people WHERE id > 0 AND id < 20")
	if err != nil || len(rows) != 0 {
		t.Errorf("parquet: %v, %v", rows, err)
	}

	before := read("csv/part-00000.csv")
	for text, message := range map[string]string{
		"INSERT OVERWRITE DIRECTORY '${dir}/csv' USING csv SELECT id, raise_error('stop') AS x FROM people;": "stop",
		"INSERT OVERWRITE DIRECTORY '${dir}' USING csv SELECT 1;":                                            "which no INSERT OVERWRITE DIRECTORY wrote",
		"INSERT OVERWRITE DIRECTORY 's3://b/x' USING csv SELECT 1;":                                          "is not a local path",
		"INSERT OVERWRITE DIRECTORY '${dir}/x' USING csv SELECT array(1);":                                   "CSV has no form",
		"INSERT OVERWRITE DIRECTORY '${dir}/x' USING csv OPTIONS (heder 'true') SELECT 1;":                   "is no option",
	} {
		if out := w.run(text, false); !strings.Contains(out, message) {
			t.Errorf("%s: %s", text, out)
		}
	}
	if read("csv/part-00000.csv") != before {
		t.Error("a query that fails changed the directory")
	}
	left, err := filepath.Glob(filepath.Join(dir, ".*eslake*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
	if out := w.run("INSERT OVERWRITE DIRECTORY '${dir}/csv' USING csv SELECT 1;", false); strings.Contains(out, "error") || read("csv/part-00000.csv") != "1\n" {
		t.Error(out)
	}
}
