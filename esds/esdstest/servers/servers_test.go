package servers

import (
	"archive/zip"
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestChoose(t *testing.T) {
	tests := []struct {
		name  string
		names []string
		want  string // the chosen servers, or a part of the error
	}{
		{name: "one of each kind", names: []string{"es8.8", "os2.19", "es8.8tls"}, want: "Elasticsearch 8.8.2, OpenSearch 2.19.6, Elasticsearch 8.8.2 with TLS"},
		{name: "oldest and newest", names: []string{"es7.17", "os3.8"}, want: "Elasticsearch 7.17.15, OpenSearch 3.8.0"},
		{name: "of other ages", names: []string{"es9.0", "os1.3"}, want: "Elasticsearch 9.0.0, OpenSearch 1.3.20"},
		{name: "unknown", names: []string{"es9"}, want: `unknown server "es9"`},
		{name: "two for one variable", names: []string{"es8.8", "es8.19"}, want: "es8.8 and es8.19 both set ESLAKE_TEST_ELASTICSEARCH"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			specs, err := Choose(tt.names...)
			if got := describe(specs, err); !strings.HasPrefix(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func describe(specs []Spec, err error) string {
	if err != nil {
		return err.Error()
	}
	var out []string
	for _, s := range specs {
		out = append(out, s.String())
	}
	return strings.Join(out, ", ")
}

func TestJavaVersion(t *testing.T) {
	tests := []struct {
		name    string
		release string
		want    int
	}{
		{name: "feature release", release: "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"17.0.15\"\n", want: 17},
		{name: "first release", release: "JAVA_VERSION=\"25\"\n", want: 25},
		{name: "old numbering", release: "JAVA_VERSION=\"1.8.0_402\"\n", want: 1},
		{name: "torn", release: "JAVA_VERSION=\"", want: 0},
		{name: "no version", release: "", want: 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			home := t.TempDir()
			write(t, filepath.Join(home, "release"), tt.release)
			write(t, filepath.Join(home, "bin", "javac"), "")
			if got := javaVersion(home, "javac"); got != tt.want {
				t.Errorf("version = %d, want %d", got, tt.want)
			}
		})
	}
	if got := javaVersion(t.TempDir(), "javac"); got != 0 {
		t.Errorf("version of an empty folder = %d, want 0", got)
	}
}

func TestUnzipTakesOneFolder(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.zip")
	makeZip(t, file, map[string]os.FileMode{"big/es/": os.ModeDir | 0o700, "big/es/bin/run": 0o700, "big/es/config/x.yml": 0o600, "big/other": 0o600})
	out := filepath.Join(dir, "out")
	if err := unzip(file, "big/es/", out); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]os.FileMode{"bin/run": 0o755, "config/x.yml": 0o644} {
		info, err := os.Stat(filepath.Join(out, name))
		if err != nil || info.Mode() != want {
			t.Errorf("%s: mode %v, error %v, want %v", name, info, err, want)
		}
	}
	if _, err := os.Stat(filepath.Join(out, "other")); !os.IsNotExist(err) {
		t.Errorf("a file outside the folder was unpacked: %v", err)
	}
	if err := unzip(file, "none/", out); err == nil {
		t.Error("no error for a folder that is not there")
	}
}

func makeZip(t *testing.T, file string, entries map[string]os.FileMode) {
	t.Helper()
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z := zip.NewWriter(f)
	for name, mode := range entries {
		h := &zip.FileHeader{Name: name}
		h.SetMode(mode)
		if _, err := z.CreateHeader(h); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestCertificatesServeLoopback(t *testing.T) {
	dir := t.TempDir()
	if err := makeCertificates(dir); err != nil {
		t.Fatal(err)
	}
	pair, err := tls.LoadX509KeyPair(filepath.Join(dir, "node.crt"), filepath.Join(dir, "node.key"))
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewUnstartedServer(http.NotFoundHandler())
	srv.TLS = &tls.Config{Certificates: []tls.Certificate{pair}}
	srv.StartTLS()
	defer srv.Close()
	conf, err := TLSServer{CAFile: filepath.Join(dir, "ca.crt")}.ClientConfig()
	if err != nil {
		t.Fatal(err)
	}
	res, err := (&http.Client{Transport: &http.Transport{TLSClientConfig: conf}}).Get(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
}

func TestStartWithoutMavenIsUnavailable(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv(cacheEnv, t.TempDir())
	for _, s := range Specs() {
		_, err := Start(context.Background(), s, t.Logf)
		if !errors.Is(err, ErrUnavailable) {
			t.Errorf("%s: error %v, want ErrUnavailable", s, err)
		}
	}
}

func TestNeed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "skipped")
	t.Setenv(SkippedEnv, file)
	t.Setenv(ElasticsearchEnv, "http://127.0.0.1:1")
	t.Setenv(OpenSearchEnv, "")
	var urls []string
	t.Run("kind", func(t *testing.T) {
		Each(t, func(_ *testing.T, url string) { urls = append(urls, url) })
	})
	if len(urls) != 1 || urls[0] != "http://127.0.0.1:1" {
		t.Errorf("ran with %q, want the one address that is set", urls)
	}
	text, err := os.ReadFile(file)
	want := "ESLAKE_TEST_OPENSEARCH TestNeed/kind/opensearch\n"
	if err != nil || string(text) != want {
		t.Errorf("skipped = %q, error %v, want %q", text, err, want)
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
