package expr

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/eslake/eslake/sql/row"
)

// ParseSchema reads the type of from_json: a type such as ARRAY<INT>, or columns
// such as "a INT, b ARRAY<BOOLEAN>".
func ParseSchema(text string) (row.Type, error) {
	p := &schemaParser{rest: text}
	if t, err := p.typ(); err == nil && p.peek() == 0 {
		return t, nil
	}
	p = &schemaParser{rest: text}
	fields, err := p.fields(0)
	if err != nil {
		return row.Type{}, err
	}
	return row.Type{Kind: row.Struct, Fields: fields}, nil
}

type schemaParser struct{ rest string }

// peek returns the next character behind spaces, 0 at the end.
func (p *schemaParser) peek() byte {
	p.rest = strings.TrimLeft(p.rest, " \t\r\n")
	if p.rest == "" {
		return 0
	}
	return p.rest[0]
}

func (p *schemaParser) take(c byte) bool {
	if p.peek() != c {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

func (p *schemaParser) expect(c byte) error {
	if !p.take(c) {
		return fmt.Errorf("%q is missing before %q", string(c), p.rest)
	}
	return nil
}

func (p *schemaParser) word() (string, error) {
	if p.take('`') {
		end := strings.IndexByte(p.rest, '`')
		if end < 0 {
			return "", fmt.Errorf("a back-quote is not closed")
		}
		w := p.rest[:end]
		p.rest = p.rest[end+1:]
		return w, nil
	}
	p.peek()
	end := strings.IndexAny(p.rest, " \t\r\n<>:,()`")
	if end < 0 {
		end = len(p.rest)
	}
	if end == 0 {
		return "", fmt.Errorf("a name is missing before %q", p.rest)
	}
	w := p.rest[:end]
	p.rest = p.rest[end:]
	return w, nil
}

// fields reads name type or name: type, up to the end character.
func (p *schemaParser) fields(end byte) (row.Schema, error) {
	var fields row.Schema
	for p.peek() != end {
		if len(fields) > 0 {
			if err := p.expect(','); err != nil {
				return nil, err
			}
		}
		name, err := p.word()
		if err != nil {
			return nil, err
		}
		p.take(':')
		t, err := p.typ()
		if err != nil {
			return nil, err
		}
		f := row.Field{Name: name, Type: t}
		if strings.HasPrefix(strings.ToUpper(p.rest), " NOT NULL") {
			p.rest, f.NotNull = p.rest[9:], true
		}
		fields = append(fields, f)
	}
	return fields, nil
}

var typeWords = map[string]row.Type{
	"boolean": row.BooleanType, "tinyint": row.TinyIntType, "byte": row.TinyIntType, "smallint": row.SmallIntType,
	"short": row.SmallIntType, "int": row.IntType, "integer": row.IntType, "bigint": row.BigIntType, "long": row.BigIntType,
	"float": row.FloatType, "real": row.FloatType, "double": row.DoubleType, "string": row.StringType, "varchar": row.StringType,
	"char": row.StringType, "binary": row.BinaryType, "date": row.DateType, "timestamp": row.TimestampType,
	"timestamp_ltz": row.TimestampType, "timestamp_ntz": row.TimestampNTZType, "void": row.VoidType,
}

func (p *schemaParser) typ() (row.Type, error) {
	w, err := p.word()
	if err != nil {
		return row.Type{}, err
	}
	switch w = strings.ToLower(w); w {
	case "array", "map", "struct":
		return p.nested(w)
	case "decimal", "dec", "numeric":
		return p.decimal()
	}
	t, ok := typeWords[w]
	if !ok {
		return row.Type{}, fmt.Errorf("there is no type %s", strings.ToUpper(w))
	}
	if w == "varchar" || w == "char" {
		if _, err := p.numbers(); err != nil {
			return row.Type{}, err
		}
	}
	return t, nil
}

func (p *schemaParser) nested(w string) (row.Type, error) {
	if err := p.expect('<'); err != nil {
		return row.Type{}, err
	}
	var t row.Type
	switch w {
	case "struct":
		fields, err := p.fields('>')
		if err != nil {
			return t, err
		}
		t = row.Type{Kind: row.Struct, Fields: fields}
	case "array":
		elem, err := p.typ()
		if err != nil {
			return t, err
		}
		t = row.ArrayType(elem)
	default:
		key, err := p.typ()
		if err != nil {
			return t, err
		}
		if err := p.expect(','); err != nil {
			return t, err
		}
		value, err := p.typ()
		if err != nil {
			return t, err
		}
		t = row.MapType(key, value)
	}
	return t, p.expect('>')
}

func (p *schemaParser) decimal() (row.Type, error) {
	n, err := p.numbers()
	if err != nil {
		return row.Type{}, err
	}
	switch len(n) {
	case 0:
		return row.DecimalType(10, 0), nil
	case 1:
		n = append(n, 0)
	}
	if n[0] < 1 || n[0] > 38 || n[1] < 0 || n[1] > n[0] {
		return row.Type{}, fmt.Errorf("DECIMAL(%d,%d) is not possible", n[0], n[1])
	}
	return row.DecimalType(n[0], n[1]), nil
}

// numbers reads (1, 2); nothing when there is no parenthesis.
func (p *schemaParser) numbers() ([]int, error) {
	if !p.take('(') {
		return nil, nil
	}
	end := strings.IndexByte(p.rest, ')')
	if end < 0 {
		return nil, fmt.Errorf("a parenthesis is not closed")
	}
	var out []int
	for _, part := range strings.Split(p.rest[:end], ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil {
			return nil, fmt.Errorf("%q is not a number", part)
		}
		out = append(out, n)
	}
	p.rest = p.rest[end+1:]
	return out, nil
}
