package elastic

import (
	"encoding/json"
	"math"
	"math/big"
	"net/netip"
	"strings"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// compare translates the column against a value that is not NULL.
func (t *target) compare(op string, lit *expr.Literal) (object, esds.Pushdown) {
	if t.meta != "" {
		return t.compareMeta(op, lit)
	}
	quality := t.quality()
	switch kind := t.field.Kind; {
	case t.declared.Kind == row.String:
		return t.compareText(op, lit, quality)
	case kind == "boolean" && t.declared.Kind == row.Boolean:
		v, ok := lit.Value.(bool)
		if !ok || op != "=" {
			return nil, esds.No
		}
		return object{"term": object{t.path: v}}, quality
	case isDate(kind):
		return t.compareDate(op, lit, quality)
	case isWhole(kind) && (t.declared.Integral() || t.declared.Kind == row.Decimal && t.declared.Scale == 0):
		return t.compareWhole(op, lit, quality)
	case isFloating(kind) && (t.declared.Kind == row.Double || t.declared.Kind == row.Float || t.declared.Kind == row.Decimal):
		return t.compareFloating(op, lit, quality)
	}
	return nil, esds.No
}

func (t *target) compareMeta(op string, lit *expr.Literal) (object, esds.Pushdown) {
	text, ok := lit.Value.(string)
	switch {
	case !ok || op != "=" || text == "":
		return nil, esds.No
	case t.meta == "_id":
		return object{"ids": object{"values": []any{text}}}, esds.Exact
	case t.meta == "_index": // an alias or a wildcard finds its indices too
		return object{"term": object{t.meta: text}}, esds.Superset
	}
	return object{"term": object{t.meta: text}}, esds.Exact
}

func (t *target) compareText(op string, lit *expr.Literal, how esds.Pushdown) (object, esds.Pushdown) {
	text, ok := lit.Value.(string)
	if !ok || lit.T.Kind != row.String {
		return nil, esds.No
	}
	f := t.field
	switch {
	case f.Kind == "ip":
		if _, err := netip.ParseAddr(text); err != nil || op != "=" {
			return nil, esds.No
		}
		return object{"term": object{t.path: text}}, esds.Superset // one address has many spellings
	case f.Kind != "keyword" && f.Kind != "wildcard":
		return nil, esds.No
	case f.Normalizer != "":
		if op != "=" {
			return nil, esds.No
		}
		return object{"term": object{t.path: text}}, esds.Superset // the server normalizes the value too
	case op == "=" && f.IgnoreAbove > 0 && javaLength(text) > f.IgnoreAbove, len(text) > 32766:
		return nil, esds.No
	case op == "=":
		return object{"term": object{t.path: text}}, how
	}
	return t.orIgnored(rangeOf(t.path, op, text), how)
}

var rangeNames = map[string]string{"<": "lt", "<=": "lte", ">": "gt", ">=": "gte"}

func rangeOf(path, op string, v any) object {
	return object{"range": object{path: object{rangeNames[op]: v}}}
}

func isWhole(kind string) bool {
	switch kind {
	case "byte", "short", "integer", "long", "unsigned_long":
		return true
	}
	return false
}

func isFloating(kind string) bool {
	switch kind {
	case "half_float", "float", "double", "scaled_float":
		return true
	}
	return false
}

// compareWhole compares whole numbers with any number, by its exact value.
func (t *target) compareWhole(op string, lit *expr.Literal, how esds.Pushdown) (object, esds.Pushdown) {
	v, ok := rational(lit)
	if !ok {
		return nil, esds.No
	}
	floor, exact := floorOf(v)
	if !fits(t.field.Kind, floor) {
		return nil, esds.No
	}
	if !exact {
		switch op {
		case "=":
			return matchNone(), how
		case ">", ">=": // n > 1.5 is n >= 2, and so n > 1
			op = ">"
		default:
			op = "<="
		}
	}
	number := json.Number(floor.String())
	if op == "=" {
		return object{"term": object{t.path: number}}, how
	}
	return t.orMalformed(rangeOf(t.path, op, number), how)
}

// orMalformed keeps documents whose value the index ignored: they are checked,
// and reported, when they are read.
func (t *target) orMalformed(q object, how esds.Pushdown) (object, esds.Pushdown) {
	if !t.field.Malformed {
		return q, how
	}
	return t.orIgnored(q, how)
}

func rational(lit *expr.Literal) (*big.Rat, bool) {
	switch v := lit.Value.(type) {
	case int64:
		if !lit.T.Integral() {
			return nil, false
		}
		return new(big.Rat).SetInt64(v), true
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, false
		}
		return new(big.Rat).SetFloat64(v), true
	case string:
		if lit.T.Kind != row.Decimal || len(v) > 100 {
			return nil, false
		}
		return new(big.Rat).SetString(v)
	}
	return nil, false
}

func floorOf(v *big.Rat) (floor *big.Int, exact bool) {
	q, m := new(big.Int).DivMod(v.Num(), v.Denom(), new(big.Int))
	return q, m.Sign() == 0
}

// fits reports whether a number is one that the kind can hold; the server
// refuses to look for others.
func fits(kind string, v *big.Int) bool {
	if kind == "unsigned_long" {
		return v.IsUint64()
	}
	limit := map[string]int64{"byte": math.MaxInt8, "short": math.MaxInt16, "integer": math.MaxInt32, "long": math.MaxInt64}[kind]
	return v.IsInt64() && v.Int64() <= limit && v.Int64() >= -limit-1
}

// compareFloating compares with what the index holds: the value rounded to a
// double, a float, a half, or a multiple of 1/scale. Only a double in a double
// is exact; else the bounds are widened by what rounding can move.
func (t *target) compareFloating(op string, lit *expr.Literal, how esds.Pushdown) (object, esds.Pushdown) {
	r, ok := rational(lit)
	if !ok {
		return nil, esds.No
	}
	v, _ := r.Float64()
	if math.IsInf(v, 0) {
		return nil, esds.No
	}
	same := new(big.Rat).SetFloat64(v).Cmp(r) == 0
	if t.field.Kind == "double" && t.declared.Kind == row.Double && same {
		if v == 0 {
			return t.compareZero(op, how)
		}
		if op == "=" {
			return object{"term": object{t.path: v}}, how
		}
		return t.orMalformed(rangeOf(t.path, op, v), how)
	}
	low, high, ok := widened(t.field, t.declared, v)
	if !ok {
		return nil, esds.No
	}
	how = min(how, esds.Superset)
	switch op {
	case "=":
		return object{"range": object{t.path: object{"gte": low, "lte": high}}}, how
	case "<", "<=":
		return t.orMalformed(rangeOf(t.path, "<=", high), how)
	}
	return t.orMalformed(rangeOf(t.path, ">=", low), how)
}

// compareZero counts -0.0, which the index sorts before 0.0, as the same.
func (t *target) compareZero(op string, how esds.Pushdown) (object, esds.Pushdown) {
	const minus, plus = json.Number("-0.0"), json.Number("0.0")
	switch op {
	case "=":
		return object{"range": object{t.path: object{"gte": minus, "lte": plus}}}, how
	case "<", ">=":
		return t.orMalformed(rangeOf(t.path, op, minus), how)
	}
	return t.orMalformed(rangeOf(t.path, op, plus), how)
}

// widened returns bounds within which a value that reads as v lies in the index.
func widened(f *esds.Field, declared row.Type, v float64) (low, high float64, ok bool) {
	size := math.Abs(v)
	step := math.Nextafter(size, math.Inf(1)) - size
	if declared.Kind == row.Float {
		step = max(step, size*0x1p-22, 0x1p-148)
	}
	switch f.Kind {
	case "float":
		step = max(step, size*0x1p-22, 0x1p-148)
	case "half_float":
		step = max(step, size*0x1p-9, 0x1p-23)
	case "scaled_float":
		if f.Scale <= 0 {
			return 0, 0, false
		}
		step = max(step, 1/f.Scale) + size*0x1p-50
	}
	low, high = v-step, v+step
	limit := map[string]float64{"half_float": 65504, "float": math.MaxFloat32}[f.Kind]
	if limit == 0 {
		limit = math.MaxFloat64
	}
	return low, high, low >= -limit && high <= limit // the server refuses to look for others
}

// compareDate compares instants. The index keeps milliseconds (nanoseconds in
// date_nanos) while documents may be finer, so most comparisons with TIMESTAMP
// are a superset by a millisecond; those that end at a whole one are exact, and
// so are all of days.
func (t *target) compareDate(op string, lit *expr.Literal, how esds.Pushdown) (object, esds.Pushdown) {
	nanos := t.field.Kind == "date_nanos"
	low, high, ok := t.dateBounds(op, lit)
	if !ok {
		return nil, esds.No
	}
	if nanos { // which has no dates before 1970, and refuses to look for them
		if high != nil && *high <= 0 {
			return t.orMalformed(matchNone(), how)
		}
		if low != nil && *low < 0 {
			low = new(int64)
		}
	}
	bounds := object{"format": "strict_date_optional_time"}
	if low != nil {
		ms := floorDiv(*low, 1000)
		if ms*1000 != *low {
			how = min(how, esds.Superset)
		}
		bounds["gte"] = isoMillis(ms)
	}
	if high != nil {
		ms := floorDiv(*high, 1000)
		switch {
		case ms*1000 == *high:
			bounds["lt"] = isoMillis(ms)
		case nanos:
			how = min(how, esds.Superset)
			bounds["lt"] = isoMillis(ms + 1)
		default:
			how = min(how, esds.Superset)
			bounds["lte"] = isoMillis(ms)
		}
	}
	for _, k := range []string{"gte", "lt", "lte"} {
		if s, ok := bounds[k].(string); ok && !plainYear(s, t.field.Kind) {
			return nil, esds.No
		}
	}
	return t.orMalformed(object{"range": object{t.path: bounds}}, how)
}

// dateBounds returns the half-open range of microseconds for which column op
// literal holds.
func (t *target) dateBounds(op string, lit *expr.Literal) (low, high *int64, ok bool) {
	const day = 86_400_000_000
	v, ok := lit.Value.(int64)
	if !ok {
		return nil, nil, false
	}
	unit := int64(1)
	switch {
	case t.declared.Kind == row.Date && lit.T.Kind == row.Date:
		unit = day
	case t.declared.Kind == row.Date && (lit.T.Kind == row.Timestamp || lit.T.Kind == row.TimestampNTZ):
		// a day is its midnight here
		unit = day
		floor := floorDiv(v, day)
		if floor*day != v {
			switch op {
			case "=":
				return nil, nil, false
			case ">", ">=":
				op = ">"
			default:
				op = "<="
			}
		}
		v = floor
	case t.declared.Kind != lit.T.Kind || t.declared.Kind != row.Timestamp && t.declared.Kind != row.TimestampNTZ:
		return nil, nil, false
	}
	if v > math.MaxInt64/unit-2 || v < math.MinInt64/unit+2 {
		return nil, nil, false
	}
	from, to := v*unit, (v+1)*unit
	switch op {
	case "=":
		return &from, &to, true
	case "<":
		return nil, &from, true
	case "<=":
		return nil, &to, true
	case ">":
		return &to, nil, true
	}
	return &from, nil, true
}

// isoMillis prints milliseconds as 2006-01-02T15:04:05.000Z.
func isoMillis(ms int64) string {
	text := string(row.AppendTimestamp(nil, ms*1000, 'T'))
	whole, fraction, _ := strings.Cut(text, ".")
	return whole + "." + (fraction + "000")[:3] + "Z"
}

// plainYear reports whether the server takes the year of a bound.
func plainYear(iso, kind string) bool {
	if len(iso) != len("2006-01-02T15:04:05.000Z") {
		return false
	}
	year := iso[:4]
	return kind == "date" || year > "1677" && year < "2262"
}
