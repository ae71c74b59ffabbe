package servers

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// root is the part of GET / that tells servers apart.
type root struct {
	Version struct{ Number, Distribution string }
}

func TestRealServersSayWhatTheyAre(t *testing.T) {
	Each(t, func(t *testing.T, url string) {
		res, err := http.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		var got root
		if err := json.NewDecoder(res.Body).Decode(&got); err != nil {
			t.Fatal(err)
		}
		isOpenSearch := got.Version.Distribution == "opensearch"
		if got.Version.Number == "" || isOpenSearch != strings.HasSuffix(t.Name(), "/opensearch") {
			t.Errorf("GET / says %+v", got)
		}
		t.Logf("version %s", got.Version.Number)
	})
}

func TestRealTLSServerKnowsItsUsers(t *testing.T) {
	srv := TLS(t)
	conf, err := srv.ClientConfig()
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: conf}}
	tests := []struct {
		name       string
		user, path string
		want       int
	}{
		{name: "nobody", path: "/", want: http.StatusUnauthorized},
		{name: "everything", user: srv.User, path: "/", want: http.StatusOK},
		{name: "limited asks for the version", user: srv.Limited, path: "/", want: http.StatusForbidden},
		{name: "limited uses its index", user: srv.Limited, path: "/limited-1/_search?ignore_unavailable=true", want: http.StatusOK},
		{name: "limited uses another", user: srv.Limited, path: "/other/_search", want: http.StatusForbidden},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := status(t, client, srv.URL+tt.path, tt.user, srv.Password); got != tt.want {
				t.Errorf("status %d, want %d", got, tt.want)
			}
		})
	}
	if res, err := http.Get(srv.URL); err == nil {
		res.Body.Close()
		t.Error("a client without the CA trusts the server")
	}
}

func status(t *testing.T, client *http.Client, url, user, password string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if user != "" {
		req.SetBasicAuth(user, password)
	}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	return res.StatusCode
}
