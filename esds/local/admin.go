package local

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
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
	d := x.def
	d.Identity = x.identity
	return d, nil
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

// Blocked returns nil: the lake has no blocks.
func (s *Source) Blocked(ctx context.Context, _ string) error { return s.attached(ctx) }

// Block does nothing: no other process writes to the lake, and this one is at
// another work.
func (s *Source) Block(ctx context.Context, _ string, _ bool) error { return s.attached(ctx) }

// Configure changes settings of an index. They mean nothing to the lake, and are
// kept for the index that takes its place.
func (s *Source) Configure(ctx context.Context, name string, settings []byte) error {
	const op = "configure"
	return s.change(ctx, op, name, func(c *duckdb.Conn) (func(), error) {
		x := s.indices[name]
		if x == nil {
			return nil, notFound(op, name)
		}
		next := *x
		var err error
		if next.def.Settings, err = mergeSettings(x.def.Settings, settings); err != nil {
			return nil, &esds.Error{Op: op, Index: name, Status: http.StatusBadRequest, Err: err}
		}
		return func() { s.indices[name] = &next }, c.Exec(ctx, next.saveSQL(s.table(metaTable)))
	})
}

// mergeSettings puts settings over others, both as {"index": {…}}.
func mergeSettings(old, changes []byte) ([]byte, error) {
	var all, over struct {
		Index map[string]any `json:"index"`
	}
	if len(old) > 0 {
		if err := json.Unmarshal(old, &all); err != nil {
			return nil, err
		}
	}
	if err := json.Unmarshal(changes, &over); err != nil {
		return nil, err
	}
	if all.Index == nil {
		all.Index = map[string]any{}
	}
	for k, v := range over.Index {
		if all.Index[k] = v; v == nil {
			delete(all.Index, k)
		}
	}
	if len(all.Index) == 0 {
		return nil, nil
	}
	return json.Marshal(all)
}

// Clear deletes every document behind a name, in one transaction.
func (s *Source) Clear(ctx context.Context, name string) (int64, error) {
	const op = "delete documents of"
	var n int64
	err := s.change(ctx, op, name, func(c *duckdb.Conn) (func(), error) {
		names, missing := s.match(name)
		if missing != "" || len(names) == 0 {
			return nil, notFound(op, name)
		}
		for _, index := range names {
			deleted, err := c.Count(ctx, "DELETE FROM "+s.table(index))
			if err != nil {
				return nil, err
			}
			n += deleted
		}
		return func() {}, nil
	})
	return n, err
}

// Replace puts a staging index in the place of a target, in one transaction.
func (s *Source) Replace(ctx context.Context, r esds.Replacement) error {
	const op = "replace"
	target := r.Target
	err := s.change(ctx, op, target.Name, func(c *duckdb.Conn) (func(), error) {
		now, staged := s.resolve(target.Name), s.indices[r.Staging]
		switch {
		case now.Kind == esds.Pattern:
			return nil, &esds.Error{Op: op, Index: target.Name, Err: fmt.Errorf("a %s cannot be replaced", now.Kind)}
		case r.Placed || len(now.Indices) == 1 && s.indices[now.Indices[0]].identity == r.Staging: // by a run before
			return func() {}, nil
		case staged == nil:
			return nil, notFound(op, r.Staging)
		case now.Kind != esds.Absent && !slices.Equal(now.Indices, target.Indices):
			return nil, &esds.Error{Op: op, Index: target.Name, Err: fmt.Errorf("%w: it stands for other indices", esds.ErrChanged), Hint: "run the statement again"}
		}
		next, err := s.successor(r, now, staged)
		if err != nil {
			return nil, err
		}
		return s.exchange(ctx, c, r.Staging, now.Indices, next)
	})
	if err == nil && r.Reached != nil {
		r.Reached(esds.InPlace)
	}
	return err
}

// successor is the staged index as it stands in the place of what the name stands
// for now.
func (s *Source) successor(r esds.Replacement, now esds.Target, staged *stored) (*stored, error) {
	next := *staged
	if r.Mode == esds.Recreate || now.Kind == esds.Absent {
		next.name = r.Target.Name
	}
	next.aliases = s.inherited(now, staged)
	if now.Kind == esds.Absent && len(r.Aliases) > 0 {
		if err := json.Unmarshal(r.Aliases, &next.aliases); err != nil {
			return nil, &esds.Error{Op: "replace", Index: r.Target.Name, Err: fmt.Errorf("the aliases cannot be read: %w", err)}
		}
	}
	if r.Mode == esds.Swap && now.Kind != esds.Absent {
		next.aliases[r.Target.Name] = aliasDef{}
		if now.Kind == esds.Alias && now.Write != "" {
			next.aliases[r.Target.Name] = s.indices[now.Write].aliases[r.Target.Name]
		}
	}
	next.identity = r.Staging
	next.def.Aliases = nil
	if len(next.aliases) > 0 {
		next.def.Aliases, _ = json.Marshal(next.aliases)
	}
	return &next, nil
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
	fmt.Fprintf(&sql, "COMMENT ON TABLE %s IS %s; ", s.table(next.name), duckdb.Text(next.identity))
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
