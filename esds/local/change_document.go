package local

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/eslake/eslake/sql/row"
)

// document is a JSON object, member by member.
type document struct {
	names  []string
	values []jsontext.Value
}

func readDocument(text []byte) (*document, error) {
	d := &document{}
	v := jsontext.Value(bytes.TrimSpace(text))
	if v.Kind() != '{' || !v.IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
		return nil, fmt.Errorf("the document is not a JSON object")
	}
	return d, eachJSON(v, func(name string, v jsontext.Value) error {
		d.names, d.values = append(d.names, name), append(d.values, v.Clone())
		return nil
	})
}

// eachJSON calls f for every element of a list, or every member of an object. A
// value is good until f returns.
func eachJSON(v jsontext.Value, f func(name string, v jsontext.Value) error) error {
	dec := jsontext.NewDecoder(bytes.NewReader(v), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	for dec.PeekKind() != ']' && dec.PeekKind() != '}' {
		name := ""
		if v.Kind() == '{' {
			token, err := dec.ReadToken()
			if err != nil {
				return err
			}
			name = token.String()
		}
		inner, err := dec.ReadValue()
		if err == nil {
			err = f(name, inner)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// check refuses fields that a strict mapping lacks.
func (d *document) check(strict map[string]bool) *fieldError {
	for _, name := range d.names {
		if strict[name] {
			return &fieldError{"strict_dynamic_mapping_exception", fmt.Sprintf("mapping set to strict, dynamic introduction of [%s] within [_doc] is not allowed", name)}
		}
	}
	return nil
}

// infer adds to fresh what the document holds and the table may lack.
func (d *document) infer(fresh *row.Schema, x *stored) {
	for i, name := range d.names {
		v := d.values[i]
		at := x.columns.Index(name)
		if at >= 0 && !x.columns[at].Type.Nested() && v.Kind() != '[' || v.Kind() == 'n' {
			continue
		}
		t := inferJSON(v)
		if k := fresh.Index(name); k >= 0 {
			(*fresh)[k].Type = unify((*fresh)[k].Type, t)
			continue
		}
		*fresh = append(*fresh, row.Field{Name: name, Type: t})
	}
}

// inferJSON returns the type for a value, as a dynamic mapping would.
func inferJSON(v jsontext.Value) row.Type {
	switch v.Kind() {
	case 't', 'f':
		return row.BooleanType
	case '0':
		return inferNumber(string(v))
	case '[':
		elem := row.VoidType
		_ = eachJSON(v, func(_ string, v jsontext.Value) error {
			elem = unify(elem, inferJSON(v))
			return nil
		})
		return row.ArrayType(elem)
	case '{':
		var fields row.Schema
		_ = eachJSON(v, func(name string, v jsontext.Value) error {
			if v.Kind() == 'n' {
				return nil
			}
			t := inferJSON(v)
			if k := fields.Index(name); k >= 0 {
				fields[k].Type = unify(fields[k].Type, t)
			} else {
				fields = append(fields, row.Field{Name: name, Type: t})
			}
			return nil
		})
		return row.StructType(fields...)
	case 'n':
		return row.VoidType
	}
	return row.StringType
}

func inferNumber(text string) row.Type {
	if _, err := strconv.ParseInt(text, 10, 64); err == nil {
		return row.BigIntType
	}
	if digits := strings.TrimPrefix(text, "-"); !strings.ContainsAny(digits, ".eE") && len(digits) <= 38 {
		return row.DecimalType(38, 0)
	}
	return row.DoubleType
}

// unify returns a type that holds the values of both.
func unify(a, b row.Type) row.Type {
	switch {
	case a.Equal(b), b.Kind == row.Void:
		return a
	case a.Kind == row.Void:
		return b
	case a.Kind == row.Array && b.Kind == row.Array:
		return row.ArrayType(unify(*a.Elem, *b.Elem))
	case a.Kind == row.Array:
		return row.ArrayType(unify(*a.Elem, b))
	case b.Kind == row.Array:
		return row.ArrayType(unify(a, *b.Elem))
	case a.Kind == row.Struct && b.Kind == row.Struct:
		fields := append(row.Schema{}, a.Fields...)
		for _, f := range b.Fields {
			if k := fields.Index(f.Name); k >= 0 {
				fields[k].Type = unify(fields[k].Type, f.Type)
			} else {
				fields = append(fields, f)
			}
		}
		return row.StructType(fields...)
	case a.Kind == row.BigInt && b.Kind == row.Decimal, a.Kind == row.Decimal && b.Kind == row.BigInt:
		return row.DecimalType(38, 0)
	case a.Numeric() && b.Numeric():
		return row.DoubleType
	}
	return row.StringType
}

// appendTo appends the values to the columns of the table, those of _null
// included. On a problem nothing is appended.
func (d *document) appendTo(rows *row.Batch, x *stored) *fieldError {
	cells := make([]jsontext.Value, len(x.columns))
	nulls := rows.Columns[3]
	written := false
	for i, name := range d.names {
		at, v := x.place(name, d.values[i])
		if v.Kind() == 'n' {
			nulls.Children[0].AppendString(name)
			written = true
		}
		if at >= 0 {
			cells[at] = mergeCells(cells[at], v)
		}
	}
	if written {
		nulls.EndNested()
	} else {
		nulls.AppendNull()
	}
	for k, v := range cells {
		col := rows.Columns[len(hidden)+k]
		if v == nil {
			col.AppendNull()
			continue
		}
		if err := storeJSON(col, v, keepsJSON(x, x.columns[k].Name)); err != nil {
			for _, c := range rows.Columns[3 : len(hidden)+k+1] {
				c.Truncate(rows.Len)
			}
			return &fieldError{"document_parsing_exception", fmt.Sprintf("failed to parse field [%s] of type [%s]: %v", x.columns[k].Name, col.Type, err)}
		}
	}
	return nil
}

// place finds the column for a member: one of its name, or the object that a
// dotted name leads into, with the value wrapped accordingly.
func (x *stored) place(name string, v jsontext.Value) (int, jsontext.Value) {
	if at := x.columns.Index(name); at >= 0 {
		return at, v
	}
	parts := strings.Split(name, ".")
	for i := len(parts) - 1; i > 0 && len(parts) > 1; i-- {
		inner := row.AppendQuoted([]byte{'{'}, parts[i])
		v = append(append(append(inner, ':'), v...), '}')
		if at := x.columns.Index(strings.Join(parts[:i], ".")); at >= 0 {
			return at, v
		}
	}
	return -1, v
}

// mergeCells joins two objects that come for one column; else the later wins.
func mergeCells(a, b jsontext.Value) jsontext.Value {
	if a == nil || a.Kind() != '{' || b.Kind() != '{' {
		return b
	}
	names, values := []string{}, map[string]jsontext.Value{}
	for _, v := range []jsontext.Value{a, b} {
		_ = eachJSON(v, func(name string, v jsontext.Value) error {
			if values[name] == nil {
				names = append(names, name)
			}
			values[name] = mergeCells(values[name], v.Clone())
			return nil
		})
	}
	out := []byte{'{'}
	for i, name := range names {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(row.AppendQuoted(out, name), ':'), values[name]...)
	}
	return append(out, '}')
}

// storeJSON appends a value, as Elasticsearch takes it for a field of the type:
// numbers from text, a list from one value. Json says that the column keeps JSON
// of any form as text.
func storeJSON(dst *row.Column, v jsontext.Value, json bool) error {
	switch t := dst.Type; {
	case v.Kind() == 'n':
		dst.AppendNull()
		return nil
	case t.Kind == row.Array:
		return storeList(dst, v, json)
	case t.Kind == row.Struct && v.Kind() == '{':
		return storeObject(dst, v, json)
	case t.Kind == row.String && json:
		return storeText(dst, v)
	case t.Integral() && v.Kind() == '0' && strings.ContainsAny(string(v), ".eE"):
		f, err := strconv.ParseFloat(string(v), 64)
		if err != nil {
			return err
		}
		return convertFloat(dst, f)
	case (t.Kind == row.Timestamp || t.Kind == row.TimestampNTZ) && v.Kind() == '0': // milliseconds
		ms, err := strconv.ParseInt(string(v), 10, 64)
		if err != nil {
			return fmt.Errorf("%s is not a whole number of milliseconds", v)
		}
		dst.AppendInt(ms * 1000)
		return nil
	}
	return row.ParseJSON(dst, v)
}

func storeList(dst *row.Column, v jsontext.Value, json bool) error {
	n := dst.Len()
	var err error
	if v.Kind() != '[' {
		err = storeJSON(dst.Children[0], v, json)
	} else {
		err = eachJSON(v, func(_ string, v jsontext.Value) error { return storeJSON(dst.Children[0], v, json) })
	}
	if err != nil {
		dst.Truncate(n)
		return err
	}
	dst.EndNested()
	return nil
}

func storeObject(dst *row.Column, v jsontext.Value, json bool) error {
	n := dst.Len()
	cells := make([]jsontext.Value, len(dst.Type.Fields))
	inner := &stored{columns: dst.Type.Fields}
	err := eachJSON(v, func(name string, v jsontext.Value) error {
		if at, v := inner.place(name, v.Clone()); at >= 0 {
			cells[at] = mergeCells(cells[at], v)
		}
		return nil
	})
	for k := range cells {
		if err != nil {
			break
		}
		if cells[k] == nil {
			dst.Children[k].AppendNull()
			continue
		}
		err = storeJSON(dst.Children[k], cells[k], json)
	}
	if err != nil {
		for _, child := range dst.Children {
			child.Truncate(n)
		}
		return err
	}
	dst.EndNested()
	return nil
}

// storeText keeps JSON as text: of a string its text, where that cannot be taken
// for JSON.
func storeText(dst *row.Column, v jsontext.Value) error {
	if v.Kind() == '"' {
		text, err := jsontext.AppendUnquote(nil, v)
		if err != nil {
			return err
		}
		if !jsontext.Value(text).IsValid() {
			dst.AppendText(text)
			return nil
		}
	}
	dst.AppendText(v)
	return nil
}
