package elastic

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/pavlo-v-chernykh/keystore-go/v4"
	"software.sslmate.com/src/go-pkcs12"

	"github.com/eslake/eslake/esds"
)

// Store is a Java store of keys and certificates, JKS or PKCS12.
type Store struct {
	File     string // path, or file: address; "" for no store
	Password string // "" for none
}

const (
	keyStoreOption   = "es.net.ssl.keystore.location"
	trustStoreOption = "es.net.ssl.truststore.location"
)

// addStores adds what Java stores hold to the settings of TLS.
func addStores(secure *tls.Config, cfg Config) error {
	if cfg.TrustStore.File != "" {
		certs, err := cfg.TrustStore.trusted()
		if err != nil {
			return cfg.TrustStore.fail(trustStoreOption, err)
		}
		if secure.RootCAs == nil {
			secure.RootCAs = systemPool()
		}
		for _, cert := range certs {
			secure.RootCAs.AddCert(cert)
		}
	}
	if cfg.KeyStore.File != "" {
		cert, err := cfg.KeyStore.client()
		if err != nil {
			return cfg.KeyStore.fail(keyStoreOption, err)
		}
		secure.Certificates = []tls.Certificate{cert}
	}
	return nil
}

func systemPool() *x509.CertPool {
	pool, err := x509.SystemCertPool()
	if err != nil {
		return x509.NewCertPool()
	}
	return pool
}

var errStorePassword = errors.New("the password is wrong, or the file is damaged")

func (s Store) fail(key string, err error) error {
	e := &esds.OptionError{Key: key, Value: s.File, Reason: "cannot be used: " + err.Error()}
	if errors.Is(err, errStorePassword) {
		e.Hint = strings.TrimSuffix(key, "location") + "pass holds the password"
	}
	return e
}

// read returns the file, and whether it is a JKS. Java reads either kind under
// either name.
func (s Store) read() (data []byte, jks bool, err error) {
	path := strings.TrimPrefix(strings.TrimPrefix(s.File, "file://"), "file:")
	if strings.Contains(path, "://") {
		return nil, false, errors.New("only local files are read")
	}
	data, err = os.ReadFile(path)
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return data, bytes.HasPrefix(data, []byte{0xfe, 0xed, 0xfe, 0xed}), err
}

// trusted returns the certificates of a truststore.
func (s Store) trusted() ([]*x509.Certificate, error) {
	data, jks, err := s.read()
	if err != nil {
		return nil, err
	}
	var certs []*x509.Certificate
	if jks {
		certs, err = trustedJKS(data, s.Password)
	} else {
		certs, err = trustedPKCS12(data, s.Password)
	}
	if err == nil && len(certs) == 0 {
		err = errors.New("it holds no certificate to trust")
	}
	return certs, err
}

// trustedPKCS12 also takes the chain of a store with a key, as Java does not: many
// such files are given for both stores.
func trustedPKCS12(data []byte, password string) ([]*x509.Certificate, error) {
	certs, err := pkcs12.DecodeTrustStore(data, password)
	if err == nil {
		return certs, nil
	}
	_, _, chain, keyErr := pkcs12.DecodeChain(data, password)
	if keyErr != nil {
		return nil, storeError(err)
	}
	return chain, nil
}

func trustedJKS(data []byte, password string) ([]*x509.Certificate, error) {
	store, err := openJKS(data, password)
	if err != nil {
		return nil, err
	}
	var certs []*x509.Certificate
	for _, alias := range store.Aliases() {
		entry, err := store.GetTrustedCertificateEntry(alias)
		if err != nil {
			continue // a key
		}
		cert, err := x509.ParseCertificate(entry.Certificate.Content)
		if err != nil {
			return nil, fmt.Errorf("entry %s: %w", alias, err)
		}
		certs = append(certs, cert)
	}
	return certs, nil
}

// client returns the certificate and the key of a keystore.
func (s Store) client() (tls.Certificate, error) {
	data, jks, err := s.read()
	switch {
	case err != nil:
		return tls.Certificate{}, err
	case jks:
		return clientJKS(data, s.Password)
	}
	key, cert, more, err := pkcs12.DecodeChain(data, s.Password)
	if err != nil {
		return tls.Certificate{}, storeError(err)
	}
	chain := [][]byte{cert.Raw}
	for _, c := range more {
		chain = append(chain, c.Raw)
	}
	return tls.Certificate{Certificate: chain, PrivateKey: key, Leaf: cert}, nil
}

func clientJKS(data []byte, password string) (tls.Certificate, error) {
	store, err := openJKS(data, password)
	if err != nil {
		return tls.Certificate{}, err
	}
	aliases := store.Aliases()
	slices.Sort(aliases)
	for _, alias := range aliases {
		if !store.IsPrivateKeyEntry(alias) {
			continue
		}
		entry, err := store.GetPrivateKeyEntry(alias, []byte(password))
		if err != nil {
			return tls.Certificate{}, fmt.Errorf("entry %s: %w", alias, errStorePassword)
		}
		key, err := x509.ParsePKCS8PrivateKey(entry.PrivateKey)
		if err != nil {
			return tls.Certificate{}, fmt.Errorf("entry %s: %w", alias, err)
		}
		cert := tls.Certificate{PrivateKey: key}
		for _, c := range entry.CertificateChain {
			cert.Certificate = append(cert.Certificate, c.Content)
		}
		return cert, nil
	}
	return tls.Certificate{}, errors.New("it holds no key")
}

func openJKS(data []byte, password string) (keystore.KeyStore, error) {
	store := keystore.New()
	if err := store.Load(bytes.NewReader(data), []byte(password)); err != nil {
		return store, fmt.Errorf("%w (%w)", errStorePassword, err)
	}
	return store, nil
}

func storeError(err error) error {
	if errors.Is(err, pkcs12.ErrIncorrectPassword) {
		return errStorePassword
	}
	return err
}
