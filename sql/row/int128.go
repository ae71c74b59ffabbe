package row

import (
	"fmt"
	"math/big"
	"math/bits"
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
	digits := ""
	if v, ok := x.Int64(); ok {
		digits = fmt.Sprint(v)
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
