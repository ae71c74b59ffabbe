// Package elastic keeps the contract of esds over HTTP, for Elasticsearch and
// OpenSearch.
package elastic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"github.com/eslake/eslake/esds"
)

// Source is a cluster. It is safe for concurrent use.
type Source struct {
	client *client
	config Config
	server server

	mu    sync.Mutex
	paged paging // how pages are read; found by the first long read
	known map[string]known
}

var _ esds.Source = (*Source)(nil)

// server is what answers.
type server struct {
	name    string // "Elasticsearch", "OpenSearch", or "the cluster" when it does not say
	version string // "" when it does not say
}

func (s server) openSearch() bool { return s.name == "OpenSearch" }

// slicesPIT reports whether the version says that a point in time can be read in slices,
// sorted by _shard_doc.
func (s server) slicesPIT() bool {
	var major, minor int
	if n, _ := fmt.Sscanf(s.version, "%d.%d", &major, &minor); n < 2 || s.name != "Elasticsearch" {
		return false
	}
	return major > 7 || major == 7 && minor >= 15
}

// Open connects to a cluster and asks what it is. A user who may not ask that
// (403), or whom a server or proxy does not let ask (405), is served all the same.
func Open(ctx context.Context, cfg Config) (*Source, error) {
	c, err := newClient(cfg)
	if err != nil {
		return nil, err
	}
	s := &Source{client: c, config: cfg}
	s.server, err = identify(ctx, c)
	if err != nil {
		c.close()
		return nil, err
	}
	return s, nil
}

func identify(ctx context.Context, c *client) (server, error) {
	unknown := server{name: "the cluster"}
	body, err := c.send(ctx, request{op: "connect", method: http.MethodGet, path: "/"})
	var refused *esds.Error
	switch {
	case errors.Is(err, esds.ErrForbidden), errors.As(err, &refused) && refused.Status == http.StatusMethodNotAllowed:
		return unknown, nil
	case refused != nil && refused.Status != 0:
		refused.Index = c.address() // an error of the network names it itself
		return unknown, err
	case err != nil:
		return unknown, err
	}
	var info struct {
		Version struct {
			Number       string `json:"number"`
			Distribution string `json:"distribution"`
		} `json:"version"`
		Tagline string `json:"tagline"`
	}
	if json.Unmarshal(body, &info) != nil || info.Version.Number == "" {
		return unknown, nil // a proxy's own page, say: what counts is whether the requests work
	}
	name := "Elasticsearch"
	if info.Version.Distribution == "opensearch" || info.Tagline == "The OpenSearch Project: https://opensearch.org/" {
		name = "OpenSearch"
	}
	return server{name: name, version: info.Version.Number}, nil
}

// String names the cluster without secrets.
func (s *Source) String() string {
	if s.server.version == "" {
		return fmt.Sprintf("%s at %s", s.server.name, s.client.address())
	}
	return fmt.Sprintf("%s %s at %s", s.server.name, s.server.version, s.client.address())
}

// Close drops idle connections.
func (s *Source) Close() error {
	s.client.close()
	return nil
}
