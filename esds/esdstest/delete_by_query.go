package esdstest

import "strconv"

// deleteByQuery deletes what a query finds, up to max_docs.
func deleteByQuery(c *cluster, req Request) (reply, *failure) {
	list, err := c.resolve(target(req), req.flag("ignore_unavailable"))
	if err != nil {
		return reply{}, err
	}
	q, err := parseQuery(c, req.JSON()["query"])
	if err != nil {
		return reply{}, err
	}
	most, bad := strconv.Atoi(req.Query.Get("max_docs"))
	if bad != nil {
		most = 1 << 30
	}
	found, err := (&searchPlan{query: q}).find(c.snapshot(list), false)
	if err != nil {
		return reply{}, err
	}
	found = found[:min(most, len(found))]
	for _, h := range found {
		x := c.indices[h.doc.index]
		if f := x.blocked(); f != nil {
			return reply{}, f
		}
		x.shards[x.shardOf(routingOf(h.doc))].remove(h.doc.id)
		x.seqNo++
	}
	for _, x := range list {
		x.refresh()
	}
	return ok(object{"took": 1, "timed_out": false, "total": len(found), "deleted": len(found), "version_conflicts": 0, "failures": []any{}}), nil
}

func routingOf(d *document) string {
	if d.routing != "" {
		return d.routing
	}
	return d.id
}
