package row

import (
	"math/rand/v2"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// TestAppendQuoted compares with jsontext.
func TestAppendQuoted(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"a", "plain text", "é", "日本", "😀", "\"", "\\", "/", "<&>", "\x00", "\x01", "\x1f", "\x7f", "\n", "\r\t\b\f", "\u2028", "\ufffd", "\xff", "\xe6\x97", "\xed\xa0\x80"}
	texts := append([]string{""}, pieces...)
	for range 5000 {
		text := ""
		for range r.IntN(8) {
			text += pieces[r.IntN(len(pieces))]
		}
		texts = append(texts, text)
	}
	for _, text := range texts {
		want, _ := jsontext.AppendQuote(nil, text) // an error only says that U+FFFD stands in
		if got := string(AppendQuoted([]byte("x"), text)); got != "x"+string(want) {
			t.Fatalf("%q is quoted as %s, not %s", text, got, want)
		}
		if got := string(AppendQuoted(nil, []byte(text))); got != string(want) {
			t.Fatalf("%q in bytes is quoted as %s, not %s", text, got, want)
		}
	}
}

func BenchmarkAppendQuoted(b *testing.B) {
	for _, text := range []string{"node-17.example.org", "Émile", "late parcel \"quoted\" comma, line\nbreak 日本", `C:\new\table\12.txt`} {
		b.Run(text, func(b *testing.B) {
			var buf []byte
			bytes := []byte(text)
			for range b.N {
				buf = AppendQuoted(buf[:0], bytes)
			}
		})
		b.Run("jsontext", func(b *testing.B) {
			var buf []byte
			bytes := []byte(text)
			for range b.N {
				buf, _ = jsontext.AppendQuote(buf[:0], bytes)
			}
		})
	}
}
