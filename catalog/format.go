package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/eslake/eslake/sql/lex"
	"github.com/eslake/eslake/sql/row"
)

// The format of the file. A version is raised when an older eslake could not
// read the file or would lose something by writing it.
const (
	formatName     = "eslake catalog"
	formatVersion  = 1 // of files that an eslake without defaults can read and write
	defaultVersion = 2 // of files with the DEFAULT of a column
)

type fileJSON struct {
	Format    string         `json:"format"`
	Version   int            `json:"version"`
	Databases []databaseJSON `json:"databases"`
}

type databaseJSON struct {
	Name    string      `json:"name"`
	Comment string      `json:"comment,omitempty"`
	Created time.Time   `json:"created,omitzero"`
	Tables  []tableJSON `json:"tables"`
	Views   []viewJSON  `json:"views"`
}

type tableJSON struct {
	Name       string            `json:"name"`
	Provider   string            `json:"provider"`
	As         string            `json:"as,omitempty"`
	Columns    []fieldJSON       `json:"columns,omitempty"`
	Options    map[string]string `json:"options,omitempty"`
	Properties map[string]string `json:"properties,omitempty"`
	Comment    string            `json:"comment,omitempty"`
	Created    time.Time         `json:"created,omitzero"`
	Secrets    []secretRef       `json:"secrets,omitempty"`
}

type viewJSON struct {
	Name       string            `json:"name"`
	Columns    []ViewColumn      `json:"columns,omitempty"`
	Text       string            `json:"text"`
	Properties map[string]string `json:"properties,omitempty"`
	Comment    string            `json:"comment,omitempty"`
	Created    time.Time         `json:"created,omitzero"`
	Secrets    []secretRef       `json:"secrets,omitempty"`
}

// content is what a file holds, under folded names.
type content struct {
	databases map[string]*database
}

func newContent() *content {
	return &content{databases: map[string]*database{
		DefaultDatabase: {name: DefaultDatabase, entries: map[string]*entry{}},
	}}
}

// clone copies as deep as update changes: entries are replaced, never changed.
func (c *content) clone() *content {
	next := &content{databases: map[string]*database{}}
	for key, d := range c.databases {
		copied := *d
		copied.entries = maps.Clone(d.entries)
		next.databases[key] = &copied
	}
	return next
}

func (c *content) database(name string) (*database, error) {
	d, ok := c.databases[fold(name)]
	if ok {
		return d, nil
	}
	var names []string
	for _, d := range c.databases {
		names = append(names, d.name)
	}
	return nil, &NotFoundError{Kind: "database", Name: name, Near: lex.Near(name, names)}
}

func (c *content) refs() []string {
	var refs []string
	for _, d := range c.databases {
		for _, e := range d.entries {
			for _, s := range e.secrets {
				refs = append(refs, s.Ref)
			}
		}
	}
	return refs
}

func (c *content) encode() []byte {
	file := fileJSON{Format: formatName, Version: c.version()}
	for _, key := range sortedKeys(c.databases) {
		d := c.databases[key]
		out := databaseJSON{Name: d.name, Comment: d.comment, Created: d.created, Tables: []tableJSON{}, Views: []viewJSON{}}
		for _, key := range sortedKeys(d.entries) {
			out.add(d.entries[key])
		}
		file.Databases = append(file.Databases, out)
	}
	return encodeJSON(file)
}

// version is the lowest version of the format that keeps everything.
func (c *content) version() int {
	for _, d := range c.databases {
		for _, e := range d.entries {
			if t := e.relation.Table; t != nil && slices.ContainsFunc(t.Columns, func(f row.Field) bool { return f.Default != "" }) {
				return defaultVersion
			}
		}
	}
	return formatVersion
}

func (d *databaseJSON) add(e *entry) {
	if t := e.relation.Table; t != nil {
		d.Tables = append(d.Tables, tableJSON{
			Name: t.Name, Provider: t.Provider, As: t.As, Columns: encodeFields(t.Columns), Options: t.Options,
			Properties: t.Properties, Comment: t.Comment, Created: t.Created, Secrets: e.secrets,
		})
		return
	}
	v := e.relation.View
	d.Views = append(d.Views, viewJSON{
		Name: v.Name, Columns: v.Columns, Text: v.Text, Properties: v.Properties, Comment: v.Comment,
		Created: v.Created, Secrets: e.secrets,
	})
}

// errForeign is a file that some other program wrote, or that is cut off.
var errForeign = errors.New("not a catalog of eslake; it is left as it is (move it away, or name another with --catalog)")

func decode(data []byte) (*content, error) {
	var head struct {
		Format  string `json:"format"`
		Version int    `json:"version"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("%w: %w", errForeign, err)
	}
	if head.Format != formatName {
		return nil, errForeign
	}
	if head.Version < formatVersion || head.Version > defaultVersion {
		return nil, fmt.Errorf("version %d of the format, this eslake knows versions %d to %d; it is left as it is", head.Version, formatVersion, defaultVersion)
	}
	var file fileJSON
	if err := decodeJSON(data, &file); err != nil {
		return nil, fmt.Errorf("%w: %w", errForeign, err)
	}
	c := newContent()
	for _, d := range file.Databases {
		decoded, err := d.decode()
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errForeign, err)
		}
		c.databases[fold(d.Name)] = decoded
	}
	return c, nil
}

func (d databaseJSON) decode() (*database, error) {
	out := &database{name: d.Name, comment: d.Comment, created: d.Created, entries: map[string]*entry{}}
	for _, t := range d.Tables {
		columns, err := decodeFields(t.Columns)
		if err != nil {
			return nil, fmt.Errorf("table %s: %w", t.Name, err)
		}
		out.entries[fold(t.Name)] = &entry{secrets: t.Secrets, relation: Relation{Table: &Table{
			Database: d.Name, Name: t.Name, Provider: t.Provider, As: t.As, Columns: columns, Options: t.Options,
			Properties: t.Properties, Comment: t.Comment, Created: t.Created,
		}}}
	}
	for _, v := range d.Views {
		out.entries[fold(v.Name)] = &entry{secrets: v.Secrets, relation: Relation{View: &View{
			Database: d.Name, Name: v.Name, Columns: v.Columns, Text: v.Text, Properties: v.Properties,
			Comment: v.Comment, Created: v.Created,
		}}}
	}
	return out, nil
}

type credentialsJSON struct {
	Format  string            `json:"format"`
	Version int               `json:"version"`
	Secrets map[string]string `json:"secrets"`
}

const credentialsName = "eslake credentials"

func encodeCredentials(c credentials) []byte {
	return encodeJSON(credentialsJSON{Format: credentialsName, Version: formatVersion, Secrets: c})
}

func decodeCredentials(data []byte) (credentials, error) {
	var file credentialsJSON
	err := decodeJSON(data, &file)
	if err != nil || file.Format != credentialsName || file.Version != formatVersion {
		return nil, errors.New("not a credentials file of eslake; it is left as it is") // no cause: it might quote a secret
	}
	if file.Secrets == nil {
		file.Secrets = map[string]string{}
	}
	return file.Secrets, nil
}

// encodeJSON writes JSON for people: a field a line, < and > as they are.
func encodeJSON(v any) []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	_ = enc.Encode(v) // plain values always encode
	return out.Bytes()
}

// decodeJSON reads one JSON value and refuses fields that it does not know:
// writing the file would lose them.
func decodeJSON(data []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return err
	}
	if _, err := dec.Token(); err != io.EOF {
		return errors.New("something follows the end")
	}
	return nil
}

func encodeFields(s row.Schema) []fieldJSON {
	out := make([]fieldJSON, 0, len(s))
	for _, f := range s {
		out = append(out, fieldJSON{Name: f.Name, Type: typeJSON(f.Type), NotNull: f.NotNull, Comment: f.Comment, Default: f.Default})
	}
	return out
}

func decodeFields(fields []fieldJSON) (row.Schema, error) {
	var out row.Schema
	for _, f := range fields {
		if row.Type(f.Type).Equal(row.VoidType) {
			return nil, fmt.Errorf("column %s has no type", f.Name)
		}
		out = append(out, row.Field{Name: f.Name, Type: row.Type(f.Type), NotNull: f.NotNull, Comment: f.Comment, Default: f.Default})
	}
	return out, nil
}
