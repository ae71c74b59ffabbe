package expr

import (
	"fmt"
	"strings"

	"github.com/eslake/eslake/sql/row"
)

// generating types a generator: one column by its type, several as a struct.
func generating(c *Call) (*Call, error) {
	cols, err := generatorColumns(c)
	if err != nil {
		return nil, err
	}
	if len(cols) == 1 {
		c.T = cols[0].Type
	} else {
		c.T = row.Type{Kind: row.Struct, Fields: cols}
	}
	return c, nil
}

// GeneratorColumns returns the columns that a typed generator makes of a row,
// with the names that Spark gives them.
func GeneratorColumns(c *Call) (row.Schema, error) { return generatorColumns(c) }

func generatorColumns(c *Call) (row.Schema, error) {
	name, t := strings.TrimSuffix(strings.ToLower(c.Func), "_outer"), c.Args[0].Type()
	outer := name != strings.ToLower(c.Func)
	switch name {
	case "stack":
		return stackColumns(c)
	case "json_tuple":
		var cols row.Schema
		for i := range c.Args[1:] {
			cols = append(cols, row.Field{Name: fmt.Sprintf("c%d", i), Type: row.StringType})
		}
		return cols, nil
	case "timewindows":
		if t.Kind != row.TimestampNTZ {
			t = row.TimestampType
			c.Args[0] = Convert(c.Args[0], t)
		}
		window := row.StructType(row.Field{Name: "start", Type: t}, row.Field{Name: "end", Type: t})
		return row.Schema{{Name: "window", Type: window}}, nil
	case "inline":
		if t.Kind != row.Array || t.Elem.Kind != row.Struct {
			return nil, typeError(c, 0, "an ARRAY of STRUCTs")
		}
		return t.Elem.Fields, nil
	}
	var cols row.Schema
	if name == "posexplode" {
		cols = append(cols, row.Field{Name: "pos", Type: row.IntType, NotNull: !outer})
	}
	switch t.Kind {
	case row.Array:
		return append(cols, row.Field{Name: "col", Type: *t.Elem}), nil
	case row.Map:
		return append(cols, row.Field{Name: "key", Type: *t.Key, NotNull: !outer}, row.Field{Name: "value", Type: *t.Elem}), nil
	}
	return nil, typeError(c, 0, "an ARRAY or a MAP")
}

func stackColumns(c *Call) (row.Schema, error) {
	n, ok := ConstantInt(c.Args[0])
	if !ok || n < 1 {
		return nil, errorAt(CodeConstant, c.Args[0].Span(), "the number of rows of stack must be a constant of 1 or more")
	}
	values := c.Args[1:]
	width := (len(values) + int(n) - 1) / int(n)
	cols := make(row.Schema, width)
	for k := range cols {
		var types []row.Type
		for i := k; i < len(values); i += width {
			types = append(types, values[i].Type())
		}
		t, ok := sameTypes(types)
		if !ok {
			return nil, noCommon(c.At, "the values of a column of stack", types)
		}
		cols[k] = row.Field{Name: fmt.Sprintf("col%d", k), Type: t}
	}
	return cols, nil
}

// sameTypes is the type that all have but those of NULL.
func sameTypes(types []row.Type) (row.Type, bool) {
	t := row.VoidType
	for _, x := range types {
		switch {
		case x.Kind == row.Void:
		case t.Kind == row.Void:
			t = x
		case !t.Equal(x):
			return t, false
		}
	}
	return t, true
}
