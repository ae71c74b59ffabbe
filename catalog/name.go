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

func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}
