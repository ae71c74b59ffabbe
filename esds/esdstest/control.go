package esdstest

import (
	"fmt"
	"net/http"
	"strconv"
)

// Control says what becomes of one request. The functions of this package make
// them; a test may write its own.
type Control func(x *Exchange)

// Exchange is a request that waits for its answer.
type Exchange struct {
	Request

	server *Server
	w      http.ResponseWriter
	r      *http.Request
	act    func() reply
}

// Act does what the request asks and returns the answer without sending it.
func (x *Exchange) Act() (status int, body []byte) {
	a := x.act()
	return a.status, payload(a)
}

// Send sends an answer.
func (x *Exchange) Send(status int, body string) {
	x.send(reply{status: status, body: body})
}

func (x *Exchange) send(a reply) { write(x.w, x.r, a) }

// Hang up closes the connection without an answer.
func (x *Exchange) hangUp() {
	panic(http.ErrAbortHandler)
}

type pending struct {
	kind    Kind
	match   func(Request) bool
	control Control
}

// Next sets what becomes of the next request of a kind. Controls for one kind
// are used up in the order in which they were set.
func (s *Server) Next(kind Kind, c Control) {
	s.NextWhen(kind, func(Request) bool { return true }, c)
}

// NextWhen is Next for the next request that matches.
func (s *Server) NextWhen(kind Kind, match func(Request) bool, c Control) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending = append(s.pending, &pending{kind, match, c})
}

// take returns the control set for a request, nil for none.
func (s *Server) take(req Request) Control {
	for i, p := range s.pending {
		if (p.kind == req.Kind || p.kind == Any) && p.match(req) {
			s.pending = append(s.pending[:i:i], s.pending[i+1:]...)
			return p.control
		}
	}
	return nil
}

// act1 does what is asked and answers.
func act1(x *Exchange) { x.send(x.act()) }

// Answer answers without acting.
func Answer(status int, body string) Control {
	return AnswerWith(status, nil, body)
}

// AnswerWith is Answer with headers, Retry-After for one.
func AnswerWith(status int, header http.Header, body string) Control {
	return func(x *Exchange) {
		if header == nil {
			header = http.Header{}
		}
		if !x.server.Flavour.openSearch {
			header = header.Clone()
			header.Set("X-Elastic-Product", "Elasticsearch")
		}
		x.send(reply{status: status, body: body, header: header})
	}
}

// Drop closes the connection without acting.
func Drop() Control {
	return func(x *Exchange) { x.hangUp() }
}

// After acts, and then goes on with another control: After(Drop()) is a reset
// when the server has acted already, After(Answer(504, "")) a proxy that lost
// patience.
func After(c Control) Control {
	return func(x *Exchange) {
		x.act()
		c(x)
	}
}

// Delay acts and answers only once the channel is closed, or the client is gone.
func Delay(until <-chan struct{}) Control {
	return func(x *Exchange) {
		select {
		case <-until:
			act1(x)
		case <-x.r.Context().Done():
			x.hangUp()
		case <-x.server.stop:
			x.hangUp()
		}
	}
}

// Watch calls f with the request and answers as ever.
func Watch(f func(Request)) Control {
	return func(x *Exchange) {
		f(x.Request)
		act1(x)
	}
}

// Truncate acts and sends the first n bytes of the answer, then closes the
// connection.
func Truncate(n int) Control {
	return func(x *Exchange) {
		a := x.act()
		body := payload(a)
		x.w.Header().Set("Content-Type", "application/json")
		for k, v := range a.header {
			x.w.Header()[k] = v
		}
		x.w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		x.w.WriteHeader(a.status)
		_, _ = x.w.Write(body[:min(n, len(body))])
		_ = http.NewResponseController(x.w).Flush()
		x.hangUp()
	}
}

// PartialBulk refuses the items at the given places of a bulk request with the
// given status, and does the others.
func PartialBulk(refuse map[int]int) Control {
	return func(x *Exchange) {
		x.act = func() reply {
			return x.server.run(x.Request, func(c *cluster, req Request) (reply, *failure) {
				return c.bulk(req, refuse)
			})
		}
		act1(x)
	}
}

// ShardFailure lets one shard fail in a search or a page of a scroll: the
// answer is 200, without that shard's hits.
func ShardFailure() Control {
	return func(x *Exchange) {
		a := x.act()
		body, _ := decode(payload(a)).(object)
		shards, hits := obj(body, "_shards"), obj(body, "hits")
		if shards == nil || hits == nil {
			x.server.t.Errorf("ShardFailure was set for %s, which is no search", x.Request)
			x.send(a)
			return
		}
		list, _ := hits["hits"].([]any)
		hits["hits"] = list[:len(list)/2]
		shards["failed"] = 1
		shards["failures"] = []any{object{
			"shard": 0, "index": "index", "node": "node",
			"reason": object{"type": "search_context_missing_exception", "reason": "No search context found for id [1]"},
		}}
		if total, err := strconv.Atoi(fmt.Sprint(shards["successful"])); err == nil {
			shards["successful"] = total - 1
		}
		a.body = body
		x.send(a)
	}
}
