package render_test

import (
	"bytes"
	"context"
	stdcsv "encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/eslake/eslake/cli/render"
	"github.com/eslake/eslake/sql/row"
)

// result makes a reader of rows; each is a batch of its own.
func result(t testing.TB, s row.Schema, rows ...[]any) row.Reader {
	t.Helper()
	var batches []*row.Batch
	for _, r := range rows {
		b := row.NewBatch(s)
		if err := b.AppendRow(r...); err != nil {
			t.Fatal(err)
		}
		batches = append(batches, b)
	}
	return row.NewBatches(s, batches...)
}

func write(t *testing.T, f render.Format, o render.Options, r row.Reader) (string, render.Summary) {
	t.Helper()
	var out bytes.Buffer
	s, err := render.Write(context.Background(), &out, f, r, o)
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), s
}

var people = row.Schema{
	{Name: "id", Type: row.BigIntType},
	{Name: "user_name", Type: row.StringType},
	{Name: "tags", Type: row.ArrayType(row.StringType)},
	{Name: "ok", Type: row.BooleanType},
}

func rows(t testing.TB) row.Reader {
	t.Helper()
	return result(t, people,
		[]any{int64(9007199254740993), `O"Neil, Ana`, []any{"a|b", "ü\n"}, true},
		[]any{nil, nil, nil, nil},
		[]any{int64(-1), "", []any{}, false},
	)
}

func TestFormats(t *testing.T) {
	null := "<null>"
	tests := []struct {
		name   string
		format render.Format
		opts   render.Options
		want   string
	}{
		{name: "csv", format: render.CSV, want: `id,user_name,tags,ok
9007199254740993,"O""Neil, Ana","[""a|b"",""ü\n""]",true
,,,
-1,"",[],false
`},
		{name: "auto without a terminal is csv", format: render.Auto, opts: render.Options{NoHeader: true, Null: &null}, want: `9007199254740993,"O""Neil, Ana","[""a|b"",""ü\n""]",true
<null>,<null>,<null>,<null>
-1,"",[],false
`},
		{name: "tsv", format: render.TSV, want: "id\tuser_name\ttags\tok\n" +
			"9007199254740993\tO\"Neil, Ana\t[\"a|b\",\"ü\\\\n\"]\ttrue\n" +
			"\\N\t\\N\t\\N\t\\N\n-1\t\t[]\tfalse\n"},
		{name: "ndjson", format: render.NDJSON, want: `{"id":9007199254740993,"user_name":"O\"Neil, Ana","tags":["a|b","ü\n"],"ok":true}
{"id":null,"user_name":null,"tags":null,"ok":null}
{"id":-1,"user_name":"","tags":[],"ok":false}
`},
		{name: "json", format: render.JSON, want: `[
{"id":9007199254740993,"user_name":"O\"Neil, Ana","tags":["a|b","ü\n"],"ok":true},
{"id":null,"user_name":null,"tags":null,"ok":null},
{"id":-1,"user_name":"","tags":[],"ok":false}
]
`},
		{name: "vertical", format: render.Vertical, want: `-[ row 1 ]--------------
id        | 9007199254740993
user_name | O"Neil, Ana
tags      | ["a|b","ü\n"]
ok        | true
-[ row 2 ]--------------
id        | NULL
user_name | NULL
tags      | NULL
ok        | NULL
-[ row 3 ]--------------
id        | -1
user_name | 
tags      | []
ok        | false
`},
		{name: "raw", format: render.Raw, want: "9007199254740993\tO\"Neil, Ana\t[\"a|b\",\"ü\\n\"]\ttrue\n\t\t\t\n-1\t\t[]\tfalse\n"},
		{name: "markdown", format: render.Markdown, want: `| id | user_name | tags | ok |
| ---: | --- | --- | --- |
| 9007199254740993 | O"Neil, Ana | \["a\|b","ü\\n"\] | true |
| NULL | NULL | NULL | NULL |
| -1 |  | \[\] | false |
`},
		{name: "table", format: render.Table, want: `┌──────────────────┬─────────────┬───────────────┬───────┐
│               id │ user_name   │ tags          │ ok    │
├──────────────────┼─────────────┼───────────────┼───────┤
│ 9007199254740993 │ O"Neil, Ana │ ["a|b","ü\n"] │ true  │
│             NULL │ NULL        │ NULL          │ NULL  │
│               -1 │             │ []            │ false │
└──────────────────┴─────────────┴───────────────┴───────┘
`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, s := write(t, tt.format, tt.opts, rows(t))
			if got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
			if s.Rows != 3 {
				t.Errorf("rows = %d", s.Rows)
			}
		})
	}
}

func TestNoRows(t *testing.T) {
	tests := []struct {
		format render.Format
		want   string
	}{
		{render.CSV, "n\n"},
		{render.TSV, "n\n"},
		{render.JSON, "[]\n"},
		{render.NDJSON, ""},
		{render.Vertical, ""},
		{render.Markdown, "| n |\n| ---: |\n"},
		{render.Table, "┌───┐\n│ n │\n├───┤\n└───┘\n"},
	}
	for _, tt := range tests {
		got, _ := write(t, tt.format, render.Options{}, result(t, row.Schema{{Name: "n", Type: row.IntType}}))
		if got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.format, got, tt.want)
		}
	}
}

func TestCSVReadsBack(t *testing.T) {
	texts := []string{"", " ", "a", ",", `"`, "\n", "\r\n", "\t", `""`, "NULL", `\N`, "ü", "a\"b,c\nd", "'", "#", "-"}
	var given [][]any
	for _, text := range texts {
		given = append(given, []any{text, text})
	}
	s := row.Schema{{Name: "a,b", Type: row.StringType}, {Name: "", Type: row.StringType}}
	got, _ := write(t, render.CSV, render.Options{}, result(t, s, given...))
	records, err := stdcsv.NewReader(strings.NewReader(got)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if records[0][0] != "a,b" || records[0][1] != "" {
		t.Errorf("header = %q", records[0])
	}
	for i, text := range texts {
		want := strings.ReplaceAll(text, "\r\n", "\n") // as encoding/csv reads it
		if records[i+1][0] != want || records[i+1][1] != want {
			t.Errorf("%q came back as %q", text, records[i+1])
		}
	}
}

func TestNullTextIsToldFromTheSameText(t *testing.T) {
	null := "NA"
	got, _ := write(t, render.CSV, render.Options{Null: &null}, result(t, row.Schema{{Name: "s", Type: row.StringType}}, []any{"NA"}, []any{nil}, []any{""}))
	if want := "s\n\"NA\"\nNA\n\"\"\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestJSONNamesDiffer(t *testing.T) {
	s := row.Schema{{Name: "id", Type: row.IntType}, {Name: "id_2", Type: row.IntType}, {Name: "id", Type: row.IntType}, {Name: "id", Type: row.IntType}, {Name: "a\"b", Type: row.DoubleType}}
	got, _ := write(t, render.NDJSON, render.Options{}, result(t, s, []any{int64(1), int64(2), int64(3), int64(4), 1e20}))
	if want := `{"id":1,"id_2":2,"id_3":3,"id_4":4,"a\"b":1.0E20}` + "\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if !json.Valid([]byte(got)) {
		t.Errorf("not JSON: %s", got)
	}
}

func TestDataCannotDriveTheTerminal(t *testing.T) {
	evil := "a\x1b[31m\x07\r\n\t\u202e\u0085\xff\u2028b"
	want := `a\x1b[31m\x07\r\n\t\u202e\x85\xff\u2028b`
	for _, f := range []render.Format{render.Table, render.Vertical, render.Markdown} {
		got, _ := write(t, f, render.Options{Width: 200}, result(t, row.Schema{{Name: "n\x1b", Type: row.StringType}}, []any{evil}))
		if !strings.Contains(strings.ReplaceAll(strings.ReplaceAll(got, `\[`, "["), "<br>", `\r\n`), want) || strings.ContainsAny(got, "\x1b\x07\r") {
			t.Errorf("%s: got %q", f, got)
		}
	}
}

func TestWideCharactersKeepTheBoxStraight(t *testing.T) {
	s := row.Schema{{Name: "名前", Type: row.StringType}, {Name: "n", Type: row.IntType}}
	got, _ := write(t, render.Table, render.Options{Width: 80}, result(t, s, []any{"日本", int64(1)}, []any{"👨‍👩‍👧", int64(2)}, []any{"é", int64(3)}))
	want := `┌──────┬───┐
│ 名前 │ n │
├──────┼───┤
│ 日本 │ 1 │
│ 👨‍👩‍👧   │ 2 │
│ é    │ 3 │
└──────┴───┘
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestTableFitsTheTerminal(t *testing.T) {
	s := row.Schema{{Name: "id", Type: row.IntType}, {Name: "text", Type: row.StringType}}
	long := strings.Repeat("0123456789", 5)
	got, summary := write(t, render.Table, render.Options{Width: 30}, result(t, s, []any{int64(1), long}, []any{int64(2), "short"}))
	want := `┌────┬───────────────────────┐
│ id │ text                  │
├────┼───────────────────────┤
│  1 │ 012345678901234567890 │
│  2 │ short                 │
└────┴───────────────────────┘
`
	want = strings.Replace(want, "012345678901234567890 ", "01234567890123456789… ", 1)
	if got != want || summary.Shortened != 1 || summary.Hidden != 0 {
		t.Errorf("%+v\n%s\nwant\n%s", summary, got, want)
	}
}

func TestColumnsWithoutRoomAreCounted(t *testing.T) {
	var s row.Schema
	var values []any
	for i := range 10 {
		s = append(s, row.Field{Name: fmt.Sprintf("column_%d", i), Type: row.StringType})
		values = append(values, "a longer value")
	}
	got, summary := write(t, render.Table, render.Options{Width: 40}, result(t, s, values))
	if summary.Hidden != 6 || summary.Shortened != 4 {
		t.Errorf("%+v\n%s", summary, got)
	}
	got, summary = write(t, render.Auto, render.Options{Width: 40}, result(t, s, values))
	if !strings.HasPrefix(got, "-[ row 1 ]") || summary.Hidden != 0 || summary.Shortened != 0 {
		t.Errorf("auto: %+v\n%s", summary, got)
	}
}

func TestNothingIsCutWithoutATerminal(t *testing.T) {
	s := row.Schema{{Name: "text", Type: row.StringType}}
	var given [][]any
	for range 300 {
		given = append(given, []any{"x"})
	}
	long := strings.Repeat("long ", 100)
	got, summary := write(t, render.Table, render.Options{}, result(t, s, append(given, []any{long})...))
	if !strings.Contains(got, long) || summary.Shortened != 0 {
		t.Errorf("%+v", summary)
	}
}

func TestLaterLongValueIsCutAndCounted(t *testing.T) {
	s := row.Schema{{Name: "text", Type: row.StringType}}
	var given [][]any
	for range 300 {
		given = append(given, []any{"x"})
	}
	got, summary := write(t, render.Table, render.Options{Width: 80}, result(t, s, append(given, []any{"longer than all"})...))
	if !strings.Contains(got, "│ lon… │") || summary.Shortened != 1 {
		t.Errorf("%+v", summary)
	}
}

func TestMaxRows(t *testing.T) {
	tests := []struct {
		name string
		max  int64
		want render.Summary
	}{
		{"none", 0, render.Summary{Rows: 3}},
		{"fewer than there are", 2, render.Summary{Rows: 2, More: true}},
		{"as many as there are", 3, render.Summary{Rows: 3}},
		{"more than there are", 4, render.Summary{Rows: 3}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, f := range []render.Format{render.Table, render.Vertical} {
				if _, got := write(t, f, render.Options{MaxRows: tt.max}, rows(t)); got != tt.want {
					t.Errorf("%s: %+v, want %+v", f, got, tt.want)
				}
			}
			if _, got := write(t, render.CSV, render.Options{MaxRows: tt.max}, rows(t)); got.Rows != 3 {
				t.Errorf("csv stopped at %d", got.Rows)
			}
		})
	}
}

func TestColorOnlyWhenAsked(t *testing.T) {
	got, _ := write(t, render.Table, render.Options{Color: true}, rows(t))
	if !strings.Contains(got, "\x1b[2m            NULL\x1b[0m") {
		t.Errorf("%q", got)
	}
}

// failing yields one batch and then an error.
type failing struct {
	row.Reader
	err error
}

func (f *failing) Next(ctx context.Context) (*row.Batch, error) {
	b, err := f.Reader.Next(ctx)
	if errors.Is(err, io.EOF) {
		return nil, f.err
	}
	return b, err
}

func TestReaderFails(t *testing.T) {
	boom := errors.New("boom")
	for _, f := range render.Formats() {
		var out bytes.Buffer
		_, err := render.Write(context.Background(), &out, f, &failing{result(t, people), boom}, render.Options{})
		if !errors.Is(err, boom) || out.Len() != 0 {
			t.Errorf("%s, at once: %v, wrote %q", f, err, out.String())
		}
		s, err := render.Write(context.Background(), &out, f, &failing{rows(t), boom}, render.Options{})
		if !errors.Is(err, boom) || s.Rows != 3 {
			t.Errorf("%s, later: %v, %+v", f, err, s)
		}
	}
}

func TestClosedPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	r.Close()
	for _, f := range render.Formats() {
		if _, err := render.Write(context.Background(), w, f, rows(t), render.Options{}); !errors.Is(err, render.ErrClosed) {
			t.Errorf("%s: %v", f, err)
		}
	}
}

func TestFormatIsAFlagValue(t *testing.T) {
	var f render.Format
	if err := f.Set("NDJSON"); err != nil || f != render.NDJSON {
		t.Error(f, err)
	}
	if err := f.Set("pdf"); err == nil || !strings.Contains(err.Error(), `unknown format "pdf" (auto, table`) || f != render.NDJSON {
		t.Error(f, err)
	}
}

// many yields the same batch again and again.
type many struct {
	row.Reader
	batch *row.Batch
	left  int
}

func (m *many) Next(context.Context) (*row.Batch, error) {
	if m.left == 0 {
		return nil, io.EOF
	}
	m.left--
	return m.batch, nil
}

func BenchmarkWrite(b *testing.B) {
	var s row.Schema
	var values []any
	for i := range 30 {
		switch i % 5 {
		case 0:
			s, values = append(s, row.Field{Name: fmt.Sprintf("long_%d", i), Type: row.BigIntType}), append(values, int64(i)*123456789)
		case 1:
			s, values = append(s, row.Field{Name: fmt.Sprintf("double_%d", i), Type: row.DoubleType}), append(values, float64(i)*1.5)
		case 2:
			s, values = append(s, row.Field{Name: fmt.Sprintf("at_%d", i), Type: row.TimestampType}), append(values, "2024-05-01T10:11:12.5Z")
		case 3:
			s, values = append(s, row.Field{Name: fmt.Sprintf("flag_%d", i), Type: row.BooleanType}), append(values, nil)
		default:
			s, values = append(s, row.Field{Name: fmt.Sprintf("text_%d", i), Type: row.StringType}), append(values, "some text of a usual length")
		}
	}
	batch := row.NewBatch(s)
	for range 2048 {
		if err := batch.AppendRow(values...); err != nil {
			b.Fatal(err)
		}
	}
	for _, f := range render.Formats()[1:] {
		b.Run(string(f), func(b *testing.B) {
			b.ReportAllocs()
			count := &counter{}
			for b.Loop() {
				r := &many{Reader: row.NewBatches(s), batch: batch, left: 5}
				if _, err := render.Write(context.Background(), count, f, r, render.Options{}); err != nil {
					b.Fatal(err)
				}
			}
			b.SetBytes(count.n / int64(b.N))
			b.ReportMetric(float64(5*2048*b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

type counter struct{ n int64 }

func (c *counter) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	return len(p), nil
}
