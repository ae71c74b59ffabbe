package session_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestModifyBehindNames changes documents through an alias of two indices, a
// wildcard and a data stream: each in its own index.
func TestModifyBehindNames(t *testing.T) { onFronts(t, behindNames) }

func behindNames(t *testing.T, w *world, _ front, url string) {
	for _, n := range []string{"1", "2"} {
		send(t, http.MethodPut, url+"/"+w.prefix+"l-"+n, `{"aliases":{"`+w.prefix+`both":{}},"mappings":{"properties":{"id":{"type":"integer"},"n":{"type":"integer"}}}}`)
		post(t, url+"/"+w.prefix+"l-"+n+"/_bulk?refresh=true", `{"index":{"_id":"same"}}
{"id":`+n+`,"n":0,"more":"kept"}
{"index":{"_id":"only`+n+`"}}
{"id":1`+n+`,"n":0}
`)
	}
	w.run(`CREATE TABLE both (id INT, n INT) USING es OPTIONS (resource '${prefix}both');
		CREATE TABLE wild (id INT, n INT) USING es OPTIONS (resource '${prefix}l-*')`, false)
	for _, tt := range []struct{ sql, says, left string }{
		{"UPDATE both SET n = 5 WHERE id IN (2, 11)", "UPDATE 2 -> both", "1,0\n11,5\n12,0\n2,5\n"},
		{"UPDATE wild SET n = n + 1 WHERE id < 10", "UPDATE 2 -> wild", "1,1\n11,5\n12,0\n2,6\n"},
		{"DELETE FROM wild WHERE id = 1", "DELETE 1 -> wild", "11,5\n12,0\n2,6\n"},
		{"UNDO JOB '${job}'", "UNDO 1 -> wild (1 created)", "1,1\n11,5\n12,0\n2,6\n"},
		{"DELETE FROM both WHERE n > 4", "DELETE 2 -> both", "1,1\n12,0\n"},
	} {
		if out := w.run(tt.sql, false); !strings.HasPrefix(out, tt.says) {
			t.Errorf("%s says %s", tt.sql, out)
		}
		if out := w.run("SELECT id, n FROM both", true); out != "id,n\n"+tt.left {
			t.Errorf("%s left %s", tt.sql, out)
		}
	}
	if out := w.run("SELECT id FROM wild WHERE _source LIKE '%kept%'", false); out != "id\n1\n" {
		t.Errorf("what the table does not know of: %s", out)
	}
}

func TestModifyDataStream(t *testing.T) {
	onFronts(t, func(t *testing.T, w *world, _ front, url string) {
		send(t, http.MethodPut, url+"/_index_template/"+w.prefix+"s", `{"index_patterns":["`+w.prefix+`s"],"data_stream":{},"priority":500,"template":{"mappings":{"properties":{"@timestamp":{"type":"date"},"n":{"type":"integer"}}}}}`)
		post(t, url+"/"+w.prefix+"s/_bulk?refresh=true", `{"create":{"_id":"a"}}
{"@timestamp":"2024-01-01T00:00:00Z","n":1}
{"create":{"_id":"b"}}
{"@timestamp":"2024-01-02T00:00:00Z","n":2}
`)
		out := w.run("CREATE TABLE s USING es OPTIONS (resource '${prefix}s'); UPDATE s SET n = 7 WHERE n = 1; DELETE FROM s WHERE n = 2; SELECT n, _id FROM s", false)
		if !strings.HasSuffix(out, "n,_id\n7,a\n") {
			t.Error(out)
		}
	})
}

// An index that keeps no _source is refused before anything is written.
func TestModifyWithoutSource(t *testing.T) { onFronts(t, withoutSource) }

func withoutSource(t *testing.T, w *world, _ front, url string) {
	send(t, http.MethodPut, url+"/"+w.prefix+"x", `{"mappings":{"_source":{"enabled":false},"properties":{"id":{"type":"integer"}}}}`)
	post(t, url+"/"+w.prefix+"x/_bulk?refresh=true", "{\"index\":{\"_id\":\"1\"}}\n{\"id\":1}\n")
	w.run("CREATE TABLE x (id INT) USING es OPTIONS (resource '${prefix}x')", false)
	for _, sql := range []string{"UPDATE x SET id = 2 WHERE id = 1", "DELETE FROM x WHERE id = 1"} {
		if out := w.run(sql, false); !strings.Contains(out, "_source") || !strings.Contains(out, "error") {
			t.Errorf("%s says %s", sql, out)
		}
	}
}
