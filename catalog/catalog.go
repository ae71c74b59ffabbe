// Package catalog keeps the names of tables and views, what they are bound to,
// and their credentials apart. It is one file that many processes share.
package catalog

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/eslake/eslake/sql/lex"
)

// DefaultDatabase is always there and cannot be dropped.
const DefaultDatabase = "default"

// Catalog is one session's sight of a catalog file: its permanent entries, and
// the session's own current database and temporary views. It is safe for
// concurrent use, and any number of processes may open the same file.
//
// Where a method takes a database, "" is the current one. Names are compared
// without case and keep the spelling that they were made with.
type Catalog struct {
	store store

	mu      sync.Mutex
	current string
	temp    map[string]Relation
}

// Open returns the catalog in the file at path. Nothing is read or made before
// it is needed; a file that is not there is an empty catalog.
func Open(path string) *Catalog {
	return &Catalog{store: store{path: path}, current: DefaultDatabase, temp: map[string]Relation{}}
}

// Path returns the path of the catalog's file.
func (c *Catalog) Path() string { return c.store.path }

// Relation is what a name in FROM stands for: a table or a view, one is nil.
type Relation struct {
	Table *Table
	View  *View
}

// Lookup returns the table or view behind a name. A temporary view shadows a
// table when no database is given. The error is a *NotFoundError.
func (c *Catalog) Lookup(db, name string) (Relation, error) {
	if db == "" {
		c.mu.Lock()
		r, ok := c.temp[fold(name)]
		c.mu.Unlock()
		if ok {
			return r.clone(), nil
		}
	}
	return c.lookup(db, name)
}

// lookup finds a permanent entry and resolves its secrets. A process that writes
// between the two reads is met by reading again.
func (c *Catalog) lookup(db, name string) (Relation, error) {
	for try := 0; ; try++ {
		content, err := c.store.read()
		if err != nil {
			return Relation{}, err
		}
		d, err := content.database(c.name(db))
		if err != nil {
			return Relation{}, err
		}
		e, ok := d.entries[fold(name)]
		if !ok {
			return Relation{}, &NotFoundError{Kind: "table or view", Name: name, Near: lex.Near(name, c.near(d))}
		}
		r := e.relation.clone()
		if len(e.secrets) == 0 {
			return r, nil
		}
		secrets, err := c.store.readCredentials()
		if err != nil {
			return Relation{}, err
		}
		if err = r.resolve(e.secrets, secrets, c.store.credentialsPath()); err == nil || try == 3 {
			return r, err
		}
		c.store.forget()
	}
}

// near returns the names that a mistyped one may have meant.
func (c *Catalog) near(d *database) []string {
	names := d.names()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.temp {
		names = append(names, r.name())
	}
	slices.Sort(names) // equally near names: always the same one
	return names
}

// name returns the database that db stands for.
func (c *Catalog) name(db string) string {
	if db != "" {
		return db
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.current
}

// create adds an entry. Done is false when it was there and ifNotExists is set.
// Replace puts it in the place of an entry of its own kind.
func (c *Catalog) create(db string, r Relation, replace, ifNotExists bool) (done bool, err error) {
	if r.name() == "" || strings.ContainsAny(r.name(), "\x00\n") {
		return false, fmt.Errorf("%q cannot be the name of a %s", r.name(), r.kind())
	}
	err = c.store.update(func(content *content, creds credentials) error {
		d, err := content.database(c.name(db))
		if err != nil {
			return err
		}
		old, exists := d.entries[fold(r.name())]
		switch {
		case exists && old.relation.kind() != r.kind():
			return &ExistsError{Kind: old.relation.kind(), Name: old.relation.name()}
		case exists && ifNotExists:
			return errUnchanged
		case exists && !replace:
			return &ExistsError{Kind: r.kind(), Name: old.relation.name()}
		}
		done = true
		d.entries[fold(r.name())] = newEntry(d.name, r, creds)
		return nil
	})
	return done, err
}

// newEntry moves the secrets of r to creds and returns what may stand in the
// file.
func newEntry(db string, r Relation, creds credentials) *entry {
	e := &entry{relation: r.clone()}
	e.relation.setDatabase(db)
	e.secrets = e.relation.hide(creds)
	return e
}

// drop removes an entry of a kind.
func (c *Catalog) drop(db, name, kind string) error {
	return c.store.update(func(content *content, _ credentials) error {
		d, err := content.database(c.name(db))
		if err != nil {
			return err
		}
		if _, err := d.entry(name, kind); err != nil {
			return err
		}
		delete(d.entries, fold(name))
		return nil
	})
}

// alter changes an entry of a kind by change, which gets it with its secrets.
func (c *Catalog) alter(db, name, kind string, change func(Relation) error) error {
	return c.store.update(func(content *content, creds credentials) error {
		d, err := content.database(c.name(db))
		if err != nil {
			return err
		}
		e, err := d.entry(name, kind)
		if err != nil {
			return err
		}
		r := e.relation.clone()
		_ = r.resolve(e.secrets, creds, "") // one that is lost may be set anew by change
		if err := change(r); err != nil {
			return err
		}
		delete(d.entries, fold(name))
		if other, ok := d.entries[fold(r.name())]; ok {
			return &ExistsError{Kind: other.relation.kind(), Name: other.relation.name()}
		}
		d.entries[fold(r.name())] = newEntry(d.name, r, creds)
		return nil
	})
}

func fold(name string) string { return strings.ToLower(name) }
