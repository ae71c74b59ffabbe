package row

import (
	"fmt"
	"math/big"
	"math/bits"
	"strconv"
)

// Int128 is a signed 128-bit integer in two's complement: the unscaled value of
// a DECIMAL of up to 38 digits. It has DuckDB's memory layout.
type Int128 struct {
	Lo uint64
	Hi int64
}

// Int128From returns v widened.
func Int128From(v int64) Int128 {
	return Int128{Lo: uint64(v), Hi: v >> 63}
}

// Neg returns -x.
func (x Int128) Neg() Int128 {
	lo, carry := bits.Add64(^x.Lo, 1, 0)
	return Int128{Lo: lo, Hi: int64(uint64(^x.Hi) + carry)}
}

// Int64 returns x when it fits.
func (x Int128) Int64() (int64, bool) {
	return int64(x.Lo), x.Hi == int64(x.Lo)>>63
}

// Big returns x as a big.Int.
func (x Int128) Big() *big.Int {
	b := big.NewInt(x.Hi)
	b.Lsh(b, 64)
	return b.Add(b, new(big.Int).SetUint64(x.Lo))
}

// Int128FromBig returns b when it fits 127 bits and a sign.
func Int128FromBig(b *big.Int) (Int128, bool) {
	if b.BitLen() > 127 {
		return Int128{}, false
	}
	abs := new(big.Int).Abs(b)
	lo := new(big.Int).And(abs, new(big.Int).SetUint64(^uint64(0))).Uint64()
	hi := abs.Rsh(abs, 64).Int64()
	x := Int128{Lo: lo, Hi: hi}
	if b.Sign() < 0 {
		x = x.Neg()
	}
	return x, true
}

// ParseDecimal reads text as a DECIMAL(precision, scale): an optional sign,
// digits, an optional fraction and exponent. Digits beyond the scale are an
// error unless they are zero: a decimal is never rounded silently.
func ParseDecimal(text string, precision, scale int) (Int128, error) {
	if v, ok := parseShort(text, scale); ok && v.fits(precision) {
		return Int128From(int64(v)), nil
	}
	x, rest, err := parseScaled(text, scale)
	if err != nil {
		return Int128{}, err
	}
	if rest {
		return Int128{}, fmt.Errorf("%q has more than %d digits after the point", text, scale)
	}
	limit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(precision)), nil)
	if x.CmpAbs(limit) >= 0 {
		return Int128{}, fmt.Errorf("%q is out of range for decimal(%d,%d)", text, precision, scale)
	}
	v, _ := Int128FromBig(x)
	return v, nil
}

// unscaled is a short decimal without its point.
type unscaled int64

// fits reports whether the number has at most that many digits.
func (v unscaled) fits(precision int) bool {
	return precision >= 19 || v < unscaled(pow10[precision]) && v > -unscaled(pow10[precision])
}

var pow10 = func() (p [19]int64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = p[i-1] * 10
	}
	return p
}()

// parseShort reads what most decimals are: a sign, up to 18 digits and a point,
// with no digits lost at the scale.
func parseShort(text string, scale int) (unscaled, bool) {
	digits, point, negative := 0, -1, false
	v := int64(0)
	for i := range len(text) {
		switch c := text[i]; {
		case c >= '0' && c <= '9':
			v = v*10 + int64(c-'0')
			digits++
		case c == '.' && point < 0:
			point = digits
		case (c == '-' || c == '+') && i == 0:
			negative = c == '-'
		default:
			return 0, false
		}
	}
	if point < 0 {
		point = digits
	}
	more := scale - (digits - point)
	if digits == 0 || more < 0 || digits+more > 18 {
		return 0, false
	}
	v *= pow10[more]
	if negative {
		v = -v
	}
	return unscaled(v), true
}

// parseScaled returns text times 10^scale, and whether digits other than zero
// were left behind the point.
func parseScaled(text string, scale int) (*big.Int, bool, error) {
	bad := fmt.Errorf("%q is not a decimal number", text)
	r, ok := new(big.Rat).SetString(text)
	if !ok || len(text) > 4096 {
		return nil, false, bad
	}
	for _, c := range text {
		if (c < '0' || c > '9') && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E' {
			return nil, false, bad
		}
	}
	r.Mul(r, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)))
	q, m := new(big.Int).QuoRem(r.Num(), r.Denom(), new(big.Int))
	return q, m.Sign() != 0, nil
}

// AppendDecimal appends the text of an unscaled value with scale digits after
// the point.
func AppendDecimal(dst []byte, x Int128, scale int) []byte {
	if x.Hi < 0 {
		dst = append(dst, '-')
		x = x.Neg()
	}
	if scale == 0 || x.Hi != 0 || scale > 18 {
		return appendLongDecimal(dst, x, scale)
	}
	dst = append(appendUint(dst, x.Lo, scale+1), 0)
	point := len(dst) - 1 - scale
	for i := len(dst) - 1; i > point; i-- { // a call of copy takes longer
		dst[i] = dst[i-1]
	}
	dst[point] = '.'
	return dst
}

func appendLongDecimal(dst []byte, x Int128, scale int) []byte {
	digits := ""
	if v, ok := x.Int64(); ok {
		digits = strconv.FormatInt(v, 10)
	} else {
		digits = x.Big().String()
	}
	for len(digits) <= scale {
		digits = "0" + digits
	}
	dst = append(dst, digits[:len(digits)-scale]...)
	if scale > 0 {
		dst = append(dst, '.')
		dst = append(dst, digits[len(digits)-scale:]...)
	}
	return dst
}
