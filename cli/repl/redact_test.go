package repl

import (
	"strings"
	"testing"
)

// hide stands for the catalog's rule.
func hide(key, value string) string {
	if strings.HasSuffix(strings.ToLower(key), "pass") && !strings.HasPrefix(value, "${") {
		return "***"
	}
	if before, after, ok := strings.Cut(value, "@"); ok && strings.Contains(before, "://") {
		return before[:strings.Index(before, "://")+3] + "***@" + after
	}
	return value
}

func TestRedact(t *testing.T) {
	tests := []struct{ name, text, redacted, masked string }{
		{"none", "SELECT 'pass'", "SELECT 'pass'", "SELECT 'pass'"},
		{"quoted key", "OPTIONS ('es.pass' 'geheim', 'a' 'b')", "OPTIONS ('es.pass' '***', 'a' 'b')", "OPTIONS ('es.pass' '******', 'a' 'b')"},
		{"with =", `OPTIONS ("es.pass" = "geheim")`, `OPTIONS ("es.pass" = '***')`, `OPTIONS ("es.pass" = "******")`},
		{"dotted key", "OPTIONS (es.net.pass 'geheim')", "OPTIONS (es.net.pass '***')", "OPTIONS (es.net.pass '******')"},
		{"bare key", "OPTIONS (pass 'x''y')", "OPTIONS (pass '***')", "OPTIONS (pass '****')"},
		{"reference", "OPTIONS (pass '${env:P}')", "OPTIONS (pass '${env:P}')", "OPTIONS (pass '${env:P}')"},
		{"url", "OPTIONS (nodes 'https://u:p@h')", "OPTIONS (nodes 'https://***@h')", "OPTIONS (nodes '*************')"},
		{"set", "SET es.net.pass = geheim word; SELECT 1", "SET es.net.pass = '***'; SELECT 1", "SET es.net.pass = g*********d; SELECT 1"},
		{"set quoted", "SET es.pass='geheim'", "SET es.pass='***'", "SET es.pass='******'"},
		{"open string behind a secret's key", "OPTIONS ('es.pass' 'geheim)", "OPTIONS ('es.pass' ********", "OPTIONS ('es.pass' ********"},
		{"open string elsewhere", "SELECT 'abc", "SELECT 'abc", "SELECT 'abc"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Redact(tt.text, hide); got != tt.redacted {
				t.Errorf("redacted %q, want %q", got, tt.redacted)
			}
			got := Mask(tt.text, hide)
			if len(got) != len(tt.text) || tt.name != "set" && got != tt.masked {
				t.Errorf("masked %q, want %q", got, tt.masked)
			}
			if strings.Contains(got, "geheim") {
				t.Errorf("masked %q", got)
			}
		})
	}
}
