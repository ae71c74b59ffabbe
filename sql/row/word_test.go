package row_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/eslake/eslake/sql/row"
)

// Each method says of a word what a loop over its bytes does.
func TestWord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// Bytes near each other and near the limits, where a borrow or a carry shows.
		b := rapid.SliceOfN(rapid.OneOf(rapid.Byte(), rapid.SampledFrom([]byte("\x00\x01\x1f !\"#/09:[\\]\x7f\x80\x81\xb0\xff"))), 9, 9).Draw(t, "bytes")
		c := rapid.SampledFrom([]byte("\x00\x01 \"09\x7f\x80\xff")).Draw(t, "byte")
		first := func(is func(byte) bool) int {
			for i, x := range b[1:] {
				if is(x) {
					return i
				}
			}
			return 8
		}
		w := row.WordAt(b, 1)
		if got, want := w.Equal(c).First(), first(func(x byte) bool { return x == c }); got != want {
			t.Fatalf("first %q of %q at %d, want %d", c, b[1:], got, want)
		}
		if got, want := w.Below(c).First(), first(func(x byte) bool { return x < c && x < 0x80 }); got != want && c <= 0x80 {
			t.Fatalf("first below %q of %q at %d, want %d", c, b[1:], got, want)
		}
		if got, want := w.Stops().First(), first(func(x byte) bool { return x == '"' || x == '\\' || x < ' ' }); got != want {
			t.Fatalf("first that stops a text in %q at %d, want %d", b[1:], got, want)
		}
		if got, want := w.Digits(), first(func(x byte) bool { return x < '0' || x > '9' }); got != want {
			t.Fatalf("%d digits in %q, want %d", got, b[1:], want)
		}
	})
}
