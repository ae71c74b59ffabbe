package servers

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// credentials are what a client needs for a server with users and TLS.
type credentials struct {
	caFile                  string
	user, limited, password string
}

var secureSettings = []string{
	"xpack.security.http.ssl.enabled: true",
	"xpack.security.http.ssl.key: certs/node.key",
	"xpack.security.http.ssl.certificate: certs/node.crt",
	"xpack.security.http.ssl.certificate_authorities: certs/ca.crt",
}

const limitedRole = `limited:
  indices:
    - names: [ 'limited-*' ]
      privileges: [ 'all' ]
`

// secure makes the certificates and users that secureSettings speak of, before
// the server's first start.
func secure(run, home string, jdk jdk) (*credentials, error) {
	config := filepath.Join(run, "config")
	certs := filepath.Join(config, "certs")
	if err := os.Mkdir(certs, 0o755); err != nil {
		return nil, err
	}
	if err := makeCertificates(certs); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(config, "roles.yml"), []byte(limitedRole), 0o644); err != nil {
		return nil, err
	}
	c := &credentials{caFile: filepath.Join(certs, "ca.crt"), user: "tester", limited: "limited", password: rand.Text()}
	if err := ownedByServer(run, home); err != nil {
		return nil, err
	}
	for user, role := range map[string]string{c.user: "superuser", c.limited: "limited"} {
		cmd := exec.Command(filepath.Join(home, "bin", "elasticsearch-users"), "useradd", user, "-p", c.password, "-r", role)
		cmd.Dir, cmd.Env = run, elasticsearchEnv(run, jdk)
		runAs(cmd, serverUser())
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("elasticsearch-users: %w\n%s", err, firstLines(string(out), 5))
		}
	}
	return c, nil
}

func (c *credentials) clientConfig() (*tls.Config, error) {
	ca, err := os.ReadFile(c.caFile)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(ca) {
		return nil, fmt.Errorf("no certificate in %s", c.caFile)
	}
	return &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}, nil
}

// makeCertificates writes a CA and a node certificate for loopback into dir:
// ca.crt, node.crt, node.key.
func makeCertificates(dir string) error {
	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	ca := certificate("eslake test CA", 1)
	ca.IsCA, ca.BasicConstraintsValid, ca.KeyUsage = true, true, x509.KeyUsageCertSign
	if err := writeCertificate(filepath.Join(dir, "ca.crt"), ca, ca, &caKey.PublicKey, caKey); err != nil {
		return err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	node := certificate("localhost", 2)
	node.DNSNames, node.IPAddresses = []string{"localhost"}, []net.IP{net.IPv4(127, 0, 0, 1)}
	node.KeyUsage, node.ExtKeyUsage = x509.KeyUsageDigitalSignature, []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	if err := writeCertificate(filepath.Join(dir, "node.crt"), node, ca, &key.PublicKey, caKey); err != nil {
		return err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	return writePEM(filepath.Join(dir, "node.key"), "PRIVATE KEY", der)
}

func certificate(name string, serial int64) *x509.Certificate {
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: big.NewInt(serial),
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    now.Add(-time.Hour),
		NotAfter:     now.Add(48 * time.Hour),
	}
}

func writeCertificate(file string, cert, parent *x509.Certificate, key *ecdsa.PublicKey, signer *ecdsa.PrivateKey) error {
	der, err := x509.CreateCertificate(rand.Reader, cert, parent, key, signer)
	if err != nil {
		return err
	}
	return writePEM(file, "CERTIFICATE", der)
}

func writePEM(file, kind string, der []byte) error {
	return os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o644)
}
