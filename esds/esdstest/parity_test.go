package esdstest

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// TestParity sends the same requests to the fake and to a real server, where
// there is one, and compares status and the parts of the answers that matter.
// The golden files hold the answers that both give.
//
// A case is METHOD /path, an optional body, and as arguments the parts to
// compare, as in filter_path. {x} in a request stands for a prefix of names.
// The first line of a file may limit it to flavours.
func TestParity(t *testing.T) {
	real := map[string]string{}
	for product, env := range map[string]string{"es": "ESLAKE_TEST_ELASTICSEARCH", "os": "ESLAKE_TEST_OPENSEARCH"} {
		if url := os.Getenv(env); url != "" {
			real[product] = url
		}
	}
	for _, product := range []string{"es", "os"} {
		t.Run(product, func(t *testing.T) {
			flavour := flavourOf(t, product, real[product])
			p := &parity{prefix: fmt.Sprintf("parity-%08x-", rand.Uint32()), flavour: flavour.Name, fake: New(t, flavour).URL, real: real[product]}
			defer p.clean(t)
			datadriven.Walk(t, "testdata/parity", func(t *testing.T, path string) {
				p.vars = map[string][2]string{}
				datadriven.RunTest(t, path, p.run)
				if len(p.differ) > 0 {
					t.Error(strings.Join(p.differ, "\n"))
				}
				p.differ = nil
			})
		})
	}
}

// flavourOf returns the flavour that poses as the real server.
func flavourOf(t *testing.T, product, url string) Flavour {
	flavour := Elasticsearch8
	if product == "os" {
		flavour = OpenSearch2
	}
	if url == "" {
		return flavour
	}
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	body, _ := decode(raw).(object)
	version := str(obj(body, "version"), "number")
	for _, f := range Flavours() {
		if f.openSearch == flavour.openSearch && f.Version[0] == version[0] {
			return f
		}
	}
	t.Fatalf("no flavour poses as version %s", version)
	return flavour
}

type parity struct {
	prefix     string
	flavour    string
	fake, real string
	vars       map[string][2]string // values kept by keep=, of the fake and of the real server
	made       []string
	differ     []string
}

func (p *parity) run(t *testing.T, d *datadriven.TestData) string {
	first, body, _ := strings.Cut(d.Input, "\n")
	method, path, _ := strings.Cut(first, " ")
	if method == http.MethodPut {
		p.made = append(p.made, strings.Split(strings.Trim(path, "/"), "/")[0])
	}
	var only string
	if d.HasArg("only") {
		d.ScanArgs(t, "only", &only)
		if !strings.HasPrefix(p.flavour, only) {
			return d.Expected
		}
	}
	var picks []string
	for _, arg := range d.CmdArgs {
		if arg.Key == "pick" {
			picks = arg.Vals
		}
	}
	got := p.send(t, p.fake, 0, method, path, body, picks, d)
	if p.real != "" {
		if want := p.send(t, p.real, 1, method, path, body, picks, d); want != got {
			p.differ = append(p.differ, fmt.Sprintf("%s: %s\nthe fake answers\n%sthe real server\n%s", d.Pos, first, got, want))
		}
	}
	return got
}

func (p *parity) send(t *testing.T, url string, which int, method, path, body string, picks []string, d *datadriven.TestData) string {
	fill := func(s string) string {
		s = strings.ReplaceAll(s, "{x}", p.prefix)
		for name, v := range p.vars {
			s = strings.ReplaceAll(s, "{"+name+"}", v[which])
		}
		return s
	}
	if strings.Contains(path, "_bulk") {
		body += "\n"
	}
	req, err := http.NewRequest(method, url+fill(path), strings.NewReader(fill(body)))
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
	var out bytes.Buffer
	fmt.Fprintf(&out, "%d\n", resp.StatusCode)
	answer := decode(raw)
	for _, arg := range d.CmdArgs {
		if arg.Key == "keep" {
			kept := p.vars[arg.Vals[0]]
			o, _ := answer.(object)
			kept[which] = str(o, arg.Vals[1])
			p.vars[arg.Vals[0]] = kept
		}
	}
	if resp.StatusCode >= 400 && len(picks) == 0 {
		picks = []string{"error.type"}
	}
	for _, pick := range picks {
		kept := filterPath(answer, []string{pick})
		if reflect.DeepEqual(kept, object{}) {
			continue
		}
		out.WriteString(plain.Replace(strings.ReplaceAll(string(encode(kept)), p.prefix, "{x}")) + "\n")
	}
	return out.String()
}

func (p *parity) clean(t *testing.T) {
	if p.real == "" {
		return
	}
	for _, name := range p.made {
		req, err := http.NewRequest(http.MethodDelete, p.real+"/"+strings.ReplaceAll(name, "{x}", p.prefix), nil)
		if err != nil {
			t.Fatal(err)
		}
		if resp, err := http.DefaultClient.Do(req); err == nil {
			resp.Body.Close()
		}
	}
}

// plain gives things one name that the flavours call differently.
var plain = strings.NewReplacer("document_parsing_exception", "mapper_parsing_exception", "strict_dynamic_mapping_exception", "strict dynamic mapping",
	"settings_exception", "illegal_argument_exception")
