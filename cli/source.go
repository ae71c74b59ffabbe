package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/esds/duckdb"
	"github.com/eslake/eslake/esds/elastic"
	"github.com/eslake/eslake/esds/local"
)

// sources opens what tables are on, each once.
type sources struct {
	lake     string // path of the embedded lake
	db       *duckdb.DB
	lookup   func(string) (string, bool)
	defaults esds.Options // of the command line: address, user, TLS

	mu   sync.Mutex
	open map[string]esds.Source
}

// newSources takes the cluster that the command line names. Its notes are for
// the user.
func newSources(app *App, o *options, db *duckdb.DB) (*sources, []string, error) {
	raw := map[string]string{
		"es.nodes": o.cluster.URL, "es.net.http.auth.user": o.cluster.User, "eslake.net.ssl.ca.file": o.cluster.CACert,
	}
	if o.cluster.User != "" {
		raw["es.net.http.auth.pass"] = o.password
	}
	if o.cluster.Insecure {
		raw["es.net.ssl.cert.allow.self.signed"] = "true"
	}
	if o.cluster.URL != "" && !strings.Contains(o.cluster.URL, "://") && (o.cluster.Insecure || o.cluster.CACert != "") {
		raw["es.net.ssl"] = "true"
	}
	defaults, notes, err := esds.ParseOptions(raw)
	if err != nil {
		return nil, nil, &usageError{err: fmt.Errorf("--url: %w", err)}
	}
	s := &sources{lake: o.places.LakeFile(), db: db, lookup: app.Lookup, defaults: defaults, open: map[string]esds.Source{}}
	return s, notes, nil
}

// Source returns the place of a table with these options: a cluster, or the
// embedded lake where neither they nor the command line name one.
func (s *sources) Source(ctx context.Context, opts esds.Options) (esds.Source, error) {
	opts, err := s.complete(opts).Expand(s.environment, readSecret)
	if err != nil {
		return nil, err
	}
	path, err := s.lakePath(opts.List("es.nodes"))
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if path != "" {
		return s.once("lake "+path, func() (esds.Source, error) { return local.Open(s.db, path), nil })
	}
	cfg, err := elastic.ConfigFrom(opts)
	if err != nil {
		return nil, err
	}
	return s.once(fmt.Sprintf("%+v", cfg), func() (esds.Source, error) {
		cluster, err := elastic.Open(ctx, cfg)
		if err != nil { // not cluster: a nil *Source is no nil Source
			return nil, err
		}
		return cluster, nil
	})
}

func (s *sources) once(key string, open func() (esds.Source, error)) (esds.Source, error) {
	if found, ok := s.open[key]; ok {
		return found, nil
	}
	opened, err := open()
	if err == nil {
		s.open[key] = opened
	}
	return opened, err
}

// complete adds what the command line says. The address and the user of --url
// go together: a table that names another cluster never gets that password.
func (s *sources) complete(opts esds.Options) esds.Options {
	add := esds.Options{}
	elsewhere := opts.Has("es.nodes") && s.defaults.Has("es.nodes") && opts["es.nodes"] != s.defaults["es.nodes"]
	ownUser := opts.Has("es.net.http.auth.user") || opts.Has("eslake.net.http.apikey")
	for key, value := range s.defaults {
		secret := strings.HasPrefix(key, "es.net.http.auth.")
		if secret && (elsewhere || ownUser) || elsewhere && key == "es.net.ssl" {
			continue
		}
		add[key] = value
	}
	return add.With(opts)
}

// lakePath returns the file of the embedded lake that nodes name, "" for a
// cluster.
func (s *sources) lakePath(nodes []string) (string, error) {
	if len(nodes) == 0 || len(nodes) == 1 && nodes[0] == "local" {
		return s.lake, nil
	}
	if path, ok := strings.CutPrefix(nodes[0], "file:"); ok && len(nodes) == 1 {
		return path, nil
	}
	for _, node := range nodes {
		if node == "local" || strings.HasPrefix(node, "file:") {
			return "", &esds.OptionError{Key: "es.nodes", Value: strings.Join(nodes, ","), Reason: "the embedded lake cannot be one of several nodes"}
		}
	}
	return "", nil
}

func (s *sources) environment(name string) (string, error) {
	value, ok := s.lookup(name)
	if !ok {
		return "", fmt.Errorf("the variable %s of the environment is not set", name)
	}
	return value, nil
}

func readSecret(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	var p *fs.PathError
	if errors.As(err, &p) {
		return nil, fmt.Errorf("%s: %w", path, p.Err)
	}
	return data, err
}

// where names what tables are on that name nothing themselves.
func (s *sources) where(ctx context.Context, settings map[string]string) (string, error) {
	opts, _, err := esds.ParseOptions(settings)
	if err != nil {
		return "", err
	}
	source, err := s.Source(ctx, opts)
	if err != nil {
		return "", err
	}
	return source.String(), nil
}

// close closes all that was opened.
func (s *sources) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, source := range s.open {
		errs = append(errs, source.Close())
	}
	return errors.Join(errs...)
}
