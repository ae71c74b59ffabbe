package elastic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/eslake/eslake/esds"
)

// resolved is what GET _alias and GET _data_stream tell of a name.
type aliased map[string]struct {
	Aliases map[string]struct {
		IsWrite *bool `json:"is_write_index"`
	} `json:"aliases"`
}

// Resolve says what a name stands for.
func (s *Source) Resolve(ctx context.Context, name string) (esds.Target, error) {
	t := esds.Target{Name: name, Kind: esds.Absent}
	if strings.ContainsAny(name, "*,") {
		return s.resolvePattern(ctx, t)
	}
	found, err := s.aliases(ctx, "/"+name+"/_alias", name)
	switch {
	case errors.Is(err, esds.ErrIndexNotFound):
		return s.resolveStream(ctx, t), nil
	case err != nil:
		return t, err
	}
	t.Indices = slices.Sorted(maps.Keys(found))
	switch {
	case len(found) == 0:
		return s.resolveStream(ctx, t), nil
	case len(t.Indices) == 1 && t.Indices[0] == name:
		t.Kind, t.Write = esds.Concrete, name
	case s.isAlias(found, name):
		t.Kind = esds.Alias
		t.Write = writeIndex(found, name)
	default:
		t.Kind, t.Write = esds.DataStream, lastIndex(t.Indices)
	}
	return t, nil
}

// resolveStream looks for a data stream, or an alias of one. Asked for its aliases,
// Elasticsearch knows none, and OpenSearch no such index. A refusal means that there
// is no stream.
func (s *Source) resolveStream(ctx context.Context, t esds.Target) esds.Target {
	find := s.behindName
	if s.server.openSearch() {
		find = s.streamIndices
	}
	if names, err := find(ctx, t.Name); err == nil && len(names) > 0 {
		t.Kind, t.Indices, t.Write = esds.DataStream, names, lastIndex(names)
	}
	return t
}

// behindName returns the indices behind a data stream or an alias of one, the newest
// last.
func (s *Source) behindName(ctx context.Context, name string) ([]string, error) {
	body, err := s.client.read(ctx, request{op: "resolve", index: name, method: http.MethodGet, path: "/_resolve/index/" + name})
	if err != nil {
		return nil, err
	}
	var answer struct {
		Aliases []struct {
			Indices []string `json:"indices"`
		} `json:"aliases"`
		Streams []struct {
			Indices []string `json:"backing_indices"`
		} `json:"data_streams"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, &esds.Error{Op: "resolve", Index: name, Err: fmt.Errorf("the answer cannot be read: %w", err)}
	}
	var names []string
	for _, a := range answer.Aliases {
		names = append(names, a.Indices...)
	}
	for _, stream := range answer.Streams {
		names = append(names, stream.Indices...)
	}
	slices.Sort(names)
	return names, nil
}

// streamIndices returns the indices behind a data stream, the newest last.
func (s *Source) streamIndices(ctx context.Context, name string) ([]string, error) {
	body, err := s.client.read(ctx, request{op: "resolve", index: name, method: http.MethodGet, path: "/_data_stream/" + name})
	if err != nil {
		return nil, err
	}
	var answer struct {
		Streams []struct {
			Indices []struct {
				Name string `json:"index_name"`
			} `json:"indices"`
		} `json:"data_streams"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, &esds.Error{Op: "resolve", Index: name, Err: fmt.Errorf("the answer cannot be read: %w", err)}
	}
	var names []string
	for _, stream := range answer.Streams {
		for _, index := range stream.Indices {
			names = append(names, index.Name)
		}
	}
	return names, nil
}

func (s *Source) resolvePattern(ctx context.Context, t esds.Target) (esds.Target, error) {
	t.Kind = esds.Pattern
	found, err := s.aliases(ctx, "/"+t.Name+"/_alias", t.Name)
	if errors.Is(err, esds.ErrIndexNotFound) {
		return t, nil
	}
	t.Indices = slices.Sorted(maps.Keys(found))
	return t, err
}

func (s *Source) aliases(ctx context.Context, path, name string) (aliased, error) {
	body, err := s.client.read(ctx, request{op: "resolve", index: name, method: http.MethodGet, path: path})
	if err != nil {
		return nil, err
	}
	var found aliased
	if err := json.Unmarshal(body, &found); err != nil {
		return nil, &esds.Error{Op: "resolve", Index: name, Err: fmt.Errorf("the answer cannot be read: %w", err)}
	}
	return found, nil
}

func (s *Source) isAlias(found aliased, name string) bool {
	for _, index := range found {
		if _, ok := index.Aliases[name]; ok {
			return true
		}
	}
	return false
}

// writeIndex returns the index that writes to an alias go to: the only one,
// unless it refuses, or the one that is marked.
func writeIndex(found aliased, alias string) string {
	marked, open := "", []string{}
	for name, index := range found {
		switch w := index.Aliases[alias].IsWrite; {
		case w == nil:
			open = append(open, name)
		case *w:
			marked = name
		}
	}
	if marked == "" && len(open) == 1 && len(found) == 1 {
		return open[0]
	}
	return marked
}

// lastIndex returns the newest index behind a data stream: their names end in a
// generation of fixed width.
func lastIndex(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return names[len(names)-1]
}

// Definition returns what is needed to make an index like the named one; for an
// alias like the one that it writes to, else its last one.
func (s *Source) Definition(ctx context.Context, name string) (esds.Definition, error) {
	body, err := s.readRecovered(ctx, "describe", name, s.client.read)
	if err != nil {
		return esds.Definition{}, err
	}
	var found map[string]struct {
		Mappings json.RawMessage            `json:"mappings"`
		Settings map[string]json.RawMessage `json:"settings"`
		Aliases  json.RawMessage            `json:"aliases"`
	}
	if err := json.Unmarshal(body, &found); err != nil || len(found) == 0 {
		return esds.Definition{}, &esds.Error{Op: "describe", Index: name, Err: errors.New("the answer cannot be read")}
	}
	pick := lastIndex(slices.Sorted(maps.Keys(found)))
	if len(found) > 1 {
		if t, err := s.Resolve(ctx, name); err == nil && t.Write != "" {
			pick = t.Write
		}
	}
	d := esds.Definition{Mappings: unlessEmpty(untyped(found[pick].Mappings)), Aliases: unlessEmpty(found[pick].Aliases)}
	d.Identity = uuidOf(found[pick].Settings["index"])
	if d.Settings, err = ownSettings(found[pick].Settings["index"]); err != nil {
		return esds.Definition{}, &esds.Error{Op: "describe", Index: name, Err: err}
	}
	return d, nil
}

func uuidOf(settings json.RawMessage) string {
	var index struct {
		UUID string `json:"uuid"`
	}
	_ = json.Unmarshal(settings, &index) // "" is allowed
	return index.UUID
}

func unlessEmpty(raw []byte) []byte {
	if text := strings.TrimSpace(string(raw)); text == "{}" || text == "" || text == "null" {
		return nil
	}
	return raw
}

// ownSettings returns an index's settings without those that the server sets
// itself and refuses when they are given.
func ownSettings(index json.RawMessage) ([]byte, error) {
	var settings map[string]json.RawMessage
	if len(index) == 0 {
		return nil, nil
	}
	if err := json.Unmarshal(index, &settings); err != nil {
		return nil, err
	}
	for _, name := range []string{"uuid", "creation_date", "creation_date_string", "version", "provided_name", "resize", "history", "hidden", "blocks"} {
		delete(settings, name)
	}
	if settings["routing"] = withoutRecovery(settings["routing"]); settings["routing"] == nil {
		delete(settings, "routing")
	}
	if string(settings["routing_partition_size"]) == `"1"` { // a clone spells the default out
		delete(settings, "routing_partition_size")
	}
	if len(settings) == 0 {
		return nil, nil
	}
	return marshal(map[string]any{"index": settings}), nil
}

// withoutRecovery drops what binds a cloned index to the nodes of its source.
func withoutRecovery(routing json.RawMessage) json.RawMessage {
	var r map[string]map[string]json.RawMessage
	if json.Unmarshal(routing, &r) != nil || r["allocation"]["initial_recovery"] == nil {
		return routing
	}
	delete(r["allocation"], "initial_recovery")
	if len(r["allocation"]) == 0 {
		delete(r, "allocation")
	}
	if len(r) == 0 {
		return nil
	}
	return marshal(r)
}

// Create makes an index.
func (s *Source) Create(ctx context.Context, name string, d esds.Definition) error {
	if d.Hidden {
		var err error
		if d.Settings, err = hide(d.Settings); err != nil {
			return &esds.Error{Op: "create index", Index: name, Err: err}
		}
	}
	body := map[string]any{}
	for part, raw := range map[string][]byte{"mappings": d.Mappings, "settings": d.Settings, "aliases": d.Aliases} {
		if len(raw) > 0 {
			body[part] = json.RawMessage(raw)
		}
	}
	return s.change(ctx, request{op: "create index", index: name, method: http.MethodPut, path: "/" + name, body: marshal(body)})
}

// hide adds the setting that keeps wildcards from finding an index.
func hide(settings []byte) ([]byte, error) {
	all := object{}
	if len(settings) > 0 {
		if err := json.Unmarshal(settings, &all); err != nil {
			return nil, fmt.Errorf("settings: %w", err)
		}
	}
	all["index.hidden"] = true
	return marshal(all), nil
}

// change sends a request that changes indices; the answer must acknowledge it.
func (s *Source) change(ctx context.Context, r request) error {
	r.change = true
	body, err := s.client.send(ctx, r)
	if err != nil {
		return err
	}
	var answer struct {
		Acknowledged *bool `json:"acknowledged"`
		Errors       bool  `json:"errors"`
	}
	if json.Unmarshal(body, &answer) == nil && answer.Acknowledged != nil && !*answer.Acknowledged {
		return &esds.Error{Op: r.op, Index: r.index, Err: errors.New("the cluster did not confirm the change in time")}
	}
	return nil
}

// Configure changes settings of an index.
func (s *Source) Configure(ctx context.Context, name string, settings []byte) error {
	return s.change(ctx, request{op: "configure", index: name, method: http.MethodPut, path: "/" + name + "/_settings", body: settings})
}

// Drop removes an index.
func (s *Source) Drop(ctx context.Context, name string) error {
	if strings.ContainsAny(name, "*,") {
		return &esds.Error{Op: "drop index", Index: name, Err: errors.New("one index must be named")}
	}
	return s.change(ctx, request{op: "drop index", index: name, method: http.MethodDelete, path: "/" + name})
}

// Refresh makes acknowledged writes visible.
func (s *Source) Refresh(ctx context.Context, name string) error {
	body, err := s.client.read(ctx, request{op: "refresh", index: name, method: http.MethodPost, path: "/" + name + "/_refresh"})
	if err != nil {
		return err
	}
	state := struct {
		Shards shardCount `json:"_shards"`
	}{}
	if err := json.Unmarshal(body, &state); err != nil {
		return &esds.Error{Op: "refresh", Index: name, Err: fmt.Errorf("the answer cannot be read: %w", err)}
	}
	if state.Shards.Failed > 0 {
		return &esds.Error{Op: "refresh", Index: name, Err: fmt.Errorf("%d of %d shards failed", state.Shards.Failed, state.Shards.Total)}
	}
	return nil
}

// Count returns the number of visible documents.
func (s *Source) Count(ctx context.Context, name string) (int64, error) {
	body := marshal(map[string]any{"size": 0, "track_total_hits": true})
	text, err := s.client.read(ctx, request{
		op: "count", index: name, method: http.MethodPost, path: "/" + name + "/_search", query: whole(), body: body,
	})
	if err != nil {
		return 0, err
	}
	p, err := parsePage("count", name, text)
	if err != nil {
		return 0, err
	}
	return p.total, nil
}
