package elastic

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

// The index answers GROUP BY by the terms of a field, or by composite aggregations:
// they name every group, NULL among them, and can be paged through. What it answers is what its doc
// values hold, so the same request asks for what proves that they hold what the
// documents do:
//
//   - a document counts in one group only: the groups' sizes add up to the number
//     of documents;
//   - a column has one value a document: as many values as documents that have any;
//   - no value is missing in the index because it was too long or malformed: no
//     document names the field in _ignored. Where the server does not note that, no
//     document may lack the field;
//   - whole numbers are as doubles hold them: below 2^53, sums too.
//
// When a proof fails the answer is an *esds.InexactError.

const (
	groupPage = 10_000  // groups of an answer
	maxGroups = 100_000 // groups in all; above, documents are cheaper to read
	wholeMax  = 1 << 53 // whole numbers up to this are exact as doubles
)

var _ esds.Aggregator = (*index)(nil)

// Aggregable says why the index cannot answer an aggregation.
func (x *index) Aggregable(a esds.Aggregation) error {
	_, err := x.grouping(a)
	return err
}

// AggregateRequest returns the first request of an aggregation.
func (x *index) AggregateRequest(a esds.Aggregation) string {
	g, err := x.grouping(a)
	if err != nil {
		return err.Error()
	}
	return x.printed(g.body(nil))
}

// Aggregate asks for the groups and checks that they are exact.
func (x *index) Aggregate(ctx context.Context, a esds.Aggregation) (row.Reader, error) {
	g, err := x.grouping(a)
	if err != nil {
		return nil, err
	}
	answer, err := g.run(ctx)
	if err != nil {
		return nil, err
	}
	return answer.rows()
}

// run reads all groups: in one request where they fit one, else page by page in
// one point in time.
func (g *grouping) run(ctx context.Context) (*grouped, error) {
	answer := newGrouped(g)
	err := g.ask(ctx, nil, answer)
	if err != nil {
		return nil, err
	}
	if g.want.Most > 0 && (answer.more() || int64(answer.buckets) > g.want.Most) {
		return nil, esds.Inexact("there are more than %d groups", g.want.Most)
	}
	if !answer.more() && answer.hidden() == 0 {
		return answer, answer.prove()
	}
	if answer.hidden() > maxPage { // in another moment it would be no better
		return nil, answer.reveal(ctx, nil)
	}
	pit, err := g.index.source.openPIT(ctx, g.index.resource, groupKeepAlive, g.index.copies())
	if err != nil {
		return nil, inexactUnlessFatal(err, "the cluster has no point in time to read several pages in")
	}
	moment := &pitOf{id: pit}
	defer func() { g.index.source.closePIT(ctx, moment.id) }()
	terms := answer.terms && !answer.more()
	answer = newGrouped(g)
	answer.terms = terms
	for first := true; first || answer.more(); first = false {
		if err := g.ask(ctx, moment, answer); err != nil {
			return nil, readLost(g.index.resource, g.index.opts, err)
		}
	}
	if err := answer.reveal(ctx, moment); err != nil {
		return nil, err
	}
	return answer, answer.prove()
}

const groupKeepAlive = "60s"

// pitOf is a point in time that one goroutine uses; every answer may rename it.
type pitOf struct{ id string }

// ask asks for one page of groups and adds it to the answer.
func (g *grouping) ask(ctx context.Context, moment *pitOf, answer *grouped) error {
	x := g.index
	r := request{op: "aggregate", index: x.resource, method: http.MethodPost, path: "/" + x.resource + "/_search", query: x.params(), limit: pageCeiling}
	body := g.body(answer)
	if moment != nil {
		r.path, r.query = "/_search", whole()
		body["pit"] = object{"id": moment.id, "keep_alive": groupKeepAlive}
	}
	r.body = marshal(body)
	text, err := x.source.client.send(ctx, r)
	var refused *esds.Error
	if errors.As(err, &refused) && refused.Retryable() && !overloaded(refused) {
		text, err = x.source.client.read(ctx, r)
	}
	if errors.Is(err, errTooLong) {
		return esds.Inexact("the groups take more than %d MB", pageCeiling>>20)
	}
	if err != nil {
		return inexactUnlessFatal(err, "the cluster refused to aggregate")
	}
	p, err := x.parse(ctx, r.op, text)
	if err != nil {
		return err
	}
	if p.total < 0 || !p.exact {
		return &esds.Error{Op: r.op, Index: r.index, Err: errors.New("the answer has no total")}
	}
	if moment != nil && p.pit != "" {
		moment.id = p.pit
	}
	esds.TraceOf(ctx).Page(0, p.took)
	return answer.add(p)
}

// overloaded reports whether an aggregation was more than the cluster allows
// itself: the same would be refused again.
func overloaded(e *esds.Error) bool {
	var c *cause
	return errors.As(e.Err, &c) && (c.Type == "circuit_breaking_exception" || c.Type == "too_many_buckets_exception")
}

// inexactUnlessFatal makes a refusal of this one way to ask a reason to read the
// documents. An error that would meet them too stays what it is.
func inexactUnlessFatal(err error, what string) error {
	var e *esds.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Status {
	case http.StatusBadRequest, http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusServiceUnavailable, http.StatusMethodNotAllowed:
		return esds.Inexact("%s: %v", what, e.Err)
	}
	return err
}

// printed is a search as EXPLAIN shows it.
func (x *index) printed(body object) string {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(body); err != nil {
		return err.Error()
	}
	return fmt.Sprintf("POST /%s/_search\n%s", x.resource, bytes.TrimSuffix(out.Bytes(), []byte("\n")))
}
