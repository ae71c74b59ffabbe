package elastic_test

import (
	"encoding/base64"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/eslake/eslake/esds/elastic"
	"github.com/eslake/eslake/esds/esdstest"
)

// forwarding is a proxy for http that wants a user.
func forwarding(t *testing.T, user, password string, used *atomic.Int64) *httptest.Server {
	want := "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Proxy-Authorization"); got != want {
			w.WriteHeader(http.StatusProxyAuthRequired)
			return
		}
		used.Add(1)
		resp, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer resp.Body.Close()
		w.WriteHeader(resp.StatusCode)
		_, _ = io.Copy(w, resp.Body)
	}))
	t.Cleanup(s.Close)
	return s
}

// socks is a SOCKS5 proxy that wants a user.
func socks(t *testing.T, user, password string, used *atomic.Int64) net.Addr {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				if target := greet(c, user, password); target != "" {
					used.Add(1)
					tunnel(c, target)
				}
			}()
		}
	}()
	return l.Addr()
}

// greet reads the greeting, user and password, and the address wanted.
func greet(c net.Conn, user, password string) string {
	part := func(n int) []byte {
		b := make([]byte, n)
		_, _ = io.ReadFull(c, b)
		return b
	}
	part(int(part(2)[1])) // version, methods
	_, _ = c.Write([]byte{5, 2})
	part(1)
	gotUser := string(part(int(part(1)[0])))
	gotPassword := string(part(int(part(1)[0])))
	if gotUser != user || gotPassword != password {
		_, _ = c.Write([]byte{1, 1})
		return ""
	}
	_, _ = c.Write([]byte{1, 0})
	kind := part(4)[3]
	var host string
	switch kind {
	case 1:
		host = net.IP(part(4)).String()
	case 3:
		host = string(part(int(part(1)[0])))
	}
	port := binary.BigEndian.Uint16(part(2))
	_, _ = c.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
	return net.JoinHostPort(host, (&net.TCPAddr{Port: int(port)}).String()[1:])
}

func tunnel(c net.Conn, target string) {
	to, err := net.Dial("tcp", target)
	if err != nil {
		return
	}
	defer to.Close()
	go func() { _, _ = io.Copy(to, c) }()
	_, _ = io.Copy(c, to)
}

// TestProxies reaches a cluster through proxies. User and password hold
// characters that addresses give a meaning.
func TestProxies(t *testing.T) {
	const user, password = "user@corp", "p/a?s#s%40:"
	fake := esdstest.New(t, esdstest.Elasticsearch8)
	var used atomic.Int64
	plain := strings.TrimPrefix(forwarding(t, user, password, &used).URL, "http://")
	sock := socks(t, user, password, &used).String()
	for _, tt := range []struct {
		name, kind, address, pass string
		works                     bool
	}{
		{"http", "http", plain, password, true},
		{"http, wrong password", "http", plain, "other", false},
		{"socks", "socks", sock, password, true},
		{"socks, wrong password", "socks", sock, "other", false},
		{"https, not for this node", "https", "127.0.0.1:1", password, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			used.Store(0)
			host, port, err := net.SplitHostPort(tt.address)
			if err != nil {
				t.Fatal(err)
			}
			key := "es.net.proxy." + tt.kind + "."
			cfg, err := elastic.ConfigFrom(options(t, "es.nodes", fake.URL, key+"host", host, key+"port", port, key+"user", user, key+"pass", tt.pass, "es.http.retries", "0"))
			if err != nil {
				t.Fatal(err)
			}
			source, err := elastic.Open(t.Context(), cfg)
			if err == nil {
				source.Close()
			}
			if (err == nil) != tt.works {
				t.Fatalf("error = %v, want it to work: %v", err, tt.works)
			}
			if through := used.Load() > 0; through != (tt.works && tt.kind != "https") {
				t.Errorf("requests through the proxy = %d", used.Load())
			}
			if err != nil && strings.Contains(err.Error(), tt.pass) {
				t.Errorf("the error shows the password: %v", err)
			}
		})
	}
}
