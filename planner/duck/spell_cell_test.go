package duck_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/eslake/eslake/planner/duck"
	"github.com/eslake/eslake/sql/row"
)

// run returns the rows in the form of the golden files.
func run(e *duck.Engine, query string, schema row.Schema) ([][]any, error) {
	ctx := context.Background()
	r, err := e.Query(ctx, query, nil)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	for i, f := range r.Schema() {
		if want := schema[i].Type; want.Kind != row.Void && !want.Nested() && !sameEngineType(f.Type, want) {
			return nil, fmt.Errorf("column %d is %s in the engine, which is not %s", i+1, f.Type, want)
		}
	}
	out := [][]any{}
	for {
		b, err := r.Next(ctx)
		if row.Ended(err) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		for i := range b.Len {
			cells := make([]any, len(schema))
			for k, c := range b.Columns {
				cells[k] = cell(c, i)
			}
			out = append(out, cells)
		}
	}
}

// sameEngineType compares types of the engine, which keeps both timestamps alike.
func sameEngineType(got, want row.Type) bool {
	if want.Kind == row.TimestampNTZ {
		want.Kind = row.Timestamp
	}
	if got.Kind == row.TimestampNTZ {
		got.Kind = row.Timestamp
	}
	return got.Equal(want)
}

// cell is golden.py's function of that name.
func cell(c *row.Column, i int) any {
	if c.IsNull(i) {
		return nil
	}
	switch c.Type.Kind {
	case row.Boolean:
		return c.Bool(i)
	case row.TinyInt, row.SmallInt, row.Int, row.BigInt:
		return c.Ints[i]
	case row.Float, row.Double:
		return c.Floats[i]
	case row.Binary:
		return hex.EncodeToString(c.Text(i))
	case row.Interval:
		return intervalCell(string(c.Text(i)))
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

// intervalCell writes an interval, given as 1 years 2 months 3 days, as Python
// does: months as a number, the rest as a timedelta.
func intervalCell(text string) any {
	micros := map[string]float64{"days": 86_400e6, "hours": 3_600e6, "minutes": 60e6, "seconds": 1e6}
	words, months, total := strings.Fields(text), int64(0), int64(0)
	for i := 0; i+1 < len(words); i += 2 {
		n, _ := strconv.ParseFloat(words[i], 64)
		switch words[i+1] {
		case "years":
			months += 12 * int64(n)
		case "months":
			months += int64(n)
		default:
			total += int64(math.Round(n * micros[words[i+1]]))
		}
	}
	if months != 0 {
		return months
	}
	days := total / 86_400_000_000
	if total < 0 && total%86_400_000_000 != 0 {
		days--
	}
	total -= days * 86_400_000_000
	out := ""
	if days != 0 {
		out = fmt.Sprintf("%d day", days)
		if days != 1 && days != -1 {
			out += "s"
		}
		out += ", "
	}
	seconds := total / 1_000_000
	out += fmt.Sprintf("%d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
	if f := total % 1_000_000; f != 0 {
		out += fmt.Sprintf(".%06d", f)
	}
	return out
}

// sameCell compares; doubles may differ in the last digits, since the order of
// sums is no one's promise.
func sameCell(got, want any) bool {
	if n, ok := want.(json.Number); ok {
		switch g := got.(type) {
		case float64:
			w, _ := n.Float64()
			return g == w || math.Abs(g-w) <= 1e-12*math.Max(math.Abs(g), math.Abs(w))
		default:
			return fmt.Sprint(got) == n.String()
		}
	}
	switch w := want.(type) {
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return false
		}
		for i := range g {
			if !sameCell(g[i], w[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok || len(g) != len(w) {
			return false
		}
		for k := range w {
			if _, has := g[k]; !has || !sameCell(g[k], w[k]) {
				return false
			}
		}
		return true
	case string:
		if strings.Contains(w, "E-") {
			a, ok := new(big.Rat).SetString(w)
			b, ok2 := new(big.Rat).SetString(fmt.Sprint(got))
			return ok && ok2 && a.Cmp(b) == 0
		}
		if f, ok := got.(float64); ok {
			return strings.TrimPrefix(strings.ToLower(strconv.FormatFloat(f, 'g', -1, 64)), "+") == strings.ToLower(w)
		}
	}
	return got == want
}
