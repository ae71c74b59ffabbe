package esds

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Options are the settings of a table, checked and under their full names:
// lower case with the prefix "es." or "eslake.", or as Spark spells them for a
// provider of files. ParseOptions and ParseFileOptions make them; a key that is
// absent has the default of the catalogue, which the methods return.
type Options map[string]string

// Side is what of a table an option or a name is about.
type Side uint8

// The sides of a table.
const (
	BothSides Side = iota
	ReadSide
	WriteSide
)

// String returns "read", "write" or "both".
func (s Side) String() string { return [...]string{"both", "read", "write"}[s] }

// Has reports whether the option is set: to whatever, even to its default.
func (o Options) Has(key string) bool {
	_, ok := o[key]
	return ok
}

// String returns the value as text.
func (o Options) String(key string) string {
	opt := mustOption(key)
	if v, ok := o[key]; ok {
		return v
	}
	return opt.Default
}

// Bool returns the value of an option of type Bool, or of one whose values are
// auto, true and false, where auto is false.
func (o Options) Bool(key string) bool {
	v := o.String(key)
	if v == "" || v == "auto" {
		return false
	}
	return must(key, v, parseBool)
}

// Int returns the value of an option of type Int, zero when it has no default.
func (o Options) Int(key string) int {
	v := o.String(key)
	if v == "" {
		return 0
	}
	return int(must(key, v, parseInt))
}

// Duration returns the value of an option of type Duration, zero when it has no
// default.
func (o Options) Duration(key string) time.Duration {
	v := o.String(key)
	if v == "" {
		return 0
	}
	return must(key, v, parseDuration)
}

// Size returns the value of an option of type Size in bytes.
func (o Options) Size(key string) int64 {
	v := o.String(key)
	if v == "" {
		return 0
	}
	return must(key, v, parseSize)
}

// List returns the parts of a comma list without the blanks around them.
func (o Options) List(key string) []string { return splitList(o.String(key)) }

// Under returns the options whose keys begin with prefix, under the rest of
// their keys: Under("es.net.http.header.") holds headers by name.
func (o Options) Under(prefix string) map[string]string {
	found := map[string]string{}
	for k, v := range o {
		if rest, ok := strings.CutPrefix(k, prefix); ok && rest != "" {
			found[rest] = v
		}
	}
	return found
}

// With returns o with every option of over put on top: a table's options over
// those of the session.
func (o Options) With(over Options) Options {
	all := make(Options, len(o)+len(over))
	maps.Copy(all, o)
	maps.Copy(all, over)
	return all
}

// Keys returns the keys that are set, in order.
func (o Options) Keys() []string { return slices.Sorted(maps.Keys(o)) }

// Hidden stands for a secret wherever options are shown.
const Hidden = "***"

// Secret reports whether the value of a key must never be shown or stored in
// clear. The key may be in any spelling, and unknown.
func Secret(key string) bool {
	name, opt, err := lookup(key)
	if err != nil {
		return secretName(key)
	}
	return opt.Secret || strings.HasPrefix(name, headerPrefix) && secretName(name)
}

func secretName(name string) bool {
	name = strings.ToLower(name)
	for _, word := range []string{"pass", "secret", "token", "apikey", "api_key", "api-key", "authorization", "credential", "cookie"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// Redacted returns the options with every secret replaced by Hidden. A value
// that only says where the secret is, ${env:X} or ${file:P}, stays.
func (o Options) Redacted() Options {
	shown := make(Options, len(o))
	for k, v := range o {
		if Secret(k) && !onlyReferences(v) {
			v = Hidden
		}
		shown[k] = redactUserinfo(v)
	}
	return shown
}

// redactUserinfo hides the user and password of addresses in a value.
func redactUserinfo(v string) string {
	if !strings.Contains(v, "@") || !strings.Contains(v, ":") {
		return v
	}
	parts := strings.Split(v, ",")
	for i, part := range parts {
		if scheme, userinfo, host := cutUserinfo(part); strings.Contains(userinfo, ":") && !onlyReferences(userinfo) {
			parts[i] = scheme + Hidden + "@" + host
		}
	}
	return strings.Join(parts, ",")
}

// OptionError is an option that is unknown, has a bad value, or is not for
// eslake.
type OptionError struct {
	Key    string // as the user wrote it
	Value  string // Hidden when it is a secret, "" when it does not matter
	Reason string
	Hint   string // what to do, "" for none
}

// Error names the option and the reason.
func (e *OptionError) Error() string {
	if e.Value == "" {
		return fmt.Sprintf("option %s: %s", e.Key, e.Reason)
	}
	return fmt.Sprintf("option %s: %s, got %q", e.Key, e.Reason, e.Value)
}

// mustOption returns the catalogue's entry. A key that is not there is a bug.
func mustOption(key string) Option {
	opt, ok := find(key)
	if !ok {
		panic("esds: no option is named " + key)
	}
	return opt
}

// must reads a value that ParseOptions has checked already.
func must[T any](key, v string, parse func(string) (T, error)) T {
	got, err := parse(v)
	if err != nil {
		panic(fmt.Sprintf("esds: option %s was not checked or expanded: %v", key, err))
	}
	return got
}
