package elastic

import (
	"context"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/eslake/eslake/esds"
)

// Config says where a cluster is and how to talk to it.
type Config struct {
	Addresses []string // scheme://host:port of each node; none: http://localhost:9200
	Prefix    string   // path before every request; "" for none
	User      string   // "" for no basic authentication
	Password  string
	APIKey    string // encoded, or id:key; wins over User; "" for none
	Headers   http.Header

	CAFile      string        // PEM file of trusted CAs besides the system's; "" for none
	Fingerprint string        // SHA-256 in hex of a certificate of the server's chain, trusted without a CA; "" for none
	CertFile    string        // PEM file of the client's certificate; "" for none
	KeyFile     string        // PEM file of its key; "" when CertFile holds both
	KeyStore    Store         // Java store with the client's certificate; zero for none
	TrustStore  Store         // Java store of trusted certificates besides the system's; zero for none
	HTTPProxy   string        // URL of the proxy for http, ProxyFromEnvironment, or "" for none
	HTTPSProxy  string        // the same for https
	Insecure    bool          // take any certificate
	Timeout     time.Duration // longest silence of a connection or an answer; 0 for one minute
	Retries     int           // further tries of a read that may be repeated; 0 for 3, negative for none
	Gzip        Gzip          // "" is GzipAuto

	// Wait and Random are for tests. Nil: the clock and a random number in [0, 1).
	Wait   func(context.Context, time.Duration) error
	Random func() float64
}

// Gzip says what is compressed.
type Gzip string

// The ways to compress. Compressed answers cost the server four times the time,
// so they are asked for only when the user says so, or the network is slower.
const (
	GzipAuto Gzip = "auto" // requests to other machines, and their answers where the network is slow
	GzipOn   Gzip = "true"
	GzipOff  Gzip = "false"
)

// ConfigFrom returns what the options of a table say of its cluster.
func ConfigFrom(opts esds.Options) (Config, error) {
	cfg := Config{
		Prefix:      opts.String("es.nodes.path.prefix"),
		User:        opts.String("es.net.http.auth.user"),
		Password:    opts.String("es.net.http.auth.pass"),
		APIKey:      opts.String("eslake.net.http.apikey"),
		CAFile:      opts.String("eslake.net.ssl.ca.file"),
		Fingerprint: opts.String("eslake.net.ssl.ca.fingerprint"),
		CertFile:    opts.String("eslake.net.ssl.cert.file"),
		KeyFile:     opts.String("eslake.net.ssl.key.file"),
		Insecure:    opts.Bool("es.net.ssl.cert.allow.self.signed"),
		Timeout:     opts.Duration("es.http.timeout"),
		Retries:     opts.Int("es.http.retries"),
		Gzip:        Gzip(opts.String("eslake.gzip")),
	}
	if cfg.Retries == 0 {
		cfg.Retries = -1
	}
	cfg.KeyStore = Store{opts.String("es.net.ssl.keystore.location"), opts.String("es.net.ssl.keystore.pass")}
	cfg.TrustStore = Store{opts.String("es.net.ssl.truststore.location"), opts.String("es.net.ssl.truststore.pass")}
	cfg.HTTPProxy, cfg.HTTPSProxy = proxyFrom(opts, "http"), proxyFrom(opts, "https")
	for name, value := range opts.Under("es.net.http.header.") {
		if cfg.Headers == nil {
			cfg.Headers = http.Header{}
		}
		cfg.Headers.Set(name, value)
	}
	scheme := "http"
	if opts.Bool("es.net.ssl") {
		scheme = "https"
	}
	for _, node := range opts.List("es.nodes") {
		address, err := nodeAddress(node, scheme, opts.String("es.port"))
		if err != nil {
			return Config{}, err
		}
		cfg.Addresses = append(cfg.Addresses, address)
	}
	if len(cfg.Addresses) == 0 {
		cfg.Addresses = []string{scheme + "://localhost:" + opts.String("es.port")}
	}
	return cfg, nil
}

// nodeAddress completes host, host:port or scheme://host[:port]. As in
// elasticsearch-hadoop the port is es.port even for https://host.
func nodeAddress(node, scheme, port string) (string, error) {
	bad := func(reason string) error {
		return &esds.OptionError{Key: "es.nodes", Value: redactURL(node), Reason: reason, Hint: "host, host:port or https://host:port"}
	}
	if !strings.Contains(node, "://") {
		if strings.Count(node, ":") > 1 && !strings.HasPrefix(node, "[") {
			node = "[" + node + "]" // a bare IPv6 address
		}
		node = scheme + "://" + node
	}
	u, err := url.Parse(node)
	switch {
	case err != nil:
		return "", bad("is not an address")
	case u.Scheme != "http" && u.Scheme != "https":
		return "", bad("has a scheme other than http and https")
	case u.Hostname() == "":
		return "", bad("has no host")
	}
	if u.Port() == "" {
		u.Host = net.JoinHostPort(u.Hostname(), port)
	}
	u.Path = strings.TrimSuffix(u.Path, "/")
	return u.String(), nil
}

func (c Config) timeout() time.Duration {
	if c.Timeout <= 0 {
		return time.Minute
	}
	return c.Timeout
}

func (c Config) retries() int {
	switch {
	case c.Retries < 0:
		return 0
	case c.Retries == 0:
		return 3
	}
	return c.Retries
}

// wait sleeps, or does what a test put in its place.
func (c Config) wait(ctx context.Context, d time.Duration) error {
	if c.Wait != nil {
		return c.Wait(ctx, d)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// backoff returns the wait before try n (from 1): base doubled each time up to
// a minute, of which a random half is left out, so that many clients spread.
func (c Config) backoff(base time.Duration, n int) time.Duration {
	random := c.Random
	if random == nil {
		random = rand.Float64
	}
	d := min(base<<min(n-1, 10), time.Minute)
	return d/2 + time.Duration(random()*float64(d/2))
}

// compresses reports whether requests are compressed: by default not those that
// stay on this machine.
func (c Config) compresses() bool {
	if c.Gzip != GzipAuto && c.Gzip != "" {
		return c.Gzip == GzipOn
	}
	return c.remote()
}

// remote reports whether some node is on another machine.
func (c Config) remote() bool {
	for _, a := range c.Addresses {
		u, err := url.Parse(a)
		if err != nil {
			return false
		}
		ip := net.ParseIP(u.Hostname())
		if u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()) {
			return true
		}
	}
	return false
}

// apiKey returns the encoded form of a key that is given so, or as id:key.
func apiKey(key string) string {
	if strings.Contains(key, ":") {
		return base64.StdEncoding.EncodeToString([]byte(key))
	}
	return key
}

// redactURL returns an address without user and password.
func redactURL(address string) string {
	if _, host, ok := strings.Cut(address, "@"); ok {
		scheme, _, found := strings.Cut(address, "://")
		if found {
			return fmt.Sprintf("%s://%s", scheme, host)
		}
		return host
	}
	return address
}
