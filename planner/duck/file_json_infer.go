package duck

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/eslake/eslake/sql/row"
)

// jsonSchema finds the columns of json files by reading them: all names, in
// alphabetical order, with the types that hold all their values.
func jsonSchema(ctx context.Context, list []string, d *jsonDialect) (row.Schema, error) {
	all := row.StructType()
	for _, path := range list {
		f, err := openJSON(path, d, nil)
		if err != nil {
			return nil, err
		}
		err = inferJSONFile(ctx, f, d, &all)
		f.close()
		if err != nil {
			return nil, err
		}
	}
	return settled(all).Fields, nil
}

func inferJSONFile(ctx context.Context, f *jsonFile, d *jsonDialect, all *row.Type) error {
	for n := 0; ; n++ {
		if n%row.BatchSize == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		v, err := f.value()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil && v.Kind() != '{' {
			err = f.fail(errors.New("an object is expected"), v)
		}
		if err != nil {
			if d.mode == failFast {
				return err
			}
			continue
		}
		t, err := jsonType(v)
		if err != nil {
			return f.fail(err, v)
		}
		*all = widest(*all, t)
	}
}

// jsonType is the type of a value; Void of null.
func jsonType(v jsontext.Value) (row.Type, error) {
	switch v.Kind() {
	case 't', 'f':
		return row.BooleanType, nil
	case '"':
		return row.StringType, nil
	case '0':
		return numberType(v), nil
	case '[':
		elem := row.VoidType
		err := parts(v, func(_ []byte, v jsontext.Value) error {
			t, err := jsonType(v)
			elem = widest(elem, t)
			return err
		})
		return row.ArrayType(elem), err
	case '{':
		t := row.StructType()
		err := parts(v, func(name []byte, v jsontext.Value) error {
			inner, err := jsonType(v)
			t = widest(t, row.StructType(row.Field{Name: string(name), Type: inner}))
			return err
		})
		return t, err
	}
	return row.VoidType, nil
}

func numberType(v jsontext.Value) row.Type {
	if bytes.ContainsAny(v, ".eE") {
		return row.DoubleType
	}
	if _, err := strconv.ParseInt(string(v), 10, 64); err == nil {
		return row.BigIntType
	}
	if digits := len(bytes.TrimLeft(v, "-")); digits <= 38 {
		return row.DecimalType(digits, 0)
	}
	return row.DoubleType
}

// widest returns a type that holds the values of both: text where nothing else
// does.
func widest(a, b row.Type) row.Type {
	switch {
	case a.Kind == row.Void:
		return b
	case b.Kind == row.Void || a.Equal(b) && !a.Nested():
		return a
	case a.Kind == row.Array && b.Kind == row.Array:
		return row.ArrayType(widest(*a.Elem, *b.Elem))
	case a.Kind == row.Struct && b.Kind == row.Struct:
		fields := slices.Clone(a.Fields)
		for _, f := range b.Fields {
			i, found := slices.BinarySearchFunc(fields, f.Name, func(g row.Field, name string) int { return strings.Compare(g.Name, name) })
			if found {
				fields[i].Type = widest(fields[i].Type, f.Type)
			} else {
				fields = slices.Insert(fields, i, f)
			}
		}
		return row.Type{Kind: row.Struct, Fields: fields}
	case a.Numeric() && b.Numeric():
		if a.Kind == row.Double || b.Kind == row.Double {
			return row.DoubleType
		}
		return row.DecimalType(max(a.Precision, b.Precision, 20), 0)
	}
	return row.StringType
}

// settled makes text of what was never anything but null.
func settled(t row.Type) row.Type {
	switch t.Kind {
	case row.Void:
		return row.StringType
	case row.Array:
		return row.ArrayType(settled(*t.Elem))
	case row.Struct:
		fields := row.Schema{}
		for _, f := range t.Fields {
			if f.Type.Kind == row.Struct && len(f.Type.Fields) == 0 {
				continue // Spark has no column for what is only ever {}
			}
			fields = append(fields, row.Field{Name: f.Name, Type: settled(f.Type)})
		}
		return row.Type{Kind: row.Struct, Fields: fields}
	}
	return t
}
