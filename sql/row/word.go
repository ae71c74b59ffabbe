package row

import (
	"encoding/binary"
	"math/bits"
)

// Word is eight bytes of a text, looked at at once; the lowest is the first. Methods
// that mark bytes set the high bit of each. The first mark is right, and so is no mark
// at all, but one behind a right one may be wrong, since subtraction borrows.
type Word uint64

// Ones has a 1 in each byte, and Highs the high bit of each.
const (
	Ones  Word = 0x0101010101010101
	Highs Word = 0x80 * Ones
)

// WordAt returns the eight bytes at i, which must be there.
func WordAt(b []byte, i int) Word { return Word(binary.LittleEndian.Uint64(b[i : i+8 : len(b)])) }

// Equal marks the bytes that are c.
func (w Word) Equal(c byte) Word { return (w ^ Ones*Word(c)).Below(1) }

// Below marks the bytes that are less than c, which is at most 0x80.
func (w Word) Below(c byte) Word { return (w - Ones*Word(c)) &^ w & Highs }

// Stops marks the bytes that a JSON string cannot have as they are, and its end: the
// quote, the backslash and control characters.
func (w Word) Stops() Word {
	return (((w ^ Ones*'"') - Ones) | ((w ^ Ones*'\\') - Ones) | (w - Ones*' ')) &^ w & Highs
}

// First returns the byte of the first mark, 8 when there is none.
func (w Word) First() int { return bits.TrailingZeros64(uint64(w)) / 8 }

// Digits returns how many of the first bytes are decimal digits.
func (w Word) Digits() int {
	w ^= Ones * '0' // digits are 0 to 9 now
	return ((w + Ones*(0x80-10) | w) & Highs).First()
}
