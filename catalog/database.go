package catalog

import (
	"fmt"
	"time"

	"github.com/eslake/eslake/sql/lex"
)

// Database is a namespace of tables and views.
type Database struct {
	Name    string
	Comment string
	Created time.Time
}

// Current returns the database that names without one are looked up in.
func (c *Catalog) Current() string { return c.name("") }

// Use makes a database the current one. The error is a *NotFoundError.
func (c *Catalog) Use(name string) error {
	d, err := c.Database(name)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.current = d.Name
	return nil
}

// Database returns a database. The error is a *NotFoundError.
func (c *Catalog) Database(name string) (Database, error) {
	content, err := c.store.read()
	if err != nil {
		return Database{}, err
	}
	d, err := content.database(c.name(name))
	if err != nil {
		return Database{}, err
	}
	return d.public(), nil
}

// Databases returns the databases whose names match Spark's pattern ("" for
// all), in alphabetical order.
func (c *Catalog) Databases(pattern string) ([]Database, error) {
	content, err := c.store.read()
	if err != nil {
		return nil, err
	}
	var list []Database
	for _, key := range sortedKeys(content.databases) {
		if d := content.databases[key]; Match(pattern, d.name) {
			list = append(list, d.public())
		}
	}
	return list, nil
}

// CreateDatabase adds a database. Done is false when it was there and
// ifNotExists is set; else that is an *ExistsError.
func (c *Catalog) CreateDatabase(d Database, ifNotExists bool) (done bool, err error) {
	if d.Name == "" {
		return false, fmt.Errorf("a database needs a name")
	}
	err = c.store.update(func(content *content, _ credentials) error {
		if old, ok := content.databases[fold(d.Name)]; ok {
			if ifNotExists {
				return errUnchanged
			}
			return &ExistsError{Kind: "database", Name: old.name}
		}
		done = true
		content.databases[fold(d.Name)] = &database{name: d.Name, comment: d.Comment, created: d.Created, entries: map[string]*entry{}}
		return nil
	})
	return done, err
}

// DropDatabase removes a database; one that holds tables or views only with
// cascade, which forgets them.
func (c *Catalog) DropDatabase(name string, cascade bool) error {
	return c.store.update(func(content *content, _ credentials) error {
		d, err := content.database(name)
		switch {
		case err != nil:
			return err
		case d.name == DefaultDatabase:
			return fmt.Errorf("database %s cannot be dropped", d.name)
		case len(d.entries) > 0 && !cascade:
			return fmt.Errorf("database %s is not empty (%d tables and views); CASCADE drops them too", d.name, len(d.entries))
		}
		delete(content.databases, fold(name))
		return nil
	})
}

// database is a Database with what it holds, under folded names.
type database struct {
	name, comment string
	created       time.Time
	entries       map[string]*entry
}

// entry is a relation as it stands in the file: secrets redacted, and where
// they are.
type entry struct {
	relation Relation
	secrets  []secretRef
}

func (d *database) public() Database {
	return Database{Name: d.name, Comment: d.comment, Created: d.created}
}

func (d *database) names() []string {
	var names []string
	for _, e := range d.entries {
		names = append(names, e.relation.name())
	}
	return names
}

func (d *database) entry(name, kind string) (*entry, error) {
	e, ok := d.entries[fold(name)]
	if !ok || e.relation.kind() != kind {
		var names []string
		for _, e := range d.entries {
			if e.relation.kind() == kind {
				names = append(names, e.relation.name())
			}
		}
		return nil, &NotFoundError{Kind: kind, Name: name, Near: lex.Near(name, names)}
	}
	return e, nil
}
