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
	l := separated(s, o, ",", c.null, c.text)
	l.form.Plain = &row.PlainText{Sign: ',', Empty: []byte(`""`), Quotes: true}
	return l
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
	n := len(text)
	if n < 8 {
		for _, b := range text {
			if special[b] {
				return true
			}
		}
		return n == 0 || bytes.Equal(text, c.null)
	}
	for i := 0; i < n; i += 8 {
		w := row.WordAt(text, min(i, n-8)) // some bytes are looked at twice
		if w.Equal(',')|w.Equal('"')|w.Equal('\n')|w.Equal('\r') != 0 {
			return true
		}
	}
	return bytes.Equal(text, c.null)
}

var special = [256]bool{',': true, '"': true, '\n': true, '\r': true}
