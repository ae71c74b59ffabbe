package lex

import "strings"

// Nearest returns the candidate that a mistyped word most likely meant, or ""
// when none is near: at most a third of the word's letters may differ, counting
// a swap of neighbours once. Case does not count.
func Nearest(word string, candidates []string) string {
	best, found := len([]rune(word))/3, ""
	if best == 0 {
		best = 1
	}
	best++
	for _, c := range candidates {
		if d := distance([]rune(strings.ToLower(word)), []rune(strings.ToLower(c))); d < best {
			best, found = d, c
		}
	}
	return found
}

// distance is the optimal string alignment distance.
func distance(a, b []rune) int {
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next := make([]int, len(b)+1)
		next[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			next[j] = min(last[j]+1, next[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, last = last, next
	}
	return last[len(b)]
}
