package esdstest

// recoveryLooks is how often a clone is looked at before its shards are there.
const recoveryLooks = 3

// recovering reports whether a clone's shards are not there yet, and counts as a look
// at it. On the real servers (Elasticsearch 8.8 and 8.19, OpenSearch 2.19) such an
// index has no mapping: the first shard brings it.
func (x *index) recovering() bool {
	if x.looks == 0 {
		return false
	}
	x.looks--
	return true
}

// shownMappings are the mappings as GET tells them.
func (x *index) shownMappings() object {
	if x.recovering() {
		return object{}
	}
	return x.mappings
}

func clone(c *cluster, req Request) (reply, *failure) {
	source, name := c.indices[target(req)], last(req, "_clone")
	switch {
	case source == nil:
		return reply{}, noIndex(target(req))
	case source.blocked() == nil:
		return reply{}, fail(500, "illegal_state_exception", "index %s must be read-only to resize index. use \"index.blocks.write=true\"", source.name)
	}
	settings := object{}
	for key, v := range source.settings {
		settings["index."+key] = v
	}
	// What the servers do not carry over, and what they add.
	delete(settings, "index.number_of_replicas")
	settings["index.routing_partition_size"] = "1"
	flattenSettings(settings, "", obj(req.JSON(), "settings"))
	x, err := c.newIndex(name, settings, source.mappings)
	if err != nil {
		return reply{}, err
	}
	if len(x.shards) != len(source.shards) {
		return reply{}, fail(400, "illegal_argument_exception", "cannot provide a routing partition size value when cloning")
	}
	for i, s := range source.shards {
		for _, d := range s.order {
			if d.deleted {
				continue
			}
			own := *d
			own.index = name
			x.shards[i].put(&own)
		}
	}
	x.seqNo = source.seqNo
	x.refresh()
	for a, def := range obj(req.JSON(), "aliases") {
		c.addAlias(a, name, aliasDef(def))
	}
	x.clonedFrom, x.looks = object{"index.resize.source.name": source.name, "index.resize.source.uuid": source.uuid}, recoveryLooks
	c.indices[name] = x
	return ok(object{"acknowledged": true, "shards_acknowledged": true, "index": name}), nil
}
