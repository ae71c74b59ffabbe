package exec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/eslake/eslake/sql/row"
	"github.com/go-json-experiment/json/jsontext"
)

// set gives a document the values of a row.
func (s *Statement) set(doc []byte, set []Assigned, values []byte, b *row.Batch, i int) ([]byte, error) {
	list, err := members(values)
	if err != nil {
		return nil, err
	}
	for _, a := range set {
		if a.NotNull && b.Columns[a.Column].IsNull(i) {
			return nil, fmt.Errorf("column %s is NOT NULL, the value is NULL", row.QuoteName(a.Name))
		}
		value := memberNamed(values, list, strings.Join(a.Path, "."))
		if slices.Equal(a.Path, s.IDPath) {
			if err := sameID(doc, a, value); err != nil {
				return nil, err
			}
			continue
		}
		if doc, err = setValue(doc, a.Path, a.Dotted, a.Type, value); err != nil {
			return nil, err
		}
	}
	return doc, nil
}

// setValue sets a field. A struct is set field by field, so that what the table
// does not know of it stays.
func setValue(doc []byte, path []string, dotted bool, t row.Type, value []byte) ([]byte, error) {
	if t.Kind != row.Struct || len(value) == 0 || value[0] != '{' {
		return setField(doc, path, dotted, value)
	}
	list, err := members(value)
	if err != nil {
		return nil, err
	}
	for _, f := range t.Fields {
		inner := append(slices.Clone(path), strings.Split(f.Name, ".")...)
		if doc, err = setValue(doc, inner, dotted, f.Type, memberNamed(value, list, f.Name)); err != nil {
			return nil, err
		}
	}
	return doc, nil
}

// memberNamed returns the value of a member, compared without case where the
// exact name is not there; nil for none.
func memberNamed(obj []byte, list []member, name string) []byte {
	var found []byte
	for _, m := range list {
		if m.name == name {
			return obj[m.value:m.end]
		}
		if found == nil && strings.EqualFold(m.name, name) {
			found = obj[m.value:m.end]
		}
	}
	return found
}

// sameID refuses another value of the field that the id of the document was made
// of.
func sameID(doc []byte, a Assigned, value []byte) error {
	old, err := fieldOf(doc, a.Path)
	if err != nil {
		return err
	}
	if unquoted(old) == unquoted(value) || old != nil && value != nil && sameDocument(old, value) {
		return nil
	}
	return &IDChangeError{Column: a.Name, Old: string(old), New: string(value)}
}

func unquoted(value []byte) string {
	if len(value) > 0 && value[0] == '"' {
		if text, err := jsontext.AppendUnquote(nil, value); err == nil {
			return string(text)
		}
	}
	return string(value)
}

// IDChangeError is a new value for the column that ids come from.
type IDChangeError struct {
	Column, Old, New string // the values as JSON; "" for NULL
}

// Error names the column and both values.
func (e *IDChangeError) Error() string {
	show := func(v string) string {
		if v == "" {
			return "NULL"
		}
		return v
	}
	return fmt.Sprintf("column %s holds the id of the document, and would change from %s to %s", row.QuoteName(e.Column), show(e.Old), show(e.New))
}
