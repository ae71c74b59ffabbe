package duck_test

import (
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	duckdb "github.com/duckdb/duckdb-go/v2"

	"github.com/eslake/eslake/sql/row"
)

// run returns the rows in the form of the golden files.
func run(db *sql.DB, query string, schema row.Schema) ([][]any, error) {
	rows, err := db.Query(query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	types, err := rows.ColumnTypes()
	if err != nil {
		return nil, err
	}
	for i, f := range schema {
		if got := types[i].DatabaseTypeName(); f.Type.Kind != row.Void && !sameEngineType(got, f.Type) {
			return nil, fmt.Errorf("column %d is %s in the engine, which is not %s", i+1, got, f.Type)
		}
	}
	var out [][]any
	for rows.Next() {
		values, targets := make([]any, len(schema)), make([]any, len(schema))
		for i := range values {
			targets[i] = &values[i]
		}
		if err := rows.Scan(targets...); err != nil {
			return nil, err
		}
		for i, f := range schema {
			values[i] = cell(values[i], f.Type)
		}
		out = append(out, values)
	}
	return out, rows.Err()
}

func sameEngineType(got string, t row.Type) bool {
	if t.Nested() {
		return true // the cells tell
	}
	return got == engineName(t)
}

func engineName(t row.Type) string {
	switch t.Kind {
	case row.Decimal:
		return fmt.Sprintf("DECIMAL(%d,%d)", t.Precision, t.Scale)
	case row.Boolean, row.TinyInt, row.SmallInt, row.BigInt, row.Float, row.Double, row.Date:
		return strings.ToUpper(t.String())
	case row.Int:
		return "INTEGER"
	case row.String:
		return "VARCHAR"
	case row.Binary:
		return "BLOB"
	case row.Interval:
		return "INTERVAL"
	}
	return "TIMESTAMP"
}

// cell is golden.py's function of that name.
func cell(v any, t row.Type) any {
	switch v := v.(type) {
	case nil:
		return nil
	case []byte:
		return hex.EncodeToString(v)
	case time.Time:
		if t.Kind == row.Date {
			return v.Format("2006-01-02")
		}
		return strings.TrimRight(strings.TrimRight(v.Format("2006-01-02T15:04:05.000000"), "0"), ".") + "Z"
	case duckdb.Decimal:
		x, _ := row.Int128FromBig(v.Value)
		return string(row.AppendDecimal(nil, x, int(v.Scale)))
	case duckdb.Interval:
		return intervalCell(v)
	case float32:
		return float64(v)
	case *big.Int:
		return v.String()
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = cell(x, elem(t))
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for k, x := range v {
			if i := t.Fields.Index(k); i >= 0 {
				out[k] = cell(x, t.Fields[i].Type)
			}
		}
		return out
	case duckdb.Map:
		out := map[string]any{}
		for k, x := range v {
			out[fmt.Sprint(cell(k, *t.Key))] = cell(x, *t.Elem)
		}
		return out
	}
	if v, ok := v.(duckdb.OrderedMap); ok {
		return orderedMap(v, t)
	}
	return v
}

func orderedMap(v duckdb.OrderedMap, t row.Type) any {
	out := map[string]any{}
	keys, values := v.Keys(), v.Values()
	for i, k := range keys {
		out[fmt.Sprint(cell(k, *t.Key))] = cell(values[i], *t.Elem)
	}
	return out
}

func elem(t row.Type) row.Type {
	if t.Elem == nil {
		return row.VoidType
	}
	return *t.Elem
}

// intervalCell writes an interval as Python does: months as a number, the rest as
// a timedelta.
func intervalCell(v duckdb.Interval) any {
	if v.Months != 0 {
		return int64(v.Months)
	}
	micros := v.Micros + int64(v.Days)*86_400_000_000
	days := micros / 86_400_000_000
	micros -= days * 86_400_000_000
	text := ""
	if days != 0 {
		text = fmt.Sprintf("%d day", days)
		if days != 1 && days != -1 {
			text += "s"
		}
		text += ", "
	}
	seconds := micros / 1_000_000
	text += fmt.Sprintf("%d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
	if f := micros % 1_000_000; f != 0 {
		text += fmt.Sprintf(".%06d", f)
	}
	return text
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
