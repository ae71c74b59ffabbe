package duck_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/eslake/eslake/planner/duck"
	"github.com/eslake/eslake/sql"
	"github.com/eslake/eslake/sql/row"
)

// fileCase is a file, how it is read, and what real Spark 3.5.6 answers (mode
// PERMISSIVE unless the case says otherwise).
type fileCase struct {
	Text, Latin1, Format, Columns, Schema string
	Folder                                map[string]string
	Options                               map[string]string
	Rows                                  [][]any
	Error                                 bool
}

// differs are the texts that eslake reads otherwise, with the reason.
var differs = map[string]string{
	"a,\"\",x\n1,,y\n\"\",\"\" ,\n": `"" is an empty string where Spark makes it NULL, so that what was written is read`,
	"a,b\n1,\n2,\"\"\n":             `"" is an empty string where Spark makes it NULL`,
	"a,b\n1,\"x\ny\"\n2,z\n":        "a value between quotes may span lines without multiLine too",
	"{\"a\":\n1}\n{\"a\":2}":        "all values of a file are read, Spark reads the first",
	"{\"a\":1}\n{\"a\":\"1.5\"}\n{\"a\":\"NaN\"}\n{\"a\":NaN}\n{\"a\":\"Infinity\"}\n{\"a\":true}\n": "NaN without quotes is not JSON",
}

func TestFilesAsSpark(t *testing.T) {
	file, err := os.Open("testdata/files.golden.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	e := engine(t)
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		var c fileCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		t.Run(fmt.Sprintf("line %d", n), func(t *testing.T) {
			if why := differs[c.Text]; why != "" && c.Options["multiLine"] == "" || strings.HasPrefix(c.Text, "{\"a\":\n") {
				t.Skip(why)
			}
			if c.Folder != nil && c.Folder["1.csv"] == "" {
				t.Skip("folders by the value of a column are not read")
			}
			got := readCase(t, e, c)
			if c.Error {
				if !strings.HasPrefix(got, "error") && !strings.Contains(got, "<nil>") {
					t.Errorf("%q with %v reads as\n%s, Spark refuses it", c.Text, c.Options, got)
				}
				return
			}
			want := strings.TrimSpace(c.Schema + "\n" + rowsText(c.Rows))
			if got != want {
				t.Errorf("%q as %s with %v reads as\n%s\nSpark:\n%s", c.Text, c.Columns, c.Options, got, want)
			}
		})
	}
}

func rowsText(rows [][]any) string {
	lines := make([]string, len(rows))
	for i, r := range rows {
		lines[i] = fmt.Sprintf("%q", r)
	}
	return strings.Join(lines, "\n")
}

func readCase(t *testing.T, e *duck.Engine, c fileCase) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "in."+c.Format)
	data := []byte(c.Text)
	for _, r := range c.Latin1 {
		data = append(data, byte(r))
	}
	if c.Folder != nil {
		for name, text := range c.Folder {
			file := filepath.Join(path, name)
			must(t, os.MkdirAll(filepath.Dir(file), 0o700))
			must(t, os.WriteFile(file, []byte(text), 0o600))
		}
	} else if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	opts := map[string]string{"mode": "PERMISSIVE"}
	for k, v := range c.Options {
		opts[k] = v
	}
	var schema row.Schema
	head := ""
	if c.Columns != "" {
		typ, err := sql.ParseType("STRUCT<" + strings.ReplaceAll(strings.ReplaceAll(c.Columns, ", ", ","), " ", ": ") + ">")
		if err != nil {
			t.Fatal(err)
		}
		schema = typ.Fields
	} else {
		var err error
		if schema, err = e.FileSchema(t.Context(), c.Format, path, opts); err != nil {
			return "error: " + err.Error()
		}
		head = row.StructType(schema...).String()
		if len(schema) == 0 {
			return head
		}
	}
	rows, err := readFile(t, e, c.Format, path, opts, schema)
	if err != nil {
		return "error: " + err.Error()
	}
	if c.Folder != nil {
		slices.Reverse(rows) // Spark takes the larger file first, then any
	}
	for _, r := range rows {
		for i, v := range r {
			r[i] = asPython(v, schema[i].Type)
		}
	}
	return strings.TrimSpace(head + "\n" + rowsText(rows))
}

func readFile(t testing.TB, e *duck.Engine, format, path string, opts map[string]string, schema row.Schema) ([][]any, error) {
	t.Helper()
	text, err := duck.FileSQL(format, path, opts, schema)
	if err != nil {
		return nil, err
	}
	r, err := e.Query(t.Context(), "SELECT * FROM "+text, schema)
	if err != nil {
		return nil, err
	}
	return row.ReadAll(t.Context(), r)
}

// asPython prints a value as the golden answers have it.
func asPython(v any, t row.Type) any {
	if v == nil {
		return nil
	}
	switch t.Kind {
	case row.Boolean:
		return map[bool]string{true: "True", false: "False"}[v.(bool)]
	case row.Float, row.Double:
		f := v.(float64)
		switch {
		case math.IsNaN(f):
			return "nan"
		case math.IsInf(f, 0):
			return strings.TrimPrefix(strings.ToLower(strconv.FormatFloat(f, 'g', -1, 64)), "+")
		}
		text := strconv.FormatFloat(f, 'f', -1, 64)
		if !strings.Contains(text, ".") {
			text += ".0"
		}
		return text
	case row.Timestamp:
		text := strings.TrimSuffix(strings.Replace(v.(string), "T", " ", 1), "Z")
		if at := strings.IndexByte(text, '.'); at > 0 {
			text += strings.Repeat("0", 6-(len(text)-at-1))
		}
		return text
	case row.Binary:
		return fmt.Sprintf("bytearray(b'\\x%02x\\x%02x\\x%02x')", v.([]byte)[0], v.([]byte)[1], v.([]byte)[2])
	case row.Struct:
		parts := []string{}
		for _, f := range t.Fields {
			parts = append(parts, f.Name+"="+inPython(v.(map[string]any)[f.Name], f.Type))
		}
		return "Row(" + strings.Join(parts, ", ") + ")"
	case row.Array:
		parts := []string{}
		for _, x := range v.([]any) {
			parts = append(parts, inPython(x, *t.Elem))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case row.Map:
		parts := []string{}
		for k, x := range v.(map[string]any) {
			parts = append(parts, "'"+k+"': "+inPython(x, *t.Elem))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return fmt.Sprint(v)
}

func inPython(v any, t row.Type) string {
	switch {
	case v == nil:
		return "None"
	case t.Kind == row.String:
		return "'" + v.(string) + "'"
	}
	return fmt.Sprint(asPython(v, t))
}

func schemaOf(t testing.TB, columns string) row.Schema {
	t.Helper()
	typ, err := sql.ParseType("STRUCT<" + columns + ">")
	if err != nil {
		t.Fatal(err)
	}
	return typ.Fields
}

// TestFileErrors reads as eslake does unless a mode is given: what cannot be
// read is an error that says where.
func TestFileErrors(t *testing.T) {
	e := engine(t)
	tests := []struct {
		name, format, text, columns string
		opts                        map[string]string
		want                        string // without the path
	}{
		{"a value", "csv", "a,b\n1,2\n\n# c\nx,\"y\nz\"\n3,oops\n", "a: STRING, b: INT", map[string]string{"header": "true", "comment": "#"}, `, line 5, column b: "y\nz": not a value of type int`},
		{"a value further down", "csv", "1,\"a\nb\"\n2,\n\n3,x\nno,z\n", "a: INT, b: STRING", nil, `, line 6, column a: "no": not a value of type int`},
		{"out of range", "csv", "1\n300\n", "a: TINYINT", nil, `, line 2, column a: "300": out of range for tinyint`},
		{"too few", "csv", "1,2\n3\n", "a: INT, b: INT", nil, `, line 2: "3": 2 columns are expected, the line has 1`},
		{"too many", "csv", "1,2\r\n3,4,5\r\n", "a: INT, b: INT", nil, `, line 2: "3,4,5": 2 columns are expected, the line has 3`},
		{"an open quote", "csv", "1,2\n3,\"4\n5,6\n", "a: INT, b: STRING", nil, `, line 2: "\"4\n5,6\n": the quote is not closed before the end of the file`},
		{"a type", "csv", "1\n", "a: ARRAY<INT>", nil, `, column a: csv does not hold values of type array<int>`},
		{"a torn line", "json", "{\"a\":1}\n\n{\"a\":\n", "a: INT", nil, `, line 3: "{\"a\":": not JSON: the text ends within a value`},
		{"a number", "json", "{\"a\":1}\n{\"a\":1.5}\n", "a: INT", nil, `, line 2, column a: "1.5": not a value of type int`},
		{"nested", "json", "{\"a\":{\"b\":[1,\"x\"]}}\n", "a: STRUCT<b: ARRAY<INT>>", nil, `, line 1, column a: "{\"b\":[1,\"x\"]}": not a value of type int`},
		{"no object", "json", "{\"a\":1}\n5\n", "a: INT", nil, `, line 2: "5": an object is expected`},
		{"over lines", "json", "[{\"a\":\n1},\n{\"a\":\nx}]", "a: INT", map[string]string{"multiLine": "true"}, `, line 4: not JSON: invalid character 'x' at start of value`},
		{"an encoding", "csv", "1\n", "a: INT", map[string]string{"encoding": "KOI8-R"}, `: the encoding KOI8-R is not supported: UTF-8, ISO-8859-1, UTF-16LE and UTF-16BE are`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "in")
			must(t, os.WriteFile(path, []byte(tt.text), 0o600))
			_, err := readFile(t, e, tt.format, path, tt.opts, schemaOf(t, tt.columns))
			var where *duck.FileError
			if !errors.As(err, &where) || err.Error() != path+tt.want {
				t.Errorf("error = %v\nwant %s", err, path+tt.want)
			}
		})
	}
	for _, format := range []string{"csv", "json", "parquet"} {
		_, err := readFile(t, e, format, "/no/such/file", nil, schemaOf(t, "a: INT"))
		if err == nil || err.Error() != "/no/such/file: there is no such file" {
			t.Errorf("%s: error = %v", format, err)
		}
		if _, err := e.FileSchema(t.Context(), format, "/no/such*", nil); err == nil || err.Error() != "/no/such*: there is no such file" {
			t.Errorf("%s: error = %v", format, err)
		}
	}
}

func TestFileModes(t *testing.T) {
	e := engine(t)
	path := filepath.Join(t.TempDir(), "in.csv")
	must(t, os.WriteFile(path, []byte("1,2\n3\n4,5,6\nx,8\n9,10\n"), 0o600))
	for mode, want := range map[string]string{"PERMISSIVE": "[[1 2] [3 <nil>] [4 5] [<nil> 8] [9 10]]", "DROPMALFORMED": "[[1 2] [9 10]]"} {
		rows, err := readFile(t, e, "csv", path, map[string]string{"mode": mode}, schemaOf(t, "a: INT, b: INT"))
		if got := fmt.Sprint(rows); got != want || err != nil {
			t.Errorf("%s: %s, %v, want %s", mode, got, err, want)
		}
	}
}

func TestFilePatterns(t *testing.T) {
	e := engine(t)
	tests := []struct{ typ, option, pattern, text, want string }{
		{"DATE", "dateFormat", "dd/MM/yyyy", "31/12/2020", "2020-12-31"},
		{"DATE", "dateFormat", "d.M.yy", "1.2.21", "2021-02-01"},
		{"DATE", "dateFormat", "MMM d, yyyy", "Feb 29, 2020", "2020-02-29"},
		{"DATE", "dateFormat", "dd/MM/yyyy", "1/2/2020", ""},
		{"DATE", "dateFormat", "dd/MM/yyyy", "30/02/2020", ""},
		{"DATE", "dateFormat", "yyyyMMdd", "20200131", "2020-01-31"},
		{"TIMESTAMP", "timestampFormat", "yyyy-MM-dd'T'HH:mm:ss.SSSXXX", "2020-01-02T03:04:05.678+02:00", "2020-01-02T01:04:05.678Z"},
		{"TIMESTAMP", "timestampFormat", "MM/dd/yyyy hh:mm a", "12/31/2020 12:30 AM", "2020-12-31T00:30:00Z"},
		{"TIMESTAMP", "timestampFormat", "yyyy-MM-dd HH:mm[:ss]", "2020-01-02 03:04", "2020-01-02T03:04:00Z"},
		{"TIMESTAMP", "timestampFormat", "yyyy-MM-dd HH:mm[:ss]", "2020-01-02 03:04:05", "2020-01-02T03:04:05Z"},
		{"TIMESTAMP", "timestampFormat", "yyyy-MM-dd HH:mm z", "2020-07-02 03:04 Europe/Rome", "2020-07-02T01:04:00Z"},
		{"TIMESTAMP", "", "", "2020-07-02 03:04:05 Europe/Rome", "2020-07-02T01:04:05Z"},
		{"TIMESTAMP", "", "", "2020-07-02T3:4:5.1-0130", "2020-07-02T04:34:05.1Z"},
		{"TIMESTAMP", "", "", "-0044-03-15 12:00:00", "-0044-03-15T12:00:00Z"},
		{"TIMESTAMP", "", "", "2020-07-02 24:00:00", ""},
		{"DATE", "", "", "2021-02-29", ""},
	}
	for _, tt := range tests {
		t.Run(tt.pattern+" "+tt.text, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "in.csv")
			must(t, os.WriteFile(path, []byte(tt.text+"\n"), 0o600))
			rows, err := readFile(t, e, "csv", path, map[string]string{tt.option: tt.pattern, "sep": "|"}, schemaOf(t, "a: "+tt.typ))
			got := ""
			if err == nil {
				got = fmt.Sprint(rows[0][0])
			}
			if got != tt.want {
				t.Errorf("got %q, %v, want %q", got, err, tt.want)
			}
		})
	}
}

func TestFilesCompressedAndMany(t *testing.T) {
	e := engine(t)
	dir := t.TempDir()
	var text strings.Builder
	for i := range 100000 {
		fmt.Fprintf(&text, "%d,\"line %d\nof two\"\n", i, i)
	}
	make := func(name string, wrap func(io.Writer) io.WriteCloser) {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		w := wrap(f)
		_, err = io.WriteString(w, text.String())
		must(t, err)
		if err := errors.Join(w.Close(), f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	make("a.csv.gz", func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })
	make("b.csv.zst", func(w io.Writer) io.WriteCloser {
		z, _ := zstd.NewWriter(w)
		return z
	})
	make("c.csv", func(w io.Writer) io.WriteCloser { return nopCloser{w} })
	must(t, os.WriteFile(filepath.Join(dir, "_SUCCESS"), nil, 0o600))
	for _, path := range []string{dir, filepath.Join(dir, "*.csv*"), "file://" + dir} {
		sql, err := duck.FileSQL("csv", path, nil, schemaOf(t, "n: BIGINT, s: STRING"))
		if err != nil {
			t.Fatal(err)
		}
		if got := query(t, e, "SELECT count(*), sum(n)::BIGINT, count(DISTINCT s) FROM "+sql); got != "[[300000 14999850000 100000]]" {
			t.Errorf("%s: %s", path, got)
		}
		if got := query(t, e, "SELECT count(*) FROM "+sql); got != "[[300000]]" {
			t.Errorf("%s: %s", path, got)
		}
	}
	half, _ := os.ReadFile(filepath.Join(dir, "a.csv.gz"))
	torn := filepath.Join(dir, "torn.csv.gz")
	must(t, os.WriteFile(torn, half[:len(half)/2], 0o600))
	if _, err := readFile(t, e, "csv", torn, map[string]string{"mode": "DROPMALFORMED"}, schemaOf(t, "n: BIGINT, s: STRING")); err == nil || !strings.Contains(err.Error(), "unexpected EOF") {
		t.Errorf("error = %v", err)
	}
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

func TestParquet(t *testing.T) {
	e := engine(t)
	path := filepath.Join(t.TempDir(), "x.parquet")
	query(t, e, "COPY (SELECT 1 AS a, 'x' AS s, [1.5] AS l) TO '"+path+"' (FORMAT parquet)")
	s, err := e.FileSchema(t.Context(), "parquet", path, nil)
	if err != nil || row.StructType(s...).String() != "struct<a:int,s:string,l:array<decimal(2,1)>>" {
		t.Errorf("schema = %v, %v", s, err)
	}
	rows, err := readFile(t, e, "parquet", path, nil, s)
	if got := fmt.Sprint(rows); got != "[[1 x [1.5]]]" || err != nil {
		t.Errorf("rows = %s, %v", got, err)
	}
	must(t, os.WriteFile(path, []byte("no parquet"), 0o600))
	if _, err := e.FileSchema(t.Context(), "parquet", path, nil); err == nil || !strings.HasPrefix(err.Error(), path+": ") {
		t.Errorf("error = %v", err)
	}
}
