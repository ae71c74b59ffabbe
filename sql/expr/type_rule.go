package expr

import (
	"fmt"

	"github.com/eslake/eslake/sql/row"
)

func sameAsFirst(c *Call) (*Call, error) {
	c.T = c.Args[0].Type()
	return c, nil
}

// ceilFloor gives BIGINT for doubles and whole numbers, decimals for the rest and
// wherever digits are asked for.
func ceilFloor(c *Call) (*Call, error) {
	t := c.Args[0].Type()
	if len(c.Args) == 2 {
		t = asDecimal(t)
		c.Args[0] = Convert(c.Args[0], t)
		return roundedDecimal(c, t)
	}
	c.T = row.BigIntType
	switch {
	case t.Kind == row.Decimal && t.Scale == 0:
		c.T = t
	case t.Kind == row.Decimal:
		c.T = boundedDecimal(t.Precision-t.Scale+1, 0)
	}
	return c, nil
}

func rounding(c *Call) (*Call, error) {
	t := c.Args[0].Type()
	if t.Kind == row.Decimal {
		return roundedDecimal(c, t)
	}
	c.T = t
	if t.Kind == row.Void {
		c.T = row.DoubleType
	}
	if len(c.Args) == 2 {
		if _, ok := ConstantInt(c.Args[1]); !ok && !isNullLiteral(c.Args[1]) {
			return nil, errorAt(CodeConstant, c.Args[1].Span(), "the digits of %s must be a constant", c.Func)
		}
	}
	return c, nil
}

func isNullLiteral(e Expr) bool {
	l, ok := e.(*Literal)
	return ok && l.Value == nil
}

// roundedDecimal keeps the asked digits behind the point, and one more before it.
func roundedDecimal(c *Call, t row.Type) (*Call, error) {
	digits := int64(0)
	if len(c.Args) == 2 {
		var ok bool
		if digits, ok = ConstantInt(c.Args[1]); !ok {
			return nil, errorAt(CodeConstant, c.Args[1].Span(), "the digits of %s must be a constant", c.Func)
		}
	}
	whole := t.Precision - t.Scale + 1
	if digits < 0 {
		c.T = row.DecimalType(min(max(whole, int(-digits)+1), 38), 0)
		return c, nil
	}
	scale := min(t.Scale, int(digits))
	c.T = row.DecimalType(min(whole+scale, 38), scale)
	return c, nil
}

func hexArgument(c *Call) (*Call, error) {
	switch t := c.Args[0].Type(); {
	case t.Kind == row.Binary, t.Kind == row.String, t.Kind == row.BigInt:
	case t.Numeric():
		c.Args[0] = Convert(c.Args[0], row.BigIntType)
	case t.Nested():
		return nil, typeError(c, 0, "a number, text or bytes")
	default:
		c.Args[0] = Convert(c.Args[0], row.StringType)
	}
	return c, nil
}

// shift keeps BIGINT, and widens smaller numbers to INT.
func shift(c *Call) (*Call, error) {
	if c.T = c.Args[0].Type(); c.T.Kind != row.BigInt {
		c.T = row.IntType
	}
	c.Args[0] = Convert(c.Args[0], c.T)
	return c, nil
}

func bitCount(c *Call) (*Call, error) {
	if t := c.Args[0].Type(); !t.Integral() && t.Kind != row.Boolean {
		return nil, typeError(c, 0, "a whole number or BOOLEAN")
	}
	return c, nil
}

func nullIf(c *Call) (*Call, error) {
	c.T = c.Args[0].Type()
	x, y, err := comparable(c.Args[0], c.Args[1], c.ANSI)
	if err != nil {
		return nil, err
	}
	if x.Type().Equal(c.T) {
		c.Args[1] = y
		return c, nil
	}
	c.Args[1] = y // the engine compares x, converted, with y and gives the first as it is
	c.Args = append(c.Args, x)
	return c, nil
}

func nanvl(c *Call) (*Call, error) {
	c.T = row.DoubleType
	if c.Args[0].Type().Kind == row.Float && c.Args[1].Type().Kind == row.Float {
		c.T = row.FloatType
	}
	c.Args[0], c.Args[1] = Convert(c.Args[0], c.T), Convert(c.Args[1], c.T)
	return c, nil
}

func reversal(c *Call) (*Call, error) {
	if c.T = c.Args[0].Type(); c.T.Kind == row.Array {
		return c, nil
	}
	if c.T.Nested() {
		return nil, typeError(c, 0, "text or an ARRAY")
	}
	c.T = row.StringType
	c.Args[0] = Convert(c.Args[0], c.T)
	return c, nil
}

func concatWS(c *Call) (*Call, error) {
	for i, x := range c.Args[1:] {
		t := row.StringType
		if x.Type().Kind == row.Array {
			t = row.ArrayType(t)
		} else if x.Type().Nested() {
			return nil, typeError(c, i+1, "text or an ARRAY of texts")
		}
		c.Args[i+1] = Convert(x, t)
	}
	return c, nil
}

// decoding serves decode(bytes, charset) and decode(x, a, b, …).
func decoding(c *Call) (*Call, error) {
	if len(c.Args) == 2 {
		t, ok := implicitTo(row.BinaryType, c.Args[0].Type())
		if !ok {
			return nil, typeError(c, 0, "bytes")
		}
		c.Args[0], c.T = Convert(c.Args[0], t), row.StringType
		return c, nil
	}
	var keys, values []row.Type
	keys = append(keys, c.Args[0].Type())
	for i := 1; i < len(c.Args); i++ {
		if i%2 == 1 && i < len(c.Args)-1 {
			keys = append(keys, c.Args[i].Type())
		} else {
			values = append(values, c.Args[i].Type())
		}
	}
	key, ok := CommonType(c.ANSI, keys...)
	value, ok2 := CommonType(c.ANSI, values...)
	if !ok || !ok2 {
		return nil, noCommon(c.At, "the arguments of decode", append(keys, values...))
	}
	for i, x := range c.Args {
		if i == 0 || i%2 == 1 && i < len(c.Args)-1 {
			c.Args[i] = Convert(x, key)
		} else {
			c.Args[i] = Convert(x, value)
		}
	}
	c.T = value
	return c, nil
}

func castCall(c *Call) (*Call, error) {
	if c.Func == "decimal" {
		c.T = row.DecimalType(10, 0)
	}
	if from := c.Args[0].Type(); !CastAllowed(from, c.T, c.castMode()) {
		return nil, errorAt(CodeCast, c.At, "%s cannot be cast to %s", typeName(from), typeName(c.T))
	}
	return c, nil
}

func nestedSize(c *Call) (*Call, error) {
	if t := c.Args[0].Type(); t.Kind != row.Array && t.Kind != row.Map && t.Kind != row.Void {
		return nil, typeError(c, 0, "an ARRAY or a MAP")
	}
	return c, nil
}

func elementAt(c *Call) (*Call, error) {
	switch t := c.Args[0].Type(); t.Kind {
	case row.Array:
		if !c.Args[1].Type().Integral() {
			return nil, typeError(c, 1, "a whole number")
		}
		c.Args[1], c.T = Convert(c.Args[1], row.IntType), *t.Elem
	case row.Map:
		key, ok := widen(*t.Key, c.Args[1].Type(), noText)
		if !ok || !key.Equal(*t.Key) {
			return nil, typeError(c, 1, typeName(*t.Key))
		}
		c.Args[1], c.T = Convert(c.Args[1], key), *t.Elem
	default:
		return nil, typeError(c, 0, "an ARRAY or a MAP")
	}
	return c, nil
}

func arraysZip(c *Call) (*Call, error) {
	var fields row.Schema
	for i, x := range c.Args {
		t := x.Type()
		if t.Kind != row.Array {
			return nil, typeError(c, i, "an ARRAY")
		}
		fields = append(fields, row.Field{Name: partName(x, fmt.Sprint(i)), Type: *t.Elem})
	}
	c.T = row.ArrayType(row.Type{Kind: row.Struct, Fields: fields})
	return c, nil
}

// partName is the name that an argument gives to its field: a column's or a
// field's own, else the one given.
func partName(x Expr, other string) string {
	switch x := x.(type) {
	case *Column:
		return x.Name
	case *Field:
		return x.Name
	case *Name:
		return x.Parts[len(x.Parts)-1]
	}
	return other
}

func sequence(c *Call) (*Call, error) {
	a, b := c.Args[0].Type(), c.Args[1].Type()
	t, ok := widen(a, b, noText)
	if !ok || !t.Integral() && !isTime(t) {
		return nil, pairError(c.At, "ends of a sequence", a, b)
	}
	c.Args[0], c.Args[1], c.T = Convert(c.Args[0], t), Convert(c.Args[1], t), row.ArrayType(t)
	if len(c.Args) < 3 {
		return c, nil
	}
	switch step := c.Args[2].Type(); {
	case t.Integral() && step.Integral():
		if step.Kind > t.Kind {
			c.Args[0], c.Args[1], c.T = Convert(c.Args[0], step), Convert(c.Args[1], step), row.ArrayType(step)
		} else {
			c.Args[2] = Convert(c.Args[2], t)
		}
	case isTime(t) && step.Kind == row.Interval:
	default:
		return nil, typeError(c, 2, "a step of the same kind")
	}
	return c, nil
}

// aggregateArray checks that the lambda keeps the type of the start.
func aggregateArray(c *Call) (*Call, error) {
	c.T = c.Args[1].Type()
	if len(c.Args) == 4 {
		c.T = c.Args[3].Type()
	}
	return c, nil
}

func mapOf(c *Call) (*Call, error) {
	if len(c.Args)%2 == 1 {
		return nil, errorAt(CodeArguments, c.At, "map takes keys and values in turn, not %d arguments", len(c.Args))
	}
	var types [2][]row.Type
	for i, x := range c.Args {
		types[i%2] = append(types[i%2], x.Type())
	}
	var common [2]row.Type
	for i, what := range []string{"the keys of map", "the values of map"} {
		var ok bool
		if common[i], ok = CommonType(c.ANSI, types[i]...); !ok {
			return nil, noCommon(c.At, what, types[i])
		}
	}
	for i, x := range c.Args {
		c.Args[i] = Convert(x, common[i%2])
	}
	c.T = row.MapType(common[0], common[1])
	return c, nil
}

func mapEntries(c *Call) (*Call, error) {
	t := c.Args[0].Type()
	if t.Kind != row.Map {
		return nil, typeError(c, 0, "a MAP")
	}
	c.T = row.ArrayType(row.StructType(row.Field{Name: "key", Type: *t.Key, NotNull: true}, row.Field{Name: "value", Type: *t.Elem}))
	return c, nil
}

func mapFromEntries(c *Call) (*Call, error) {
	t := c.Args[0].Type()
	if t.Kind != row.Array || t.Elem.Kind != row.Struct || len(t.Elem.Fields) != 2 {
		return nil, typeError(c, 0, "an ARRAY of STRUCTs of key and value")
	}
	c.T = row.MapType(t.Elem.Fields[0].Type, t.Elem.Fields[1].Type)
	return c, nil
}

func structOf(c *Call) (*Call, error) {
	var fields row.Schema
	for i, x := range c.Args {
		fields = append(fields, row.Field{Name: partName(x, fmt.Sprintf("col%d", i+1)), Type: x.Type()})
	}
	c.T = row.Type{Kind: row.Struct, Fields: fields}
	return c, nil
}

func namedStruct(c *Call) (*Call, error) {
	if len(c.Args)%2 == 1 {
		return nil, errorAt(CodeArguments, c.At, "named_struct takes names and values in turn, not %d arguments", len(c.Args))
	}
	var fields row.Schema
	for i := 0; i < len(c.Args); i += 2 {
		name, ok := ConstantText(c.Args[i])
		if !ok {
			return nil, errorAt(CodeConstant, c.Args[i].Span(), "a name of named_struct must be a text constant")
		}
		fields = append(fields, row.Field{Name: name, Type: c.Args[i+1].Type()})
	}
	c.T = row.Type{Kind: row.Struct, Fields: fields}
	return c, nil
}

// fromJSON reads the type from its second argument.
func fromJSON(c *Call) (*Call, error) {
	text, _ := ConstantText(c.Args[1])
	t, err := ParseSchema(text)
	if err != nil {
		return nil, errorAt(CodeConstant, c.Args[1].Span(), "the type of %s cannot be read: %s", c.Func, err)
	}
	if c.Func == "from_csv" && t.Kind != row.Struct {
		return nil, errorAt(CodeTypes, c.Args[1].Span(), "from_csv gives a STRUCT, not %s", t.SQL())
	}
	c.T = t
	return c, nil
}

// toCSV takes a struct.
func toCSV(c *Call) (*Call, error) {
	if c.Args[0].Type().Kind != row.Struct {
		return nil, typeError(c, 0, "a STRUCT")
	}
	return c, nil
}

// offsetDefault types lag and lead: the default is cast to the type of the values.
func offsetDefault(c *Call) (*Call, error) {
	if len(c.Args) < 3 {
		return c, nil
	}
	if c.T.Kind == row.Void {
		c.T = c.Args[2].Type()
		c.Args[0] = Convert(c.Args[0], c.T)
	}
	if from := c.Args[2].Type(); !CastAllowed(from, c.T, c.castMode()) {
		return nil, pairError(c.Args[2].Span(), "used together in "+c.Func, c.T, from)
	}
	c.Args[2] = Convert(c.Args[2], c.T)
	return c, nil
}

// sought refuses to look for NULL.
func sought(c *Call) (*Call, error) {
	if isNullLiteral(c.Args[1]) {
		return nil, errorAt(CodeTypes, c.Args[1].Span(), "%s cannot look for NULL", c.Func)
	}
	return c, nil
}
