package elastic

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// index is an opened resource.
type index struct {
	source   *Source
	resource string
	opts     esds.Options
	names    []string     // concrete indices, in order; none when nothing matches and that is allowed
	all      []esds.Field // of the mapping
	fields   []esds.Field // of the mapping, as the options show them
	schema   row.Schema
	noSource string          // an index without _source, "" for none
	base     json.RawMessage // query under every read, nil for none

	noDocValues string // why no field may be read from doc values, "" for nothing
	docValues   int    // most fields that one search may read so
	malformed   bool   // some index may have left out values that it could not read

	// tellsIgnored: the index notes in _ignored which texts were too long for it.
	// Elasticsearch does since 7.17 at the latest, OpenSearch does not.
	tellsIgnored bool
}

var _ esds.Index = (*index)(nil)

// Open reads the mapping of a resource. Where a statement may presume (esds.Presume),
// it takes the one that was read last, and looks into it meanwhile.
func (s *Source) Open(ctx context.Context, resource string, opts esds.Options) (esds.Index, error) {
	base, err := opts.BaseQuery(os.ReadFile)
	if err != nil {
		return nil, err
	}
	x, err := s.definition(ctx, resource)
	switch {
	case errors.Is(err, esds.ErrIndexNotFound) && opts.Bool("es.index.read.missing.as.empty"):
		return &index{source: s, resource: resource, opts: opts, base: base, docValues: maxDocValues}, nil
	case err != nil:
		return nil, err
	}
	x.opts, x.base = opts, base
	x.fields = esds.ReadFields(x.all, opts)
	x.schema = esds.SchemaOf(x.fields)
	return &x, nil
}

// defined returns what the cluster tells of a resource, without options.
func (s *Source) defined(resource string, found map[string]described) (index, error) {
	x := index{source: s, resource: resource, docValues: maxDocValues, tellsIgnored: true}
	byIndex := map[string][]esds.Field{}
	for name, d := range found {
		var err error
		if byIndex[name], err = esds.ParseMapping(d.mapping); err != nil {
			return x, &esds.Error{Op: "describe", Index: name, Err: err}
		}
		if sourceDisabled(d.mapping) {
			x.noSource = name
		}
		if sourcePruned(d.mapping) {
			x.noDocValues = "the mapping keeps parts of the documents out of _source"
		}
		x.docValues = min(x.docValues, d.docValues)
		x.malformed = x.malformed || d.malformed || d.created == 0
		x.tellsIgnored = x.tellsIgnored && d.created >= 7_170_000 && d.created < 100_000_000
	}
	x.names = slices.Sorted(maps.Keys(found))
	x.all = esds.MergeMappings(byIndex)
	return x, nil
}

// described is what the cluster tells of one index.
type described struct {
	mapping   []byte
	uuid      string // "" when it is not known
	created   int    // version that made the index, as a number; OpenSearch's are above 100 million, 0 is unknown
	malformed bool   // index.mapping.ignore_malformed is set
	docValues int    // index.max_docvalue_fields_search

	shards, routingShards int // 0 when it is not known, or not set
}

// maxDocValues is what an index has that sets nothing else.
const maxDocValues = 100

// describe returns the mapping of every index behind a name.
func (s *Source) describe(ctx context.Context, op, resource string) (map[string]described, error) {
	body, err := s.readDefinition(ctx, op, resource)
	if err != nil {
		return nil, err
	}
	return parseDefinition(op, resource, body)
}

func (s *Source) readDefinition(ctx context.Context, op, resource string) ([]byte, error) {
	body, err := s.readRecovered(ctx, op, resource, s.readIndex)
	if errors.Is(err, esds.ErrForbidden) { // that much may be allowed
		body, err = s.client.read(ctx, request{op: op, index: resource, method: http.MethodGet, path: "/" + resource + "/_mapping"})
	}
	return body, err
}

func parseDefinition(op, resource string, body []byte) (map[string]described, error) {
	var answer map[string]struct {
		Mappings json.RawMessage `json:"mappings"`
		Settings struct {
			Index struct {
				UUID    string `json:"uuid"`
				Version struct {
					Created string `json:"created"`
				} `json:"version"`
				Mapping struct {
					IgnoreMalformed any `json:"ignore_malformed"`
				} `json:"mapping"`
				MaxDocValues  string `json:"max_docvalue_fields_search"`
				Shards        string `json:"number_of_shards"`
				RoutingShards string `json:"number_of_routing_shards"`
			} `json:"index"`
		} `json:"settings"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, &esds.Error{Op: op, Index: resource, Err: fmt.Errorf("the answer cannot be read: %w", err)}
	}
	if len(answer) == 0 { // a wildcard that matches nothing
		return nil, &esds.Error{Op: op, Index: resource, Status: http.StatusNotFound, Err: esds.ErrIndexNotFound}
	}
	found := map[string]described{}
	for name, a := range answer {
		created, _ := strconv.Atoi(a.Settings.Index.Version.Created)
		malformed := fmt.Sprint(a.Settings.Index.Mapping.IgnoreMalformed) == "true"
		most, err := strconv.Atoi(a.Settings.Index.MaxDocValues)
		if err != nil {
			most = maxDocValues
		}
		d := described{mapping: untyped(a.Mappings), uuid: a.Settings.Index.UUID, created: created, malformed: malformed, docValues: most}
		d.shards, _ = strconv.Atoi(a.Settings.Index.Shards)
		d.routingShards, _ = strconv.Atoi(a.Settings.Index.RoutingShards)
		found[name] = d
	}
	return found, nil
}

// untyped strips the type that Elasticsearch 6 puts around a mapping.
func untyped(raw []byte) []byte {
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil || len(m) != 1 {
		return raw
	}
	for name, inner := range m {
		if name != "properties" && !strings.HasPrefix(name, "_") && name != "dynamic" && name != "runtime" && bytes.Contains(inner, []byte(`"properties"`)) {
			return inner
		}
	}
	return raw
}

func sourceDisabled(raw []byte) bool {
	var m struct {
		Source struct {
			Enabled *bool `json:"enabled"`
		} `json:"_source"`
	}
	return json.Unmarshal(raw, &m) == nil && m.Source.Enabled != nil && !*m.Source.Enabled
}

// sourcePruned reports whether _source lacks parts of what was indexed.
func sourcePruned(raw []byte) bool {
	var m struct {
		Source struct {
			Includes []string `json:"includes"`
			Excludes []string `json:"excludes"`
		} `json:"_source"`
	}
	return json.Unmarshal(raw, &m) != nil || len(m.Source.Includes)+len(m.Source.Excludes) > 0
}

// Schema returns the columns that the mapping gives.
func (x *index) Schema() row.Schema { return x.schema }

// Pushdown says how well the index can answer a predicate.
func (x *index) Pushdown(e expr.Expr) esds.Pushdown {
	if len(x.names) == 0 {
		return esds.No
	}
	_, how := x.translate(e, false)
	return how
}

// Request returns the body of the search that a scan sends.
func (x *index) Request(s esds.Scan) string {
	p, err := x.plan(s)
	if err == nil {
		p, err = p.forced(esds.TraceOf(context.Background()))
	}
	if err != nil {
		return err.Error()
	}
	if len(s.Sort) > 0 {
		keys, err := x.sortKeys(s.Sort, s.SortTies)
		if err != nil {
			return err.Error()
		}
		q := &sorted{scan: &scan{plan: p}, keys: keys, ties: s.SortTies || len(keys) < len(s.Sort) || !keys[len(keys)-1].exact}
		return x.printed(q.body(q.size()))
	}
	body := p.body()
	switch {
	case s.Limit > 0 && s.Limit < maxPage:
		body["size"] = s.Limit
	default:
		body["size"] = p.firstSize()
	}
	return x.printed(body)
}

// Count returns the number of documents that a filter selects, as many as a scan
// gives: es.scroll.limit cuts it.
func (x *index) Count(ctx context.Context, filter []expr.Expr) (int64, error) {
	n, err := x.count(ctx, "count", filter, true)
	if most := int64(x.opts.Int("es.scroll.limit")); most >= 0 {
		n = min(n, most)
	}
	return n, err
}

// Estimate returns at least how many documents a filter selects; it stops to
// count where counting would take long.
func (x *index) Estimate(ctx context.Context, filter []expr.Expr) (int64, error) {
	var exact any = true
	if len(filter) > 0 {
		exact = 100_000
	}
	return x.count(ctx, "estimate", filter, exact)
}

func (x *index) count(ctx context.Context, op string, filter []expr.Expr, exact any) (int64, error) {
	if len(x.names) == 0 {
		return 0, nil
	}
	body := map[string]any{"size": 0, "track_total_hits": exact, "query": x.query(filter)}
	text, err := x.source.readIndex(ctx, request{
		op: op, index: x.resource, method: http.MethodPost, path: "/" + x.resource + "/_search", query: x.params(), body: marshal(body),
	})
	if err != nil {
		return 0, err
	}
	p, err := x.parse(ctx, op, text)
	if err != nil {
		return 0, err
	}
	if p.total < 0 {
		return 0, &esds.Error{Op: op, Index: x.resource, Err: errors.New("the answer has no total")}
	}
	return p.total, nil
}

// params are those of every search of the table.
func (x *index) params() url.Values {
	q := whole()
	if x.partial() {
		q.Set("allow_partial_search_results", "true")
	}
	if copies := x.copies(); copies != "" {
		q.Set("preference", copies)
	}
	return q
}

// copies says which copies of the shards are read, "" for any.
func (x *index) copies() string { return x.opts.String("es.read.shard.preference") }

// partial reports whether lost shards may be missing from answers.
func (x *index) partial() bool { return x.opts.Bool("es.index.read.allow.red.status") }

// parse splits an answer. Shards that are lost are no error where the table
// allows that: a person is told.
func (x *index) parse(ctx context.Context, op string, text []byte) (*page, error) {
	p, err := parsePartly(op, x.resource, text, x.partial())
	return x.told(ctx, p, err)
}

// skim is parse for the pages of a long read.
func (x *index) skim(ctx context.Context, op string, text []byte) (*page, error) {
	p, err := skimPage(op, x.resource, text, x.partial())
	if p == nil && err == nil {
		return x.parse(ctx, op, text)
	}
	return x.told(ctx, p, err)
}

// told tells a person of lost shards.
func (x *index) told(ctx context.Context, p *page, err error) (*page, error) {
	if err == nil && p.lost > 0 {
		esds.Notice(ctx, fmt.Sprintf("index %s: %d of %d shards are lost, and their rows are missing", x.resource, p.lost, p.shards))
	}
	return p, err
}

// whole asks for all shards or an error.
func whole() url.Values { return url.Values{"allow_partial_search_results": {"false"}} }

func marshal(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // only maps of plain values come here
	}
	return bytes.TrimSpace(b.Bytes())
}
