package duck

import (
	"bytes"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/eslake/eslake/sql/row"
)

// TestShortWays compares the quick ways of reading numbers and times with those
// of the standard library.
func TestShortWays(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	texts := []string{
		"", "-", "+", ".", "-.", "0", "-0", "-0.0", "+1.5", "1.", ".5", "1..5", "1.5.", "1-5", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
		"-9223372036854775809", "9999999999999999999", "-9999999999999999999", "10000000000000000000", "18446744073709551616", "0000000000000000001",
		"123456789012345.", "12345678901234.5", "-12345678901234.5", "0.00000000000001", "1 ", " 1", "1e5", "1_0", "0x1", "١",
	}
	for range 50_000 {
		text := make([]byte, 1+r.IntN(20))
		for i := range text {
			text[i] = "0123456789"[r.IntN(10)]
		}
		if n := r.IntN(len(text) + 1); n < len(text) && r.IntN(3) > 0 {
			text[n] = '.'
		}
		if r.IntN(3) == 0 {
			text[0] = '-'
		}
		texts = append(texts, string(text))
	}
	for _, text := range texts {
		compareInteger(t, text)
		v, ok := shortDouble([]byte(text))
		if want, err := strconv.ParseFloat(text, 64); ok && (err != nil || v != want || strconv.FormatFloat(v, 'g', -1, 64) != strconv.FormatFloat(want, 'g', -1, 64)) {
			t.Fatalf("%q was read as %v", text, v)
		}
	}
	if v, ok := shortDouble([]byte("-1234567890.12345")); !ok || v != -1234567890.12345 {
		t.Errorf("15 digits were not read the short way: %v", v)
	}
}

func compareInteger(t *testing.T, text string) {
	t.Helper()
	for kind, bits := range map[row.Kind]int{row.BigInt: 64, row.Int: 32, row.TinyInt: 8} {
		c := row.NewColumn(row.Type{Kind: kind})
		err := parseInteger(c, []byte(text))
		want, bad := strconv.ParseInt(text, 10, bits)
		if (err == nil) != (bad == nil) || err == nil && c.Ints[0] != want {
			t.Fatalf("%q as %s: got %v, %v, want %d, %v", text, c.Type, c.Ints, err, want, bad)
		}
	}
}

// TestWords compares the search by words with one byte by byte.
func TestWords(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		text := make([]byte, r.IntN(40))
		for i := range text {
			text[i] = []byte("ab,;\"\\\n\r\t\x00\x0e\x7f\x80\xac\xbb\xff")[r.IntN(16)]
		}
		for _, sep := range []byte{',', ';', '\t', 0xac, 'b'} {
			f := csvFile{buf: text, d: &dialect{sep: []byte{sep}}}
			from := r.IntN(len(text) + 1)
			want := from
			for want < len(text) && text[want] > '\r' && text[want] != sep {
				want++
			}
			if got := f.stop(from); got != want {
				t.Fatalf("stop of %q from %d is %d, not %d", text, from, got, want)
			}
			want = len(text)
			if n := bytes.IndexAny(text[from:], "\"\\"); n >= 0 {
				want = from + n
			}
			if got := either(text, from, '"', '\\'); got != want {
				t.Fatalf("a quote or an escape in %q from %d is at %d, not %d", text, from, got, want)
			}
		}
	}
}
