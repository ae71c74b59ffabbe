package esdstest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
)

func bulk(c *cluster, req Request) (reply, *failure) { return c.bulk(req, nil) }

// bulk does every item but those to refuse, which get the status given for
// their place.
func (c *cluster) bulk(req Request, refuse map[int]int) (reply, *failure) {
	items, err := parseBulk(req)
	if err != nil {
		return reply{}, err
	}
	answers, failed := []any{}, false
	touched := map[*index]bool{}
	for i, it := range items {
		a := object{"_index": it.index, "_id": it.id}
		if status := refuse[i]; status != 0 {
			a["status"], a["error"] = status, refusal(status).cause()
		} else if x, f := c.item(it, a); f != nil {
			a["status"], a["error"] = f.status, f.cause()
		} else {
			touched[x] = true
		}
		failed = failed || a["error"] != nil
		answers = append(answers, object{it.action: a})
	}
	if _, asked := req.Query["refresh"]; asked && req.Query.Get("refresh") != "false" {
		for x := range touched {
			x.refresh()
		}
	}
	return ok(object{"took": 1, "errors": failed, "items": answers}), nil
}

// refusal is the error of an item that a control refused.
func refusal(status int) *failure {
	switch status {
	case 429:
		return fail(429, "es_rejected_execution_exception", "rejected execution of coordinating operation")
	case 503:
		return fail(503, "unavailable_shards_exception", "primary shard is not active")
	case 409:
		return fail(409, "version_conflict_engine_exception", "version conflict, document already exists")
	}
	return fail(status, "mapper_parsing_exception", "refused by the test")
}

// bulkItem is one action of a bulk request.
type bulkItem struct {
	action string
	index  string
	id     string
	hasID  bool
	meta   object
	source []byte
}

func parseBulk(req Request) ([]bulkItem, *failure) {
	if len(req.Body) == 0 {
		return nil, fail(400, "parse_exception", "request body is required")
	}
	if req.Body[len(req.Body)-1] != '\n' {
		return nil, fail(400, "illegal_argument_exception", "The bulk request must be terminated by a newline [\\n]")
	}
	var items []bulkItem
	lines := bytes.Split(bytes.TrimSuffix(req.Body, []byte("\n")), []byte("\n"))
	for n := 0; n < len(lines); n++ {
		if len(lines[n]) == 0 {
			continue
		}
		it, err := parseAction(lines[n], n+1, req)
		if err != nil {
			return nil, err
		}
		if it.action != "delete" {
			if n++; n >= len(lines) {
				return nil, fail(400, "illegal_argument_exception", "Malformed action/metadata line [%d], expected a source", n)
			}
			it.source = slices.Clone(lines[n])
		}
		items = append(items, it)
	}
	if len(items) == 0 {
		return nil, fail(400, "action_request_validation_exception", "Validation Failed: 1: no requests added;")
	}
	return items, nil
}

func parseAction(line []byte, n int, req Request) (bulkItem, *failure) {
	action, _ := decode(line).(object)
	if len(action) != 1 {
		return bulkItem{}, fail(400, "illegal_argument_exception", "Malformed action/metadata line [%d], expected START_OBJECT or END_OBJECT but found [VALUE_STRING]", n)
	}
	for name, v := range action {
		meta, isObject := v.(object)
		if !slices.Contains([]string{"index", "create", "update", "delete"}, name) || !isObject {
			return bulkItem{}, fail(400, "illegal_argument_exception", "Malformed action/metadata line [%d], expected field [create], [delete], [index] or [update] but found [%s]", n, name)
		}
		return bulkItem{action: name, index: str(meta, "_index"), meta: meta}.check(req)
	}
	panic("unreachable")
}

// check completes an action with what the request says, and refuses what makes
// the whole request bad.
func (it bulkItem) check(req Request) (bulkItem, *failure) {
	if it.index == "" {
		it.index = target(req)
	}
	id, found := it.meta["_id"]
	it.hasID = found && id != nil
	if it.hasID {
		it.id = text(id)
	}
	if it.index == "" {
		return bulkItem{}, fail(400, "action_request_validation_exception", "Validation Failed: 1: index is missing;")
	}
	if len(it.id) > 512 {
		return bulkItem{}, fail(400, "action_request_validation_exception", "Validation Failed: 1: id [%s] is too long, must be no longer than 512 bytes but was: %d;", it.id, len(it.id))
	}
	if (it.action == "update" || it.action == "delete") && !it.hasID {
		return bulkItem{}, fail(400, "action_request_validation_exception", "Validation Failed: 1: id is missing;")
	}
	if req.flag("require_alias") {
		it.meta["require_alias"] = true
	}
	return it, nil
}

// item does one action and fills in its answer.
func (c *cluster) item(it bulkItem, a object) (*index, *failure) {
	if it.meta["require_alias"] == true && c.aliases[it.index] == nil {
		return nil, fail(404, "index_not_found_exception", "no such index [%s] and [require_alias] request flag is [true] and [%s] is not an alias", it.index, it.index)
	}
	x, isStream, err := c.streamIndex(it.index, it.action)
	if !isStream {
		x, err = c.writeIndex(it.index)
	}
	if !isStream && err != nil && err.status == 404 && it.action != "delete" {
		if x, err = c.newIndex(it.index, nil, nil); err == nil {
			c.indices[it.index] = x
		}
	}
	if err != nil {
		return nil, err
	}
	a["_index"] = x.name
	if err := x.blocked(); err != nil {
		return nil, err
	}
	if it.hasID && it.id == "" {
		return nil, fail(400, "illegal_argument_exception", "if _id is specified it must not be empty")
	}
	if !it.hasID {
		it.id = c.newID("auto-")
		a["_id"] = it.id
	}
	routing := it.id
	if r, found := it.meta["routing"]; found && r != nil {
		routing = text(r)
	} else if obj(x.mappings, "_routing")["required"] == true {
		return nil, fail(400, "routing_missing_exception", "routing is required for [%s]/[%s]", x.name, it.id)
	}
	return x, x.write(c.flavour, it, routing, a)
}

// write does one action on the shard that holds the routing.
func (x *index) write(flavour Flavour, it bulkItem, routing string, a object) *failure {
	s := x.shards[x.shardOf(routing)]
	old := s.live[it.id]
	if err := conflict(it, old); err != nil {
		return err
	}
	a["_shards"] = object{"total": 2, "successful": 1, "failed": 0}
	if it.action == "delete" {
		a["_version"], a["result"], a["status"] = 1, "not_found", 404
		if old != nil {
			a["_version"], a["result"], a["status"] = old.version+1, "deleted", 200
		}
		s.remove(it.id)
		x.stamp(a)
		return nil
	}
	source := it.source
	if it.action == "update" {
		var err *failure
		if source, err = updated(it, old); err != nil {
			return err
		}
		if source == nil {
			a["_version"], a["result"], a["status"] = old.version, "noop", 200
			a["_seq_no"], a["_primary_term"] = old.seqNo, 1
			return nil
		}
	}
	d := &document{index: x.name, id: it.id, source: source, version: 1}
	if routing != it.id {
		d.routing = routing
	}
	if err := x.parse(flavour, d); err != nil {
		return err
	}
	a["result"], a["status"] = "created", 201
	if old != nil {
		d.version = old.version + 1
		a["result"], a["status"] = "updated", 200
	}
	if given, kind := externalVersion(it); kind != "" {
		d.version = given
	}
	a["_version"] = d.version
	d.seqNo = x.stamp(a)
	s.put(d)
	return nil
}

func (x *index) stamp(a object) int64 {
	n := x.seqNo
	x.seqNo++
	a["_seq_no"], a["_primary_term"] = n, 1
	return n
}

// externalVersion returns the version that a row brings, and how it compares; ""
// for none.
func externalVersion(it bulkItem) (version int64, kind string) {
	kind, _ = it.meta["version_type"].(string)
	if kind == "" || kind == "internal" {
		return 0, ""
	}
	n, _ := it.meta["version"].(json.Number)
	version, _ = n.Int64()
	return version, kind
}

func conflict(it bulkItem, old *document) *failure {
	if it.action == "create" && old != nil {
		return fail(409, "version_conflict_engine_exception", "[%s]: version conflict, document already exists (current version [%d])", it.id, old.version)
	}
	if given, kind := externalVersion(it); kind != "" && old != nil && (given < old.version || given == old.version && kind != "external_gte") {
		return fail(409, "version_conflict_engine_exception", "[%s]: version conflict, current version [%d] is higher or equal to the one provided [%d]", it.id, old.version, given)
	}
	want, found := it.meta["if_seq_no"].(json.Number)
	if !found {
		return nil
	}
	if old == nil || want.String() != fmt.Sprint(old.seqNo) || text(it.meta["if_primary_term"]) != "1" {
		return fail(409, "version_conflict_engine_exception", "[%s]: version conflict, required seqNo [%s], primary term [%v]. current document has another", it.id, want, it.meta["if_primary_term"])
	}
	return nil
}

// updated returns the source after an update, nil when nothing changes.
func updated(it bulkItem, old *document) ([]byte, *failure) {
	body, _ := decode(it.source).(object)
	doc := obj(body, "doc")
	if body["script"] != nil {
		return nil, fail(400, "illegal_argument_exception", "the fake has no scripts")
	}
	if old == nil {
		switch upsert := obj(body, "upsert"); {
		case body["doc_as_upsert"] == true:
			return encode(doc), nil
		case upsert != nil:
			return encode(upsert), nil
		}
		return nil, fail(404, "document_missing_exception", "[%s]: document missing", it.id)
	}
	merged := mergeDocuments(old.fields, doc)
	if reflect.DeepEqual(merged, old.fields) {
		return nil, nil
	}
	return encode(merged), nil
}

func mergeDocuments(have, more object) object {
	out := object{}
	for k, v := range have {
		out[k] = v
	}
	for k, v := range more {
		inner, isObject := v.(object)
		if old, both := out[k].(object); both && isObject {
			v = mergeDocuments(old, inner)
		}
		out[k] = v
	}
	return out
}
