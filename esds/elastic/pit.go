package elastic

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/eslake/eslake/esds"
)

// paging says how long reads of an index are paged. The first such read tries
// what the cluster can do, and gets the point in time that this opened, which it
// has to close; "" for none.
func (s *Source) paging(ctx context.Context, x *index, keepAlive string) (p paging, pit string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.server.openSearch() && len(x.names) > 1 {
		return pagingScroll, "", nil // _shard_doc begins anew in each index there, and documents would be lost
	}
	if s.paged != pagingUnknown {
		return s.paged, "", nil
	}
	pit, err = s.tryPIT(ctx, x, keepAlive)
	var refused *esds.Error
	switch {
	case err == nil:
		s.paged = pagingPIT
	case errors.As(err, &refused) && refused.Status >= 400 && refused.Status < 500 && refused.Status != http.StatusTooManyRequests:
		if refused.Status == http.StatusForbidden || refused.Status == http.StatusNotFound && errors.Is(err, esds.ErrIndexNotFound) {
			return pagingScroll, "", nil // says nothing of the cluster
		}
		s.paged = pagingScroll
	default:
		return pagingUnknown, "", err
	}
	return s.paged, pit, nil
}

// tryPIT opens a point in time and reads one document as a sliced read would, where
// the version does not say that this works: OpenSearch has _shard_doc from 3 on.
func (s *Source) tryPIT(ctx context.Context, x *index, keepAlive string) (string, error) {
	pit, err := s.openPIT(ctx, x.resource, keepAlive, x.copies())
	if err != nil || s.server.slicesPIT() {
		return pit, err
	}
	body := pitBody(map[string]any{"_source": false}, pit, keepAlive)
	body["size"] = 1
	body["slice"] = map[string]any{"id": 0, "max": 2}
	_, err = s.client.read(ctx, request{op: "scan", index: x.resource, method: http.MethodPost, path: "/_search", body: marshal(body)})
	if err != nil {
		s.closePIT(ctx, pit)
		return "", err
	}
	return pit, nil
}

func (s *Source) openPIT(ctx context.Context, resource, keepAlive, copies string) (string, error) {
	path := "/" + resource + "/_pit"
	if s.server.openSearch() {
		path = "/" + resource + "/_search/point_in_time"
	}
	query := url.Values{"keep_alive": {keepAlive}}
	if copies != "" {
		query.Set("preference", copies)
	}
	ctx = context.WithoutCancel(ctx) // without the answer nobody could give the point in time back
	text, err := s.readIndex(ctx, request{
		op: "scan", index: resource, method: http.MethodPost, path: path, query: query,
	})
	if err != nil {
		return "", err
	}
	var answer struct {
		ID     string `json:"id"`
		PIT    string `json:"pit_id"`
		Shards struct {
			Failed int `json:"failed"`
		} `json:"_shards"`
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return "", &esds.Error{Op: "scan", Index: resource, Err: fmt.Errorf("the answer cannot be read: %w", err)}
	}
	id := answer.ID + answer.PIT // one of them is set
	if answer.Shards.Failed > 0 {
		s.closePIT(ctx, id)
		return "", &esds.Error{Op: "scan", Index: resource, Err: fmt.Errorf("%d shards cannot be read", answer.Shards.Failed)}
	}
	return id, nil
}

func (s *Source) closePIT(ctx context.Context, id string) {
	ctx, cancel := releasing(ctx)
	defer cancel()
	r := request{op: "close", method: http.MethodDelete, path: "/_pit", body: marshal(map[string]any{"id": id})}
	if s.server.openSearch() {
		r.path, r.body = "/_search/point_in_time", marshal(map[string]any{"pit_id": []string{id}})
	}
	_, _ = s.client.send(ctx, r) // it ends by itself when this fails
}

// pitBody makes a search of a point in time. Sorted by _doc, a shard goes on where the
// page before ended, and stops when this one is full; by _shard_doc alone it goes through
// all its documents for each page.
func pitBody(body map[string]any, pit, keepAlive string) map[string]any {
	body["pit"] = map[string]any{"id": pit, "keep_alive": keepAlive}
	body["sort"] = []string{"_doc", "_shard_doc"}
	return body
}

// runPIT reads all slices of one point in time.
func (s *scan) runPIT(ctx context.Context, first *page) error {
	x := s.plan.index
	id, err := s.held, error(nil)
	if s.held = ""; id == "" {
		id, err = x.source.openPIT(ctx, x.resource, s.keepAlive(), x.copies())
	}
	if err != nil {
		return err
	}
	pit := &pit{id: id}
	defer func() { x.source.closePIT(ctx, pit.get()) }()
	want, ignored, err := s.countPIT(ctx, pit)
	if err == nil && ignored > 0 {
		err = s.disproved(ctx, ignored)
	}
	if err != nil {
		return err
	}
	defer s.keepPIT(ctx, pit)()
	slices := s.pitSlices(want, first)
	size := s.size()
	got, err := s.readSlices(ctx, slices, maxAtOnce, size, func(i int) cursor {
		return &pitCursor{scan: s, pit: pit, slice: i, slices: slices}
	})
	if err == nil && got != want {
		err = &esds.Error{Op: "scan", Index: x.resource, Err: fmt.Errorf("the cluster returned %d of %d documents", got, want)}
	}
	return err
}

// countPIT returns how many documents the scan selects, which is what all slices
// together must yield, and in how many of them the index left out a value of a field
// that is read from doc values.
func (s *scan) countPIT(ctx context.Context, pit *pit) (total, ignored int64, err error) {
	x := s.plan.index
	body := pitBody(map[string]any{"query": x.query(s.plan.scan.Filter)}, pit.get(), s.keepAlive())
	body["size"], body["track_total_hits"] = 0, true
	paths := s.plan.fromDocs(true)
	if len(paths) > 0 {
		body["aggs"] = object{"ignored": object{"filter": object{"terms": object{"_ignored": paths}}}}
	}
	p, err := s.search(ctx, request{path: "/_search", query: whole(), body: marshal(body)}, true)
	if err != nil {
		return 0, 0, err
	}
	if len(paths) == 0 {
		return p.total, 0, nil
	}
	var proof struct {
		Ignored *struct {
			Count int64 `json:"doc_count"`
		} `json:"ignored"`
	}
	if err := json.Unmarshal(p.aggs, &proof); err != nil || proof.Ignored == nil {
		return 0, 0, &esds.Error{Op: "scan", Index: x.resource, Err: errors.New("the answer has no count of ignored values")}
	}
	return p.total, proof.Ignored.Count, nil
}

// keepPIT keeps a point in time alive while nobody takes its pages: rows may go
// to a busy cluster, or to a terminal that waits for a key. The returned function
// ends that.
func (s *scan) keepPIT(ctx context.Context, pit *pit) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	tick := time.NewTicker(s.plan.index.opts.Duration("es.scroll.keepalive")/3 + time.Millisecond)
	go func() {
		defer close(done)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				body := pitBody(object{"size": 0, "track_total_hits": false, "query": matchNone()}, pit.get(), s.keepAlive())
				_, _ = s.client.send(ctx, request{op: "scan", method: http.MethodPost, path: "/_search", body: marshal(body)})
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// maxAtOnce is how many slices are read at a time.
const maxAtOnce = 4

// pitSlices returns a multiple of the number of shards, so that slices weigh the
// same; one for what fits a few pages. OpenSearch cuts within shards by hashing every
// id, for each page; Elasticsearch by the numbers of documents.
func (s *scan) pitSlices(total int64, first *page) int {
	if n := s.plan.index.opts.Int("eslake.read.slices"); n > 0 {
		return n
	}
	if s.limit > 0 {
		total = min(total, s.limit)
	}
	if total <= maxPage {
		return 1
	}
	shards := max(1, first.shards)
	slices := shards
	for slices < maxAtOnce && !s.plan.scan.Copied && !s.plan.index.source.server.openSearch() {
		slices += shards
	}
	return min(slices, 1024)
}

// pit is a point in time. Every answer may rename it.
type pit struct {
	mu sync.Mutex
	id string
}

func (p *pit) get() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.id
}

func (p *pit) set(id string) {
	if id == "" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.id = id
}

type pitCursor struct {
	scan          *scan
	pit           *pit
	slice, slices int
	after         []byte // sort values of the last hit; nil before the first page
}

func (c *pitCursor) next(ctx context.Context, size int) (*page, error) {
	for {
		p, err := c.ask(ctx, size)
		if !errors.Is(err, errTooLong) || size <= 1 {
			return p, err
		}
		size = max(1, size/4) // nothing has moved: the same place can be asked for again
	}
}

func (c *pitCursor) ask(ctx context.Context, size int) (*page, error) {
	body := pitBody(c.scan.plan.body(), c.pit.get(), c.scan.keepAlive())
	body["size"] = size
	body["track_total_hits"] = c.after == nil
	if c.slices > 1 {
		body["slice"] = map[string]any{"id": c.slice, "max": c.slices}
	}
	if c.after != nil {
		body["search_after"] = json.RawMessage(c.after)
	}
	p, err := c.scan.search(ctx, request{path: "/_search", query: whole(), body: marshal(body), skim: true, size: size}, true)
	if err != nil {
		return nil, err
	}
	c.pit.set(p.pit)
	if !p.empty() {
		if c.after = bytes.Clone(p.lastSort()); c.after == nil {
			return nil, &esds.Error{Op: "scan", Index: c.scan.plan.index.resource, Err: errors.New("the answer has no sort values")}
		}
	}
	return p, nil
}

// close does nothing: the point in time belongs to all slices.
func (c *pitCursor) close(context.Context) {}
