package esdstest

import (
	"bytes"
	"compress/gzip"
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

	board *board
	w     http.ResponseWriter
	r     *http.Request
	act   func() reply
	items func(refuse map[int]int) reply // acts on a bulk request, but for some items
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
		if !x.board.flavour.openSearch {
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
		case <-x.board.stop:
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
		head(x.w, a)
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
		x.send(x.items(refuse))
	}
}

// ShardFailure lets one shard fail in a search or a page of a scroll: the
// answer is 200, without that shard's hits.
func ShardFailure() Control {
	return partly(func(body object) {
		shards := obj(body, "_shards")
		shards["failed"] = 1
		shards["failures"] = []any{object{
			"shard": 0, "index": "index", "node": "node",
			"reason": object{"type": "search_context_missing_exception", "reason": "No search context found for id [1]"},
		}}
		if total, err := strconv.Atoi(fmt.Sprint(shards["successful"])); err == nil {
			shards["successful"] = total - 1
		}
	})
}

// TimedOut lets a search, or a page of a scroll, run out of time: the answer is
// 200, with half of the hits.
func TimedOut() Control {
	return partly(func(body object) { body["timed_out"] = true })
}

// partly acts and changes the answer of a search, whose hits are halved.
func partly(change func(body object)) Control {
	return func(x *Exchange) {
		a := x.act()
		body, _ := decode(payload(a)).(object)
		hits := obj(body, "hits")
		if hits == nil || obj(body, "_shards") == nil {
			x.board.t.Errorf("a fault of searches was set for %s, which is none", x.Request)
			x.send(a)
			return
		}
		list, _ := hits["hits"].([]any)
		hits["hits"] = list[:len(list)/2]
		change(body)
		a.body = body
		x.send(a)
	}
}

// TruncateGzip acts and sends the first n bytes of the compressed answer as if
// that were all of it: what a proxy does that lost the rest.
func TruncateGzip(n int) Control {
	return func(x *Exchange) {
		a := x.act()
		var zipped bytes.Buffer
		zip := gzip.NewWriter(&zipped)
		_, _ = zip.Write(payload(a))
		_ = zip.Close()
		body := zipped.Bytes()[:min(n, zipped.Len())]
		head(x.w, a)
		x.w.Header().Set("Content-Encoding", "gzip")
		x.w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		x.w.WriteHeader(a.status)
		_, _ = x.w.Write(body)
	}
}

// Stall acts, sends the first n bytes of the answer, and the rest once the
// channel is closed. A client that is gone by then gets nothing more.
func Stall(n int, until <-chan struct{}) Control {
	return func(x *Exchange) {
		a := x.act()
		body := payload(a)
		head(x.w, a)
		x.w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		x.w.WriteHeader(a.status)
		n := min(n, len(body))
		_, _ = x.w.Write(body[:n])
		_ = http.NewResponseController(x.w).Flush()
		select {
		case <-until:
			_, _ = x.w.Write(body[n:])
		case <-x.r.Context().Done():
			x.hangUp()
		case <-x.board.stop:
			x.hangUp()
		}
	}
}

// head sets the headers of an answer.
func head(w http.ResponseWriter, a reply) {
	w.Header().Set("Content-Type", "application/json")
	for k, v := range a.header {
		w.Header()[k] = v
	}
}
