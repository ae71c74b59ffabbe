package sql

import (
	"strconv"
	"strings"

	"github.com/eslake/eslake/sql/lex"
	"github.com/eslake/eslake/sql/row"
)

// simpleTypes are the types without parameters, by each of their names.
var simpleTypes = map[string]row.Type{
	"BOOLEAN": row.BooleanType, "BOOL": row.BooleanType,
	"TINYINT": row.TinyIntType, "BYTE": row.TinyIntType, "SMALLINT": row.SmallIntType, "SHORT": row.SmallIntType,
	"INT": row.IntType, "INTEGER": row.IntType, "BIGINT": row.BigIntType, "LONG": row.BigIntType,
	"FLOAT": row.FloatType, "REAL": row.FloatType, "DOUBLE": row.DoubleType,
	"STRING": row.StringType, "BINARY": row.BinaryType, "DATE": row.DateType,
	"TIMESTAMP": row.TimestampType, "TIMESTAMP_LTZ": row.TimestampType, "TIMESTAMP_NTZ": row.TimestampNTZType, "VOID": row.VoidType,
}

// typeName reads a type and returns its place. CHAR(n) and VARCHAR(n) are
// STRING.
func (p *parser) typeName() (row.Type, lex.Span) {
	from := p.i
	if !p.deeper() {
		return row.VoidType, lex.Span{}
	}
	defer func() { p.depth-- }()
	word := p.name("a type")
	name := strings.ToUpper(word.Name)
	t, simple := simpleTypes[name]
	switch {
	case simple:
	case name == "DECIMAL" || name == "DEC" || name == "NUMERIC":
		t = p.decimalType()
	case name == "CHAR" || name == "CHARACTER" || name == "VARCHAR":
		t = row.StringType
		p.expect("(")
		p.count("a length")
		p.expect(")")
	case name == "ARRAY":
		p.expect("<")
		elem, _ := p.typeName()
		p.expect(">")
		t = row.ArrayType(elem)
	case name == "MAP":
		p.expect("<")
		key, _ := p.typeName()
		p.expect(",")
		value, _ := p.typeName()
		p.expect(">")
		t = row.MapType(key, value)
	case name == "STRUCT":
		t = p.structType()
	case p.err == nil:
		p.fail(lex.CodeType, word.At, "there is no type "+word.Name, typeHint(name))
	}
	return t, p.since(from)
}

func typeHint(name string) string {
	like := map[string]string{
		"TEXT": "STRING", "KEYWORD": "STRING", "DATETIME": "TIMESTAMP", "NUMBER": "DECIMAL", "JSON": "STRING", "BLOB": "BINARY", "INT64": "BIGINT", "INT32": "INT",
	}[name]
	if like != "" {
		return "use " + like
	}
	known := []string{"DECIMAL", "NUMERIC", "CHAR", "VARCHAR", "ARRAY", "MAP", "STRUCT"}
	for t := range simpleTypes {
		known = append(known, t)
	}
	if near := lex.Near(name, known); near != "" {
		return "did you mean " + near + "?"
	}
	return ""
}

func (p *parser) decimalType() row.Type {
	precision, scale := 10, 0
	from := p.i
	if p.accept("(") {
		precision = p.count("a number of digits")
		if p.accept(",") {
			scale = p.count("a number of digits")
		}
		p.expect(")")
	}
	if p.err == nil && (precision < 1 || precision > 38 || scale > precision) {
		p.fail(lex.CodeType, p.since(from), "DECIMAL has 1 to 38 digits, and no more of them behind the point", "")
	}
	return row.DecimalType(precision, scale)
}

// structType reads the fields of STRUCT<a: INT, b STRING>.
func (p *parser) structType() row.Type {
	var fields row.Schema
	if p.accept("<>") {
		return row.StructType()
	}
	p.expect("<")
	for p.err == nil && !p.is(">") {
		f := row.Field{Name: p.name("a field").Name}
		p.accept(":")
		f.Type, _ = p.typeName()
		f.NotNull = p.accept("NOT", "NULL")
		if p.accept("COMMENT") {
			f.Comment = p.stringLit("a string").Name
		}
		fields = append(fields, f)
		if !p.accept(",") {
			break
		}
	}
	p.expect(">")
	return row.StructType(fields...)
}

// count reads a whole number without a sign.
func (p *parser) count(what string) int {
	t := p.peek()
	n, err := strconv.Atoi(t.Text)
	if t.Kind != lex.Number || err != nil {
		p.wanted(what)
		p.unexpected()
		return 0
	}
	p.i++
	return n
}
