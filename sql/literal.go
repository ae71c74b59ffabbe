package sql

import (
	"encoding/hex"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/lex"
	"github.com/eslake/eslake/sql/row"
)

// typedLiteral reports whether a word makes the string behind it a literal of
// another type.
func typedLiteral(t lex.Token) bool {
	return isWord(t, []string{"DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ"})
}

// literal reads one literal.
func (p *parser) literal() *expr.Literal {
	t := p.peek()
	switch {
	case t.IsString():
		return p.stringLiteral()
	case t.Kind == lex.Hex:
		return p.binaryLiteral()
	case t.Is("INTERVAL"):
		return p.interval()
	case typedLiteral(t):
		return p.timeLiteral()
	case t.Kind == lex.Word:
		p.next()
		l := &expr.Literal{Node: expr.Node{At: t.Span}}
		if !t.Is("NULL") {
			l.T, l.Value = row.BooleanType, t.Is("TRUE")
		}
		return l
	}
	sign := ""
	from := p.i
	if p.accept("-") {
		sign = "-"
	}
	return p.number(sign, p.next().Text, from)
}

// stringLiteral reads a string; strings that stand one behind the other are one
// text, as in Spark: 'it”s' is its.
func (p *parser) stringLiteral() *expr.Literal {
	from := p.i
	text := p.next().Value()
	for p.peek().IsString() {
		text += p.next().Value()
	}
	return &expr.Literal{Node: expr.Node{At: p.since(from), T: row.StringType}, Value: text}
}

func (p *parser) binaryLiteral() *expr.Literal {
	t := p.next()
	digits := t.Text[2 : len(t.Text)-1]
	if len(digits)%2 == 1 {
		digits = "0" + digits
	}
	b, err := hex.DecodeString(digits)
	if err != nil {
		p.fail(lex.CodeLiteral, t.Span, t.Text+" is not binary", "X'…' holds hexadecimal digits")
	}
	return &expr.Literal{Node: expr.Node{At: t.Span, T: row.BinaryType}, Value: b}
}

// timeLiteral reads DATE '…' and TIMESTAMP '…'. A timestamp without a zone is of
// the session's.
func (p *parser) timeLiteral() *expr.Literal {
	from := p.i
	word := p.next()
	text := p.stringLiteral()
	l := &expr.Literal{Node: expr.Node{At: p.since(from)}}
	var v int64
	var err error
	form := "'2024-01-31 12:30:59.123'"
	switch {
	case word.Is("DATE"):
		l.T, form = row.DateType, "'2024-01-31'"
		v, err = row.ReadDate(text.Value.(string))
	case word.Is("TIMESTAMP_NTZ"):
		l.T = row.TimestampNTZType
		v, err = row.ReadWall(text.Value.(string))
	default:
		l.T = row.TimestampType
		v, l.Wall, err = row.ParseInstant(text.Value.(string))
	}
	if err != nil {
		kind := strings.ToUpper(word.Text)
		p.fail(lex.CodeLiteral, l.At, lex.QuoteString(text.Value.(string))+" is not a "+kind, "write it as "+kind+" "+form)
	}
	l.Value = v
	return l
}

// number reads a number. Its type is the one that Spark gives the spelling.
func (p *parser) number(sign, text string, from int) *expr.Literal {
	l := &expr.Literal{Node: expr.Node{At: p.since(from)}}
	digits := strings.TrimRight(text, "LSYDFBlsydfb")
	var ok bool
	switch strings.ToUpper(text[len(digits):]) {
	case "Y":
		ok = whole(l, sign+digits, 8, row.TinyIntType)
	case "S":
		ok = whole(l, sign+digits, 16, row.SmallIntType)
	case "L":
		ok = whole(l, sign+digits, 64, row.BigIntType)
	case "D":
		ok = float(l, sign+digits, 64, row.DoubleType)
	case "F":
		ok = float(l, sign+digits, 32, row.FloatType)
	case "BD":
		ok = decimal(l, sign, digits)
	case "":
		ok = bare(l, sign, digits)
	}
	if !ok {
		p.fail(lex.CodeLiteral, l.At, sign+text+" is out of range", numberHint(text[len(digits):]))
	}
	return l
}

func numberHint(suffix string) string {
	switch strings.ToUpper(suffix) {
	case "Y":
		return "TINYINT goes from -128 to 127"
	case "S":
		return "SMALLINT goes from -32768 to 32767"
	case "L":
		return "BIGINT goes from -9223372036854775808 to 9223372036854775807"
	default:
		return "DECIMAL has at most 38 digits; write 1e40 for a DOUBLE"
	}
}

// bare reads a number without a suffix: INT, else BIGINT, else DECIMAL; DECIMAL
// with a point, DOUBLE with an exponent.
func bare(l *expr.Literal, sign, digits string) bool {
	switch {
	case strings.ContainsAny(digits, "eE"):
		return float(l, sign+digits, 64, row.DoubleType)
	case strings.Contains(digits, "."):
		return decimal(l, sign, digits)
	default:
		return whole(l, sign+digits, 32, row.IntType) || whole(l, sign+digits, 64, row.BigIntType) || decimal(l, sign, digits)
	}
}

func whole(l *expr.Literal, digits string, bits int, t row.Type) bool {
	v, err := strconv.ParseInt(digits, 10, bits)
	l.Value, l.T = v, t
	return err == nil
}

func float(l *expr.Literal, digits string, bits int, t row.Type) bool {
	v, err := strconv.ParseFloat(digits, bits)
	l.Value, l.T = v, t
	return err == nil && !math.IsInf(v, 0)
}

// decimal reads digits, a point and an exponent exactly. The precision is that
// of the digits as written: 1.50 is DECIMAL(3,2), 0.5 DECIMAL(1,1).
func decimal(l *expr.Literal, sign, text string) bool {
	mantissa, exponent := text, 0
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		var err error
		if exponent, err = strconv.Atoi(text[i+1:]); err != nil || exponent > 50 || exponent < -50 {
			return false
		}
		mantissa = text[:i]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	scale := len(fraction) - exponent
	unscaled := strings.TrimLeft(whole+fraction, "0")
	if scale < 0 {
		if unscaled != "" {
			unscaled += strings.Repeat("0", -scale)
		}
		scale = 0
	}
	precision := max(len(unscaled), scale, 1)
	if precision > 38 {
		return false
	}
	padded := strings.Repeat("0", max(0, scale+1-len(unscaled))) + unscaled
	digits := padded[:len(padded)-scale]
	if scale > 0 {
		digits += "." + padded[len(padded)-scale:]
	}
	if v, ok := new(big.Int).SetString(padded, 10); ok && v.Sign() == 0 {
		sign = ""
	}
	l.Value, l.T = sign+digits, row.DecimalType(precision, scale)
	return true
}
