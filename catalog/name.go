package catalog

import (
	"maps"
	"slices"
	"strings"
)

// Match reports whether a name matches a pattern of SHOW … LIKE as Spark reads
// it: "*" (or "%") stands for any text, "|" between alternatives, case does not
// count. The pattern "" matches every name.
func Match(pattern, name string) bool {
	if pattern == "" {
		return true
	}
	for _, alternative := range strings.Split(pattern, "|") {
		if wildcard(fold(strings.TrimSpace(alternative)), fold(name)) {
			return true
		}
	}
	return false
}

func wildcard(pattern, name string) bool {
	parts := strings.Split(strings.ReplaceAll(pattern, "%", "*"), "*")
	rest, ok := strings.CutPrefix(name, parts[0])
	if !ok || len(parts) == 1 {
		return ok && rest == ""
	}
	last := len(parts) - 1
	for _, part := range parts[1:last] {
		i := strings.Index(rest, part)
		if i < 0 {
			return false
		}
		rest = rest[i+len(part):]
	}
	return strings.HasSuffix(rest, parts[last])
}

// Nearest returns the name that a mistyped one may have meant, or "".
func Nearest(name string, names []string) string {
	slices.Sort(names)
	best, limit := "", max(1, len(name)/3)+1
	for _, candidate := range names {
		if d := distance(fold(name), fold(candidate)); d < limit {
			best, limit = candidate, d
		}
	}
	return best
}

// distance is the number of letters to insert, remove, exchange or swap with
// their neighbour.
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	var before []int
	last := make([]int, len(t)+1)
	for j := range last {
		last[j] = j
	}
	for i := range s {
		row := make([]int, len(t)+1)
		row[0] = i + 1
		for j := range t {
			cost := 1
			if s[i] == t[j] {
				cost = 0
			}
			row[j+1] = min(row[j]+1, last[j+1]+1, last[j]+cost)
			if i > 0 && j > 0 && s[i] == t[j-1] && s[i-1] == t[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(t)]
}

func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}
