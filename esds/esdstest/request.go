package esdstest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// Kind is a kind of request.
type Kind string

// The kinds of requests that the fake answers. Any stands for every kind.
const (
	Any           Kind = "any"
	Root          Kind = "root"
	Exists        Kind = "exists"
	GetIndex      Kind = "get index"
	CreateIndex   Kind = "create index"
	DeleteIndex   Kind = "delete index"
	Mapping       Kind = "mapping"
	PutMapping    Kind = "put mapping"
	Settings      Kind = "settings"
	PutSettings   Kind = "put settings"
	Alias         Kind = "alias"
	PutAlias      Kind = "put alias"
	UpdateAliases Kind = "update aliases"
	Resolve       Kind = "resolve"
	Refresh       Kind = "refresh"
	Count         Kind = "count"
	Bulk          Kind = "bulk"
	GetDocument   Kind = "get document"
	Search        Kind = "search" // also the first page of a scroll, and pages of a PIT
	Scroll        Kind = "scroll" // further pages
	ClearScroll   Kind = "clear scroll"
	OpenPIT       Kind = "open pit"
	ClosePIT      Kind = "close pit"
	FieldCaps     Kind = "field caps"
	SearchShards  Kind = "search shards"
	Clone         Kind = "clone"
	DataStream    Kind = "data stream"
	Template      Kind = "index template"
	Health        Kind = "health"
	Cat           Kind = "cat"
	DeleteByQuery Kind = "delete by query"
	ClusterState  Kind = "cluster settings"
	Unknown       Kind = "unknown"
)

// Request is a request as it came, with its body unpacked.
type Request struct {
	Kind   Kind
	Method string
	Path   string
	Query  url.Values
	Header http.Header
	Body   []byte
	Gzip   bool // the body came compressed
}

// String returns method, path and query.
func (r Request) String() string {
	if len(r.Query) == 0 {
		return r.Method + " " + r.Path
	}
	return r.Method + " " + r.Path + "?" + r.Query.Encode()
}

// JSON returns the body as a JSON object, nil when it is none.
func (r Request) JSON() map[string]any {
	m, _ := decode(r.Body).(object)
	return m
}

// flag reports whether a parameter is set to true, or has no value.
func (r Request) flag(name string) bool {
	v, ok := r.Query[name]
	return ok && (v[0] == "" || v[0] == "true")
}

// object is a JSON object.
type object = map[string]any

// decode returns a JSON value with its numbers as they are written, nil when it
// is not one.
func decode(b []byte) any {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return nil
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil
	}
	return v
}

// encode returns v as JSON without escapes for HTML.
func encode(v any) []byte {
	if raw, ok := v.(json.RawMessage); ok {
		return raw
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(fmt.Sprintf("esdstest: %v", err))
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

func readRequest(r *http.Request) (Request, error) {
	req := Request{Method: r.Method, Path: r.URL.Path, Query: r.URL.Query(), Header: r.Header.Clone()}
	body := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		zip, err := gzip.NewReader(r.Body)
		if err != nil {
			return req, err
		}
		req.Gzip, body = true, zip
	}
	b, err := io.ReadAll(body)
	req.Body = b
	return req, err
}

// reply is what an action answers.
type reply struct {
	status int
	body   any
	header http.Header
}

func ok(body any) reply { return reply{status: 200, body: body} }

// failure is an answer that is an error, as the servers word it.
type failure struct {
	status int
	typ    string
	reason string
	more   object // further members of the error
}

func (f *failure) Error() string { return f.typ + ": " + f.reason }

func fail(status int, typ, format string, args ...any) *failure {
	return &failure{status: status, typ: typ, reason: fmt.Sprintf(format, args...)}
}

func (f *failure) cause() object {
	e := object{"type": f.typ, "reason": f.reason}
	for k, v := range f.more {
		e[k] = v
	}
	return e
}

func (f *failure) reply() reply {
	e := f.cause()
	e["root_cause"] = []any{f.cause()}
	return reply{status: f.status, body: object{"error": e, "status": f.status}}
}

// str returns a member that is text, "" when it is absent.
func str(o object, key string) string {
	s, _ := o[key].(string)
	return s
}

// obj returns a member that is an object, nil when it is absent.
func obj(o object, key string) object {
	v, _ := o[key].(object)
	return v
}

// texts returns text or a list of text, split at commas.
func texts(v any) []string {
	switch v := v.(type) {
	case string:
		return strings.Split(v, ",")
	case []any:
		var list []string
		for _, e := range v {
			list = append(list, fmt.Sprint(e))
		}
		return list
	}
	return nil
}
