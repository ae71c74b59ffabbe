package row

import (
	"math/rand/v2"
	"testing"
)

// BenchmarkText prints values as loads and reads meet them.
func BenchmarkText(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, kind := range []struct {
		name string
		t    Type
		add  func(*Column)
	}{
		{"int", IntType, func(c *Column) { c.AppendInt(r.Int64N(1000)) }},
		{"bigint", BigIntType, func(c *Column) { c.AppendInt(r.Int64()) }},
		{"double", DoubleType, func(c *Column) { c.AppendFloat(float64(r.IntN(10_000_000_000)) / 1000) }},
		{"long double", DoubleType, func(c *Column) { c.AppendFloat(r.Float64()) }},
		{"decimal", DecimalType(12, 2), func(c *Column) { c.AppendDecimal(Int128From(r.Int64N(100_000))) }},
		{"date", DateType, func(c *Column) { c.AppendInt(r.Int64N(30_000)) }},
		{"timestamp", TimestampType, func(c *Column) { c.AppendInt(r.Int64N(1 << 50)) }},
	} {
		c := NewColumn(kind.t)
		for range 1000 {
			kind.add(c)
		}
		b.Run(kind.name, func(b *testing.B) {
			b.ReportAllocs()
			var buf []byte
			for i := range b.N {
				buf = AppendText(buf[:0], c, i%1000)
			}
		})
	}
}
