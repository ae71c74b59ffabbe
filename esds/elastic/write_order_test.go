package elastic_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/esds/elastic"
	"github.com/eslake/eslake/esds/esdstest"
	"github.com/eslake/eslake/sql/row"
)

var idRoutingN = row.Schema{{Name: "id", Type: row.StringType}, {Name: "r", Type: row.StringType}, {Name: "n", Type: row.BigIntType}}

// Whatever way rows take into requests, with ids that come again, also with another
// routing, and requests that are refused in part: each is sent, to one shard with others
// of it, rows of one id take effect in their order, and what is told as settled is
// exactly the rows up to there.
func TestWriteKeepsTheOrder(t *testing.T) {
	fake := esdstest.New(t, esdstest.Elasticsearch8)
	source := open(t, elastic.Config{Addresses: []string{fake.URL}, Wait: noWait})
	runs := 0
	rapid.Check(t, func(rt *rapid.T) {
		runs++
		fake.Forget()
		w := &orderedWrite{T: rt, fake: fake, source: source, index: fmt.Sprintf("order-%d", runs), last: map[string]int64{}, shardOf: map[string]int{}}
		w.draw()
		w.run()
		w.check()
	})
}

// orderedWrite is a write of rows with ids and routings, NULL where there is none.
type orderedWrite struct {
	*rapid.T
	fake    *esdstest.Server
	source  *elastic.Source
	index   string
	shards  int
	told    int // how many shards the source takes it for, 0 for the truth
	routed  bool
	alone   bool // one request after the other, each sent once
	write   esds.Write
	rows    []orderedRow
	last    map[string]int64 // number of the last row, by document
	report  esds.Report
	shardOf map[string]int
}

// orderedRow is what a row has beside its number.
type orderedRow struct{ id, routing string }

func (w *orderedWrite) draw() {
	w.shards = rapid.IntRange(1, 6).Draw(w.T, "shards")
	d := esds.Definition{
		Mappings: []byte(`{"properties":{"id":{"type":"keyword"},"r":{"type":"keyword"},"n":{"type":"long"}}}`),
		Settings: fmt.Appendf(nil, `{"index":{"number_of_shards":%d}}`, w.shards),
	}
	if err := w.source.Create(w.Context(), w.index, d); err != nil {
		w.Fatal(err)
	}
	if rapid.IntRange(0, 2).Draw(w.T, "told wrong") == 0 { // as where the server chooses in another way
		w.fake.Next(esdstest.GetIndex, esdstest.Answer(200, fmt.Sprintf(`{"%s":{"mappings":%s,"settings":{"index":{"number_of_shards":"3"}}}}`, w.index, d.Mappings)))
		w.told = 3
	}
	entries := rapid.IntRange(1, 7).Draw(w.T, "entries")
	raw := map[string]string{"es.batch.size.entries": fmt.Sprint(entries), "es.mapping.routing": "r"}
	if n := rapid.IntRange(0, 4).Draw(w.T, "connections"); n > 0 {
		raw["eslake.write.connections"] = fmt.Sprint(n)
	}
	if w.routed = rapid.Bool().Draw(w.T, "routed"); !w.routed {
		delete(raw, "es.mapping.routing")
	}
	opts, _, err := esds.ParseOptions(raw)
	if err != nil {
		w.Fatal(err)
	}
	w.write = esds.Write{Index: w.index, ID: "id", Options: opts, From: int64(rapid.IntRange(0, 5).Draw(w.T, "from"))}
	most := rapid.SampledFrom([]int{3, 20, 1000}).Draw(w.T, "ids")
	routings := rapid.SampledFrom([]string{"-abc", "aaaaaaaaaaaabc"}).Draw(w.T, "routings") // most rows of one shard: the requests of others are waited for
	for n := range int64(rapid.IntRange(0, 200).Draw(w.T, "rows")) {
		r := orderedRow{id: fmt.Sprint(rapid.IntRange(0, most).Draw(w.T, "id"))}
		if r.id == "0" {
			r.id = ""
		} else if w.routed {
			r.routing = strings.Trim(string(rapid.SampledFrom([]byte(routings)).Draw(w.T, "routing")), "-")
		}
		if w.rows = append(w.rows, r); n >= w.write.From {
			w.expect(r, n+1)
		}
	}
	refusals := rapid.IntRange(0, min(3, len(w.last)/entries)).Draw(w.T, "refusals")
	w.alone = w.told == 0 && w.shards == 1 && raw["eslake.write.connections"] == "1" && refusals == 0
	for range refusals {
		w.fake.Next(esdstest.Bulk, esdstest.PartialBulk(refused)) // as servers do, all rows of a shard
	}
}

var refused = map[int]int{0: 429, 1: 429, 2: 429, 3: 429, 4: 429, 5: 429, 6: 429}

// expect counts a row with its number.
func (w *orderedWrite) expect(r orderedRow, n int64) {
	w.report.Rows++
	if r.id == "" {
		w.report.Rejected++
		return
	}
	document := fmt.Sprint(r.id, " on ", w.shard(r))
	if w.last[document] == 0 {
		w.report.Created++
	} else {
		w.report.Updated++
	}
	w.last[document] = n
}

// shard asks where a row belongs.
func (w *orderedWrite) shard(r orderedRow) int {
	routing := cmp.Or(r.routing, r.id)
	if shard, known := w.shardOf[routing]; known {
		return shard
	}
	w.shardOf[routing] = elastic.ShardOf(w, w.fake.URL, w.index, routing)
	return w.shardOf[routing]
}

func (w *orderedWrite) run() {
	b := row.NewBatch(idRoutingN)
	for i, r := range w.rows {
		if err := b.AppendRow(orNull(r.id), orNull(r.routing), int64(i+1)); err != nil {
			w.Fatal(err)
		}
	}
	acked, times := w.write.From, 0
	w.write.Acked = func(upto int64, settled esds.Report) error {
		if upto <= acked || settled.Rows != upto-w.write.From || settled.Accepted()+settled.Rejected != settled.Rows {
			w.Errorf("after %d: settled up to %d, as %+v", acked, upto, settled)
		}
		sent := w.sent()
		for i, r := range w.rows[acked:upto] {
			if n := acked + int64(i) + 1; r.id != "" && !sent[n] {
				w.Errorf("row %d is settled and was not sent", n)
			}
		}
		acked = upto
		times++
		return nil
	}
	report, err := w.source.Write(w.Context(), w.write, row.NewBatches(idRoutingN, b))
	if err != nil {
		w.Fatal(err)
	}
	if report.Bytes, report.Retried = 0, 0; report != w.report {
		w.Errorf("report %+v, want %+v", report, w.report)
	}
	if requests := len(w.fake.Requests(esdstest.Bulk)); w.alone && times < requests {
		w.Errorf("%d times rows were settled, after %d requests", times, requests)
	}
	if want := max(w.write.From, int64(len(w.rows))); acked != want {
		w.Errorf("settled up to %d, want %d", acked, want)
	}
}

func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// sent returns the numbers of the rows that were sent, and sees to it that each request
// is for one shard, where there are as many lanes.
func (w *orderedWrite) sent() map[int64]bool {
	all := map[int64]bool{}
	for _, r := range w.fake.Requests(esdstest.Bulk) {
		shards := map[int]bool{}
		for d := json.NewDecoder(bytes.NewReader(r.Body)); d.More(); {
			var line struct{ N int64 }
			if err := d.Decode(&line); err != nil {
				w.Fatal(err)
			}
			if line.N > 0 {
				all[line.N] = true
				shards[w.shard(w.rows[line.N-1])] = true
			}
		}
		if w.told == 0 && w.shards <= 4 && len(shards) > 1 {
			w.Errorf("a request is for %d shards: %s", len(shards), r.Body)
		}
	}
	return all
}

// check compares what is in the index.
func (w *orderedWrite) check() {
	x, err := w.source.Open(w.Context(), w.index, nil)
	if err != nil {
		w.Fatal(err)
	}
	r, err := x.Scan(w.Context(), esds.Scan{Columns: idRoutingN})
	if err != nil {
		w.Fatal(err)
	}
	rows, err := row.ReadAll(w.Context(), r)
	if err != nil || len(rows) != len(w.last) {
		w.Fatalf("%d documents, want %d (%v)", len(rows), len(w.last), err)
	}
	for _, cells := range rows {
		n := cells[2].(int64)
		want := w.rows[n-1]
		if document := fmt.Sprint(want.id, " on ", w.shard(want)); cells[0] != want.id || w.last[document] != n {
			w.Errorf("document %v is of row %d, want %d", document, n, w.last[document])
		}
	}
}

// One row of a shard that gets no other does not keep all that follow from being told as
// settled.
func TestWriteWaitsForNoLane(t *testing.T) {
	fake := esdstest.New(t, esdstest.Elasticsearch8)
	source := open(t, elastic.Config{Addresses: []string{fake.URL}, Wait: noWait})
	d := esds.Definition{Mappings: []byte(`{}`), Settings: []byte(`{"index":{"number_of_shards":2}}`)}
	if err := source.Create(t.Context(), "idx", d); err != nil {
		t.Fatal(err)
	}
	alone, busy := "", ""
	for i := 0; alone == "" || busy == ""; i++ {
		if r := fmt.Sprint(i); elastic.ShardOf(t, fake.URL, "idx", r) == 0 {
			alone = r
		} else {
			busy = r
		}
	}
	b := row.NewBatch(idRoutingN)
	for n := range int64(1000) {
		routing := busy
		if n == 0 {
			routing = alone
		}
		if err := b.AppendRow(fmt.Sprint(n), routing, n); err != nil {
			t.Fatal(err)
		}
	}
	opts := options(t, "es.mapping.routing", "r", "es.batch.size.entries", "5", "eslake.write.connections", "1")
	first := 0
	w := esds.Write{Index: "idx", ID: "id", Options: opts, Acked: func(int64, esds.Report) error {
		if first == 0 {
			first = len(fake.Requests(esdstest.Bulk))
		}
		return nil
	}}
	if _, err := source.Write(t.Context(), w, row.NewBatches(idRoutingN, b)); err != nil {
		t.Fatal(err)
	}
	if first > 20 {
		t.Errorf("%d requests were sent before the first row was told as settled", first)
	}
}
