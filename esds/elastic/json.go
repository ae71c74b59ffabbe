package elastic

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// The answers of a search are megabytes of JSON of which a few values matter.
// These functions find values in it without decoding it: each takes the text
// and a position, and returns the position after what it found. They are for
// JSON that a server wrote or has parsed before; they never read past the end,
// and take repeated names, comments and any bytes in strings, as Elasticsearch
// does when it stores a document.

var errJSON = errors.New("the answer is not complete JSON")

// skipBlank returns the position of the next value or sign.
func skipBlank(b []byte, i int) int {
	for i < len(b) {
		switch b[i] {
		case ' ', '\t', '\r', '\n':
			i++
		case '/':
			next := skipComment(b, i)
			if next == i {
				return i
			}
			i = next
		default:
			return i
		}
	}
	return i
}

func skipComment(b []byte, i int) int {
	if i+1 >= len(b) {
		return i
	}
	end, open := "", i+2
	switch b[i+1] {
	case '/':
		end = "\n"
	case '*':
		end = "*/"
	default:
		return i
	}
	n := bytes.Index(b[open:], []byte(end))
	if n < 0 {
		return len(b)
	}
	return open + n + len(end)
}

// skipString returns the position after a string that begins at i. Most strings
// are short, and looked at byte by byte sooner than by a call.
func skipString(b []byte, i int) (int, error) {
	i++
	for end := min(i+24, len(b)); i < end; i++ {
		if b[i] == '"' {
			return i + 1, nil
		}
		if b[i] == '\\' {
			break
		}
	}
	return skipLongString(b, i)
}

// skipLongString goes on within a string, at a place that is not escaped.
func skipLongString(b []byte, i int) (int, error) {
	start := i
	for i < len(b) {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			break
		}
		end := i + n
		escapes := 0
		for end-1-escapes >= start && b[end-1-escapes] == '\\' {
			escapes++
		}
		i = end + 1
		if escapes%2 == 0 {
			return i, nil
		}
	}
	return len(b), errJSON
}

// skipValue returns the position after the value that begins at i.
func skipValue(b []byte, i int) (int, error) {
	if i >= len(b) {
		return i, errJSON
	}
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{', '[':
		return skipNested(b, i)
	}
	start := i
	for i < len(b) {
		switch b[i] {
		case ',', '}', ']', ' ', '\t', '\r', '\n', '/':
			if i == start {
				return i, errJSON
			}
			return i, nil
		}
		i++
	}
	return i, nil
}

func skipNested(b []byte, i int) (int, error) {
	depth := 0
	var err error
	for i < len(b) {
		switch b[i] {
		case '"':
			if i, err = skipString(b, i); err != nil {
				return i, err
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
			if depth == 0 {
				return i + 1, nil
			}
		case '/':
			if next := skipComment(b, i); next > i {
				i = next
				continue
			}
		}
		i++
	}
	return i, errJSON
}

// members calls f for every member of the object that begins at i, with the name
// as it stands between its quotes and the position of the value. F returns the
// position after the value, and members the one after the object.
func members(b []byte, i int, f func(name []byte, i int) (int, error)) (int, error) {
	if i >= len(b) || b[i] != '{' {
		return i, errJSON
	}
	for i++; ; {
		i = skipBlank(b, i)
		switch {
		case i >= len(b):
			return i, errJSON
		case b[i] == '}':
			return i + 1, nil
		case b[i] == ',':
			i++
			continue
		case b[i] != '"':
			return i, errJSON
		}
		name, at, err := memberName(b, i)
		if err != nil {
			return at, err
		}
		if i, err = f(name, at); err != nil {
			return i, err
		}
	}
}

// memberName returns the name that begins at i as it stands between its quotes,
// and the position of the value.
func memberName(b []byte, i int) (name []byte, value int, err error) {
	if b[i] != '"' {
		return nil, i, errJSON
	}
	end, err := skipString(b, i)
	if err != nil {
		return nil, end, err
	}
	name = b[i+1 : end-1]
	if i = skipBlank(b, end); i >= len(b) || b[i] != ':' {
		return nil, i, errJSON
	}
	if i = skipBlank(b, i+1); i >= len(b) {
		return nil, i, errJSON
	}
	return name, i, nil
}

// elements calls f for the position of every element of the list that begins at
// i. F returns the position after it, and elements the one after the list.
func elements(b []byte, i int, f func(i int) (int, error)) (int, error) {
	if i >= len(b) || b[i] != '[' {
		return i, errJSON
	}
	for i++; ; {
		i = skipBlank(b, i)
		switch {
		case i >= len(b):
			return i, errJSON
		case b[i] == ']':
			return i + 1, nil
		case b[i] == ',':
			i++
			continue
		}
		var err error
		if i, err = f(i); err != nil {
			return i, err
		}
	}
}

// eachMember calls f for every member of an object, with the value's text.
func eachMember(b []byte, f func(name, value []byte) error) error {
	_, err := members(b, skipBlank(b, 0), func(name []byte, i int) (int, error) {
		end, err := skipValue(b, i)
		if err != nil {
			return end, err
		}
		return end, f(name, b[i:end:end])
	})
	return err
}

// eachElement calls f for every element of a list, with its text.
func eachElement(b []byte, f func(value []byte) error) error {
	_, err := elements(b, skipBlank(b, 0), func(i int) (int, error) {
		end, err := skipValue(b, i)
		if err != nil {
			return end, err
		}
		return end, f(b[i:end:end])
	})
	return err
}

// appendUnquoted appends the text of a JSON string, quotes included in raw.
// Invalid UTF-8 and lone surrogates become U+FFFD.
func appendUnquoted(dst, raw []byte) ([]byte, error) {
	if len(raw) < 2 || raw[0] != '"' {
		return dst, errJSON
	}
	if plainASCII(raw) {
		return append(dst, raw[1:len(raw)-1]...), nil
	}
	n := len(dst)
	out, err := jsontext.AppendUnquote(dst, raw)
	if err != nil && len(out) == n && len(raw) > 2 {
		return dst, fmt.Errorf("%s is not a JSON string", raw)
	}
	return out, nil // an error only says that U+FFFD stands in
}

// plainASCII reports whether a string stands for itself between its quotes.
func plainASCII(raw []byte) bool {
	for _, c := range raw {
		if c == '\\' || c >= 0x80 {
			return false
		}
	}
	return true
}
