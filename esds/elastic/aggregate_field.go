package elastic

import (
	"slices"
	"strings"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// grouping is an aggregation as the index can answer it.
type grouping struct {
	index     *index
	want      esds.Aggregation
	keys      []*target
	slots     []*slot
	metrics   []int     // by metric: its slot
	distincts []*target // by metric: the column of COUNT(DISTINCT), nil for others
	fields    []*target // of metrics, each once: they must prove single-valued
}

// slot is one aggregation of a group, which may serve several metrics.
type slot struct {
	field  *target // nil for documents
	filter object  // nil for all documents of the group
	what   slotKind
}

type slotKind uint8

const (
	slotCount slotKind = iota // number of values, or of documents
	slotStats                 // number, least, greatest and sum
	slotLeast                 // the first text
	slotMost                  // the last text
)

// grouping finds how to ask for an aggregation. The error says why not.
func (x *index) grouping(a esds.Aggregation) (*grouping, error) {
	switch {
	case len(x.names) == 0:
		return nil, esds.Inexact("there is no index")
	case x.opts.Int("es.scroll.limit") >= 0:
		return nil, esds.Inexact("es.scroll.limit cuts what is read")
	}
	g := &grouping{index: x, want: a, distincts: make([]*target, len(a.Metrics)), metrics: make([]int, len(a.Metrics))}
	for _, k := range a.Keys {
		t, err := x.groupKey(k)
		if err != nil {
			return nil, err
		}
		g.keys = append(g.keys, t)
	}
	for i, m := range a.Metrics {
		if err := g.metric(i, m); err != nil {
			return nil, err
		}
	}
	for _, e := range a.Filter {
		if x.Pushdown(e) != esds.Exact {
			return nil, esds.Inexact("the index answers %s only roughly", e)
		}
	}
	return g, nil
}

// groupKey is a column by whose doc values documents fall into the groups of SQL.
func (x *index) groupKey(k esds.GroupKey) (*target, error) {
	t, err := x.valued(k.Column)
	if err != nil {
		return nil, err
	}
	if k.Trunc != "" {
		if t.field.Kind != "date" {
			return nil, esds.Inexact("%s is of kind %s, the index cuts only dates", k.Column.Name, t.field.Kind)
		}
		if _, ok := intervals[k.Trunc]; !ok {
			return nil, esds.Inexact("the index does not cut dates to the %s", k.Trunc)
		}
		return t, nil
	}
	return t, t.keeps()
}

// valued returns a column whose doc values are those of the documents, as far as
// the mapping tells.
func (x *index) valued(c row.Field) (*target, error) {
	if t, ok := x.target(&expr.Column{Node: expr.Node{T: c.Type}, Name: c.Name}); ok && t.meta == "" {
		return t, t.countable(c)
	}
	f := esds.Find(x.fields, c.Name)
	switch {
	case isMetadata(c.Name):
		return nil, esds.Inexact("%s is metadata", c.Name)
	case f == nil:
		return nil, esds.Inexact("the mapping has no field %s", c.Name)
	case c.Type.Nested():
		return nil, esds.Inexact("%s is of type %s", c.Name, c.Type)
	case x.underNested(c.Name):
		return nil, esds.Inexact("%s lies in a list of objects", c.Name)
	case f.Mixed:
		return nil, esds.Inexact("%s is not of one kind in all indices", c.Name)
	}
	return nil, esds.Inexact("%s of kind %s cannot be searched", c.Name, f.Kind)
}

// countable says why the doc values of a field do not tell what is NULL.
func (t *target) countable(c row.Field) error {
	f := t.field
	switch {
	case f.Kind == "text":
		return esds.Inexact("%s is analysed text without an exact sub-field", c.Name)
	case !f.DocValues:
		return esds.Inexact("%s has no doc values", c.Name)
	case f.NullValue:
		return esds.Inexact("%s has null_value, which the index cannot tell from a value", c.Name)
	case f.CopiedTo:
		return esds.Inexact("%s holds values of other fields (copy_to)", c.Name)
	case f.Normalizer != "":
		return esds.Inexact("%s has a normalizer, so the index holds other values", c.Name)
	case t.emptyNull:
		return esds.Inexact("es.read.field.empty.as.null reads empty text of %s as NULL, the index does not", c.Name)
	case !t.readable():
		return esds.Inexact("the index holds %s as %s, the column is %s", c.Name, f.Kind, c.Type)
	case t.quality() != esds.Exact || !t.scalarKind():
		return esds.Inexact("%s of kind %s holds other values in the index than in documents", c.Name, f.Kind)
	}
	return nil
}

// readable reports whether every value that the field can hold is one of the
// column's type, or is reported when it is read.
func (t *target) readable() bool {
	kind, d := t.field.Kind, t.declared
	switch {
	case d.Kind == row.String:
		return true
	case d.Kind == row.Boolean:
		return kind == "boolean"
	case d.Integral():
		return isWhole(kind)
	case d.Numeric():
		return isWhole(kind) || isFloating(kind)
	case d.Kind == row.Date || d.Kind == row.Timestamp || d.Kind == row.TimestampNTZ:
		return isDate(kind)
	}
	return false
}

// keeps says why the doc values of a column are not those of the documents.
func (t *target) keeps() error {
	f, d := t.field, t.declared
	switch {
	case f.Kind == "keyword" && d.Kind == row.String,
		f.Kind == "boolean" && d.Kind == row.Boolean,
		isWhole(f.Kind) && f.Kind != "unsigned_long" && d.Integral(),
		f.Kind == "double" && d.Kind == row.Double,
		f.Kind == "date" && d.Kind == row.Date:
		return nil
	case f.Kind == "date" && (d.Kind == row.Timestamp || d.Kind == row.TimestampNTZ):
		if wholeMillis(f.Format) {
			return nil
		}
		return esds.Inexact("%s may have microseconds, the index keeps milliseconds", f.Path)
	case isFloating(f.Kind) || d.Kind == row.Decimal:
		return esds.Inexact("the index holds %s as %s, which rounds %s", f.Path, f.Kind, d)
	}
	return esds.Inexact("the index holds %s as %s, the column is %s", f.Path, f.Kind, d)
}

// wholeMillis reports whether a date format takes nothing finer than
// milliseconds.
func wholeMillis(format string) bool {
	if format == "" {
		return false
	}
	for _, name := range strings.Split(format, "||") {
		name = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(name), "8"), "strict_")
		switch name {
		case "date", "year_month_day", "date_hour_minute", "date_hour_minute_second", "date_hour_minute_second_millis", "date_time_no_millis":
			continue
		}
		form, ok := parseDateForm(name, name)
		if !ok || form.kind != datePattern {
			return false
		}
		if slices.ContainsFunc(form.pattern, func(t dateToken) bool { return t.letter == 'S' && t.width > 3 }) {
			return false
		}
	}
	return true
}

// metric finds the slot that answers a metric.
func (g *grouping) metric(i int, m esds.Metric) error {
	filter, err := g.filter(m.Filter)
	if err != nil {
		return err
	}
	if m.Column.Name == "" {
		g.metrics[i] = g.slot(slot{filter: filter})
		return nil
	}
	t, err := g.index.valued(m.Column)
	if err != nil {
		return err
	}
	s := slot{field: g.field(t), filter: filter}
	switch {
	case m.Distinct && (m.Func != "count" || filter != nil):
		return esds.Inexact("%s is not asked of the index", m)
	case m.Distinct:
		g.distincts[i] = s.field
		return t.keeps()
	case m.Func == "count":
		if t.narrower() {
			s.what = slotStats
		}
	case m.Func == "sum" || m.Func == "avg":
		s.what = slotStats
		err = t.addable(m)
	case m.Func == "min" || m.Func == "max":
		s.what = slotStats
		if t.declared.Kind == row.String {
			s.what = map[string]slotKind{"min": slotLeast, "max": slotMost}[m.Func]
		}
		err = t.keeps()
	default:
		err = esds.Inexact("the index has no %s", m.Func)
	}
	g.metrics[i] = g.slot(s)
	return err
}

func (g *grouping) filter(conds []expr.Expr) (object, error) {
	if len(conds) == 0 {
		return nil, nil
	}
	for _, e := range conds {
		if g.index.Pushdown(e) != esds.Exact {
			return nil, esds.Inexact("the index answers %s only roughly", e)
		}
		if err := g.single(e); err != nil {
			return nil, err
		}
	}
	return g.index.query(conds), nil
}

// single asks for the proof that the columns of a condition have one value a
// document. Documents that it drops are rows of the query too: a list among them
// is an error that must not be passed over.
func (g *grouping) single(cond expr.Expr) error {
	var err error
	expr.Walk(cond, func(x expr.Expr) bool {
		c, ok := x.(*expr.Column)
		if !ok || isMetadata(c.Name) || err != nil {
			return err == nil
		}
		var t *target
		if t, err = g.index.valued(row.Field{Name: c.Name, Type: c.T}); err == nil {
			g.field(t)
		}
		return err == nil
	})
	return err
}

// addable says why sums of a column are not those of SQL.
func (t *target) addable(m esds.Metric) error {
	switch {
	case isWhole(t.field.Kind) && t.field.Kind != "unsigned_long" && t.declared.Integral():
		return nil
	case t.declared.Kind == row.Float || t.declared.Kind == row.Double:
		return esds.Inexact("%s depends on the order in which %s are added", m, t.declared)
	}
	return esds.Inexact("%s: the index holds %s as %s, the column is %s", m, t.path, t.field.Kind, t.declared)
}

// narrower reports whether the index may hold numbers that the column does not
// take.
func (t *target) narrower() bool {
	kinds := map[string]row.Kind{"byte": row.TinyInt, "short": row.SmallInt, "integer": row.Int, "long": row.BigInt}
	k, whole := kinds[t.field.Kind]
	return whole && t.declared.Integral() && t.declared.Kind < k
}

// slot returns the position of a slot, which it adds when it is new.
func (g *grouping) slot(s slot) int {
	for i, have := range g.slots {
		if have.field == s.field && have.what == s.what && string(marshal(have.filter)) == string(marshal(s.filter)) {
			return i
		}
	}
	g.slots = append(g.slots, &s)
	return len(g.slots) - 1
}

// field returns the target of a path, the same one each time.
func (g *grouping) field(t *target) *target {
	for _, have := range g.fields {
		if have.path == t.path {
			return have
		}
	}
	g.fields = append(g.fields, t)
	return t
}
