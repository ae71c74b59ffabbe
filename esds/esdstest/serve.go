package esdstest

import (
	"compress/gzip"
	"net/http"
	"strconv"
	"strings"
)

// serve logs a request and answers it, as the control set for it says.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	req, err := readRequest(r)
	if err != nil {
		write(w, r, fail(400, "parse_exception", "%v", err).reply())
		return
	}
	act, kind := s.Flavour.route(req)
	req.Kind = kind
	x := &Exchange{Request: req, board: s.board, w: w, r: r, act: func() reply { return s.run(req, act) }}
	x.items = func(refuse map[int]int) reply {
		return s.run(req, func(c *cluster, req Request) (reply, *failure) { return c.bulk(req, refuse) })
	}
	x.answer()
}

// answer does what the control set for the request says.
func (x *Exchange) answer() {
	if control := x.board.take(x.Request); control != nil {
		control(x)
		return
	}
	act1(x)
}

// run acts, and shapes the answer as the flavour and the parameters ask.
func (s *Server) run(req Request, act action) reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.checkMedia(req); f != nil {
		return f.reply()
	}
	a, err := act(&s.cluster, req)
	if err != nil {
		a = err.reply()
	}
	if a.header == nil {
		a.header = http.Header{}
	}
	if !s.Flavour.openSearch {
		a.header.Set("X-Elastic-Product", "Elasticsearch")
	}
	if paths := req.Query.Get("filter_path"); paths != "" && a.body != nil {
		a.body = filterPath(decode(encode(a.body)), strings.Split(paths, ","))
	}
	return a
}

// checkMedia refuses media types that the flavour does not know.
func (s *Server) checkMedia(req Request) *failure {
	for _, header := range []string{"Content-Type", "Accept"} {
		v := req.Header.Get(header)
		if !strings.Contains(v, "vnd.elasticsearch+") {
			continue
		}
		_, version, _ := strings.Cut(v, "compatible-with=")
		if s.Flavour.vendor == "" {
			return fail(406, "content_type_header_exception", "Content-Type header [%s] is not supported", v)
		}
		if version > s.Flavour.vendor {
			return fail(400, "media_type_header_exception", "Invalid media-type value on headers [%s]", header)
		}
	}
	if ct := req.Header.Get("Content-Type"); len(req.Body) > 0 && !strings.Contains(ct, "json") {
		return fail(406, "content_type_header_exception", "Content-Type header [%s] is not supported", ct)
	}
	return nil
}

// write sends an answer, compressed when the client takes that.
func write(w http.ResponseWriter, r *http.Request, a reply) {
	body := payload(a)
	for k, v := range a.header {
		w.Header()[k] = v
	}
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json")
	}
	if r.Method == http.MethodHead {
		w.WriteHeader(a.status)
		return
	}
	if len(body) == 0 || !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.WriteHeader(a.status)
		_, _ = w.Write(body) // the client may be gone
		return
	}
	w.Header().Set("Content-Encoding", "gzip")
	w.WriteHeader(a.status)
	zip := gzip.NewWriter(w)
	_, _ = zip.Write(body)
	_ = zip.Close()
}

func payload(a reply) []byte {
	switch body := a.body.(type) {
	case nil:
		return nil
	case string:
		return []byte(body)
	default:
		return encode(body)
	}
}

// filterPath keeps what one of the paths names. A * stands for any name, or
// part of it, and ** for any number of them.
func filterPath(v any, paths []string) any {
	var split [][]string
	for _, p := range paths {
		split = append(split, strings.Split(p, "."))
	}
	kept, found := filterParts(v, split)
	if !found {
		return object{}
	}
	return kept
}

func filterParts(v any, paths [][]string) (any, bool) {
	for _, p := range paths {
		if len(p) == 0 || len(p) == 1 && p[0] == "**" {
			return v, true
		}
	}
	switch v := v.(type) {
	case object:
		kept := object{}
		for name, inner := range v {
			rest := below(paths, name)
			if k, found := filterParts(inner, rest); found && len(rest) > 0 {
				kept[name] = k
			}
		}
		return kept, len(kept) > 0
	case []any:
		var kept []any
		for _, e := range v {
			if k, found := filterParts(e, paths); found {
				kept = append(kept, k)
			}
		}
		return kept, len(kept) > 0
	}
	return nil, false
}

// below returns what is left of the paths that go through a name.
func below(paths [][]string, name string) [][]string {
	var rest [][]string
	for _, p := range paths {
		switch {
		case p[0] == "**":
			rest = append(rest, p)
			if len(p) > 1 && wildcard(p[1], name) {
				rest = append(rest, p[2:])
			}
		case wildcard(p[0], name):
			rest = append(rest, p[1:])
		}
	}
	return rest
}
