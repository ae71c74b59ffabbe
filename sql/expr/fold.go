package expr

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/eslake/eslake/sql/row"
)

// Convert returns e as a value of type t, by an implicit cast unless it has that
// type already. A literal becomes a literal of the new type where that is exact,
// so that rules can read it.
func Convert(e Expr, t row.Type) Expr {
	if e.Type().Equal(t) {
		return e
	}
	if l, ok := e.(*Literal); ok {
		if folded := foldLiteral(l, t); folded != nil {
			return folded
		}
	}
	return &Cast{Node: Node{At: e.Span(), T: t}, X: e, Implicit: true}
}

// foldLiteral returns the literal as one of type t, nil when only the engine can
// tell what becomes of it.
func foldLiteral(l *Literal, t row.Type) *Literal {
	if text, ok := l.Value.(string); ok && l.T.Kind == row.String && t.Kind == row.Timestamp {
		v, wall, err := row.ParseInstant(strings.Trim(text, " \t\r\n"))
		if err != nil {
			return nil
		}
		return &Literal{Node: Node{At: l.At, T: t}, Value: v, Wall: wall}
	}
	value := l.Value
	if value != nil {
		if value = foldValue(l, t); value == nil {
			return nil
		}
	}
	wall := value != nil && t.Kind == row.Timestamp // of a DATE or a TIMESTAMP_NTZ
	return &Literal{Node: Node{At: l.At, T: t}, Value: value, Wall: wall}
}

func foldValue(l *Literal, t row.Type) any {
	switch v := l.Value.(type) {
	case int64:
		if l.T.Integral() {
			return foldInt(v, t)
		}
	case float64:
		if t.Kind == row.Double && l.T.Kind == row.Float {
			return v
		}
	case string:
		if l.T.Kind == row.Decimal {
			return foldDecimal(v, t)
		}
		if l.T.Kind == row.String {
			return foldText(strings.Trim(v, " \t\r\n"), t)
		}
	}
	return foldTime(l, t)
}

func foldTime(l *Literal, t row.Type) any {
	v, ok := l.Value.(int64)
	switch {
	case !ok:
	case l.T.Kind == row.Date && (t.Kind == row.Timestamp || t.Kind == row.TimestampNTZ):
		return v * 86_400_000_000
	case l.T.Kind == row.TimestampNTZ && t.Kind == row.Timestamp:
		return v
	}
	return nil
}

func foldInt(v int64, t row.Type) any {
	switch {
	case t.Integral() && row.FitsInt(t.Kind, v):
		return v
	case t.Kind == row.Double && v <= 1<<53 && v >= -1<<53:
		return float64(v)
	case t.Kind == row.Float && v <= 1<<24 && v >= -1<<24:
		return float64(v)
	case t.Kind == row.Decimal:
		return foldDecimal(strconv.FormatInt(v, 10), t)
	case t.Kind == row.String:
		return strconv.FormatInt(v, 10)
	}
	return nil
}

func foldDecimal(digits string, t row.Type) any {
	switch t.Kind {
	case row.Decimal:
		x, err := row.ParseDecimal(digits, t.Precision, t.Scale)
		if err != nil {
			return nil
		}
		return string(row.AppendDecimal(nil, x, t.Scale))
	case row.Double:
		if v, err := strconv.ParseFloat(digits, 64); err == nil {
			return v
		}
	case row.String:
		if _, behind, _ := strings.Cut(digits, "."); len(behind) <= 6 { // what is smaller may be written with an exponent
			return digits
		}
	}
	return nil
}

func foldText(text string, t row.Type) any {
	switch {
	case t.Integral():
		if v, err := strconv.ParseInt(text, 10, 64); err == nil && row.FitsInt(t.Kind, v) {
			return v
		}
	case t.Kind == row.Double:
		if plainNumber(text) {
			if v, err := strconv.ParseFloat(text, 64); err == nil && !math.IsInf(v, 0) {
				return v
			}
		}
	case t.Kind == row.Decimal && plainNumber(text):
		return foldDecimal(text, t)
	case t.Kind == row.Boolean:
		switch strings.ToLower(text) {
		case "true", "t", "yes", "y", "1":
			return true
		case "false", "f", "no", "n", "0":
			return false
		}
	case t.Kind == row.Date:
		if v, err := row.ParseDate(text); err == nil && strings.IndexByte(text, ':') < 0 {
			return v
		}
	case t.Kind == row.TimestampNTZ && !strings.ContainsAny(text, "Zz+"):
		if v, err := row.ParseTimestamp(text); err == nil {
			return v
		}
	}
	return nil
}

// plainNumber reports whether text is digits with a sign, a point and an
// exponent, and nothing else that Go or Java might read.
func plainNumber(text string) bool {
	digits := false
	for i := range len(text) {
		switch c := text[i]; {
		case c >= '0' && c <= '9':
			digits = true
		case c != '.' && c != '-' && c != '+' && (c != 'e' && c != 'E' || !digits):
			return false
		}
	}
	return digits
}

// Digits returns the precision and scale that an integral literal needs; Spark
// types 1.5 + 1 by the digits of 1, not by those of INT.
func literalDecimal(e Expr) (row.Type, bool) {
	l, ok := e.(*Literal)
	if !ok {
		return row.Type{}, false
	}
	v, ok := l.Value.(int64)
	if !ok || !l.T.Integral() {
		return row.Type{}, false
	}
	return row.DecimalType(len(new(big.Int).Abs(big.NewInt(v)).String()), 0), true
}

// decimalOf returns the decimal type in which a number takes part in decimal
// arithmetic and comparison.
func decimalOf(e Expr) row.Type {
	if t, ok := literalDecimal(e); ok {
		return t
	}
	return asDecimal(e.Type())
}

// ConstantText returns the text of a string literal.
func ConstantText(e Expr) (string, bool) {
	if c, ok := e.(*Cast); ok && c.Implicit {
		e = c.X
	}
	l, ok := e.(*Literal)
	if !ok {
		return "", false
	}
	s, ok := l.Value.(string)
	return s, ok && (l.T.Kind == row.String || l.T.Kind == row.Void)
}

// ConstantInt returns the value of an integral literal.
func ConstantInt(e Expr) (int64, bool) {
	switch x := e.(type) {
	case *Literal:
		v, ok := x.Value.(int64)
		return v, ok && x.T.Integral()
	case *Call:
		if (x.Func == "-" || x.Func == "negative") && len(x.Args) == 1 {
			v, ok := ConstantInt(x.Args[0])
			return -v, ok
		}
	case *Cast:
		if x.Implicit && x.T.Integral() {
			return ConstantInt(x.X)
		}
	}
	return 0, false
}
