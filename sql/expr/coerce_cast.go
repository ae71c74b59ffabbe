package expr

import (
	"github.com/eslake/eslake/sql/row"
)

// CastMode says which rules a cast follows.
type CastMode uint8

// The rules of CAST and TRY_CAST with spark.sql.ansi.enabled off, and on.
const (
	LegacyCast CastMode = iota
	ANSICast
)

func (n Node) castMode() CastMode {
	if n.ANSI {
		return ANSICast
	}
	return LegacyCast
}

// CastAllowed reports whether CAST(x AS to) is possible for an x of type from.
// A possible cast of one value may still give NULL, or an error with ANSICast.
func CastAllowed(from, to row.Type, mode CastMode) bool {
	switch {
	case from.Equal(to), from.Kind == row.Void:
		return true
	case from.Nested() || to.Nested():
		return castNested(from, to, mode)
	case to.Kind == row.Void:
		return false
	case to.Kind == row.String:
		return true
	case from.Kind == row.String:
		return true
	}
	switch to.Kind {
	case row.Binary:
		return from.Integral() && mode == LegacyCast
	case row.Boolean:
		return from.Numeric() || mode == LegacyCast && (from.Kind == row.Date || from.Kind == row.Timestamp)
	case row.Date:
		return isTime(from)
	case row.Timestamp:
		return isTime(from) || from.Numeric() || from.Kind == row.Boolean && mode == LegacyCast
	case row.TimestampNTZ:
		return isTime(from)
	case row.Interval:
		return from.Kind == row.Interval || from.Integral()
	}
	switch from.Kind {
	case row.Binary, row.TimestampNTZ:
		return false
	case row.Date:
		return mode == LegacyCast
	case row.Interval:
		return to.Integral() || to.Kind == row.Decimal
	}
	return true
}

func castNested(from, to row.Type, mode CastMode) bool {
	if to.Kind == row.String {
		return true
	}
	if from.Kind != to.Kind {
		return false
	}
	switch to.Kind {
	case row.Array:
		return CastAllowed(*from.Elem, *to.Elem, mode)
	case row.Map:
		return CastAllowed(*from.Key, *to.Key, mode) && CastAllowed(*from.Elem, *to.Elem, mode)
	default:
		if len(from.Fields) != len(to.Fields) {
			return false
		}
		for i, f := range from.Fields {
			if !CastAllowed(f.Type, to.Fields[i].Type, mode) {
				return false
			}
		}
		return true
	}
}

// StorePolicy is spark.sql.storeAssignmentPolicy: what INSERT may convert.
type StorePolicy uint8

// The policies of Spark. StoreANSI is its default.
const (
	StoreANSI   StorePolicy = iota // what ANSI SQL allows; a value that does not fit is an error
	StoreStrict                    // only what cannot lose anything
	StoreLegacy                    // whatever CAST allows
)

// StoreAssignment reports whether a value of type from may be stored in a column
// of type to.
func StoreAssignment(from, to row.Type, policy StorePolicy) bool {
	switch policy {
	case StoreStrict:
		return upCast(from, to)
	case StoreLegacy:
		return CastAllowed(from, to, LegacyCast)
	}
	switch {
	case from.Equal(to), from.Kind == row.Void:
		return true
	case from.Numeric() && to.Numeric():
		return true
	case to.Kind == row.String:
		return !from.Nested()
	case isTime(from) && isTime(to):
		return true
	case from.Kind == row.Array && to.Kind == row.Array:
		return StoreAssignment(*from.Elem, *to.Elem, policy)
	case from.Kind == row.Map && to.Kind == row.Map:
		return StoreAssignment(*from.Key, *to.Key, policy) && StoreAssignment(*from.Elem, *to.Elem, policy)
	case from.Kind == row.Struct && to.Kind == row.Struct:
		return storeStruct(from, to, policy)
	}
	return false
}

func storeStruct(from, to row.Type, policy StorePolicy) bool {
	if len(from.Fields) != len(to.Fields) {
		return false
	}
	for i, f := range from.Fields {
		if !StoreAssignment(f.Type, to.Fields[i].Type, policy) {
			return false
		}
	}
	return true
}

// upCast reports whether every value of from is a value of to.
func upCast(from, to row.Type) bool {
	switch {
	case from.Equal(to), from.Kind == row.Void:
		return true
	case from.Kind == row.Decimal && to.Kind == row.Decimal:
		return to.Scale >= from.Scale && to.Precision-to.Scale >= from.Precision-from.Scale
	case from.Integral() && to.Kind == row.Decimal:
		return to.Precision-to.Scale >= asDecimal(from).Precision
	case from.Kind == row.Decimal && to.Integral():
		return from.Scale == 0 && from.Precision < asDecimal(to).Precision
	case from.Kind == row.Decimal || to.Kind == row.Decimal:
		return to.Kind == row.String
	case from.Numeric() && to.Numeric():
		return from.Kind < to.Kind
	case isTime(from) && isTime(to):
		return from.Kind == row.Date || from.Kind != row.Date && to.Kind != row.Date
	case to.Kind == row.String:
		return !from.Nested() && from.Kind != row.Binary
	case from.Kind == to.Kind && to.Nested():
		return upCastNested(from, to)
	}
	return false
}

func upCastNested(from, to row.Type) bool {
	switch to.Kind {
	case row.Array:
		return upCast(*from.Elem, *to.Elem)
	case row.Map:
		return upCast(*from.Key, *to.Key) && upCast(*from.Elem, *to.Elem)
	}
	if len(from.Fields) != len(to.Fields) {
		return false
	}
	for i, f := range from.Fields {
		if !upCast(f.Type, to.Fields[i].Type) {
			return false
		}
	}
	return true
}
