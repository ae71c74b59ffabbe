package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

// A machine with neither JDK nor Maven: the command runs, and the end says
// what did not.
func TestRunWithoutServers(t *testing.T) {
	tests := []struct {
		name    string
		require string
		args    []string
		code    int
		want    []string
	}{
		{
			name: "counts what its tests skipped", args: []string{"--", "/bin/sh", "-c", skipTwo}, code: 0,
			want: []string{"ran with no real server", "NOT STARTED: OpenSearch 2.19.6", "NOT RUN: 1 test for want of ESLAKE_TEST_OPENSEARCH", "NOT RUN: 2 tests in all"},
		},
		{name: "passes the exit code on", args: []string{"--", "/bin/sh", "-c", "exit 7"}, code: 7, want: []string{"NOT RUN: 0 tests in all"}},
		{name: "requires", require: "1", args: []string{"--", "/bin/sh", "-c", "exit 7"}, code: 1, want: []string{"nothing is run without them"}},
		{name: "no command", args: []string{"-servers", "es8.8"}, code: 2, want: []string{"no command given"}},
		{name: "unknown server", args: []string{"-servers", "es1", "--", "true"}, code: 2, want: []string{`unknown server "es1"`}},
		{name: "unknown command", args: []string{"--", "/no/such/command"}, code: 1, want: []string{"/no/such/command"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("PATH", t.TempDir())
			t.Setenv("ESLAKE_TEST_CACHE", t.TempDir())
			t.Setenv(requireEnv, tt.require)
			var out bytes.Buffer
			if code := run(context.Background(), tt.args, &out); code != tt.code {
				t.Errorf("exit code %d, want %d", code, tt.code)
			}
			for _, want := range tt.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("no %q in:\n%s", want, out.String())
				}
			}
		})
	}
}

const skipTwo = `echo ESLAKE_TEST_ELASTICSEARCH TestA >>"$ESLAKE_TEST_SKIPPED"; echo ESLAKE_TEST_OPENSEARCH TestA >>"$ESLAKE_TEST_SKIPPED"`
