package row

import (
	"math/rand/v2"
	"testing"
	"time"
)

// TestFixedTimes compares the quick ways of reading times with those of the
// standard library.
func TestFixedTimes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		at := time.UnixMicro(r.Int64N(1<<55) - 1<<54).UTC()
		for _, layout := range []string{"2006-01-02T15:04:05Z", "2006-01-02 15:04:05", "2006-01-02T15:04:05.000000Z", "2006-01-02T15:04:05.999-07:00", "2006-01-02 15:04:05.999999999 Z"} {
			text := at.Format(layout)
			want, err := time.Parse(layout, text)
			if err != nil {
				t.Fatal(err)
			}
			got, ok := CastTimestamp([]byte(text), nil)
			if !ok || got != want.UnixMicro() {
				t.Fatalf("%s was read as %s, %v", text, time.UnixMicro(got).UTC(), ok)
			}
			if days, ok := parseFixedDate([]byte(text[:fixedDate])); !ok || days != (want.Unix()-(want.Unix()%86400+86400)%86400)/86400 {
				t.Fatalf("the date of %s was read as %d, %v", text, days, ok)
			}
		}
	}
	for _, text := range []string{
		"", "2024-01-02T03:04", "2024-01-02T03:04:0", "2024-01-02T24:00:00", "2024-01-02T03:60:00", "2024-01-02T03:04:60", "2024-13-02T03:04:05", "2024-02-30T03:04:05",
		"2024/01/02T03:04:05", "2024-01-02x03:04:05", "2024-01-02T03.04:05", "2024-01-02T03:04.05", "2024-01-02T0a:04:05", "2O24-01-02T03:04:05",
	} {
		if micros, _, ok := parseFixedTimestamp([]byte(text)); ok {
			t.Errorf("%q was read as %d", text, micros)
		}
	}
	for _, text := range []string{"2024-01-02T03:04:05ZZ", "2024-01-02T03:04:05.5x", "2024-01-02T03:04:05 "} {
		if _, ok := CastTimestamp([]byte(text), nil); ok != (text[len(text)-1] == ' ') {
			t.Errorf("%q was read: %v", text, ok)
		}
	}
}
