package elastic_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/eslake/eslake/esds/esdstest"
	"github.com/eslake/eslake/esds/esdstest/servers"
)

// Pages end between documents of several shards that have the same number in them, and
// no document is lost there.
func TestPagesOverShards(t *testing.T) {
	for _, flavour := range esdstest.Flavours() {
		t.Run(flavour.Name, func(t *testing.T) {
			fake := esdstest.New(t, flavour)
			b := newReadBed(t, fake.URL, fake, fake.OpenContexts)
			b.pages()
			if b.scrolls() {
				return
			}
			later := 0
			for _, r := range fake.Requests(esdstest.Search) {
				if !strings.Contains(string(r.Body), `"search_after"`) {
					continue
				}
				if later++; !strings.Contains(string(r.Body), `"sort":["_doc","_shard_doc"]`) {
					t.Fatalf("a page goes through all documents of its shards: %s", r.Body)
				}
			}
			if later == 0 {
				t.Error("all was read in one page")
			}
		})
	}
}

func TestPagesOverShardsReal(t *testing.T) {
	servers.Each(t, func(t *testing.T, url string) {
		base := openSearchContexts(t, url)
		proxy := esdstest.NewProxy(t, url)
		newReadBed(t, proxy.URL, proxy, func() int { return openSearchContexts(t, url) - base }).pages()
	})
}

// pages reads in slices of several shards, of one, and of parts of one.
func (b *readBed) pages() {
	for slices := 1; slices <= 5; slices++ {
		for _, size := range []int{37, 100} {
			b.Run(fmt.Sprintf("%d slices of pages of %d", slices, size), func(t *testing.T) {
				rows, err := b.readBy(t.Context(), size, slices)
				if err != nil {
					t.Fatal(err)
				}
				b.whole(rows)
			})
		}
	}
}

// A shard is cut where that takes the server no work.
func TestSlicesOfAPointInTime(t *testing.T) {
	for _, tt := range []struct {
		flavour esdstest.Flavour
		want    int
	}{{esdstest.Elasticsearch8, 4}, {esdstest.Elasticsearch7, 4}, {esdstest.OpenSearch3, 2}} {
		t.Run(tt.flavour.Name, func(t *testing.T) {
			fake := esdstest.New(t, tt.flavour)
			b := newReadBed(t, fake.URL, fake, fake.OpenContexts)
			b.total = 12_000
			b.fill()
			rows, err := b.readWith(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			b.whole(rows)
			largest := 0
			for _, r := range fake.Requests(esdstest.Search) {
				var body struct {
					Slice struct{ Max int }
				}
				if json.Unmarshal(r.Body, &body) == nil {
					largest = max(largest, body.Slice.Max)
				}
			}
			if largest != tt.want {
				t.Errorf("read in %d slices, want %d", largest, tt.want)
			}
		})
	}
}
