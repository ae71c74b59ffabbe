package expr

import (
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/eslake/eslake/sql/lex"
	"github.com/eslake/eslake/sql/row"
)

// literal writes a constant in a spelling that has its type.
func (p *printer) literal(e *Literal) {
	switch v := e.Value.(type) {
	case nil:
		p.WriteString("NULL")
	case bool:
		p.WriteString(strings.ToUpper(strconv.FormatBool(v)))
	case int64:
		p.WriteString(wholeText(v, e.T.Kind, e.Wall))
	case float64:
		p.WriteString(floatText(v, e.T))
	case string:
		if e.T.Kind == row.Decimal {
			p.WriteString(decimalText(v))
			return
		}
		p.WriteString(lex.QuoteString(v))
	case []byte:
		p.WriteString("X'" + strings.ToUpper(hex.EncodeToString(v)) + "'")
	case Interval:
		p.WriteString(v.String())
	default:
		fmt.Fprint(p, v)
	}
}

// wholeText returns a whole number with the suffix of its type, a date, or a
// timestamp: with Z for an instant, without for what the session's clocks show.
func wholeText(v int64, kind row.Kind, wall bool) string {
	digits := strconv.FormatInt(v, 10)
	switch kind {
	case row.TinyInt:
		return digits + "Y"
	case row.SmallInt:
		return digits + "S"
	case row.BigInt:
		return digits + "L"
	case row.Date:
		return "DATE '" + string(row.AppendDate(nil, v)) + "'"
	case row.Timestamp:
		zone := "Z"
		if wall {
			zone = ""
		}
		return "TIMESTAMP '" + string(row.AppendTimestamp(nil, v, ' ')) + zone + "'"
	case row.TimestampNTZ:
		return "TIMESTAMP_NTZ '" + string(row.AppendTimestamp(nil, v, ' ')) + "'"
	default:
		return digits
	}
}

func floatText(v float64, t row.Type) string {
	bits, suffix := 64, "D"
	if t.Kind == row.Float {
		bits, suffix = 32, "F"
	}
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "CAST('" + string(row.AppendFloat(nil, v, bits)) + "' AS " + t.SQL() + ")"
	}
	return string(row.AppendFloat(nil, v, bits)) + suffix
}

// decimalText returns the digits of a decimal, with the suffix BD where they
// would be read as a whole number.
func decimalText(digits string) string {
	if strings.Contains(digits, ".") {
		return digits
	}
	if _, err := strconv.ParseInt(digits, 10, 64); err != nil {
		return digits
	}
	return digits + "BD"
}
