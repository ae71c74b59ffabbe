package elastic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/eslake/eslake/esds"
)

// Replace puts a staged index in the place of a target.
func (s *Source) Replace(ctx context.Context, r esds.Replacement) error {
	target := r.Target
	switch {
	case target.Kind == esds.DataStream || target.Kind == esds.Pattern:
		return &esds.Error{Op: "replace", Index: target.Name, Err: fmt.Errorf("a %s cannot be replaced", target.Kind)}
	case r.Mode == esds.Swap:
		return s.swap(ctx, r)
	case r.Mode == esds.Recreate && target.Kind == esds.Alias:
		return &esds.Error{Op: "replace", Index: target.Name, Err: errors.New("an alias is replaced by swap")}
	case r.Mode == esds.Recreate:
		return s.recreate(ctx, r)
	}
	return &esds.Error{Op: "replace", Index: target.Name, Err: fmt.Errorf("%q is no way to replace an index", r.Mode)}
}

// recreate puts the staged documents into an index of the target's own name, by
// a clone, which copies no document: its files are linked. Between the delete
// and the clone the name is absent; the staged index is complete until the new
// one is ready.
func (s *Source) recreate(ctx context.Context, r esds.Replacement) error {
	name := r.Target.Name
	now, err := s.seen(ctx, name)
	if err != nil {
		return err
	}
	staged, err := s.Resolve(ctx, r.Staging)
	if err != nil {
		return err
	}
	// A clone is hidden until it is complete.
	cloned := now != nil && now.hidden && (r.Target.Kind == esds.Absent || r.Identity != "" && r.Identity != now.identity)
	switch {
	case r.Placed && now != nil:
		return s.tidy(ctx, r)
	case staged.Kind == esds.Absent:
		return &esds.Error{Op: "replace", Index: r.Staging, Status: http.StatusNotFound, Err: esds.ErrIndexNotFound}
	case now != nil && !cloned && (r.Target.Kind == esds.Absent || now.name != name || r.Identity != "" && r.Identity != now.identity):
		return changed(name, "another index has the name")
	}
	if now != nil && !cloned {
		if r.Aliases = now.aliases; r.Aliases == nil {
			r.Aliases = []byte("{}")
		}
	}
	if err := s.block(ctx, r.Staging, true); err != nil {
		return err
	}
	if now != nil && !cloned {
		if err := s.dropOld(ctx, r); err != nil {
			return err
		}
	}
	// What follows must come to its end: the old index is gone.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishTime)
	defer cancel()
	if err := s.finish(ctx, r, cloned); err != nil {
		return &esds.Error{
			Op: "replace", Index: name, Err: fmt.Errorf("%w, the new ones are complete in index %s, but not yet under the name: %w", esds.ErrOldGone, r.Staging, err),
			Hint: fmt.Sprintf("read %s, or run the statement again", r.Staging),
		}
	}
	reached(r, esds.InPlace)
	return s.tidy(ctx, r)
}

// dropOld removes the old index. With an error it is there still, and the staging
// index can be written again.
func (s *Source) dropOld(ctx context.Context, r esds.Replacement) error {
	if err := s.Drop(ctx, r.Target.Name); err != nil && !s.gone(ctx, r.Target.Name) {
		_ = s.block(context.WithoutCancel(ctx), r.Staging, false)
		return err
	}
	reached(r, esds.OldRemoved)
	return nil
}

// tidy opens the clone to all and removes the staging index.
func (s *Source) tidy(ctx context.Context, r esds.Replacement) error {
	if err := s.show(ctx, r.Target.Name); err != nil {
		return err
	}
	if err := s.Drop(ctx, r.Staging); err != nil && !errors.Is(err, esds.ErrIndexNotFound) {
		return &esds.Error{
			Op: "replace", Index: r.Target.Name, Err: fmt.Errorf("%w, the new ones are in place, but the staging index %s was left behind: %w", esds.ErrOldGone, r.Staging, err),
			Hint: "delete " + r.Staging,
		}
	}
	return nil
}

// finishTime is how long an exchange tries to come to its end once the old index is
// gone.
const finishTime = 10 * time.Minute

// finish clones the staged index, unless a run before did, and proves that the
// clone is complete.
func (s *Source) finish(ctx context.Context, r esds.Replacement, cloned bool) error {
	name := r.Target.Name
	if !cloned {
		if err := s.clone(ctx, r.Staging, name, r.Aliases); err != nil {
			now, unknown := s.seen(ctx, name)
			if unknown != nil || now == nil || !now.hidden { // else only the answer was lost
				return err
			}
		}
	}
	if err := s.ready(ctx, []string{name}, finishTime); err != nil {
		return err
	}
	if want, err := s.Count(ctx, r.Staging); err != nil {
		return err
	} else if got, err := s.Count(ctx, name); err != nil || got < want {
		return errors.Join(err, fmt.Errorf("the clone has %d of %d documents", got, want))
	}
	return nil
}

// existing is an index as it is now.
type existing struct {
	name     string
	identity string
	hidden   bool
	aliases  []byte
}

// seen looks at the index that has a name, nil when there is none.
func (s *Source) seen(ctx context.Context, name string) (*existing, error) {
	body, err := s.client.read(ctx, request{op: "replace", index: name, method: http.MethodGet, path: "/" + name})
	if errors.Is(err, esds.ErrIndexNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var found map[string]struct {
		Aliases  json.RawMessage `json:"aliases"`
		Settings struct {
			Index struct {
				UUID   string `json:"uuid"`
				Hidden string `json:"hidden"`
			} `json:"index"`
		} `json:"settings"`
	}
	if err := json.Unmarshal(body, &found); err != nil {
		return nil, &esds.Error{Op: "replace", Index: name, Err: fmt.Errorf("the answer cannot be read: %w", err)}
	}
	for index, x := range found {
		return &existing{index, x.Settings.Index.UUID, x.Settings.Index.Hidden == "true", unlessEmpty(x.Aliases)}, nil
	}
	return nil, nil
}

// gone reports whether an index was removed although the request failed.
func (s *Source) gone(ctx context.Context, name string) bool {
	t, err := s.Resolve(context.WithoutCancel(ctx), name)
	return err == nil && t.Kind == esds.Absent
}

func (s *Source) block(ctx context.Context, index string, on bool) error {
	var value any
	if on {
		value = true
	}
	body := marshal(object{"index.blocks.write": value})
	return s.change(ctx, request{op: "replace", index: index, method: http.MethodPut, path: "/" + index + "/_settings", body: body})
}

func (s *Source) clone(ctx context.Context, from, to string, aliases []byte) error {
	d, err := s.Definition(ctx, from)
	if err != nil {
		return err
	}
	body := object{"settings": copiesOf(d)}
	if len(aliases) > 0 {
		body["aliases"] = json.RawMessage(aliases)
	}
	r := request{op: "clone " + from + " to", index: to, method: http.MethodPut, path: "/" + from + "/_clone/" + to, body: marshal(body)}
	r.query = url.Values{"wait_for_active_shards": {"1"}, "timeout": {"60s"}}
	err = s.change(ctx, r)
	if errors.Is(err, esds.ErrIndexExists) {
		return &esds.Error{Op: r.op, Index: to, Err: fmt.Errorf("%w: another writer made it anew", esds.ErrIndexExists)}
	}
	return err
}

// copiesOf returns the settings of a clone that differ from its source, and
// those that a clone does not take over.
func copiesOf(d esds.Definition) object {
	var own struct {
		Index map[string]json.RawMessage `json:"index"`
	}
	settings := object{"index.blocks.write": nil, "index.hidden": true}
	if json.Unmarshal(d.Settings, &own) == nil {
		for _, name := range []string{"number_of_replicas", "auto_expand_replicas"} {
			if v := own.Index[name]; v != nil {
				settings["index."+name] = v
			}
		}
	}
	return settings
}
