package elastic

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/eslake/eslake/esds"
)

// Ways to read columns, as eslake.read.fields names them.
const (
	readAuto      = "auto"
	readDocValues = "docvalues"
	readSource    = "source"
)

// way is how the user wants columns to be read.
func (p *plan) way() string {
	return p.index.opts.String("eslake.read.fields")
}

// withDocValues returns the plan with doc values for every column of which they
// are exact, and what is said of the others. Prove: the scan can ask whether a
// document has the field in _ignored.
func (p *plan) withDocValues(prove bool) (q *plan, refused []string) {
	q = &plan{index: p.index, scan: p.scan, lenient: p.lenient}
	for _, c := range p.columns {
		if c.from == fromSource {
			d, why := p.index.docValue(c.field, c.column.Type)
			switch {
			case why == "" && d.proof && !prove:
				why = "values may be missing, and a scroll cannot prove that none is"
			case why == "" && len(q.fetched) >= p.index.docValues:
				why = fmt.Sprintf("index.max_docvalue_fields_search is %d", p.index.docValues)
			case why == "":
				c.from, c.doc = fromDocValues, d
			}
			if why != "" {
				refused = append(refused, fmt.Sprintf("%s is read from _source, not from doc values: %s", c.path, why))
			}
		}
		q.columns = append(q.columns, q.place(c))
	}
	return q, refused
}

// fromDocs returns the fields that are read from doc values, proofs only those
// that have to be proved.
func (p *plan) fromDocs(proofs bool) []string {
	var paths []string
	for _, c := range p.columns {
		if c.from == fromDocValues && (c.doc.proof || !proofs) && !slices.Contains(paths, c.field.Path) {
			paths = append(paths, c.field.Path)
		}
	}
	return paths
}

// forced returns the plan that the options leave no choice but.
func (p *plan) forced(trace *esds.Trace) (*plan, error) {
	unreadable := p.readable()
	if p.way() == readSource || p.way() == readAuto && unreadable == nil {
		return p, unreadable
	}
	q, refused := p.withDocValues(true)
	for _, why := range refused {
		trace.Note(why)
	}
	return q, q.readable()
}

// begin settles what the options force, and asks for the first rows.
func (s *scan) begin(ctx context.Context) (*page, error) {
	trace := esds.TraceOf(ctx)
	forced, err := s.plan.forced(trace)
	if err != nil {
		return nil, err
	}
	if len(forced.fromDocs(true)) == 0 {
		s.plan = forced
		return s.first(ctx, s.plan.firstSize())
	}
	first, err := s.first(ctx, 0) // nothing can be proved of a search without a cursor
	if err != nil || first.total == 0 {
		return first, err
	}
	if err = s.settle(ctx); err != nil {
		return nil, err
	}
	if s.mode == pagingScroll {
		var refused []string
		forced, refused = s.plan.withDocValues(false)
		for _, why := range refused {
			trace.Note(why)
		}
		if err := forced.readable(); err != nil {
			return nil, err
		}
	}
	s.plan = forced
	return first, nil
}

// cost is what a document costs by a way of reading, in about a microsecond of a
// processor, the cluster's and this one's. The figures come from Elasticsearch
// 8.19 with documents of 620 bytes; what matters is their order.
type cost struct {
	name  string
	plan  *plan
	bytes int // of the answer, by document
	time  float64
}

const (
	costOpen     = 1.5   // to open a stored document
	costByte     = 0.005 // to copy a byte of it
	costCut      = 0.010 // to parse a byte of it and leave some out
	costHit      = 1.2   // of a hit without its document
	costDocValue = 0.9   // of a doc value
	hitBytes     = 90    // what stands around a hit's values
)

// minChoice is the number of documents below which choosing costs more than it
// saves.
const minChoice = 2000

// choose picks the cheapest exact way for a long read. First is its first page.
func (s *scan) choose(ctx context.Context, first *page) error {
	n := first.total
	if s.limit > 0 {
		n = min(n, s.limit)
	}
	if len(first.hits) > 0 {
		s.bytes = first.bytesEach()
	}
	perByte := float64(0)
	if len(first.text) > 64<<10 {
		perByte = float64(first.came.Microseconds()) / float64(len(first.text))
	}
	s.packed = perByte > packAbove && s.client.remote
	if s.plan.way() != readAuto || n < minChoice || s.plan.wants("_source") {
		return nil
	}
	doc, refused := s.plan.withDocValues(s.mode == pagingPIT)
	cut, isCut := s.plan.source().([]string)
	if len(doc.fromDocs(false)) == 0 || len(refused) > 0 || doc.opensDocuments() {
		doc = nil
	}
	if doc == nil && !isCut || len(s.plan.paths) == 0 {
		return nil
	}
	whole, err := s.sample(ctx)
	if err != nil {
		return err
	}
	ways := []cost{{name: "whole documents", plan: s.plan.wholly(), bytes: whole + hitBytes, time: costOpen + costByte*float64(whole)}}
	if isCut {
		name := "parts of the documents: " + strings.Join(cut, ", ")
		ways = append(ways, cost{name: name, plan: s.plan, bytes: s.bytes, time: costOpen + costCut*float64(whole)})
	}
	if doc != nil {
		ways = append(ways, doc.docCost())
	}
	best := slices.MinFunc(ways, func(a, b cost) int {
		if a.time+perByte*float64(a.bytes) < b.time+perByte*float64(b.bytes) {
			return -1
		}
		return 1
	})
	s.plan, s.bytes = best.plan, best.bytes
	esds.TraceOf(ctx).Note(fmt.Sprintf("read %s (a document has about %d bytes)", best.name, whole))
	return nil
}

// packAbove is the time that a byte takes on the network, in microseconds, above
// which compressing it is quicker: 25 MB a second.
const packAbove = 0.04

func (p *plan) docCost() cost {
	c := cost{name: "doc values: " + strings.Join(p.fromDocs(false), ", "), plan: p, bytes: hitBytes, time: costHit}
	for _, path := range p.fromDocs(false) {
		c.bytes += len(path) + 16
		c.time += costDocValue
	}
	return c
}

func (p *plan) wholly() *plan {
	q := *p
	q.whole = true
	return &q
}

// sample returns how large documents are, by a few of them. Those that are too
// large for an answer are called as large as that.
func (s *scan) sample(ctx context.Context) (int, error) {
	x := s.plan.index
	body := object{"query": x.query(s.plan.scan.Filter), "_source": true, "size": 5, "track_total_hits": false}
	p, err := s.search(ctx, request{path: "/" + x.resource + "/_search", query: x.params(), body: marshal(body)}, true)
	if errors.Is(err, errTooLong) {
		return pageCeiling, nil
	}
	if err != nil {
		return 0, err
	}
	return max(p.bytesEach()-hitBytes, 1), nil
}

// disproved goes back to the documents: n of them have values that doc values lack.
func (s *scan) disproved(ctx context.Context, n int64) error {
	x := s.plan.index
	base, err := x.plan(s.plan.scan)
	if err == nil {
		err = base.readable()
	}
	if err != nil {
		return err
	}
	esds.TraceOf(ctx).Note(fmt.Sprintf("%s: read from _source, not from doc values: %d documents hold values that the index left out", strings.Join(s.plan.fromDocs(true), ", "), n))
	s.plan, s.bytes = base, 0
	return nil
}

// locate reads the document of a value that does not fit from its source, since
// a hit of doc values has no id. It returns the error of that, or what it was
// given when the document is gone.
func (s *scan) locate(ctx context.Context, misfit error) error {
	var v *esds.ValueError
	if !errors.As(misfit, &v) || v.ID != "" {
		return misfit
	}
	base, err := s.plan.index.plan(s.plan.scan)
	if err != nil || base.readable() != nil {
		return misfit
	}
	at := slices.IndexFunc(s.plan.columns, func(c planned) bool { return c.from == fromDocValues && c.field.Path == v.Field })
	if at < 0 {
		return misfit
	}
	found, err := s.search(ctx, base.holding(v, s.plan.columns[at].doc.format), true)
	if err != nil {
		return misfit
	}
	rows, b := base.rows(), base.batch()
	for _, h := range found.hits {
		if err := rows.appendHit(b, h); err != nil {
			return err
		}
	}
	return misfit
}

// holding is a search for documents whose field has all values of a list.
func (p *plan) holding(v *esds.ValueError, format string) request {
	filters := []any{p.index.query(p.scan.Filter)}
	_ = eachElement([]byte(v.Value), func(value []byte) error { // a list that was cut shows some of its values
		var text string
		if unquoteInto(&text, value) != nil {
			text = string(value)
		}
		filters = append(filters, object{"range": object{v.Field: exactly(text, format)}})
		return nil
	})
	body := p.body()
	body["query"] = object{"bool": object{"filter": filters}}
	body["size"] = firstPage
	return request{method: http.MethodPost, path: "/" + p.index.resource + "/_search", query: p.index.params(), body: marshal(body)}
}

func exactly(text, format string) object {
	r := object{"gte": text, "lte": text}
	if format != "" {
		r["format"] = format
	}
	return r
}
