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
	"strings"
	"time"

	"github.com/eslake/eslake/esds"
)

// swap exchanges the indices behind the name in one request: readers see all the
// old documents or all the new ones. The staged index keeps its name and is the
// one behind the alias; the indices that were there are removed.
func (s *Source) swap(ctx context.Context, r esds.Replacement) error {
	name := r.Target.Name
	now, err := s.Resolve(ctx, name)
	switch {
	case err != nil:
		return err
	case swapped(now, r.Staging): // by a run before
		return s.tidySwap(ctx, r)
	case now.Kind != esds.Absent && !slices.Equal(now.Indices, r.Target.Indices):
		return changed(name, fmt.Sprintf("%s now stands for %s", name, strings.Join(now.Indices, ", ")))
	}
	actions, err := s.swapActions(ctx, r, now)
	if err != nil {
		return err
	}
	err = s.change(ctx, request{
		op: "replace", index: name, method: http.MethodPost, path: "/_aliases", body: marshal(object{"actions": actions}),
	})
	if err != nil {
		now, unknown := s.Resolve(context.WithoutCancel(ctx), name)
		if unknown != nil || !swapped(now, r.Staging) { // else only the answer was lost
			return err
		}
	}
	reached(r, esds.InPlace)
	return s.tidySwap(ctx, r)
}

// swapActions moves the aliases to the staged index. The old indices of an alias
// stay, without a name, for those who read them; an index whose name becomes an
// alias cannot.
func (s *Source) swapActions(ctx context.Context, r esds.Replacement, now esds.Target) ([]any, error) {
	alias, others, err := s.aliasesOf(ctx, now)
	if err == nil && now.Kind == esds.Absent && len(r.Aliases) > 0 {
		err = json.Unmarshal(r.Aliases, &others)
	}
	if err != nil {
		return nil, err
	}
	actions := []any{object{"add": with(alias, "index", r.Staging, "alias", r.Target.Name)}}
	for other, properties := range others {
		actions = append(actions, object{"add": with(properties, "index", r.Staging, "alias", other)})
	}
	for _, index := range now.Indices {
		if now.Kind != esds.Alias || r.Grace <= 0 {
			actions = append(actions, object{"remove_index": object{"index": index}})
			continue
		}
		names, err := s.definitionAliases(ctx, index)
		if err != nil {
			return nil, err
		}
		for _, name := range slices.Sorted(maps.Keys(names)) {
			actions = append(actions, object{"remove": object{"index": index, "alias": name}})
		}
	}
	return actions, nil
}

// tidySwap opens the staged index to all, and removes the old ones once nobody
// reads them any more, or the grace is over.
func (s *Source) tidySwap(ctx context.Context, r esds.Replacement) error {
	if err := s.show(ctx, r.Staging); err != nil {
		return err
	}
	if r.Target.Kind != esds.Alias {
		return nil
	}
	for waited := time.Duration(0); waited < r.Grace && s.beingRead(ctx, r.Target.Indices); waited += time.Second {
		if err := s.config.wait(ctx, time.Second); err != nil {
			break
		}
	}
	for _, index := range r.Target.Indices {
		names, err := s.definitionAliases(ctx, index)
		if err == nil && len(names) == 0 { // else somebody has use for it
			err = s.Drop(ctx, index)
		}
		if err != nil && !errors.Is(err, esds.ErrIndexNotFound) {
			return &esds.Error{
				Op: "replace", Index: r.Target.Name, Err: fmt.Errorf("%w, the new ones are in place, but the old index %s was left behind: %w", esds.ErrOldGone, index, err),
				Hint: "delete " + index,
			}
		}
	}
	return nil
}

// beingRead reports whether a scroll or a point in time is open on one of some
// indices. Who may not ask does not wait.
func (s *Source) beingRead(ctx context.Context, indices []string) bool {
	for _, index := range indices {
		body, err := s.client.read(ctx, request{
			op: "replace", index: index, method: http.MethodGet, path: "/" + index + "/_stats/search", query: url.Values{"filter_path": {"_all.total.search.open_contexts"}},
		})
		var answer struct {
			All struct {
				Total struct {
					Search struct {
						Open int64 `json:"open_contexts"`
					} `json:"search"`
				} `json:"total"`
			} `json:"_all"`
		}
		if err == nil && json.Unmarshal(body, &answer) == nil && answer.All.Total.Search.Open > 0 {
			return true
		}
	}
	return false
}

func reached(r esds.Replacement, step esds.ReplaceStep) {
	if r.Reached != nil {
		r.Reached(step)
	}
}

// swapped reports whether a name stands for a staged index.
func swapped(t esds.Target, staging string) bool {
	return t.Kind == esds.Alias && len(t.Indices) == 1 && t.Indices[0] == staging
}

func changed(index, how string) error {
	return &esds.Error{Op: "replace", Index: index, Err: fmt.Errorf("%w: %s", esds.ErrChanged, how), Hint: "run the statement again"}
}

// show lets wildcards find an index that was staged.
func (s *Source) show(ctx context.Context, index string) error {
	body := marshal(object{"index.hidden": false})
	err := s.change(context.WithoutCancel(ctx), request{op: "replace", index: index, method: http.MethodPut, path: "/" + index + "/_settings", body: body})
	if err != nil {
		return &esds.Error{
			Op: "replace", Index: index, Err: fmt.Errorf("%w, the new ones are in place, but the index is still hidden from wildcards: %w", esds.ErrOldGone, err),
			Hint: "set index.hidden of it to false",
		}
	}
	return nil
}

// aliasesOf returns the properties of the alias that is replaced, and the other
// aliases of its indices with theirs.
func (s *Source) aliasesOf(ctx context.Context, target esds.Target) (alias object, others map[string]object, err error) {
	others = map[string]object{}
	if target.Kind == esds.Absent {
		return nil, others, nil
	}
	body, err := s.client.read(ctx, request{op: "replace", index: target.Name, method: http.MethodGet, path: "/" + target.Name + "/_alias"})
	if err != nil {
		return nil, nil, err
	}
	var found map[string]struct {
		Aliases map[string]object `json:"aliases"`
	}
	if err := json.Unmarshal(body, &found); err != nil {
		return nil, nil, &esds.Error{Op: "replace", Index: target.Name, Err: fmt.Errorf("the answer cannot be read: %w", err)}
	}
	for _, index := range target.Indices {
		all, err := s.definitionAliases(ctx, index)
		if err != nil {
			return nil, nil, err
		}
		for name, properties := range all {
			if name == target.Name {
				alias = properties
				continue
			}
			others[name] = properties
		}
	}
	delete(alias, "is_write_index") // the one index behind it is the one to write
	return alias, others, nil
}

func (s *Source) definitionAliases(ctx context.Context, index string) (map[string]object, error) {
	d, err := s.Definition(ctx, index)
	if err != nil || len(d.Aliases) == 0 {
		return nil, err
	}
	var all map[string]object
	if err := json.Unmarshal(d.Aliases, &all); err != nil {
		return nil, &esds.Error{Op: "replace", Index: index, Err: fmt.Errorf("the answer cannot be read: %w", err)}
	}
	return all, nil
}

// with returns a copy of an object with members added.
func with(o object, pairs ...any) object {
	copied := object{}
	for k, v := range o {
		copied[k] = v
	}
	for i := 0; i < len(pairs); i += 2 {
		copied[pairs[i].(string)] = pairs[i+1]
	}
	return copied
}
