package local

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/eslake/eslake/esds"
)

// Resolve says what a name stands for.
func (s *Source) Resolve(ctx context.Context, name string) (esds.Target, error) {
	if err := s.attached(ctx); err != nil {
		return esds.Target{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.resolve(name), nil
}

// resolve needs the mutex.
func (s *Source) resolve(name string) esds.Target {
	t := esds.Target{Name: name, Kind: esds.Absent}
	if strings.ContainsAny(name, ",*") || name == "_all" || name == "" {
		t.Kind = esds.Pattern
		t.Indices, _ = s.match(name)
		return t
	}
	if s.indices[name] != nil {
		return esds.Target{Name: name, Kind: esds.Concrete, Indices: []string{name}, Write: name}
	}
	t.Indices = s.members(name)
	if len(t.Indices) == 0 {
		return t
	}
	t.Kind = esds.Alias
	t.Write = s.writeIndex(name, t.Indices)
	return t
}

// members returns the indices behind an alias.
func (s *Source) members(alias string) []string {
	var found []string
	for name, x := range s.indices {
		if _, ok := x.aliases[alias]; ok {
			found = append(found, name)
		}
	}
	slices.Sort(found)
	return found
}

// writeIndex is the member that is marked so, or the only one unless it is
// marked not to be.
func (s *Source) writeIndex(alias string, members []string) string {
	for _, name := range members {
		if w := s.indices[name].aliases[alias].Write; w != nil && *w {
			return name
		}
	}
	if len(members) == 1 && s.indices[members[0]].aliases[alias].Write == nil {
		return members[0]
	}
	return ""
}

// match returns the concrete indices of a comma list of names, aliases and
// wildcards, -name leaving out again. Missing is the first plain name that
// stands for nothing.
func (s *Source) match(list string) (names []string, missing string) {
	found := map[string]bool{}
	for i, part := range strings.Split(list, ",") {
		part = strings.TrimSpace(part)
		if part == "_all" || part == "" && list == "" {
			part = "*"
		}
		if rest, not := strings.CutPrefix(part, "-"); not && i > 0 {
			for name := range s.named(rest) {
				delete(found, name)
			}
			continue
		}
		matches := s.named(part)
		if len(matches) == 0 && !strings.Contains(part, "*") && missing == "" {
			missing = part
		}
		for name := range matches {
			found[name] = true
		}
	}
	for name := range found {
		names = append(names, name)
	}
	slices.Sort(names)
	return names, missing
}

func (s *Source) named(pattern string) map[string]bool {
	found := map[string]bool{}
	for name, x := range s.indices {
		if wildcard(pattern, name) {
			found[name] = true
		}
		for alias := range x.aliases {
			if wildcard(pattern, alias) {
				found[name] = true
			}
		}
	}
	return found
}

// wildcard matches a name with a pattern in which * stands for any text.
func wildcard(pattern, name string) bool {
	head, rest, any := strings.Cut(pattern, "*")
	if !any {
		return pattern == name
	}
	name, ok := strings.CutPrefix(name, head)
	if !ok {
		return false
	}
	for i := 0; i <= len(name); i++ {
		if wildcard(rest, name[i:]) {
			return true
		}
	}
	return false
}

// writable returns the index that a write to a name goes to, nil when the name
// stands for nothing. It needs the mutex.
func (s *Source) writable(op, name string) (*stored, error) {
	switch t := s.resolve(name); t.Kind {
	case esds.Absent:
		return nil, nil
	case esds.Concrete:
		return s.indices[name], nil
	case esds.Alias:
		if t.Write != "" {
			return s.indices[t.Write], nil
		}
		return nil, &esds.Error{
			Op: op, Index: name, Status: http.StatusBadRequest,
			Err:  fmt.Errorf("the alias stands for %d indices and none is its write index", len(t.Indices)),
			Hint: "write to one of " + strings.Join(t.Indices, ", "),
		}
	default:
		return nil, &esds.Error{Op: op, Index: name, Status: http.StatusBadRequest, Err: errors.New("a wildcard or a list of indices cannot be written")}
	}
}

func notFound(op, name string) error {
	return &esds.Error{Op: op, Index: name, Status: http.StatusNotFound, Err: esds.ErrIndexNotFound}
}

// checkName holds the name of a new index or alias to Elasticsearch's rules.
func checkName(op, name string) error {
	reason := ""
	switch {
	case name == "":
		reason = "the name of an index must not be empty"
	case name != strings.ToLower(name):
		reason = "the name of an index must be in lower case"
	case strings.ContainsAny(name, "\"*\\<|>?#:/, \t\r\n"):
		reason = `the name of an index must not hold a blank or any of " * \ < | > ? # : / ,`
	case strings.ContainsAny(name[:1], "_+-"):
		reason = "the name of an index must not begin with _, + or -"
	case name == "." || name == "..":
		reason = "the name of an index must not be . or .."
	case len(name) > 255:
		reason = fmt.Sprintf("the name of an index has 255 bytes at most, this one %d", len(name))
	}
	if reason == "" {
		return nil
	}
	return &esds.Error{Op: op, Index: name, Status: http.StatusBadRequest, Err: errors.New(reason)}
}
