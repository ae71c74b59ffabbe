package elastic

import (
	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// target is a column as the index knows it.
type target struct {
	name      string      // of the column
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
	t := &target{name: path, path: path, declared: e.Type(), column: column}
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
