package elastic_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/esds/esdstest"
	"github.com/eslake/eslake/sql/row"
)

// asText gives every other batch as lines, when all of its rows are some.
type asText struct {
	row.Reader
	calls, rows int // of rows that went as text
}

func (r *asText) Print(ctx context.Context, l *row.Lines) (row.Printed, error) {
	b, err := r.Next(ctx)
	if r.calls++; err != nil || r.calls%2 == 0 {
		return row.Printed{Batch: b}, err
	}
	var text []byte
	for i := range b.Len {
		if text, err = l.Line(text, b, i); err != nil {
			return row.Printed{Batch: b}, nil //nolint:nilerr // as Printer has it
		}
	}
	r.rows += b.Len
	return row.Printed{Text: text, Rows: b.Len}, nil
}

// Rows that come as text are counted, left out before From, rejected and kept as
// those that come as values.
func TestWriteOfText(t *testing.T) {
	for _, id := range []string{"id", "n", ""} {
		for _, from := range []int64{0, 1, 6, 9} {
			t.Run(fmt.Sprintf("id %q from %d", id, from), func(t *testing.T) {
				var told []string
				for _, text := range []bool{false, true} {
					try(t, esdstest.New(t, esdstest.Elasticsearch8).URL, func(p *place) { told = append(told, p.writeText(id, from, text)) })
				}
				if told[0] != told[1] {
					t.Errorf("as values\n%s\nas text\n%s", told[0], told[1])
				}
			})
		}
	}
}

// writeText writes some odd rows and returns what is told of them.
func (p *place) writeText(id string, from int64, text bool) string {
	s := row.Schema{{Name: "x", Type: row.DoubleType}, {Name: "id", Type: row.StringType}, {Name: "k", Type: row.StringType}, {Name: "n", Type: row.BigIntType}}
	var batches []*row.Batch
	for i := range 12 {
		b := row.NewBatch(s)
		for k := range 4 {
			n := i*4 + k
			cells := []any{float64(n) / 4, fmt.Sprintf("a\"%d", n), "17", int64(n)}
			switch n % 13 {
			case 3:
				cells[1], cells[3] = nil, nil
			case 5:
				cells[1] = strings.Repeat("x", 600)
			case 7:
				cells[2] = "no\nnumber" // which the index wants
			case 8:
				cells[0], cells[2] = nil, nil
			case 11:
				cells[0] = math.NaN()
			case 12:
				cells[1], cells[3] = "the same", int64(-1)
			}
			if err := b.AppendRow(cells...); err != nil {
				p.Fatal(err)
			}
		}
		batches = append(batches, b)
	}
	name := p.index("t", `{"properties":{"k":{"type":"integer"},"x":{"type":"double"}}}`)
	w := esds.Write{Index: name, ID: id, IDPrefix: "job-", From: from, Options: options(p.T, "es.batch.size.entries", "5", "eslake.write.connections", "1")}
	var rejects []string
	w.Reject = func(r esds.Reject) error {
		rejects = append(rejects, fmt.Sprintf("%d %.20q %d %s %s %s", r.Row, r.ID, r.Status, r.Type, r.Reason, r.Document))
		return nil
	}
	last := int64(0)
	w.Acked = func(upto int64, _ esds.Report) error {
		last = upto
		return nil
	}
	rows := row.Reader(row.NewBatches(s, batches...))
	printer := &asText{Reader: rows}
	if text {
		rows = printer
	}
	report, err := p.source.Write(p.Context(), w, rows)
	if err != nil {
		p.Fatal(err)
	}
	if text && printer.rows < 8 {
		p.Errorf("%d rows went as text", printer.rows)
	}
	slices.Sort(rejects) // those that are not sent come before those that wait for an answer
	return strings.ReplaceAll(fmt.Sprintf("%+v\nup to %d\n%s\n%s", report, last, strings.Join(rejects, "\n"), strings.Join(p.documents(name, "_id"), "\n")), p.prefix, "")
}
