package row_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/eslake/eslake/sql/row"
)

func TestEnded(t *testing.T) {
	tests := []struct {
		name string
		err  error
		want bool
	}{
		{"the end", io.EOF, true},
		{"no error", nil, false},
		{"a connection that broke off", fmt.Errorf("read: %w", io.EOF), false},
		{"cut short", io.ErrUnexpectedEOF, false},
		{"another error", errors.New("x"), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := row.Ended(tt.err); got != tt.want {
				t.Errorf("Ended(%v) = %v, want %v", tt.err, got, tt.want)
			}
		})
	}
}
