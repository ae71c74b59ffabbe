package elastic_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/esds/elastic"
	"github.com/eslake/eslake/sql/row"
)

const benchRows = 300_000

// benchURL is the server to measure; without it the benchmarks are skipped.
func benchURL(b *testing.B) string {
	url := os.Getenv("ESLAKE_BENCH_URL")
	if url == "" {
		b.Skip("ESLAKE_BENCH_URL is not set")
	}
	return url
}

// benchSchema has 30 columns: documents of about 620 bytes.
func benchSchema() row.Schema {
	s := row.Schema{{Name: "id", Type: row.BigIntType}, {Name: "name", Type: row.StringType}, {Name: "at", Type: row.TimestampType}}
	kinds := []row.Type{row.BigIntType, row.DoubleType, row.StringType, row.IntType, row.BooleanType, row.DateType, row.DecimalType(12, 2)}
	for i := len(s); i < 30; i++ {
		s = append(s, row.Field{Name: fmt.Sprintf("col%02d", i), Type: kinds[i%len(kinds)]})
	}
	return s
}

// made makes the rows of the benchmark.
type made struct {
	schema row.Schema
	n, max int
}

func (m *made) Schema() row.Schema { return m.schema }
func (m *made) Close() error       { return nil }
func (m *made) Next(context.Context) (*row.Batch, error) {
	if m.n >= m.max {
		return nil, io.EOF
	}
	b := row.NewBatch(m.schema)
	for range min(row.BatchSize, m.max-m.n) {
		m.n++
		for i, c := range b.Columns {
			v := int64(m.n)*7919 + int64(i)*104729
			switch c.Type.Kind {
			case row.String:
				c.Bytes = fmt.Appendf(c.Bytes, "text %d of %d", v%1000, i)
				c.EndText()
			case row.Double:
				c.AppendFloat(float64(v%100000) / 8)
			case row.Decimal:
				c.AppendDecimal(row.Int128From(v % 1000000))
			case row.Boolean:
				c.AppendBool(v%2 == 0)
			case row.Timestamp:
				c.AppendInt(1_700_000_000_000_000 + v%1_000_000_000*1000)
			case row.Date:
				c.AppendInt(v % 20000)
			case row.Int:
				c.AppendInt(v % 1_000_000)
			default:
				c.AppendInt(v)
			}
		}
		b.Columns[0].Ints[len(b.Columns[0].Ints)-1] = int64(m.n)
		b.Len++
	}
	return b, nil
}

const benchIndex = "eslake-bench"

func fill(b *testing.B, s *elastic.Source) {
	if n, err := s.Count(b.Context(), benchIndex); err != nil || n != benchRows {
		load(b, s)
	}
}

func load(b *testing.B, s *elastic.Source) time.Duration {
	const name = benchIndex
	_ = s.Drop(b.Context(), name)
	mapping, err := esds.MappingOf(benchSchema(), nil)
	if err != nil {
		b.Fatal(err)
	}
	settings := []byte(`{"index":{"number_of_shards":2,"number_of_replicas":0,"refresh_interval":"-1"}}`)
	if err := s.Create(b.Context(), name, esds.Definition{Mappings: mapping, Settings: settings}); err != nil {
		b.Fatal(err)
	}
	start := time.Now()
	report, err := s.Write(b.Context(), esds.Write{Index: name, ID: "id"}, &made{schema: benchSchema(), max: benchRows})
	if err != nil || report.Created != benchRows {
		b.Fatalf("%+v, %v", report, err)
	}
	b.Logf("%d bytes a document", report.Bytes/benchRows)
	return time.Since(start)
}

func benchOpen(b *testing.B) *elastic.Source {
	s, err := elastic.Open(b.Context(), elastic.Config{Addresses: []string{benchURL(b)}})
	if err != nil {
		b.Fatal(err)
	}
	return s
}

func BenchmarkLoad(b *testing.B) {
	s := benchOpen(b)
	for b.Loop() {
		took := load(b, s)
		b.ReportMetric(benchRows/took.Seconds(), "docs/s")
	}
}

func BenchmarkRead(b *testing.B) {
	schema := benchSchema()
	for _, bench := range []struct {
		name    string
		columns row.Schema
	}{{"all", schema}, {"3of30", schema[:3]}, {"1number", schema[:1]}, {"source", row.Schema{{Name: "_source", Type: row.StringType}}}} {
		b.Run(bench.name, func(b *testing.B) {
			s := benchOpen(b)
			fill(b, s)
			x, err := s.Open(b.Context(), benchIndex, nil)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				start := time.Now()
				readAll(b, x, bench.columns)
				b.ReportMetric(benchRows/time.Since(start).Seconds(), "docs/s")
			}
		})
	}
}

// BenchmarkReadLimit moves the same pages without looking inside: what reading
// can reach at most.
func BenchmarkReadLimit(b *testing.B) {
	s := benchOpen(b)
	fill(b, s)
	url := benchURL(b)
	for b.Loop() {
		start := time.Now()
		var pit struct{ ID string }
		if err := json.Unmarshal(post(b, url+"/"+benchIndex+"/_pit?keep_alive=1m", ""), &pit); err != nil {
			b.Fatal(err)
		}
		var group sync.WaitGroup
		for i := range 4 {
			group.Go(func() {
				after := ""
				for {
					page := post(b, url+"/_search", fmt.Sprintf(`{"size":5000,"track_total_hits":false,"pit":{"id":%q,"keep_alive":"1m"},"sort":["_doc","_shard_doc"],"slice":{"id":%d,"max":4}%s}`, pit.ID, i, after))
					at := bytes.LastIndex(page, []byte(`"sort":[`))
					if at < 0 {
						return
					}
					end := bytes.IndexByte(page[at:], ']')
					after = `,"search_after":` + string(page[at+len(`"sort":`):at+end+1])
				}
			})
		}
		group.Wait()
		b.ReportMetric(benchRows/time.Since(start).Seconds(), "docs/s")
	}
}

func post(b *testing.B, url, body string) []byte {
	res, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		b.Error(err)
		return nil
	}
	defer res.Body.Close()
	var page bytes.Buffer
	if res.ContentLength > 0 {
		page.Grow(int(res.ContentLength) + bytes.MinRead)
	}
	if _, err := page.ReadFrom(res.Body); err != nil {
		b.Error(err)
	}
	return page.Bytes()
}

func readAll(b *testing.B, x esds.Index, columns row.Schema) {
	r, err := x.Scan(b.Context(), esds.Scan{Columns: columns})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	n := 0
	for {
		batch, err := r.Next(b.Context())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			b.Fatal(err)
		}
		n += batch.Len
	}
	if n != benchRows {
		b.Fatalf("%d rows", n)
	}
}
