package cli

import (
	"strings"
	"testing"

	"github.com/eslake/eslake/cli/config"
	"github.com/eslake/eslake/esds"
)

func TestPasswordStaysWithItsCluster(t *testing.T) {
	tests := []struct {
		name    string
		cluster config.Cluster
		table   esds.Options
		user    string // what the table ends up with
		nodes   string
	}{
		{"a table that names nothing", config.Cluster{URL: "https://h:1", User: "ana"}, nil, "ana", "https://h:1"},
		{"a table on another cluster", config.Cluster{URL: "https://h:1", User: "ana"}, esds.Options{"es.nodes": "other"}, "", "other"},
		{"a table on the same cluster", config.Cluster{URL: "https://h:1", User: "ana"}, esds.Options{"es.nodes": "https://h:1"}, "ana", "https://h:1"},
		{"a table with a user of its own", config.Cluster{URL: "https://h:1", User: "ana"}, esds.Options{"es.net.http.auth.user": "bela"}, "bela", "https://h:1"},
		{"a user without a cluster goes to the tables'", config.Cluster{User: "ana"}, esds.Options{"es.nodes": "other"}, "ana", "other"},
		{"nothing at all", config.Cluster{}, nil, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := &options{cluster: tt.cluster, password: "geheim"}
			s, _, err := newSources(&App{}, o, nil)
			if err != nil {
				t.Fatal(err)
			}
			got := s.complete(tt.table)
			if got["es.net.http.auth.user"] != tt.user || got["es.nodes"] != tt.nodes || (got["es.net.http.auth.pass"] == "geheim") != (tt.user == "ana") {
				t.Errorf("options = %v", got)
			}
		})
	}
}

func TestWhereTheLakeIs(t *testing.T) {
	s := &sources{lake: "/data/lake.db"}
	tests := []struct {
		nodes string
		want  string
		err   string
	}{
		{"", "/data/lake.db", ""},
		{"local", "/data/lake.db", ""},
		{"file:x.db", "x.db", ""},
		{"h1:9200", "", ""},
		{"h1,local", "", "one of several"},
	}
	for _, tt := range tests {
		got, err := s.lakePath(esds.Options{"es.nodes": tt.nodes}.List("es.nodes"))
		if got != tt.want || (err != nil) != (tt.err != "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%q: %q, %v", tt.nodes, got, err)
		}
	}
}

func TestBadURLIsAMistakeOfTheCall(t *testing.T) {
	_, _, err := newSources(&App{}, &options{cluster: config.Cluster{URL: "https://u:p@h", User: "other"}}, nil)
	if exitCode(err) != exitUsage || strings.Contains(err.Error(), ":p@") {
		t.Errorf("%v", err)
	}
}
