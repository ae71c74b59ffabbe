// Package gencsv makes CSV with columns of many types for tests and
// benchmarks. The same seed gives the same bytes.
//
// A NULL is an empty field and an empty string is "". A field is quoted only
// where it must be: when it is an empty string or holds a comma, a quote or a
// newline. So a program that reads the values right and writes them in the same
// form writes the same bytes.
package gencsv

import (
	"bufio"
	"io"
	"math/rand/v2"
	"strings"
)

// Options changes what Write makes.
type Options struct {
	NoHeader bool // leave the line of names out
	// NullEvery makes one value in so many a NULL, except ids. Zero means 13;
	// a negative number means none.
	NullEvery int
}

// Column is one column of what Write makes.
type Column struct {
	Name string
	Type string // in Spark's spelling

	value func(dst []byte, g *generator) []byte
}

// Columns returns the 30 columns in their order. The first one, id, counts the
// rows from 1.
func Columns() []Column {
	return []Column{
		{"id", "BIGINT", rowNumber},
		{"code", "STRING", hexText},
		{"account", "BIGINT", above53},
		{"serial", "BIGINT", anyInt64},
		{"customer", "INT", anyInt32},
		{"quantity", "INT", count},
		{"year", "INT", year},
		{"rank", "SMALLINT", anyInt16},
		{"score", "SMALLINT", percent},
		{"price", "DOUBLE", double},
		{"weight", "DOUBLE", double},
		{"lat", "DOUBLE", degrees},
		{"lon", "DOUBLE", degrees},
		{"amount", "DECIMAL(12,2)", money},
		{"tax", "DECIMAL(12,2)", money},
		{"balance", "DECIMAL(12,2)", money},
		{"active", "BOOLEAN", boolean},
		{"verified", "BOOLEAN", boolean},
		{"born", "DATE", date},
		{"due", "DATE", date},
		{"created", "TIMESTAMP", timestamp},
		{"updated", "TIMESTAMP", timestamp},
		{"seen", "TIMESTAMP", timestamp},
		{"status", "STRING", oneOf("open", "paid", "void", "returned")},
		{"country", "STRING", oneOf("CH", "NO", "JP", "BR", "PL", "NZ", "IN", "MX")},
		{"name", "STRING", name},
		{"comment", "STRING", comment},
		{"path", "STRING", path},
		{"note", "STRING", note},
		{"host", "STRING", host},
	}
}

// DDL returns the columns as CREATE TABLE takes them: "id BIGINT, code STRING, …".
func DDL() string {
	var parts []string
	for _, c := range Columns() {
		parts = append(parts, c.Name+" "+c.Type)
	}
	return strings.Join(parts, ", ")
}

// Write writes a line of names and so many rows to w.
func Write(w io.Writer, rows int, seed int64, opts Options) error {
	out := bufio.NewWriterSize(w, 1<<16)
	columns := Columns()
	if !opts.NoHeader {
		for i, c := range columns {
			if i > 0 {
				_ = out.WriteByte(',') // Flush returns the first error
			}
			_, _ = out.WriteString(c.Name) // as above
		}
		_ = out.WriteByte('\n') // as above
	}
	g := &generator{Rand: rand.New(rand.NewPCG(uint64(seed), 0x65736c616b65)), nullEvery: opts.NullEvery}
	if g.nullEvery == 0 {
		g.nullEvery = 13
	}
	var line []byte
	for g.row = 1; g.row <= rows; g.row++ {
		line = g.appendRow(line[:0], columns)
		if _, err := out.Write(line); err != nil {
			return err
		}
	}
	return out.Flush()
}

// generator is the state between two values.
type generator struct {
	*rand.Rand
	row       int
	nullEvery int
}

func (g *generator) appendRow(dst []byte, columns []Column) []byte {
	for i, c := range columns {
		if i > 0 {
			dst = append(dst, ',')
		}
		if i > 0 && g.nullEvery > 0 && g.IntN(g.nullEvery) == 0 {
			continue
		}
		dst = c.value(dst, g)
	}
	return append(dst, '\n')
}
