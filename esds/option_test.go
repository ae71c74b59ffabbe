package esds

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/cockroachdb/datadriven"
)

// TestOption runs the golden files. The input is one option a line, key and
// value with = between; the commands are parse, file provider=csv, resource,
// redacted and table.
func TestOption(t *testing.T) {
	datadriven.Walk(t, "testdata/option", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "parse":
				return show(ParseOptions(rawOptions(d.Input)))
			case "file":
				provider := ""
				d.ScanArgs(t, "provider", &provider)
				return show(ParseFileOptions(provider, rawOptions(d.Input)))
			case "resource":
				opts, _, err := ParseOptions(rawOptions(d.Input))
				if err != nil {
					return show(nil, nil, err)
				}
				var out strings.Builder
				for _, side := range []Side{ReadSide, WriteSide, BothSides} {
					name, err := opts.Resource(side)
					if err != nil {
						name = strings.TrimSuffix(show(nil, nil, err), "\n")
					}
					fmt.Fprintf(&out, "%s: %s\n", side, name)
				}
				return out.String()
			case "redacted":
				opts, _, err := ParseOptions(rawOptions(d.Input))
				if err != nil {
					return show(nil, nil, err)
				}
				return show(opts.Redacted(), nil, nil)
			case "provider":
				var out strings.Builder
				for name := range strings.FieldsSeq(d.Input) {
					canonical, ok := Provider(name)
					fmt.Fprintf(&out, "%s: %q %v\n", name, canonical, ok)
					if err := ProviderError(name); err != nil {
						out.WriteString(show(nil, nil, err))
					}
				}
				return out.String()
			case "catalogue":
				return table(Catalogue())
			case "filecatalogue":
				provider := ""
				d.ScanArgs(t, "provider", &provider)
				return table(FileCatalogue(provider))
			}
			t.Fatalf("unknown command %s", d.Cmd)
			return ""
		})
	})
}

func rawOptions(input string) map[string]string {
	raw := map[string]string{}
	for line := range strings.Lines(input) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		raw[key] = value
	}
	return raw
}

func show(opts Options, notes []string, err error) string {
	var out strings.Builder
	if err != nil {
		fmt.Fprintf(&out, "error: %v\n", err)
		if e := (*OptionError)(nil); errors.As(err, &e) && e.Hint != "" {
			fmt.Fprintf(&out, "hint: %s\n", e.Hint)
		}
		return out.String()
	}
	for _, key := range opts.Keys() {
		fmt.Fprintf(&out, "%s = %q\n", key, opts[key])
	}
	for _, note := range notes {
		fmt.Fprintf(&out, "note: %s\n", note)
	}
	return out.String()
}

func table(opts []Option) string {
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	for _, o := range opts {
		typ := string(o.Type)
		if o.Type == Enum {
			typ = strings.Join(o.Values, "|")
		}
		if o.Secret {
			typ += " secret"
		}
		status := o.Status.String()
		if len(o.LaterValues) > 0 {
			status += " (later: " + strings.Join(o.LaterValues, ", ") + ")"
		}
		fmt.Fprintf(w, "%s\t%s\t%q\t%s\t%s\t%s\n", o.Key, typ, o.Default, o.Side, status, o.Help)
	}
	w.Flush()
	return out.String()
}

func TestCatalogueIsSound(t *testing.T) {
	seen := map[string]bool{}
	opts := Catalogue()
	for _, o := range fileOptions {
		opts = append(opts, o.Option)
	}
	for _, o := range opts {
		if o.Help == "" || o.Type == "" {
			t.Errorf("%s lacks its help or type", o.Key)
		}
		if (o.Status == Note || o.Status == Refused) && o.Reason == "" {
			t.Errorf("%s lacks the reason", o.Key)
		}
		if o.Default != "" {
			if kept, _, err := o.check(o.Default); err != nil {
				t.Errorf("the default of %s: %v", o.Key, err)
			} else if kept != o.Default {
				t.Errorf("the default of %s is %q, want %q", o.Key, o.Default, kept)
			}
		}
		for _, v := range o.LaterValues {
			if o.Type == Enum && !slices.Contains(o.Values, v) {
				t.Errorf("%s: later value %s is no value", o.Key, v)
			}
		}
		if seen[o.Key] && o.Key != "compression" && o.Key != "ignoreMissingFiles" && o.Key != "ignoreCorruptFiles" {
			t.Errorf("%s is listed twice", o.Key)
		}
		seen[o.Key] = true
	}
	for spelling, key := range aliases {
		if _, ok := find(key); !ok {
			t.Errorf("alias %s leads to %s, which is not there", spelling, key)
		}
	}
	for _, name := range ProviderNames() {
		if _, ok := Provider(name); !ok {
			t.Errorf("provider %s is listed and not known", name)
		}
	}
}

func TestOptionsGetters(t *testing.T) {
	opts := Options{
		"es.batch.size.bytes": "2kb", "es.scroll.keepalive": "90s", "es.scroll.size": "7", "es.net.ssl": "true",
		"es.read.field.include": "a, b.* ,", "es.net.http.header.X-Team": "data",
	}
	for _, tt := range []struct {
		name      string
		got, want any
	}{
		{"size", opts.Size("es.batch.size.bytes"), int64(2048)},
		{"duration", opts.Duration("es.scroll.keepalive"), 90 * time.Second},
		{"int", opts.Int("es.scroll.size"), 7},
		{"bool", opts.Bool("es.net.ssl"), true},
		{"default size", Options{}.Size("es.batch.size.bytes"), int64(5 << 20)},
		{"default duration", Options{}.Duration("es.http.timeout"), time.Minute},
		{"default int", Options{}.Int("es.port"), 9200},
		{"default bool", Options{}.Bool("es.index.auto.create"), true},
		{"auto is false", Options{}.Bool("eslake.gzip"), false},
		{"default text", Options{}.String("eslake.overwrite.mode"), "auto"},
		{"no default", Options{}.String("es.mapping.id"), ""},
		{"set", opts.Has("es.scroll.size"), true},
		{"not set", opts.Has("es.port"), false},
		{"list", fmt.Sprint(opts.List("es.read.field.include")), "[a b.*]"},
		{"empty list", len(Options{}.List("es.read.field.include")), 0},
		{"under", fmt.Sprint(opts.Under("es.net.http.header.")), "map[X-Team:data]"},
		{"with", opts.With(Options{"es.scroll.size": "8"}).Int("es.scroll.size"), 8},
		{"untouched by with", opts.Int("es.scroll.size"), 7},
		{"file option", Options{}.String("sep"), ","},
	} {
		if tt.got != tt.want {
			t.Errorf("%s = %v, want %v", tt.name, tt.got, tt.want)
		}
	}
}

func TestExpand(t *testing.T) {
	env := func(name string) (string, error) {
		values := map[string]string{"PASS": "p}w", "N": "12", "EMPTY": ""}
		v, ok := values[name]
		if !ok {
			return "", fmt.Errorf("environment variable %s is not set", name)
		}
		return v, nil
	}
	file := func(path string) ([]byte, error) {
		if path != "/run/key" {
			return nil, os.ErrNotExist
		}
		return []byte("abc\r\n"), nil
	}
	for _, tt := range []struct{ name, key, value, want, err string }{
		{name: "environment", key: "es.net.http.auth.pass", value: "${env:PASS}", want: "p}w"},
		{name: "file", key: "eslake.net.http.apikey", value: "${file:/run/key}", want: "abc"},
		{name: "inside text", key: "es.net.http.header.Authorization", value: "ApiKey ${file:/run/key}", want: "ApiKey abc"},
		{name: "other braces stay", key: "es.resource", value: "a-${b}", want: "a-${b}"},
		{name: "checked", key: "es.scroll.size", value: "${env:N}", want: "12"},
		{name: "empty is unset", key: "es.mapping.id", value: "${env:EMPTY}", want: ""},
		{name: "not set", key: "es.mapping.id", value: "${env:NO}", err: "option es.mapping.id: environment variable NO is not set"},
		{
			name: "bad value, not shown", key: "es.scroll.size", value: "${env:PASS}",
			err: "option es.scroll.size: ${env:PASS} is not a good value: expects a whole number",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			opts, _, err := ParseOptions(map[string]string{tt.key: tt.value})
			if err != nil {
				t.Fatal(err)
			}
			got, err := opts.Expand(env, file)
			if text := fmt.Sprint(err); err != nil && text != tt.err || err == nil && tt.err != "" {
				t.Fatalf("error = %v, want %q", err, tt.err)
			}
			if got[tt.key] != tt.want {
				t.Errorf("%s = %q, want %q", tt.key, got[tt.key], tt.want)
			}
		})
	}
}

// An address that has a user and no host is none: without it a table would be one of
// the embedded lake.
func TestAddressOfAUserWithoutAHost(t *testing.T) {
	for _, nodes := range []string{"ana:secret@", "https://ana:secret@", ": @", "@", "es1,ana@"} {
		opts, _, err := ParseOptions(map[string]string{"es.nodes": nodes})
		if err == nil || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "no host") {
			t.Errorf("%s gave %v, %v", nodes, opts, err)
		}
	}
	opts, _, err := ParseOptions(map[string]string{"es.nodes": "https://ana:%20@es1:9200"})
	if want := (Options{"es.nodes": "https://es1:9200", "es.net.http.auth.user": "ana"}); err != nil || !maps.Equal(opts, want) {
		t.Errorf("a blank password gave %v, %v", opts, err)
	}
}

func TestEveryKeyIsTakenInEverySpelling(t *testing.T) {
	for _, opt := range Catalogue() {
		if strings.HasSuffix(opt.Key, "*") || strings.HasPrefix(opt.Key, headerPrefix) {
			continue
		}
		spellings := []string{opt.Key, strings.ToUpper(opt.Key), strings.ReplaceAll(opt.Key, ".", "_")}
		if rest, ok := strings.CutPrefix(opt.Key, "es."); ok {
			spellings = append(spellings, rest, "spark."+opt.Key)
		}
		for _, s := range spellings {
			if got, err := OptionKey(s); got != opt.Key {
				t.Errorf("OptionKey(%s) = %s, %v, want %s", s, got, err, opt.Key)
			}
		}
	}
}

// FuzzParseOptions looks for values that break the checks, and for secrets that
// come back in errors.
func FuzzParseOptions(f *testing.F) {
	f.Add("es.nodes", "http://u:p@h:1,b")
	f.Add("nodes", ": @")
	f.Add("nodes", "u:%20@h")
	f.Add("es.batch.size.bytes", "5mb")
	f.Add("es_net_http_header_X_y", "${env:A}${file:")
	f.Add("es.scroll.keepalive", "9223372036854775807w")
	f.Fuzz(func(t *testing.T, key, value string) {
		opts, _, err := ParseOptions(map[string]string{key: value})
		if err != nil {
			return
		}
		again, _, err := ParseOptions(maps.Clone(opts))
		if err != nil {
			t.Fatalf("%q = %q was kept as %v, which is refused: %v", key, value, opts, err)
		}
		if !maps.Equal(opts, again) {
			t.Errorf("%q = %q was kept as %v, then as %v", key, value, opts, again)
		}
		opts.Redacted()
		for _, side := range []Side{ReadSide, WriteSide} {
			_, _ = opts.Resource(side)
		}
	})
}
