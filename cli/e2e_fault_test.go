//go:build unix

package cli_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/eslake/eslake/esds/esdstest"
)

// faultRows is how many rows a load under a fault has.
const faultRows = 10_000

// writeFault is something that happens to a load, and what it must end with.
type writeFault struct {
	name   string
	set    func(t *testing.T, p *place, proxy *esdstest.Proxy) // before the load
	bad    int                                                 // rows that the mapping refuses
	code   int
	partly bool   // the load stops: what is there must be rows of it, each once
	says   string // what standard error must match
}

func writeFaults() []writeFault {
	return []writeFault{
		{name: "the reply is lost after the server acted", set: func(_ *testing.T, _ *place, x *esdstest.Proxy) {
			for range 3 {
				x.Next(esdstest.Bulk, esdstest.After(esdstest.Drop()))
			}
		}},
		{name: "the proxy gives up after the server acted", set: func(_ *testing.T, _ *place, x *esdstest.Proxy) {
			x.Next(esdstest.Bulk, esdstest.After(esdstest.Answer(http.StatusGatewayTimeout, "")))
		}},
		{name: "the connection is reset in the middle of the body", set: func(_ *testing.T, _ *place, x *esdstest.Proxy) {
			x.CutNext(esdstest.Bulk, 1000)
			x.CutNext(esdstest.Bulk, 10)
		}},
		{name: "half of the items are refused for a while", set: func(_ *testing.T, _ *place, x *esdstest.Proxy) {
			for range 20 {
				x.Next(esdstest.Bulk, esdstest.PartialBulk(everyOther(http.StatusTooManyRequests)))
			}
		}},
		{name: "the cluster is not available for a while", set: func(_ *testing.T, _ *place, x *esdstest.Proxy) {
			for range 5 {
				x.Next(esdstest.Bulk, esdstest.Answer(http.StatusServiceUnavailable, ""))
			}
		}},
		{name: "an answer is cut short", set: func(_ *testing.T, _ *place, x *esdstest.Proxy) {
			x.Next(esdstest.Bulk, esdstest.Truncate(200))
			x.Next(esdstest.Bulk, esdstest.After(esdstest.Answer(http.StatusOK, `{"took":1,"errors":false,"items":[]}`)))
		}},
		{name: "a body is too large", set: func(_ *testing.T, _ *place, x *esdstest.Proxy) {
			x.Next(esdstest.Bulk, esdstest.Answer(http.StatusRequestEntityTooLarge, ""))
			x.Next(esdstest.Bulk, esdstest.Answer(http.StatusRequestEntityTooLarge, ""))
		}},
		{name: "one row does not fit the mapping", bad: 1, code: 5},
		{name: "the disk is full, and then it is not", set: fullDisk},
		{name: "the index is deleted meanwhile", set: deletedIndex, code: 1, partly: true, says: `was deleted|is gone|index not found`},
	}
}

// everyOther refuses the even places of a bulk request.
func everyOther(status int) map[int]int {
	refuse := map[int]int{}
	for i := 0; i < faultRows; i += 2 {
		refuse[i] = status
	}
	return refuse
}

// fullDisk sets the block that a server sets itself when its disk is full, and
// takes it away after some requests.
func fullDisk(t *testing.T, p *place, x *esdstest.Proxy) {
	block := func(value string) {
		if status, answer := p.request(t, http.MethodPut, "/"+p.prefix+"t/_settings", `{"index.blocks.read_only_allow_delete":`+value+`}`); status != http.StatusOK {
			t.Errorf("%d %s", status, answer)
		}
	}
	x.Next(esdstest.Bulk, esdstest.Watch(func(esdstest.Request) {}))
	x.Next(esdstest.Bulk, esdstest.Watch(func(esdstest.Request) { block("true") }))
	for range 4 {
		x.Next(esdstest.Bulk, esdstest.Watch(func(esdstest.Request) {}))
	}
	x.Next(esdstest.Bulk, esdstest.Watch(func(esdstest.Request) { block("null") }))
}

// deletedIndex deletes the index while the load runs.
func deletedIndex(t *testing.T, p *place, x *esdstest.Proxy) {
	x.Next(esdstest.Bulk, esdstest.Watch(func(esdstest.Request) {}))
	x.Next(esdstest.Bulk, esdstest.Watch(func(esdstest.Request) {
		if status, answer := p.request(t, http.MethodDelete, "/"+p.prefix+"t", ""); status != http.StatusOK {
			t.Errorf("%d %s", status, answer)
		}
	}))
}

// Whatever breaks between the program and the cluster, each row is there once or
// is reported, and the counts that are told are those of the index.
func TestE2EWriteFaults(t *testing.T) {
	t.Parallel()
	for _, f := range writeFaults() {
		for _, ids := range []string{"", ", es.mapping.id 'id'"} {
			t.Run(f.name+ids, func(t *testing.T) {
				onClusters(t, func(t *testing.T, p *place) { f.run(t, p, ids) })
			})
		}
	}
}

func (f writeFault) run(t *testing.T, p *place, ids string) {
	file := filepath.Join(p.dir, "rows.csv")
	writeRows(t, file, f.bad)
	proxy := esdstest.NewProxy(t, p.url)
	q := p.at(proxy.URL)
	q.must(t, fmt.Sprintf(`CREATE TABLE t (id BIGINT, n STRING) USING es OPTIONS (resource '%st', es.batch.size.entries '500', es.batch.write.retry.wait '10ms'%s)`, p.prefix, ids))
	p.makeIndex(t, "t", `{"mappings":{"properties":{"id":{"type":"long"},"n":{"type":"long"}}}}`)
	if f.set != nil {
		f.set(t, p, proxy)
	}
	e := q.run(t, "-e", fmt.Sprintf("CREATE TEMPORARY VIEW rows (id BIGINT, n STRING) USING csv OPTIONS (path '%s', header 'true'); INSERT INTO t SELECT * FROM rows", file))
	e.check(t, f.code, f.says)
	p.refresh(t)
	if f.partly {
		return
	}
	want := faultRows - f.bad
	if got := p.count(t, "t"); got != want {
		t.Errorf("%d documents, want %d\n%v", got, want, e)
	}
	if got := p.value(t, "SELECT count(DISTINCT id) FROM t"); got != strconv.Itoa(want) {
		t.Errorf("%s different rows, want %d", got, want)
	}
	if got := e.told(t); got != [2]int{want, f.bad} {
		t.Errorf("it tells of %d accepted and %d rejected rows, want %d and %d\n%v", got[0], got[1], want, f.bad, e)
	}
}

func (p *place) makeIndex(t *testing.T, name, body string) {
	t.Helper()
	if status, answer := p.request(t, http.MethodPut, "/"+p.prefix+name, body); status != http.StatusOK {
		t.Fatalf("%d %s", status, answer)
	}
}

var toldCounts = regexp.MustCompile(`INSERT ([\d,]+) -> .* ([\d,]+) rejected\)`)

// told reads the counts of the last line of a load.
func (e ended) told(t *testing.T) (counts [2]int) {
	t.Helper()
	m := toldCounts.FindStringSubmatch(e.err)
	if m == nil {
		t.Errorf("no counts in\n%v", e)
		return counts
	}
	for i := range counts {
		n, err := strconv.Atoi(strings.ReplaceAll(m[i+1], ",", ""))
		if err != nil {
			t.Fatal(err)
		}
		counts[i] = n
	}
	return counts
}

// writeRows makes a CSV file of faultRows rows, of which some hold text where the
// mapping wants a number.
func writeRows(t *testing.T, file string, bad int) {
	t.Helper()
	var b strings.Builder
	b.WriteString("id,n\n")
	for i := range faultRows {
		n := strconv.Itoa(i)
		if i >= faultRows/2 && i < faultRows/2+bad {
			n = "none"
		}
		fmt.Fprintf(&b, "%d,%s\n", i, n)
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

// A job whose index was deleted since it was killed is not resumed: the rows
// that it would leave out are gone.
func TestE2EResumeIntoAnotherIndex(t *testing.T) {
	t.Parallel()
	for _, made := range []bool{false, true} {
		t.Run(fmt.Sprintf("made anew %t", made), func(t *testing.T) {
			onClusters(t, func(t *testing.T, p *place) {
				front, id := killedLoad(t, p, makeLoad(t, p, ""), 5)
				front.set(nil)
				if status, answer := p.request(t, http.MethodDelete, "/"+p.prefix+"t", ""); status != http.StatusOK {
					t.Fatal(answer)
				}
				if made {
					p.makeIndex(t, "t", `{}`)
				}
				p.at(front.url).run(t, "jobs", "resume", id).says(t, 1, `error\[E4001\]`, "the index is another one now", "rows was deleted", "run the statement again")
				if indices := p.indices(t); !made && len(indices) > 0 {
					t.Errorf("the resume made %v", indices)
				}
			})
		})
	}
}
