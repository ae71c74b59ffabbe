package elastic_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/esds/elastic"
	"github.com/eslake/eslake/esds/esdstest"
	"github.com/eslake/eslake/esds/esdstest/servers"
	"github.com/eslake/eslake/sql"
	"github.com/eslake/eslake/sql/row"
)

// TestDocuments reads documents as rows. The golden files of testdata/documents
// hold what a fake gives; TestDocumentsOnRealServers holds real ones to the same.
//
// send does a request: METHOD /path and a body. open reads a mapping, and shows
// its columns; arguments are options, {x} in them and in requests is a prefix.
// read shows rows, by _id: lines "name TYPE", or all columns of the mapping.
// Arguments of send: needs=TYPE,… says which types of fields a server must know,
// only=es or os which it must be; without them the rest of the file is left out.
func TestDocuments(t *testing.T) {
	for _, flavour := range []esdstest.Flavour{esdstest.Elasticsearch8, esdstest.OpenSearch2} {
		t.Run(flavour.Name, func(t *testing.T) { runDocuments(t, esdstest.New(t, flavour).URL) })
	}
}

func TestDocumentsOnRealServers(t *testing.T) { servers.Each(t, runDocuments) }

func runDocuments(t *testing.T, url string) {
	source, err := elastic.Open(t.Context(), elastic.Config{Addresses: []string{url}})
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	entries, err := os.ReadDir("testdata/documents")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		t.Run(entry.Name(), func(t *testing.T) {
			d := &documents{source: source, url: url, prefix: fmt.Sprintf("docs-%08x-", rand.Uint32())}
			t.Cleanup(func() { d.clean(t) })
			datadriven.RunTest(t, "testdata/documents/"+entry.Name(), d.run)
		})
	}
}

type documents struct {
	source      *elastic.Source
	url, prefix string
	index       esds.Index
	made        []string
	left        string // why the rest of the file is left out, "" when it is not
}

func (d *documents) run(t *testing.T, td *datadriven.TestData) string {
	if d.left == "" {
		d.left = d.leaveOut(t, td)
	}
	if td.Cmd == "both" { // what follows is for every server again
		d.left = ""
		return td.Expected
	}
	if d.left != "" {
		return td.Expected
	}
	switch td.Cmd {
	case "send":
		return d.send(t, td.Input)
	case "open":
		return d.open(t, td)
	case "read":
		return d.read(t, td.Input)
	}
	t.Fatalf("unknown command %s", td.Cmd)
	return ""
}

func (d *documents) leaveOut(t *testing.T, td *datadriven.TestData) string {
	for _, arg := range td.CmdArgs {
		switch arg.Key {
		case "only":
			if product := map[bool]string{true: "os", false: "es"}[strings.HasPrefix(d.source.String(), "OpenSearch")]; product != arg.Vals[0] {
				return "for " + arg.Vals[0]
			}
		case "needs":
			for _, kind := range arg.Vals {
				name := d.prefix + "probe"
				status, _ := d.request(t, http.MethodPut, "/"+name, fmt.Sprintf(`{"mappings":{"properties":{"f":%s}}}`, probe(kind)))
				d.request(t, http.MethodDelete, "/"+name, "")
				if status != 200 {
					t.Logf("%s: the server has no fields of type %s, so the rest of the file is left out", td.Pos, kind)
					return "without " + kind
				}
			}
		}
	}
	return ""
}

func probe(kind string) string {
	more := map[string]string{"scaled_float": `,"scaling_factor":100`, "knn_vector": `,"dimension":2`, "dense_vector": `,"dims":3`, "alias": `,"path":"f"`, "join": `,"relations":{"a":"b"}`}[kind]
	if kind == "aggregate_metric_double" {
		more = `,"metrics":["min","max"],"default_metric":"max"`
	}
	return fmt.Sprintf(`{"type":%q%s}`, kind, more)
}

func (d *documents) request(t *testing.T, method, path, body string) (int, string) {
	req, err := http.NewRequestWithContext(context.WithoutCancel(t.Context()), method, d.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(raw)
}

func (d *documents) fill(s string) string { return strings.ReplaceAll(s, "{x}", d.prefix) }

func (d *documents) send(t *testing.T, input string) string {
	first, body, _ := strings.Cut(input, "\n")
	method, path, _ := strings.Cut(first, " ")
	if method == http.MethodPut {
		d.made = append(d.made, d.fill(path))
	}
	if strings.Contains(path, "_bulk") {
		body += "\n"
	}
	status, answer := d.request(t, method, d.fill(path), d.fill(body))
	if status > 299 || strings.Contains(answer, `"errors":true`) {
		return fmt.Sprintf("%d %s\n", status, strings.ReplaceAll(answer, d.prefix, "{x}"))
	}
	return ""
}

func (d *documents) clean(t *testing.T) {
	slices.Reverse(d.made) // a data stream before its template
	for _, path := range d.made {
		d.request(t, http.MethodDelete, path, "")
	}
}

func (d *documents) open(t *testing.T, td *datadriven.TestData) string {
	raw := map[string]string{}
	for _, arg := range td.CmdArgs {
		raw[arg.Key] = strings.Join(arg.Vals, ",")
	}
	opts, _, err := esds.ParseOptions(raw)
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	d.index, err = d.source.Open(t.Context(), d.fill(td.Input), opts)
	if err != nil {
		return d.failed(err)
	}
	var out strings.Builder
	for _, c := range d.index.Schema() {
		fmt.Fprintf(&out, "%s %s\n", c.Name, c.Type)
	}
	return out.String()
}

func (d *documents) failed(err error) string {
	return "error: " + strings.ReplaceAll(err.Error(), d.prefix, "{x}") + "\n"
}

func (d *documents) read(t *testing.T, input string) string {
	columns := row.Schema{{Name: "_id", Type: row.StringType}}
	for line := range strings.Lines(input) {
		name, typ, _ := strings.Cut(strings.TrimSpace(line), " ")
		declared, err := sql.ParseType(typ)
		if err != nil {
			t.Fatal(err)
		}
		columns = append(columns, row.Field{Name: name, Type: declared})
	}
	if input == "" {
		columns = append(columns, d.index.Schema()...)
	}
	var out strings.Builder
	told := map[string]bool{}
	ctx := esds.WithNotice(t.Context(), func(text string) { told[strings.ReplaceAll(text, d.prefix, "{x}")] = true })
	r, err := d.index.Scan(ctx, esds.Scan{Columns: columns})
	if err != nil {
		return d.failed(err)
	}
	batches, err := readBatches(ctx, r)
	if err != nil {
		return d.failed(err)
	}
	var lines []string
	for _, b := range batches {
		for i := range b.Len {
			lines = append(lines, shownRow(t, columns, b, i))
		}
	}
	slices.Sort(lines)
	for text := range told {
		lines = append(lines, "notice: "+text)
	}
	for _, line := range lines {
		out.WriteString(strings.ReplaceAll(line, d.prefix, "{x}") + "\n")
	}
	return out.String()
}

func readBatches(ctx context.Context, r row.Reader) ([]*row.Batch, error) {
	defer r.Close()
	var all []*row.Batch
	for {
		b, err := r.Next(ctx)
		if err == io.EOF { //nolint:errorlint // as the contract says
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		all = append(all, b)
	}
}

// shownRow prints "id name=value …" with values as JSON, NULL left out.
func shownRow(t *testing.T, columns row.Schema, b *row.Batch, i int) string {
	parts := []string{string(b.Columns[0].Text(i))}
	for k, c := range b.Columns[1:] {
		if c.IsNull(i) {
			continue
		}
		parts = append(parts, columns[k+1].Name+"="+ordered(t, row.AppendJSON(nil, c, i)))
	}
	return strings.Join(parts, " ")
}

// ordered prints JSON without blanks and with its members in the order of their
// names, within texts that hold JSON too: a server may give them in any.
func ordered(t *testing.T, raw []byte) string {
	var v any
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		t.Errorf("%s is no JSON: %v", raw, err)
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(orderTexts(t, v)); err != nil {
		t.Error(err)
	}
	return strings.TrimSpace(out.String())
}

func orderTexts(t *testing.T, v any) any {
	switch v := v.(type) {
	case string:
		if (strings.HasPrefix(v, "{") || strings.HasPrefix(v, "[")) && json.Valid([]byte(v)) {
			return ordered(t, []byte(v))
		}
	case []any:
		for i, x := range v {
			v[i] = orderTexts(t, x)
		}
	case map[string]any:
		for name, x := range v {
			v[name] = orderTexts(t, x)
		}
	}
	return v
}
