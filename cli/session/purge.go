package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/eslake/eslake/catalog"
	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/planner"
	"github.com/eslake/eslake/planner/exec"
	"github.com/eslake/eslake/planner/job"
	"github.com/eslake/eslake/sql"
)

// purge removes the index behind a table, and says what became of it. With
// eslake.backup it is saved first, in a job whose journal the caller ends when the
// table is dropped; else the journal is nil.
func (s *Session) purge(ctx context.Context, t *catalog.Table, st *sql.DropTable) (string, *job.Journal, error) {
	opts, err := s.env().Options(t)
	if err != nil {
		return "", nil, planner.Located(err, st.Name.Span())
	}
	name, err := opts.Resource(esds.BothSides)
	if err != nil {
		return "", nil, planner.Located(err, st.Name.Span())
	}
	if !st.Purge {
		return fmt.Sprintf(" (the index %s stays; DROP TABLE … PURGE deletes it)", name), nil, nil
	}
	source, err := s.cfg.Sources.Source(ctx, opts)
	if err != nil {
		return "", nil, err
	}
	target, err := source.Resolve(ctx, name)
	if err != nil {
		return "", nil, err
	}
	switch target.Kind {
	case esds.Absent:
		if s.earlier() == nil {
			return fmt.Sprintf(" (there was no index %s)", name), nil, nil
		}
	case esds.Pattern, esds.DataStream:
		return "", nil, &esds.Error{Op: "drop", Index: name, Err: fmt.Errorf("PURGE deletes one index, this is a %s", target.Kind)}
	}
	if s.earlier() == nil {
		if err := s.mayRemove(ctx, source, target, Change{Statement: "DROP", Table: t.Name}); err != nil {
			return "", nil, err
		}
	}
	if opts.Bool("eslake.backup") || s.earlier() != nil {
		return s.purgeSaved(ctx, t, st, source, opts, target)
	}
	return fmt.Sprintf(" (index %s deleted)", strings.Join(target.Indices, ", ")), nil, dropAll(ctx, source, target)
}

func dropAll(ctx context.Context, source esds.Source, target esds.Target) error {
	for _, index := range target.Indices {
		if err := source.Drop(ctx, index); err != nil && !errors.Is(err, esds.ErrIndexNotFound) {
			return err
		}
	}
	return nil
}

// purgeSaved saves an index in a job, and then removes it.
func (s *Session) purgeSaved(ctx context.Context, t *catalog.Table, st *sql.DropTable, source esds.Source, opts esds.Options, target esds.Target) (string, *job.Journal, error) {
	earlier := s.earlier()
	if len(target.Indices) != 1 && earlier == nil {
		return "", nil, &esds.Error{
			Op: "drop", Index: target.Name, Err: fmt.Errorf("eslake.backup saves one index, the %s stands for %d", target.Kind, len(target.Indices)),
			Hint: "drop them by tables of their own, or set eslake.backup = false",
		}
	}
	start := job.Start{
		ID: s.jobID(), Kind: job.Drop, Statement: st.String(), Table: t.Database + "." + t.Name, Source: source.String(), Index: target.Name,
	}
	if earlier != nil {
		if err := check(earlier, start); err != nil {
			return "", nil, err
		}
	}
	journal, err := s.begin(start)
	if err != nil {
		return "", nil, err
	}
	if len(target.Indices) > 0 {
		err = s.dropSaved(ctx, t, source, opts, target, journal)
	}
	if err != nil {
		s.finish(journal, job.Outcome{Error: err.Error()})
		return "", nil, err
	}
	return fmt.Sprintf(" (index %s deleted)", either(strings.Join(target.Indices, ", "), target.Name)), journal, nil
}

// dropSaved saves an index, which nobody can write meanwhile, and removes it. One
// that has taken the place of an index that an earlier run removed stays.
func (s *Session) dropSaved(ctx context.Context, t *catalog.Table, source esds.Source, opts esds.Options, target esds.Target, journal *job.Journal) error {
	index := target.Indices[0]
	if r := s.earlier(); r != nil {
		def, err := source.Definition(ctx, index)
		if err != nil {
			return err
		}
		if saved, ok := r.Step(exec.StepBackup); ok && saved.Facts["identity"] != def.Identity {
			return nil
		}
	}
	table, err := json.Marshal(withoutSecrets(t))
	if err == nil {
		write := esds.Write{Index: index, Options: planner.DocumentOptions(opts)}
		saved := exec.Saved{Write: write, Like: index, Forbid: target.Indices, Table: table}
		if tell := s.tellSaving("DROP " + t.Name); tell != nil {
			saved.Told = func(n int64) { tell(n, 0) }
		}
		_, err = exec.SaveIndex(ctx, source, saved, journal)
	}
	if err == nil {
		err = dropAll(ctx, source, target)
	}
	if err != nil {
		err = errors.Join(err, exec.Allow(ctx, source, journal, target.Indices))
	}
	return err
}

// withoutSecrets is a table as a job may keep it.
func withoutSecrets(t *catalog.Table) *catalog.Table {
	kept := t.Redacted()
	secret := func(_, v string) bool { return strings.Contains(v, catalog.Hidden) }
	maps.DeleteFunc(kept.Options, secret)
	maps.DeleteFunc(kept.Properties, secret)
	return kept
}

// dropped reports whether an earlier run of a DROP … PURGE came as far as to drop
// the table, and ends its job.
func (s *Session) dropped(st *sql.DropTable) (Result, bool) {
	r := s.jobs.running
	if r.record == nil || r.journal == nil {
		return Result{}, false
	}
	if _, saved := r.record.Step(exec.StepBackup); !saved {
		return Result{}, false
	}
	message := "DROP TABLE " + st.Name.Table.Name + takesBack(r.record.ID)
	s.finish(r.journal, job.Outcome{Message: message})
	return Result{Message: message}, true
}

// tableOf is the table that a job wrote to: that of the catalog, or the one that
// the job dropped, which create then puts back.
func (s *Session) tableOf(old *job.Record) (t *catalog.Table, create func() error, err error) {
	database, name, _ := strings.Cut(old.Table, ".")
	found, err := s.cfg.Catalog.Lookup(database, name)
	if err == nil && found.Table != nil {
		return found.Table, func() error { return nil }, nil
	}
	if old.Kind != job.Drop || err == nil {
		return nil, nil, fmt.Errorf("there is no table %s any more", old.Table)
	}
	saved, err := exec.ReadSavedIndex(old.Dir)
	if err == nil {
		err = json.Unmarshal(saved.Table, &t)
	}
	if err != nil {
		return nil, nil, err
	}
	return t, func() error {
		_, err := s.cfg.Catalog.CreateTable(t, false, true)
		return err
	}, nil
}

// rehearsedPurge shows what a DROP … PURGE would delete.
func (s *Session) rehearsedPurge(ctx context.Context, t *catalog.Table, opts esds.Options) (Result, error) {
	name, err := opts.Resource(esds.BothSides)
	if err != nil {
		return Result{}, err
	}
	source, err := s.cfg.Sources.Source(ctx, opts)
	if err != nil {
		return Result{}, err
	}
	target, err := source.Resolve(ctx, name)
	if err != nil {
		return Result{}, err
	}
	what, there := fmt.Sprintf("%s of %s, which is not there", name, source), int64(0)
	if target.Kind != esds.Absent {
		if there, err = source.Count(ctx, name); err != nil {
			return Result{}, err
		}
		what = fmt.Sprintf("%s of %s, which would be deleted", strings.Join(target.Indices, ", "), source)
	}
	lines := [][]any{{"statement", "DROP TABLE " + t.Name + " PURGE"}, {"index", what}, {"documents there", thousands(there)}}
	return Result{Rows: textRows([]string{"dry run", "value"}, lines), Message: fmt.Sprintf("DRY RUN of DROP TABLE %s PURGE: nothing was deleted", t.Name)}, nil
}
