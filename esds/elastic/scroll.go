package elastic

import (
	"bytes"
	"context"
	"net/http"
	"slices"
)

// runScroll reads by sliced scrolls, for clusters that cannot do better.
func (s *scan) runScroll(ctx context.Context, first *page) error {
	n := s.scrollSlices(first)
	_, err := s.readSlices(ctx, n, n, s.size(), func(i int) cursor {
		return &scrollCursor{scan: s, slice: i, slices: n}
	})
	return err
}

// scrollSlices returns one slice a shard: more would cut within shards, which a
// scroll does by hashing every id. A cluster allows 500 contexts, and each slice
// holds one in every shard.
func (s *scan) scrollSlices(first *page) int {
	if n := s.plan.index.opts.Int("eslake.read.slices"); n > 0 {
		return n
	}
	if s.limit > 0 && s.limit <= maxPage || first.total <= maxPage {
		return 1
	}
	shards := max(1, first.shards)
	return max(1, min(shards, 8, 200/shards))
}

// scrollCursor reads one scroll. A page is never asked for twice, since the
// cluster has moved on even when its answer was lost.
type scrollCursor struct {
	scan          *scan
	slice, slices int
	size          int // of every page
	id            string
	ids           []string // all that the scroll was called
}

func (c *scrollCursor) next(ctx context.Context, size int) (*page, error) {
	r := request{path: "/_search/scroll", body: marshal(map[string]any{"scroll": c.scan.keepAlive(), "scroll_id": c.id})}
	if c.id == "" {
		c.size = size
		r = c.begin(size)
		ctx = context.WithoutCancel(ctx) // without the answer nobody could give the scroll back
	}
	r.skim, r.size = true, c.size
	var part []byte
	r.part = &part
	p, err := c.scan.search(ctx, r, false)
	if err != nil {
		if id := scrollIn(part); c.id == "" && id != "" {
			c.ids = append(c.ids, id) // the cluster keeps it open
		}
		return nil, err
	}
	if c.id = p.scroll; !slices.Contains(c.ids, c.id) {
		c.ids = append(c.ids, c.id)
	}
	return p, nil
}

// scrollIn returns the id of the scroll in an answer of which only the beginning
// came, or that was refused; "" for none.
func scrollIn(part []byte) string {
	_, rest, found := bytes.Cut(part[:min(len(part), 10_000)], []byte(`"_scroll_id":"`))
	id, _, closed := bytes.Cut(rest, []byte(`"`))
	if !found || !closed {
		return ""
	}
	return string(id)
}

func (c *scrollCursor) begin(size int) request {
	body := c.scan.plan.body()
	body["size"] = size
	body["sort"] = []string{"_doc"}
	body["track_total_hits"] = true
	if c.slices > 1 {
		body["slice"] = map[string]any{"id": c.slice, "max": c.slices}
	}
	query := c.scan.plan.index.params()
	query.Set("scroll", c.scan.keepAlive())
	return request{path: "/" + c.scan.plan.index.resource + "/_search", query: query, body: marshal(body)}
}

func (c *scrollCursor) close(ctx context.Context) {
	if len(c.ids) == 0 {
		return
	}
	ctx, cancel := releasing(ctx)
	defer cancel()
	body := marshal(map[string]any{"scroll_id": c.ids})
	_, _ = c.scan.client.send(ctx, request{op: "close", method: http.MethodDelete, path: "/_search/scroll", body: body})
}
