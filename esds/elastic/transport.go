package elastic

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/eslake/eslake/esds"
)

// product answers for servers that do not say what they are. go-elasticsearch
// refuses an answer without the header, and does so after the server has acted;
// OpenSearch, old servers and some proxies do not send it.
type product struct{ http.RoundTripper }

func (p product) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := p.RoundTripper.RoundTrip(req)
	if err == nil && res.Header.Get("X-Elastic-Product") == "" {
		res.Header.Set("X-Elastic-Product", "Elasticsearch")
	}
	return res, err
}

func newTransport(cfg Config) (*http.Transport, error) {
	secure, err := tlsConfig(cfg)
	if err != nil {
		return nil, err
	}
	dialer := &net.Dialer{Timeout: min(cfg.timeout(), 30*time.Second), KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy:               cfg.proxy,
		DialContext:         dialer.DialContext,
		TLSClientConfig:     secure,
		TLSHandshakeTimeout: min(cfg.timeout(), 30*time.Second),
		MaxIdleConnsPerHost: 32,
		IdleConnTimeout:     90 * time.Second,
		DisableCompression:  true, // answers are unpacked by the client, faster than by net/http
		WriteBufferSize:     64 << 10,
		ReadBufferSize:      64 << 10,
	}, nil
}

func tlsConfig(cfg Config) (*tls.Config, error) {
	secure := &tls.Config{MinVersion: tls.VersionTLS12}
	if cfg.CAFile != "" {
		pool, err := certPool(cfg.CAFile)
		if err != nil {
			return nil, err
		}
		secure.RootCAs = pool
	}
	if err := addStores(secure, cfg); err != nil {
		return nil, err
	}
	if cfg.CertFile != "" {
		key := cfg.KeyFile
		if key == "" {
			key = cfg.CertFile
		}
		cert, err := tls.LoadX509KeyPair(cfg.CertFile, key)
		if err != nil {
			return nil, &esds.OptionError{Key: "eslake.net.ssl.cert.file", Value: cfg.CertFile, Reason: "cannot be read: " + err.Error()}
		}
		secure.Certificates = []tls.Certificate{cert}
	}
	switch {
	case cfg.Fingerprint != "":
		return pinned(secure, cfg.Fingerprint)
	case cfg.Insecure:
		secure.InsecureSkipVerify = true
	}
	return secure, nil
}

func certPool(file string) (*x509.CertPool, error) {
	bad := func(reason string) error {
		return &esds.OptionError{Key: "eslake.net.ssl.ca.file", Value: file, Reason: reason, Hint: "a PEM file that begins with -----BEGIN CERTIFICATE-----"}
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, bad("cannot be read: " + errors.Unwrap(err).Error())
	}
	pool := systemPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, bad("holds no certificate")
	}
	return pool, nil
}

var errFingerprint = errors.New("no certificate of the server has the fingerprint")

// pinned trusts a chain that holds the certificate with the fingerprint, and
// nothing else. It is checked in the handshake, so proxies and connections of
// any kind are covered.
func pinned(secure *tls.Config, fingerprint string) (*tls.Config, error) {
	want, err := hex.DecodeString(strings.NewReplacer(":", "", " ", "").Replace(fingerprint))
	if err != nil || len(want) != sha256.Size {
		return nil, &esds.OptionError{Key: "eslake.net.ssl.ca.fingerprint", Value: fingerprint, Reason: "is not a SHA-256 in hex"}
	}
	secure.InsecureSkipVerify = true
	secure.VerifyConnection = func(state tls.ConnectionState) error {
		for i, cert := range state.PeerCertificates {
			if sum := sha256.Sum256(cert.Raw); string(sum[:]) != string(want) {
				continue
			}
			if i == 0 {
				return nil // the server's own certificate: it proved to have the key
			}
			return chainsTo(state.PeerCertificates, cert, state.ServerName)
		}
		return errFingerprint
	}
	return secure, nil
}

// chainsTo checks that the pinned CA signed the server's certificate.
func chainsTo(chain []*x509.Certificate, ca *x509.Certificate, host string) error {
	roots, middle := x509.NewCertPool(), x509.NewCertPool()
	roots.AddCert(ca)
	for _, cert := range chain[1:] {
		middle.AddCert(cert)
	}
	_, err := chain[0].Verify(x509.VerifyOptions{Roots: roots, Intermediates: middle, DNSName: host})
	if err != nil {
		return fmt.Errorf("the certificate with the fingerprint does not vouch for the server: %w", err)
	}
	return nil
}
