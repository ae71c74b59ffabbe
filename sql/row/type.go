// Package row holds what travels between a source and the output: types,
// schemas, and columnar batches, with the Reader that carries them.
package row

import (
	"fmt"
	"strings"
)

// Kind is the outermost constructor of a SQL type.
type Kind uint8

// The kinds of Spark SQL that a table can hold. Void is the type of NULL, and
// of an expression that has not been bound yet.
const (
	Void Kind = iota
	Boolean
	TinyInt
	SmallInt
	Int
	BigInt
	Float
	Double
	Decimal
	String
	Binary
	Date         // days since 1970-01-01
	Timestamp    // microseconds since 1970-01-01T00:00:00Z, an instant
	TimestampNTZ // microseconds since 1970-01-01 00:00:00, a wall clock
	Interval     // kept as Spark's text form; never stored
	Array
	Map
	Struct
)

// Type is a SQL type. The zero Type is Void.
type Type struct {
	Kind      Kind
	Precision int    // Decimal: digits in all, 1 to 38; Interval: its first unit, 0 for any
	Scale     int    // Decimal: digits after the point, 0 to Precision; Interval: its last unit
	Key       *Type  // Map: never Array-typed or NULL
	Elem      *Type  // Array: elements; Map: values
	Fields    Schema // Struct
}

// The types without parameters.
var (
	VoidType         = Type{}
	BooleanType      = Type{Kind: Boolean}
	TinyIntType      = Type{Kind: TinyInt}
	SmallIntType     = Type{Kind: SmallInt}
	IntType          = Type{Kind: Int}
	BigIntType       = Type{Kind: BigInt}
	FloatType        = Type{Kind: Float}
	DoubleType       = Type{Kind: Double}
	StringType       = Type{Kind: String}
	BinaryType       = Type{Kind: Binary}
	DateType         = Type{Kind: Date}
	TimestampType    = Type{Kind: Timestamp}
	TimestampNTZType = Type{Kind: TimestampNTZ}
	IntervalType     = Type{Kind: Interval}
)

// DecimalType returns DECIMAL(precision, scale).
func DecimalType(precision, scale int) Type {
	return Type{Kind: Decimal, Precision: precision, Scale: scale}
}

// ArrayType returns ARRAY<elem>.
func ArrayType(elem Type) Type { return Type{Kind: Array, Elem: &elem} }

// MapType returns MAP<key, value>.
func MapType(key, value Type) Type { return Type{Kind: Map, Key: &key, Elem: &value} }

// StructType returns STRUCT<fields>.
func StructType(fields ...Field) Type { return Type{Kind: Struct, Fields: fields} }

var kindNames = [...]string{
	Void: "void", Boolean: "boolean", TinyInt: "tinyint", SmallInt: "smallint", Int: "int", BigInt: "bigint",
	Float: "float", Double: "double", Decimal: "decimal", String: "string", Binary: "binary", Date: "date",
	Timestamp: "timestamp", TimestampNTZ: "timestamp_ntz", Interval: "interval", Array: "array", Map: "map", Struct: "struct",
}

// String returns Spark's simple form of the type, as DESCRIBE prints it:
// array<string>, decimal(12,2), struct<lat:double,lon:double>.
func (t Type) String() string {
	switch t.Kind {
	case Decimal:
		return fmt.Sprintf("decimal(%d,%d)", t.Precision, t.Scale)
	case Interval:
		return t.intervalName()
	case Array:
		return "array<" + t.Elem.String() + ">"
	case Map:
		return "map<" + t.Key.String() + "," + t.Elem.String() + ">"
	case Struct:
		parts := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			parts[i] = f.Name + ":" + f.Type.String()
		}
		return "struct<" + strings.Join(parts, ",") + ">"
	default:
		return kindNames[t.Kind]
	}
}

// SQL returns the type as it is written in DDL: ARRAY<STRING>, STRUCT<`a b`: INT>.
func (t Type) SQL() string {
	switch t.Kind {
	case Array:
		return "ARRAY<" + t.Elem.SQL() + ">"
	case Map:
		return "MAP<" + t.Key.SQL() + ", " + t.Elem.SQL() + ">"
	case Struct:
		parts := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			parts[i] = QuoteName(f.Name) + ": " + f.Type.SQL()
		}
		return "STRUCT<" + strings.Join(parts, ", ") + ">"
	default:
		return strings.ToUpper(t.String())
	}
}

// Equal reports whether both types are the same. Field names are compared
// without case, as Spark resolves them; the units of intervals are not compared.
func (t Type) Equal(o Type) bool {
	if t.Kind != o.Kind {
		return false
	}
	switch t.Kind {
	case Decimal:
		return t.Precision == o.Precision && t.Scale == o.Scale
	case Array:
		return t.Elem.Equal(*o.Elem)
	case Map:
		return t.Key.Equal(*o.Key) && t.Elem.Equal(*o.Elem)
	case Struct:
		return t.Fields.equal(o.Fields)
	default:
		return true
	}
}

// Integral reports whether the type is TINYINT, SMALLINT, INT or BIGINT.
func (t Type) Integral() bool { return t.Kind >= TinyInt && t.Kind <= BigInt }

// Numeric reports whether the type is a number.
func (t Type) Numeric() bool { return t.Kind >= TinyInt && t.Kind <= Decimal }

// Nested reports whether the type is an ARRAY, MAP or STRUCT.
func (t Type) Nested() bool { return t.Kind >= Array }

// Field is a column of a schema, or a field of a STRUCT.
type Field struct {
	Name    string
	Type    Type
	NotNull bool   // declared NOT NULL
	Comment string // COMMENT of the DDL, "" for none
	Default string // DEFAULT of the DDL as Spark SQL, "" for none
}

// Schema is the columns of a table or a result, in order.
type Schema []Field

// Index returns the position of the named column, compared without case, or -1.
// Where two columns differ only in case the exact spelling wins.
func (s Schema) Index(name string) int {
	found := -1
	for i, f := range s {
		if f.Name == name {
			return i
		}
		if found < 0 && strings.EqualFold(f.Name, name) {
			found = i
		}
	}
	return found
}

// Names returns the column names in order.
func (s Schema) Names() []string {
	names := make([]string, len(s))
	for i, f := range s {
		names[i] = f.Name
	}
	return names
}

func (s Schema) equal(o Schema) bool {
	if len(s) != len(o) {
		return false
	}
	for i := range s {
		if !strings.EqualFold(s[i].Name, o[i].Name) || !s[i].Type.Equal(o[i].Type) {
			return false
		}
	}
	return true
}

// QuoteName writes a name as SQL needs it: as it is when it is a plain word,
// else between back-quotes.
func QuoteName(name string) string {
	plain := name != ""
	for i, r := range name {
		letter := r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			plain = false
			break
		}
	}
	if plain {
		return name
	}
	return "`" + strings.ReplaceAll(name, "`", "``") + "`"
}
