package lex_test

import (
	"testing"

	"github.com/eslake/eslake/sql/lex"
)

func TestNearest(t *testing.T) {
	tests := []struct{ name, word, want string }{
		{"one letter missing", "peple", "people"},
		{"two letters swapped", "es.nodse", "es.nodes"},
		{"other case", "PEOPLE", "people"},
		{"nothing near", "usr_id", ""},
		{"a short word allows one slip", "idd", "id"},
	}
	candidates := []string{"people", "orders", "id", "es.nodes", "es.port", "city"}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := lex.Nearest(tt.word, candidates); got != tt.want {
				t.Errorf("Nearest(%q) = %q, want %q", tt.word, got, tt.want)
			}
		})
	}
}
