package row

import "github.com/go-json-experiment/json/jsontext"

// AppendQuoted appends text as a JSON string. Invalid UTF-8 becomes U+FFFD.
func AppendQuoted[T []byte | string](dst []byte, text T) []byte {
	if !plain([]byte(text)) {
		dst, _ = jsontext.AppendQuote(dst, text) // an error only says that U+FFFD stands in
		return dst
	}
	dst = append(append(dst, '"'), text...)
	return append(dst, '"')
}

// plain reports whether each byte of text stands for itself in a JSON string. It
// may say no of one that does.
func plain(text []byte) bool {
	if len(text) < 8 {
		for _, c := range text {
			if c < ' ' || c == '"' || c == '\\' || c >= 0x80 {
				return false
			}
		}
		return true
	}
	odd := Word(0)
	for i := 0; ; i += 8 {
		last := i+8 >= len(text)
		if last {
			i = len(text) - 8
		}
		w := WordAt(text, i)
		// A wrong mark is behind a right one. Bytes beyond ASCII are marks themselves.
		odd |= w | w.Stops()
		if last {
			return odd&Highs == 0
		}
	}
}
