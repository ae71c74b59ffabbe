package row

import (
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// plainInJSON is the bytes that stand for themselves in a JSON string.
var plainInJSON = func() (plain [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		plain[c] = c != '"' && c != '\\'
	}
	return plain
}()

// AppendQuoted appends text as a JSON string. Invalid UTF-8 becomes U+FFFD.
func AppendQuoted[T []byte | string](dst []byte, text T) []byte {
	for i := range len(text) {
		if !plainInJSON[text[i]] {
			dst, _ = jsontext.AppendQuote(dst, text) // an error only says that U+FFFD stands in
			return dst
		}
	}
	dst = append(append(dst, '"'), text...)
	return append(dst, '"')
}
