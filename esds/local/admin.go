package local

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/esds/duckdb"
)

// Definition returns what is needed to make an index like the named one.
func (s *Source) Definition(ctx context.Context, name string) (esds.Definition, error) {
	if err := s.attached(ctx); err != nil {
		return esds.Definition{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.indices[name]
	if t := s.resolve(name); x == nil && t.Kind == esds.Alias && len(t.Indices) == 1 {
		x = s.indices[t.Indices[0]]
	}
	if x == nil {
		return esds.Definition{}, notFound("describe", name)
	}
	return x.def, nil
}

// Create makes an index.
func (s *Source) Create(ctx context.Context, name string, d esds.Definition) error {
	const op = "create index"
	if err := checkName(op, name); err != nil {
		return err
	}
	x, err := newStored(name, d, nil)
	if err != nil {
		return &esds.Error{Op: op, Index: name, Status: http.StatusBadRequest, Err: err}
	}
	return s.change(ctx, op, name, func(c *duckdb.Conn) (func(), error) {
		if t := s.resolve(name); t.Kind != esds.Absent {
			return nil, &esds.Error{Op: op, Index: name, Status: http.StatusBadRequest, Err: esds.ErrIndexExists}
		}
		for alias := range x.aliases {
			if err := checkName(op, alias); err != nil || s.indices[alias] != nil {
				return nil, &esds.Error{Op: op, Index: name, Status: http.StatusBadRequest, Err: fmt.Errorf("%s cannot be an alias", alias)}
			}
		}
		err := c.Exec(ctx, x.createSQL(s.table(name))+"; "+x.saveSQL(s.table(metaTable)))
		return func() { s.indices[name] = x }, err
	})
}

// Drop removes an index.
func (s *Source) Drop(ctx context.Context, name string) error {
	return s.change(ctx, "delete index", name, func(c *duckdb.Conn) (func(), error) {
		if s.indices[name] == nil {
			return nil, notFound("delete index", name)
		}
		return func() { delete(s.indices, name) }, c.Exec(ctx, s.dropSQL(name))
	})
}

func (s *Source) dropSQL(name string) string {
	return fmt.Sprintf("DROP TABLE %s; DELETE FROM %s WHERE name = %s", s.table(name), s.table(metaTable), duckdb.Text(name))
}

// Refresh does nothing but check that the name is there: what is committed is
// visible.
func (s *Source) Refresh(ctx context.Context, name string) error {
	_, err := s.indexNames(ctx, "refresh", name)
	return err
}

// indexNames returns the concrete indices behind a name.
func (s *Source) indexNames(ctx context.Context, op, name string) ([]string, error) {
	if err := s.attached(ctx); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	names, missing := s.match(name)
	switch {
	case missing != "":
		return nil, notFound(op, missing)
	case len(names) == 0:
		return nil, notFound(op, name)
	}
	return names, nil
}

// Count returns the number of documents.
func (s *Source) Count(ctx context.Context, name string) (int64, error) {
	names, err := s.indexNames(ctx, "count", name)
	if err != nil {
		return 0, err
	}
	c, err := s.conn(ctx)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	parts := make([]string, len(names))
	for i, n := range names {
		parts[i] = "(SELECT count(*) FROM " + s.table(n) + ")"
	}
	n, err := c.Count(ctx, "SELECT "+strings.Join(parts, " + "))
	return n, s.fail("count", name, err)
}

// Replace puts a staging index in the place of target, in one transaction.
func (s *Source) Replace(ctx context.Context, staging string, target esds.Target, mode esds.ReplaceMode) error {
	const op = "replace"
	return s.change(ctx, op, target.Name, func(c *duckdb.Conn) (func(), error) {
		staged := s.indices[staging]
		if staged == nil {
			return nil, notFound(op, staging)
		}
		now := s.resolve(target.Name)
		if now.Kind == esds.Pattern {
			return nil, &esds.Error{Op: op, Index: target.Name, Err: fmt.Errorf("a %s cannot be replaced", now.Kind)}
		}
		next := *staged
		if mode == esds.Recreate || now.Kind == esds.Absent {
			next.name = target.Name
		}
		next.aliases = s.inherited(now, staged)
		if mode == esds.Swap && now.Kind != esds.Absent {
			next.aliases[target.Name] = aliasDef{}
			if now.Kind == esds.Alias && now.Write != "" {
				next.aliases[target.Name] = s.indices[now.Write].aliases[target.Name]
			}
		}
		next.def.Aliases = nil
		if len(next.aliases) > 0 {
			next.def.Aliases, _ = json.Marshal(next.aliases)
		}
		return s.exchange(ctx, c, staging, now.Indices, &next)
	})
}

// inherited are the aliases of the staged index and of those that it replaces.
func (s *Source) inherited(old esds.Target, staged *stored) map[string]aliasDef {
	all := map[string]aliasDef{}
	for _, name := range old.Indices {
		maps.Copy(all, s.indices[name].aliases)
	}
	maps.Copy(all, staged.aliases)
	return all
}

func (s *Source) exchange(ctx context.Context, c *duckdb.Conn, staging string, old []string, next *stored) (func(), error) {
	var sql strings.Builder
	for _, name := range old {
		sql.WriteString(s.dropSQL(name) + "; ")
	}
	if next.name != staging {
		fmt.Fprintf(&sql, "ALTER TABLE %s RENAME TO %s; DELETE FROM %s WHERE name = %s; ",
			s.table(staging), duckdb.Name(next.name), s.table(metaTable), duckdb.Text(staging))
	}
	sql.WriteString(next.saveSQL(s.table(metaTable)))
	done := func() {
		for _, name := range append(old, staging) {
			delete(s.indices, name)
		}
		s.indices[next.name] = next
	}
	return done, c.Exec(ctx, sql.String())
}

// change runs f in one transaction, with the mutex held, and what f returns once
// the transaction is committed.
func (s *Source) change(ctx context.Context, op, index string, f func(c *duckdb.Conn) (func(), error)) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	c, err := s.conn(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := c.Exec(ctx, "BEGIN"); err != nil {
		return s.fail(op, index, err)
	}
	done, err := f(c)
	if err != nil { // closing the connection rolls back
		return s.fail(op, index, err)
	}
	if err := c.Exec(context.WithoutCancel(ctx), "COMMIT"); err != nil {
		return s.fail(op, index, err)
	}
	done()
	return nil
}
