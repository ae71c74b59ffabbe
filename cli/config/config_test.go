package config_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/eslake/eslake/cli/config"
	"github.com/spf13/pflag"
)

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func env(pairs ...string) func(string) (string, bool) {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return func(name string) (string, bool) { v, ok := m[name]; return v, ok }
}

func TestFlagThenEnvironmentThenDefault(t *testing.T) {
	tests := []struct {
		name string
		args []string
		env  []string
		want string
	}{
		{"default", nil, nil, "auto"},
		{"environment", nil, []string{"ESLAKE_COLOR", "never"}, "never"},
		{"an empty variable is none", nil, []string{"ESLAKE_COLOR", ""}, "auto"},
		{"flag", []string{"--color=always"}, []string{"ESLAKE_COLOR", "never"}, "always"},
		{"flag and value apart", []string{"--color", "always"}, []string{"ESLAKE_COLOR", "never"}, "always"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var o config.Output
			flags := pflag.NewFlagSet("t", pflag.ContinueOnError)
			o.AddFlags(flags)
			if err := flags.Parse(tt.args); err != nil {
				t.Fatal(err)
			}
			if err := config.ApplyEnvironment(flags, env(tt.env...)); err != nil {
				t.Fatal(err)
			}
			if got := o.Color.String(); got != tt.want {
				t.Errorf("color = %s, want %s", got, tt.want)
			}
		})
	}
}

func TestBadVariableIsNamed(t *testing.T) {
	var o config.Output
	flags := pflag.NewFlagSet("t", pflag.ContinueOnError)
	o.AddFlags(flags)
	for name, want := range map[string]string{"ESLAKE_MAX_ROWS": "ESLAKE_MAX_ROWS: ", "ESLAKE_COLOR": `ESLAKE_COLOR: "x" is none of auto, always, never`} {
		if err := config.ApplyEnvironment(flags, env(name, "x")); !strings.HasPrefix(text(err), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestStepsKeepTheirOrder(t *testing.T) {
	var in config.Input
	flags := pflag.NewFlagSet("t", pflag.ContinueOnError)
	in.AddFlags(flags)
	in.AddValueFlags(flags)
	err := flags.Parse([]string{"-e", "SELECT 1", "-f", "a.sql", "-c", "SELECT 2", "--file=-", "-d", "day=2024-05-01", "-d", "q=a=b,c", "--set", "es.batch.size.entries=5"})
	if err != nil {
		t.Fatal(err)
	}
	want := []config.Step{{SQL: "SELECT 1"}, {File: "a.sql"}, {SQL: "SELECT 2"}, {File: "-"}}
	if !reflect.DeepEqual(in.Steps, want) {
		t.Errorf("steps = %+v", in.Steps)
	}
	if in.Define["day"] != "2024-05-01" || in.Define["q"] != "a=b,c" || in.Set["es.batch.size.entries"] != "5" {
		t.Errorf("define = %v, set = %v", in.Define, in.Set)
	}
	for _, bad := range [][]string{{"-d", "x"}, {"-d", "=1"}, {"-d", "a}=1"}, {"--set", "a b=1"}, {"-f", ""}} {
		if err := flags.Parse(bad); err == nil {
			t.Errorf("%v was taken", bad)
		}
	}
}

func TestPassword(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pass")
	write := func(data string, mode os.FileMode) {
		t.Helper()
		if err := os.WriteFile(file, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
	}
	c := config.Cluster{User: "ana", PasswordFile: file}
	if _, err := c.Password(env()); !strings.Contains(text(err), "no such file") {
		t.Error(err)
	}
	write("a b#@\r\nmore", 0o600)
	if got, err := c.Password(env("ESLAKE_PASSWORD", "other")); got != "a b#@" || err != nil {
		t.Error(got, err)
	}
	write("x", 0o644)
	if _, err := c.Password(env()); !strings.Contains(text(err), "chmod 600") {
		t.Error(err)
	}
	write("\n", 0o600)
	if _, err := c.Password(env()); !strings.Contains(text(err), "empty") {
		t.Error(err)
	}
	c.PasswordFile = ""
	if got, err := c.Password(env("ESLAKE_PASSWORD", "p")); got != "p" || err != nil {
		t.Error(got, err)
	}
}

func TestPlaces(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", "/data")
	t.Setenv("XDG_STATE_HOME", "/state")
	p := config.Places{Lake: "x.db"}
	if got := p.LakeFile(); got != "x.db" {
		t.Error(got)
	}
	if got := p.CatalogFile(); got != filepath.FromSlash("/data/eslake/catalog.json") {
		t.Error(got)
	}
	if got := config.StateFile("history"); got != filepath.FromSlash("/state/eslake/history") {
		t.Error(got)
	}
}

func TestLimit(t *testing.T) {
	tests := []struct {
		name     string
		args     []string
		terminal bool
		want     int64
	}{
		{"a file gets all", nil, false, 0},
		{"a terminal gets some", nil, true, config.DefaultMaxRows},
		{"unless all are asked for", []string{"--max-rows=0"}, true, 0},
		{"or fewer", []string{"--max-rows=5"}, false, 5},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var o config.Output
			flags := pflag.NewFlagSet("t", pflag.ContinueOnError)
			o.AddFlags(flags)
			if err := flags.Parse(tt.args); err != nil {
				t.Fatal(err)
			}
			if got := o.Limit(tt.terminal); got != tt.want {
				t.Errorf("limit = %d, want %d", got, tt.want)
			}
		})
	}
}

func TestTimingNeedsNoValue(t *testing.T) {
	var o config.Output
	flags := pflag.NewFlagSet("t", pflag.ContinueOnError)
	o.AddFlags(flags)
	if err := flags.Parse([]string{"--timing"}); err != nil || !o.Timing.On(false) {
		t.Error(o.Timing.String(), err)
	}
}

func TestChoice(t *testing.T) {
	c := config.NewChoice("auto", "on", "off")
	for _, tt := range []struct {
		set  string
		auto bool
		want bool
	}{{"auto", true, true}, {"auto", false, false}, {"ON", false, true}, {"false", true, false}, {"yes", false, true}} {
		if err := c.Set(tt.set); err != nil || c.On(tt.auto) != tt.want {
			t.Errorf("%s, %v: %v (%v)", tt.set, tt.auto, c.On(tt.auto), err)
		}
	}
	if err := c.Set("maybe"); err == nil {
		t.Error("maybe was taken")
	}
}
