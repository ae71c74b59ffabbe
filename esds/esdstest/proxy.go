package esdstest

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Proxy stands before a real server and takes the controls of the fake:
//
//	proxy := esdstest.NewProxy(t, url)
//	proxy.Next(esdstest.Bulk, esdstest.After(esdstest.Drop())) // the server has acted, the answer is lost
//
// After acts at the server, Answer does not ask it. What has no control goes
// through as it is.
type Proxy struct {
	*board

	URL string

	target string
	http   *httptest.Server
	server *http.Transport
	cuts   []*cut
}

// NewProxy starts a proxy before the server at target, without users and TLS. It
// ends with the test, which fails when a control was never used.
func NewProxy(t testing.TB, target string) *Proxy {
	t.Helper()
	p := &Proxy{target: strings.TrimSuffix(target, "/"), server: &http.Transport{DisableCompression: true}}
	p.board = newBoard(t, Elasticsearch8)
	version := obj(decodeObject(payload(p.forward(Request{Method: http.MethodGet, Path: "/"}))), "version")
	if str(version, "distribution") == "opensearch" {
		p.flavour = OpenSearch2 // which decides the paths of points in time
	}
	p.http = httptest.NewServer(http.HandlerFunc(p.serve))
	p.URL = p.http.URL
	t.Cleanup(func() {
		p.end(p.http)
		p.server.CloseIdleConnections()
	})
	return p
}

func decodeObject(b []byte) object {
	o, _ := decode(b).(object)
	return o
}

func (p *Proxy) serve(w http.ResponseWriter, r *http.Request) {
	_, kind := p.flavour.route(Request{Method: r.Method, Path: r.URL.Path, Query: r.URL.Query()})
	if cut := p.takeCut(kind); cut != nil {
		_, _ = io.CopyN(io.Discard, r.Body, cut.bytes)
		panic(http.ErrAbortHandler)
	}
	req, err := readRequest(r)
	if err != nil { // the client went away
		panic(http.ErrAbortHandler)
	}
	req.Kind = kind
	x := &Exchange{Request: req, board: p.board, w: w, r: r, act: func() reply { return p.forward(req) }}
	x.items = func(refuse map[int]int) reply { return p.forwardItems(req, refuse) }
	x.answer()
}

// forward does a request at the server.
func (p *Proxy) forward(req Request) reply {
	out, err := http.NewRequest(req.Method, p.target, bytes.NewReader(req.Body))
	if err != nil {
		return reply{status: http.StatusBadGateway, body: err.Error()}
	}
	out.URL.Path, out.URL.RawQuery = req.Path, req.Query.Encode()
	for name, values := range req.Header {
		switch name {
		case "Content-Encoding", "Accept-Encoding", "Content-Length", "Connection":
		default:
			out.Header[name] = values
		}
	}
	resp, err := p.server.RoundTrip(out)
	if err != nil {
		return reply{status: http.StatusBadGateway, body: err.Error()}
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return reply{status: http.StatusBadGateway, body: err.Error()}
	}
	header := resp.Header.Clone()
	header.Del("Content-Length")
	return reply{status: resp.StatusCode, body: string(body), header: header}
}

// forwardItems does the items of a bulk request but those to refuse, and puts
// their refusals in their places of the answer.
func (p *Proxy) forwardItems(req Request, refuse map[int]int) reply {
	items, bad := parseBulk(req)
	if bad != nil {
		p.t.Errorf("%s: %v", req, bad)
		return bad.reply()
	}
	var rest bytes.Buffer
	for i, it := range items {
		if refuse[i] != 0 {
			continue
		}
		rest.Write(append(encode(object{it.action: it.meta}), '\n'))
		if it.action != "delete" {
			rest.Write(append(bytes.TrimSpace(it.source), '\n'))
		}
	}
	var done []any
	a := reply{status: 200}
	if rest.Len() > 0 {
		sent := req
		sent.Body = rest.Bytes()
		if a = p.forward(sent); a.status != 200 {
			return a
		}
		done, _ = decodeObject(payload(a))["items"].([]any)
	}
	answers := []any{}
	for i, it := range items {
		if status := refuse[i]; status != 0 {
			answers = append(answers, object{it.action: object{"_index": it.index, "_id": it.id, "status": status, "error": refusal(status).cause()}})
			continue
		}
		answers, done = append(answers, done[0]), done[1:]
	}
	a.body = object{"took": 1, "errors": true, "items": answers}
	return a
}

// cut is a request whose connection breaks while it is sent.
type cut struct {
	kind  Kind
	bytes int64
}

// CutNext reads n bytes of the body of the next request of a kind, and then
// closes the connection. The server never sees that request.
func (p *Proxy) CutNext(kind Kind, n int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cuts = append(p.cuts, &cut{kind, n})
}

func (p *Proxy) takeCut(kind Kind) *cut {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, c := range p.cuts {
		if c.kind == kind || c.kind == Any {
			p.cuts = append(p.cuts[:i:i], p.cuts[i+1:]...)
			return c
		}
	}
	return nil
}
