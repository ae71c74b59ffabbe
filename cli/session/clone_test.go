package session_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/eslake/eslake/esds/esdstest"
	"github.com/eslake/eslake/esds/esdstest/servers"
)

// cloneReads are statements that meet an index while it is being cloned, and what
// they say.
var cloneReads = []struct{ name, table, resource, query, says string }{
	{"declared columns", "(id BIGINT, s STRING)", "c", "SELECT count(*) AS n, min(s) AS a FROM t WHERE length(s) = 3", "n,a\n300,old\n"},
	{"columns of the mapping", "", "c", "SELECT max(id) AS m, max(s) AS a FROM t", "m,a\n299,old\n"},
	{"an alias", "", "other", "SELECT id, s FROM t WHERE id = 7", "id,s\n7,old\n"},
	{"a pattern", "", "c*", "SELECT count(s) AS n FROM t", "n\n300\n"},
	{"a missing column is an error", "(id BIGINT, s STRING)", "c', 'es.read.field.validate.presence' 'strict", "SELECT max(s) AS a FROM t", "a\nold\n"},
	{"a write", "", "c", "INSERT INTO t VALUES (300, 'new')", "INSERT 1 -> t (1 created, 0 updated, 0 rejected)\n"},
	{"a change", "", "c", "UPDATE t SET s = 'new' WHERE s = 'old' AND id < 10", "UPDATE 10 -> t; UNDO JOB 'JOB' takes it back\n"},
	{"an overwrite", "", "c", "INSERT OVERWRITE t SELECT 1, 'new'; SELECT * FROM t", "id,s\n1,new\n"},
}

// testReadDuringClone: until its first shard is there, a clone has no mapping. Its
// columns are not NULL for that.
func testReadDuringClone(t *testing.T, url string, server front, front string) {
	for _, c := range cloneReads {
		t.Run(c.name, func(t *testing.T) {
			w, reader := newWorld(t, at(url)), newWorld(t, at(front))
			source, clone := url+"/"+w.prefix+"source", url+"/"+w.prefix+"c"
			w.run("CREATE TABLE s (id BIGINT, s STRING) USING es OPTIONS (resource '${prefix}source', 'es.mapping.id' 'id'); INSERT INTO s SELECT id, 'old' FROM range(300)", false)
			send(t, http.MethodPut, source+"/_settings", `{"index.blocks.write": true}`)
			send(t, http.MethodPut, source+"/_clone/"+w.prefix+"c?wait_for_active_shards=0", `{"aliases": {"`+w.prefix+`other": {}},
				"settings": {"index.blocks.write": null, "index.number_of_replicas": 0, "index.routing.allocation.require._name": "nobody"}}`)
			server.NextWhen(esdstest.Health, func(esdstest.Request) bool { return true }, esdstest.Watch(func(esdstest.Request) {
				send(t, http.MethodPut, clone+"/_settings", `{"index.routing.allocation.require._name": null}`)
			}))
			create := "CREATE TABLE t " + c.table + " USING es OPTIONS (resource '" + w.prefix + c.resource + "', 'es.mapping.id' 'id');"
			if got := reader.run(create+c.query, false); !strings.HasSuffix(got, c.says) || strings.Contains(got, "note:") {
				t.Errorf("%s\n%s\nwant %s", c.query, got, c.says)
			}
		})
	}
}

func TestReadDuringClone(t *testing.T) {
	for _, flavour := range []esdstest.Flavour{esdstest.Elasticsearch8, esdstest.OpenSearch2} {
		t.Run(flavour.Name, func(t *testing.T) {
			fake := esdstest.New(t, flavour)
			testReadDuringClone(t, fake.URL, fake, fake.URL)
		})
	}
}

func TestReadDuringCloneReal(t *testing.T) {
	servers.Each(t, func(t *testing.T, url string) {
		proxy := esdstest.NewProxy(t, url)
		testReadDuringClone(t, url, proxy, proxy.URL)
	})
}
