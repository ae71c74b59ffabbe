package esdstest

import (
	"net/http"
	"strconv"
	"strings"
)

// snapshot is the documents that a read sees: those visible when it began.
type snapshot struct {
	shards     []snapshotShard
	openSearch bool
	gone       string // an index of it that was removed, "" for none
}

type snapshotShard struct {
	index *index
	shard int // in the index
	docs  []*document

	filter test // of the alias that was named, nil for none
}

func (s *snapshot) reads(index string) bool {
	for _, sh := range s.shards {
		if sh.index.name == index {
			return true
		}
	}
	return false
}

func (c *cluster) snapshot(list []*index) *snapshot {
	s := &snapshot{openSearch: c.flavour.openSearch}
	for _, x := range list {
		for i, sh := range x.shards {
			s.shards = append(s.shards, snapshotShard{index: x, shard: i, docs: sh.visible})
		}
	}
	return s
}

func openPIT(c *cluster, req Request) (reply, *failure) {
	if err := checkKeepAlive(req.Query.Get("keep_alive"), "keep_alive"); err != nil {
		return reply{}, err
	}
	list, err := c.resolve(target(req), req.flag("ignore_unavailable"))
	if err != nil {
		return reply{}, err
	}
	if err := open(list); err != nil {
		return reply{}, err
	}
	snap, err := c.filtered(c.snapshot(list), target(req))
	if err != nil {
		return reply{}, err
	}
	id := c.newID("pit-")
	c.pits[id] = snap
	shards := object{"total": shardCount(list), "successful": shardCount(list), "skipped": 0, "failed": 0}
	if c.flavour.openSearch {
		return ok(object{"pit_id": id, "_shards": shards, "creation_time": 1700000000000}), nil
	}
	return ok(object{"id": id, "_shards": shards}), nil
}

func closePIT(c *cluster, req Request) (reply, *failure) {
	if c.flavour.openSearch {
		return closePITs(c, req)
	}
	id := pitKey(str(req.JSON(), "id"))
	snap := c.pits[id]
	delete(c.pits, id)
	if snap == nil || snap.gone != "" {
		return reply{status: 404, body: object{"succeeded": true, "num_freed": 0}}, nil
	}
	return ok(object{"succeeded": true, "num_freed": len(snap.shards)}), nil
}

// closePITs is OpenSearch's form, which takes several.
func closePITs(c *cluster, req Request) (reply, *failure) {
	pits := []any{}
	if strings.HasSuffix(req.Path, "/_all") {
		clear(c.pits)
	}
	for _, id := range texts(req.JSON()["pit_id"]) {
		found := strings.HasPrefix(id, "pit-")
		delete(c.pits, pitKey(id))
		pits = append(pits, object{"successful": found, "pit_id": id})
	}
	return ok(object{"pits": pits}), nil
}

// pitKey returns the id under which a PIT is kept. What a search returns has
// another id, and every one of them is good.
func pitKey(id string) string {
	key, _, _ := strings.Cut(id, ".")
	return key
}

func (c *cluster) nextPIT(id string) string {
	c.serial++
	return pitKey(id) + "." + strconv.Itoa(c.serial)
}

var units = map[string]float64{"ms": 1, "s": 1e3, "m": 60e3, "h": 3600e3, "d": 86400e3}

func checkKeepAlive(v, name string) *failure {
	if v == "" {
		return fail(400, "action_request_validation_exception", "Validation Failed: 1: [%s] is not specified;", name)
	}
	digits := strings.TrimRight(v, "abcdefghijklmnopqrstuvwxyz")
	n, err := strconv.Atoi(digits)
	unit, found := units[v[len(digits):]]
	if err != nil || !found || n < 0 {
		return fail(400, "illegal_argument_exception", "failed to parse setting [%s] with value [%s] as a time value: unit is missing or unrecognized", name, v)
	}
	if float64(n)*unit > 24*units["h"] {
		return fail(400, "illegal_argument_exception", "Keep alive for request (%s) is too large. It must be less than (1d).", v)
	}
	return nil
}

// cursor is an open scroll.
type cursor struct {
	snap *snapshot
	hits []hit // the rest
	plan searchPlan
	all  int // hits in all
}

func scroll(c *cluster, req Request) (reply, *failure) {
	id := last(req, "scroll")
	keep := req.Query.Get("scroll")
	if body := req.JSON(); body != nil {
		id = str(body, "scroll_id")
		if s := str(body, "scroll"); s != "" {
			keep = s
		}
	}
	if keep != "" {
		if err := checkKeepAlive(keep, "scroll"); err != nil {
			return reply{}, err
		}
	}
	cur := c.scrolls[id]
	if cur == nil {
		f := fail(404, "search_phase_execution_exception", "all shards failed")
		f.more = object{"phase": "query", "grouped": true, "failed_shards": []any{}, "caused_by": object{"type": "search_context_missing_exception", "reason": "No search context found for id [1]"}}
		return reply{}, f
	}
	return ok(c.page(cur, id)), nil
}

// page cuts the next page of a scroll. The cursor moves whether or not the
// client gets it.
func (c *cluster) page(cur *cursor, id string) object {
	n := min(cur.plan.size, len(cur.hits))
	body := cur.plan.answer(cur.snap, cur.hits[:n], cur.all)
	cur.hits = cur.hits[n:]
	body["_scroll_id"] = id
	return body
}

func clearScroll(c *cluster, req Request) (reply, *failure) {
	ids := texts(req.JSON()["scroll_id"])
	if id := last(req, "scroll"); id != "" {
		ids = append(ids, strings.Split(id, ",")...)
	}
	freed := 0
	for _, id := range ids {
		if id == "_all" {
			freed += len(c.scrolls)
			clear(c.scrolls)
		}
		if c.scrolls[id] != nil {
			freed += len(c.scrolls[id].snap.shards)
			delete(c.scrolls, id)
		}
	}
	if freed == 0 {
		return reply{status: http.StatusNotFound, body: object{"succeeded": true, "num_freed": 0}}, nil
	}
	return ok(object{"succeeded": true, "num_freed": freed}), nil
}

// searchStats counts what is open on indices: one context for each shard of a read.
func searchStats(c *cluster, req Request) (reply, *failure) {
	list, err := c.resolve(target(req), false)
	if err != nil {
		return reply{}, err
	}
	open := 0
	count := func(s *snapshot) {
		for _, sh := range s.shards {
			for _, x := range list {
				if sh.index == x {
					open++
				}
			}
		}
	}
	for _, s := range c.pits {
		count(s)
	}
	for _, cur := range c.scrolls {
		count(cur.snap)
	}
	return ok(object{"_all": object{"total": object{"search": object{"open_contexts": open}}}}), nil
}
