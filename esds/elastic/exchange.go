package elastic

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
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

// readRecovered reads what the cluster tells of the indices of a name, once each of
// them has its mapping: where one is being cloned, it waits for its shards.
func (s *Source) readRecovered(ctx context.Context, op, resource string, read func(context.Context, request) ([]byte, error)) ([]byte, error) {
	r := request{op: op, index: resource, method: http.MethodGet, path: "/" + resource}
	body, err := read(ctx, r)
	cloned := unrecovered(body)
	if err != nil || len(cloned) == 0 {
		return body, err
	}
	if err := s.ready(ctx, cloned, exchangePatience); err != nil {
		return nil, &esds.Error{
			Op: op, Index: cloned[0], Err: fmt.Errorf("it is being cloned, and has no mapping yet: %w", err),
			Hint: "run the statement again; if it stays so, look why its shards are not allocated",
		}
	}
	return read(ctx, r)
}

// unrecovered returns the indices that may lack their mapping because they are being
// cloned, in order. A clone, like any resized index, is made without a mapping; the
// first of its shards that recovers brings that of the source. Until then at least,
// the setting index.resize.source tells (Elasticsearch 8 and OpenSearch 2).
func unrecovered(definitions []byte) []string {
	if !bytes.Contains(definitions, []byte(`"resize"`)) {
		return nil
	}
	var found map[string]struct {
		Mappings map[string]json.RawMessage `json:"mappings"`
		Settings struct {
			Index struct {
				Resize json.RawMessage `json:"resize"`
			} `json:"index"`
		} `json:"settings"`
	}
	if json.Unmarshal(definitions, &found) != nil {
		return nil
	}
	var names []string
	for name, x := range found {
		if x.Settings.Index.Resize != nil && len(x.Mappings) == 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// ready waits until every primary shard of indices can be read. The colour of an
// index does not tell: while a new primary is on its way, it is yellow.
func (s *Source) ready(ctx context.Context, indices []string, patience time.Duration) error {
	r := request{op: "replace", index: indices[0], method: http.MethodGet, path: "/_cluster/health/" + strings.Join(indices, ",")}
	r.query = url.Values{"level": {"indices"}, "timeout": {"1s"}} // so long it waits for an index that is not there
	for waited := time.Duration(0); ; waited += exchangePause {
		body, err := s.client.send(ctx, r)
		var e *esds.Error
		late := errors.As(err, &e) && e.Status == http.StatusRequestTimeout
		if late {
			waited += time.Second
		}
		switch {
		case err == nil && allPrimaries(body, len(indices)):
			return nil
		case errors.Is(err, esds.ErrForbidden): // the user may not ask; a count tells as well
			for _, index := range indices {
				if _, err := s.Count(ctx, index); err != nil {
					return err
				}
			}
			return nil
		case err != nil && !late && (e == nil || !e.Retryable()):
			return err
		case waited >= patience:
			return errors.Join(err, errors.New("its shards did not become ready in time"))
		}
		if err := s.config.wait(ctx, exchangePause); err != nil {
			return err
		}
	}
}

// allPrimaries reports whether health tells of n indices, and that all of their
// primary shards are active.
func allPrimaries(health []byte, n int) bool {
	var answer struct {
		Indices map[string]struct {
			Shards int `json:"number_of_shards"`
			Active int `json:"active_primary_shards"`
		} `json:"indices"`
	}
	if json.Unmarshal(health, &answer) != nil || len(answer.Indices) < n {
		return false
	}
	for _, x := range answer.Indices {
		if x.Active < x.Shards {
			return false
		}
	}
	return true
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
