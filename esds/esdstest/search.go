package esdstest

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/eslake/eslake/sql/row"
)

// searchPlan is a search request, checked.
type searchPlan struct {
	query  query
	size   int
	from   int
	sort   []sortKey
	after  []any
	slice  *sliceOf
	source sourceFilter
	fields []docvalue // docvalue_fields
	fetch  []docvalue // fields
	noID   bool       // stored_fields is _none_
	total  int        // up to which hits are counted; -1 for none
	seqNo  bool
	ver    bool
}

// sliceOf is one of several parts of a read.
type sliceOf struct{ id, max int }

// hit is a document that a search found.
type hit struct {
	doc   *document
	shard int // in the snapshot
	ord   int // in the shard
	keys  []any
}

func search(c *cluster, req Request) (reply, *failure) {
	body := req.JSON()
	if body == nil && len(req.Body) > 0 {
		return reply{}, fail(400, "parsing_exception", "request body is not a JSON object")
	}
	snap, pit, err := c.searched(req, body)
	if err != nil {
		return reply{}, err
	}
	plan, err := c.plan(req, body, pit != "")
	if err != nil {
		return reply{}, err
	}
	hits, err := plan.find(snap, pit != "")
	if err != nil {
		return reply{}, err
	}
	all := len(hits)
	if keep := req.Query.Get("scroll"); keep != "" {
		if err := checkKeepAlive(keep, "scroll"); err != nil {
			return reply{}, phase(err)
		}
		if pit != "" || plan.after != nil || plan.from > 0 || plan.size == 0 {
			return reply{}, fail(400, "action_request_validation_exception", "Validation Failed: 1: using [from], [search_after], [point in time] or a size of 0 is not allowed in a scroll context;")
		}
		id := c.newID("scroll-")
		cur := &cursor{snap: snap, hits: hits, plan: plan, all: all}
		c.scrolls[id] = cur
		return ok(c.page(cur, id)), nil
	}
	hits = plan.page(hits)
	answer := plan.answer(snap, hits, all)
	if pit != "" {
		answer["pit_id"] = c.nextPIT(pit)
	}
	return ok(answer), nil
}

// searched returns what a search reads, and the id of the PIT when it is one.
func (c *cluster) searched(req Request, body object) (*snapshot, string, *failure) {
	pit := obj(body, "pit")
	if pit == nil {
		list, err := c.resolve(target(req), req.flag("ignore_unavailable"))
		if err != nil {
			return nil, "", err
		}
		return c.snapshot(list), "", nil
	}
	if target(req) != "" {
		return nil, "", fail(400, "action_request_validation_exception", "Validation Failed: 1: [indices] cannot be used with point in time. Do not specify any index with point in time.;")
	}
	if keep := str(pit, "keep_alive"); keep != "" {
		if err := checkKeepAlive(keep, "keep_alive"); err != nil {
			return nil, "", err
		}
	}
	snap := c.pits[pitKey(str(pit, "id"))]
	if snap == nil {
		f := fail(404, "search_phase_execution_exception", "all shards failed")
		f.more = object{"caused_by": object{"type": "search_context_missing_exception", "reason": "No search context found for id [1]"}}
		return nil, "", f
	}
	return snap, str(pit, "id"), nil
}

var searchKeys = []string{
	"query", "size", "from", "sort", "fields", "search_after", "slice", "_source", "docvalue_fields", "stored_fields", "track_total_hits", "seq_no_primary_term",
	"version", "pit", "timeout", "track_scores", "terminate_after", "batched_reduce_size",
}

// plan checks the body of a search.
func (c *cluster) plan(req Request, body object, pit bool) (searchPlan, *failure) {
	p := searchPlan{size: 10, total: 10000, seqNo: body["seq_no_primary_term"] == true, ver: body["version"] == true}
	for key := range body {
		if !contains(searchKeys, key) {
			return p, fail(400, "parsing_exception", "unknown key [%s] in a search, or the fake does not know it", key)
		}
	}
	var err *failure
	if p.query, err = parseQuery(c, body["query"]); err != nil {
		return p, err
	}
	for name, to := range map[string]*int{"size": &p.size, "from": &p.from} {
		v := req.Query.Get(name)
		if n, found := body[name]; found {
			v = text(n)
		}
		if v != "" {
			n, bad := strconv.Atoi(v)
			if bad != nil || n < 0 {
				return p, fail(400, "illegal_argument_exception", "[%s] parameter cannot be negative, found [%s]", name, v)
			}
			*to = n
		}
	}
	if p.size+p.from > 10000 {
		what := "Result window is too large, from + size must be less than or equal to: [10000] but was [%d]."
		if req.Query.Get("scroll") != "" {
			what = "Batch size is too large, size must be less than or equal to: [10000] but was [%d]."
		}
		return p, phase(fail(400, "illegal_argument_exception", what, p.size+p.from))
	}
	if err := p.planTotal(req, body); err != nil {
		return p, err
	}
	if err := p.planSlice(body, req.Query.Get("scroll") != "" || pit); err != nil {
		return p, err
	}
	if err := p.planSort(c.flavour, body, pit); err != nil {
		return p, err
	}
	return p, p.planFields(c.flavour, body)
}

// phase wraps the error of a shard as a search reports it.
func phase(cause *failure) *failure {
	f := fail(cause.status, "search_phase_execution_exception", "all shards failed")
	f.more = object{"phase": "query", "grouped": true, "failed_shards": []any{object{"shard": 0, "reason": cause.cause()}}, "caused_by": cause.cause()}
	return f
}

func (p *searchPlan) planTotal(req Request, body object) *failure {
	v, found := body["track_total_hits"]
	if s := req.Query.Get("track_total_hits"); s != "" {
		v, found = s, true
	}
	switch n, err := strconv.Atoi(text(v)); {
	case !found:
		if req.Query.Get("scroll") != "" {
			p.total = math.MaxInt
		}
	case v == true || v == "true":
		p.total = math.MaxInt
	case err == nil:
		p.total = n
	case v == false || v == "false":
		p.total = -1
		if req.Query.Get("scroll") != "" {
			return fail(400, "action_request_validation_exception", "Validation Failed: 1: disabling [track_total_hits] is not allowed in a scroll context;")
		}
	}
	return nil
}

func (p *searchPlan) planSlice(body object, allowed bool) *failure {
	def := obj(body, "slice")
	if def == nil {
		return nil
	}
	id, err1 := strconv.Atoi(text(def["id"]))
	most, err2 := strconv.Atoi(text(def["max"]))
	switch {
	case !allowed:
		return phase(fail(500, "illegal_argument_exception", "[slice] can only be used with [scroll] or [point-in-time] requests"))
	case err1 != nil || err2 != nil || id < 0 || id >= most || most < 2:
		return fail(400, "illegal_argument_exception", "max must be greater than id, and greater than 1")
	case most > 1024:
		return phase(fail(400, "illegal_argument_exception", "The number of slices [%d] is too large. It must be less than [1024].", most))
	}
	p.slice = &sliceOf{id, most}
	return nil
}

func (p *searchPlan) planFields(c Flavour, body object) *failure {
	p.source = sourceFilter{all: true}
	if stored := body["stored_fields"]; stored != nil {
		p.source.all = false
		if stored == "_none_" {
			p.noID = true
			if v, asked := body["_source"]; asked && v != false {
				return phase(fail(500, "illegal_argument_exception", "[stored_fields] cannot be disabled if [_source] is requested"))
			}
			if p.ver {
				return phase(fail(500, "illegal_argument_exception", "[stored_fields] cannot be disabled if [version] is requested"))
			}
		}
	}
	if v, asked := body["_source"]; asked {
		p.source = parseSource(v)
		p.source.keeps = c.openSearch
	}
	p.fields, p.fetch = parseFieldList(body["docvalue_fields"]), parseFieldList(body["fields"])
	return nil
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

// find returns every hit of the slice, in order.
func (p *searchPlan) find(snap *snapshot, pit bool) ([]hit, *failure) {
	var hits []hit
	for i, sh := range snap.shards {
		test, err := p.query.bind(sh.index)
		if err != nil {
			return nil, phase(err)
		}
		if err := p.checkFields(sh.index); err != nil {
			return nil, phase(err)
		}
		for ord, d := range sh.docs {
			if d.deleted || p.slice != nil && !p.slice.holds(i, len(snap.shards), ord, len(sh.docs), d.id, pit) || !test(d) {
				continue
			}
			hits = append(hits, hit{doc: d, shard: i, ord: ord})
		}
	}
	for i := range hits {
		for _, key := range p.sort {
			hits[i].keys = append(hits[i].keys, key.value(hits[i], snap))
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return p.order(a.keys, b.keys) })
	return hits, nil
}

// holds reports whether a document belongs to the slice. With more slices than
// shards a PIT is cut by place and a scroll by id.
func (s *sliceOf) holds(shard, shards, ord, docs int, id string, pit bool) bool {
	if s.max <= shards {
		return shard%s.max == s.id
	}
	if s.id%shards != shard {
		return false
	}
	parts := (s.max - shard + shards - 1) / shards // slices that share the shard
	mine := s.id / shards
	if pit {
		return ord*parts/max(docs, 1) == mine
	}
	h := uint32(0)
	for _, b := range []byte(id) {
		h = h*31 + uint32(b)
	}
	return int(h%uint32(parts)) == mine
}

// page cuts what comes after search_after.
func (p *searchPlan) page(hits []hit) []hit {
	if p.after != nil {
		hits = slices.DeleteFunc(slices.Clone(hits), func(h hit) bool { return p.order(h.keys[:len(p.after)], p.after) <= 0 })
	}
	hits = hits[min(p.from, len(hits)):]
	return hits[:min(p.size, len(hits))]
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
	if len(p.sort) == 0 {
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
		for _, v := range valuesAt(d.fields, f.path) {
			switch {
			case v == nil:
				continue
			case f.typ == "date" || f.typ == "date_nanos":
				format := dv.format
				if format == "" {
					format = f.format()
				}
				if n, ok := f.date(text(v), false); ok {
					v = f.formatDate(n, format)
				}
			case f.typ == "keyword" || f.typ == "text":
				v = text(v)
			}
			shown = append(shown, v)
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

// sourceFilter says which parts of the source come back.
type sourceFilter struct {
	all               bool
	includes, exclude []string
	keeps             bool // objects that were emptied
}

func parseSource(v any) sourceFilter {
	switch v := v.(type) {
	case bool:
		return sourceFilter{all: v}
	case object:
		s := sourceFilter{all: true}
		for _, key := range []string{"includes", "include"} {
			s.includes = append(s.includes, texts(v[key])...)
		}
		for _, key := range []string{"excludes", "exclude"} {
			s.exclude = append(s.exclude, texts(v[key])...)
		}
		return s
	}
	return sourceFilter{all: true, includes: texts(v)}
}

func (s sourceFilter) apply(d *document) (any, bool) {
	switch {
	case !s.all:
		return nil, false
	case len(s.includes) == 0 && len(s.exclude) == 0:
		return json.RawMessage(d.source), true
	}
	return s.members("", d.fields), true
}

func (s sourceFilter) members(prefix string, fields object) object {
	out := object{}
	for name, v := range fields {
		path := prefix + name
		if matchesPath(s.exclude, path) {
			continue
		}
		whole := len(s.includes) == 0 || matchesPath(s.includes, path)
		if !whole && !leadsTo(s.includes, path) {
			continue
		}
		inner := s
		if whole {
			inner.includes = nil
		}
		if kept, some := inner.value(path, v, whole); some {
			out[name] = kept
		}
	}
	return out
}

func (s sourceFilter) value(path string, v any, whole bool) (any, bool) {
	switch v := v.(type) {
	case object:
		kept := s.members(path+".", v)
		return kept, whole && (len(v) == 0 || s.keeps) || len(kept) > 0
	case []any:
		kept := []any{}
		for _, e := range v {
			if k, some := s.value(path, e, whole); some {
				kept = append(kept, k)
			}
		}
		return kept, whole || len(kept) > 0
	}
	if n, isNumber := v.(json.Number); isNumber && strings.ContainsAny(n.String(), ".eE") {
		// The servers read and write a source that they filter: fractions pass
		// through a double, and lose digits.
		if f, err := n.Float64(); err == nil {
			v = javaFloat(f)
		}
	}
	return v, whole
}

func matchesPath(patterns []string, path string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return wildcard(p, path) || wildcard(p+".*", path) })
}

// leadsTo reports whether something below the path may be included.
func leadsTo(patterns []string, path string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		return strings.HasPrefix(p, path+".") || strings.Contains(p, "*") && wildcard(p, path+".x")
	})
}

func count(c *cluster, req Request) (reply, *failure) {
	list, err := c.resolve(target(req), req.flag("ignore_unavailable"))
	if err != nil {
		return reply{}, err
	}
	for key := range req.JSON() {
		if key != "query" {
			return reply{}, fail(400, "parsing_exception", "request does not support [%s]", key)
		}
	}
	q, err := parseQuery(c, req.JSON()["query"])
	if err != nil {
		return reply{}, err
	}
	p := searchPlan{query: q}
	snap := c.snapshot(list)
	hits, err := p.find(snap, false)
	if err != nil {
		return reply{}, err
	}
	n := len(snap.shards)
	return ok(object{"count": len(hits), "_shards": object{"total": n, "successful": n, "skipped": 0, "failed": 0}}), nil
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
