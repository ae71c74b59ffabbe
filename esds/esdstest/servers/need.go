package servers

import (
	"crypto/tls"
	"fmt"
	"os"
	"testing"
)

// SkippedEnv names a file to which every test that was skipped for want of a
// server adds a line, so that testservers can tell how many there are.
const SkippedEnv = "ESLAKE_TEST_SKIPPED"

// Each runs test once on every kind of real server, as a subtest with the
// server's name. A kind without address is skipped.
func Each(t *testing.T, test func(t *testing.T, url string)) {
	t.Run("elasticsearch", func(t *testing.T) { test(t, Elasticsearch(t)) })
	t.Run("opensearch", func(t *testing.T) { test(t, OpenSearch(t)) })
}

// Elasticsearch returns the address of the Elasticsearch under test, or skips t.
func Elasticsearch(t testing.TB) string {
	t.Helper()
	return need(t, ElasticsearchEnv)
}

// OpenSearch returns the address of the OpenSearch under test, or skips t.
func OpenSearch(t testing.TB) string {
	t.Helper()
	return need(t, OpenSearchEnv)
}

// TLSServer is a server that asks for a user and shows a certificate that only
// CAFile vouches for.
type TLSServer struct {
	URL      string
	CAFile   string
	User     string // may do everything
	Limited  string // may use the indices limited-* and nothing else
	Password string // of both
}

// TLS returns the server with users and TLS under test, or skips t.
func TLS(t testing.TB) TLSServer {
	t.Helper()
	return TLSServer{
		URL:      need(t, TLSEnv),
		CAFile:   need(t, TLSCAEnv),
		User:     need(t, TLSUserEnv),
		Limited:  need(t, TLSLimitedEnv),
		Password: need(t, TLSPasswordEnv),
	}
}

// ClientConfig returns the TLS settings of a client that trusts the server.
func (s TLSServer) ClientConfig() (*tls.Config, error) {
	return (&credentials{caFile: s.CAFile}).clientConfig()
}

// need returns the variable's value. Without one it skips t, and counts that.
func need(t testing.TB, env string) string {
	t.Helper()
	if value := os.Getenv(env); value != "" {
		return value
	}
	if file := os.Getenv(SkippedEnv); file != "" {
		if err := appendLine(file, fmt.Sprintf("%s %s", env, t.Name())); err != nil {
			t.Fatal(err)
		}
	}
	t.Skipf("needs a real server: %s is not set (make test-servers sets it)", env)
	return ""
}

// appendLine adds one line in one write, so that several test binaries may
// share the file.
func appendLine(file, line string) error {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(line + "\n")
	return err
}
