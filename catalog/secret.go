package catalog

import (
	"crypto/rand"
	"regexp"
	"strings"
)

// Hidden stands where a secret is not shown.
const Hidden = "***"

var secretWords = []string{"pass", "secret", "token", "apikey", "api_key", "api.key", "api-key", "authorization", "credential", "cookie"}

// IsSecret reports whether an option of that name holds a secret.
func IsSecret(key string) bool {
	key = fold(key)
	for _, word := range secretWords {
		if strings.Contains(key, word) && !strings.Contains(key, "tokeniz") {
			return true
		}
	}
	return false
}

// Redact returns the value of an option as it may be shown: Hidden for a secret,
// and for the user and password in a URL. A value that only refers to a secret,
// like ${env:PASS}, is shown as it is.
func Redact(key, value string) string {
	if value == "" || reference.MatchString(value) {
		return value
	}
	if IsSecret(key) {
		return Hidden
	}
	if strings.Contains(value, "://") {
		return redactURLs(value)
	}
	return redactHost(fold(key), value)
}

var reference = regexp.MustCompile(`^\$\{(env|file|keyring):[^}]*\}$`)

var urlStart = regexp.MustCompile(`[a-zA-Z][a-zA-Z0-9+.-]*://`)

// redactURLs hides the user and password of every URL in a list. They end at the
// last @ before the next URL, so that a password may hold any character.
func redactURLs(value string) string {
	starts := urlStart.FindAllStringIndex(value, -1)
	var out strings.Builder
	last := 0
	for i, s := range starts {
		out.WriteString(value[last:s[1]])
		end := len(value)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		rest := value[s[1]:end]
		if at := strings.LastIndexByte(rest, '@'); at >= 0 {
			rest = Hidden + rest[at:]
		}
		out.WriteString(rest)
		last = end
	}
	out.WriteString(value[last:])
	return out.String()
}

// redactHost hides user:password before the @ of an address without a scheme.
func redactHost(key, value string) string {
	at := strings.LastIndexByte(value, '@')
	if at < 0 || !strings.Contains(value[:at], ":") {
		return value
	}
	for _, word := range []string{"node", "host", "url", "uri", "server", "address"} {
		if strings.Contains(key, word) {
			return Hidden + value[at:]
		}
	}
	return value
}

func redactAll(values map[string]string) {
	for key, value := range values {
		values[key] = Redact(key, value)
	}
}

// credentials are secrets under references that say nothing about them.
type credentials map[string]string

func (c credentials) add(value string) string {
	ref := strings.ToLower(rand.Text())
	c[ref] = value
	return ref
}
