package exec

import "hash/maphash"

// idSet is a set of ids, kept as hashes of 128 bits. The zero value is empty.
type idSet struct {
	seen  map[[2]uint64]struct{}
	seeds [2]maphash.Seed
}

// add reports whether an id is in the set, and puts it there.
func (s *idSet) add(id []byte) bool {
	if s.seen == nil {
		s.seen, s.seeds = map[[2]uint64]struct{}{}, [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}
	}
	key := s.key(id)
	_, there := s.seen[key]
	s.seen[key] = struct{}{}
	return there
}

// has reports whether an id is in the set.
func (s *idSet) has(id []byte) bool {
	if s.seen == nil {
		return false
	}
	_, there := s.seen[s.key(id)]
	return there
}

func (s *idSet) key(id []byte) [2]uint64 {
	return [2]uint64{maphash.Bytes(s.seeds[0], id), maphash.Bytes(s.seeds[1], id)}
}
