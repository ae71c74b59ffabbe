package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/esds/duckdb"
	"github.com/eslake/eslake/sql/row"
)

// The columns of every table besides those of the mapping.
var hidden = row.Schema{
	{Name: "_id", Type: row.StringType},
	{Name: "_seq_no", Type: row.BigIntType},
	{Name: "_version", Type: row.BigIntType},
	{Name: "_null", Type: row.ArrayType(row.StringType)}, // fields that were written as null; NULL for none
}

// stored is an index of the lake. It is never changed once it is made.
type stored struct {
	name    string
	def     esds.Definition
	fields  []esds.Field // of the mapping
	columns row.Schema   // of the table, without the hidden ones
	aliases map[string]aliasDef
	dynamic string // "true", "false" or "strict"

	// identity is the staging index that this one was, "" when it was none; it is
	// the comment of the table.
	identity string
}

type aliasDef struct {
	Write  *bool           `json:"is_write_index,omitempty"`
	Filter json.RawMessage `json:"filter,omitempty"`
}

// newStored reads a definition. Columns is nil when the table is to be made from
// the mapping.
func newStored(name string, def esds.Definition, columns row.Schema) (*stored, error) {
	x := &stored{name: name, def: def, columns: columns, aliases: map[string]aliasDef{}, dynamic: "true"}
	if len(def.Mappings) > 0 {
		var err error
		if x.fields, err = esds.ParseMapping(def.Mappings); err != nil {
			return nil, err
		}
		x.dynamic = dynamicOf(def.Mappings)
	}
	if len(def.Aliases) > 0 {
		if err := json.Unmarshal(def.Aliases, &x.aliases); err != nil {
			return nil, fmt.Errorf("the aliases cannot be read: %w", err)
		}
	}
	for alias, a := range x.aliases {
		if len(a.Filter) > 0 {
			return nil, fmt.Errorf("the alias %s has a filter, which the embedded lake does not have", alias)
		}
	}
	if columns == nil {
		return x, x.makeColumns()
	}
	return x, nil
}

func dynamicOf(mappings []byte) string {
	var m struct {
		Dynamic  any `json:"dynamic"`
		Mappings *struct {
			Dynamic any `json:"dynamic"`
		} `json:"mappings"`
	}
	if json.Unmarshal(mappings, &m) != nil {
		return "true"
	}
	v := m.Dynamic
	if m.Mappings != nil {
		v = m.Mappings.Dynamic
	}
	if v == nil {
		return "true"
	}
	return fmt.Sprint(v)
}

// makeColumns gives every field of the mapping that documents hold a column.
func (x *stored) makeColumns() error {
	seen := map[string]string{}
	for _, f := range x.fields {
		if f.Kind == "alias" || f.Runtime {
			continue
		}
		if other, ok := seen[strings.ToLower(f.Path)]; ok {
			return fmt.Errorf("the fields %s and %s differ only in case, which the embedded lake cannot hold", other, f.Path)
		}
		seen[strings.ToLower(f.Path)] = f.Path
		x.columns = append(x.columns, row.Field{Name: f.Path, Type: storedType(f.Type())})
	}
	return nil
}

// storedType is the type of the column for a type of the mapping: a struct
// without fields and the like have none in DuckDB and are kept as JSON.
func storedType(t row.Type) row.Type {
	switch {
	case t.Kind == row.Array:
		return row.ArrayType(storedType(*t.Elem))
	case t.Kind == row.Map:
		return row.MapType(storedType(*t.Key), storedType(*t.Elem))
	case t.Kind == row.Struct && len(t.Fields) > 0:
		fields := make(row.Schema, len(t.Fields))
		for i, f := range t.Fields {
			fields[i] = row.Field{Name: f.Name, Type: storedType(f.Type)}
		}
		return row.StructType(fields...)
	case t.Kind == row.Struct, t.Kind == row.Void, t.Kind == row.Interval:
		return row.StringType
	}
	return t
}

// createSQL makes the table.
func (x *stored) createSQL(table string) string {
	parts := make([]string, 0, len(hidden)+len(x.columns))
	for _, columns := range []row.Schema{hidden, x.columns} {
		for _, f := range columns {
			parts = append(parts, duckdb.Name(f.Name)+" "+duckdb.TypeSQL(f.Type))
		}
	}
	return "CREATE TABLE " + table + " (" + strings.Join(parts, ", ") + ")"
}

// saveSQL writes the definition.
func (x *stored) saveSQL(meta string) string {
	name := duckdb.Text(x.name)
	return fmt.Sprintf("DELETE FROM %s WHERE name = %s; INSERT INTO %s VALUES (%s, %s, %s, %s)",
		meta, name, meta, name, orNull(x.def.Mappings), orNull(x.def.Settings), orNull(x.def.Aliases))
}

func orNull(json []byte) string {
	if json == nil {
		return "NULL"
	}
	return duckdb.Text(string(json))
}

// loadIndices reads all definitions, and from the tables what is stored.
func (s *Source) loadIndices(ctx context.Context, c *duckdb.Conn, meta string) error {
	r, err := c.Query(ctx, "SELECT name, mappings, settings, aliases FROM "+meta, nil)
	if err != nil {
		return err
	}
	rows, err := row.ReadAll(ctx, r)
	if err != nil {
		return err
	}
	for _, values := range rows {
		name, _ := values[0].(string)
		x, err := s.loadIndex(ctx, c, name, esds.Definition{Mappings: asJSON(values[1]), Settings: asJSON(values[2]), Aliases: asJSON(values[3])})
		if err != nil {
			return fmt.Errorf("index %s: %w", name, err)
		}
		s.indices[name] = x
	}
	return s.loadIdentities(ctx, c)
}

// loadIdentities reads the comments of the tables.
func (s *Source) loadIdentities(ctx context.Context, c *duckdb.Conn) error {
	r, err := c.Query(ctx, "SELECT table_name, comment FROM duckdb_tables() WHERE comment IS NOT NULL AND database_name = "+duckdb.Text(s.catalog), nil)
	if err != nil {
		return err
	}
	rows, err := row.ReadAll(ctx, r)
	if err != nil {
		return err
	}
	for _, values := range rows {
		name, _ := values[0].(string)
		if x := s.indices[name]; x != nil {
			x.identity, _ = values[1].(string)
		}
	}
	return nil
}

func asJSON(v any) []byte {
	if text, ok := v.(string); ok {
		return []byte(text)
	}
	return nil
}

func (s *Source) loadIndex(ctx context.Context, c *duckdb.Conn, name string, def esds.Definition) (*stored, error) {
	r, err := c.Query(ctx, "SELECT * FROM "+s.table(name)+" LIMIT 0", nil)
	if err != nil {
		return nil, err
	}
	columns := r.Schema()
	r.Close()
	if len(columns) < len(hidden) {
		return nil, errors.New("the table is not one of the lake's")
	}
	return newStored(name, def, columns[len(hidden):])
}
