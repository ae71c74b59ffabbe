package session_test

import (
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/eslake/eslake/esds/esdstest"
)

// A copy reads one part of each shard at a time, which the cluster takes with less work;
// rows that stay here come from more.
func TestCopyReadsShardsInTheirOrder(t *testing.T) {
	fake := esdstest.New(t, esdstest.Elasticsearch8)
	w := newWorld(t, at(fake.URL))
	for _, name := range []string{"a", "b"} {
		w.run(fmt.Sprintf("CREATE TABLE %s (id BIGINT) USING es OPTIONS (resource '${prefix}%[1]s', es.mapping.id 'id', eslake.index.settings.number_of_shards '2')", name), false)
	}
	w.run("INSERT INTO a SELECT id FROM range(12000)", false)
	for _, tt := range []struct {
		query string
		want  []string
	}{
		{"INSERT INTO b SELECT * FROM a", []string{`"max":2`}},
		{"INSERT OVERWRITE b SELECT * FROM a", []string{`"max":2`}},
		{"SELECT count(id + 1) FROM (SELECT * FROM a)", []string{`"max":4`}},
	} {
		fake.Forget()
		w.run(tt.query, false)
		var slice []string
		for _, r := range fake.Requests(esdstest.Search) {
			slice = append(slice, regexp.MustCompile(`"max":\d+`).FindAllString(string(r.Body), 1)...)
		}
		slices.Sort(slice)
		if got := slices.Compact(slice); !slices.Equal(got, tt.want) {
			t.Errorf("%s: slices %v, want %v", tt.query, got, tt.want)
		}
	}
}
