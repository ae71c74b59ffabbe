package render

import (
	"fmt"

	"github.com/eslake/eslake/sql/row"
)

// ndjson writes an object a line.
type ndjson struct {
	keys [][]byte // {"a": and ,"b":
}

func newNDJSON(s row.Schema) *ndjson {
	e := &ndjson{}
	for k, name := range distinct(s.Names()) {
		sign := byte(',')
		if k == 0 {
			sign = '{'
		}
		e.keys = append(e.keys, append(row.AppendQuoted([]byte{sign}, name), ':'))
	}
	return e
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

func (*ndjson) begin(dst []byte) []byte { return dst }

func (e *ndjson) row(dst []byte, b *row.Batch, i int) []byte {
	return append(e.object(dst, b, i), '\n')
}

func (*ndjson) end(dst []byte, _ int64) []byte { return dst }

func (e *ndjson) object(dst []byte, b *row.Batch, i int) []byte {
	if len(e.keys) == 0 {
		return append(dst, '{', '}')
	}
	for k, c := range b.Columns {
		dst = append(dst, e.keys[k]...)
		if c.Type.Kind == row.String && !c.IsNull(i) {
			dst = appendJSONText(dst, c.Text(i))
			continue
		}
		dst = row.AppendJSON(dst, c, i)
	}
	return append(dst, '}')
}

// appendJSONText is row.AppendQuoted with a quick way for plain ASCII.
func appendJSONText(dst, text []byte) []byte {
	for _, b := range text {
		if b < ' ' || b >= 0x7f || b == '"' || b == '\\' {
			return row.AppendQuoted(dst, text)
		}
	}
	dst = append(dst, '"')
	dst = append(dst, text...)
	return append(dst, '"')
}

// jsonArray writes one array, an object a line.
type jsonArray struct {
	*ndjson
	some bool // a row was written
}

func (*jsonArray) begin(dst []byte) []byte { return append(dst, '[') }

func (e *jsonArray) row(dst []byte, b *row.Batch, i int) []byte {
	if e.some {
		dst = append(dst, ',')
	}
	e.some = true
	return e.object(append(dst, '\n'), b, i)
}

func (*jsonArray) end(dst []byte, rows int64) []byte {
	if rows > 0 {
		dst = append(dst, '\n')
	}
	return append(dst, ']', '\n')
}
