//go:build unix

package cli_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"
)

// tlsFront stands before a server with a certificate that can expire.
type tlsFront struct {
	url, caFile string
	expired     atomic.Bool
	bulks       atomic.Int64
	expireAt    int64 // the bulk request after which it is expired
}

func newTLSFront(t *testing.T, target string, expireAt int64) *tlsFront {
	t.Helper()
	u, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	f := &tlsFront{expireAt: expireAt, caFile: filepath.Join(t.TempDir(), "ca.pem")}
	good, bad := f.certificates(t)
	forward := httputil.NewSingleHostReverseProxy(u)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isBulk(r) && f.bulks.Add(1) == f.expireAt {
			f.expired.Store(true)
		}
		if f.expired.Load() {
			w.Header().Set("Connection", "close") // the next request begins anew
		}
		forward.ServeHTTP(w, r)
	}))
	s.TLS = &tls.Config{MinVersion: tls.VersionTLS12, GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
		shown := good
		if f.expired.Load() {
			shown = bad
		}
		return &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{*shown}}, nil
	}}
	s.StartTLS()
	t.Cleanup(s.Close)
	f.url = s.URL
	return f
}

// certificates makes an authority, whose certificate goes into caFile, and two
// certificates for 127.0.0.1: one that holds and one that did.
func (f *tlsFront) certificates(t *testing.T) (good, expired *tls.Certificate) {
	t.Helper()
	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	ca := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test authority"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: time.Now().Add(48 * time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	raw, err := x509.CreateCertificate(rand.Reader, ca, ca, &caKey.PublicKey, caKey)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(f.caFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	leaf := func(serial int64, until time.Time) *tls.Certificate {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		c := &x509.Certificate{
			SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "127.0.0.1"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
			NotBefore: time.Now().Add(-24 * time.Hour), NotAfter: until, KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		}
		raw, err := x509.CreateCertificate(rand.Reader, c, ca, &key.PublicKey, caKey)
		if err != nil {
			t.Fatal(err)
		}
		return &tls.Certificate{Certificate: [][]byte{raw}, PrivateKey: key}
	}
	return leaf(2, time.Now().Add(24*time.Hour)), leaf(3, time.Now().Add(-time.Hour))
}

// A certificate that expires while rows are written ends the load, which says so
// and is resumed once the certificate is mended.
func TestE2ECertificateExpires(t *testing.T) {
	t.Parallel()
	onClusters(t, func(t *testing.T, p *place) {
		front := newTLSFront(t, p.url, 5)
		q := p.at(front.url)
		insert := makeLoad(t, q, ", eslake.net.ssl.ca.file '"+front.caFile+"'")
		e := q.run(t, "-e", insert)
		e.check(t, 1, `^error\[E3002\]`, "certificate", "expired", "rows had been written")
		front.expired.Store(false)
		list := p.listJobs(t)
		if len(list) == 0 {
			t.Fatalf("no job is left: %v", e)
		}
		q.run(t, "jobs", "resume", list[0][0]).says(t, 0)
		if got := q.count(t, "t"); got != loadRows {
			t.Errorf("%d rows, want %d", got, loadRows)
		}
	})
}
