package elastic

import (
	"net/http"
	"testing"
	"time"
)

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"": 0, "0": 0, "7": 7 * time.Second, " 120 ": 2 * time.Minute, "-3": 0, "soon": 0, "1.5": 0, "99999999999999999999": 0,
		"Sun, 29 Nov 2026 12:00:30 GMT":  30 * time.Second,
		"Sunday, 29-Nov-26 12:01:00 GMT": time.Minute,
		"Sun, 29 Nov 2026 11:00:00 GMT":  0, // it has passed
	} {
		if got := retryAfter(http.Header{"Retry-After": {text}}, now); got != want {
			t.Errorf("%q is %v, want %v", text, got, want)
		}
	}
}
