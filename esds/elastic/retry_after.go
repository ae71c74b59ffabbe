package elastic

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/eslake/eslake/esds"
)

// retryAfter returns how long a server asks to be left alone, in a number of
// seconds or until a date; 0 when it does not say.
func retryAfter(header http.Header, now time.Time) time.Duration {
	text := strings.TrimSpace(header.Get("Retry-After"))
	if n, err := strconv.ParseInt(text, 10, 32); err == nil {
		return max(0, time.Duration(n)*time.Second)
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

// pause returns the wait before try n (from 1) after an error, nil for none: as
// long as the server asked for, and not less than grows with the tries.
func (c Config) pause(base time.Duration, n int, cause error, most time.Duration) time.Duration {
	d := c.backoff(base, n)
	var e *esds.Error
	if errors.As(cause, &e) && e.After > d {
		return min(e.After, max(most, d))
	}
	return d
}
