package esdstest

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/twmb/murmur3"
)

// cluster is all that a fake remembers. The server's mutex guards it.
type cluster struct {
	flavour Flavour
	indices map[string]*index
	aliases map[string]map[string]*alias // alias, index
	streams map[string][]string          // data stream, its backing indices
	pits    map[string]*snapshot
	scrolls map[string]*cursor
	serial  int // for ids

	templates map[string]*indexTemplate
	settings  object // of the cluster, flat
}

// alias is the membership of one index in an alias.
type alias struct {
	write  *bool
	filter object
}

// index is a concrete index.
type index struct {
	name     string
	uuid     string
	created  string // version that made it
	mappings object
	fields   map[string]*field // by path, made of mappings
	settings object            // flat, without the prefix "index."
	closed   bool
	shards   []*shard
	seqNo    int64

	clonedFrom object // of a clone whose shards are not there yet: its settings that tell so
	looks      int    // how often it is looked at until they are
}

// shard holds documents. A document that was made visible is never changed.
type shard struct {
	live    map[string]*document
	order   []*document // live ones and those replaced or deleted since
	visible []*document
	dirty   bool
}

// document is one version of a document.
type document struct {
	index   string
	id      string
	routing string
	source  []byte
	fields  object           // the source, parsed
	values  map[string][]any // what can be searched, by path
	ignored []string         // paths with values that were left out
	present []string         // paths of text
	nested  []*document      // the elements of nested objects
	path    string           // of such an element: that of the nested object
	seqNo   int64
	version int64
	deleted bool
}

func newCluster(f Flavour) cluster {
	return cluster{
		flavour: f,
		indices: map[string]*index{}, aliases: map[string]map[string]*alias{},
		pits: map[string]*snapshot{}, scrolls: map[string]*cursor{},
		streams: map[string][]string{}, templates: map[string]*indexTemplate{}, settings: object{},
	}
}

// newID returns an id of the cluster's own making.
func (c *cluster) newID(prefix string) string {
	c.serial++
	return prefix + strconv.Itoa(c.serial)
}

// shardOf returns the shard that holds the ids with a routing.
func (x *index) shardOf(routing string) int {
	var text []byte
	for _, unit := range utf16.Encode([]rune(routing)) {
		text = binary.LittleEndian.AppendUint16(text, unit)
	}
	space, _ := strconv.Atoi(x.setting("number_of_routing_shards"))
	if space == 0 {
		for space = 2 * len(x.shards); 2*space <= 1024; {
			space *= 2
		}
	}
	hash := int(int32(murmur3.Sum32(text))) % space //nolint:gosec // it is signed there
	if hash < 0 {
		hash += space
	}
	return hash * len(x.shards) / space
}

// refresh makes everything visible.
func (x *index) refresh() {
	for _, s := range x.shards {
		if !s.dirty {
			continue
		}
		s.order = slices.DeleteFunc(slices.Clone(s.order), func(d *document) bool { return d.deleted })
		s.visible, s.dirty = s.order, false
	}
}

// put makes a document the newest version of its id, and remove ends it.
func (s *shard) put(d *document) {
	s.remove(d.id)
	s.live[d.id] = d
	s.order = append(s.order, d) // a snapshot is shorter and does not see it
	s.dirty = true
}

func (s *shard) remove(id string) {
	if old := s.live[id]; old != nil {
		// A visible document stays as it was: mark a copy in its place.
		i := slices.Index(s.order, old)
		gone := *old
		gone.deleted = true
		s.order = slices.Clone(s.order)
		s.order[i] = &gone
		delete(s.live, id)
		s.dirty = true
	}
}

// setting returns a setting, "" when it is not set.
func (x *index) setting(name string) string {
	if v, found := x.settings[name]; found && v != nil {
		return fmt.Sprint(v)
	}
	return ""
}

// resolve returns the concrete indices behind an expression, in order of their
// names. A concrete name that is absent is an error unless lenient.
func (c *cluster) resolve(expression string, lenient bool) ([]*index, *failure) {
	if expression == "" || expression == "_all" {
		expression = "*"
	}
	found := map[string]*index{}
	for part := range strings.SplitSeq(expression, ",") {
		if exclude, ok := strings.CutPrefix(part, "-"); ok && len(found) > 0 {
			maps.DeleteFunc(found, func(name string, _ *index) bool { return wildcard(exclude, name) })
			continue
		}
		names := c.expand(part)
		if len(names) == 0 && !strings.Contains(part, "*") && !lenient {
			return nil, noIndex(part)
		}
		for _, name := range names {
			found[name] = c.indices[name]
		}
	}
	list := slices.Collect(maps.Values(found))
	slices.SortFunc(list, func(a, b *index) int { return strings.Compare(a.name, b.name) })
	return list, nil
}

// expand returns the names of the indices behind one name, alias or wildcard.
// Wildcards do not find hidden ones.
func (c *cluster) expand(part string) []string {
	return slices.DeleteFunc(c.expandAll(part), func(name string) bool {
		x := c.indices[name]
		return strings.Contains(part, "*") && (x.closed || x.setting("hidden") == "true" && !c.backs(part, name))
	})
}

// expandAll is expand with the hidden ones.
func (c *cluster) expandAll(part string) []string {
	var names []string
	for name := range c.indices {
		if wildcard(part, name) {
			names = append(names, name)
		}
	}
	for a, members := range c.aliases {
		if wildcard(part, a) {
			names = slices.AppendSeq(names, maps.Keys(members))
		}
	}
	for stream, backing := range c.streams {
		if wildcard(part, stream) {
			names = append(names, backing...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// backs reports whether an index belongs to a data stream that a pattern finds.
func (c *cluster) backs(pattern, index string) bool {
	for stream, backing := range c.streams {
		if wildcard(pattern, stream) && slices.Contains(backing, index) {
			return true
		}
	}
	return false
}

// open refuses to read closed indices.
func open(list []*index) *failure {
	for _, x := range list {
		if x.closed {
			return fail(400, "index_closed_exception", "closed")
		}
		if x.recovering() {
			return phase(fail(503, "no_shard_available_action_exception", "[%s][0]", x.name))
		}
	}
	return nil
}

// setClosed is _close and _open.
func setClosed(c *cluster, req Request) (reply, *failure) {
	list, err := c.resolve(target(req), false)
	if err != nil {
		return reply{}, err
	}
	for _, x := range list {
		x.closed = strings.HasSuffix(req.Path, "/_close")
	}
	return ok(object{"acknowledged": true}), nil
}

func noIndex(name string) *failure {
	f := fail(404, "index_not_found_exception", "no such index [%s]", name)
	f.more = object{"index": name, "index_uuid": "_na_", "resource.id": name, "resource.type": "index_or_alias"}
	return f
}

// writeIndex returns the index that a write to a name goes to.
func (c *cluster) writeIndex(name string) (*index, *failure) {
	if x := c.indices[name]; x != nil {
		return x, nil
	}
	members := c.aliases[name]
	if members == nil {
		return nil, noIndex(name)
	}
	if x := c.writeMember(name); x != "" {
		return c.indices[x], nil
	}
	return nil, fail(400, "illegal_argument_exception", "no write index is defined for alias [%s]. The write index may be explicitly disabled using is_write_index=false "+
		"or the alias points to multiple indices without one being designated as a write index", name)
}

// writeMember returns the index of an alias that takes writes, "" for none.
func (c *cluster) writeMember(name string) string {
	members := c.aliases[name]
	for index, a := range members {
		if a.write != nil && *a.write || a.write == nil && len(members) == 1 {
			return index
		}
	}
	return ""
}

// wildcard reports whether text matches a pattern with *.
func wildcard(pattern, text string) bool { return like(pattern, text, false) }

// like matches with * and ?, and with \ before either when escapes is set.
func like(pattern, text string, escapes bool) bool {
	return glob(parseGlob(pattern, escapes), []rune(text))
}

// Signs of a parsed pattern.
const (
	anyText rune = -1 - iota
	anyRune
)

func parseGlob(pattern string, escapes bool) []rune {
	var out []rune
	escaped := false
	for _, r := range pattern {
		switch {
		case escaped:
			escaped = false
		case r == '*':
			r = anyText
		case r == '?' && escapes:
			r = anyRune
		case r == '\\' && escapes:
			escaped = true
			continue
		}
		out = append(out, r)
	}
	return out
}

// glob goes back to the last anyText where it fails.
func glob(p, s []rune) bool {
	star, from := -1, 0
	i, j := 0, 0
	for j < len(s) {
		switch {
		case i < len(p) && p[i] == anyText:
			star, from = i, j
			i++
		case i < len(p) && (p[i] == anyRune || p[i] == s[j]):
			i++
			j++
		case star >= 0:
			from++
			i, j = star+1, from
		default:
			return false
		}
	}
	for i < len(p) && p[i] == anyText {
		i++
	}
	return i == len(p)
}
