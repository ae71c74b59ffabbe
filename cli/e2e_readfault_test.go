//go:build unix

package cli_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/eslake/eslake/esds/esdstest"
)

// readFault is something that happens to a query, and the code that the program
// ends with.
type readFault struct {
	name string
	set  func(fake *esdstest.Server)
	code int
	says string // what standard error has, "" when the query succeeds
}

// laterPage is a request for a page that is not the first.
func laterPage(r esdstest.Request) bool {
	return r.Kind == esdstest.Scroll || r.Kind == esdstest.Search && strings.Contains(string(r.Body), "search_after")
}

var readFaults = []readFault{
	{name: "nothing", set: func(*esdstest.Server) {}},
	{name: "busy while the index is opened", set: func(f *esdstest.Server) { f.Next(esdstest.GetIndex, esdstest.Answer(429, `{"error":"busy"}`)) }},
	{name: "not available at the first search", set: func(f *esdstest.Server) { f.Next(esdstest.Search, esdstest.Answer(503, `{"error":"not recovered"}`)) }},
	{name: "shard failure in a 200", set: func(f *esdstest.Server) { f.NextWhen(esdstest.Any, laterPage, esdstest.ShardFailure()) }, code: 1, says: "shards failed"},
	{name: "out of time in a 200", set: func(f *esdstest.Server) { f.NextWhen(esdstest.Any, laterPage, esdstest.TimedOut()) }, code: 1, says: "before it was complete"},
	{name: "not allowed", set: func(f *esdstest.Server) {
		f.Next(esdstest.Any, esdstest.Answer(401, `{"error":{"type":"security_exception","reason":"missing credentials"},"status":401}`))
	}, code: 3, says: "401|not accept|credentials"},
	{name: "index gone", set: func(f *esdstest.Server) {
		f.Next(esdstest.Any, esdstest.Answer(404, `{"error":{"type":"index_not_found_exception","reason":"no such index [t]","index":"t"},"status":404}`))
	}, code: 1, says: "not found"},
}

// TestE2EReadFaults lets a query meet faults: it gives all rows, or it ends with the
// code that docs/exit-codes.md says, and never with 0 and fewer rows.
func TestE2EReadFaults(t *testing.T) {
	t.Parallel()
	for _, flavour := range []esdstest.Flavour{esdstest.Elasticsearch8, esdstest.OpenSearch2} {
		for _, f := range readFaults {
			t.Run(flavour.Name+" "+f.name, func(t *testing.T) {
				fake := esdstest.New(t, flavour)
				p := newPlace(t, "fake", fake.URL)
				p.must(t, fmt.Sprintf("CREATE TABLE t (id INT, name STRING) USING es OPTIONS (resource '%st', es.scroll.size '100', es.http.retries '1', eslake.read.fields 'source');"+
					"INSERT INTO t SELECT x, concat('n', x) FROM (SELECT explode(sequence(1, 900)) AS x)", p.prefix))
				f.set(fake)
				e := p.run(t, "-q", "--no-header", "-e", "SELECT id, name FROM t")
				switch rows := strings.Count(e.out, "\n"); {
				case e.code != f.code:
					t.Errorf("want exit code %d: %v", f.code, e)
				case f.says != "" && !regexp.MustCompile(f.says).MatchString(e.err):
					t.Errorf("want %q: %v", f.says, e)
				case f.code == 0 && rows != 900:
					t.Errorf("%d rows: %v", rows, e)
				}
			})
		}
	}
	t.Run("no server", func(t *testing.T) {
		fake := esdstest.New(t, esdstest.Elasticsearch8)
		p := newPlace(t, "fake", fake.URL)
		p.must(t, fmt.Sprintf("CREATE TABLE t (id INT) USING es OPTIONS (resource '%st')", p.prefix))
		p.at("http://127.0.0.1:1").fails(t, 3, "SELECT * FROM t", `^error\[E3001\]`, "no connection")
	})
}

// lostShard is an answer without the documents of a shard that no node has.
const lostShard = `{"took":1,"timed_out":false,"_scroll_id":"s","_shards":{"total":2,"successful":1,"skipped":0,"failed":1,"failures":[{"shard":0,"index":"t",` +
	`"reason":{"type":"no_shard_available_action_exception","reason":"no copy of the shard"}}]},"hits":{"total":{"value":0,"relation":"eq"},"hits":[]}}`

// TestE2EDocumentsAndLostShards reads whole documents, and what is left when shards
// are lost, where the table says so.
func TestE2EDocumentsAndLostShards(t *testing.T) {
	t.Parallel()
	for _, flavour := range []esdstest.Flavour{esdstest.Elasticsearch8, esdstest.OpenSearch2} {
		t.Run(flavour.Name, func(t *testing.T) {
			fake := esdstest.New(t, flavour)
			p := newPlace(t, "fake", fake.URL)
			p.must(t, fmt.Sprintf("CREATE TABLE t (id INT, name STRING) USING es OPTIONS (resource '%[1]st', es.mapping.id 'id'); INSERT INTO t VALUES (1, 'a'), (2, 'b');"+
				"CREATE TABLE j USING es OPTIONS (resource '%[1]st', es.output.json 'true');"+
				"CREATE TABLE red (id INT, name STRING) USING es OPTIONS (resource '%[1]st', es.index.read.allow.red.status 'true', es.scroll.size '1', eslake.read.fields 'source')", p.prefix))
			if got := p.value(t, "SELECT get_json_object(_source, '$.name') FROM j WHERE get_json_object(_source, '$.id') = '2'"); got != "b" {
				t.Errorf("the document has %q", got)
			}
			if got := p.value(t, "SELECT count(*) FROM j"); got != "2" {
				t.Errorf("%s documents", got)
			}
			lost := func(r esdstest.Request) bool {
				return strings.Contains(string(r.Body)+r.Query.Encode(), "scroll") || strings.Contains(string(r.Body), `"pit"`)
			}
			fake.NextWhen(esdstest.Search, lost, esdstest.Answer(200, lostShard))
			if e := p.run(t, "--no-header", "-e", "SELECT id FROM red"); e.code != 0 || e.out != "" || !strings.Contains(e.err, "1 of 2 shards") {
				t.Errorf("what is left of a red index: %v", e)
			}
		})
	}
}
