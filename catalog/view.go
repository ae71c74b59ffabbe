package catalog

import (
	"maps"
	"slices"
	"time"
)

// View is a name bound to the text of a query.
type View struct {
	Database   string // the one that its query's names without a database are looked up in, too
	Name       string
	Columns    []ViewColumn // nil: the query gives the names
	Text       string
	Comment    string
	Properties map[string]string
	Created    time.Time
	Temporary  bool
}

// ViewColumn is a column of a view's own list.
type ViewColumn struct {
	Name    string `json:"name"`
	Comment string `json:"comment,omitempty"`
}

func (v *View) clone() *View {
	c := *v
	c.Columns = slices.Clone(v.Columns)
	c.Properties = maps.Clone(v.Properties)
	return &c
}

// Redacted returns a copy that may be shown.
func (v *View) Redacted() *View {
	c := v.clone()
	redactAll(c.Properties)
	return c
}

// View returns a view; with db "" a temporary one first. The error is a
// *NotFoundError; a table of the name is none.
func (c *Catalog) View(db, name string) (*View, error) {
	r, err := c.Lookup(db, name)
	if err != nil {
		return nil, retitle(err, "view")
	}
	if r.View == nil {
		return nil, &NotFoundError{Kind: "view", Name: name}
	}
	return r.View, nil
}

// CreateView adds a permanent view, as CreateTable does a table.
func (c *Catalog) CreateView(v *View, replace, ifNotExists bool) (done bool, err error) {
	return c.create(v.Database, Relation{View: v}, replace, ifNotExists)
}

// DropView forgets a view; with db "" a temporary one first, be it of a query or
// of a provider.
func (c *Catalog) DropView(db, name string) error {
	if db == "" && c.dropTemp(name) {
		return nil
	}
	return c.drop(db, name, "view")
}

// AlterView changes a permanent view, as AlterTable does a table.
func (c *Catalog) AlterView(db, name string, change func(*View) error) error {
	return c.alter(db, name, "view", func(r Relation) error { return change(r.View) })
}

// Views returns the permanent views of a database whose names match Spark's
// pattern ("" for all), in alphabetical order.
func (c *Catalog) Views(db, pattern string) ([]*View, error) {
	var views []*View
	err := c.list(db, pattern, func(r Relation) {
		if r.View != nil {
			views = append(views, r.View)
		}
	})
	return views, err
}

// CreateTemp adds a temporary view of a query (r.View) or of a provider
// (r.Table). It lasts as long as the Catalog and shadows a table of its name.
func (c *Catalog) CreateTemp(r Relation, replace, ifNotExists bool) (done bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.temp[fold(r.name())]; ok {
		if ifNotExists {
			return false, nil
		}
		if !replace {
			return false, &ExistsError{Kind: "temporary view", Name: r.name()}
		}
	}
	r = r.clone()
	if r.View != nil {
		r.View.Temporary = true
	}
	c.temp[fold(r.name())] = r
	return true, nil
}

// Temp returns the temporary views whose names match Spark's pattern ("" for
// all), in alphabetical order.
func (c *Catalog) Temp(pattern string) []Relation {
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []Relation
	for _, key := range sortedKeys(c.temp) {
		if r := c.temp[key]; Match(pattern, r.name()) {
			list = append(list, r.clone())
		}
	}
	return list
}

func (c *Catalog) dropTemp(name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.temp[fold(name)]
	delete(c.temp, fold(name))
	return ok
}
