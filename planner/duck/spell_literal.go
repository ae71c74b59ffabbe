package duck

import (
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// literal writes a constant so that DuckDB gives it exactly the type that the
// expression has.
func (s *speller) literal(l *expr.Literal) string {
	if l.Value == nil {
		if l.T.Kind == row.Void {
			return "NULL"
		}
		return "CAST(NULL AS " + TypeSQL(l.T) + ")"
	}
	switch v := l.Value.(type) {
	case bool:
		return strconv.FormatBool(v)
	case int64:
		return intLiteral(v, l.T)
	case float64:
		return floatLiteral(v, l.T)
	case string:
		if l.T.Kind == row.Decimal {
			return "CAST(" + QuoteText(v) + " AS " + TypeSQL(l.T) + ")"
		}
		return textLiteral(v)
	case []byte:
		return "unhex('" + hex.EncodeToString(v) + "')"
	case expr.Interval:
		return intervalLiteral(v)
	}
	return s.fail(l, codeUnserved, "a constant of %s cannot stand here", l.T.SQL())
}

func intLiteral(v int64, t row.Type) string {
	switch t.Kind {
	case row.Date:
		return "DATE '" + string(row.AppendDate(nil, v)) + "'"
	case row.Timestamp, row.TimestampNTZ:
		return "TIMESTAMP '" + string(row.AppendTimestamp(nil, v, ' ')) + "'"
	case row.Int:
		if v >= 0 {
			return strconv.FormatInt(v, 10)
		}
		if v > math.MinInt32 {
			return "(" + strconv.FormatInt(v, 10) + ")"
		}
	}
	return "CAST(" + strconv.FormatInt(v, 10) + " AS " + TypeSQL(t) + ")"
}

func floatLiteral(v float64, t row.Type) string {
	bits := 64
	if t.Kind == row.Float {
		bits = 32
	}
	text := strconv.FormatFloat(v, 'e', -1, bits)
	switch {
	case math.IsNaN(v):
		text = "'NaN'"
	case math.IsInf(v, 0):
		text = "'" + strings.TrimPrefix(text, "+") + "'"
	}
	return "CAST(" + text + " AS " + TypeSQL(t) + ")"
}

// textLiteral writes text; DuckDB has no place for a zero byte in a literal.
func textLiteral(text string) string {
	if !strings.Contains(text, "\x00") {
		return QuoteText(text)
	}
	parts := strings.Split(text, "\x00")
	for i, p := range parts {
		parts[i] = QuoteText(p)
	}
	return "(" + strings.Join(parts, " || chr(0) || ") + ")"
}

func intervalLiteral(v expr.Interval) string {
	var parts []string
	if v.Months != 0 {
		parts = append(parts, fmt.Sprintf("to_months(%d)", v.Months))
	}
	if v.Days != 0 {
		parts = append(parts, fmt.Sprintf("to_days(%d)", v.Days))
	}
	if v.Micros != 0 || len(parts) == 0 {
		parts = append(parts, fmt.Sprintf("to_microseconds(%d)", v.Micros))
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return "(" + strings.Join(parts, " + ") + ")"
}
