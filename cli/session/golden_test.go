package session_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/eslake/eslake/sql"
	"github.com/eslake/eslake/sql/lex"
	"github.com/eslake/eslake/sql/row"
)

// golden is what real Spark answers to a statement.
type golden struct {
	SQL     string      `json:"sql"`
	Columns [][2]string `json:"columns"`
	Rows    [][]any     `json:"rows"`
	Error   string      `json:"error"`
	At      []int       `json:"at"` // line and column of the error, where Spark tells them
}

func readGolden(t *testing.T, path string) []golden {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all []golden
	lines := bufio.NewScanner(bytes.NewReader(raw))
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var g golden
		dec := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		dec.UseNumber()
		if err := dec.Decode(&g); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		all = append(all, g)
	}
	return all
}

// ask runs a query and returns its rows in the form of a golden file.
func (w *world) ask(text string) ([][]any, row.Schema, error) {
	t, err := lex.One("", text)
	if err != nil {
		return nil, nil, err
	}
	st, err := sql.Parse(t)
	if err != nil {
		return nil, nil, err
	}
	ctx := context.Background()
	res, err := w.session.Exec(ctx, st)
	if err != nil {
		return nil, nil, err
	}
	defer res.Rows.Close()
	rows := [][]any{}
	for {
		b, err := res.Rows.Next(ctx)
		if errors.Is(err, io.EOF) {
			return rows, res.Rows.Schema(), nil
		}
		if err != nil {
			return nil, nil, err
		}
		for i := range b.Len {
			cells := make([]any, len(b.Columns))
			for k, c := range b.Columns {
				cells[k] = cell(c, i)
			}
			rows = append(rows, cells)
		}
	}
}

// cell is a value as golden.py writes it.
func cell(c *row.Column, i int) any {
	if c.IsNull(i) {
		return nil
	}
	switch c.Type.Kind {
	case row.Boolean:
		return c.Bool(i)
	case row.TinyInt, row.SmallInt, row.Int, row.BigInt:
		return json.Number(fmt.Sprint(c.Ints[i]))
	case row.Float, row.Double:
		v := c.Floats[i]
		switch {
		case math.IsNaN(v):
			return "nan"
		case math.IsInf(v, 0):
			return strings.TrimPrefix(strings.ToLower(fmt.Sprint(v)), "+")
		}
		return v
	case row.Binary:
		return fmt.Sprintf("%x", c.Text(i))
	case row.Timestamp, row.TimestampNTZ:
		return string(append(row.AppendTimestamp(nil, c.Ints[i], 'T'), 'Z'))
	case row.Array:
		start, end := c.Range(i)
		list := []any{}
		for j := start; j < end; j++ {
			list = append(list, cell(c.Children[0], j))
		}
		return list
	case row.Map:
		start, end := c.Range(i)
		m := map[string]any{}
		for j := start; j < end; j++ {
			m[string(row.AppendText(nil, c.Children[0], j))] = cell(c.Children[1], j)
		}
		return m
	case row.Struct:
		m := map[string]any{}
		for k, f := range c.Type.Fields {
			m[f.Name] = cell(c.Children[k], i)
		}
		return m
	}
	return string(row.AppendText(nil, c, i))
}

// alike compares cells. Floating point may differ in the last digits, since the
// order in which rows are added is nobody's.
func alike(got, want any) bool {
	switch want := want.(type) {
	case json.Number:
		if g, ok := got.(json.Number); ok {
			return g == want
		}
		g, ok := got.(float64)
		f, err := want.Float64()
		return ok && err == nil && (g == f || math.Abs(g-f) <= 1e-9*math.Max(math.Abs(g), math.Abs(f)))
	case []any:
		g, ok := got.([]any)
		return ok && slices.EqualFunc(g, want, alike)
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok || len(g) != len(want) {
			return false
		}
		for k, v := range want {
			if other, ok := g[k]; !ok || !alike(other, v) {
				return false
			}
		}
		return true
	default:
		return got == want
	}
}

// sortCells orders rows as golden.py does, for queries without ORDER BY. Arrays
// of collect_set come in any order.
func sortCells(rows [][]any, sqlText string) {
	if strings.Contains(strings.ToLower(sqlText), "collect_set") {
		for _, r := range rows {
			for _, c := range r {
				if list, ok := c.([]any); ok {
					slices.SortFunc(list, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
				}
			}
		}
	}
	if !orderedAtTop(sqlText) {
		slices.SortFunc(rows, func(a, b []any) int { return strings.Compare(sortKey(a), sortKey(b)) })
	}
}

// sortKey is equal for rows that are alike: numbers by their value.
func sortKey(r []any) string {
	var b strings.Builder
	for _, c := range r {
		switch c := c.(type) {
		case json.Number:
			f, _ := c.Float64()
			fmt.Fprintf(&b, "%.9g|", f)
		case float64:
			fmt.Fprintf(&b, "%.9g|", c)
		default:
			j, _ := json.Marshal(c)
			fmt.Fprintf(&b, "%s|", j)
		}
	}
	return b.String()
}

// orderedAtTop reports whether ORDER BY stands outside of parentheses.
func orderedAtTop(sqlText string) bool {
	depth, top := 0, strings.Builder{}
	for _, r := range sqlText {
		switch {
		case r == '(':
			depth++
		case r == ')':
			depth--
		case depth == 0:
			top.WriteRune(r)
		}
	}
	return strings.Contains(strings.ToLower(top.String()), "order by")
}

// sameRows says how rows differ, "" when they are alike.
func sameRows(got, want [][]any, sqlText string) string {
	sortCells(got, sqlText)
	sortCells(want, sqlText)
	if len(got) != len(want) {
		return fmt.Sprintf("%d rows, want %d", len(got), len(want))
	}
	for i := range got {
		if !slices.EqualFunc(got[i], want[i], alike) {
			return fmt.Sprintf("row %d is %v, want %v", i+1, got[i], want[i])
		}
	}
	return ""
}

// asText is rows as Go prints them.
func asText(rows [][]any) string { return fmt.Sprint(rows) }
