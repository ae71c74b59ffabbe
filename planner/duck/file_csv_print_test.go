package duck

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/eslake/eslake/sql/row"
)

var printColumns = row.Schema{
	{Name: "s", Type: row.StringType},
	{Name: "n", Type: row.BigIntType},
	{Name: "i", Type: row.IntType},
	{Name: "k", Type: row.SmallIntType},
	{Name: "y", Type: row.TinyIntType},
	{Name: "x", Type: row.DoubleType},
	{Name: "f", Type: row.FloatType},
	{Name: "m", Type: row.DecimalType(8, 2)},
	{Name: "b", Type: row.BooleanType},
	{Name: "d", Type: row.DateType},
	{Name: "t", Type: row.TimestampType},
	{Name: "w", Type: row.TimestampNTZType},
	{Name: "r", Type: row.BinaryType},
	{Name: "_corrupt_record", Type: row.StringType},
}

// printTexts are fields as files have them, by a column that takes them.
var printTexts = map[string][]string{
	"s": {
		"plain", `"with, comma"`, `"two ""quotes"""`, "\"line\nbreak\"", "ü😀", "back\\slash", "\xff bad \xc3", `""`, "NULL", "tab\there", "\x01", "\u2028", "<&>",
		`"0123456789abcdef0123456789abcde""f, ""and more"`, "\"0123456789abcdef0123456789abcde\n\n\"", `"a backslash \" and two \\"`, `"open`, `"behind" it`, `half "quoted"`, "0123456789abcdef0123456789abcdefé", "\"\r\n\"", "a\rb",
	},
	"n": {"0", "17", "-17", "+5", "007", "-0", "9223372036854775807", "9223372036854775808", "2147483648", "128", "1e3"},
	"x": {"0.5", "-0.5", "1.50", "5", "1e10", "0.0001", "12345678.25", "1.123456789012345678", "NaN", "Inf", "-Inf", "1.5d", "1,5"},
	"b": {"true", "false", "TRUE", "yes"},
	"d": {"2024-02-29", "2023-02-29", "2024-2-9", "0999-12-31", "2024-02-29T10:00:00", "31.12.2024"},
	"t": {"2024-02-29T10:11:12Z", "2024-02-29T10:11:12.120Z", "2024-02-29 10:11:12", "2024-02-29T10:11:12.123456Z", "2024-02-29T25:00:00Z", "2024-02-29T10:11:12+02:00", "2024-02-29"},
}

// printText draws a text as a file has it, in quotes or not.
func printText(t *rapid.T, opts map[string]string) string {
	pieces := []string{"a", "seven b", "0123456789abcdef", "0123456789abcdef0123456789abcdef", "ü", "日本", `\`, "\t", "17"}
	quoted := rapid.Bool().Draw(t, "quoted")
	if quoted {
		pieces = append(pieces, "\n", "\r\n", opts["sep"][:1], opts["escape"]+`"`, opts["escape"]+`"`, opts["escape"]+opts["escape"], "\x01", "\xff")
	}
	var b strings.Builder
	for range rapid.IntRange(0, 6).Draw(t, "pieces") {
		b.WriteString(rapid.SampledFrom(pieces).Draw(t, "piece"))
	}
	if text := b.String(); quoted {
		return `"` + text + `"`
	} else if opts["sep"] == "\\t" {
		return strings.ReplaceAll(text, "\t", " ")
	} else {
		return text
	}
}

// printField draws a field that its column mostly takes; when it is likely, almost
// always.
func printField(t *rapid.T, typ row.Type, opts map[string]string, likely bool) string {
	group := "s"
	switch {
	case typ.Integral():
		group = "n"
	case typ.Kind == row.Double || typ.Kind == row.Float || typ.Kind == row.Decimal:
		group = "x"
	case typ.Kind == row.Boolean:
		group = "b"
	case typ.Kind == row.Date:
		group = "d"
	case typ.Kind == row.Timestamp || typ.Kind == row.TimestampNTZ:
		group = "t"
	}
	odd := rapid.IntRange(0, 9).Draw(t, "odd")
	if likely && odd == 1 && rapid.IntRange(0, 9).Draw(t, "odder") > 0 {
		odd = 2
	}
	if likely && group == "s" && odd > 0 {
		return printText(t, opts)
	}
	switch odd {
	case 0:
		return ""
	case 1:
		group = rapid.SampledFrom([]string{"s", "n", "x", "b", "d", "t"}).Draw(t, "group")
	case 2, 3, 4, 5:
		return printTexts[group][rapid.IntRange(0, 1).Draw(t, "usual")]
	}
	if likely {
		return printTexts[group][rapid.IntRange(0, 1).Draw(t, "usual")]
	}
	return rapid.SampledFrom(printTexts[group]).Draw(t, "field")
}

// printLines draws lines of some of the columns: as those of a bulk request, which
// do not take NaN, or as NDJSON.
func printLines(t *rapid.T) *row.Lines {
	finite := func(dst []byte, c *row.Column, i int) ([]byte, error) {
		if k := c.Type.Kind; (k == row.Double || k == row.Float) && (math.IsNaN(c.Floats[i]) || math.IsInf(c.Floats[i], 0)) {
			return append(dst, "half"...), errors.New("no number")
		}
		return row.AppendJSON(dst, c, i), nil
	}
	quote := func(dst []byte, c *row.Column, i int) ([]byte, error) {
		return append(row.AppendText(append(dst, '<'), c, i), '>'), nil
	}
	l := &row.Lines{JSON: true, Null: []byte("null"), Close: []byte("}\n"), Text: row.AppendQuoted[[]byte], Omit: rapid.Bool().Draw(t, "omit")}
	for range rapid.IntRange(0, 20).Draw(t, "places") {
		at := rapid.IntRange(0, len(printColumns)-2).Draw(t, "column")
		l.Columns, l.Open = append(l.Columns, at), append(l.Open, fmt.Appendf(nil, ",%q:", printColumns[at].Name))
		l.Values = append(l.Values, rapid.SampledFrom([]row.PlaceValue{{Append: finite, Copied: true}, {Append: finite, Copied: true}, {Append: quote}, {}}).Draw(t, "value"))
	}
	if rapid.IntRange(0, 3).Draw(t, "plain") == 0 {
		l.Values = nil
	}
	return l
}

// Whatever a file holds, its rows as text are those that its values make, and what
// cannot be read is the same error after the same rows.
func TestCSVPrintsWhatItReads(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.csv")
	printed, alone, failed, quick := 0, 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		columns := printColumns[:len(printColumns)-rapid.SampledFrom([]int{1, 1, 1, 0}).Draw(t, "corrupt")]
		opts := map[string]string{"escape": `"`, "mode": rapid.SampledFrom([]string{"PERMISSIVE", "FAILFAST", "DROPMALFORMED"}).Draw(t, "mode")}
		for _, o := range [][2]string{{"nullValue", "17"}, {"emptyValue", "leer"}, {"dateFormat", "dd.MM.yyyy"}, {"timestampFormat", "yyyy-MM-dd HH:mm:ss"}, {"timeZone", "Europe/Berlin"}, {"nanValue", "0.5"}} {
			if rapid.IntRange(0, 5).Draw(t, o[0]) == 0 {
				opts[o[0]] = o[1]
			}
		}
		if rapid.Bool().Draw(t, "backslash") {
			opts["escape"] = `\`
		}
		opts["sep"] = rapid.SampledFrom([]string{",", ",", ";", "\\t"}).Draw(t, "sep")
		end := rapid.SampledFrom([]string{"\n", "\n", "\r\n", "\r"}).Draw(t, "end")
		var text strings.Builder
		likely := rapid.IntRange(0, 2).Draw(t, "likely") > 0
		for range rapid.IntRange(0, 30).Draw(t, "records") {
			var fields []string
			for _, c := range printColumns[:len(printColumns)-1] {
				fields = append(fields, printField(t, c.Type, opts, likely))
			}
			if !likely && rapid.IntRange(0, 9).Draw(t, "cut") == 0 {
				fields = fields[:rapid.IntRange(1, len(fields)).Draw(t, "fields")]
			}
			text.WriteString(strings.Join(fields, unescapeChar(opts["sep"])) + end)
		}
		if err := os.WriteFile(path, []byte(strings.Repeat(text.String(), rapid.SampledFrom([]int{1, 4, 40}).Draw(t, "times"))), 0o600); err != nil {
			t.Fatal(err)
		}
		lines := printLines(t)
		want, wantErr := readLines(t, path, opts, columns, func(r row.Reader) (row.Printed, error) {
			b, err := r.Next(context.Background())
			return row.Printed{Batch: b}, err
		}, lines)
		got, err := readLines(t, path, opts, columns, func(r row.Reader) (row.Printed, error) {
			p, err := row.Print(context.Background(), r, lines)
			if c := r.(*csvReader); c.prints != nil && c.prints.quick != nil && c.prints.quick.Step > 0 {
				quick++
			}
			if printed += p.Rows; p.Rows != bytes.Count(p.Text, []byte("}\n")) {
				t.Fatalf("%d rows in %q", p.Rows, p.Text)
			}
			if p.Batch != nil {
				alone += p.Batch.Len
			}
			return p, err
		}, lines)
		if fmt.Sprint(err) != fmt.Sprint(wantErr) || got != want {
			t.Fatalf("%v\n%s\ngot  %v\n%s\nwant %v\n%s", opts, text.String(), err, got, wantErr, want)
		}
		if !row.Ended(err) {
			failed++
		}
	})
	if printed == 0 || alone == 0 || failed == 0 || quick == 0 {
		t.Errorf("%d rows came as text, %d as values, %d reads failed, the quick way was gone %d times", printed, alone, failed, quick)
	}
}

// readLines reads a file to its end or its first error. A row that is no line is
// one that says so.
func readLines(t *rapid.T, path string, opts map[string]string, columns row.Schema, next func(row.Reader) (row.Printed, error), lines *row.Lines) (string, error) {
	r, err := OpenFile("csv", path, opts, columns)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var out []byte
	for {
		p, err := next(r)
		if err != nil {
			return string(out), err
		}
		out = append(out, p.Text...)
		for i := 0; p.Batch != nil && i < p.Batch.Len; i++ {
			line, err := lines.Line(nil, p.Batch, i)
			if err != nil {
				line = []byte("no line }\n")
			}
			out = append(out, line...)
		}
	}
}
