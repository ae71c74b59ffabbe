package esdstest

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

var filterTests = map[string]func(*env){
	"filter/predicates": testPredicates,
	"filter/random":     testRandomPredicates,
	"filter/unknown":    testUnknownColumn,
}

// filterMapping has the properties that make an index answer otherwise than
// SQL does.
const filterMapping = `{"properties": {
	"id": {"type": "keyword"}, "k": {"type": "keyword"}, "short": {"type": "keyword", "ignore_above": 3}, "nul": {"type": "keyword", "null_value": "none"},
	"low": {"type": "keyword", "normalizer": "lowercase"}, "t": {"type": "text"}, "tk": {"type": "text", "fields": {"keyword": {"type": "keyword", "ignore_above": 256}}},
	"tiny": {"type": "byte"}, "i": {"type": "integer"}, "n": {"type": "long"}, "loose": {"type": "long", "ignore_malformed": true}, "f": {"type": "float"}, "h": {"type": "half_float"}, "x": {"type": "double"},
	"b": {"type": "boolean"}, "d": {"type": "date"}, "ts": {"type": "date"}, "nanos": {"type": "date_nanos"}, "day": {"type": "date", "format": "yyyy-MM-dd"},
	"sec": {"type": "date", "format": "epoch_second"}, "off": {"type": "keyword", "index": false, "doc_values": false}, "slow": {"type": "integer", "index": false}, "ip": {"type": "ip"},
	"o": {"properties": {"p": {"type": "integer"}, "q": {"type": "keyword"}}}}}`

var filterSchema = fields(
	"id", row.StringType, "k", row.StringType, "short", row.StringType, "nul", row.StringType, "low", row.StringType, "t", row.StringType, "tk", row.StringType,
	"tiny", row.TinyIntType, "i", row.IntType, "n", row.BigIntType, "loose", row.BigIntType, "f", row.FloatType, "h", row.FloatType, "x", row.DoubleType,
	"b", row.BooleanType, "d", row.DateType, "ts", row.TimestampType, "nanos", row.TimestampType, "day", row.DateType,
	"sec", row.TimestampType, "off", row.StringType, "slow", row.IntType, "ip", row.StringType, "o.p", row.IntType, "o.q", row.StringType,
	"dec", row.DecimalType(20, 4), "bigdec", row.DecimalType(38, 0),
)

// Values that predicates ask for, and rows hold.
var (
	someTexts  = []any{"", "a", "A", "abc", "Abc", "abcd", "b", "none", "the quick", "The Quick fox", "fox", "ü", "a*c", "a?c", "a_c", "a%c", `a\c`, "a b", "!!", "10.0.0.1", "z😀"}
	someInts   = []any{int64(-128), int64(-1), int64(0), int64(1), int64(2), int64(100), int64(127)}
	someLongs  = []any{int64(-9223372036854775808), int64(-1), int64(0), int64(1), int64(9007199254740992), int64(9007199254740993), int64(9223372036854775807)}
	someFloats = []any{-1.5, 0.0, 0.1, 0.5, 1.0, 2.5, 100.25, 16777217.0}
	someDays   = []any{int64(-1), int64(0), int64(1), int64(19782), int64(19783)}
	someTimes  = []any{int64(-1), int64(0), int64(1), int64(1000), int64(1709201472123456), int64(1709201472123000), int64(1709164800000000), int64(1709251199999999), int64(1709251200000000)}
	someSecs   = []any{int64(0), int64(1_000_000), int64(1709201472_000000)}
	someNanos  = []any{int64(0), int64(1), int64(1000), int64(1709201472123456), int64(1709201472123000)}
	someIPs    = []any{"10.0.0.1", "10.0.0.2", "192.168.1.1", "::1"}
	someDecs   = []any{"0.0000", "0.1000", "-1.5000", "9007199254740993.0001", "9007199254740993.0002"}
	someBigs   = []any{"0", "-1", "9007199254740993", "99999999999999999999999999999999999999"}
	bothBools  = []any{true, false}
)

// valuesOf returns what a column of the filter tests may hold.
func valuesOf(f row.Field) []any {
	switch f.Name {
	case "ip":
		return someIPs
	case "h":
		return rounded(someFloats[:len(someFloats)-1]) // the last is beyond half_float
	case "nanos":
		return someNanos
	case "sec":
		return someSecs
	case "bigdec":
		return someBigs
	}
	switch f.Type.Kind {
	case row.String:
		return someTexts
	case row.TinyInt, row.Int:
		return someInts
	case row.BigInt:
		return someLongs
	case row.Float:
		return rounded(someFloats)
	case row.Double:
		return someFloats
	case row.Boolean:
		return bothBools
	case row.Date:
		return someDays
	case row.Decimal:
		return someDecs
	}
	return someTimes
}

func rounded(list []any) []any {
	out := make([]any, len(list))
	for i, v := range list {
		out[i] = float64(float32(v.(float64)))
	}
	return out
}

// fillFilter makes the index of the filter tests. The values are those of the
// rows by column; times are numbers there.
func fillFilter(e *env, random *rand.Rand) (string, []map[string]any) {
	name := e.name("f")
	mapping := decode([]byte(filterMapping)).(object)
	inner, err := esds.MappingOf(fields("dec", row.DecimalType(20, 4), "bigdec", row.DecimalType(38, 0)), nil)
	e.must(err)
	for k, v := range obj(decode(inner).(object), "properties") {
		obj(mapping, "properties")[k] = v
	}
	settings := `{"index": {"number_of_shards": "2", "number_of_replicas": "0", "analysis": {"normalizer": {"lowercase": {"type": "custom", "filter": ["lowercase"]}}}}}`
	e.must(e.src.Create(e.ctx, name, esds.Definition{Mappings: encode(mapping), Settings: []byte(settings)}))
	var rows [][]any
	var values []map[string]any
	for i := range 80 {
		r, byName := make([]any, len(filterSchema)), map[string]any{}
		for c, f := range filterSchema {
			list := valuesOf(f)
			switch {
			case f.Name == "id":
				r[c] = fmt.Sprintf("row%02d", i)
			case i < len(list): // every value comes once
				r[c] = list[i]
			case random.IntN(4) > 0:
				r[c] = list[random.IntN(len(list))]
			}
			byName[f.Name] = r[c]
		}
		rows, values = append(rows, r), append(values, byName)
	}
	e.write(esds.Write{Index: name, ID: "id"}, filterSchema, rows...)
	return name, values
}

// column returns the bound reference to a column of a schema.
func column(s row.Schema, name string) *expr.Column {
	i := s.Index(name)
	return &expr.Column{Node: expr.Node{T: s[i].Type}, ID: i + 1, Name: s[i].Name}
}

// expr1 is a function of one column.
type expr1 struct {
	of   expr.Expr
	name string
}

func (x *expr1) call() *expr.Call { return call(x.name, x.of) }

func call(name string, args ...expr.Expr) *expr.Call {
	return &expr.Call{Node: expr.Node{T: row.BooleanType}, Func: name, Args: args}
}

func literal(t row.Type, v any) *expr.Literal {
	return &expr.Literal{Node: expr.Node{T: t}, Value: v}
}

var comparisons = []string{"=", "<>", "<", "<=", ">", ">=", "<=>"}

// atoms returns predicates of one column.
func atoms(f row.Field, random *rand.Rand) []expr.Expr {
	c, values := column(filterSchema, f.Name), valuesOf(f)
	out := []expr.Expr{call("isnull", c), call("isnotnull", c), call("=", c, literal(f.Type, nil)), call("<=>", c, literal(f.Type, nil))}
	pick := func() expr.Expr { return literal(f.Type, values[random.IntN(len(values))]) }
	for _, v := range values {
		for _, op := range comparisons {
			out = append(out, call(op, c, literal(f.Type, v)))
		}
	}
	out = append(out, call("<", pick(), c), call("=", pick(), c), call("between", c, pick(), pick()), call("not", call("between", c, pick(), pick())))
	out = append(out, call("in", c, pick(), pick(), pick()), call("in", c, pick(), literal(f.Type, nil)), call("not", call("in", c, pick(), pick())),
		call("not", call("in", c, pick(), literal(f.Type, nil))), call("in", c, literal(f.Type, nil)))
	switch f.Type.Kind {
	case row.String:
		for _, pattern := range []string{"a%", "A%", "%c", "%b%", "a_c", "_", "%", "", "abc", `a\%c`, `a\_c`, `a\\c`, "a*c", "a?%", "%quick%", "ü%", "%😀", "__😀"} {
			like := call("like", c, literal(row.StringType, pattern))
			out = append(out, like, call("not", like))
		}
		for _, pattern := range []string{"", "a", "^a", "c$", "^a.c$", "^[a-z]+$", "q.*k|fox", `^\w+$`, `[^\w]`, `\*|\?`, "^(ab?c|b)$", "a{1}b", "(?i)A", `^\d+(\.\d+){3}$`, "ü", "^.$", `[%_\-]`, "#|@|~|<", "a+?b"} {
			like := call("rlike", c, literal(row.StringType, pattern))
			out = append(out, like, call("not", like))
		}
		out = append(out, call("not", call("=", c, pick())))
	case row.Boolean:
		out = append(out, c, call("not", c), call("istrue", c), call("isfalse", c), call("not", call("istrue", c)))
	case row.TinyInt, row.Int, row.Float, row.Date:
		out = append(out, widened(c, random)...)
	}
	return out
}

// widened compares a column in a wider type, as binding does.
func widened(c *expr.Column, random *rand.Rand) []expr.Expr {
	to, values := row.BigIntType, someLongs
	switch c.T.Kind {
	case row.Float:
		to, values = row.DoubleType, someFloats
	case row.Date:
		to, values = row.TimestampType, someTimes
	}
	x := &expr.Cast{Node: expr.Node{T: to}, X: c, Implicit: true}
	var out []expr.Expr
	for _, op := range comparisons {
		for range 3 {
			out = append(out, call(op, x, literal(to, values[random.IntN(len(values))])))
		}
	}
	return out
}

func testPredicates(e *env) {
	random := rand.New(rand.NewPCG(1, 2))
	name, rows := fillFilter(e, random)
	index := e.open(name)
	answers := map[esds.Pushdown]int{}
	for _, f := range filterSchema {
		for _, p := range atoms(f, random) {
			answers[e.checkRows(index, p, rows)]++
		}
	}
	e.Logf("predicates answered exactly: %d, as a superset: %d, not at all: %d", answers[esds.Exact], answers[esds.Superset], answers[esds.No])
	if answers[esds.Exact] == 0 {
		e.Error("no predicate is answered exactly")
	}
}

// testRandomPredicates joins predicates by AND, OR and NOT, some of which no
// index can answer.
func testRandomPredicates(e *env) {
	random := rand.New(rand.NewPCG(3, 4))
	name, rows := fillFilter(e, random)
	index := e.open(name)
	var all []expr.Expr
	for _, f := range filterSchema {
		all = append(all, atoms(f, random)...)
	}
	answers := map[esds.Pushdown]int{}
	for range 400 {
		answers[e.checkRows(index, joined(all, random, 3), rows)]++
	}
	e.Logf("predicates answered exactly: %d, as a superset: %d, not at all: %d", answers[esds.Exact], answers[esds.Superset], answers[esds.No])
	// Several conditions at once all hold.
	for range 60 {
		var filter []expr.Expr
		for len(filter) < 3 {
			if p := joined(all, random, 1); index.Pushdown(p) != esds.No {
				filter = append(filter, p)
			}
		}
		e.checkConjunction(index, filter, rows)
	}
}

func joined(all []expr.Expr, random *rand.Rand, depth int) expr.Expr {
	if depth == 0 || random.IntN(4) == 0 {
		if random.IntN(12) == 0 { // length(k) = n: for the caller to check
			k := column(filterSchema, "k")
			return call("=", &expr.Call{Node: expr.Node{T: row.IntType}, Func: "length", Args: []expr.Expr{k}}, literal(row.IntType, int64(random.IntN(4))))
		}
		return all[random.IntN(len(all))]
	}
	a := joined(all, random, depth-1)
	switch random.IntN(5) {
	case 0:
		return call("not", a)
	case 1, 2:
		return call("or", a, joined(all, random, depth-1))
	}
	return call("and", a, joined(all, random, depth-1))
}

// checkRows checks a predicate on the rows of fillFilter.
func (e *env) checkRows(index esds.Index, p expr.Expr, rows []map[string]any) esds.Pushdown {
	e.Helper()
	want := map[string]bool{}
	for _, r := range rows {
		want[r["id"].(string)] = eval(p, r) == true
	}
	return e.checkFilter(index, p, want)
}

// checkFilter compares what a predicate finds with what is true. Want holds
// every id.
func (e *env) checkFilter(index esds.Index, p expr.Expr, want map[string]bool) esds.Pushdown {
	e.Helper()
	how := index.Pushdown(p)
	if how == esds.No {
		return how
	}
	rows, err := e.tryScan(index, esds.Scan{Columns: row.Schema{{Name: "_id", Type: row.StringType}}, Filter: []expr.Expr{p}})
	if err != nil {
		e.Errorf("%s: %v\n%s", p, err, index.Request(esds.Scan{Filter: []expr.Expr{p}}))
		return how
	}
	e.compareIDs(index, []expr.Expr{p}, how, rows, want)
	return how
}

func (e *env) checkConjunction(index esds.Index, filter []expr.Expr, rows []map[string]any) {
	e.Helper()
	want, how := map[string]bool{}, esds.Exact
	for _, r := range rows {
		want[r["id"].(string)] = !slices.ContainsFunc(filter, func(p expr.Expr) bool { return eval(p, r) != true })
	}
	for _, p := range filter {
		how = min(how, index.Pushdown(p))
	}
	got, err := e.tryScan(index, esds.Scan{Columns: row.Schema{{Name: "_id", Type: row.StringType}}, Filter: filter})
	e.must(err)
	e.compareIDs(index, filter, how, got, want)
}

func (e *env) compareIDs(index esds.Index, filter []expr.Expr, how esds.Pushdown, rows [][]any, want map[string]bool) {
	e.Helper()
	found := map[string]bool{}
	for _, r := range rows {
		found[fmt.Sprint(r[0])] = true
	}
	var lost, extra []string
	count := int64(0)
	for id, is := range want {
		switch {
		case is && !found[id]:
			lost = append(lost, id)
		case !is && found[id] && how == esds.Exact:
			extra = append(extra, id)
		}
		if is {
			count++
		}
	}
	slices.Sort(lost)
	slices.Sort(extra)
	if len(lost) > 0 || len(extra) > 0 || len(found) != len(rows) {
		if e.wrong++; e.wrong > 20 {
			e.Fatal("more predicates are answered wrongly")
		}
		e.Errorf("%v (%s) lost %v, found %v too much\n%s", filter, [...]string{"no", "superset", "exact"}[how], lost, extra, index.Request(esds.Scan{Filter: filter}))
		return
	}
	if how != esds.Exact {
		return
	}
	if n, err := index.Count(e.ctx, filter); n != count || err != nil {
		e.Errorf("count of %v = %d, %v, want %d", filter, n, err, count)
	}
}

// testUnknownColumn filters by a column that the mapping lacks: it is NULL.
func testUnknownColumn(e *env) {
	name := e.fill("a", idAndN, numbered(3)...)
	index := e.open(name)
	c := &expr.Column{Node: expr.Node{T: row.StringType}, ID: 9, Name: "zz"}
	all, none := map[string]bool{}, map[string]bool{}
	for i := range 3 {
		id := fmt.Sprintf("x%05d", i)
		all[id], none[id] = true, false
	}
	e.checkFilter(index, call("isnull", c), all)
	e.checkFilter(index, call("isnotnull", c), none)
	e.checkFilter(index, call("=", c, literal(row.StringType, "a")), none)
	e.checkFilter(index, call("not", call("=", c, literal(row.StringType, "a"))), none)
	e.checkFilter(index, call("<=>", c, literal(row.StringType, nil)), all)
}
