package elastic_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/esds/elastic"
	"github.com/eslake/eslake/esds/esdstest"
	"github.com/eslake/eslake/esds/esdstest/servers"
	"github.com/eslake/eslake/sql/row"
)

// place is a cluster to try the options of writes on.
type place struct {
	*testing.T
	url     string
	source  *elastic.Source
	prefix  string
	rejects []esds.Reject
	notices []string
}

var writeOptionTests = map[string]func(*place){
	"data streams":  testDataStream,
	"routing":       testRouting,
	"join":          testJoin,
	"dynamic names": testDynamicNames,
	"require alias": testRequireAlias,
	"handlers":      testHandlers,
	"refused":       testRefusedOptions,
	"nested dates":  testNestedDates,
}

// The fake has no versions from outside, pipelines and scripts.
var realWriteTests = map[string]func(*place){
	"version":  testVersion,
	"pipeline": testPipeline,
	"script":   testScript,
}

func TestWriteOptionsFake(t *testing.T) {
	for name, test := range writeOptionTests {
		t.Run(name, func(t *testing.T) { try(t, esdstest.New(t, esdstest.Elasticsearch8).URL, test) })
	}
}

func TestWriteOptionsReal(t *testing.T) {
	servers.Each(t, func(t *testing.T, url string) {
		for _, tests := range []map[string]func(*place){writeOptionTests, realWriteTests} {
			for name, test := range tests {
				t.Run(name, func(t *testing.T) { try(t, url, test) })
			}
		}
	})
}

func try(t *testing.T, url string, test func(*place)) {
	p := &place{T: t, url: url, source: connect(url)(t).(*elastic.Source), prefix: fmt.Sprintf("wo-%08x", rand.Uint32())}
	t.Cleanup(func() {
		p.call(http.MethodDelete, "/"+p.prefix+"-*", "")
		p.call(http.MethodDelete, "/_data_stream/"+p.prefix+"-*", "")
	})
	test(p)
}

// call sends a request past the source.
func (p *place) call(method, path, body string) (int, string) {
	req, err := http.NewRequest(method, p.url+path, strings.NewReader(body)) //nolint:noctx // a test's own
	if err != nil {
		p.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		p.Fatal(err)
	}
	defer res.Body.Close()
	text, _ := io.ReadAll(res.Body)
	return res.StatusCode, string(text)
}

func (p *place) must(method, path, body string) string {
	p.Helper()
	status, text := p.call(method, path, body)
	p.needs(text)
	if status > 299 {
		p.Fatalf("%s %s: %d %s", method, path, status, text)
	}
	return text
}

// needs skips a test of what the server does not have: the Elasticsearch that
// tests build from its jars has not all of its modules. OpenSearch has them.
func (p *place) needs(refusal string) {
	p.Helper()
	for text, module := range map[string]string{
		"No handler for type [join]": "parent-join", "No processor type exists": "ingest-common", "unsupported lang [painless]": "lang-painless",
		"composable template": "data-streams",
	} {
		if strings.Contains(refusal, text) {
			p.Skipf("this server has no module %s: %s", module, refusal)
		}
	}
}

func (p *place) index(short, mapping string) string {
	p.Helper()
	name := p.prefix + "-" + short
	if err := p.source.Create(p.Context(), name, esds.Definition{Mappings: []byte(mapping), Settings: []byte(`{"index":{"number_of_shards":"2","number_of_replicas":"0"}}`)}); err != nil {
		p.needs(err.Error())
		p.Fatal(err)
	}
	return name
}

func (p *place) write(w esds.Write, s row.Schema, rows ...string) (esds.Report, error) {
	p.Helper()
	b := row.NewBatch(s)
	for _, text := range rows {
		c := row.NewColumn(row.StructType(s...))
		if err := row.ParseJSON(c, []byte(text)); err != nil {
			p.Fatalf("%s: %v", text, err)
		}
		for k := range s {
			b.Columns[k].AppendFrom(c.Children[k], 0)
		}
		b.Len++
	}
	p.rejects = nil
	w.Reject = func(r esds.Reject) error {
		p.rejects = append(p.rejects, r)
		return nil
	}
	w.Notice = func(text string) { p.notices = append(p.notices, text) }
	return p.source.Write(p.Context(), w, row.NewBatches(s, b))
}

// wants writes rows and compares the report.
func (p *place) wants(want esds.Report, w esds.Write, s row.Schema, rows ...string) {
	p.Helper()
	report, err := p.write(w, s, rows...)
	if err != nil {
		p.Fatal(err)
	}
	report.Bytes, report.Retried = 0, 0
	if want.Rows = int64(len(rows)); report != want {
		p.Errorf("report = %+v, want %+v; rejects %+v", report, want, p.rejects)
	}
}

// documents returns what a pattern holds: "id routing {source}", sorted.
func (p *place) documents(resource string, columns ...string) []string {
	p.Helper()
	if err := p.source.Refresh(p.Context(), resource); err != nil {
		p.Fatal(err)
	}
	x, err := p.source.Open(p.Context(), resource, nil)
	if err != nil {
		p.Fatal(err)
	}
	s := row.Schema{}
	for _, name := range append(columns, "_source") {
		s = append(s, row.Field{Name: name, Type: row.StringType})
	}
	r, err := x.Scan(p.Context(), esds.Scan{Columns: s})
	if err != nil {
		p.Fatal(err)
	}
	rows, err := row.ReadAll(p.Context(), r)
	if err != nil {
		p.Fatal(err)
	}
	var out []string
	for _, values := range rows {
		out = append(out, strings.TrimSuffix(fmt.Sprintln(values...), "\n"))
	}
	slices.Sort(out)
	return out
}

func (p *place) wantDocuments(resource string, columns []string, want ...string) {
	p.Helper()
	if got := p.documents(resource, columns...); !slices.Equal(got, want) {
		p.Errorf("%s:\ngot  %q\nwant %q", resource, got, want)
	}
}

var (
	strs = func(names ...string) (s row.Schema) {
		for _, n := range names {
			s = append(s, row.Field{Name: n, Type: row.StringType})
		}
		return s
	}
	idRouting = []string{"_id", "_routing"}
)

func testRouting(p *place) {
	name := p.index("a", `{"properties":{"id":{"type":"keyword"},"r":{"type":"keyword"}}}`)
	opts := options(p.T, "es.mapping.routing", "r", "es.mapping.exclude", "r")
	p.wants(esds.Report{Created: 3}, esds.Write{Index: name, ID: "id", Options: opts}, strs("id", "r"), `{"id":"a","r":"x"}`, `{"id":"b","r":"y\"\\"}`, `{"id":"c"}`)
	p.wantDocuments(name, idRouting, `a x {"id":"a"}`, `b y"\ {"id":"b"}`, `c <nil> {"id":"c"}`)
	p.wants(esds.Report{Deleted: 2, Noop: 1}, esds.Write{Index: name, ID: "id", Action: esds.DeleteDoc, Options: options(p.T, "es.mapping.routing", "r")}, strs("id", "r"), `{"id":"a","r":"x"}`, `{"id":"c"}`, `{"id":"zz","r":"x"}`)
	p.wants(esds.Report{Created: 1}, esds.Write{Index: name, ID: "id", Options: options(p.T, "es.mapping.routing", "<all>")}, strs("id"), `{"id":"d"}`)
	p.wants(esds.Report{Created: 1}, esds.Write{Index: name, ID: "id", Options: options(p.T, "es.input.json", "true", "es.mapping.routing", "r")}, strs("doc"), `{"doc":"{\"id\":\"e\",\"r\":7}"}`)
	p.wantDocuments(name, idRouting, `b y"\ {"id":"b"}`, `d all {"id":"d"}`, `e 7 {"id":"e","r":7}`)
}

func testJoin(p *place) {
	name := p.index("a", `{"properties":{"id":{"type":"keyword"},"j":{"type":"join","relations":{"q":"answer"}}}}`)
	join := row.StructType(strs("name", "parent")...)
	s := append(strs("id"), row.Field{Name: "j", Type: join})
	w := esds.Write{Index: name, ID: "id", Options: options(p.T, "es.mapping.join", "j")}
	p.wants(esds.Report{Created: 2}, w, s, `{"id":"1","j":{"name":"q"}}`, `{"id":"2","j":{"name":"answer","parent":"1"}}`)
	p.wantDocuments(name, idRouting, `1 <nil> {"id":"1","j":{"name":"q"}}`, `2 1 {"id":"2","j":{"name":"answer","parent":"1"}}`)
	w.Options = options(p.T, "es.mapping.join", "id")
	if _, err := p.write(w, s); err == nil || !strings.Contains(err.Error(), "not a join field") {
		p.Errorf("error = %v", err)
	}
}

func testDynamicNames(p *place) {
	s := row.Schema{{Name: "id", Type: row.StringType}, {Name: "app", Type: row.StringType}, {Name: "at", Type: row.TimestampType}}
	mapping, err := esds.MappingOf(s, nil)
	if err != nil {
		p.Fatal(err)
	}
	w := esds.Write{Index: p.prefix + "-{app}-{at|yyyy.MM}", ID: "id", Options: options(p.T), Definition: esds.Definition{Mappings: mapping}}
	p.wants(esds.Report{Created: 3, Rejected: 4}, w, s,
		`{"id":"1","app":"a","at":"2024-12-31T23:59:59Z"}`,
		`{"id":"2","app":"a","at":"2025-01-01T00:00:00Z"}`,
		`{"id":"3","app":"A","at":"2025-01-01T00:00:00Z"}`,
		`{"id":"4","app":"a b","at":"2025-01-01T00:00:00Z"}`,
		`{"id":"5","app":null,"at":"2025-01-01T00:00:00Z"}`,
		`{"id":"6","app":"a","at":null}`,
		`{"id":"7","app":"b","at":"2025-01-05T00:00:00Z"}`)
	p.wantDocuments(p.prefix+"-*", []string{"_index", "_id"},
		p.prefix+`-a-2024.12 1 {"id":"1","app":"a","at":"2024-12-31T23:59:59Z"}`,
		p.prefix+`-a-2025.01 2 {"id":"2","app":"a","at":"2025-01-01T00:00:00Z"}`,
		p.prefix+`-b-2025.01 7 {"id":"7","app":"b","at":"2025-01-05T00:00:00Z"}`)
	if d, err := p.source.Definition(p.Context(), p.prefix+"-b-2025.01"); err != nil || !strings.Contains(string(d.Mappings), `"ignore_above":8191`) {
		p.Errorf("definition = %s, %v, want the table's mapping", d.Mappings, err)
	}
	w.Options = options(p.T, "es.index.auto.create", "false")
	if _, err := p.write(w, s, `{"id":"1","app":"new","at":"2024-12-31T23:59:59Z"}`); err == nil || !strings.Contains(err.Error(), p.prefix+"-new-2024.12") {
		p.Errorf("error = %v, want one that names the index", err)
	}
	asked := []string{}
	w.Place = func(_ context.Context, name string) (string, error) {
		asked = append(asked, name)
		return p.prefix + "-b-2025.01", nil
	}
	p.wants(esds.Report{Created: 2}, w, s, `{"id":"8","app":"x","at":"2024-12-31T23:59:59Z"}`, `{"id":"9","app":"x","at":"2024-12-30T23:59:59Z"}`)
	if !slices.Equal(asked, []string{p.prefix + "-x-2024.12"}) {
		p.Errorf("asked for %q", asked)
	}
}

func testRequireAlias(p *place) {
	name := p.index("a", `{"properties":{"id":{"type":"keyword"}}}`)
	w := esds.Write{Index: name, ID: "id", Options: options(p.T, "eslake.write.require.alias", "true")}
	if report, err := p.write(w, strs("id"), `{"id":"a"}`); err == nil && report.Rejected == 0 {
		p.Errorf("an index was written that is no alias: %+v", report)
	}
	p.must(http.MethodPut, "/"+name+"/_alias/"+p.prefix+"-alias", "")
	w.Index = p.prefix + "-alias"
	p.wants(esds.Report{Created: 1}, w, strs("id"), `{"id":"a"}`)
}

func testHandlers(p *place) {
	s := strs("id", "n")
	rows := []string{`{"id":"a","n":"1"}`, `{"id":"b","n":"two"}`, `{"n":"3"}`}
	write := func(pairs ...string) (string, esds.Write) {
		name := p.index(fmt.Sprintf("h%d", rand.Uint32()), `{"properties":{"id":{"type":"keyword"},"n":{"type":"long"}}}`)
		return name, esds.Write{Index: name, ID: "id", Options: options(p.T, pairs...)}
	}
	_, w := write("es.write.rest.error.handlers", "drop", "es.write.data.error.handlers", "log")
	p.wants(esds.Report{Created: 1, Rejected: 2}, w, s, rows...)
	if len(p.rejects) != 1 || p.rejects[0].Row != 3 || len(p.notices) != 1 || !strings.Contains(p.notices[0], "row 3") {
		p.Errorf("rejects = %+v, notices = %q, want row 3 in both", p.rejects, p.notices)
	}
	_, w = write("es.write.rest.error.handlers", "fail")
	if _, err := p.write(w, s, rows...); err == nil || !strings.Contains(err.Error(), "row 2") {
		p.Errorf("error = %v, want one that names row 2", err)
	}
	errors := p.prefix + "-errors"
	_, w = write("es.write.rest.error.handlers", "es", "es.write.rest.error.handler.es.client.resource", errors,
		"es.write.rest.error.handler.es.label.team", "x", "es.write.rest.error.handler.es.tags", "t1,t2")
	p.wants(esds.Report{Created: 1, Rejected: 2}, w, s, rows...)
	if len(p.rejects) != 1 || p.rejects[0].Row != 3 {
		p.Errorf("rejects = %+v, want row 3 only", p.rejects)
	}
	docs := p.documents(errors)
	if len(docs) != 1 {
		p.Fatalf("documents of errors = %q", docs)
	}
	for _, part := range []string{`"code":"400"`, `"team":"x"`, `"tags":["t1","t2"]`, `"row":2`, `\"n\":\"two\"`} {
		if !strings.Contains(docs[0], part) {
			p.Errorf("%s is not in %s", part, docs[0])
		}
	}
	for _, pairs := range [][]string{
		{"es.write.rest.error.handlers", "mine"},
		{"es.write.rest.error.handlers", "es"},
		{"es.write.rest.error.handlers", "es", "es.write.rest.error.handler.es.client.resource", "x", "es.write.rest.error.handler.es.client.nodes", "other"},
	} {
		_, w = write(pairs...)
		if _, err := p.write(w, s, rows[0]); err == nil {
			p.Errorf("%q: no error", pairs)
		}
	}
}

func testRefusedOptions(p *place) {
	name := p.index("a", `{"properties":{"id":{"type":"keyword"}}}`)
	for _, tt := range []struct {
		write esds.Write
		opts  []string
		want  string
	}{
		{esds.Write{ID: "id", Action: esds.UpsertDoc}, []string{"es.ingest.pipeline", "p"}, "pipeline"},
		{esds.Write{ID: "id", Action: esds.UpdateDoc}, []string{"es.mapping.version", "v"}, "es.mapping.version"},
		{esds.Write{IDPrefix: "j"}, []string{"es.mapping.version", "v"}, "es.mapping.version"},
		{esds.Write{ID: "id"}, []string{"es.mapping.version", "v", "es.mapping.version.type", "internal"}, "internal"},
		{esds.Write{ID: "id"}, []string{"es.update.script.inline", "x"}, "update or upsert"},
		{esds.Write{ID: "id", Action: esds.UpdateDoc}, []string{"es.update.script.params", "a:id"}, "es.update.script.inline"},
		{esds.Write{ID: "id", Action: esds.UpdateDoc}, []string{"es.update.script.inline", "x", "es.update.script.params", "a:none"}, "none"},
		{esds.Write{ID: "id", Action: esds.UpdateDoc}, []string{"es.update.script.inline", "x", "es.update.script.params.json", "[1]"}, "JSON object"},
		{esds.Write{ID: "id", Action: esds.DeleteDoc}, []string{"es.mapping.exclude", "id"}, "es.mapping.exclude"},
		{esds.Write{IDPrefix: "j", Action: esds.UpdateDoc}, nil, "needs es.mapping.id"},
		{esds.Write{ID: "none"}, nil, "none"},
		{esds.Write{ID: "id"}, []string{"es.mapping.routing", "none"}, "none"},
	} {
		w := tt.write
		w.Index, w.Options = name, options(p.T, tt.opts...)
		if _, err := p.write(w, strs("id", "v"), `{"id":"a","v":"1"}`); err == nil || !strings.Contains(err.Error(), tt.want) {
			p.Errorf("%+v %q: error = %v, want %q in it", tt.write, tt.opts, err, tt.want)
		}
	}
	if docs := p.documents(name); len(docs) != 0 {
		p.Errorf("documents = %q", docs)
	}
}

func testNestedDates(p *place) {
	name := p.index("a", `{"properties":{"o":{"properties":{"at":{"type":"date","format":"yyyy/MM/dd"},"ms":{"type":"date","format":"epoch_millis"}}}}}`)
	s := row.Schema{{Name: "o", Type: row.StructType(row.Field{Name: "at", Type: row.TimestampType}, row.Field{Name: "ms", Type: row.ArrayType(row.TimestampType)})}}
	p.wants(esds.Report{Created: 1}, esds.Write{Index: name, IDPrefix: "j"}, s, `{"o":{"at":"2024-02-29T00:00:00Z","ms":["1970-01-01T00:00:01Z"]}}`)
	p.wantDocuments(name, nil, `{"o":{"at":"2024/02/29","ms":[1000]}}`)
}

func testVersion(p *place) {
	name := p.index("a", `{"properties":{"id":{"type":"keyword"}}}`)
	s := append(strs("id"), row.Field{Name: "v", Type: row.BigIntType})
	w := esds.Write{Index: name, ID: "id", Options: options(p.T, "es.mapping.version", "v", "es.mapping.exclude", "v")}
	p.wants(esds.Report{Created: 1, Updated: 1, Rejected: 3}, w, s, `{"id":"a","v":5}`, `{"id":"a","v":7}`, `{"id":"a","v":7}`, `{"id":"a","v":6}`, `{"id":"b"}`)
	if len(p.rejects) != 3 || p.rejects[1].Status != 409 && p.rejects[0].Status != 409 {
		p.Errorf("rejects = %+v", p.rejects)
	}
	w.Options = options(p.T, "es.mapping.version", "v", "es.mapping.exclude", "v", "es.mapping.version.type", "external_gte")
	p.wants(esds.Report{Updated: 1, Rejected: 1}, w, s, `{"id":"a","v":7}`, `{"id":"a","v":6}`)
}

func testPipeline(p *place) {
	name := p.index("a", `{"properties":{"id":{"type":"keyword"}}}`)
	p.must(http.MethodPut, "/_ingest/pipeline/"+p.prefix, `{"processors":[{"set":{"field":"seen","value":"yes"}},{"fail":{"if":"ctx.id == 'bad'","message":"no bad ones"}}]}`)
	defer p.must(http.MethodDelete, "/_ingest/pipeline/"+p.prefix, "")
	w := esds.Write{Index: name, ID: "id", Options: options(p.T, "es.ingest.pipeline", p.prefix)}
	p.wants(esds.Report{Created: 1, Rejected: 1}, w, strs("id"), `{"id":"a"}`, `{"id":"bad"}`)
	if len(p.rejects) != 1 || !strings.Contains(p.rejects[0].Reason, "no bad ones") {
		p.Errorf("rejects = %+v", p.rejects)
	}
	p.wantDocuments(name, nil, `{"id":"a","seen":"yes"}`)
}

func testScript(p *place) {
	name := p.index("a", `{"properties":{"id":{"type":"keyword"},"n":{"type":"long"},"tag":{"type":"keyword"}}}`)
	p.must(http.MethodPut, "/_scripts/"+p.prefix, `{"script":{"lang":"painless","source":"if (ctx._source.n == null) { ctx._source.n = 0 } ctx._source.n += params.by"}}`)
	defer p.must(http.MethodDelete, "/_scripts/"+p.prefix, "")
	s := append(strs("id", "tag"), row.Field{Name: "n", Type: row.BigIntType})
	p.wants(esds.Report{Created: 1}, esds.Write{Index: name, ID: "id"}, s, `{"id":"a","n":1,"tag":"x"}`)
	script := []string{"es.update.script.inline", "ctx._source.n = ctx._source.n + params.by;\nctx._source.tag = params.t + \"\\\\\" + params['c']", "es.update.script.params", "by:n, t:tag, c:<p,q:r>", "es.update.retry.on.conflict", "3"}
	w := esds.Write{Index: name, ID: "id", Action: esds.UpdateDoc, Options: options(p.T, script...)}
	p.wants(esds.Report{Updated: 1, Rejected: 1}, w, s, `{"id":"a","n":9007199254740992,"tag":"y\"'"}`, `{"id":"absent","n":1}`)
	p.wantDocuments(name, nil, `{"id":"a","tag":"y\"'\\p,q:r","n":9007199254740993}`)
	w.Action = esds.UpsertDoc
	p.wants(esds.Report{Updated: 1, Created: 1}, w, s, `{"id":"a","n":1,"tag":"z"}`, `{"id":"b","n":5,"tag":"row"}`)
	p.wantDocuments(name, nil, `{"id":"a","tag":"z\\p,q:r","n":9007199254740994}`, `{"id":"b","tag":"row","n":5}`)

	w.Options = options(p.T, "es.update.script.stored", p.prefix, "es.update.script.params.json", `{"by": 7}`, "es.update.script.upsert", "true")
	p.wants(esds.Report{Updated: 1, Created: 1}, w, s, `{"id":"b","n":1}`, `{"id":"c","n":1}`)
	p.wantDocuments(name, []string{"_id"}, `a {"id":"a","tag":"z\\p,q:r","n":9007199254740994}`, `b {"id":"b","tag":"row","n":12}`, `c {"n":7}`)
}

func testDataStream(p *place) {
	stream := p.prefix + "-stream"
	p.must(http.MethodPut, "/_index_template/"+p.prefix, `{"index_patterns":["`+stream+`*"],"data_stream":{},"template":{"settings":{"number_of_replicas":0},"mappings":{"properties":{"@timestamp":{"type":"date"},"id":{"type":"keyword"}}}}}`)
	p.must(http.MethodPost, "/"+stream+"/_bulk?refresh=true", "{\"create\":{}}\n{\"id\":\"first\",\"@timestamp\":\"2023-01-01T00:00:00Z\"}\n")
	defer func() {
		p.call(http.MethodDelete, "/_data_stream/"+stream, "")
		p.call(http.MethodDelete, "/_index_template/"+p.prefix, "")
	}()
	target, err := p.source.Resolve(p.Context(), stream)
	if err != nil || target.Kind != esds.DataStream || len(target.Indices) != 1 || target.Write == "" {
		p.Fatalf("the stream is %+v, %v", target, err)
	}
	s := append(strs("id"), row.Field{Name: "@timestamp", Type: row.TimestampType})
	p.wants(esds.Report{Created: 1, Rejected: 1}, esds.Write{Index: stream, ID: "id"}, s, `{"id":"a","@timestamp":"2024-01-01T00:00:00Z"}`, `{"id":"a","@timestamp":"2024-01-01T00:00:00Z"}`)
	p.wants(esds.Report{Created: 1}, esds.Write{Index: stream, IDPrefix: "j-"}, s, `{"id":"a","@timestamp":"2024-01-01T00:00:00Z"}`)
	for _, action := range []esds.Action{esds.UpdateDoc, esds.UpsertDoc, esds.DeleteDoc} {
		if _, err := p.write(esds.Write{Index: stream, ID: "id", Action: action}, s, `{"id":"a","@timestamp":"2024-01-01T00:00:00Z"}`); err == nil {
			p.Errorf("%s: no error", action)
		}
	}
}
