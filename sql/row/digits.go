package row

import (
	"math"
	"math/bits"
	"slices"
)

// These functions print the numbers that rows are full of. They do what strconv
// and time do, in half the time.

// pairs is the digits of 00 to 99.
const pairs = "00010203040506070809" + "10111213141516171819" + "20212223242526272829" + "30313233343536373839" + "40414243444546474849" +
	"50515253545556575859" + "60616263646566676869" + "70717273747576777879" + "80818283848586878889" + "90919293949596979899"

// putTwo writes v, which is below 100, as two digits.
func putTwo(b []byte, v uint64) {
	_ = b[1]
	b[0], b[1] = pairs[2*v], pairs[2*v+1]
}

// putFour writes v, which is below 10,000.
func putFour(b []byte, v uint64) {
	_ = b[3]
	putTwo(b, v/100)
	putTwo(b[2:], v%100)
}

// putEight writes v, which is below 100,000,000.
func putEight(b []byte, v uint64) {
	_ = b[7]
	putFour(b, v/10_000)
	putFour(b[4:], v%10_000)
}

// AppendInt appends a whole number in decimal.
func AppendInt(dst []byte, v int64) []byte {
	u := uint64(v)
	if v < 0 {
		dst, u = append(dst, '-'), -u
	}
	return appendUint(dst, u, 1)
}

// appendUint appends a number with at least so many digits, which are 20 at most.
func appendUint(dst []byte, v uint64, least int) []byte {
	start := len(dst)
	end := start + max(digitsOf(v), least)
	dst = slices.Grow(dst, 20)[:end]
	for ; v >= 100_000_000; v /= 100_000_000 {
		end -= 8
		putEight(dst[end:], v%100_000_000)
	}
	for ; v >= 100; v /= 100 {
		end -= 2
		putTwo(dst[end:], v%100)
	}
	if v >= 10 {
		end -= 2
		putTwo(dst[end:], v)
		v = 0
	}
	for end > start {
		end--
		dst[end] = byte('0' + v)
		v = 0
	}
	return dst
}

// digitsOf returns how many digits a number has: one for zero.
func digitsOf(v uint64) int {
	n := bits.Len64(v) * 1233 >> 12 // times log10(2): the number of digits, or one less
	if n < len(pow10) && v < uint64(pow10[n]) {
		return max(n, 1)
	}
	if n == len(pow10) && v < 1e19 {
		return n
	}
	return n + 1
}

// appendPlainDouble appends a number between 0.001 and 10,000,000 that has at
// most six digits behind the point, as nearly all do.
//
// The shortest text that reads back as v is the decimal number itself: there are
// 13 digits at most, and no two numbers of up to 15 digits are the same double.
// The division is exact to the last bit, so equality says that they read back.
func appendPlainDouble(dst []byte, v float64) ([]byte, bool) {
	abs := math.Abs(v)
	n := uint64(abs*1e6 + 0.5)
	if float64(n)/1e6 != abs {
		return dst, false
	}
	if v < 0 {
		dst = append(dst, '-')
	}
	dst = append(appendUint(dst, n/1_000_000, 1), '.')
	return appendMillionths(dst, n%1_000_000), true
}

// appendMillionths appends millionths without the zeros at their end, but one
// digit at least.
func appendMillionths(dst []byte, millionths uint64) []byte {
	start := len(dst)
	dst = slices.Grow(dst, 6)[:start+6]
	putTwo(dst[start:], millionths/10_000)
	putFour(dst[start+2:], millionths%10_000)
	end := len(dst)
	for end > start+1 && dst[end-1] == '0' {
		end--
	}
	return dst[:end]
}
