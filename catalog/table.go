package catalog

import (
	"maps"
	"slices"
	"time"

	"github.com/eslake/eslake/sql/row"
)

// Table is a name bound to a provider and its options.
type Table struct {
	Database   string
	Name       string
	Provider   string            // canonical: "es", "csv", "json", "parquet"
	As         string            // the provider as written: "org.elasticsearch.spark.sql"
	Columns    row.Schema        // declared; nil when the source gives them
	Options    map[string]string // as given, secrets in clear
	Comment    string
	Properties map[string]string
	Created    time.Time
}

func (t *Table) clone() *Table {
	c := *t
	c.Columns = slices.Clone(t.Columns)
	c.Options = maps.Clone(t.Options)
	c.Properties = maps.Clone(t.Properties)
	return &c
}

// Redacted returns a copy that may be shown: secrets of options and properties
// are "***".
func (t *Table) Redacted() *Table {
	c := t.clone()
	redactAll(c.Options)
	redactAll(c.Properties)
	return c
}

// Table returns a permanent table, with its secrets. The error is a
// *NotFoundError; a view of the name is none.
func (c *Catalog) Table(db, name string) (*Table, error) {
	r, err := c.lookup(db, name)
	if err != nil {
		return nil, retitle(err, "table")
	}
	if r.Table == nil {
		return nil, &NotFoundError{Kind: "table", Name: name}
	}
	return r.Table, nil
}

// CreateTable adds a table to t.Database. Replace puts it in the place of one
// with that name, and ifNotExists leaves that one: done is false then. Else the
// error is an *ExistsError, as it is when a view has the name.
func (c *Catalog) CreateTable(t *Table, replace, ifNotExists bool) (done bool, err error) {
	return c.create(t.Database, Relation{Table: t}, replace, ifNotExists)
}

// DropTable forgets a table and its secrets. What it is bound to stays.
func (c *Catalog) DropTable(db, name string) error { return c.drop(db, name, "table") }

// RenameTable gives a table another name in its database.
func (c *Catalog) RenameTable(db, from, to string) error {
	return c.AlterTable(db, from, func(t *Table) error {
		t.Name = to
		return nil
	})
}

// AlterTable changes a table by change, which gets it with its secrets and must
// not call the catalog: others wait. An error from it leaves the table as it was.
func (c *Catalog) AlterTable(db, name string, change func(*Table) error) error {
	return c.alter(db, name, "table", func(r Relation) error { return change(r.Table) })
}

// Tables returns the tables of a database whose names match Spark's pattern
// ("" for all), in alphabetical order, redacted.
func (c *Catalog) Tables(db, pattern string) ([]*Table, error) {
	var tables []*Table
	err := c.list(db, pattern, func(r Relation) {
		if r.Table != nil {
			tables = append(tables, r.Table)
		}
	})
	return tables, err
}

// list calls f with every entry that matches, as it stands in the file.
func (c *Catalog) list(db, pattern string, f func(Relation)) error {
	content, err := c.store.read()
	if err != nil {
		return err
	}
	d, err := content.database(c.name(db))
	if err != nil {
		return err
	}
	for _, key := range sortedKeys(d.entries) {
		if r := d.entries[key].relation; Match(pattern, r.name()) {
			f(r.clone())
		}
	}
	return nil
}

// retitle says "table" where the search was for tables only.
func retitle(err error, kind string) error {
	if e, ok := err.(*NotFoundError); ok && e.Kind == "table or view" { //nolint:errorlint // made by lookup, never wrapped
		return &NotFoundError{Kind: kind, Name: e.Name, Near: e.Near}
	}
	return err
}
