package elastic

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"

	"github.com/eslake/eslake/esds"
)

var errSilence = errors.New("no answer in time")

// cause is an error as the server words it.
type cause struct {
	Type   string
	Reason string
	text   string // what was sent when it is no error of Elasticsearch's form
}

func (c *cause) Error() string {
	switch {
	case c.Reason != "":
		return c.Reason
	case c.Type != "":
		return c.Type
	}
	return c.text
}

// rawCause is an error in an answer: an object, or plain text from old servers.
type rawCause struct {
	Type      string          `json:"type"`
	Reason    string          `json:"reason"`
	CausedBy  *rawCause       `json:"caused_by"`
	RootCause []*rawCause     `json:"root_cause"`
	Failed    []failedShard   `json:"failed_shards"`
	Index     json.RawMessage `json:"index"`
}

type failedShard struct {
	Index  string    `json:"index"`
	Reason *rawCause `json:"reason"`
}

func (r *rawCause) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '"' {
		return json.Unmarshal(raw, &r.Reason)
	}
	type plain rawCause
	return json.Unmarshal(raw, (*plain)(r))
}

// innermost returns the cause at the bottom, which is what the user can act on;
// the type is the outermost one that says something.
func (r *rawCause) innermost() *cause {
	found := &cause{Type: r.Type, Reason: r.Reason}
	inner := r
	for depth := 0; depth < 50; depth++ {
		next := inner.CausedBy
		if next == nil && len(inner.Failed) > 0 {
			next = inner.Failed[0].Reason
		}
		if next == nil && len(inner.RootCause) > 0 && inner.RootCause[0].Reason != inner.Reason {
			next = inner.RootCause[0]
		}
		if next == nil {
			break
		}
		inner = next
		if inner.Reason != "" {
			found.Reason = inner.Reason
		}
		if strings.HasSuffix(found.Type, "search_phase_execution_exception") {
			found.Type = inner.Type
		}
	}
	return found
}

// statusError is the error of an answer that is not 2xx.
func statusError(r request, status int, body []byte) *esds.Error {
	e := &esds.Error{Op: r.op, Index: r.index, Status: status}
	c := parseCause(status, body)
	e.Err = c
	switch {
	case status == http.StatusUnauthorized:
		e.Err = esds.ErrUnauthorized
		e.Hint = "es.net.http.auth.user and es.net.http.auth.pass, or eslake.net.http.apikey, say who you are"
	case status == http.StatusForbidden:
		e.Err = fmt.Errorf("%w: %w", esds.ErrForbidden, c)
	case c.Type == "index_not_found_exception":
		e.Err = esds.ErrIndexNotFound
	case c.Type == "index_closed_exception":
		e.Err, e.Hint = errors.New("an index is closed"), "open it, or name the others only"
	case c.Type == "resource_already_exists_exception" || c.Type == "index_already_exists_exception":
		e.Err = esds.ErrIndexExists
	case status == http.StatusRequestEntityTooLarge:
		e.Err = errors.New("the request is too large for the server, or for a proxy before it")
	}
	return e
}

func parseCause(status int, body []byte) *cause {
	var answer struct {
		Error *rawCause `json:"error"`
	}
	if json.Unmarshal(body, &answer) == nil && answer.Error != nil {
		return answer.Error.innermost()
	}
	text := strings.TrimSpace(string(body))
	if strings.HasPrefix(text, "<") || text == "" { // a proxy's page
		text = http.StatusText(status)
	}
	if len(text) > 200 {
		text = text[:200] + "…"
	}
	return &cause{text: text}
}

// transportError is the error of a request that got no answer, or half of one.
func (c *client) transportError(ctx context.Context, r request, err error) error {
	why := context.Cause(ctx)
	if errors.Is(why, errSilence) {
		return &esds.Error{
			Op: r.op, Index: r.index, Hint: "es.http.timeout sets how long to wait",
			Err: fmt.Errorf("%w: %s did not answer within %s", esds.ErrUnreachable, c.address(), c.config.timeout()),
		}
	}
	if why != nil {
		return why
	}
	hint, shown := c.explain(err)
	if !errors.Is(err, io.EOF) { // which means the end of the rows to whoever reads them
		shown = &lost{shown, err}
	}
	return &esds.Error{Op: r.op, Index: r.index, Err: shown, Hint: hint}
}

// explain words an error of the network for users, and says what to do.
func (c *client) explain(err error) (hint string, shown error) {
	where := c.address()
	var dns *net.DNSError
	var op *net.OpError
	var header tls.RecordHeaderError
	switch {
	case untrusted(err):
		return "eslake.net.ssl.ca.file or eslake.net.ssl.ca.fingerprint says whom to trust", fmt.Errorf("%w: %s: %w", esds.ErrUntrusted, where, bare(err))
	case errors.As(err, &header) || strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return "leave out es.net.ssl, or give http:// in es.nodes", fmt.Errorf("%w: %s speaks http, not https", esds.ErrUnreachable, where)
	case errors.As(err, &op) && wantsCertificate(op):
		return "eslake.net.ssl.cert.file or es.net.ssl.keystore.location holds a certificate that the cluster trusts", fmt.Errorf("%w: %s does not take the certificate of the client, or there is none: %w", esds.ErrUnreachable, where, op.Err)
	case errors.As(err, &dns):
		return "check the host in es.nodes", fmt.Errorf("%w: the name %s is not known", esds.ErrUnreachable, dns.Name)
	case errors.Is(err, syscall.ECONNREFUSED):
		return "is the cluster running? es.nodes and es.port say where it is", fmt.Errorf("%w: nothing listens at %s", esds.ErrUnreachable, where)
	case closed(err):
		if strings.HasPrefix(where, "http://") && !c.answered.Load() {
			hint = "if the cluster speaks https, set es.net.ssl to true"
		}
		return hint, fmt.Errorf("%w: %s closed the connection", esds.ErrUnreachable, where)
	case errors.As(err, &op):
		return "", fmt.Errorf("%w: %s: %w", esds.ErrUnreachable, where, op.Err)
	}
	return "", fmt.Errorf("%w: %s: %w", esds.ErrUnreachable, where, bare(err))
}

func closed(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// lost is an unanswered request: what to print, and the cause for errors.As.
type lost struct{ shown, cause error }

func (l *lost) Error() string   { return l.shown.Error() }
func (l *lost) Unwrap() []error { return []error{l.shown, l.cause} }

func untrusted(err error) bool {
	var authority x509.UnknownAuthorityError
	var invalid x509.CertificateInvalidError
	var host x509.HostnameError
	var verify *tls.CertificateVerificationError
	return errors.As(err, &authority) || errors.As(err, &invalid) || errors.As(err, &host) || errors.As(err, &verify) ||
		errors.Is(err, errFingerprint)
}

// wantsCertificate reports whether the server ended the connection for want of a
// certificate of the client: none, an old one, or one of another authority.
func wantsCertificate(op *net.OpError) bool {
	return op.Op == "remote error" && strings.Contains(op.Err.Error(), "certificate") // crypto/tls hides the type of its alerts
}

// bare strips what net/http puts before a cause: the method and the address,
// which may hold secrets.
func bare(err error) error {
	var verify *tls.CertificateVerificationError
	if errors.As(err, &verify) {
		return verify.Err
	}
	return err
}
