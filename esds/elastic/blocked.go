package elastic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"github.com/eslake/eslake/esds"
)

// blocks says of each setting that forbids to write what it means.
var blocks = []struct{ setting, meaning, hint string }{
	{"read_only_allow_delete", "a disk of the cluster is nearly full", "make room on the cluster's disks; the cluster then takes the block away, or somebody sets %s to null"},
	{"read_only", "it was made read-only", "set %s to null when writing is meant to be allowed"},
	{"write", "writing was forbidden", "set %s to null when writing is meant to be allowed"},
	{"metadata", "changes of its metadata were forbidden", "set %s to null when changes are meant to be allowed"},
	{"read", "reading was forbidden", "set %s to null when reading is meant to be allowed"},
	{"create_index", "new indices were forbidden", "set %s to null when new indices are meant to be allowed"},
}

// Blocked names the block of a name's indices, or of the whole cluster.
func (s *Source) Blocked(ctx context.Context, name string) error {
	body, err := s.client.read(ctx, request{
		op: "write", index: name, method: http.MethodGet, path: "/" + name + "/_settings", query: url.Values{"flat_settings": {"true"}},
	})
	if err != nil && !errors.Is(err, esds.ErrIndexNotFound) && !errors.Is(err, esds.ErrForbidden) {
		return err
	}
	var found map[string]struct {
		Settings map[string]any `json:"settings"`
	}
	if err == nil && json.Unmarshal(body, &found) != nil {
		return &esds.Error{Op: "write", Index: name, Err: errors.New("the answer cannot be read")}
	}
	for _, index := range slices.Sorted(maps.Keys(found)) {
		if err := blockedBy(index, "index "+index, "index.blocks.", found[index].Settings); err != nil {
			return err
		}
	}
	return s.clusterBlocked(ctx, name)
}

// clusterBlocked names a block of the whole cluster. A user who may not see the
// cluster's settings learns of it when a request is refused.
func (s *Source) clusterBlocked(ctx context.Context, name string) error {
	body, err := s.client.read(ctx, request{
		op: "write", index: name, method: http.MethodGet, path: "/_cluster/settings", query: url.Values{"flat_settings": {"true"}},
	})
	var refused *esds.Error
	if errors.As(err, &refused) && refused.Status >= 400 && refused.Status < 500 && refused.Status != http.StatusTooManyRequests {
		return nil
	}
	if err != nil {
		return err
	}
	var found struct {
		Persistent map[string]any `json:"persistent"`
		Transient  map[string]any `json:"transient"`
	}
	if json.Unmarshal(body, &found) != nil {
		return nil
	}
	all := map[string]any{}
	maps.Copy(all, found.Persistent)
	maps.Copy(all, found.Transient)
	return blockedBy(name, "the cluster", "cluster.blocks.", all)
}

func blockedBy(index, whose, prefix string, settings map[string]any) error {
	for _, b := range blocks {
		key := prefix + b.setting
		if v := fmt.Sprint(settings[key]); v == "true" {
			return &esds.Error{
				Op: "write", Index: index, Hint: fmt.Sprintf(b.hint, key),
				Err: fmt.Errorf("%w: %s has %s = true: %s", esds.ErrBlocked, whose, key, b.meaning),
			}
		}
	}
	return nil
}

// Block sets index.blocks.write, by the request that waits for writes under way.
func (s *Source) Block(ctx context.Context, index string, on bool) error {
	if !on {
		return s.block(ctx, index, false)
	}
	body, err := s.client.read(ctx, request{op: "block writes to", index: index, method: http.MethodPut, path: "/" + index + "/_block/write"})
	if err != nil {
		return err
	}
	var answer struct {
		Acknowledged bool `json:"acknowledged"`
		Shards       bool `json:"shards_acknowledged"`
		Indices      []any
	}
	done := json.Unmarshal(body, &answer) == nil && answer.Acknowledged
	if !done || !answer.Shards && len(answer.Indices) > 0 { // it names no index that was blocked already
		return &esds.Error{Op: "block writes to", Index: index, Err: errors.New("the cluster did not confirm that no write is under way")}
	}
	return nil
}
