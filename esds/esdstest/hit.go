package esdstest

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"

	"github.com/eslake/eslake/sql/row"
)

// hit is a document that a search found.
type hit struct {
	doc   *document
	shard int // in the snapshot
	ord   int // in the shard
	keys  []any
}

func parseFieldList(v any) []docvalue {
	var out []docvalue
	list, _ := v.([]any)
	for _, e := range list {
		switch e := e.(type) {
		case string:
			out = append(out, docvalue{field: e})
		case object:
			out = append(out, docvalue{field: str(e, "field"), format: str(e, "format")})
		}
	}
	return out
}

func (p *searchPlan) answer(snap *snapshot, hits []hit, all int) object {
	list := []any{}
	for _, h := range hits {
		list = append(list, p.show(h, snap))
	}
	out := object{"hits": list, "max_score": nil}
	switch {
	case p.total < 0:
	case all > p.total:
		out["total"] = object{"value": p.total, "relation": "gte"}
	default:
		out["total"] = object{"value": all, "relation": "eq"}
	}
	n := len(snap.shards)
	return object{"took": 1, "timed_out": false, "_shards": object{"total": n, "successful": n, "skipped": 0, "failed": 0}, "hits": out}
}

func (p *searchPlan) show(h hit, snap *snapshot) object {
	d := h.doc
	out := object{"_index": d.index, "_score": nil}
	if len(p.sort) == 0 || p.scored {
		out["_score"] = json.Number("1.0")
	}
	if !p.noID {
		out["_id"] = d.id
		if d.routing != "" {
			out["_routing"] = d.routing
		}
		if len(d.ignored) > 0 {
			out["_ignored"] = d.ignored
		}
	}
	if p.ver {
		out["_version"] = d.version
	}
	if p.seqNo {
		out["_seq_no"], out["_primary_term"] = d.seqNo, 1
	}
	if source, some := p.source.apply(d); some {
		out["_source"] = source
	}
	fields := p.docvalues(d, snap.shards[h.shard].index)
	for name, values := range p.fetched(d, snap.shards[h.shard].index) {
		fields[name] = values
	}
	if len(fields) > 0 {
		out["fields"] = fields
	}
	if p.sort != nil {
		shown := []any{}
		for _, k := range h.keys {
			shown = append(shown, showKey(k))
		}
		out["sort"] = shown
	}
	return out
}

// docvalue is a field asked for by docvalue_fields.
type docvalue struct{ field, format string }

// checkFields refuses doc values that a mapping does not have.
func (p *searchPlan) checkFields(x *index) *failure {
	for _, dv := range p.fields {
		f := x.fields[dv.field]
		switch {
		case f == nil:
		case f.typ == "text":
			return fail(400, "illegal_argument_exception", "Fielddata is disabled on [%s] in [%s]. Text fields are not optimised for operations that require per-document field data like aggregations and sorting, so these operations are disabled by default.", f.path, x.name)
		case f.params["doc_values"] == false || f.typ == "binary" && f.params["doc_values"] != true || contains(opaque, f.typ) && f.typ != "geo_point":
			return fail(400, "illegal_argument_exception", "Can't load fielddata on [%s] because fielddata is unsupported on fields of type [%s]. Use doc values instead.", f.path, f.typ)
		}
	}
	return nil
}

func (p *searchPlan) docvalues(d *document, x *index) object {
	out := object{}
	for _, dv := range p.fields {
		switch dv.field {
		case "_index":
			out["_index"] = []any{d.index}
			continue
		case "_id":
			out["_id"] = []any{d.id}
			continue
		case "_seq_no":
			out["_seq_no"] = []any{d.seqNo}
			continue
		}
		f := x.fields[dv.field]
		if f == nil || len(d.values[dv.field]) == 0 {
			continue
		}
		values := slices.Clone(d.values[dv.field])
		slices.SortFunc(values, compare)
		if _, isText := values[0].(string); isText {
			values = slices.Compact(values)
		}
		for i, v := range values {
			values[i] = f.show(v, dv.format)
		}
		out[dv.field] = values
	}
	return out
}

// fetched returns what "fields" asks for: the values of the source, printed as
// the mapping says.
func (p *searchPlan) fetched(d *document, x *index) object {
	out := object{}
	for _, dv := range p.fetch {
		f := x.fields[dv.field]
		if f == nil {
			continue
		}
		if f.typ == "alias" {
			f = x.fields[str(f.params, "path")]
		}
		var shown []any
		if f.typ == "token_count" { // from doc values
			shown = append(shown, d.values[f.path]...)
		}
		for _, v := range valuesAt(d.fields, f.path) {
			if f.typ == "token_count" {
				continue
			}
			if v != nil {
				shown = append(shown, f.fetched(v, dv.format))
			}
		}
		if v := f.params["value"]; f.typ == "constant_keyword" && v != nil {
			shown = []any{v}
		}
		if len(shown) > 0 {
			out[dv.field] = shown
		}
	}
	return out
}

// fetched returns a value of the source as "fields" shows it.
func (f *field) fetched(v any, format string) any {
	switch f.typ {
	case "date", "date_nanos":
		if format == "" {
			format = f.format()
		}
		if n, ok := f.date(text(v), false); ok {
			return f.formatDate(n, format)
		}
	case "keyword", "text":
		return text(v)
	}
	return v
}

// valuesAt returns the values at a path of a document.
func valuesAt(v any, path string) []any {
	var found []any
	for _, e := range flatten(v) {
		members, isObject := e.(object)
		if !isObject {
			continue
		}
		if inner, here := members[path]; here {
			found = append(found, flatten(inner)...)
		}
		for i, c := range path {
			if c == '.' {
				if inner, here := members[path[:i]]; here {
					found = append(found, valuesAt(inner, path[i+1:])...)
				}
			}
		}
	}
	return found
}

// show returns a doc value as JSON shows it.
func (f *field) show(v any, format string) any {
	switch f.typ {
	case "boolean":
		return v == int64(1)
	case "date", "date_nanos":
		if format == "" || format == "use_field_mapping" {
			format = f.format()
		}
		return f.formatDate(v.(int64), format)
	}
	switch v := v.(type) {
	case float64:
		return javaFloat(v)
	case *big.Int:
		return json.Number(v.String())
	}
	return v
}

// javaFloat prints a number as Java does, with a fraction.
func javaFloat(v float64) any {
	return json.Number(row.AppendFloat(nil, v, 64))
}

func showKey(k any) any {
	switch k := k.(type) {
	case float64:
		return javaFloat(k)
	case *big.Int:
		return json.Number(k.String())
	case nil, string, int64:
		return k
	}
	return fmt.Sprint(k)
}
