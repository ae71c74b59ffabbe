package duck

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/eslake/eslake/sql/row"
)

// csvSchema returns the columns of csv files: as many as the first line of the
// first file has.
func csvSchema(ctx context.Context, list []string, d *dialect, infer bool) (row.Schema, error) {
	names, err := csvNames(list, d)
	if err != nil || names == nil {
		return nil, err
	}
	schema := make(row.Schema, len(names))
	for i, name := range names {
		schema[i] = row.Field{Name: name, Type: row.StringType}
	}
	if infer {
		return schema, inferCSV(ctx, list, d, schema)
	}
	return schema, nil
}

func csvNames(list []string, d *dialect) ([]string, error) {
	plain := *d
	plain.header = false
	for _, path := range list {
		f, err := openCSV(path, &plain, nil)
		if err != nil {
			return nil, err
		}
		err = f.next()
		f.close()
		if errors.Is(err, io.EOF) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return columnNames(f.fields, d.header), nil
	}
	return nil, nil
}

// columnNames names columns as Spark does: a name that is there twice, in any
// case, gets its place behind it; one that is missing is _c and its place.
func columnNames(fields []csvField, header bool) []string {
	names := make([]string, len(fields))
	seen := map[string]int{}
	for i, f := range fields {
		names[i] = string(f.text)
		seen[strings.ToLower(names[i])]++
	}
	for i, name := range names {
		switch {
		case !header || name == "":
			names[i] = fmt.Sprintf("_c%d", i)
		case seen[strings.ToLower(name)] > 1:
			names[i] = fmt.Sprint(name, i)
		}
	}
	return names
}

// inferCSV finds the narrowest type that all values of each column have.
func inferCSV(ctx context.Context, list []string, d *dialect, schema row.Schema) error {
	found := make([]row.Type, len(schema))
	for _, path := range list {
		f, err := openCSV(path, d, nil)
		if err != nil {
			return err
		}
		err = inferFile(ctx, f, d, found)
		f.close()
		if err != nil {
			return err
		}
	}
	for i, t := range found {
		if t.Kind != row.Void {
			schema[i].Type = t
		}
	}
	return nil
}

func inferFile(ctx context.Context, f *csvFile, d *dialect, found []row.Type) error {
	for n := 0; ; n++ {
		if n%row.BatchSize == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		err := f.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for i := range min(len(found), len(f.fields)) {
			if text, null := d.value(&f.fields[i], row.Void); !null {
				found[i] = d.inferField(found[i], text)
			}
		}
	}
}

// ladder is the order in which types are tried.
var ladder = []row.Type{row.IntType, row.BigIntType, row.DecimalType(38, 0), row.DoubleType, row.DateType, row.TimestampType, row.BooleanType}

func (d *dialect) inferField(so row.Type, text []byte) row.Type {
	if so.Kind == row.String {
		return so
	}
	for _, t := range ladder {
		parse, err := d.parser(t)
		if err != nil {
			continue
		}
		c := row.NewColumn(t)
		odd := t.Kind == row.Decimal && !allDigits(text) || t.Kind == row.Date && d.date == nil && len(text) != len("yyyy-MM-dd")
		if odd || parse(c, text) != nil {
			continue
		}
		if t.Kind == row.Decimal {
			t.Precision = len(strings.TrimLeft(string(text), "+-0"))
		}
		return wider(so, t)
	}
	return row.StringType
}

func allDigits(text []byte) bool {
	for i, b := range text {
		if (b < '0' || b > '9') && (i > 0 || b != '-' && b != '+') {
			return false
		}
	}
	return len(text) > 0
}

// wider returns the type of a column in which values of both types are.
func wider(a, b row.Type) row.Type {
	rank := func(t row.Type) int {
		for i, l := range ladder {
			if l.Kind == t.Kind {
				return i
			}
		}
		return -1
	}
	const double, timestamp = 3, 5
	i, j := rank(a), rank(b)
	switch {
	case a.Kind == row.Void:
		return b
	case a.Kind == b.Kind:
		if a.Precision > b.Precision {
			return a
		}
		return b
	case i <= double && j <= double:
		if i > j {
			a, b = b, a
		}
		if b.Kind == row.Decimal {
			b.Precision = max(b.Precision, map[row.Kind]int{row.Int: 10, row.BigInt: 20}[a.Kind])
		}
		return b
	case i > double && j > double && i <= timestamp && j <= timestamp:
		return row.TimestampType
	}
	return row.StringType
}
