package esds

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/eslake/eslake/sql/row"
)

// parseType reads a type as row.Type.SQL prints it. The statement's own parser
// lives above this package; here only that one form has to be read.
func parseType(text string) (row.Type, error) {
	p := typeParser{rest: text}
	t, err := p.read(0)
	if err == nil && strings.TrimSpace(p.rest) != "" {
		err = fmt.Errorf("%q stands after the type", p.rest)
	}
	return t, err
}

type typeParser struct{ rest string }

var simpleTypes = map[string]row.Type{
	"BOOLEAN": row.BooleanType, "TINYINT": row.TinyIntType, "SMALLINT": row.SmallIntType, "INT": row.IntType,
	"BIGINT": row.BigIntType, "FLOAT": row.FloatType, "DOUBLE": row.DoubleType, "STRING": row.StringType,
	"BINARY": row.BinaryType, "DATE": row.DateType, "TIMESTAMP": row.TimestampType, "TIMESTAMP_NTZ": row.TimestampNTZType,
	"VOID": row.VoidType, "INTERVAL": row.IntervalType,
}

func (p *typeParser) read(depth int) (row.Type, error) {
	if depth > 100 {
		return row.Type{}, fmt.Errorf("the type is nested too deeply")
	}
	name := strings.ToUpper(p.name())
	if t, ok := simpleTypes[name]; ok {
		return t, nil
	}
	switch name {
	case "DECIMAL":
		return p.decimal()
	case "ARRAY":
		elem, err := p.bracketed(depth)
		return row.ArrayType(elem), err
	case "MAP":
		return p.mapType(depth)
	case "STRUCT":
		return p.structType(depth)
	}
	return row.Type{}, fmt.Errorf("%q is no type", name)
}

func (p *typeParser) bracketed(depth int) (row.Type, error) {
	if !p.take("<") {
		return row.Type{}, p.expected("<")
	}
	t, err := p.read(depth + 1)
	if err == nil && !p.take(">") {
		err = p.expected(">")
	}
	return t, err
}

func (p *typeParser) mapType(depth int) (row.Type, error) {
	if !p.take("<") {
		return row.Type{}, p.expected("<")
	}
	key, err := p.read(depth + 1)
	if err == nil && !p.take(",") {
		err = p.expected(",")
	}
	if err != nil {
		return row.Type{}, err
	}
	value, err := p.read(depth + 1)
	if err == nil && !p.take(">") {
		err = p.expected(">")
	}
	return row.MapType(key, value), err
}

func (p *typeParser) structType(depth int) (row.Type, error) {
	if !p.take("<") {
		return row.Type{}, p.expected("<")
	}
	var fields row.Schema
	for !p.take(">") {
		if len(fields) > 0 && !p.take(",") {
			return row.Type{}, p.expected(",")
		}
		name := p.name()
		if !p.take(":") {
			return row.Type{}, p.expected(":")
		}
		t, err := p.read(depth + 1)
		if err != nil {
			return row.Type{}, err
		}
		fields = append(fields, row.Field{Name: name, Type: t})
	}
	return row.StructType(fields...), nil
}

func (p *typeParser) decimal() (row.Type, error) {
	args, rest, ok := strings.Cut(strings.TrimPrefix(p.rest, "("), ")")
	precision, scale, _ := strings.Cut(args, ",")
	n, err1 := strconv.Atoi(strings.TrimSpace(precision))
	s, err2 := strconv.Atoi(strings.TrimSpace(scale))
	if !ok || err1 != nil || err2 != nil || n < 1 || n > 38 || s < 0 || s > n {
		return row.Type{}, fmt.Errorf("%q is no decimal's precision and scale", p.rest)
	}
	p.rest = rest
	return row.DecimalType(n, s), nil
}

// name takes a word, or a name between back-quotes.
func (p *typeParser) name() string {
	p.rest = strings.TrimLeft(p.rest, " ")
	if strings.HasPrefix(p.rest, "`") {
		var name strings.Builder
		for i := 1; i < len(p.rest); i++ {
			if p.rest[i] != '`' {
				name.WriteByte(p.rest[i])
				continue
			}
			if i+1 < len(p.rest) && p.rest[i+1] == '`' {
				name.WriteByte('`')
				i++
				continue
			}
			p.rest = p.rest[i+1:]
			return name.String()
		}
	}
	end := strings.IndexAny(p.rest, "<>(),: ")
	if end < 0 {
		end = len(p.rest)
	}
	name := p.rest[:end]
	p.rest = p.rest[end:]
	return name
}

func (p *typeParser) take(sign string) bool {
	rest, ok := strings.CutPrefix(strings.TrimLeft(p.rest, " "), sign)
	if ok {
		p.rest = rest
	}
	return ok
}

func (p *typeParser) expected(sign string) error {
	return fmt.Errorf("%q expected before %q", sign, p.rest)
}
