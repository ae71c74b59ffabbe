package elastic

import (
	"bytes"
	"context"

	"github.com/eslake/eslake/esds"
)

// What is remembered of the resources that were opened.
const (
	mostKnown  = 64
	knownBytes = 1 << 20 // of one answer; a longer one is read each time
)

// known is a resource as it was when it was read last.
type known struct {
	body  []byte // the answer
	index index  // what it says
}

// definition returns a resource as the cluster has it now, or, where that may be
// presumed, as it had it the last time.
func (s *Source) definition(ctx context.Context, resource string) (index, error) {
	if presumed := esds.PresumedOf(ctx); presumed != nil {
		s.mu.Lock()
		last, ok := s.known[resource]
		s.mu.Unlock()
		if ok {
			presumed.Check(func() bool {
				body, err := s.readDefinition(ctx, "describe", resource)
				return err == nil && bytes.Equal(body, last.body)
			})
			return last.index, nil
		}
	}
	body, err := s.readDefinition(ctx, "describe", resource)
	if err != nil {
		return index{}, err
	}
	found, err := parseDefinition("describe", resource, body)
	if err != nil {
		return index{}, err
	}
	x, err := s.defined(resource, found)
	if err == nil && len(body) <= knownBytes {
		s.remember(resource, known{body: body, index: x})
	}
	return x, err
}

func (s *Source) remember(resource string, k known) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil || len(s.known) == mostKnown {
		s.known = map[string]known{}
	}
	s.known[resource] = k
}
