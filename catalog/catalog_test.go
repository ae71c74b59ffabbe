package catalog_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/eslake/eslake/catalog"
	"github.com/eslake/eslake/sql/row"
)

func open(t *testing.T) *catalog.Catalog {
	t.Helper()
	return catalog.Open(filepath.Join(t.TempDir(), "data", "catalog.json"))
}

func create(t *testing.T, c *catalog.Catalog, tables ...*catalog.Table) {
	t.Helper()
	for _, table := range tables {
		if _, err := c.CreateTable(table, false, false); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTableComesBackAsItWas(t *testing.T) {
	c := open(t)
	want := &catalog.Table{
		Database: "default", Name: "Clicks", Provider: "es", As: "org.elasticsearch.spark.sql",
		Columns: row.Schema{
			{Name: "id", Type: row.BigIntType, NotNull: true, Comment: "the key"},
			{Name: "at", Type: row.TimestampType, Default: "current_timestamp()"},
			{Name: "price <&>", Type: row.DecimalType(12, 2)},
			{Name: "tags", Type: row.ArrayType(row.MapType(row.StringType, row.TimestampNTZType))},
			{Name: "geo", Type: row.StructType(row.Field{Name: "a b:c", Type: row.DoubleType, NotNull: true}, row.Field{Name: "n", Type: row.StructType()})},
		},
		Options:    map[string]string{"es.resource": "clicks-2024", "ES.Mapping.ID": "id"},
		Comment:    "a comment",
		Properties: map[string]string{"owner": "ana"},
		Created:    time.Date(2024, 5, 1, 10, 11, 12, 13, time.UTC),
	}
	create(t, c, want)
	got, err := catalog.Open(c.Path()).Table("", "CLICKS")
	if err != nil {
		t.Fatal(err)
	}
	// An empty struct has no fields either way.
	got.Columns[4].Type.Fields[1].Type = row.StructType()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("table =\n%+v, want\n%+v", got, want)
	}
}

// An older eslake knows version 1 alone: a file has version 2 only while a column
// has a default.
func TestVersionIsRaisedForDefaultsOnly(t *testing.T) {
	c := open(t)
	version := func() string {
		data, err := os.ReadFile(c.Path())
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(data), `"version": `)
		return rest[:1]
	}
	create(t, c, &catalog.Table{Database: "default", Name: "a", Provider: "es", Columns: row.Schema{{Name: "n", Type: row.IntType}}})
	if got := version(); got != "1" {
		t.Errorf("without defaults the version is %s", got)
	}
	create(t, c, &catalog.Table{Database: "default", Name: "b", Provider: "es", Columns: row.Schema{{Name: "n", Type: row.IntType, Default: "1"}}})
	if got := version(); got != "2" {
		t.Errorf("with a default the version is %s", got)
	}
	if err := c.DropTable("", "b"); err != nil {
		t.Fatal(err)
	}
	if got := version(); got != "1" {
		t.Errorf("when the default is gone the version is %s", got)
	}
}

func TestEveryKindIsKept(t *testing.T) {
	c := open(t)
	var columns row.Schema
	for k := row.Boolean; k < row.Array; k++ {
		typ := row.Type{Kind: k}
		if k == row.Decimal {
			typ = row.DecimalType(38, 0)
		}
		columns = append(columns, row.Field{Name: typ.String(), Type: typ})
	}
	create(t, c, &catalog.Table{Name: "t", Columns: columns})
	got, err := catalog.Open(c.Path()).Table("", "t")
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.Columns, columns) {
		t.Errorf("columns = %v, want %v", got.Columns, columns)
	}
}

func TestCreateTable(t *testing.T) {
	tests := []struct {
		name                 string
		create               string
		replace, ifNotExists bool
		done                 bool
		err                  string
	}{
		{name: "a new name", create: "b", done: true},
		{name: "a name that is taken", create: "A", err: `table "a" exists already`},
		{name: "replace", create: "A", replace: true, done: true},
		{name: "if not exists", create: "a", ifNotExists: true},
		{name: "the name of a view", create: "v", err: `view "v" exists already`},
		{name: "replace does not reach a view", create: "v", replace: true, err: `view "v" exists already`},
		{name: "no name", create: "", err: `"" cannot be the name of a table`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := open(t)
			create(t, c, &catalog.Table{Name: "a"})
			if _, err := c.CreateView(&catalog.View{Name: "v", Text: "SELECT 1"}, false, false); err != nil {
				t.Fatal(err)
			}
			done, err := c.CreateTable(&catalog.Table{Name: tt.create}, tt.replace, tt.ifNotExists)
			if done != tt.done || text(err) != tt.err {
				t.Errorf("CreateTable = %v, %v; want %v, %v", done, err, tt.done, tt.err)
			}
		})
	}
}

func TestNamesNotFound(t *testing.T) {
	c := open(t)
	create(t, c, &catalog.Table{Name: "clicks"}, &catalog.Table{Name: "users"})
	tests := []struct {
		name string
		do   func() error
		want catalog.NotFoundError
	}{
		{"a near table", func() error { _, err := c.Table("", "clikcs"); return err }, catalog.NotFoundError{Kind: "table", Name: "clikcs", Near: "clicks"}},
		{"nothing near", func() error { return c.DropTable("", "orders") }, catalog.NotFoundError{Kind: "table", Name: "orders"}},
		{"a view that is a table", func() error { return c.DropView("", "users") }, catalog.NotFoundError{Kind: "view", Name: "users"}},
		{"a database", func() error { _, err := c.Lookup("defalt", "x"); return err }, catalog.NotFoundError{Kind: "database", Name: "defalt", Near: "default"}},
		{"use", func() error { return c.Use("nowhere") }, catalog.NotFoundError{Kind: "database", Name: "nowhere"}},
		{"either", func() error { _, err := c.Lookup("", "user"); return err }, catalog.NotFoundError{Kind: "table or view", Name: "user", Near: "users"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got *catalog.NotFoundError
			if err := tt.do(); !errors.As(err, &got) || *got != tt.want {
				t.Errorf("error = %+v, want %+v", err, tt.want)
			}
		})
	}
}

func TestDropRenameAlter(t *testing.T) {
	c := open(t)
	create(t, c, &catalog.Table{Name: "a"}, &catalog.Table{Name: "b"})
	if err := c.RenameTable("", "a", "B"); text(err) != `table "b" exists already` {
		t.Errorf("rename onto another: %v", err)
	}
	if err := c.RenameTable("", "a", "A2"); err != nil {
		t.Error(err)
	}
	if err := c.DropTable("", "b"); err != nil {
		t.Error(err)
	}
	boom := errors.New("boom")
	if err := c.AlterTable("", "a2", func(t *catalog.Table) error { t.Comment = "lost"; return boom }); !errors.Is(err, boom) {
		t.Error(err)
	}
	if err := c.AlterTable("", "a2", func(t *catalog.Table) error { t.Options = map[string]string{"k": "v"}; return nil }); err != nil {
		t.Error(err)
	}
	tables, err := c.Tables("", "")
	if err != nil || len(tables) != 1 || tables[0].Name != "A2" || tables[0].Comment != "" || tables[0].Options["k"] != "v" {
		t.Errorf("tables = %+v, %v", tables, err)
	}
}

func TestDatabases(t *testing.T) {
	c := open(t)
	if done, err := c.CreateDatabase(catalog.Database{Name: "Web", Comment: "c"}, false); !done || err != nil {
		t.Fatal(done, err)
	}
	if _, err := c.CreateDatabase(catalog.Database{Name: "WEB"}, false); text(err) != `database "Web" exists already` {
		t.Error(err)
	}
	if done, err := c.CreateDatabase(catalog.Database{Name: "WEB"}, true); done || err != nil {
		t.Error(done, err)
	}
	create(t, c, &catalog.Table{Database: "web", Name: "t"})
	if err := c.Use("web"); err != nil || c.Current() != "Web" {
		t.Error(c.Current(), err)
	}
	if table, err := c.Table("", "T"); err != nil || table.Database != "Web" {
		t.Error(table, err)
	}
	if err := c.DropDatabase("web", false); err == nil || !strings.Contains(err.Error(), "CASCADE") {
		t.Error(err)
	}
	if err := c.DropDatabase("Default", true); err == nil {
		t.Error("default was dropped")
	}
	if err := c.DropDatabase("web", true); err != nil {
		t.Error(err)
	}
	list, err := c.Databases("")
	if err != nil || len(list) != 1 || list[0].Name != "default" {
		t.Error(list, err)
	}
}

func TestTemporaryViewsShadow(t *testing.T) {
	c := open(t)
	create(t, c, &catalog.Table{Name: "t"})
	temp := catalog.Relation{View: &catalog.View{Name: "T", Text: "SELECT 1"}}
	if done, err := c.CreateTemp(temp, false, false); !done || err != nil {
		t.Fatal(done, err)
	}
	if _, err := c.CreateTemp(temp, false, false); text(err) != `temporary view "T" exists already` {
		t.Error(err)
	}
	if r, err := c.Lookup("", "t"); err != nil || r.View == nil || !r.View.Temporary {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := c.Lookup("default", "t"); err != nil || r.Table == nil {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := catalog.Open(c.Path()).Lookup("", "t"); err != nil || r.Table == nil {
		t.Errorf("another session sees %+v, %v", r, err)
	}
	if err := c.DropView("", "t"); err != nil {
		t.Error(err)
	}
	if list := c.Temp(""); len(list) != 0 {
		t.Error(list)
	}
}

func TestForeignFileIsLeftAsItIs(t *testing.T) {
	tests := []struct{ name, data, want string }{
		{"empty", "", "not a catalog of eslake"},
		{"not JSON", "hello", "not a catalog of eslake"},
		{"half of it", `{"format": "eslake catalog", "version": 1, "databases": [{"na`, "not a catalog of eslake"},
		{"another program's", `{"version": 1}`, "not a catalog of eslake"},
		{"a newer version", `{"format": "eslake catalog", "version": 3}`, "version 3 of the format"},
		{"a field of the future", `{"format": "eslake catalog", "version": 1, "databases": [], "x": 1}`, `unknown field "x"`},
		{"something behind", `{"format": "eslake catalog", "version": 1, "databases": []} {}`, "not a catalog"},
		{"a type that is none", `{"format": "eslake catalog", "version": 1, "databases": [{"name": "d", "tables": [{"name": "t", "columns": [{"name": "c", "type": "bigit"}]}]}]}`, "bigit"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "catalog.json")
			if err := os.WriteFile(path, []byte(tt.data), 0o600); err != nil {
				t.Fatal(err)
			}
			c := catalog.Open(path)
			_, readErr := c.Table("", "t")
			_, writeErr := c.CreateTable(&catalog.Table{Name: "t"}, false, false)
			for _, err := range []error{readErr, writeErr} {
				var fileErr *catalog.FileError
				if !errors.As(err, &fileErr) || fileErr.Path != path || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("error = %v, want %q and the path", err, tt.want)
				}
			}
			if data, _ := os.ReadFile(path); string(data) != tt.data {
				t.Errorf("the file is now %q", data)
			}
		})
	}
}

func TestNothingIsMadeByLooking(t *testing.T) {
	c := open(t)
	if tables, err := c.Tables("", ""); err != nil || len(tables) != 0 {
		t.Error(tables, err)
	}
	if _, err := os.Stat(filepath.Dir(c.Path())); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder was made: %v", err)
	}
}

func TestMatch(t *testing.T) {
	tests := []struct {
		pattern, name string
		want          bool
	}{
		{"", "x", true},
		{"clicks", "Clicks", true},
		{"click", "clicks", false},
		{"c*s", "clicks", true},
		{"*ick*", "clicks", true},
		{"c*k*k", "clik", false},
		{"a*a", "a", false},
		{"users|c*", "clicks", true},
		{"c%", "clicks", true},
		{".*", "clicks", false},
	}
	for _, tt := range tests {
		if got := catalog.Match(tt.pattern, tt.name); got != tt.want {
			t.Errorf("Match(%q, %q) = %v", tt.pattern, tt.name, got)
		}
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
