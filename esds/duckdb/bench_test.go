package duckdb_test

import (
	"context"
	"fmt"
	"io"
	"testing"

	"github.com/eslake/eslake/sql/row"
)

func BenchmarkThrough(b *testing.B) {
	db := open(b)
	s := row.Schema{}
	types := []row.Type{row.BigIntType, row.StringType, row.DoubleType, row.IntType, row.StringType, row.TimestampType, row.DateType, row.BooleanType, row.DecimalType(12, 2), row.StringType}
	for i := range 20 {
		s = append(s, row.Field{Name: fmt.Sprint("c", i), Type: types[i%10]})
	}
	batch := row.NewBatch(s)
	for i := range 2048 {
		values := make([]any, 20)
		for k := range values {
			switch types[k%10].Kind {
			case row.String:
				values[k] = fmt.Sprintf("value %d of column %d", i, k)
			case row.Boolean:
				values[k] = i%2 == 0
			case row.Double:
				values[k] = float64(i) / 7
			case row.Decimal:
				values[k] = fmt.Sprint(i, ".25")
			default:
				values[k] = i
			}
			if (i+k)%10 == 0 {
				values[k] = nil
			}
		}
		values[8], values[18] = "1.25", "2.50"
		if err := batch.AppendRow(values...); err != nil {
			b.Fatal(err)
		}
	}
	for _, q := range []string{"SELECT * FROM %s", "SELECT count(c19), sum(c0), max(c1) FROM %s"} {
		b.Run(q, func(b *testing.B) {
			for range b.N {
				left := 488
				sql, release := db.Register(s, func(context.Context) (row.Reader, error) {
					return &repeat{Batches: row.NewBatches(s), batch: batch, left: &left}, nil
				}, 1000000)
				r, err := db.Query(b.Context(), fmt.Sprintf(q, sql), nil)
				if err != nil {
					b.Fatal(err)
				}
				rows := 0
				for {
					batch, err := r.Next(b.Context())
					if err != nil {
						break
					}
					rows += batch.Len
				}
				r.Close()
				release()
				b.ReportMetric(float64(rows), "rows")
			}
		})
	}
}

type repeat struct {
	*row.Batches
	batch *row.Batch
	left  *int
}

func (r *repeat) Next(context.Context) (*row.Batch, error) {
	if *r.left == 0 {
		return nil, io.EOF
	}
	*r.left--
	return r.batch, nil
}
