package render

import (
	"fmt"

	"github.com/eslake/eslake/sql/row"
)

// ndjson returns lines of one object each.
func ndjson(s row.Schema) *row.Lines {
	l := &row.Lines{Null: []byte("null"), JSON: true, Text: row.AppendQuoted[[]byte], Close: []byte("}\n")}
	for k, name := range distinct(s.Names()) {
		sign := byte(',')
		if k == 0 {
			sign = '{'
		}
		l.Columns = append(l.Columns, k)
		l.Open = append(l.Open, append(row.AppendQuoted([]byte{sign}, name), ':'))
	}
	if len(s) == 0 {
		l.Close = []byte("{}\n")
	}
	return l
}

// distinct makes the names of an object's members differ, since a reader would
// keep only one of two: id, id_2.
func distinct(names []string) []string {
	taken := map[string]bool{}
	for _, n := range names {
		taken[n] = true
	}
	seen := map[string]bool{}
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = n
		for k := 2; seen[out[i]] || out[i] != n && taken[out[i]]; k++ {
			out[i] = fmt.Sprintf("%s_%d", n, k)
		}
		seen[out[i]] = true
	}
	return out
}

// jsonArray writes one array, an object a line.
type jsonArray struct {
	object *row.Lines
	some   bool // a row was written
}

func newJSONArray(s row.Schema) *jsonArray {
	object := ndjson(s)
	object.Close = object.Close[:len(object.Close)-1] // without the end of the line
	return &jsonArray{object: object}
}

func (*jsonArray) begin(dst []byte) []byte { return append(dst, '[') }

func (e *jsonArray) row(dst []byte, b *row.Batch, i int) []byte {
	if e.some {
		dst = append(dst, ',')
	}
	e.some = true
	return e.object.Append(append(dst, '\n'), b, i)
}

func (*jsonArray) end(dst []byte, rows int64) []byte {
	if rows > 0 {
		dst = append(dst, '\n')
	}
	return append(dst, ']', '\n')
}
