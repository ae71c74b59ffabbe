package elastic

import (
	"bytes"

	"github.com/eslake/eslake/sql/row"
)

// straight is the way through a document whose members are the columns of a line, in
// their order, with nothing else between them. So are most documents that eslake
// wrote, when all columns are read; members that are not there are NULL. Nothing is
// looked for on it, and little is noted.
type straight struct {
	frame frame
	steps []step
	spans []span // by step, of the document gone through last
	odd   int    // hits in a row that it was not for
}

// oddHits is after how many hits in a row that it was not for a way is not tried any
// more.
const oddHits = 20

// step is a member that is to come.
type step struct {
	key        string   // "name":
	head, mask row.Word // its first eight bytes
	tail       row.Word // its last eight, when it is longer
	look       glance
}

func newStep(name string, look glance) step {
	key := `"` + name + `":`
	padded := []byte(key + "\x00\x00\x00\x00\x00\x00\x00")
	s := step{key: key, head: row.WordAt(padded, 0), mask: ^row.Word(0), look: look}
	if n := len(key); n < 8 {
		s.mask >>= 64 - 8*n
	} else {
		s.tail = row.WordAt(padded, n-8)
	}
	return s
}

// add adds a step. It is false for a member that is due already.
func (s *straight) add(t step) bool {
	for i := range s.steps {
		if s.steps[i].key == t.key {
			return false
		}
	}
	s.steps, s.spans = append(s.steps, t), append(s.spans, span{})
	return true
}

// begins reports whether b[i:] begins with the step's key, with some bytes behind.
func (s *step) begins(b []byte, i int) bool {
	n := len(s.key)
	switch {
	case i+n+8 > len(b), row.WordAt(b, i)&s.mask != s.head:
		return false
	case n <= 8:
		return true
	}
	return row.WordAt(b, i+n-8) == s.tail && (n <= 16 || string(b[i:i+n]) == s.key)
}

// run takes step k and those after it, from the member at i on, as long as each member
// is the one of the step and plain. It returns where it stopped. At the end there is
// the brace that closes the document, or something that the way is not for.
func (s *straight) run(b []byte, i, k int) (int, int) {
	for ; k < len(s.steps); k++ {
		t := &s.steps[k]
		if !t.begins(b, i) {
			break
		}
		start, end, f := i+len(t.key), 0, formPlain
		switch t.look.shape { // as glance.plain, but that a call shows here
		case shapeText:
			if b[start] == '"' {
				end, f = quoted(b, start)
			}
		case shapeWhole:
			end = t.look.wholeNumber(b, start)
		case shapeReal:
			end = t.look.real(b, start)
		case shapeDecimal:
			end = t.look.decimal(b, start)
		case shapeBool:
			end = boolean(b, start)
		case shapeDate, shapeTime:
			end = t.look.date(b, start)
		}
		if end == 0 || end >= len(b) {
			break
		}
		s.spans[k] = span{start: start, end: end, form: f}
		if i = end; b[i] == ',' {
			i++
		}
	}
	return i, k
}

// quoted is scanText that returns 0 for a text that is not plain.
func quoted(b []byte, i int) (int, form) {
	at, high := plainText(b, i+1)
	if !high && at < len(b) && b[at] == '"' {
		return at + 1, formPlain
	}
	end, f, err := scanText(b, i)
	if err != nil || f == formAny {
		return 0, f
	}
	return end, f
}

// one takes step k at the member at i whatever its value is, and returns the position
// of the next; false when that is for the walker. A member that is not there is NULL.
func (s *straight) one(b []byte, i, k int) (int, bool) {
	t, at := &s.steps[k], &s.spans[k]
	*at = span{form: formNull}
	if !t.begins(b, i) {
		return i, true
	}
	var err error
	if at.start = i + len(t.key); b[at.start] == 'n' {
		at.end, err = skipValue(b, at.start)
	} else {
		at.end, at.form, err = t.look.scan(b, at.start)
	}
	if err != nil || at.end >= len(b) {
		return i, false
	}
	if i = at.end; b[i] == ',' {
		i++
	}
	return i, true
}

// frame is what stands around the documents of hits. Mostly it differs only by the
// id and the sort value.
type frame struct{ open, middle []byte }

const (
	frameID     = `"_id":"`
	frameSource = `"_source":{`
	frameSort   = `,"sort":[`
)

// document returns the position after the brace that opens the document of the hit
// at i.
func (f *frame) document(b []byte, i int) (int, bool) {
	if len(f.open) > 0 && bytes.HasPrefix(b[i:], f.open) {
		at, _ := plainText(b, i+len(f.open))
		if bytes.HasPrefix(b[at:], f.middle) {
			return at + len(f.middle), true
		}
	}
	return f.learn(b, i)
}

// learn is document for a hit that looks otherwise than those before.
func (f *frame) learn(b []byte, i int) (int, bool) {
	begin, id := i, 0
	if i >= len(b) || b[i] != '{' {
		return i, false
	}
	for i++; i < len(b) && b[i] == '"'; i++ {
		if bytes.HasPrefix(b[i:], []byte(frameSource)) {
			i += len(frameSource)
			if id > 0 {
				at, _ := plainText(b, id)
				f.open, f.middle = append(f.open[:0], b[begin:id]...), append(f.middle[:0], b[at:i]...)
			}
			return i, true
		}
		if bytes.HasPrefix(b[i:], []byte(frameID)) {
			id = i + len(frameID)
		}
		end, ok := skipMember(b, i)
		if !ok || end >= len(b) || b[end] != ',' {
			return end, false
		}
		i = end
	}
	return i, false
}

// hitEnd returns the position after a hit of which the rest begins at i.
func hitEnd(b []byte, i int) (int, bool) {
	if bytes.HasPrefix(b[i:], []byte(frameSort)) {
		if end := digitsFrom(b, i+len(frameSort)); end+1 < len(b) && b[end] == ']' && b[end+1] == '}' {
			return end + 2, true
		}
	}
	for i < len(b) && b[i] == ',' {
		end, ok := skipMember(b, i+1)
		if !ok {
			return end, false
		}
		i = end
	}
	return i + 1, i < len(b) && b[i] == '}'
}

// skipMember returns the position after the member that begins at i.
func skipMember(b []byte, i int) (int, bool) {
	if i >= len(b) {
		return i, false
	}
	_, value, err := memberName(b, i)
	if err != nil {
		return i, false
	}
	end, err := skipValue(b, value)
	return end, err == nil
}
