package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eslake/eslake/cli/config"
	"github.com/spf13/pflag"
)

const someProfiles = `version: 1
default_profile: dev
profiles:
  dev:
    url: http://localhost:9200
  prod:
    url: https://es1:9200
    user: ana
    password_file: prod.pass
    ca_cert: /etc/ca.pem
    protected: true
    max_affected: 500
    set:
      es.batch.size.entries: "5000"
  lake:
`

func profilesFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// applied parses a command line, takes the environment, and applies the profile.
func applied(t *testing.T, args, vars []string) (*config.Profile, *pflag.FlagSet, error) {
	t.Helper()
	var (
		profiles config.Profiles
		cluster  config.Cluster
		safety   config.Safety
		places   config.Places
	)
	flags := pflag.NewFlagSet("t", pflag.ContinueOnError)
	profiles.AddFlags(flags)
	cluster.AddFlags(flags)
	safety.AddFlags(flags)
	places.AddFlags(flags)
	if err := flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	if err := config.ApplyEnvironment(flags, env(vars...)); err != nil {
		t.Fatal(err)
	}
	p, _, err := profiles.Chosen()
	if err == nil && p != nil {
		err = p.Apply(flags)
	}
	return p, flags, err
}

func TestProfileUnderFlagsAndEnvironment(t *testing.T) {
	path := profilesFile(t, someProfiles)
	tests := []struct {
		name, args, env string
		want            map[string]string
	}{
		{"the default", "", "", map[string]string{"url": "http://localhost:9200", "user": "", "max-affected": "0"}},
		{"one that is named", "-P prod", "", map[string]string{
			"url": "https://es1:9200", "user": "ana", "ca-cert": "/etc/ca.pem", "max-affected": "500", "password-file": filepath.Join(filepath.Dir(path), "prod.pass"),
		}},
		{"by the environment", "", "ESLAKE_PROFILE=prod", map[string]string{"url": "https://es1:9200"}},
		{"a flag wins", "-P prod --max-affected 7", "", map[string]string{"max-affected": "7", "user": "ana"}},
		{"a variable wins", "-P prod", "ESLAKE_MAX_AFFECTED=8", map[string]string{"max-affected": "8"}},
		{"another cluster gets no password", "-P prod --url https://other:9200", "", map[string]string{
			"url": "https://other:9200", "user": "", "password-file": "", "ca-cert": "", "max-affected": "500",
		}},
		{"another user gets no password", "-P prod --user eve", "", map[string]string{"user": "eve", "password-file": "", "url": "https://es1:9200"}},
		{"an empty one", "-P lake", "", map[string]string{"url": ""}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var vars []string
			if name, value, ok := strings.Cut(tt.env, "="); ok {
				vars = []string{name, value}
			}
			_, flags, err := applied(t, append([]string{"--config", path}, strings.Fields(tt.args)...), vars)
			if err != nil {
				t.Fatal(err)
			}
			for name, want := range tt.want {
				if got := flags.Lookup(name).Value.String(); got != want {
					t.Errorf("%s = %q, want %q", name, got, want)
				}
			}
		})
	}
}

func TestProfileFileMistakes(t *testing.T) {
	tests := []struct{ name, text, args, want string }{
		{"unknown key", "version: 1\nprofiles:\n  a:\n    urll: x\n", "", `unknown field "urll"`},
		{"not YAML", "version: [", "", "config.yaml: "},
		{"version", "version: 2\n", "", "version: 1 is the one"},
		{"default", "version: 1\ndefault_profile: x\n", "", "default_profile is x"},
		{"password in the url", "version: 1\nprofiles:\n  a:\n    url: https://u:secret@h\n", "", "password_file or password_env"},
		{"password without user", "version: 1\nprofiles:\n  a:\n    password_env: X\n", "", "a password needs a user"},
		{"two passwords", "version: 1\nprofiles:\n  a:\n    user: u\n    password_env: X\n    password_file: y\n", "", "both set"},
		{"unknown profile", someProfiles, "-P prd", `no profile "prd"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := applied(t, append([]string{"--config", profilesFile(t, tt.text)}, strings.Fields(tt.args)...), nil)
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "secret") {
				t.Errorf("%v, want %s", err, tt.want)
			}
		})
	}
	if _, _, err := applied(t, []string{"--config", "/no/such/file"}, nil); err == nil {
		t.Error("a config file that is named and not there was taken")
	}
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	if p, _, err := applied(t, nil, nil); err != nil || p != nil {
		t.Errorf("no config file: %v, %v", p, err)
	}
}
