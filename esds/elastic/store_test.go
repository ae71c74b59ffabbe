package elastic_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pavlo-v-chernykh/keystore-go/v4"
	"software.sslmate.com/src/go-pkcs12"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/esds/elastic"
)

// authority is a CA and what it signed.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func issue(t *testing.T, name string, ca *authority) authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, BasicConstraintsValid: true, IsCA: ca == nil, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	parent, signer := template, key
	if ca != nil {
		parent, signer = ca.cert, ca.key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return authority{cert, key}
}

func jks(t *testing.T, trusted *x509.Certificate, own *authority, password string) []byte {
	t.Helper()
	store := keystore.New()
	if trusted != nil {
		entry := keystore.TrustedCertificateEntry{CreationTime: time.Now(), Certificate: keystore.Certificate{Type: "X.509", Content: trusted.Raw}}
		if err := store.SetTrustedCertificateEntry("ca", entry); err != nil {
			t.Fatal(err)
		}
	}
	if own != nil {
		key, err := x509.MarshalPKCS8PrivateKey(own.key)
		if err != nil {
			t.Fatal(err)
		}
		entry := keystore.PrivateKeyEntry{CreationTime: time.Now(), PrivateKey: key, CertificateChain: []keystore.Certificate{{Type: "X.509", Content: own.cert.Raw}}}
		if err := store.SetPrivateKeyEntry("client", entry, []byte(password)); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if err := store.Store(&out, []byte(password)); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// mutual is a server that asks for a certificate, and what both sides show.
func mutual(t *testing.T) (s *httptest.Server, ca, client authority) {
	t.Helper()
	ca = issue(t, "CA", nil)
	server, client := issue(t, "server", &ca), issue(t, "client", &ca)
	pool := x509.NewCertPool()
	pool.AddCert(ca.cert)
	s = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `{"version":{"number":"8.8.2"},"tagline":"`+r.TLS.PeerCertificates[0].Subject.CommonName+`"}`)
	}))
	s.TLS = &tls.Config{
		Certificates: []tls.Certificate{{Certificate: [][]byte{server.cert.Raw}, PrivateKey: server.key}}, ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert,
	}
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s, ca, client
}

// TestStores logs in to a server that asks for a certificate, with Java stores of
// both kinds, which may stand under the name of the other.
func TestStores(t *testing.T) {
	s, ca, client := mutual(t)
	dir := t.TempDir()
	write := func(name string, data []byte, err error) string {
		t.Helper()
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		return filepath.Join(dir, name)
	}
	p12trust, err := pkcs12.Modern.EncodeTrustStore([]*x509.Certificate{ca.cert}, "secret")
	truststore := write("trust.p12", p12trust, err)
	p12key, err := pkcs12.Modern.Encode(client.key, client.cert, []*x509.Certificate{ca.cert}, "secret")
	keys := write("key.p12", p12key, err)
	jksTrust, jksKeys := write("trust.jks", jks(t, ca.cert, nil, "secret"), nil), write("key.jks", jks(t, nil, &client, "secret"), nil)
	caFile := write("ca.pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: ca.cert.Raw}), nil)
	tests := []struct {
		name        string
		trust, keys string
		pass        string
		want        string // part of the error; "" when it works
	}{
		{"PKCS12", truststore, keys, "secret", ""},
		{"JKS", jksTrust, "file://" + jksKeys, "secret", ""},
		{"one PKCS12 for both", keys, keys, "secret", ""},
		{"wrong password, PKCS12", truststore, keys, "other", "the password is wrong"},
		{"wrong password, JKS", jksTrust, jksKeys, "other", "the password is wrong"},
		{"absent", dir + "/none", keys, "secret", "no such file"},
		{"no key", jksTrust, jksTrust, "secret", "it holds no key"},
		{"no certificate", jksKeys, jksKeys, "secret", "it holds no certificate to trust"},
		{"PEM", caFile, keys, "secret", "cannot be used"},
		{"far away", "https://example.org/x.jks", keys, "secret", "only local files"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			opts := options(t, "es.nodes", s.URL, "es.security.authentication", "PKI", "es.net.ssl.truststore.location", tt.trust, "es.net.ssl.truststore.pass", tt.pass,
				"es.net.ssl.keystore.location", tt.keys, "es.net.ssl.keystore.pass", tt.pass)
			cfg, err := elastic.ConfigFrom(opts)
			if err != nil {
				t.Fatal(err)
			}
			source, err := elastic.Open(t.Context(), cfg)
			if err == nil {
				defer source.Close()
			}
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Fatalf("error = %v, want %q in it", err, tt.want)
			}
			var o *esds.OptionError
			if err != nil && (!errors.As(err, &o) || strings.Contains(err.Error()+o.Hint, tt.pass)) {
				t.Errorf("error = %#v, want one of an option, without the password", err)
			}
		})
	}
}

// TestClientCertificate logs in with certificates in PEM files.
func TestClientCertificate(t *testing.T) {
	s, ca, client := mutual(t)
	stranger := issue(t, "stranger", nil)
	dir := t.TempDir()
	write := func(name string, blocks ...*pem.Block) string {
		t.Helper()
		var out []byte
		for _, b := range blocks {
			out = append(out, pem.EncodeToMemory(b)...)
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, out, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	keyOf := func(a authority) *pem.Block {
		t.Helper()
		der, err := x509.MarshalPKCS8PrivateKey(a.key)
		if err != nil {
			t.Fatal(err)
		}
		return &pem.Block{Type: "PRIVATE KEY", Bytes: der}
	}
	certOf := func(a authority) *pem.Block { return &pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw} }
	caFile := write("ca.pem", certOf(ca))
	cert, key := write("cert.pem", certOf(client)), write("key.pem", keyOf(client))
	both := write("both.pem", certOf(client), keyOf(client))
	other := write("other.pem", keyOf(stranger))
	foreign := write("foreign.pem", certOf(stranger), keyOf(stranger))
	tests := []struct {
		name string
		opts []string
		want string // part of the error; "" when it works
	}{
		{"certificate and key", []string{"eslake.net.ssl.cert.file", cert, "eslake.net.ssl.key.file", key}, ""},
		{"both in one file", []string{"eslake.net.ssl.cert.file", both}, ""},
		{"none", nil, "does not take the certificate of the client, or there is none: tls: certificate required"},
		{"of another authority", []string{"eslake.net.ssl.cert.file", foreign}, "does not take the certificate of the client"},
		{"a key of another", []string{"eslake.net.ssl.cert.file", cert, "eslake.net.ssl.key.file", other}, "private key does not match"},
		{"no key", []string{"eslake.net.ssl.cert.file", cert}, "key"},
		{"absent", []string{"eslake.net.ssl.cert.file", dir + "/none"}, "no such file"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cfg, err := elastic.ConfigFrom(options(t, append([]string{"es.nodes", s.URL, "eslake.net.ssl.ca.file", caFile}, tt.opts...)...))
			if err == nil {
				var source *elastic.Source
				if source, err = elastic.Open(t.Context(), cfg); err == nil {
					defer source.Close()
				}
			}
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Fatalf("error = %v, want %q in it", err, tt.want)
			}
		})
	}
}
