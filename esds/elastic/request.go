package elastic

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/elastic/go-elasticsearch/v8"
	"github.com/klauspost/compress/gzip"

	"github.com/eslake/eslake/esds"
)

// client sends requests and turns refusals into errors.
type client struct {
	config    Config
	transport *http.Transport
	es        *elasticsearch.BaseClient
	gzips     bool
	remote    bool // on another machine

	answered atomic.Bool // something spoke HTTP at one of the addresses
}

// request is one request. Its answer is read to the end, or not at all.
type request struct {
	op     string // for errors
	index  string // for errors, "" for none
	method string
	path   string // unescaped
	query  url.Values
	body   []byte
	ndjson bool
	limit  int64          // longest answer; 0 for no limit
	change bool           // the answer is waited for a little after the end of the statement
	packed bool           // the answer should be compressed
	skim   bool           // of a page of a long read: its hits need not be split
	size   int            // documents of such a page
	room   int            // bytes that the answer has, about; 0 when nobody knows
	into   func() []byte  // returns storage that the answer may be put into, when it comes; nil for new one
	part   *[]byte        // gets what came of the answer, whole or not; nil for nothing
	came   *time.Duration // gets how long the answer took to come, from its first byte on; nil for nothing
}

// errTooLong says that an answer is longer than the request allows.
var errTooLong = errors.New("the answer is too long")

func newClient(cfg Config) (*client, error) {
	if len(cfg.Addresses) == 0 {
		cfg.Addresses = []string{"http://localhost:9200"}
	}
	transport, err := newTransport(cfg)
	if err != nil {
		return nil, err
	}
	header := cfg.Headers.Clone()
	if header == nil {
		header = http.Header{}
	}
	if cfg.Gzip == GzipOn {
		header.Set("Accept-Encoding", "gzip")
	}
	addresses := make([]string, len(cfg.Addresses))
	for i, a := range cfg.Addresses {
		addresses[i] = strings.TrimSuffix(a, "/") + prefixPath(cfg.Prefix)
	}
	es, err := elasticsearch.NewBaseClient(elasticsearch.Config{
		Addresses: addresses, Username: cfg.User, Password: cfg.Password, APIKey: apiKey(cfg.APIKey),
		Header: header, Transport: product{transport}, DisableRetry: true, DisableMetaHeader: true,
	})
	if err != nil {
		return nil, &esds.OptionError{Key: "es.nodes", Reason: "cannot be used"}
	}
	return &client{config: cfg, transport: transport, es: es, gzips: cfg.compresses(), remote: cfg.remote()}, nil
}

func prefixPath(prefix string) string {
	if prefix = strings.Trim(prefix, "/"); prefix == "" {
		return ""
	}
	return "/" + prefix
}

// address returns where the first node is, without secrets.
func (c *client) address() string {
	return redactURL(c.config.Addresses[0]) + prefixPath(c.config.Prefix)
}

func (c *client) close() { c.transport.CloseIdleConnections() }

// send does one request and returns the body of a 2xx answer. Any other answer,
// and none, is an *esds.Error. It tries the next node only when a node could not
// be reached at all.
func (c *client) send(ctx context.Context, r request) ([]byte, error) {
	var err error
	for range c.config.Addresses {
		var body []byte
		body, err = c.try(ctx, r)
		if err == nil || !undelivered(err) || ctx.Err() != nil {
			return body, err
		}
	}
	return nil, err
}

// read is send for a request that may be repeated: one that only reads, and
// moves no cursor.
func (c *client) read(ctx context.Context, r request) ([]byte, error) {
	for n := 1; ; n++ {
		body, err := c.send(ctx, r)
		var e *esds.Error
		if err == nil || n > c.config.retries() || !errors.As(err, &e) || !e.Retryable() || undelivered(err) {
			return body, err
		}
		if wait := c.config.wait(ctx, c.config.pause(200*time.Millisecond, n, err, c.config.timeout())); wait != nil {
			return nil, wait
		}
	}
}

func (c *client) try(ctx context.Context, r request) ([]byte, error) {
	if r.change {
		longer, forget := linger(ctx)
		defer forget()
		ctx = longer
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	silence := time.AfterFunc(c.config.timeout(), func() { stop(errSilence) })
	defer silence.Stop()

	req, err := c.newRequest(ctx, r)
	if err != nil {
		return nil, err
	}
	if body, ok := req.Body.(*sent); ok {
		defer body.wait() // the caller uses its buffer again
		defer stop(nil)
	}
	asked := time.Now()
	res, err := c.es.Perform(req)
	if err != nil {
		esds.TraceOf(ctx).Request(0, time.Since(asked))
		return nil, c.transportError(ctx, r, err)
	}
	defer res.Body.Close()
	c.answered.Store(true)
	begun := time.Now()
	body, err := readBody(res, r, func() { silence.Reset(c.config.timeout()) })
	esds.TraceOf(ctx).Request(int64(len(body)), time.Since(asked))
	if r.came != nil {
		*r.came = time.Since(begun)
	}
	if err != nil {
		if errors.Is(err, errTooLong) {
			return nil, err
		}
		return nil, c.transportError(ctx, r, err)
	}
	if res.StatusCode > 299 {
		e := statusError(r, res.StatusCode, body)
		e.After = retryAfter(res.Header, time.Now())
		return nil, e
	}
	return body, nil
}

func (c *client) newRequest(ctx context.Context, r request) (*http.Request, error) {
	u := url.URL{Path: r.path, RawQuery: r.query.Encode()}
	req := (&http.Request{Method: r.method, URL: &u, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}}).WithContext(ctx)
	req.Header.Set("Accept", "application/json")
	if r.packed && c.config.Gzip != GzipOff {
		req.Header.Set("Accept-Encoding", "gzip")
	}
	if r.body == nil {
		return req, nil
	}
	req.Header.Set("Content-Type", "application/json")
	if r.ndjson {
		req.Header.Set("Content-Type", "application/x-ndjson")
	}
	body := r.body
	if c.gzips && len(body) > 1024 {
		var err error
		if body, err = compress(body); err != nil {
			return nil, err
		}
		req.Header.Set("Content-Encoding", "gzip")
	}
	req.Body = &sent{Reader: bytes.NewReader(body), closed: make(chan struct{})}
	req.ContentLength = int64(len(body))
	return req, nil
}

// sent is the body of a request. The transport may read it for a while after an
// early answer, until it closes it.
type sent struct {
	*bytes.Reader
	once   sync.Once
	closed chan struct{}
}

func (s *sent) Close() error {
	s.once.Do(func() { close(s.closed) })
	return nil
}

func (s *sent) wait() {
	select {
	case <-s.closed:
	case <-time.After(5 * time.Second):
	}
}

var packers = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	return w
}}

func compress(body []byte) ([]byte, error) {
	w := packers.Get().(*gzip.Writer)
	defer packers.Put(w)
	var out bytes.Buffer
	w.Reset(&out)
	if _, err := w.Write(body); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// readBody reads an answer and calls alive whenever something came.
func readBody(res *http.Response, r request, alive func()) ([]byte, error) {
	limit := r.limit
	var src io.Reader = watched{res.Body, alive}
	size := res.ContentLength
	if res.Header.Get("Content-Encoding") == "gzip" {
		unpacked, err := gzip.NewReader(src)
		if err != nil {
			return nil, err
		}
		src, size = unpacked, -1
	}
	if limit > 0 {
		if size > limit {
			return nil, errTooLong
		}
		src = io.LimitReader(src, limit+1)
	}
	if size > 0 {
		r.room = int(size)
	}
	body := bytes.NewBuffer(r.storage())
	_, err := body.ReadFrom(src)
	if r.part != nil {
		*r.part = body.Bytes()
	}
	if err != nil {
		return nil, err
	}
	if limit > 0 && int64(body.Len()) > limit {
		return nil, errTooLong
	}
	return body.Bytes(), nil
}

// storage returns what an answer is put into.
func (r *request) storage() (into []byte) {
	if r.into != nil {
		into = r.into()
	}
	if need := r.room + bytes.MinRead; r.room > 0 && cap(into) < need {
		into = make([]byte, 0, need+need/8) // a little more, for another answer
	}
	return into[:0]
}

type watched struct {
	io.Reader
	alive func()
}

func (w watched) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	w.alive()
	return n, err
}

// undelivered reports whether no server can have seen the request.
func undelivered(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}
