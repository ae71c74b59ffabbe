package session_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"
)

// Values of the model of a table: nil for NULL, int64, float64, string, bool, dec,
// day, stamp, []any for arrays, and pair.
type (
	dec   int64  // DECIMAL(9,2), in hundredths
	day   string // DATE, as it is written
	stamp int64  // TIMESTAMP, microseconds
	pair  struct{ x, y any }
)

// kind is a type of columns.
type kind string

const (
	intKind   kind = "INT"
	longKind  kind = "BIGINT"
	textKind  kind = "STRING"
	realKind  kind = "DOUBLE"
	decKind   kind = "DECIMAL(9,2)"
	boolKind  kind = "BOOLEAN"
	dayKind   kind = "DATE"
	stampKind kind = "TIMESTAMP"
	tagsKind  kind = "ARRAY<STRING>"
	numsKind  kind = "ARRAY<INT>"
	pairKind  kind = "STRUCT<x: INT, y: STRING>"
)

// values are what columns of a kind hold, besides NULL.
var values = map[kind][]any{
	intKind:  {int64(0), int64(1), int64(-7), int64(2), int64(3), int64(41)},
	longKind: {int64(0), int64(1), int64(2), int64(3000000000), int64(9007199254740993)},
	textKind: {
		"", "a", "A", "ab", "b c", "it's", `say "x"`, "two\nlines", "\ttab", `back\slash`, "ü🙂", "100%", "a_b", "NULL", "1", "{}", "\u2028",
		"long " + strings.Repeat("z", 300),
	},
	realKind:  {0.0, 0.5, -1.25, 0.1, 3.0, 1e300},
	decKind:   {dec(0), dec(150), dec(-325), dec(999999999), dec(10)},
	boolKind:  {true, false},
	dayKind:   {day("2024-02-29"), day("1969-12-31"), day("2024-03-01"), day("0900-01-02")},
	stampKind: {at2024(0), at2024(1), at2024(123456), at2024(86400e6), stamp(-1000), stamp(0)},
	tagsKind:  {[]any{}, []any{"a"}, []any{"a", "b c"}, []any{nil}, []any{"a", nil}, []any{"b c", "a", "a"}},
	pairKind:  {pair{int64(1), "a"}, pair{int64(2), nil}, pair{int64(-7), "it's"}},
	numsKind:  {[]any{}, []any{int64(1)}, []any{int64(2), int64(1)}, []any{nil}, []any{int64(41), nil}},
}

func at2024(micros int64) stamp {
	return stamp(time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC).UnixMicro() + micros)
}

func (s stamp) String() string {
	return time.UnixMicro(int64(s)).UTC().Format("2006-01-02 15:04:05.999999")
}

func (d dec) String() string { return big.NewRat(int64(d), 100).FloatString(2) }

// spell writes a value in SQL.
func spell(k kind, v any) string {
	switch v := v.(type) {
	case nil:
		return fmt.Sprintf("CAST(NULL AS %s)", k)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64) + "D"
	case string:
		return quoted(v)
	case dec:
		return v.String()
	case day:
		return fmt.Sprintf("DATE '%s'", string(v))
	case stamp:
		return fmt.Sprintf("TIMESTAMP '%s'", v)
	case pair:
		return fmt.Sprintf("named_struct('x', %s, 'y', %s)", spell(intKind, v.x), spell(textKind, v.y))
	case []any:
		element := textKind
		if k == numsKind {
			element = intKind
		}
		var parts []string
		for _, e := range v {
			parts = append(parts, spell(element, e))
		}
		return fmt.Sprintf("CAST(array(%s) AS %s)", strings.Join(parts, ", "), k)
	case int64:
		if k == longKind {
			return fmt.Sprintf("%dL", v)
		}
	}
	return fmt.Sprint(v)
}

// quoted is a literal of Spark.
func quoted(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\t", `\t`).Replace(s) + "'"
}

// shown is a value as a cell of a result, see cell.
func shown(v any) any {
	switch v := v.(type) {
	case int64:
		return json.Number(fmt.Sprint(v))
	case dec:
		return v.String()
	case day:
		return string(v)
	case stamp:
		return strings.Replace(v.String(), " ", "T", 1) + "Z"
	case pair:
		return map[string]any{"x": shown(v.x), "y": shown(v.y)}
	case []any:
		list := []any{}
		for _, e := range v {
			list = append(list, shown(e))
		}
		return list
	}
	return v
}

// textOf is a value cast to STRING.
func textOf(v any) any {
	switch v := v.(type) {
	case nil, string:
		return v
	case day:
		return string(v)
	case float64:
		panic("the text of a DOUBLE is not the model's business")
	default:
		return fmt.Sprint(v)
	}
}

// order compares two values of one kind, neither of them NULL.
func order(a, b any) int {
	switch a := a.(type) {
	case int64:
		return cmp.Compare(a, b.(int64))
	case float64:
		return cmp.Compare(a, b.(float64))
	case string:
		return cmp.Compare(a, b.(string))
	case dec:
		return cmp.Compare(a, b.(dec))
	case day:
		return cmp.Compare(a, b.(day))
	case stamp:
		return cmp.Compare(a, b.(stamp))
	case bool:
		return cmp.Compare(strconv.FormatBool(a), strconv.FormatBool(b.(bool)))
	}
	panic(fmt.Sprintf("%T has no order", a))
}

// errValue is a value that does not fit: the statement fails, and changes nothing.
var errValue = errors.New("a value does not fit")

// assign stores a value of one kind in a column of another, as Spark's store
// assignment does.
func assign(to kind, v any) any {
	switch v := v.(type) {
	case nil:
		return nil
	case int64:
		return assignInt(to, v)
	case float64:
		if to == decKind {
			return fits(new(big.Rat).SetFrac(ratOf(v).Num(), ratOf(v).Denom()))
		}
	case dec:
		switch to {
		case decKind:
			return fits(big.NewRat(int64(v), 100))
		case realKind:
			f, _ := big.NewRat(int64(v), 100).Float64()
			return f
		}
	}
	if to == textKind {
		return textOf(v)
	}
	return v
}

func assignInt(to kind, v int64) any {
	switch to {
	case intKind:
		if v != int64(int32(v)) {
			panic(errValue)
		}
	case realKind:
		return float64(v)
	case decKind:
		return fits(big.NewRat(v, 1))
	case textKind:
		return textOf(v)
	}
	return v
}

// ratOf is a DOUBLE by the digits that it shows.
func ratOf(f float64) *big.Rat {
	r, _ := new(big.Rat).SetString(strconv.FormatFloat(f, 'g', -1, 64))
	return r
}

// fits rounds a number to DECIMAL(9,2), half up.
func fits(r *big.Rat) dec {
	text := r.FloatString(2)
	n, err := strconv.ParseInt(strings.Replace(text, ".", "", 1), 10, 64)
	if err != nil || n > 999999999 || n < -999999999 {
		panic(errValue)
	}
	return dec(n)
}
