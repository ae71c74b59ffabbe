package duck

import (
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"compress/zlib"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/esds/duckdb"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// read returns the rows of files, and what was told of them.
func readAll(t *testing.T, format, path, columns string, opts map[string]string) (string, []string, error) {
	t.Helper()
	schema, err := expr.ParseSchema(columns)
	if err != nil {
		t.Fatal(err)
	}
	r, err := OpenFile(format, path, opts, schema.Fields)
	if err != nil {
		return "", nil, err
	}
	defer r.Close()
	var told []string
	ctx := esds.WithNotice(context.Background(), func(text string) { told = append(told, text) })
	rows, err := row.ReadAll(ctx, r)
	return fmt.Sprint(rows), told, err
}

func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestFileOptions compares with what Spark 3.5 answers for the same files.
func TestFileOptions(t *testing.T) {
	const bad = "1,2\nx,3\n4\n5,6,7\n"
	const torn = "{\"a\":1,\"b\":2}\n{\"a\":\"x\",\"b\":3}\n{\"a\":4\n[1]\n{\"b\":5,\"c\":6}\n"
	lenient := func(more ...string) map[string]string {
		opts := map[string]string{"mode": "PERMISSIVE"}
		for i := 0; i+1 < len(more); i += 2 {
			opts[more[i]] = more[i+1]
		}
		return opts
	}
	const numbers = "1,NaN\n2,Inf\n3,-Inf\n4,nope\n5,Infinity\n6,1.5\n"
	for _, c := range []struct {
		name, format, text, columns string
		opts                        map[string]string
		want                        string
	}{
		{"numbers", "csv", numbers, "a INT, b DOUBLE", lenient(), "[[1 NaN] [2 +Inf] [3 -Inf] [4 <nil>] [5 +Inf] [6 1.5]]"},
		{"nanValue", "csv", numbers, "a INT, b DOUBLE", lenient("nanValue", "nope"), "[[1 NaN] [2 +Inf] [3 -Inf] [4 NaN] [5 +Inf] [6 1.5]]"},
		{"infinities", "csv", numbers, "a INT, b DOUBLE", lenient("positiveInf", "big", "negativeInf", "1.5"), "[[1 NaN] [2 <nil>] [3 <nil>] [4 <nil>] [5 +Inf] [6 -Inf]]"},
		{"header by name", "csv", "b,a\n1,2\n", "B INT, A INT", lenient("header", "true", "enforceSchema", "false"), "[[1 2]]"},
		{"other header", "csv", "b,a\n1,2\n", "a INT, b INT", lenient("header", "true", "enforceSchema", "false"), "error: x.csv, line 1: the header has b, a, the table a, b (enforceSchema = false)"},
		{"corrupt", "csv", bad, "a INT, b INT, _corrupt_record STRING", lenient(), "[[1 2 <nil>] [<nil> 3 x,3] [4 <nil> 4] [5 6 5,6,7]]"},
		{"corrupt first", "csv", bad, "_corrupt_record STRING, a INT, b INT", lenient(), "[[<nil> 1 2] [x,3 <nil> 3] [4 4 <nil>] [5,6,7 5 6]]"},
		{"corrupt named", "csv", bad, "a INT, bad STRING, b INT", lenient("columnNameOfCorruptRecord", "bad"), "[[1 <nil> 2] [<nil> x,3 3] [4 4 <nil>] [5 5,6,7 6]]"},
		{"corrupt dropped", "csv", bad, "a INT, b INT, _corrupt_record STRING", map[string]string{"mode": "DROPMALFORMED"}, "[[1 2 <nil>]]"},
		{"corrupt number", "csv", bad, "a INT, b INT, _corrupt_record INT", lenient(), "error: column _corrupt_record gets the records that cannot be read (columnNameOfCorruptRecord): it must be of type STRING"},
		{"corrupt", "json", torn, "a INT, b INT, _corrupt_record STRING", lenient(), `[[1 2 <nil>] [<nil> 3 {"a":"x","b":3}] [<nil> <nil> {"a":4] [<nil> <nil> [1]] [<nil> 5 <nil>]]`},
		{"corrupt named", "json", torn, "a INT, bad STRING", lenient("columnNameOfCorruptRecord", "bad"), `[[1 <nil>] [<nil> {"a":"x","b":3}] [<nil> {"a":4] [<nil> [1]] [<nil> <nil>]]`},
		{"corrupt dropped", "json", torn, "a INT, b INT, _corrupt_record STRING", map[string]string{"mode": "DROPMALFORMED"}, "[[1 2 <nil>] [<nil> 5 <nil>]]"},
		{"comments", "json", "/* c */ {\"a\": /* x */ 1, \"b\": \"//no\"} // tail\n{\"a\":2}\n", "a INT, b STRING", map[string]string{"allowComments": "true"}, "[[1 //no] [2 <nil>]]"},
		{"no comments", "json", "/* c */ {\"a\": 1}\n{\"a\":2}\n", "a INT", lenient(), "[[<nil>] [2]]"},
		{"line end", "csv", "1|2", "a INT", lenient("lineSep", "|"), `error: option lineSep: lines end with \n, \r\n or \r, not "|"`},
	} {
		t.Run(c.format+" "+c.name, func(t *testing.T) {
			path := filepath.Join(folder(t, map[string]string{"x." + c.format: c.text}), "x."+c.format)
			got, _, err := readAll(t, c.format, path, c.columns, c.opts)
			if err != nil {
				got = "error: " + strings.ReplaceAll(err.Error(), filepath.Dir(path)+"/", "")
			}
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestFileLookup compares which files are read with Spark.
func TestFileLookup(t *testing.T) {
	dir := folder(t, map[string]string{"x.csv": "1\n", "sub/y.csv": "2\n", "sub/k=1/z.csv": "3\n", "sub/n.txt": "4\n", "sub/_hidden.csv": "5\n", ".h/a.csv": "6\n"})
	old := time.Unix(1_700_000_000, 0) // 2023-11-14T22:13:20Z
	if err := os.Chtimes(filepath.Join(dir, "x.csv"), old, old); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ path, opts, want string }{
		{"", "", "[[1]]"},
		{"", "recursiveFileLookup=true", "[[3] [4] [2] [1]]"},
		{"", "recursiveFileLookup=true pathGlobFilter=*.csv", "[[3] [2] [1]]"},
		{"", "recursiveFileLookup=true pathGlobFilter={x,n}.*", "[[4] [1]]"},
		{"", "recursiveFileLookup=true pathGlobFilter=[^x].csv", "[[3] [2]]"},
		{"", "pathGlobFilter=*.txt", "[]"},
		{"", "pathGlobFilter=[", `error: option pathGlobFilter: "[" is no pattern`},
		{"", "modifiedBefore=2023-11-15T00:00:00", "[[1]]"},
		{"", "modifiedBefore=2023-11-14T22:13:20", "[]"},
		{"", "modifiedAfter=2023-11-14T22:13:20", "[]"},
		{"", "modifiedAfter=2023-11-14T22:13:19", "[[1]]"},
		{"", "modifiedAfter=2023-11-14T23:13:19 timeZone=Europe/Berlin", "[[1]]"},
		{"", "modifiedAfter=nope", `error: option modifiedAfter: "nope" is no time; write it as 2024-01-31T12:30:00`},
		{"{x,sub/y}.csv", "", "[[1] [2]]"},
		{"none", "ignoreMissingFiles=true", "error: none: there is no such file"},
	} {
		opts := map[string]string{}
		for _, o := range strings.Fields(c.opts) {
			key, value, _ := strings.Cut(o, "=")
			opts[key] = value
		}
		got, _, err := readAll(t, "csv", filepath.Join(dir, c.path), "a INT", opts)
		if err != nil {
			got = "error: " + strings.ReplaceAll(err.Error(), dir+"/", "")
		}
		if got != c.want {
			t.Errorf("%s %s\ngot  %s\nwant %s", c.path, c.opts, got, c.want)
		}
	}
}

// TestLostFiles leaves out what is gone or broken, and tells so.
func TestLostFiles(t *testing.T) {
	var zip bytes.Buffer
	w := gzip.NewWriter(&zip)
	for i := range 20_000 {
		fmt.Fprintf(w, "%d,%d\n", i, i*7919)
	}
	_ = w.Close()
	dir := folder(t, map[string]string{"a.csv.gz": zip.String()[:zip.Len()/2], "b.csv": "1,1\n"})
	if _, _, err := readAll(t, "csv", dir, "a INT, b INT", nil); err == nil {
		t.Error("half a file was read as a whole one")
	}
	rows, told, err := readAll(t, "csv", dir, "a INT, b INT", map[string]string{"ignoreCorruptFiles": "true"})
	if err != nil || len(told) != 1 || !strings.Contains(told[0], "a.csv.gz: the rest is left out") || !strings.HasSuffix(rows, "[1 1]]") {
		t.Errorf("told %q, error %v", told, err)
	}
	if n := strings.Count(rows, "["); n < 5_000 || n > 20_000 {
		t.Errorf("%d rows were read of half a file", n-1)
	}
	r, err := OpenFile("csv", dir, map[string]string{"ignoreMissingFiles": "true", "pathGlobFilter": "*.csv"}, row.Schema{{Name: "a", Type: row.StringType}, {Name: "b", Type: row.StringType}})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := os.Remove(filepath.Join(dir, "b.csv")); err != nil {
		t.Fatal(err)
	}
	if all, err := row.ReadAll(context.Background(), r); err != nil || len(all) != 0 {
		t.Errorf("a file that is gone gave %v, %v", all, err)
	}
}

// TestCompressedFiles reads what Spark writes with each codec.
func TestCompressedFiles(t *testing.T) {
	const text = "1,x,\"\",,\"a\\\"b\"\n"
	var deflated bytes.Buffer
	w := zlib.NewWriter(&deflated)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	bzip := []byte("BZh91AY&SY\xb1+5\x1d\x00\x00\x05[\x80\x00\x10\x10\x04 \x00\x00\x040\x00\x00@ \x001\x0c\x08!\x89\x88\"!\xd2\xa4\xab;\xc5\xdc\x91N\x14$,J\xcdG@")
	if _, err := bzip2.NewReader(bytes.NewReader(bzip)).Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	dir := folder(t, map[string]string{
		"a.csv.deflate": deflated.String(), "b.csv.bz2": string(bzip), "c.csv.snappy": "\x00\x00\x00\x0f\x00\x00\x00\x11\x0f81,x,\"\",,\"a\\\"b\"\n",
	})
	rows, _, err := readAll(t, "csv", dir, "a INT, b STRING, c STRING, d STRING, e STRING", nil)
	if want := strings.TrimSuffix(strings.Repeat(`[1 x  <nil> a"b] `, 3), " "); err != nil || rows != "["+want+"]" {
		t.Errorf("read %s, %v", rows, err)
	}
	lz := filepath.Join(folder(t, map[string]string{"a.csv.lz4": "x"}), "a.csv.lz4")
	if _, _, err := readAll(t, "csv", lz, "a INT", nil); err == nil || !strings.Contains(err.Error(), "lz4 are not supported") {
		t.Errorf("lz4: %v", err)
	}
}

// TestJSONTypes compares what is found with Spark.
func TestJSONTypes(t *testing.T) {
	const text = "{\"a\":1.25,\"b\":true,\"c\":[1,2.5],\"d\":{\"f\":0.001},\"h\":\"s\"}\n{\"a\":100.1,\"b\":false}\n"
	path := filepath.Join(folder(t, map[string]string{"x.json": text}), "x.json")
	for opts, want := range map[string]string{
		"":                   "struct<a:double,b:boolean,c:array<double>,d:struct<f:double>,h:string>",
		"primitivesAsString": "struct<a:string,b:string,c:array<string>,d:struct<f:string>,h:string>",
		"prefersDecimal":     "struct<a:decimal(5,2),b:boolean,c:array<decimal(21,1)>,d:struct<f:decimal(3,3)>,h:string>",
	} {
		schema, err := New(duckdb.New(duckdb.Config{})).FileSchema(context.Background(), "json", path, map[string]string{opts: "true"})
		if got := row.StructType(schema...).String(); err != nil || got != want {
			t.Errorf("%s: %s, want %s, %v", opts, got, want, err)
		}
	}
}
