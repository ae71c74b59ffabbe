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

// target is a column as the index knows it.
type target struct {
	path      string      // where to search: the field or its keyword
	meta      string      // "_id" and the like, "" for a field
	field     *esds.Field // what is searched; nil for metadata
	declared  row.Type    // as the table has it
	column    row.Type    // as the comparison sees it, after a widening cast
	emptyNull bool        // "" reads as NULL, which the index does not know
	silent    bool        // texts that are too long for the index leave no trace in it
}

// target returns what a comparison's column is in the index; it is false when
// that cannot be searched.
func (x *index) target(e expr.Expr) (*target, bool) {
	t, ok := x.find(e)
	if !ok || t.declared.Nested() || t.column.Nested() {
		return nil, false
	}
	return t, true
}

func (x *index) find(e expr.Expr) (*target, bool) {
	column := e.Type()
	for {
		cast, ok := e.(*expr.Cast)
		if !ok || !widens(cast.X.Type(), cast.T) {
			break
		}
		e = cast.X
	}
	path, ok := pathOf(e)
	if !ok {
		return nil, false
	}
	t := &target{path: path, declared: e.Type(), column: column}
	switch path {
	case "_id", "_index", "_routing":
		t.meta = path
		return t, true
	}
	f := esds.Find(x.fields, path)
	if f == nil || x.underNested(path) {
		return nil, false
	}
	if f.Kind == "text" {
		if f = keywordOf(f); f == nil {
			return x.textOnly(t, path)
		}
	}
	t.path, t.field = f.Path, f
	t.silent = f.IgnoreAbove > 0 && !x.tellsIgnored
	t.emptyNull = t.declared.Kind == row.String && x.opts.Bool("es.read.field.empty.as.null")
	return t, searchable(f)
}

// textOnly is an analysed field: full-text search can use it, comparisons not.
func (x *index) textOnly(t *target, path string) (*target, bool) {
	t.field = esds.Find(x.fields, path)
	t.path = t.field.Path
	return t, true
}

// searchable leaves out what the index cannot answer for.
func searchable(f *esds.Field) bool {
	return f.Clash == "" && !f.Mixed && !f.Disabled && f.Indexed
}

// keywordOf returns the multi-field that keeps a text as it was written.
func keywordOf(f *esds.Field) *esds.Field {
	for i := range f.Multi {
		if m := &f.Multi[i]; m.Kind == "keyword" && m.Normalizer == "" && !m.NullValue && !m.Mixed {
			kept := *m
			kept.CopiedTo = f.CopiedTo
			return &kept
		}
	}
	return nil
}

func (x *index) underNested(path string) bool {
	for i := 0; i < len(path); i++ {
		if path[i] != '.' {
			continue
		}
		if f := esds.Find(x.fields, path[:i]); f != nil && (f.Kind == "nested" || f.Type().Kind == row.Array || f.Type().Kind == row.Map) {
			return true
		}
	}
	return false
}

// pathOf returns the path of a column, or of a field of a struct.
func pathOf(e expr.Expr) (string, bool) {
	switch e := e.(type) {
	case *expr.Column:
		return e.Name, true
	case *expr.Field:
		if e.X.Type().Kind != row.Struct {
			return "", false
		}
		path, ok := pathOf(e.X)
		return path + "." + e.Name, ok
	}
	return "", false
}

// widens reports whether a cast keeps every value and their order.
func widens(from, to row.Type) bool {
	switch {
	case from.Equal(to):
		return true
	case from.Integral() && to.Integral():
		return to.Kind >= from.Kind
	case from.Integral() && to.Kind == row.Decimal:
		return to.Precision-to.Scale >= map[row.Kind]int{row.TinyInt: 3, row.SmallInt: 5, row.Int: 10, row.BigInt: 19}[from.Kind]
	case from.Kind == row.Decimal && to.Kind == row.Decimal:
		return to.Scale >= from.Scale && to.Precision-to.Scale >= from.Precision-from.Scale
	case to.Kind == row.Double:
		return from.Kind == row.Float || from.Integral() && from.Kind != row.BigInt
	case from.Kind == row.Date:
		return to.Kind == row.Timestamp || to.Kind == row.TimestampNTZ
	}
	return false
}

func (t *target) isText() bool {
	return t.field != nil && t.declared.Kind == row.String && (t.field.Kind == "keyword" || t.field.Kind == "wildcard")
}

// quality is how well a search of the field can answer at all.
func (t *target) quality() esds.Pushdown {
	f := t.field
	if f.NullValue || f.CopiedTo || f.Runtime || f.Kind == "alias" || f.Kind == "wildcard" || t.emptyNull {
		return esds.Superset
	}
	return esds.Exact
}

// present finds the documents in which the column is not NULL.
func (t *target) present() (object, esds.Pushdown) {
	f := t.field
	if t.silent {
		return nil, esds.No // too long a text looks like NULL
	}
	if f == nil || f.NullValue || f.CopiedTo || t.emptyNull || !t.scalarKind() {
		return nil, esds.No
	}
	return t.orIgnoredExact(object{"exists": object{"field": t.path}}), esds.Exact
}

// scalarKind reports whether exists means the same as IS NOT NULL.
func (t *target) scalarKind() bool {
	switch t.field.Kind {
	case "keyword":
		return t.declared.Kind == row.String
	case "boolean", "byte", "short", "integer", "long", "unsigned_long", "half_float", "float", "double", "scaled_float", "date", "date_nanos":
		return true
	case "ip":
		return t.declared.Kind == row.String
	}
	return false
}

// orIgnoredExact adds the documents whose value is there but too long, or
// malformed, for the index. Where too long a text leaves no trace, every document
// without an indexed value is one that may have it.
func (t *target) orIgnoredExact(q object) object {
	switch {
	case t.silent:
		return anyOf(q, object{"bool": object{"must_not": []any{object{"exists": object{"field": t.path}}}}})
	case t.field.IgnoreAbove == 0 && !t.field.Malformed:
		return q
	}
	return anyOf(q, object{"term": object{"_ignored": t.path}})
}

func (t *target) orIgnored(q object, how esds.Pushdown) (object, esds.Pushdown) {
	if t.field.IgnoreAbove == 0 && !t.field.Malformed {
		return q, how
	}
	return t.orIgnoredExact(q), min(how, esds.Superset)
}

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
