package render

import (
	"bytes"

	"github.com/eslake/eslake/sql/row"
)

// csv says how texts are quoted in RFC 4180 with \n: a NULL is an empty field and
// an empty string is "", so that both come back as they were.
type csv struct{ null []byte }

func newCSV(s row.Schema, o Options) lines {
	c := csv{}
	if o.Null != nil {
		c.null = []byte(*o.Null)
	}
	return separated(s, o, ",", c.null, c.text)
}

// text appends a text, quoted where it must be: also one that could be taken for
// a NULL.
func (c csv) text(dst, text []byte) []byte {
	if !c.quote(text) {
		return append(dst, text...)
	}
	dst = append(dst, '"')
	for {
		i := bytes.IndexByte(text, '"')
		if i < 0 {
			break
		}
		dst = append(dst, text[:i]...)
		dst = append(dst, '"', '"')
		text = text[i+1:]
	}
	dst = append(dst, text...)
	return append(dst, '"')
}

func (c csv) quote(text []byte) bool {
	i := 0
	for ; i+8 <= len(text); i += 8 {
		w := row.WordAt(text, i)
		if w.Equal(',')|w.Equal('"')|w.Equal('\n')|w.Equal('\r') != 0 {
			return true
		}
	}
	for _, b := range text[i:] {
		if special[b] {
			return true
		}
	}
	return len(text) == 0 || bytes.Equal(text, c.null)
}

var special = [256]bool{',': true, '"': true, '\n': true, '\r': true}
