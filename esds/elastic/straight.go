package elastic

import (
	"bytes"
	"slices"

	"github.com/eslake/eslake/sql/row/textcopy"
)

// straight is the way through hits whose documents have the columns of a line as
// members, in their order, and nothing else between them. Nothing is looked for on it,
// and little is noted.
type straight struct {
	steps []textcopy.Place
	looks []glance
	hits  *textcopy.Hits
	frame textcopy.Frame
	odd   int // hits in a row that it was not for
}

// oddHits is after how many hits in a row that it was not for a way is not tried any
// more.
const oddHits = 20

// add adds a step. It is false for a member that is due already.
func (s *straight) add(name string, look glance, here *spot) bool {
	place := textcopy.Place{Key: `"` + name + `":`, Look: look.Look, Open: here.open}
	if slices.ContainsFunc(s.steps, func(p textcopy.Place) bool { return p.Key == place.Key }) {
		return false
	}
	switch {
	case here.copies:
		place.Keep = textcopy.KeepWhole
	case here.bare:
		place.Keep = textcopy.KeepInner
	}
	s.steps, s.looks = append(s.steps, place), append(s.looks, look)
	return true
}

// straight appends the hit that begins at i, and those after it, while their documents
// may be gone through straight. It returns the position after the last, and how many
// there were.
func (p *printer) straight(dst, b []byte, i int) ([]byte, int, int) {
	s, at := p.way, textcopy.Begin(dst, i)
	for ok := true; ok; {
		var why textcopy.Why
		dst, why = s.hits.Run(&at, dst, b, &s.frame)
		switch why {
		case textcopy.Room:
			dst = slices.Grow(dst, s.hits.More(dst))
		case textcopy.Head:
			at.At, ok = learn(&s.frame, b, at.At)
			at.Step = 0
		case textcopy.Value:
			var v span
			if v, ok = s.one(b, &at); ok {
				dst, ok = p.value(dst, b[v.start:v.end:v.end], v.form, at.Step-1)
			}
		case textcopy.Tail:
			if i, ok = hitEnd(b, at.At); ok {
				return append(dst, p.lines.Close...), i, at.Hits + 1
			}
		default:
			ok = false
		}
	}
	return dst[:at.Line], at.End, at.Hits
}

// one takes the value of the next step whatever it is, and returns where it stands;
// false when that is for the walker. A member that is not there is NULL.
func (s *straight) one(b []byte, at *textcopy.Position) (v span, ok bool) {
	v.form = formNull
	key, look := s.steps[at.Step].Key, &s.looks[at.Step]
	at.Step++
	if !bytes.HasPrefix(b[at.At:], []byte(key)) {
		return v, true
	}
	var err error
	if v.start = at.At + len(key); v.start < len(b) && b[v.start] == 'n' {
		v.end, err = skipValue(b, v.start)
	} else {
		v.end, v.form, err = look.scan(b, v.start)
	}
	if err != nil || v.end >= len(b) {
		return v, false
	}
	if at.At = v.end; b[at.At] == ',' {
		at.At++
	}
	return v, true
}

const (
	frameID     = `"_id":"`
	frameSource = `"_source":{`
)

// learn returns the position after the brace that opens the document of the hit at i,
// and notes what stands around it.
func learn(f *textcopy.Frame, b []byte, i int) (int, bool) {
	begin, id, idEnd := i, 0, 0
	if i >= len(b) || b[i] != '{' {
		return i, false
	}
	for i++; i < len(b) && b[i] == '"'; i++ {
		if bytes.HasPrefix(b[i:], []byte(frameSource)) {
			i += len(frameSource)
			if id > 0 {
				f.Text, f.Head = append(append(f.Text[:0], b[begin:id]...), b[idEnd:i]...), id-begin
			}
			return i, true
		}
		end, ok := skipMember(b, i)
		if !ok || end >= len(b) || b[end] != ',' {
			return end, false
		}
		if bytes.HasPrefix(b[i:], []byte(frameID)) {
			id, idEnd = i+len(frameID), end-1
		}
		i = end
	}
	return i, false
}

// hitEnd returns the position after the hit of which the document ends at i.
func hitEnd(b []byte, i int) (int, bool) {
	if i >= len(b) || b[i] != '}' {
		return i, false
	}
	for i++; i < len(b) && b[i] == ','; {
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
