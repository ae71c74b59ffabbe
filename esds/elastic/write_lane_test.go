package elastic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/esds/esdstest"
	"github.com/eslake/eslake/esds/esdstest/servers"
)

// Rows go where the servers put them.
func TestLanesAreShards(t *testing.T) {
	testLanesAreShards(t, esdstest.New(t, esdstest.Elasticsearch8).URL)
}

func TestLanesAreShardsReal(t *testing.T) { servers.Each(t, testLanesAreShards) }

func testLanesAreShards(t *testing.T, server string) {
	source, err := Open(t.Context(), Config{Addresses: []string{server}})
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	for shards, more := range map[int]string{2: "", 3: "", 4: `,"number_of_routing_shards":8`, 5: `,"number_of_routing_shards":5`, 7: ""} {
		index := fmt.Sprintf("lanes-%d-%d", shards, time.Now().UnixNano())
		d := esds.Definition{Mappings: []byte(`{}`), Settings: fmt.Appendf(nil, `{"index":{"number_of_shards":%d,"number_of_replicas":0%s}}`, shards, more)}
		if err := source.Create(t.Context(), index, d); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = source.Drop(context.WithoutCancel(t.Context()), index) })
		found, err := source.describe(t.Context(), "read", index)
		if err != nil {
			t.Fatal(err)
		}
		if more != "" && found[index].routingShards == 0 {
			continue // Elasticsearch does not tell it: the lanes are no shards then
		}
		l := newLanes(found[index], 5<<20)
		for _, id := range []string{"1", "2", "17", "123456", "ä", "日本", "a😀b", "a long id that is more than a block"} {
			if got, shard := l.of([]byte(id)), ShardOf(t, server, index, id); got != shard%mostLanes {
				t.Errorf("%d shards%s: %q goes with lane %d, and to shard %d", shards, more, id, got, shard)
			}
		}
	}
}

// ShardOf asks a server where it puts a document.
func ShardOf(t rapid.TB, server, index, id string) int {
	t.Helper()
	res, err := http.Get(server + "/" + index + "/_search_shards?routing=" + url.QueryEscape(id)) //nolint:noctx // a test's own
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	var answer struct {
		Shards [][]struct {
			Shard int `json:"shard"`
		} `json:"shards"`
	}
	if err = errors.Join(err, json.Unmarshal(body, &answer)); err != nil || len(answer.Shards) != 1 {
		t.Fatalf("%v: %s", err, body)
	}
	return answer.Shards[0][0].Shard
}

// What is not known, or would take too much memory, is not told apart.
func TestLanesOfIndices(t *testing.T) {
	for _, tt := range []struct {
		of    described
		bytes int
		want  int
	}{
		{described{}, 5 << 20, 0},
		{described{shards: 1}, 5 << 20, 0},
		{described{shards: 2}, 5 << 20, 2},
		{described{shards: 2}, 0, 2},
		{described{shards: 50}, 5 << 20, mostLanes},
		{described{shards: 3}, 9 << 20, 2},
		{described{shards: 3}, 100 << 20, 0},
	} {
		if got := newLanes(tt.of, tt.bytes).n; got != tt.want {
			t.Errorf("%+v, requests of %d bytes: %d lanes, want %d", tt.of, tt.bytes, got, tt.want)
		}
	}
	for shards, want := range map[int]int{2: 1024, 3: 768, 5: 640, 600: 1200, 1024: 2048} {
		if got := routingShards(shards, 8_500_000); got != want {
			t.Errorf("%d shards can become %d, want %d", shards, got, want)
		}
	}
	if got := routingShards(5, 6_080_099); got != 5 {
		t.Errorf("an index of Elasticsearch 6 with 5 shards can become %d", got)
	}
}

// The next batch is the first of a lane without one on its way; one that waits for
// another is never taken before its turn.
func TestQueuePicks(t *testing.T) {
	open, settled := make(chan struct{}), make(chan struct{})
	close(settled)
	in := func(lane int, after ...<-chan struct{}) *batch { return &batch{lane: lane, after: after} }
	for _, tt := range []struct {
		busy  []int
		ready []*batch
		want  int
	}{
		{[]int{0, 0}, []*batch{in(0), in(1)}, 0},
		{[]int{1, 0}, []*batch{in(0), in(0), in(1), in(1)}, 2},
		{[]int{1, 2}, []*batch{in(1), in(0)}, 0},
		{[]int{1, 0}, []*batch{in(0), in(1, open), in(1, settled)}, 2},
		{[]int{1, 0}, []*batch{in(0), in(1, settled, open)}, 0},
		{[]int{0, 1}, []*batch{in(0, open), in(1)}, 0},
	} {
		if got := (&queue{busy: tt.busy, ready: tt.ready}).pick(); got != tt.want {
			t.Errorf("busy %v: %d is picked, want %d", tt.busy, got, tt.want)
		}
	}
}

// A queue gives out all that it got, and neither side waits for one that has ended.
func TestQueueEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	q := newQueue(ctx, 1)
	if err := q.put(ctx, &batch{}); err != nil {
		t.Fatal(err)
	}
	q.close()
	if q.take(ctx) == nil || q.take(ctx) != nil {
		t.Error("the queue does not end with its last batch")
	}
	q = newQueue(ctx, 1)
	_ = q.put(ctx, &batch{})
	full, taken := make(chan error), make(chan *batch)
	go func() { full <- q.put(ctx, &batch{}) }()
	empty := newQueue(ctx, 1)
	go func() { taken <- empty.take(ctx) }()
	cancel()
	if err, b := <-full, <-taken; !errors.Is(err, context.Canceled) || b != nil {
		t.Errorf("after the end: %v, %v", err, b)
	}
}
