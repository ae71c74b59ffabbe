package duckdb

import (
	"fmt"
	"strings"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/eslake/eslake/sql/row"
)

// logical is a DuckDB type taken apart.
type logical struct {
	id           bindings.Type
	physical     bindings.Type // of decimals and enums: the integer that holds a value
	width, scale int           // of decimals; of arrays width is the size
	enum         []string
	names        []string  // of structs
	children     []logical // of lists, arrays, maps (key, value) and structs
}

func readLogical(t bindings.LogicalType) logical {
	l := logical{id: bindings.GetTypeId(t)}
	switch l.id {
	case bindings.TypeDecimal:
		l.physical = bindings.DecimalInternalType(t)
		l.width, l.scale = int(bindings.DecimalWidth(t)), int(bindings.DecimalScale(t))
	case bindings.TypeEnum:
		l.physical = bindings.EnumInternalType(t)
		for i := range bindings.EnumDictionarySize(t) {
			l.enum = append(l.enum, bindings.EnumDictionaryValue(t, bindings.IdxT(i)))
		}
	case bindings.TypeList:
		l.add(bindings.ListTypeChildType(t))
	case bindings.TypeArray:
		l.width = int(bindings.ArrayTypeArraySize(t))
		l.add(bindings.ArrayTypeChildType(t))
	case bindings.TypeMap:
		l.add(bindings.MapTypeKeyType(t))
		l.add(bindings.MapTypeValueType(t))
	case bindings.TypeStruct:
		for i := range bindings.StructTypeChildCount(t) {
			l.names = append(l.names, bindings.StructTypeChildName(t, i))
			l.add(bindings.StructTypeChildType(t, i))
		}
	}
	return l
}

func (l *logical) add(child bindings.LogicalType) {
	l.children = append(l.children, readLogical(child))
	bindings.DestroyLogicalType(&child)
}

var plainTypes = map[bindings.Type]row.Type{
	bindings.TypeBoolean: row.BooleanType, bindings.TypeTinyInt: row.TinyIntType, bindings.TypeSmallInt: row.SmallIntType,
	bindings.TypeInteger: row.IntType, bindings.TypeBigInt: row.BigIntType, bindings.TypeUTinyInt: row.SmallIntType,
	bindings.TypeUSmallInt: row.IntType, bindings.TypeUInteger: row.BigIntType, bindings.TypeUBigInt: row.DecimalType(20, 0),
	bindings.TypeHugeInt: row.DecimalType(38, 0), bindings.TypeUHugeInt: row.DecimalType(38, 0),
	bindings.TypeFloat: row.FloatType, bindings.TypeDouble: row.DoubleType, bindings.TypeDate: row.DateType,
	bindings.TypeTimestamp: row.TimestampType, bindings.TypeTimestampS: row.TimestampType, bindings.TypeTimestampMS: row.TimestampType,
	bindings.TypeTimestampNS: row.TimestampType, bindings.TypeTimestampTZ: row.TimestampType, bindings.TypeInterval: row.IntervalType,
	bindings.TypeBlob: row.BinaryType, bindings.TypeSQLNull: row.VoidType,
}

// rowType is the type that a column has when nothing else is wanted.
func (l logical) rowType() row.Type {
	switch l.id {
	case bindings.TypeDecimal:
		return row.DecimalType(l.width, l.scale)
	case bindings.TypeList, bindings.TypeArray:
		return row.ArrayType(l.children[0].rowType())
	case bindings.TypeMap:
		return row.MapType(l.children[0].rowType(), l.children[1].rowType())
	case bindings.TypeStruct:
		fields := make(row.Schema, len(l.children))
		for i, child := range l.children {
			fields[i] = row.Field{Name: l.names[i], Type: child.rowType()}
		}
		return row.StructType(fields...)
	}
	if t, ok := plainTypes[l.id]; ok {
		return t
	}
	return row.StringType
}

var plainLogical = map[row.Kind]bindings.Type{
	row.Void: bindings.TypeInteger, row.Boolean: bindings.TypeBoolean, row.TinyInt: bindings.TypeTinyInt, row.SmallInt: bindings.TypeSmallInt,
	row.Int: bindings.TypeInteger, row.BigInt: bindings.TypeBigInt, row.Float: bindings.TypeFloat, row.Double: bindings.TypeDouble,
	row.String: bindings.TypeVarchar, row.Interval: bindings.TypeVarchar, row.Binary: bindings.TypeBlob, row.Date: bindings.TypeDate,
	row.Timestamp: bindings.TypeTimestamp, row.TimestampNTZ: bindings.TypeTimestamp,
}

// makeLogical returns the DuckDB type that holds values of t. The caller
// destroys it.
func makeLogical(t row.Type) bindings.LogicalType {
	switch t.Kind {
	case row.Decimal:
		return bindings.CreateDecimalType(uint8(t.Precision), uint8(t.Scale))
	case row.Array:
		elem := makeLogical(*t.Elem)
		defer bindings.DestroyLogicalType(&elem)
		return bindings.CreateListType(elem)
	case row.Map:
		key, value := makeLogical(*t.Key), makeLogical(*t.Elem)
		defer bindings.DestroyLogicalType(&key)
		defer bindings.DestroyLogicalType(&value)
		return bindings.CreateMapType(key, value)
	case row.Struct:
		types := make([]bindings.LogicalType, len(t.Fields))
		for i, f := range t.Fields {
			types[i] = makeLogical(f.Type)
			defer bindings.DestroyLogicalType(&types[i])
		}
		return bindings.CreateStructType(types, t.Fields.Names())
	default:
		return bindings.CreateLogicalType(plainLogical[t.Kind])
	}
}

var plainNames = map[row.Kind]string{
	row.Void: "INTEGER", row.Boolean: "BOOLEAN", row.TinyInt: "TINYINT", row.SmallInt: "SMALLINT", row.Int: "INTEGER", row.BigInt: "BIGINT",
	row.Float: "FLOAT", row.Double: "DOUBLE", row.String: "VARCHAR", row.Interval: "VARCHAR", row.Binary: "BLOB", row.Date: "DATE",
	row.Timestamp: "TIMESTAMP", row.TimestampNTZ: "TIMESTAMP",
}

// TypeSQL spells the DuckDB type that holds values of t: the type that a
// registered scan and the embedded lake have for it.
func TypeSQL(t row.Type) string { return SpellType(t, plainNames[row.Interval]) }

// SpellType is TypeSQL with another type for intervals. A column of type Void is an
// INTEGER column of NULLs, and instants are kept as TIMESTAMP in UTC, so that
// nothing hangs on a session's zone.
func SpellType(t row.Type, interval string) string {
	switch t.Kind {
	case row.Interval:
		return interval
	case row.Decimal:
		return fmt.Sprintf("DECIMAL(%d,%d)", t.Precision, t.Scale)
	case row.Array:
		return SpellType(*t.Elem, interval) + "[]"
	case row.Map:
		return "MAP(" + SpellType(*t.Key, interval) + ", " + SpellType(*t.Elem, interval) + ")"
	case row.Struct:
		parts := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			parts[i] = Name(f.Name) + " " + SpellType(f.Type, interval)
		}
		return "STRUCT(" + strings.Join(parts, ", ") + ")"
	default:
		return plainNames[t.Kind]
	}
}

// Name quotes an identifier.
func Name(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

// Text quotes a string literal. DuckDB's SQL text cannot hold a NUL, so one is
// spelled by chr(0).
func Text(s string) string {
	quoted := "'" + strings.ReplaceAll(s, "'", "''") + "'"
	if !strings.Contains(quoted, "\x00") {
		return quoted
	}
	return "(" + strings.ReplaceAll(quoted, "\x00", "'||chr(0)||'") + ")"
}
