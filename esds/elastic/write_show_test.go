package elastic_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/esds/elastic"
	"github.com/eslake/eslake/esds/esdstest"
	"github.com/eslake/eslake/sql/row"
)

// The last request of each lane has its shard show what it took, where it is sent whole;
// at the end the index is asked to, since others may have been on their way. Nothing is
// where es.batch.write.refresh is false.
func TestWriteShows(t *testing.T) {
	last, lastBut := "[false false false true]", "[false false false true false]"
	for _, tt := range []struct {
		name    string
		refresh string
		refused bool
		want    []string // of each shard: whether its requests ask for it
		asked   int      // requests to refresh
	}{
		{"all taken", "true", false, []string{last, last}, 1},
		{"the last refused in part", "true", true, []string{last, lastBut}, 1},
		{"not wanted", "false", false, []string{"[false false false false]", "[false false false false]"}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fake := esdstest.New(t, esdstest.Elasticsearch8)
			source := open(t, elastic.Config{Addresses: []string{fake.URL}, Wait: noWait})
			d := esds.Definition{Mappings: []byte(`{}`), Settings: []byte(`{"index":{"number_of_shards":2}}`)}
			if err := source.Create(t.Context(), "idx", d); err != nil {
				t.Fatal(err)
			}
			if tt.refused {
				for range 7 {
					fake.Next(esdstest.Bulk, esdstest.PartialBulk(nil))
				}
				fake.Next(esdstest.Bulk, esdstest.PartialBulk(map[int]int{1: 429}))
			}
			b, shards := row.NewBatch(idRoutingN), map[string]int{}
			for i, rows := 0, [2]int{}; rows != [2]int{18, 18}; i++ { // four requests of each shard, the last not full
				id := fmt.Sprint(i)
				shard := elastic.ShardOf(t, fake.URL, "idx", id)
				if rows[shard] == 18 {
					continue
				}
				rows[shard]++
				shards[id] = shard
				if err := b.AppendRow(id, nil, int64(i)); err != nil {
					t.Fatal(err)
				}
			}
			opts := options(t, "es.batch.size.entries", "5", "eslake.write.connections", "1", "es.batch.write.refresh", tt.refresh)
			if _, err := source.Write(t.Context(), esds.Write{Index: "idx", ID: "id", Options: opts}, row.NewBatches(idRoutingN, b)); err != nil {
				t.Fatal(err)
			}
			got := [2][]bool{}
			for _, r := range fake.Requests(esdstest.Bulk) {
				_, id, _ := strings.Cut(string(r.Body), `"_id":"`)
				id, _, _ = strings.Cut(id, `"`)
				got[shards[id]] = append(got[shards[id]], r.Query.Get("refresh") == "true")
			}
			if text := []string{fmt.Sprint(got[0]), fmt.Sprint(got[1])}; !slices.Equal(text, tt.want) {
				t.Errorf("requests that ask to show: %v, want %v", text, tt.want)
			}
			if asked := len(fake.Requests(esdstest.Refresh)); asked != tt.asked {
				t.Errorf("%d requests to refresh, want %d", asked, tt.asked)
			}
		})
	}
}
