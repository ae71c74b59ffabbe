package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/eslake/eslake/catalog"
	"github.com/eslake/eslake/cli/config"
	"github.com/eslake/eslake/cli/repl"
	"github.com/eslake/eslake/cli/session"
	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/esds/duckdb"
	"github.com/eslake/eslake/planner/duck"
)

// openSession puts a session together. Nothing is started or connected yet.
func openSession(app *App, o *options) (*opened, error) {
	settings := o.run.Settings(o.input.Set)
	if err := checkSettings(settings); err != nil {
		return nil, err
	}
	db := duckdb.New(duckdb.Config{})
	src, notes, err := newSources(app, o, db)
	if err != nil {
		return nil, err
	}
	if !o.output.Quiet {
		for _, n := range notes {
			fmt.Fprintln(app.Err, "NOTICE: "+n)
		}
	}
	names := catalog.Open(o.places.CatalogFile())
	m := newMeter(app.Streams)
	var progress func(session.Progress)
	if o.progress { // else nothing asks how many rows there are
		progress = m.update
	}
	s := session.New(session.Config{
		Catalog: names, Sources: src, Engine: duck.New(db), Settings: settings, Safety: app.safety(o, m.pause),
		StateDir: config.StateFile(""), Progress: progress,
		Redact: func(sql string) string { return repl.Redact(sql, catalog.Redact) },
		Warn: func(text string) {
			m.pause()
			fmt.Fprintln(app.Err, "NOTICE: "+text)
		},
	})
	return &opened{
		executor: s, jobs: s, catalog: names, meter: m,
		where: func(ctx context.Context) (string, error) { return src.where(ctx, o.input.Set) },
		close: func() error { return errors.Join(src.close(), db.Close()) },
	}, nil
}

// checkSettings refuses what SET would refuse.
func checkSettings(settings map[string]string) error {
	for _, key := range slices.Sorted(maps.Keys(settings)) {
		rest := strings.TrimPrefix(strings.ToLower(key), "spark.")
		if !strings.HasPrefix(rest, "es.") && !strings.HasPrefix(rest, "eslake.") {
			continue
		}
		if _, _, err := esds.ParseOptions(map[string]string{rest: settings[key]}); err != nil {
			return &usageError{err: fmt.Errorf("--set: %w", err)}
		}
	}
	return nil
}
