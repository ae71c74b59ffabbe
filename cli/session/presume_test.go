package session_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/eslake/eslake/esds/esdstest"
	"github.com/eslake/eslake/esds/esdstest/servers"
)

// presumedChanges are what may become of an index between two statements.
var presumedChanges = []struct{ name, mapping, bulk string }{
	{"a new field", "", `{"n":3,"k":"c","more":"x"}`},
	{"another type", `{"properties":{"n":{"type":"keyword"},"k":{"type":"keyword"}}}`, `{"n":"seven","k":"a"}`},
	{"a field less", `{"properties":{"k":{"type":"keyword"}}}`, `{"k":"d"}`},
	{"no exact terms any more", `{"properties":{"n":{"type":"long"},"k":{"type":"text"}}}`, `{"n":1,"k":"b B"}`},
	{"an index made anew", `{"properties":{"n":{"type":"long"},"k":{"type":"keyword"}}}`, `{"n":9,"k":"z"}`},
	{"no index", "none", ""},
}

var presumingQueries = []string{
	"SELECT * FROM t ORDER BY k", "SELECT k, count(*), sum(n) FROM t GROUP BY k", "SELECT n FROM t WHERE k = 'b'", "SELECT count(*) FROM t WHERE k = 'b'",
	"SELECT max(n) FROM t", "SELECT more FROM t", "SELECT a.n, b.k FROM t a JOIN t b ON a.k = b.k",
}

// testPresumed asks in a session that knows the index as it was: the answer is that
// of a session that knows nothing.
func testPresumed(t *testing.T, url string) {
	for _, c := range presumedChanges {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, at(url))
			index, bulk := url+"/"+w.prefix+"t", url+"/"+w.prefix+"t/_bulk?refresh=true"
			send(t, http.MethodPut, index, `{"mappings":{"properties":{"n":{"type":"long"},"k":{"type":"keyword"}}}}`)
			send(t, http.MethodPost, bulk, "{\"index\":{}}\n{\"n\":1,\"k\":\"a\"}\n{\"index\":{}}\n{\"n\":2,\"k\":\"b\"}\n")
			create := "CREATE TABLE t USING es OPTIONS (resource '" + w.prefix + "t')"
			asked := []*world{}
			for _, q := range presumingQueries {
				known := newWorld(t, at(url))
				known.run(create, false)
				if out := known.run(q, true); strings.Contains(out, "error") != strings.Contains(q, "more") {
					t.Fatal(out)
				}
				asked = append(asked, known)
			}
			if c.mapping != "" {
				send(t, http.MethodDelete, index, "")
			}
			if c.mapping != "" && c.bulk != "" {
				send(t, http.MethodPut, index, `{"mappings":`+c.mapping+`}`)
			}
			if c.bulk != "" {
				send(t, http.MethodPost, bulk, "{\"index\":{}}\n"+c.bulk+"\n")
			}
			for i, q := range presumingQueries {
				fresh := newWorld(t, at(url))
				fresh.run(create, false)
				got, want := asked[i].run(q, true), fresh.run(q, true)
				if c.bulk == "" {
					want = "error: describe t: index not found (status 404)\n"
				}
				if got = strings.ReplaceAll(got, w.prefix, ""); got != strings.ReplaceAll(want, w.prefix, "") {
					t.Errorf("%s gave\n%s\nand to a session that knew nothing\n%s", q, got, want)
				}
			}
		})
	}
}

func TestPresumed(t *testing.T) {
	for _, f := range []esdstest.Flavour{esdstest.Elasticsearch8, esdstest.OpenSearch2} {
		t.Run(f.Name, func(t *testing.T) { testPresumed(t, esdstest.New(t, f).URL) })
	}
}

func TestPresumedReal(t *testing.T) { servers.Each(t, testPresumed) }

// The second query of an index does not wait for its mapping: that is answered once
// the search has come, and never when the search waits for it.
func TestQueryDoesNotWaitForTheMapping(t *testing.T) {
	fake := esdstest.New(t, esdstest.Elasticsearch8)
	w := newWorld(t, at(fake.URL))
	w.run("CREATE TABLE t (k STRING, n BIGINT) USING es OPTIONS (resource '${prefix}t'); INSERT INTO t VALUES ('a', 1), ('b', 2)", false)
	for _, q := range []string{"SELECT k, sum(n) AS n FROM t GROUP BY k", "SELECT k, n FROM t"} {
		if out := w.run(q, true); out != "k,n\na,1\nb,2\n" {
			t.Fatal(out)
		}
		fake.Forget()
		searched := make(chan struct{})
		fake.Next(esdstest.GetIndex, esdstest.Delay(searched))
		fake.Next(esdstest.Search, func(x *esdstest.Exchange) {
			close(searched)
			status, body := x.Act()
			x.Send(status, string(body))
		})
		if out := w.run(q, true); out != "k,n\na,1\nb,2\n" {
			t.Error(out)
		}
		if n := len(fake.Requests(esdstest.GetIndex)); n != 1 {
			t.Errorf("the mapping was asked for %d times", n)
		}
	}
}

// Nothing is given out before it is sure that the index is as presumed.
func TestNothingIsGivenOutOfAPresumption(t *testing.T) {
	fake := esdstest.New(t, esdstest.Elasticsearch8)
	w := newWorld(t, at(fake.URL))
	w.run("CREATE TABLE first (k STRING, n BIGINT) USING es OPTIONS (resource '${prefix}t'); INSERT INTO first VALUES ('a', 1); CREATE TABLE t USING es OPTIONS (resource '${prefix}t')", false)
	if out := w.run("SELECT * FROM t", true); out != "k,n\na,1\n" {
		t.Fatal(out)
	}
	// The search is answered before the field is there, the mapping after it.
	searched := make(chan struct{})
	fake.Next(esdstest.Search, func(x *esdstest.Exchange) {
		status, body := x.Act()
		x.Send(status, string(body))
		close(searched)
	})
	fake.Next(esdstest.GetIndex, func(x *esdstest.Exchange) {
		<-searched
		send(t, http.MethodPost, fake.URL+"/"+w.prefix+"t/_bulk?refresh=true", "{\"index\":{}}\n{\"k\":\"b\",\"n\":2,\"more\":\"x\"}\n")
		status, body := x.Act()
		x.Send(status, string(body))
	})
	if out := w.run("SELECT * FROM t", true); out != "k,more,n\na,,1\nb,x,2\n" {
		t.Error(out)
	}
}
