package elastic

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

// otherMapping has the fields of walkMapping, and wants other texts of them.
const otherMapping = `{"properties":{"N":{"type":"long"},"k":{"type":"geo_point"},"t":{"type":"keyword"},"x":{"type":"float"},
	"b":{"type":"keyword"},"d":{"type":"date","format":"epoch_millis"},"day":{"type":"date","format":"dd.MM.yyyy"},"ns":{"type":"long"},"sec":{"type":"date","format":"epoch_second||strict_date_optional_time"},
	"list":{"type":"date","format":"epoch_second"}}}`

// Rows that come as text become the very lines that their values become, or are
// rejected with the same words and the same document.
func TestTextBecomesTheSameLines(t *testing.T) {
	copied, rejected := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		from := rapid.IntRange(0, len(walkColumns)-1).Draw(t, "from")
		columns := walkColumns[from : from+rapid.IntRange(1, len(walkColumns)-from).Draw(t, "columns")]
		enc := drawnEncoder(t, columns)
		text := enc.textual()
		if text == nil {
			t.Fatal("documents with ids of text or whole numbers are not made of text")
		}
		p := planOf(t, walkMapping, columns)
		p.lenient = true
		printer, oracle := p.rows().printer(text.lines), p.rows()
		var got, want batch
		for i := range rapid.IntRange(20, 100).Draw(t, "documents") {
			hit := fmt.Appendf(nil, `{"_index":"idx","_id":"%d\"","_score":null,"_source":%s,"sort":[%d]},`, i, walkDocument(t), i)
			values := row.NewBatch(columns)
			if oracle.appendHit(values, hit[:len(hit)-1]) != nil {
				return // an error ends a read
			}
			wantErr := encodeOne(&want, i, func(it *item) error { return enc.encode(context.Background(), &want, it, values, 0) })
			line, _, _, err := printer.append(nil, bytes.Clone(hit), 0)
			if err != nil || bytes.Count(line, []byte("\n")) != 1 || line[len(line)-1] != '\n' {
				t.Fatalf("%s\nis not one line: %q, %v", hit, line, err)
			}
			copied++
			err = encodeOne(&got, i, func(it *item) error { return text.encode(&got, it, line) })
			if fmt.Sprint(err) != fmt.Sprint(wantErr) || !bytes.Equal(got.buf, want.buf) || !bytes.Equal(got.ids, want.ids) || got.items[i] != want.items[i] {
				t.Fatalf("%s\ngot  %s %q %+v %v\nwant %s %q %+v %v", hit, tail(&got), got.ids, got.items[i], err, tail(&want), want.ids, want.items[i], wantErr)
			}
			if err != nil {
				rejected++
			}
		}
	})
	if copied == 0 || rejected == 0 {
		t.Errorf("%d rows came as text, %d were rejected", copied, rejected)
	}
}

// drawnEncoder writes columns into an index of the same mapping, of another, or of
// one that nobody knows.
func drawnEncoder(t *rapid.T, columns row.Schema) *encoder {
	w := esds.Write{Index: "idx", IDPrefix: "job-"}
	for _, c := range columns {
		if (c.Type.Kind == row.String || c.Type.Integral()) && rapid.IntRange(0, 2).Draw(t, "id") == 0 {
			w.ID = c.Name
		}
	}
	raw := map[string]string{}
	for _, o := range []struct{ key, value string }{
		{"es.spark.dataframe.write.null", "true"},
		{"es.mapping.exclude", rapid.SampledFrom([]string{"n", "k", "d,x", "*"}).Draw(t, "exclude")},
		{"es.write.operation", "create"},
	} {
		if rapid.IntRange(0, 3).Draw(t, o.key) == 0 {
			raw[o.key] = o.value
		}
	}
	opts, _, err := esds.ParseOptions(raw)
	if err != nil {
		t.Fatal(err)
	}
	w.Options, w.Action = opts, esds.Action(opts.String("es.write.operation"))
	defaultAction(&w)
	var fields []esds.Field
	if mapping := rapid.SampledFrom([]string{"", walkMapping, otherMapping}).Draw(t, "mapping"); mapping != "" {
		if fields, err = esds.ParseMapping([]byte(mapping)); err != nil {
			t.Fatal(err)
		}
	}
	enc, err := newEncoder(w, columns, fields)
	if err != nil {
		t.Fatal(err)
	}
	return enc
}

// encodeOne is writer.add without what is about batches.
func encodeOne(to *batch, i int, encode func(it *item) error) error {
	to.items = append(to.items, item{row: int64(i) + 1, start: len(to.buf), idStart: len(to.ids)})
	it := &to.items[i]
	err := encode(it)
	it.end, it.idEnd = len(to.buf), len(to.ids)
	return err
}

// tail returns the lines of the last row.
func tail(b *batch) []byte { return b.buf[b.items[len(b.items)-1].start:] }

// Rows of which more is to be said than an id and a document come as values.
func TestTextIsNotForAll(t *testing.T) {
	columns := row.Schema{{Name: "id", Type: row.StringType}, {Name: "at", Type: row.TimestampType}, {Name: "n", Type: row.BigIntType}}
	tests := []struct {
		id      string
		action  esds.Action
		options map[string]string
		text    bool
	}{
		{"id", esds.IndexDoc, nil, true},
		{"n", esds.CreateDoc, nil, true},
		{"", esds.CreateDoc, nil, true},
		{"at", esds.IndexDoc, nil, false},
		{"<same>", esds.IndexDoc, nil, false},
		{"id", esds.UpdateDoc, nil, false},
		{"id", esds.UpsertDoc, nil, false},
		{"id", esds.DeleteDoc, nil, false},
		{"id", esds.IndexDoc, map[string]string{"es.mapping.routing": "n"}, false},
		{"id", esds.IndexDoc, map[string]string{"es.mapping.version": "n"}, false},
	}
	for _, tt := range tests {
		opts, _, err := esds.ParseOptions(tt.options)
		if err != nil {
			t.Fatal(err)
		}
		enc, err := newEncoder(esds.Write{Index: "idx", ID: tt.id, IDPrefix: "job-", Action: tt.action, Options: opts}, columns, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := enc.textual() != nil; got != tt.text {
			t.Errorf("id %q, %s, %v: text is taken = %t", tt.id, tt.action, tt.options, got)
		}
	}
}

// An id that cannot be is a reject whose document is the row's.
func TestTextWithoutID(t *testing.T) {
	columns := row.Schema{{Name: "a", Type: row.IntType}, {Name: "id", Type: row.StringType}}
	enc, err := newEncoder(esds.Write{Index: "idx", ID: "id"}, columns, nil)
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{",\"a\":1}\n": "the id is NULL", "\"\",\"a\":1,\"id\":\"\"}\n": "the id is empty", "}\n": "the id is NULL"} {
		var b batch
		err := encodeOne(&b, 0, func(it *item) error { return enc.textual().encode(&b, it, []byte(line)) })
		if row := (errRow{}); !errors.As(err, &row) || row.reason != want || b.items[0].idEnd > 0 || !bytes.HasPrefix(b.buf, []byte("{")) {
			t.Errorf("%q: %v, %s", line, err, b.buf)
		}
	}
}

// A row that is no line comes as a batch, between the lines around it.
func TestRowThatIsNoLine(t *testing.T) {
	columns := row.Schema{{Name: "n", Type: row.BigIntType}}
	refuse := func(dst []byte, c *row.Column, i int) ([]byte, error) {
		if c.Ints[i] == 2 {
			return append(dst, "rest"...), errNotFinite
		}
		return row.AppendJSON(dst, c, i), nil
	}
	lines := &row.Lines{Columns: []int{0}, Open: [][]byte{nil}, Close: []byte("\n"), JSON: true, Values: []row.PlaceValue{{Append: refuse}}}
	var page page
	for i := range 4 {
		page.hits = append(page.hits, fmt.Appendf(nil, `{"_id":"1","_source":{"n":%d}}`, i))
	}
	out := make(chan row.Printed, 9)
	s := &scan{plan: planOf(t, walkMapping, columns), out: out}
	if err := s.print(context.Background(), s.plan.rows().printer(lines), &hits{page: &page}); err != nil {
		t.Fatal(err)
	}
	close(out)
	got := ""
	for p := range out {
		if got += string(p.Text); p.Batch != nil {
			got += fmt.Sprintf("batch of %d with %d\n", p.Batch.Len, p.Batch.Columns[0].Ints[0])
		}
	}
	if want := "0\n1\nbatch of 1 with 2\n3\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
