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
		switch {
		case err == nil:
		case d.mode == failFast:
			return err
		case d.mode == permissive: // Spark has a column for such lines
			*all = widest(*all, row.StructType(row.Field{Name: d.corrupt, Type: row.StringType}))
			continue
		default:
			continue
		}
		t, err := d.typeOf(v)
		if err != nil {
			return f.fail(err, v)
		}
		*all = widest(*all, t)
	}
}

// typeOf is the type of a value; Void of null.
func (d *jsonDialect) typeOf(v jsontext.Value) (row.Type, error) {
	kind := v.Kind()
	if d.texts && (kind == 't' || kind == 'f' || kind == '0') {
		return row.StringType, nil
	}
	switch kind {
	case 't', 'f':
		return row.BooleanType, nil
	case '"':
		return row.StringType, nil
	case '0':
		return d.numberType(v), nil
	case '[':
		elem := row.VoidType
		err := parts(v, func(_ []byte, v jsontext.Value) error {
			t, err := d.typeOf(v)
			elem = widest(elem, t)
			return err
		})
		return row.ArrayType(elem), err
	case '{':
		t := row.StructType()
		err := parts(v, func(name []byte, v jsontext.Value) error {
			inner, err := d.typeOf(v)
			t = widest(t, row.StructType(row.Field{Name: string(name), Type: inner}))
			return err
		})
		return t, err
	}
	return row.VoidType, nil
}

func (d *jsonDialect) numberType(v jsontext.Value) row.Type {
	if bytes.ContainsAny(v, ".eE") {
		if t, ok := decimalType(string(v)); ok && d.decimals {
			return t
		}
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

// decimalType is the decimal that holds a number with a point or an exponent,
// false when none does.
func decimalType(number string) (row.Type, bool) {
	mantissa, power, _ := strings.Cut(strings.ToLower(number), "e")
	exponent := 0
	if power != "" {
		var err error
		if exponent, err = strconv.Atoi(power); err != nil {
			return row.Type{}, false
		}
	}
	whole, fraction, _ := strings.Cut(strings.TrimLeft(mantissa, "-+"), ".")
	digits := max(1, len(strings.TrimLeft(whole+fraction, "0")))
	scale := len(fraction) - exponent
	if scale < 0 {
		digits, scale = digits-scale, 0
	}
	digits = max(digits, scale)
	return row.DecimalType(digits, scale), digits <= 38
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
		return widestDecimal(a, b)
	}
	return row.StringType
}

// widestDecimal returns a decimal that holds numbers of both types, DOUBLE where
// none does.
func widestDecimal(a, b row.Type) row.Type {
	whole, scale := 0, 0
	for _, t := range []row.Type{a, b} {
		if t.Integral() {
			t = row.DecimalType(20, 0)
		}
		whole, scale = max(whole, t.Precision-t.Scale), max(scale, t.Scale)
	}
	if whole+scale > 38 {
		return row.DoubleType
	}
	return row.DecimalType(whole+scale, scale)
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
