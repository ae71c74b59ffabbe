package duck

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/eslake/eslake/esds/duckdb"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// wideDecimal writes an operator over decimals that needs more digits on the way
// than the engine has. What does not fit the result is NULL, with ANSI an error.
func (s *speller) wideDecimal(op, a, b string, c *expr.Call) string {
	text := wideText(op, a, b, c.T)
	if !s.ansi {
		return text
	}
	return fmt.Sprintf("coalesce(%s, CASE WHEN %s IS NOT NULL AND %s IS NOT NULL THEN %s END)", text, a, b,
		s.raise(c, QuoteText("the result of "+c.Func+" is out of range for "+c.T.SQL())))
}

func wideText(op, a, b string, t row.Type) string {
	precision, scale := t.Precision, t.Scale
	if t.Kind != row.Decimal {
		precision, scale = 0, 0
	}
	text := duckdb.TextSQL("decimal", QuoteText(op), QuoteText(strconv.Itoa(precision)), QuoteText(strconv.Itoa(scale)),
		"CAST("+a+" AS VARCHAR)", "CAST("+b+" AS VARCHAR)")
	return "CAST(" + text + " AS " + TypeSQL(t) + ")"
}

// fixed is a number of any size, as digits and how many of them stand behind the point.
type fixed struct {
	digits *big.Int
	scale  int
}

// The digits that Java's decimals have when Spark divides and multiplies.
const (
	quotientScale = 38
	productDigits = 39
)

// computeDecimal computes with exact decimals: operation, digits and scale of the
// result, both operands. A result without digits is a whole number of 64 bits, which
// wraps; that of div has 38 digits before.
func computeDecimal(args []string) (string, bool, error) {
	precision, err := strconv.Atoi(args[1])
	if err != nil {
		return "", false, err
	}
	scale, err := strconv.Atoi(args[2])
	if err != nil {
		return "", false, err
	}
	a, okA := readFixed(args[3])
	b, okB := readFixed(args[4])
	if !okA || !okB {
		return "", false, fmt.Errorf("%s and %s are no decimals", args[3], args[4])
	}
	x, ok := a.compute(args[0], b)
	if !ok {
		return "", false, nil
	}
	if args[0] == "div" && x.exceeds(38) {
		return "", false, nil
	}
	if precision == 0 {
		return strconv.FormatInt(int64(new(big.Int).And(x.digits, allBits).Uint64()), 10), true, nil
	}
	x = x.rounded(scale)
	return x.String(), !x.exceeds(precision), nil
}

func (a fixed) exceeds(precision int) bool { return a.digits.CmpAbs(power(precision)) >= 0 }

var allBits = new(big.Int).SetUint64(1<<64 - 1)

func power(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

func readFixed(text string) (fixed, bool) {
	whole, fraction, _ := strings.Cut(text, ".")
	digits, ok := new(big.Int).SetString(whole+fraction, 10)
	return fixed{digits, len(fraction)}, ok
}

// compute returns false for a division by zero.
func (a fixed) compute(op string, b fixed) (fixed, bool) {
	scale := max(a.scale, b.scale)
	x, y := a.at(scale), b.at(scale)
	switch op {
	case "+":
		return fixed{x.Add(x, y), scale}, true
	case "-":
		return fixed{x.Sub(x, y), scale}, true
	case "*":
		product := fixed{new(big.Int).Mul(a.digits, b.digits), a.scale + b.scale}
		if more := len(new(big.Int).Abs(product.digits).String()) - productDigits; more > 0 {
			product = product.rounded(product.scale - more)
		}
		return product, true
	}
	if y.Sign() == 0 {
		return fixed{}, false
	}
	switch op {
	case "/":
		return fixed{quotient(x.Mul(x, power(quotientScale)), y), quotientScale}, true
	case "div", "low":
		return fixed{x.Quo(x, y), 0}, true
	case "pmod":
		x.Rem(x, y)
		if x.Sign() < 0 {
			x.Rem(x.Add(x, y), y)
		}
		return fixed{x, scale}, true
	}
	return fixed{x.Rem(x, y), scale}, true
}

// at is the number's digits with so many behind the point, which are no fewer than it has.
func (a fixed) at(scale int) *big.Int {
	return new(big.Int).Mul(a.digits, power(scale-a.scale))
}

// rounded has so many digits behind the point, rounded half away from zero.
func (a fixed) rounded(scale int) fixed {
	if scale >= a.scale {
		return fixed{a.at(scale), scale}
	}
	return fixed{quotient(a.digits, power(a.scale-scale)), scale}
}

// quotient is rounded half away from zero.
func quotient(x, y *big.Int) *big.Int {
	q, r := new(big.Int).QuoRem(x, y, new(big.Int))
	if r.Abs(r).Lsh(r, 1).CmpAbs(y) >= 0 {
		q.Add(q, big.NewInt(int64(x.Sign()*y.Sign())))
	}
	return q
}

func (a fixed) String() string {
	text := new(big.Int).Abs(a.digits).String()
	if short := a.scale + 1 - len(text); short > 0 {
		text = strings.Repeat("0", short) + text
	}
	if a.scale > 0 {
		text = text[:len(text)-a.scale] + "." + text[len(text)-a.scale:]
	}
	if a.digits.Sign() < 0 {
		return "-" + text
	}
	return text
}
