package elastic_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/eslake/eslake/esds/elastic"
)

func TestConfigAddresses(t *testing.T) {
	tests := []struct {
		name    string
		options []string
		want    []string // nil for an error
	}{
		{"nothing", nil, []string{"http://localhost:9200"}},
		{"host", []string{"es.nodes", "a"}, []string{"http://a:9200"}},
		{"several, own port", []string{"es.nodes", "a, b:9201,https://c", "es.port", "9300"}, []string{"http://a:9300", "http://b:9201", "https://c:9300"}},
		{"TLS", []string{"es.nodes", "a", "es.net.ssl", "true"}, []string{"https://a:9200"}},
		{"IPv6", []string{"es.nodes", "::1"}, []string{"http://[::1]:9200"}},
		{"IPv6 with port", []string{"es.nodes", "[::1]:9201"}, []string{"http://[::1]:9201"}},
		{"path", []string{"es.nodes", "https://a:443/es/"}, []string{"https://a:443/es"}},
		{"another scheme", []string{"es.nodes", "ftp://a"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cfg, err := elastic.ConfigFrom(options(t, tt.options...))
			if (err != nil) != (tt.want == nil) || !slices.Equal(cfg.Addresses, tt.want) {
				t.Errorf("addresses = %v, %v, want %v", cfg.Addresses, err, tt.want)
			}
		})
	}
}

// TestRequestsCarry sees what the server gets.
func TestRequestsCarry(t *testing.T) {
	tests := []struct {
		name   string
		cfg    elastic.Config
		path   string
		header string
		want   string
	}{
		{"basic", elastic.Config{User: "u", Password: "p:w@/"}, "/", "Authorization", "Basic dTpwOndALw=="},
		{"encoded API key", elastic.Config{APIKey: "aWQ6a2V5", User: "u", Password: "p"}, "/", "Authorization", "APIKey aWQ6a2V5"},
		{"API key of two parts", elastic.Config{APIKey: "id:key"}, "/", "Authorization", "APIKey aWQ6a2V5"},
		{"prefix", elastic.Config{Prefix: "/es/"}, "/es/", "X-None", ""},
		{"header", elastic.Config{Headers: http.Header{"X-Opaque-Id": {"7"}}}, "/", "X-Opaque-Id", "7"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got *http.Request
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				got = r.Clone(context.Background())
				_, _ = w.Write([]byte(`{"version":{"number":"8.19.7"}}`))
			}))
			defer server.Close()
			tt.cfg.Addresses = []string{server.URL}
			open(t, tt.cfg)
			if got.URL.Path != tt.path || got.Header.Get(tt.header) != tt.want {
				t.Errorf("path %s, %s: %q, want %s and %q", got.URL.Path, tt.header, got.Header.Get(tt.header), tt.path, tt.want)
			}
		})
	}
}
