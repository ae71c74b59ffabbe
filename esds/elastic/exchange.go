package elastic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/eslake/eslake/esds"
)

// An overwrite in mode recreate leaves its name absent for a moment. A reader that
// meets it then waits, at most for so long.
const (
	exchangePatience = 10 * time.Second
	exchangePause    = 50 * time.Millisecond
)

// readIndex is client.read for a request that reads the index of a name. Where the
// name is absent because an overwrite is about to put the new index under it, it
// waits for that.
func (s *Source) readIndex(ctx context.Context, r request) ([]byte, error) {
	body, err := s.client.read(ctx, r)
	for waited := time.Duration(0); errors.Is(err, esds.ErrIndexNotFound) && waited < exchangePatience; waited += exchangePause {
		if strings.ContainsAny(r.index, "*,") {
			break
		}
		if !s.exchanging(ctx, r.index) {
			return s.client.read(ctx, r) // it may have come to its end just now
		}
		if err := s.config.wait(ctx, exchangePause); err != nil {
			return nil, err
		}
		body, err = s.client.read(ctx, r)
	}
	return body, err
}

// exchanging reports whether an overwrite is about to put an index under a name:
// its staged index takes no writes any more.
func (s *Source) exchanging(ctx context.Context, name string) bool {
	body, err := s.client.send(ctx, request{
		op: "describe", index: name, method: http.MethodGet, path: "/" + esds.StagingPattern(name) + "/_settings",
		query: url.Values{"flat_settings": {"true"}, "expand_wildcards": {"all"}, "allow_no_indices": {"true"}},
	})
	var found map[string]struct {
		Settings map[string]any `json:"settings"`
	}
	if err != nil || json.Unmarshal(body, &found) != nil {
		return false
	}
	for _, x := range found {
		if fmt.Sprint(x.Settings["index.blocks.write"]) == "true" {
			return true
		}
	}
	return false
}
