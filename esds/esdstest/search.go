package esdstest

import (
	"math"
	"slices"
	"strconv"
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
	scored bool       // track_scores
	total  int        // up to which hits are counted; -1 for none
	seqNo  bool
	ver    bool
}

// sliceOf is one of several parts of a read.
type sliceOf struct{ id, max int }

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
	aggs, err := c.parseAggs(body["aggs"], snap)
	if err != nil {
		return reply{}, err
	}
	matched := documentsOf(hits)
	if keep := req.Query.Get("scroll"); keep != "" {
		if err := checkKeepAlive(keep, "scroll"); err != nil {
			return reply{}, phase(err)
		}
		if len(aggs) > 0 {
			return reply{}, fail(400, "illegal_argument_exception", "the fake does not aggregate in a scroll")
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
	if len(aggs) > 0 {
		answer["aggregations"] = aggs.answer(matched)
	}
	if pit != "" {
		answer["pit_id"] = c.nextPIT(pit)
	}
	return ok(answer), nil
}

func documentsOf(hits []hit) []*document {
	docs := make([]*document, len(hits))
	for i, h := range hits {
		docs[i] = h.doc
	}
	return docs
}

// searched returns what a search reads, and the id of the PIT when it is one.
func (c *cluster) searched(req Request, body object) (*snapshot, string, *failure) {
	pit := obj(body, "pit")
	if pit == nil {
		list, err := c.resolve(target(req), req.flag("ignore_unavailable"))
		if err != nil {
			return nil, "", err
		}
		if err := open(list); err != nil {
			return nil, "", err
		}
		snap, err := c.filtered(c.snapshot(list), target(req))
		return snap, "", err
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
	if snap.gone != "" {
		return nil, "", fail(404, "index_not_found_exception", "no such index [%s]", snap.gone)
	}
	return snap, str(pit, "id"), nil
}

var searchKeys = []string{
	"query", "size", "from", "sort", "fields", "search_after", "slice", "_source", "docvalue_fields", "stored_fields", "track_total_hits", "seq_no_primary_term",
	"version", "pit", "timeout", "track_scores", "terminate_after", "batched_reduce_size", "aggs",
}

// plan checks the body of a search.
func (c *cluster) plan(req Request, body object, pit bool) (searchPlan, *failure) {
	p := searchPlan{scored: body["track_scores"] == true, size: 10, total: 10000, seqNo: body["seq_no_primary_term"] == true, ver: body["version"] == true}
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
		p.source.keeps = c.vendor != "8"
	}
	p.fields, p.fetch = parseFieldList(body["docvalue_fields"]), parseFieldList(body["fields"])
	return nil
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
			if d.deleted || sh.filter != nil && !sh.filter(d) || p.slice != nil && !p.slice.holds(i, len(snap.shards), ord, len(sh.docs), d.id, pit) || !test(d) {
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
	snap, err := c.filtered(c.snapshot(list), target(req))
	if err != nil {
		return reply{}, err
	}
	hits, err := p.find(snap, false)
	if err != nil {
		return reply{}, err
	}
	n := len(snap.shards)
	return ok(object{"count": len(hits), "_shards": object{"total": n, "successful": n, "skipped": 0, "failed": 0}}), nil
}
