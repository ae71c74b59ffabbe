package exec

import "testing"

func TestMaxRejects(t *testing.T) {
	for _, tt := range []struct {
		text           string
		rejected, rows int64
		want           bool
	}{
		{"0", 1, 1, true},
		{"0", 0, 9, false},
		{"1000", 1000, 1000, false},
		{"1000", 1001, 5000, true},
		{"5%", 50, 60, false}, // too early to tell
		{"5%", 51, 60, true},
		{"5%", 500, 10000, false},
		{"5%", 501, 10000, true},
		{"0.1%", 1, 1000, false},
		{"100%", 1000, 1000, false},
		{"0%", 1, 10, true},
	} {
		m, err := ParseMaxRejects(tt.text)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.exceeded(tt.rejected, tt.rows); got != tt.want {
			t.Errorf("%s: %d of %d rows: exceeded = %v", tt.text, tt.rejected, tt.rows, got)
		}
	}
	for _, text := range []string{"", "-1", "x", "101%", "-1%", "1.5", "NaN%"} {
		if _, err := ParseMaxRejects(text); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}
